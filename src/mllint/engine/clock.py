"""How much CPU does a file take? A clock that is read thousands of times, and asks the system only now and then.

The CPU of a process is a question to the system (1 to 3 us), the time of day is not (50 ns). A rule's question is
often over in less, so that two readings for each were a thirtieth of a whole run. A process cannot have had more CPU
than time has passed: as long as that is less than `GRAIN`, nothing is read, and it counts with the next question.
"""

from __future__ import annotations

from time import perf_counter, process_time

__all__ = ["GRAIN", "Clock"]

GRAIN = 0.0005
"""Seconds that may pass before the CPU is read again."""


class Clock:
    """CPU seconds between `start` and `spent`, to the grain; what passes between `spent` and `start` is nobody's.

    Attributes:
        cpu: the CPU seconds of the process at the last reading.
        time: the time at the last reading.
    """

    __slots__ = ("cpu", "time")

    def __init__(self) -> None:
        self.cpu, self.time = process_time(), perf_counter()

    def start(self) -> None:
        """Begin to count, unless nothing to speak of has happened since the last reading."""
        now = perf_counter()
        if now - self.time > GRAIN:
            self.cpu, self.time = process_time(), now

    def spent(self) -> float:
        """CPU seconds since the last reading; 0 if too little time has passed to read it."""
        now = perf_counter()
        if now - self.time <= GRAIN:
            return 0.0
        cpu = process_time()
        spent = cpu - self.cpu
        self.cpu, self.time = cpu, now
        return spent
