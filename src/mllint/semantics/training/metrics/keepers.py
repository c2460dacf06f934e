"""By which score are weights kept, and which one counts as better?

    if loss > best:                           # `find_keeping_comparisons`: the loss, higher
        best, weights = loss, copy.deepcopy(net.state_dict())

    class Stopper:
        def __call__(self, loss, net):
            score = -loss                     # of `stopper(accuracy, net)`: the accuracy, lower
            if self.best is None or score > self.best + self.delta:
                self.best = score
                self.save(net)

Asked from what reads or writes weights: it stands in a branch of a comparison with a record, which the score becomes,
or in a method that such a branch calls. A score that a function is given is asked of each of its callers, with the
object that they call: what a mode, or a sign, says is known there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.metrics.comparisons import (
    Branch,
    Comparison,
    branches,
    comparisons_implied_by,
    is_opposite,
)
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import resolve_name, statements

__all__ = ["Handed", "Kept", "find_keeping_comparisons"]


class Handed(NamedTuple):
    """What a caller hands in.

    Attributes:
        node: the expression of it.
        frame: its context.
        call: the call of the caller.
    """

    node: Node
    frame: Frame
    call: ast.Call


class Kept(NamedTuple):
    """A comparison with a record behind which weights are kept.

    Attributes:
        test: the comparison.
        score: what is compared with the record, and becomes it.
        direction: which score counts as better, "higher" or "lower".
        frame: the context of both.
        handed: what a caller hands in as the score, or as what it is computed from; None if the function has the score
            by itself.
    """

    test: Node
    score: Node
    direction: str
    frame: Frame
    handed: Handed | None


def find_keeping_comparisons(call: Call) -> Iterator[Kept]:
    """The comparisons that decide whether weights are kept.

    Args:
        call: what reads or writes weights, `net.state_dict()`.
    """
    for function, keeping in _keeping(call):
        every = list(branches(function)) if _stand_in_branches(keeping, function) else []
        keeps = [branch for branch in every if _contains(branch, keeping)]
        seen: set[int] = set()
        if not keeps:
            continue
        for frame in _frames(function, call):
            for branch in keeps:
                for kept in _of_branch(branch, every, frame):
                    if kept.handed is not None or id(kept.test) not in seen:
                        seen.add(id(kept.test))
                        yield kept


def _keeping(call: Call) -> Iterator[tuple[FunctionScope, list[ast.Call]]]:
    """The functions in which a call keeps weights, each with what does so there: the call itself, and in the methods
    that call its method, `self.save(net)`."""
    function = call.function
    yield function, [call.node]
    methods = function.owner.methods.values() if function.owner is not None else ()
    for method in (m for m in methods if m is not function and function.name in m.called_names):
        yield method, [n for n in method.calls if place(n.func) == f"self.{function.name}"]


def _stand_in_branches(keeping: list[ast.Call], function: FunctionScope) -> bool:
    """A cheap look: is there an `if` over the lines of what keeps weights?"""
    tests = [s for s in statements(function) if s.__class__ is ast.If] if keeping else []
    return any(s.lineno <= n.lineno <= (s.end_lineno or 0) for s in tests for n in keeping)


def _contains(branch: Branch, keeping: list[ast.Call]) -> bool:
    """Do weights stay in a branch? An `elif` decides by its own test, and not by the one above it."""
    of = {id(n) for n in keeping}
    chained = not branch.holds and [type(s) for s in branch.body] == [ast.If]
    return not chained and any(id(n) in of for s in branch.body for n in walk(s))


def _frames(function: FunctionScope, call: Call) -> list[Frame]:
    """The contexts in which the callers of a function enter it; its own, if nobody is seen to call it."""
    project = call.project
    callers = project.callers(function) or project.calls_of_instances(function)
    entered = [inner for node, frame in callers for inner in inner_frames(node, frame) if inner.function is function]
    return entered or [project.frame(function)]


def _of_branch(branch: Branch, every: list[Branch], frame: Frame) -> Iterator[Kept]:
    """The comparisons behind which a branch lies, in a context in which it may run and no other branch of the function
    takes the opposite for better."""
    if not branch.runs(frame):
        return
    for comparison in comparisons_implied_by(branch.test, branch.holds, frame):
        first, second = comparison.first, comparison.second
        for score, other, direction in ((first, second, "higher"), (second, first, "lower")):
            record = _without_margin(other)
            taken = _taken(record, score, comparison.frame, frame)
            if taken is not None and not _is_undone(record, comparison, branch, every, frame):
                yield Kept(
                    comparison.test,
                    taken,
                    direction,
                    comparison.frame,
                    _score_passed_by_caller(taken, comparison.frame),
                )


def _is_undone(record: Node, comparison: Comparison, branch: Branch, every: list[Branch], frame: Frame) -> bool:
    """Does another branch of the function, which may run too, assign the record where the opposite holds?"""
    return any(
        is_opposite(comparison, other)
        for rival in every
        if rival.holds and rival.test is not branch.test
        if any(place(t) == place(record) for s in rival.body for n in walk(s) for t, _ in _assigned(n))
        if rival.runs(frame)
        for other in comparisons_implied_by(rival.test, True, frame)
    )


def _assigned(node: Node) -> Iterable[tuple[Node, Node]]:
    return assigned_pairs(node) if isinstance(node, ast.stmt) else ()


def _without_margin(record: Node) -> Node:
    """`best` of `best + delta` and of `best * 0.99`."""
    match record:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult()):
            return left
    return record


def _taken(record: Node, score: Node, inner: Frame, outer: Frame) -> Node:
    """The score that becomes the record, without a margin: in the function that compares them, or in one that calls it,
    in whose words they are `self.best` and `value` then; None if nothing assigns it."""
    moved = isinstance(score, ast.BinOp) and isinstance(score.op, (ast.Add, ast.Sub))
    for taken in (score, score.left) if moved else (score,):
        at, names = inner, (record, taken)
        while not _becomes(*names, at.function):
            if at is outer or at.caller is None:
                break
            names, at = (_for_caller(names[0], at), _for_caller(names[1], at)), at.caller[0]
        else:
            return taken
    return None


def _for_caller(node: Node, frame: Frame) -> Node:
    """An expression in the words of the caller of a frame; None if he has none for it."""
    call = frame.caller[1] if frame.caller is not None else None
    node = resolve_name(node, frame.function)
    match node:
        case ast.Attribute(value=ast.Name(id="self")):
            return node if isinstance(call, ast.Call) and (place(call.func) or "").startswith("self.") else None
        case ast.Name(id=name):
            given = frame.bound.get(name) if frame.bound is not None else None
            return given.node if isinstance(given, Passed) else None
        case ast.Constant():
            return node
        case ast.BinOp(left=left, op=op, right=right):
            sides = _for_caller(left, frame), _for_caller(right, frame)
            return ast.BinOp(sides[0], op, sides[1]) if None not in sides else None
        case ast.UnaryOp(op=op, operand=operand):
            inner = _for_caller(operand, frame)
            return ast.UnaryOp(op, inner) if inner is not None else None
    return None


def _becomes(record: Node, score: Node, function: FunctionScope) -> bool:
    """Does a function assign a score, or the better one of both, to a record?"""
    if score is None or place(record) is None or place(record) == place(score):
        return False
    names = {place(record), place(score)}
    for target, value in (pair for s in statements(function) for pair in assigned_pairs(s)):
        if place(target) == place(record):
            of_both = isinstance(value, ast.Call) and last_name(value.func) in ("max", "min")
            if _is_same(value, score) or (of_both and {place(a) for a in value.args} == names):
                return True
    return False


def _is_same(one: Node, other: Node) -> bool:
    """Are two expressions written alike?"""
    return (
        one is not None and place(one) == place(other) and (place(one) is not None or ast.dump(one) == ast.dump(other))
    )


def _score_passed_by_caller(score: Node, frame: Frame) -> Handed | None:
    """What the outermost caller of a frame hands in for the one parameter that a score is computed from."""
    found: Handed | None = None
    while frame.bound is not None and frame.caller is not None and isinstance(frame.caller[1], ast.Call):
        made_of = walk(resolve_name(score, frame.function))
        names = {n.id for n in made_of if isinstance(n, ast.Name) and frame.function.parameter(n.id) is not None}
        given = [frame.bound.get(name) for name in names - {"self"}]
        if len(given) != 1 or not isinstance(given[0], tuple):
            break
        found = Handed(given[0][0], given[0][1], frame.caller[1])
        score, frame = found.node, found.frame
    return found
