"""Which comparisons decide whether a branch runs, in this context?

    if self.mode == "min" and score < self.best: ...  # the second, if the object was built for "min"
    if self.is_better(score, self.best): ...          # what the method, or the function in it, compares
    if stopper.improved(score): ...                   # what it answers, or compares before it answers True
    if self.best - score > self.delta: ...            # the record with the score: a margin is left out

What the program decides while it runs is not known: of two comparisons in opposite directions, none is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import BLOCKS, Node
from mllint.semantics.values.bodies import reachable_returns
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import may_enter, resolve_name
from mllint.semantics.values.values import UnknownValue

__all__ = ["Branch", "Comparison", "branches", "comparisons_implied_by", "is_opposite"]

_ORDER = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
_ORDERS = {
    f"{library}.{name}": larger
    for library in ("numpy", "torch", "operator")
    for larger, names in ((True, "greater greater_equal gt ge"), (False, "less less_equal lt le"))
    for name in names.split()
}
"""The functions of libraries that compare two numbers: do they ask for the first one to be the larger one?"""


class Comparison(NamedTuple):
    """Two numbers that a test compares.

    Attributes:
        test: the expression that compares them.
        first: the larger one, where the test holds.
        second: the smaller one.
        frame: the context of all three.
    """

    test: Node
    first: Node
    second: Node
    frame: Frame


class Branch(NamedTuple):
    """A branch of an `if`.

    Attributes:
        test: its test.
        holds: is it the branch where the test holds?
        above: the branch that the `if` stands in; None if it stands in none.
        body: its statements.
    """

    test: Node
    holds: bool
    above: Branch | None
    body: list[ast.stmt]

    def runs(self, frame: Frame) -> bool:
        """May it run in a context, by the tests of the branches that it stands in?"""
        at = self.above
        while at is not None:
            if evaluate(at.test, frame).truth is (not at.holds):
                return False
            at = at.above
        return True


def branches(function: FunctionScope) -> Iterator[Branch]:
    """The branches of all `if` statements of a function, in no order; nested functions are left out."""
    stack: list[tuple[Node, Branch | None]] = [(s, None) for s in function.body]
    while stack:
        node, above = stack.pop()
        if isinstance(node, ast.If):
            for body, holds in ((node.body, True), (node.orelse, False)):
                branch = Branch(node.test, holds, above, body)
                yield branch
                stack += [(s, branch) for s in body]
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for field in BLOCKS:
                stack += [(s, above) for s in getattr(node, field, ())]


def comparisons_implied_by(test: Node, holds: bool, frame: Frame) -> list[Comparison]:
    """The comparisons that hold together where a test holds, or does not; none, if the test may hold for another
    reason than they.

    Args:
        test: the test.
        holds: is it where it holds?
        frame: its context.
    """
    found = list(_compared(test, holds, frame, 0))
    return [] if any(is_opposite(a, b) for a in found for b in found) else found


def is_opposite(one: Comparison, other: Comparison) -> bool:
    """Whether two comparisons ask for the opposite of each other."""
    return (ast.dump(one.first), ast.dump(one.second)) == (ast.dump(other.second), ast.dump(other.first))


def _compared(test: Node, holds: bool, frame: Frame, depth: int) -> Iterator[Comparison]:
    """The comparisons that a test is made of, those of functions that it calls included."""
    test = resolve_name(test, frame.function)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            yield from _compared(inner, not holds, frame, depth)
        case ast.IfExp():
            truth = evaluate(test.test, frame).truth
            if truth is not None:
                yield from _compared(test.body if truth else test.orelse, holds, frame, depth)
        case ast.BoolOp():
            for part in _together(test, holds, frame):
                yield from _compared(part, holds, frame, depth)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _ORDER):
            larger = isinstance(op, (ast.Gt, ast.GtE)) is holds
            first, second = (left, right) if larger else (right, left)
            yield Comparison(test, first, second, frame)
            if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Sub):
                yield Comparison(test, first.left, first.right, frame)
        case ast.Call():
            yield from _of_call(test, holds, frame, depth)


def _together(test: ast.BoolOp, holds: bool, frame: Frame) -> list[Node]:
    """The parts of a test that all hold where it does; the one that decides, of those of which one has to hold; that of
    the first time, `best is None`, left out."""
    every = isinstance(test.op, ast.And) is holds
    parts = [v for v in test.values if every or not _is_first_time(resolve_name(v, frame.function))]
    truths = [evaluate(v, frame).truth for v in parts]
    if every:
        return parts if (not holds) not in truths else []
    open = [v for v, truth in zip(parts, truths, strict=True) if truth is not (not holds)]
    return open if len(open) == 1 else []


def _is_first_time(test: Node) -> bool:
    match test:
        case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]) | ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _of_call(call: ast.Call, holds: bool, frame: Frame, depth: int) -> Iterator[Comparison]:
    """What a call compares: a function of a library by its name, one of the user's by what it answers."""
    larger = _order_of(Call(call, frame)) if len(call.args) == 2 and not call.keywords else None
    if larger is not None:
        first, second = call.args if larger is holds else call.args[::-1]
        yield Comparison(call, first, second, frame)
    elif depth < 2 and may_enter(call, frame):
        frames = list(inner_frames(call, frame))
        if len(frames) == 1 and not frames[0].function.is_generator:
            yield from _answered(frames[0], holds, depth + 1)


def _order_of(call: Call) -> bool | None:
    """Whether a function of a library asks for the first argument to be the larger one; None if it asks for neither."""
    names = {(v.name if isinstance(v, UnknownValue) else None) or "" for v in call.callee.alternatives}
    names |= {f"{f.module.name}.{f.name}" for f in call.callees if f.stubbed}
    orders = {_ORDERS.get(name) for name in names if name}
    return orders.pop() if len(orders) == 1 else None


def _answered(frame: Frame, holds: bool, depth: int) -> Iterator[Comparison]:
    """What a function compares to answer True, or False: what it gives back, or the test of the branch that does."""
    function = frame.function
    if isinstance(function.node, ast.Lambda):
        yield from _compared(function.node.body, holds, frame, depth)
        return
    found: list[list[Comparison]] = []
    for returned in reachable_returns(frame):
        match returned.value:
            case ast.Constant(value=value):
                within = [b for b in branches(function) if returned in b.body] if bool(value) is holds else []
                tests = [(b.test, b.holds) for b in within if not (b.holds and _is_first_time(b.test))]
                if bool(value) is holds and not within:
                    return
            case value:
                tests = [(value, holds)]
        found += [list(_compared(test, positive, frame, depth)) for test, positive in tests]
    if all(found):
        yield from (comparison for comparisons in found for comparison in comparisons)
