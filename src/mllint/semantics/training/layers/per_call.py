"""Does a module build layers with weights each time that it runs?

    def forward(self, x):
        head = nn.Linear(8, 2)       # `find_layers_built_per_call`: new weights, which no optimizer holds
        return head(x)

A layer that is built and called, and used for nothing else, in `forward` or in a method that it calls. Not one without
weights, a normalisation or a `PReLU`, whose weights begin as constants, one that is built of modules that are there
already, or one that records no gradients.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import RETURNS_MODULE
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.layers.registration import has_parameters_or_mode
from mllint.semantics.values.lineage import Origin
from mllint.semantics.values.values import ClassValue, InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["find_layers_built_per_call"]


def find_layers_built_per_call(cls: ClassView) -> Iterator[tuple[Call, FunctionScope]]:
    """The layers with weights that a module builds and calls when it runs, each with the method that does it.

    Args:
        cls: the class that defines `forward`.
    """
    if not _builds_in_forward(cls) or not cls.inherits(MODULE) or topics.is_about(cls.scope.name, Topic.RANDOMNESS):
        return
    for method in _running_methods(cls):
        for node in method.calls:
            if last_name(node.func)[:1].isupper() and _is_applied(node, method):
                call = Call(node, cls.frame_of(method))
                if _builds_weights(call):
                    yield call, method


def _builds_weights(call: Call) -> bool:
    """Does a call build a layer whose weights begin at random, and which records gradients?"""
    value = call.value
    if not isinstance(call.callee, ClassValue) or not isinstance(value, InstanceValue) or not value.instance_of(MODULE):
        return False
    constant = call.last_name.endswith("PReLU") or "Norm" in call.last_name
    if constant or call.grad_off is True or _is_built_of_modules(call):
        return False
    return has_parameters_or_mode(value, mode=False)


def _builds_in_forward(cls: ClassView) -> bool:
    """A cheap look: does `forward`, or a method that it calls, call something that is called as a class?"""
    return any(last_name(c.func)[:1].isupper() for method in _running_methods(cls) for c in method.calls)


def _running_methods(cls: ClassView) -> list[FunctionScope]:
    """`forward`, and the methods that it calls by `self.name(...)`, which `__init__` does not call."""
    forward, init = cls.scope.methods.get("forward"), cls.scope.methods.get("__init__")
    if forward is None:
        return []
    building = init.called_names if init is not None else frozenset()
    called = [m for name, m in cls.scope.methods.items() if name in forward.called_names and name not in building]
    return [forward, *(m for m in called if m is not forward and m is not init)]


def _is_built_of_modules(call: Call) -> bool:
    """Is it built of modules that are there already, `nn.Sequential(self.first, *self.middle)`?"""
    nodes = [n for a in all_arguments(call.node) for n in walk(a) if getattr(n, "id", "") != "self"]
    if any(isinstance(n, ast.Starred) for n in nodes):
        return True
    values = (Origin(n, call.frame).value for n in nodes if isinstance(n, (ast.Name, ast.Attribute, ast.Subscript)))
    return any(
        isinstance(v, InstanceValue) and v.may_be_instance_of(MODULE) for value in values for v in value.alternatives
    )


def _is_applied(node: ast.Call, forward: FunctionScope) -> bool:
    """Is what is built called on the spot, or by the one name that it gets, and used for nothing else?"""
    parents = {id(c.func): c for c in forward.calls}
    methods = {id(c.func.value): c for c in forward.calls if isinstance(c.func, ast.Attribute)}
    built = node
    while id(built) in methods and last_name(methods[id(built)].func) in RETURNS_MODULE:
        built = methods[id(built)]  # `nn.Linear(3, 4).to(x.device)`
    if id(built) in parents:
        return True
    names = [n for n, found in forward.bindings.items() if any(b.value is built and not b.path for b in found)]
    if len(names) != 1 or "." in names[0]:
        return False
    name = names[0]
    if any(b.value is not built and not _moves(b.value, name) for b in forward.bindings[name]):
        return False
    reads = [n for n in forward.nodes_of(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    moved = [n for n in reads if id(n) in methods and last_name(methods[id(n)].func) in RETURNS_MODULE]
    called = [n for n in reads if id(n) in parents]
    return bool(called) and len(called) + len(moved) == len(reads) and place(node.func) is not None


def _moves(value: Node, name: str) -> bool:
    """Is it `layer.to(device)`, of the name that is bound to it again?"""
    match value:
        case ast.Call(func=ast.Attribute(value=base, attr=word)):
            return word in RETURNS_MODULE and place(base) == name
    return False
