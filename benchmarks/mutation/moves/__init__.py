"""Moves: the same program, written by somebody else.

A rule that was written beside its page knows a bug in the place where the page shows it. A move takes a program, with
its bug or without it, and writes it in another way that means the same: a step in a helper, a method, a base class,
another file, a closure, a partial, a decorator, a context manager; other names; something unrelated that nobody can
know beside it. What is lost between the plain and the moved form is what mllint knew by the place only.

`program` holds the trees and which statements may be blamed, `scopes` says what stretches of a function read and bind,
`carving` takes a stretch out, and `steps`, `renaming` and `unrelated` are the moves. A move declines (`Declined`) where
it cannot be sure that the meaning stays.
"""

from benchmarks.mutation.moves import renaming, steps, unrelated  # noqa: F401
from benchmarks.mutation.moves.program import MOVES, Declined, Move, Moved, moved

__all__ = ["MOVES", "Declined", "Move", "Moved", "moved"]
