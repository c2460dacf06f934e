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

__all__ = ["has_constant_argument", "is_reached", "reached_bindings", "stands_in_branches"]


def has_constant_argument(frame: Frame) -> bool:
    """Is it a call that gives a constant, by itself, by a name or by leaving it to a default, which may decide what its
    function does?"""
    bound = frame.bound
    if bound is None:
        return False
    if any(isinstance(g, Passed) and _is_constant(g) for g in bound.values()):
        return True
    left = (p.default for p in frame.function.parameters if p.name not in bound)
    return frame.complete and any(isinstance(default, ast.Constant) for default in left)


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
    """Those of the `bindings` of a name that do not stand in a branch that is not taken in `frame`, and that no other
    one in a branch that is taken replaces; all of them where nothing is left."""
    kept = [b for b in bindings if b.kind == "param" or is_reached(b.node, frame) is not False]
    taken = [b.node.lineno for b in kept if b.kind == "assign" and _is_always_reached(b.node, frame)]
    return tuple(b for b in kept if not taken or getattr(b.node, "lineno", 0) >= max(taken)) or bindings


def _is_always_reached(node: Node, frame: Frame) -> bool:
    """Does every run of the function come past a statement?"""
    return is_reached(node, frame) is True and stands_in_branches(node, frame.function.node.body)


def stands_in_branches(node: Node, body: Node) -> bool:
    """Does a call, or a statement, stand in nothing but the branches of tests: in no loop, handler or `with`?

    Args:
        node: what is asked about.
        body: the statements of its function; the expression of a lambda has none.
    """
    for statement in body if isinstance(body, list) else ():
        if statement.lineno <= node.lineno <= (statement.end_lineno or 0):
            if isinstance(statement, ast.If):
                return stands_in_branches(node, [*statement.body, *statement.orelse])
            return not hasattr(statement, "body") and not isinstance(statement, ast.Match)
    return False


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
