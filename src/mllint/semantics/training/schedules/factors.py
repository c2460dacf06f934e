"""Does the function of a `LambdaLR` give a factor, or the learning rate itself?

    optimizer = Adam(net.parameters(), lr=args.lr)
    LambdaLR(optimizer, lambda epoch: 0.95 ** epoch)            # a factor
    LambdaLR(optimizer, lambda epoch: args.lr * 0.95 ** epoch)  # `find_absolute_factor`: lr * lr * 0.95 ** epoch

It is the rate if what is returned is a product of which one factor is written as the rate of the optimizer is, or has
the same value, also as the end of a curve, `low + (args.lr - low) * share`, and through a function of the project that
is handed the rate, be it by `partial`. A rate of one is a factor of one; a number that a floor or a quotient has in
common with the rate is not multiplied, and says nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.nodes import Constant, Node, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import InstanceValue, PartialValue, Site, Value

__all__ = ["find_absolute_factor"]

_SCHEDULE = "torch.optim.lr_scheduler.LambdaLR"


def find_absolute_factor(call: Call) -> tuple[Site, Site] | None:
    """Where the function of a `LambdaLR` multiplies with the learning rate of the optimizer, and where that is set.

    Args:
        call: what builds the schedule.
    """
    if not call.value.instance_of(_SCHEDULE):
        return None
    optimizer, function = call.argument("optimizer"), call.argument("lr_lambda")
    if optimizer is None or function is None:
        return None
    built, given = optimizer.value, function.value
    preset = _preset(given) if isinstance(given, PartialValue) else {}
    scope = given.called.function if isinstance(given, PartialValue) else given.function
    rate = _rate(built)
    if rate is None or scope is None or scope.stubbed or not isinstance(built, InstanceValue) or built.site is None:
        return None
    number = constructor_argument(built, "lr")
    frame = call.project.frame(scope)
    returns = [scope.node.body] if isinstance(scope.node, ast.Lambda) else [r.value for r in scope.returns]
    for returned in returns:
        for found in _factors(returned, frame):
            factor, where = preset.get(place(found[0]) or "", found)
            if _is_rate(factor, where, rate, number.literal if number is not None else None):
                return Site(where.module, factor), Site(built.site.module, rate)
    return None


def _preset(function: PartialValue) -> dict[str, tuple[Node, Frame]]:
    """The expressions that `partial(f, peak=lr)` binds to parameters by their names, with their contexts."""
    made = function.arguments
    keywords = made.node.keywords if isinstance(made.node, ast.Call) else []
    return {k.arg: (k.value, made.frame) for k in keywords if k.arg is not None}


def _rate(optimizer: Value) -> Node:
    """The expression of the learning rate that an optimizer is built with."""
    if not optimizer.instance_of(OPTIMIZER) or optimizer.site is None or not isinstance(optimizer.site.node, ast.Call):
        return None
    node = optimizer.site.node
    return next((k.value for k in node.keywords if k.arg == "lr"), node.args[1] if len(node.args) > 1 else None)


def _factors(node: Node, frame: Frame, calls: int = 2) -> Iterator[tuple[Node, Frame]]:
    """The factors of a product, each with its context: of the larger end of a curve, and of what a call gives back."""
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right) | ast.IfExp(body=left, orelse=right):
            yield from _factors(left, frame, calls)
            yield from _factors(right, frame, calls)
        case ast.BinOp(op=ast.Div(), left=left):
            yield from _factors(left, frame, calls)
        case ast.BinOp(op=ast.Add(), left=low, right=ast.BinOp(op=ast.Mult()) as rise):
            parts = (n for n, _ in _factors(rise, frame, 0))
            ends = (p.left for p in parts if _is_rise(p, low))
            yield from (found for end in ends for found in _factors(end, frame, calls))
        case ast.Call() if calls:
            for inner in inner_frames(node, frame):
                for result in inner.function.returns:
                    yield from (_given(n, where) for n, where in _factors(result.value, inner, calls - 1))
        case _:
            yield node, frame


def _is_rise(node: Node, low: Node) -> bool:
    """Is it how far a curve rises above its lower end: `high - low`?"""
    falls = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return falls and ast.dump(node.right) == ast.dump(low)


def _given(node: Node, frame: Frame) -> tuple[Node, Frame]:
    """What a parameter stands for where its function was called; anything else itself."""
    given = frame.bound.get(node.id) if isinstance(node, ast.Name) and frame.bound else None
    return given if isinstance(given, Passed) else (node, frame)


def _is_rate(factor: Node, frame: Frame, rate: Node, number: Constant) -> bool:
    if place(factor) is not None and place(factor) == place(rate):
        return True
    value = evaluate(factor, frame).literal
    return isinstance(value, float) and value == number and value != 1.0
