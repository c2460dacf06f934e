"""Does the function of a `LambdaLR` give a factor, or the learning rate itself?

    optimizer = Adam(net.parameters(), lr=args.lr)
    LambdaLR(optimizer, lambda epoch: 0.95 ** epoch)            # a factor
    LambdaLR(optimizer, lambda epoch: args.lr * 0.95 ** epoch)  # `find_absolute_factor`: lr * lr * 0.95 ** epoch

It is the rate if what is returned is a product of which one factor is written as the rate of the optimizer is, or has
the same value, also as the end of a curve, `low + (args.lr - low) * share`, through a name, an attribute that an object
keeps, and a function of the project that is handed the rate, be it by `partial`. A rate of one is a factor of one, and
a quotient by the rate is a factor; a number that a floor has in common with the rate is not multiplied, and says
nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import Constant, Node, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.classes import constructor_argument, init_frame, method
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import FunctionValue, InstanceValue, PartialValue, Site, Value

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
    built = optimizer.value
    node = _rate(built)
    if node is None or not isinstance(built, InstanceValue) or built.site is None or built.arguments is None:
        return None
    number = constructor_argument(built, "lr")
    rate = _Rate(Origin(node, built.arguments.frame), number.literal if number is not None else None)
    for given in flattened_alternatives(function.value):
        preset = _preset(given) if isinstance(given, PartialValue) else {}
        for inner in _entered(given.called if isinstance(given, PartialValue) else given, call.frame):
            for returned in _returned(inner.function):
                factors = [
                    preset.get(place(node) or "", (node, where)) for node, where in _factors(returned, inner, rate)
                ]
                found = next((Origin(*factor) for factor in factors if rate.is_given_by(*factor)), None)
                if found is not None:
                    return found.site, Site(built.site.module, node)
    return None


class _Rate:
    """The learning rate of an optimizer: where it is written, and its number as far as that is known."""

    def __init__(self, written: Origin, number: Constant) -> None:
        self.number = number
        self.place = place(written.node)
        self.places = {(place(o.node), id(o.frame.function)) for o in _same_value(written.node, written.frame)}

    def is_given_by(self, node: Node, frame: Frame) -> bool:
        """Is an expression the rate: written as the rate is, bound to the same thing, or of the same value?"""
        if place(node) is not None and place(node) == self.place:
            return True
        for origin in _same_value(node, frame):
            if place(origin.node) is not None and (place(origin.node), id(origin.frame.function)) in self.places:
                return True
        value = evaluate(node, frame).literal
        return isinstance(value, float) and value == self.number and value != 1.0


def _same_value(node: Node, frame: Frame, steps: int = 5) -> Iterator[Origin]:
    """An expression, and what a name was bound to, or an attribute of the object in question, if that is one thing."""
    yield Origin(node, frame)
    if not steps or not isinstance(node, (ast.Name, ast.Attribute)):
        return
    apart = (node, getattr(node, "value", None))
    found = [o for o in origins(node, frame, through=lambda o: o.node is node) if o.node not in apart]
    if len(found) == 1:
        function, receiver = found[0].frame.function, frame.receiver
        inner = found[0].frame
        if isinstance(node, ast.Attribute) and isinstance(receiver, InstanceValue) and function.owner is not None:
            inner = init_frame(receiver, function, frame)
        yield from _same_value(found[0].node, inner, steps - 1)


def _entered(called: Value, frame: Frame) -> Iterator[Frame]:
    """The frame in which a schedule calls a function, or an object: with what it is bound to, and what is around it."""
    if isinstance(called, InstanceValue):
        own = method(called.cls, "__call__")
        inner = enter(own, called, None, frame) if own is not None and not own.stubbed else None
    elif isinstance(called, FunctionValue) and called.function is not None and not called.function.stubbed:
        around = called.receiver is not None or called.closure is not None
        outer = enter(called.function, called.receiver, None, frame, closure=called.closure) if around else None
        inner = outer or frame.project.frame(called.function)
    else:
        return
    if inner is not None:
        yield inner


def _returned(function: FunctionScope) -> list[Node]:
    """What a function gives back."""
    return [function.node.body] if isinstance(function.node, ast.Lambda) else [r.value for r in function.returns]


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


def _factors(node: Node, frame: Frame, rate: _Rate, calls: int = 2) -> Iterator[tuple[Node, Frame]]:
    """The factors of a product, each with its context: of the larger end of a curve, of what a bound keeps, of what a
    name was assigned, and of what a call gives back."""
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right) | ast.IfExp(body=left, orelse=right):
            yield from _factors(left, frame, rate, calls)
            yield from _factors(right, frame, rate, calls)
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            divisors = list(_factors(right, frame, rate, calls))
            if not any(rate.is_given_by(*divisor) for divisor in divisors):
                written = {place(divisor) for divisor, _ in divisors} - {None}
                yield from (f for f in _factors(left, frame, rate, calls) if place(f[0]) not in written)
        case ast.BinOp(op=ast.Add(), left=low, right=ast.BinOp(op=ast.Mult()) as rise):
            parts = (n for n, _ in _factors(rise, frame, rate, 0))
            ends = (p.left for p in parts if _is_rise(p, low))
            yield from (found for end in ends for found in _factors(end, frame, rate, calls))
        case ast.Call(func=ast.Name(id="max" | "min"), args=bounds):
            for product in (p for b in bounds for p in _assigned(b, frame) or [b]):
                if isinstance(product, (ast.BinOp, ast.Call)):
                    yield from _factors(product, frame, rate, calls)
        case ast.Call() if calls:
            for inner in inner_frames(node, frame):
                for result in inner.function.returns:
                    yield from (_given(n, where) for n, where in _factors(result.value, inner, rate, calls - 1))
        case ast.Name() if calls and (assigned := _assigned(node, frame)):
            for value in assigned:
                yield from _factors(value, frame, rate, calls - 1)
        case _:
            yield node, frame


def _assigned(node: Node, frame: Frame) -> list[Node]:
    """What a name of the function itself was assigned; nothing where it may be something else."""
    bound = (bindings_at(node, frame.function) if isinstance(node, ast.Name) else None) or ()
    plain = all(b.kind == "assign" and not b.path and b.value is not None for b in bound)
    return [b.value for b in bound] if plain else []


def _is_rise(node: Node, low: Node) -> bool:
    """Is it how far a curve rises above its lower end: `high - low`?"""
    falls = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return falls and ast.dump(node.right) == ast.dump(low)


def _given(node: Node, frame: Frame) -> tuple[Node, Frame]:
    """What a parameter stands for where its function was called; anything else itself."""
    given = frame.bound.get(node.id) if isinstance(node, ast.Name) and frame.bound else None
    return given if isinstance(given, Passed) else (node, frame)
