"""What does a pass through a function leave out, of which it is known that it comes by some place?

    if amp:
        scaler.scale(loss).backward()
        scaler.step(optimizer)                 # another branch than that of the backward below
    else:
        loss.backward()

What stands in another branch of an `if` is no excuse: the same pass never comes by both. But where a setting decides
about something, and about nothing else, `if settings.clear: optimizer.zero_grad()`, the program is right for some
setting, and which one it gets is not known.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import is_inside
from mllint.semantics.syntax.nodes import Node, is_in_block, is_within, place, walk
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mllint.semantics.flow.flow import Event, LoopRun
    from mllint.semantics.syntax.module import FunctionScope

__all__ = [
    "are_in_different_branches", "branches_around", "in_other_branches", "is_left_to_setting", "share_a_pass",
]  # fmt: skip


def are_in_different_branches(one: Event, other: Event) -> bool:
    """Do two events stand in different branches of one `if`, so that the same pass runs only one of them?"""
    taken = {(id(test), id(frame)): holds for test, holds, frame in one.conditions}
    return any(taken.get((id(test), id(frame)), holds) is not holds for test, holds, frame in other.conditions)


def branches_around(node: Node, function: FunctionScope) -> list[list[Node]]:
    """The branches of `if` that something is written in, innermost first."""
    tests = [s for s in statements(function) if isinstance(s, ast.If)]
    branches = [b for test in tests for b in (test.body, test.orelse) if is_in_block(node, b)]
    return sorted(branches, key=lambda block: -block[0].lineno)


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


def is_left_to_setting(event: Event, other: Event) -> bool:
    """True if an unknown setting decides, in each iteration alike, whether an event happens in the loop of another one,
    and decides nothing else.

    Args:
        event: the event.
        other: the other one, in the same loop.
    """
    if not event.loops or event.loops != other.loops:
        return False
    run = event.loops[-1]
    shared = {id(test) for test, _, _ in other.conditions_in(run)}
    more = [
        (test, holds)
        for test, holds, frame in event.conditions_in(run)
        if id(test) not in shared and frame is event.frame
    ]
    if len(more) != 1 or not _is_setting(more[0][0], event, run):
        return False
    forks = (n for n in event.function.nodes_of(ast.If) if n.test is more[0][0])
    branches = [(fork.body, fork.orelse) if more[0][1] else (fork.orelse, fork.body) for fork in forks]
    return any(len(own) == 1 and not rest and any(n is event.call for n in walk(own[0])) for own, rest in branches)


def _is_setting(test: Node, event: Event, run: LoopRun) -> bool:
    """True if `test` reads a place of which nobody knows whether it is true, and which its function binds in no
    iteration of the loop."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    at = place(test)
    if at is None or evaluate(test, event.frame).truth is not None:
        return False
    names = {at, at.partition(".")[0].partition("[")[0]}
    bound = (b.node for name in names for b in event.function.bindings.get(name, ()))
    return not any(is_within(node, run.node) for node in bound)
