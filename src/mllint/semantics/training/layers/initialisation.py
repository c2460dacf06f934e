"""Is a module initialised before it is given its first layer?

    class Net(nn.Module):
        def __init__(self):
            self.head = nn.Linear(8, 2)      # `find_uninitialised`: cannot be registered yet
            super().__init__()

`Module.__init__` makes the tables in which layers are registered. It runs by `super().__init__()`, by the name of a
base class, or in a method or a function that the constructor calls and that does so. What makes it unknown: a base
class that cannot be read, a `__new__` or a metaclass of the project, a condition around either of the two.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import ClassView, FunctionView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, is_within, last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.layers.registration import is_parameter
from mllint.semantics.values.values import ClassValue, LiteralValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.self_helpers import Part
    from mllint.semantics.values.values import Value

__all__ = ["Uninitialised", "find_uninitialised"]


class Uninitialised(NamedTuple):
    """A layer that is assigned while its module cannot register it."""

    layer: Site
    name: str
    """What is assigned, `self.head`."""
    initialised: Site | None
    """The call that initialises the module later; None if nothing does."""
    is_run: Answer[bool]
    """Whether the class itself is run."""


def find_uninitialised(cls: ClassView) -> Uninitialised | None:
    """The first layer, or parameter, that the constructor of a class assigns although nothing has initialised the
    module, or only something further down.

    Args:
        cls: the class that defines the constructor.
    """
    init = cls.scope.methods.get("__init__")
    if init is None or _begins_plainly(init):
        return None
    if not cls.inherits(MODULE) or cls.has_unknown_base or _is_built_otherwise(cls):
        return None
    views = {id(p.function): (FunctionView(p.function, cls.frame_of(p.function)), p) for p in cls.run_by(init)}
    view, _ = views[id(init)]
    first = _initialising_call(list(views.values()))
    if first is not None and not _is_assigned_before(view, first):
        return None
    found = next(((v, layer) for v, p in views.values() if (layer := _first_layer(v, p.own)) is not None), None)
    if found is None:
        return None
    where, layer = found
    early = first is None or (
        where is view
        and layer.node.lineno < first.lineno
        and _is_statement_of(init, layer.node)
        and _is_statement_of(init, first)
    )
    initialised = Site(cls.module, first) if first is not None else None
    return Uninitialised(Site(where.module, layer.node), layer.name, initialised, _is_run(cls)) if early else None


def _begins_plainly(init: FunctionScope) -> bool:
    """Does it begin with `super().__init__(...)`, behind no assignment?"""
    documented = isinstance(init.body[0], ast.Expr) and isinstance(init.body[0].value, ast.Constant)
    for statement in init.body[documented : documented + 1]:
        called = (
            statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
        )
        receiver = called.value if isinstance(called, ast.Attribute) and called.attr == "__init__" else None
        return isinstance(receiver, ast.Call) and last_name(receiver.func) == "super" and not receiver.args
    return False


def _is_run(cls: ClassView) -> Answer[bool]:
    """Whether the class itself is run; a file that others are generated from, `modular_bert.py`, perhaps never is."""
    return proven_unless(topics.is_about(cls.module.name.rpartition(".")[2], Topic.TEMPLATES), True)


def _is_assigned_before(view: FunctionView, first: Node) -> bool:
    """Is any attribute assigned before the call that initialises the module?"""
    own = view.scope.parameters[0].name + "." if view.scope.parameters else "?"
    bindings = (b for name, found in view.scope.bindings.items() if name.startswith(own) for b in found)
    return any(b.node.lineno < first.lineno for b in bindings)


def _is_built_otherwise(cls: ClassView) -> bool:
    """Does a `__new__` or a metaclass of the project have a say in how instances are made?"""
    own = [c for c in cls.ancestors if not isinstance(c, str) and not c.module.is_stub]
    return any("__new__" in c.methods or any(k.arg == "metaclass" for k in c.node.keywords) for c in own)


def _first_layer(view: FunctionView, own: str) -> Binding | None:
    """The first assignment of a module or a Parameter to an attribute of the object."""
    assigned = [b for name, found in view.scope.bindings.items() for b in found
                if name.startswith(f"{own}.") and b.kind == "assign" and b.value is not None]  # fmt: skip
    for binding in sorted(assigned, key=lambda b: b.node.lineno):
        value = view.value_of(binding.value)
        if not binding.path and (_is_layer(value, binding.value) or is_parameter(value, view)):
            if not _is_none_by_default(binding.value, view):
                return binding
    return None


def _is_layer(value: Value, node: Node) -> bool:
    """Is it a module, or one unless an option says that there is none: `nn.Linear(8, 8) if scaled else None`?"""
    layers = [
        v
        for v in value.alternatives
        if not isinstance(v, LiteralValue) or v.value is not None or not isinstance(node, ast.IfExp)
    ]
    return bool(layers) and all(v.instance_of(MODULE) for v in layers)


def _is_none_by_default(node: Node, view: FunctionView) -> bool:
    """Is it a parameter that is None if nobody gives a module, as its annotation says that one may be given?"""
    parameter = view.scope.parameter(node.id) if isinstance(node, ast.Name) else None
    return parameter is not None and isinstance(parameter.default, ast.Constant) and parameter.default.value is None


def _initialising_call(views: list[tuple[FunctionView, Part]]) -> Node:
    """The first call in the constructor that (also) initialises the module: `super().__init__()`,
    `Base.__init__(self)`, or a method or a function that does it."""
    found = []
    for view, part in views:
        for call in view.scope.calls:
            func = call.func
            if isinstance(func, ast.Attribute) and func.attr == "__init__" and not _skips_module(func.value, view):
                found.append(part.call or call)
    return min(found, key=lambda call: call.lineno, default=None)


def _skips_module(receiver: Node, view: FunctionView) -> bool:
    """Is it `super(nn.Module, self)`, which starts the search behind `nn.Module`?"""
    arguments = receiver.args if isinstance(receiver, ast.Call) and last_name(receiver.func) == "super" else []
    return (
        bool(arguments)
        and isinstance(view.value_of(arguments[0]), ClassValue)
        and _is_module_class(view.value_of(arguments[0]))
    )


def _is_module_class(value: Value) -> bool:
    """Is it the class `torch.nn.Module` itself?"""
    return isinstance(value, ClassValue) and value.cls.fullname == MODULE


def _is_statement_of(function: FunctionScope, node: Node) -> bool:
    """Is the node part of a statement directly in the function's body, under no condition?"""
    return any(is_within(node, s) and isinstance(s, (ast.Expr, ast.Assign, ast.AnnAssign)) for s in function.body)
