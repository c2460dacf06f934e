"""How long may one question take? A limit of time inside a question, for what no count of steps bounds.

Fuel bounds how much is evaluated for a question, but a rule can compare all calls of a file with each other, and what
that costs depends on the file. So whatever a rule has to go through again and again (an evaluation, a search for a way,
a large tree) looks at the clock, and raises `OutOfTimeError` when the time is over. Who asks the question says how much
there is (`allow`), and takes what was not answered for no answer.

It is raised only where nothing is half done that others rely on: what is remembered is remembered when it is complete.
"""

from __future__ import annotations

from time import perf_counter, process_time

__all__ = ["DEADLINE", "Deadline", "OutOfTimeError"]

_NEVER = float("inf")


class OutOfTimeError(Exception):
    """The time for a question is over."""


class Deadline:
    """The end of the time for the question that is being asked.

    The CPU of a process is a question to the system, the time of day is not. A process cannot have had more CPU than
    time has passed, so the first one is asked only when the time would be over by the second.
    """

    def __init__(self) -> None:
        self._time = self._cpu = _NEVER

    def allow(self, seconds: float, time: float, cpu: float) -> None:
        """Begin a question.

        Args:
            seconds: of CPU that it may take.
            time: what `perf_counter` says now.
            cpu: what `process_time` says now.
        """
        self._time, self._cpu = time + seconds, cpu + seconds

    def lift(self) -> None:
        """End a question: what is done from here on takes its time."""
        self._time = self._cpu = _NEVER

    def check(self) -> None:
        """Look at the clock.

        Raises:
            OutOfTimeError: the question has had its time.
        """
        now = perf_counter()
        if now >= self._time:
            left = self._cpu - process_time()
            if left <= 0:
                raise OutOfTimeError
            self._time = now + left


DEADLINE = Deadline()
"""That of this process, which asks one question at a time."""
