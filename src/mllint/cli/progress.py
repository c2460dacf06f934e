"""How far is a long run? A line on the terminal that comes after a second and goes at the end."""

from __future__ import annotations

import os
import sys
import time

__all__ = ["Progress"]

_PATIENCE, _STEP = 1.0, 0.1


class Progress:
    """Told how many files are checked, says so on stderr if that is a terminal.

    Args:
        words: the line, with `{}` for each of the two numbers.
    """

    def __init__(self, words: str = "{} of {} files") -> None:
        self._words = words
        self._started = self._last = time.monotonic()
        self._shows = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        """Say how far it is: how many of how many files are checked."""
        now = time.monotonic()
        if self._shows and now - self._started >= _PATIENCE and now - self._last >= _STEP:
            sys.stderr.write(f"\r{self._words.format(done, total)}\x1b[K")
            sys.stderr.flush()
            self._last, self._is_shown = now, True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_shown = False
