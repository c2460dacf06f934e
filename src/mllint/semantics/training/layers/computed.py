"""Is what a module keeps as an attribute still a parameter?

    self.scale = nn.Parameter(torch.ones(8))              # registered
    self.scale = nn.Parameter(torch.ones(8)).to(device)   # a tensor that was computed from one: no parameter
    self.scale = 0.1 * nn.Parameter(torch.ones(8))        # likewise

`nn.Module` registers what is an `nn.Parameter` when it is assigned. A call that gives the same object back
(`requires_grad_()`, methods that end with an underscore) changes nothing. A function that a method hands its object to
builds as the method does (`build_scale(self)`), and what a function gives is followed where it is one expression.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import CASTS, COPIES, EXPANDS, MOVES, RESHAPES, TRANSPOSES
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.training.layers.registration import PARAMETER
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.self_helpers import Part, helpers_given_self
from mllint.semantics.values.values import Site

__all__ = ["find_computed_attributes"]

_ARITHMETIC = frozenset("mul div add sub".split())
_COMPUTING = MOVES | CASTS | COPIES | RESHAPES | TRANSPOSES | EXPANDS | _ARITHMETIC | {"detach", "repeat"}
_COMPUTING -= {"float", "contiguous"}
"""Methods of a tensor that give another one. `float` and `contiguous` give the same one, where it is so already."""


def find_computed_attributes(cls: ClassView) -> Iterator[tuple[Binding, Site, Site]]:
    """The attributes that a module computes from a parameter on the spot, where it is built. What `forward` computes
    anew in each call is moved by hand, and wants no optimizer.

    Yields:
        The assignment, its value, and the expression of the parameter.
    """
    if not cls.inherits(MODULE):
        return
    for function, own, _ in _building(cls):
        for name, bindings in function.bindings.items():
            if not name.startswith(f"{own}.") or name.count(".") != 1:
                continue
            for binding in bindings:
                if binding.kind == "assign" and not binding.path:
                    parameter = _operand(binding.value, cls.frame_of(function))
                    if parameter is not None:
                        yield binding, Site(function.module, binding.value), parameter


def _building(cls: ClassView) -> Iterator[Part]:
    """The methods but `forward`, and the functions that they hand the object to."""
    found: dict[int, Part] = {}
    for method in (f for f in cls.scope.methods.values() if f.name != "forward"):
        for part in (Part(method, "self", None), *helpers_given_self(method)):
            found.setdefault(id(part.function), part)
    yield from found.values()


def _operand(node: Node, frame: Frame, steps: int = 2) -> Site | None:
    """The parameter that an expression, or the function of the project that gives it, computes with; None if it is the
    parameter itself, or has none."""
    match node:
        case ast.BinOp(left=left, right=right):
            sides = [left, right]
        case ast.Call(func=ast.Attribute(attr=attr, value=owner)) if attr in _COMPUTING:
            sides = [owner]
        case ast.Call() if steps:
            given = _returned_expression(node, frame)
            return _operand(given[0], given[1], steps - 1) if given is not None else None
        case _:
            return None
    for side in sides:
        found = _parameter_of(side, frame) or _operand(side, frame, steps)
        if found is not None:
            return found
    return None


def _returned_expression(call: ast.Call, frame: Frame) -> tuple[Node, Frame] | None:
    """What the one function of the project that is called gives back, if that is one expression, with its context."""
    if last_name(call.func) not in frame.project.reach.own_names():
        return None
    found = [f for f in Call(call, frame).callees if not f.stubbed]
    if len(found) != 1 or len(found[0].returns) != 1 or found[0].name == "__init__":
        return None
    return found[0].returns[0].value, frame.project.frame(found[0])


def _parameter_of(node: Node, frame: Frame) -> Site | None:
    """The call that builds a parameter: an expression itself, a variable of a function for nothing else, or what a
    function of the project gives."""
    bound = frame.function.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    if len(bound) == 1 and frame.function.owner is None and not frame.function.is_body:
        node = bound_expression(bound[0])
    elif isinstance(node, ast.Call) and (given := _returned_expression(node, frame)) is not None:
        node, frame = given
    return Site(frame.module, node) if _is_parameter(node, frame) else None


def _is_parameter(node: Node, frame: Frame) -> bool:
    """Is it a parameter that is to be trained?"""
    if not isinstance(node, ast.Call) or not Call(node, frame).callee.is_class(*PARAMETER):
        return False
    trained = Call(node, frame).argument("requires_grad")
    return trained is None or trained.value.truth is True
