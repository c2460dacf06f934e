"""Room for deep calls, in one piece.

CPython keeps the frames of Python functions in pieces of memory of 16 KB. It asks the system for the next piece when a
call no longer fits into the last one, and gives it back when that call returns. What a rule asks goes some hundred
calls deep and back thousands of times, and each time it crosses the end of a piece, that costs two system calls and a
page fault: together a twentieth of a run. But a frame that needs more than 16 KB is given a larger piece, and
the calls below it share what is left of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["with_room"]

_ROOM = 70_000
"""Values that fit into the frame of `with_room`: 560 KB. The piece has the next power of two, 1 MB, of which only the
pages that are touched are memory, so that more than a thousand calls fit behind it."""
_T = TypeVar("_T")


def with_room(function: Callable[[], _T]) -> _T:
    """Call a function whose calls go deep, and give what it gives."""
    return function()


with_room.__code__ = with_room.__code__.replace(co_stacksize=_ROOM)
