"""Is a method of a model a way to run it: `model.loss(x)`, `model.encode(x)`, where `forward` is not what is called?

By form first: the method calls `self(...)`, `self.forward(...)` or an attribute that is no method of the class, itself
or through another method of the class, and nothing in it is an event of its own. What is left has to call a module.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.events import FLOW_WORDS
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.values.classes import attribute
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import (
    InstanceValue,
    Value,
)

__all__ = ["does_the_work", "runs_model"]

_NOT = frozenset("__init__ forward __call__ train eval extra_repr reset_parameters".split())
_PLAIN = ("property", "staticmethod", "classmethod", "cached_property")
_CALLED: Cache[FunctionScope, frozenset[str]] = Cache()


def does_the_work(function: FunctionScope) -> bool:
    """May a method, by its form, do what its model is for?"""
    return bool(_called_layers(function))


def runs_model(function: FunctionScope, receiver: Value, frame: Frame) -> bool:
    """Does a method of a module that is called on one run it, or one of its layers?

    Args:
        function: the method.
        receiver: the module that it is called on.
        frame: where the call stands.
    """
    called = _called_layers(function)
    if not called or not receiver.instance_of(MODULE):
        return False
    if "" in called:
        return True
    return any(
        attribute(v, name, frame).instance_of(MODULE)
        for v in receiver.alternatives
        if isinstance(v, InstanceValue)
        for name in called
    )


def _called_layers(function: FunctionScope) -> frozenset[str]:
    """The attributes that a method calls as it would call layers; "" stands for the model itself."""
    table = _CALLED.of(function.module)
    known = table.get(function)
    if known is None:
        table[function] = frozenset()  # of a method that calls itself
        known = table[function] = _read(function)
    return known


def _read(function: FunctionScope) -> frozenset[str]:
    owner = function.owner
    if owner is None or function.stubbed or function.name in _NOT or "forward" not in owner.methods:
        return frozenset()
    if function.is_generator or function.decorated(*_PLAIN) or not function.called_names.isdisjoint(FLOW_WORDS):
        return frozenset()
    found: set[str] = set()
    for call in function.calls:
        func: Node = call.func
        if isinstance(func, ast.Name) and func.id == "self":
            found.add("")
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            inner = owner.methods.get(func.attr)
            if func.attr == "forward":
                found.add("")
            elif inner is None:
                found.add(func.attr)
            elif inner is not function:
                if inner.decorators or not inner.called_names.isdisjoint(FLOW_WORDS):
                    return frozenset()  # it may switch gradients off, or the mode
                found |= _called_layers(inner)
    return frozenset(found)
