"""Is what a module keeps as an attribute still a parameter?

    self.scale = nn.Parameter(torch.ones(8))              # registered
    self.scale = nn.Parameter(torch.ones(8)).to(device)   # a tensor that was computed from one: no parameter
    self.scale = 0.1 * nn.Parameter(torch.ones(8))        # likewise

`nn.Module` registers what is an `nn.Parameter` when it is assigned. A call that gives the same object back
(`requires_grad_()`, methods that end with an underscore) changes nothing. A function that a method hands its object to
builds as the method does (`build_scale(self)`); what a function of the program makes of a parameter is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.flow.views import ClassView as Class
from mllint.semantics.syntax.module import Binding
from mllint.semantics.training.layers.registration import MODULE, PARAMETER
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.handed import Part, handed_by
from mllint.semantics.values.values import Site

__all__ = ["computed_of_parameters"]

_COMPUTING = frozenset(
    "to cuda cpu float double half bfloat16 type clone detach contiguous t transpose permute view reshape unsqueeze "
    "squeeze expand repeat mul div add sub".split()
)
"""Methods of a tensor that give another one."""


def computed_of_parameters(cls: Class) -> Iterator[tuple[Binding, Site, Site]]:
    """The attributes that a module computes from a parameter on the spot, where it is built. What `forward` computes
    anew in each call is moved by hand, and wants no optimizer.

    Yields:
        The assignment, its value, and the expression of the parameter.
    """
    if not cls.inherits(MODULE):
        return
    for function, own, _ in _building(cls):
        for name, bindings in function.bindings.items():
            for binding in bindings if name.startswith(f"{own}.") and name.count(".") == 1 else ():
                if binding.kind == "assign" and not binding.path:
                    parameter = _operand(binding.value, cls.frame_of(function))
                    if parameter is not None:
                        yield binding, Site(function.module, binding.value), Site(function.module, parameter)


def _building(cls: Class) -> Iterator[Part]:
    """The methods but `forward`, and the functions that they hand the object to."""
    found: dict[int, Part] = {}
    for method in (f for f in cls.scope.methods.values() if f.name != "forward"):
        for part in (Part(method, "self", None), *handed_by(method)):
            found.setdefault(id(part.function), part)
    yield from found.values()


def _operand(node: Any, frame: Frame) -> Any:
    """The parameter that an expression computes with; None if it is the parameter itself, or has none."""
    match node:
        case ast.BinOp(left=left, right=right):
            sides = [left, right]
        case ast.Call(func=ast.Attribute(attr=attr, value=owner)) if attr in _COMPUTING:
            sides = [owner]
        case _:
            return None
    for side in sides:
        found = side if _is_parameter(side, frame) else _operand(side, frame)
        if found is not None:
            return found
    return None


def _is_parameter(node: Any, frame: Frame) -> bool:
    """Is it a parameter that is to be trained?"""
    if not isinstance(node, ast.Call) or not Call(node, frame).callee.is_class(*PARAMETER):
        return False
    trained = Call(node, frame).argument("requires_grad")
    return trained is None or trained.value.truth is True
