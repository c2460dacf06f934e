"""How long is asked about a file? All that a run spends on questions about each one, and which ones have had enough.

A question that is not answered in the time that its file has left is broken off (`semantics.syntax.deadline`), and no
further one is asked about the file. What was found by then stays, and the question that was broken off has found
nothing: rules are asked in a fixed order, so the findings are those of a whole run up to some question. How far that is
depends on the machine, therefore the report says that not all of the file was checked.
"""

from __future__ import annotations

from mllint.engine.clock import Clock
from mllint.semantics.syntax.deadline import DEADLINE

__all__ = ["SECONDS", "TimeBudget"]

SECONDS = 30.0
"""Seconds of CPU for all questions about one file. None of the pinned packages has a file that takes six; what takes
longer was made to, and how long is not left to it."""


class TimeBudget:
    """Counts the CPU seconds of the questions about each file of a run.

    Attributes:
        exhausted: the files about which nothing more is asked.
    """

    def __init__(self) -> None:
        self.exhausted: set[str] = set()
        self._clock = Clock()
        self._rest: dict[str, float] = {}

    def start(self, path: str) -> None:
        """Begin a question about a file."""
        clock = self._clock
        clock.start()
        DEADLINE.allow(self._rest.get(path, SECONDS), clock.time, clock.cpu)

    def answered(self) -> None:
        """The answers are there: what is made of them is not broken off."""
        DEADLINE.lift()

    def stop(self, path: str) -> bool:
        """End the question, and say whether the file has had its time by it."""
        DEADLINE.lift()
        spent = self._clock.spent()
        if not spent:
            return False
        rest = self._rest[path] = self._rest.get(path, SECONDS) - spent
        return rest < 0

    def leave(self, path: str) -> str:
        """Ask nothing more about a file; what the report says of it."""
        self.exhausted.add(path)
        return f"{path}: takes longer than {SECONDS:g} s, not all of it was checked"
