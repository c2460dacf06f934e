"""Is a dropout off unless somebody asks for a share?

    def __init__(self, width, dropout=0.0):
        self.drop = nn.Dropout(dropout)      # off: nothing in the project asks for another share

The answer is read from what the share was computed from: constants, defaults of parameters, what callers hand in, and
the defaults of options. It is off where all of these numbers are zero. Where no number is found, nothing is known.

What others may ask for counts on request: whoever types an option, or calls what nobody in the project calls, as of a
library; but for a parameter of the method that drops, by which each call says whether it trains. A program that
measures in train mode with a share that is zero unless it is asked for works as it stands; dropout that ignores the
mode is wrong for whoever asks for some.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.training.options import default_number
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.lineage import Origin, origins

if TYPE_CHECKING:
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import InstanceValue

__all__ = ["is_off", "is_off_by_default"]

_THROUGH = (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.List, ast.Tuple, ast.BinOp)


def is_off_by_default(layer: InstanceValue, parameter: str) -> bool:
    """Whether a layer drops nothing unless somebody asks for it.

    Args:
        layer: the layer, of a library.
        parameter: the name of the parameter that takes the share.
    """
    built = layer.built_with
    if built is None or not isinstance(built.node, ast.Call):
        return False
    given = Call(built.node, built.frame).argument(parameter)
    return given is not None and is_off(given.node, given.frame)


def is_off(share: Node, frame: Frame, *, for_all: bool = False) -> bool:
    """Whether all the numbers that a share of dropout may have been computed from are zero, and there is one.

    Args:
        share: the expression of the share.
        frame: its context.
        for_all: whether it has to be off for others as well, who type options, and call what nobody here calls.
    """
    if for_all and _is_of_call(share, frame):
        return True
    steps = list(origins(share, frame, through=_leads_on))
    if for_all and any(default_number(origin) is not None or _is_left_to_others(origin) for origin in steps):
        return False
    found = [_number(origin) for origin in steps]
    numbers = [number for number in found if number is not None and not _counts(number)]
    return bool(numbers) and not any(numbers)


def _is_of_call(share: Node, frame: Frame) -> bool:
    """True if `share` is a parameter of the method that drops, which is zero unless a call asks for some: whoever runs
    the model switches it on and off."""
    function = frame.function
    parameter = function.parameter(share.id) if isinstance(share, ast.Name) and function.name != "__init__" else None
    default = parameter.default if parameter is not None and function.owner is not None else None
    return isinstance(default, ast.Constant) and default.value == 0 and len(function.bindings[share.id]) == 1


def _leads_on(origin: Origin) -> bool:
    """May a number come through it as it is?"""
    return isinstance(origin.node, _THROUGH) and default_number(origin) is None


def _number(origin: Origin) -> float | None:
    """The number that an expression is: a constant, the default of an option, or that of a parameter."""
    node = origin.node
    default = _parameter_default(node.id, origin.frame) if isinstance(node, ast.Name) else default_number(origin)
    value = node.value if isinstance(node, ast.Constant) else default
    return value if type(value) in (int, float) else None  # type: ignore[return-value]  # its type was asked


def _parameter_default(name: str, frame: Frame) -> Constant:
    """What a parameter is where a caller leaves it out, if one does; None where it is no parameter."""
    scope = _scope_of_parameter(name, frame)
    parameter = scope.function.parameter(name) if scope is not None else None
    if scope is None or parameter is None:
        return None
    given = [bind(scope.function, call, outer)[0] for call, outer in scope.project.callers(scope.function)]
    left_out = not given or any(name not in bound for bound in given)
    return getattr(parameter.default, "value", None) if left_out else None


def _is_left_to_others(origin: Origin) -> bool:
    """Is it a parameter of a function that nobody in the project calls?"""
    name = origin.node.id if isinstance(origin.node, ast.Name) else ""
    scope = _scope_of_parameter(name, origin.frame) if name else None
    return scope is not None and not scope.project.callers(scope.function)


def _scope_of_parameter(name: str, frame: Frame) -> Frame | None:
    """The frame of the function whose parameter a name is, if its callers are to be looked for; else None."""
    scope: Frame | None = frame
    while scope is not None and name not in scope.function.bindings:
        scope = scope.parent
    is_parameter = scope is not None and scope.function.parameter(name) is not None and scope.bound is None
    return scope if is_parameter else None


def _counts(number: float) -> bool:
    """Is it a count, such as that of the layers of `[share] * 3`?"""
    return number >= 1
