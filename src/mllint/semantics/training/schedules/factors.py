"""Does the function of a `LambdaLR` give a factor, or the learning rate itself?

    optimizer = Adam(net.parameters(), lr=args.lr)     LambdaLR(optimizer, lambda epoch: 0.95 ** epoch)
# a factor     LambdaLR(optimizer, lambda epoch: args.lr * 0.95 ** epoch)       # `absolute`: the rate becomes lr * lr
* 0.95 ** epoch

It is the rate if what is returned is a product of which one factor is written as the rate of the optimizer is, or has
the same value. A rate of one is a factor of one; a number that a floor or a quotient has in common with the rate is
not multiplied, and says nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.nodes import place
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import InstanceValue, Site

__all__ = ["absolute"]

_SCHEDULE = "torch.optim.lr_scheduler.LambdaLR"
_OPTIMIZER = "torch.optim.Optimizer"


def absolute(call: Call) -> tuple[Site, Site] | None:
    """Where the function of a `LambdaLR` multiplies with the learning rate of the optimizer, and where that is set.

    Args:
        call: what builds the schedule.
    """
    if not call.value.instance_of(_SCHEDULE):
        return None
    optimizer, function = call.argument("optimizer"), call.argument("lr_lambda")
    if optimizer is None or function is None:
        return None
    built, scope = optimizer.value, function.value.function
    rate = _rate(built)
    if rate is None or scope is None or scope.stubbed or not isinstance(built, InstanceValue) or built.site is None:
        return None
    number = constructor_argument(built, "lr")
    frame = call.project.frame(scope)
    returns = [scope.node.body] if isinstance(scope.node, ast.Lambda) else [r.value for r in scope.returns]
    for returned in returns:
        for factor in _factors(returned):
            if _is_rate(factor, frame, rate, number.literal if number is not None else None):
                return Site(frame.module, factor), Site(built.site.module, rate)
    return None


def _rate(optimizer: Any) -> Any:
    """The expression of the learning rate that an optimizer is built with."""
    if not optimizer.instance_of(_OPTIMIZER) or optimizer.site is None or not isinstance(optimizer.site.node, ast.Call):
        return None
    node = optimizer.site.node
    return next((k.value for k in node.keywords if k.arg == "lr"), node.args[1] if len(node.args) > 1 else None)


def _factors(node: Any) -> Iterator[Any]:
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            yield from _factors(left)
            yield from _factors(right)
        case ast.BinOp(op=ast.Div(), left=left):
            yield from _factors(left)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _factors(body)
            yield from _factors(orelse)
        case _:
            yield node


def _is_rate(factor: Any, frame: Frame, rate: Any, number: Any) -> bool:
    if place(factor) is not None and place(factor) == place(rate):
        return True
    value = evaluate(factor, frame).literal
    return isinstance(value, float) and value == number and value != 1.0
