"""By which score are weights kept, and which one counts as better?

    if loss > best:                           # `kept_by`: the loss, higher
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
from collections.abc import Iterator
from typing import Any, NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Function
from mllint.semantics.syntax.nodes import assigned, last_name, place, walk
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import bound_to, statements

__all__ = ["Handed", "Kept", "kept_by"]

_ORDER = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)


class Handed(NamedTuple):
    """What a caller hands in.

    Attributes:
        node: the expression of it.
        frame: its context.
        call: the call of the caller.
    """

    node: Any
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

    test: ast.Compare
    score: Any
    direction: str
    frame: Frame
    handed: Handed | None


def kept_by(call: Call) -> Iterator[Kept]:
    """The comparisons that decide whether weights are kept.

    Args:
        call: what reads or writes weights, `net.state_dict()`.
    """
    for function, keeping in _keeping(call):
        blocks = list(_blocks(function, keeping))
        seen: set[int] = set()
        for frame in _frames(function, call) if blocks else ():
            for test, inside in blocks:
                for kept in _of_test(test, inside, frame):
                    if kept.handed is not None or id(kept.test) not in seen:
                        seen.add(id(kept.test))
                        yield kept


def _keeping(call: Call) -> Iterator[tuple[Function, list[ast.Call]]]:
    """The functions in which a call keeps weights, each with what does so there: the call itself, and in the methods
    that call its method, `self.save(net)`."""
    function = call.function
    yield function, [call.node]
    methods = function.owner.methods.values() if function.owner is not None else ()
    for method in (m for m in methods if m is not function and function.name in m.called_names):
        yield method, [n for n in method.calls if place(n.func) == f"self.{function.name}"]


def _blocks(function: Function, keeping: list[ast.Call]) -> Iterator[tuple[Any, bool]]:
    """The tests of the branches in which weights are kept, and whether it is where they hold. An `elif` decides by its
    own test, and not by the one above it."""
    of = {id(n) for n in keeping}
    for branch in (s for s in statements(function) if isinstance(s, ast.If)):
        otherwise = [] if [type(s) for s in branch.orelse] == [ast.If] else branch.orelse
        for block, inside in ((branch.body, True), (otherwise, False)):
            if any(id(n) in of for s in block for n in walk(s)):
                yield branch.test, inside


def _frames(function: Function, call: Call) -> list[Frame]:
    """The contexts in which the callers of a function enter it; its own, if nobody is seen to call it."""
    project = call.project
    callers = project.callers(function) or project.calls_of_instances(function)
    entered = [inner for node, frame in callers for inner in inner_frames(node, frame) if inner.function is function]
    return entered or [project.frame(function)]


def _of_test(test: Any, inside: bool, frame: Frame) -> Iterator[Kept]:
    for part in _parts(test, inside, frame):
        match part:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _ORDER):
                larger = isinstance(op, (ast.Gt, ast.GtE)) is inside
                for score, record, higher in ((left, right, larger), (right, left, not larger)):
                    if _becomes(_without_margin(record), score, frame.function):
                        yield Kept(part, score, "higher" if higher else "lower", frame, _handed(score, frame))


def _parts(test: Any, inside: bool, frame: Frame) -> list[Any]:
    """The tests that hold together in one, by their names too, `is_best = score > best`; that of the first time, `best
    is None`, left out."""
    test = bound_to(test, frame.function)
    if isinstance(test, ast.IfExp):
        truth = evaluate(test.test, frame).truth
        return [] if truth is None else _parts(test.body if truth else test.orelse, inside, frame)
    if isinstance(test, ast.BoolOp) and inside:
        parts = [bound_to(part, frame.function) for part in test.values]
        if isinstance(test.op, ast.And):
            return parts
        parts = [part for part in parts if not _is_first_time(part)]
        return parts if len(parts) == 1 else []
    return [test] if not isinstance(test, ast.BoolOp) else []


def _is_first_time(test: Any) -> bool:
    match test:
        case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant()]) | ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _without_margin(record: Any) -> Any:
    """`best` of `best + delta` and of `best * 0.99`."""
    match record:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult()):
            return left
    return record


def _becomes(record: Any, score: Any, function: Function) -> bool:
    """Does a function assign a score, or the better one of both, to a record?"""
    names = {place(record), place(score)}
    for target, value in (pair for s in statements(function) for pair in assigned(s)):
        if None not in names and place(target) == place(record):
            of_both = isinstance(value, ast.Call) and last_name(value.func) in ("max", "min")
            if place(value) == place(score) or (of_both and {place(a) for a in value.args} == names):
                return True
    return False


def _handed(score: Any, frame: Frame) -> Handed | None:
    """What the caller of a frame hands in for the one parameter that a score is computed from."""
    caller = frame.caller[1] if frame.caller is not None else None
    made_of = walk(bound_to(score, frame.function))
    names = {n.id for n in made_of if isinstance(n, ast.Name) and frame.function.parameter(n.id) is not None}
    given = [frame.bound.get(name) for name in names - {"self"}] if frame.bound is not None else []
    if len(given) != 1 or not isinstance(given[0], tuple) or not isinstance(caller, ast.Call):
        return None
    return Handed(given[0][0], given[0][1], caller)
