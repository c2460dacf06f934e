"""Does a statement run in this context, by the tests of the branches that it stands in?

Of a frame that knows its arguments, `Net(norm="batch")`, the tests around a statement may have an answer: what stands
in the other branch does not happen in it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.ask import ask
from mllint.semantics.values.values import LiteralValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["has_constant_argument", "is_reached", "reached_bindings"]


def has_constant_argument(frame: Frame) -> bool:
    """Is it a call that gives a constant, by itself or by a name, which may decide what its function does?"""
    given = frame.bound.values() if frame.bound else ()
    return any(isinstance(g, Passed) and _is_constant(g) for g in given)


def _is_constant(given: Passed) -> bool:
    """Is an argument a constant, or a name that stands for one where the call is made: the variable of a loop over
    phases, or a parameter that was given one itself?"""
    node, frame = given
    if isinstance(node, ast.Constant):
        return True
    if not isinstance(node, ast.Name) or not (frame.overrides or frame.bound):
        return False
    return isinstance(ask.evaluate(node, frame), LiteralValue)


def reached_bindings(bindings: tuple[Binding, ...], frame: Frame) -> tuple[Binding, ...]:
    """Those of the `bindings` of a name that do not stand in a branch that is not taken in `frame`; all of them where
    nothing is left."""
    return tuple(b for b in bindings if b.kind == "param" or is_reached(b.node, frame) is not False) or bindings


def is_reached(node: Node, frame: Frame) -> bool | None:
    """Do the tests around a call, or a statement, hold, by what the frame knows?

    Args:
        node: what is written in the function of the frame.
        frame: the context.

    Returns:
        Whether they hold; None where that is not known.
    """
    found: set[bool | None] = {True}
    for test in _tests(frame.function):
        for branch, side in ((test.body, True), (test.orelse, False)):
            if branch and branch[0].lineno <= node.lineno <= (branch[-1].end_lineno or 0):
                truth = ask.evaluate(test.test, frame).truth
                found.add(None if truth is None else truth is side)
    return False if False in found else None if None in found else True


@cached_per_scope(local=True)
def _tests(function: FunctionScope) -> list[ast.If]:
    """The tests of a function."""
    return function.nodes_of(ast.If)
