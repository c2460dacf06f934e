"""What does a pass through a function leave out, of which it is known that it comes by some place?

    if amp:
        scaler.scale(loss).backward()
        scaler.step(optimizer)                 # another branch than that of the backward below
    else:
        loss.backward()

What stands in another branch of an `if` is no excuse: the same pass never comes by both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import is_inside
from mllint.semantics.syntax.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mllint.semantics.flow.flow import Event

__all__ = ["are_in_different_branches", "in_other_branches", "share_a_pass"]


def are_in_different_branches(one: Event, other: Event) -> bool:
    """Do two events stand in different branches of one `if`, so that the same pass runs only one of them?"""
    taken = {(id(test), id(frame)): holds for test, holds, frame in one.conditions}
    return any(taken.get((id(test), id(frame)), holds) is not holds for test, holds, frame in other.conditions)


def in_other_branches(event: Event, statements: Iterable[ast.AST]) -> set[int]:
    """The nodes of some statements, by identity, that a pass which comes by an event does not run."""
    taken = {id(test): holds for test, holds, _ in event.conditions}
    if not taken:
        return set()
    forks = [n for s in statements for n in walk(s) if isinstance(n, ast.If) and id(n.test) in taken]
    others = (s for n in forks for s in (n.orelse if taken[id(n.test)] else n.body))
    return {id(n) for s in others for n in walk(s)}


def share_a_pass(one: Event, other: Event) -> bool:
    """Do two events stand under the same conditions of one function, or one in what the function of the other calls?"""
    entered = is_inside(one.frame, other.frame) or is_inside(other.frame, one.frame)
    return entered and one.conditions == other.conditions
