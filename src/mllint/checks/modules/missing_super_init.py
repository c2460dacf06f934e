"""Layers are assigned to a module whose `Module.__init__` was not called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Binding,
    Class,
    ClassValue,
    Function,
    FunctionScope,
    LiteralValue,
    Node,
    Part,
    Site,
    Value,
    is_within,
    last_name,
    registration,
)

__all__: list[str] = []

_REGISTRY = "`Module.__init__` creates the registry of layers: assigning a layer earlier raises an `AttributeError`"


@check("missing-super-init")
def missing_super_init(cls: Class) -> Iterator[Finding]:
    """Layers are assigned to a module whose `Module.__init__` was not called."""
    init = cls.scope.methods.get("__init__")
    if init is None or _begins_plainly(init):
        return
    if not cls.inherits(registration.MODULE) or cls.has_unknown_base or _built_otherwise(cls):
        return
    views = {id(p.function): (Function(p.function, cls.frame_of(p.function)), p) for p in cls.run_by(init)}
    view, _ = views[id(init)]
    first = _initialised(list(views.values()))
    if first is not None and not _assigned_before(view, first):
        return
    found = next(((v, layer) for v, p in views.values() if (layer := _first_layer(v, p.own)) is not None), None)
    if found is None:
        return
    where, layer = found
    if first is None:
        yield Finding(
            Site(cls.module, init.node),
            f"`{cls.scope.name}` assigns layers, but `Module.__init__` is never called",
            "no `super().__init__()`",
            [Note(Site(where.module, layer.node), "cannot be registered")],
        )
    elif (
        where is view
        and layer.node.lineno < first.lineno
        and _statement_of(init, layer.node)
        and _statement_of(init, first)
    ):
        yield Finding(
            Site(cls.module, layer.node),
            f"`{layer.name}` is assigned before `super().__init__()`: nothing can be registered yet",
            "assigned too early",
            [Note(Site(cls.module, first), "called here")],
            help="move `super().__init__()` to the first line of `__init__`",
            why=_REGISTRY,
            evidence=(registration.is_run(cls),),
        )


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


def _assigned_before(view: Function, first: Node) -> bool:
    """Is any attribute assigned before the call that initialises the module?"""
    own = view.scope.parameters[0].name + "." if view.scope.parameters else "?"
    bindings = (b for name, found in view.scope.bindings.items() if name.startswith(own) for b in found)
    return any(b.node.lineno < first.lineno for b in bindings)


def _built_otherwise(cls: Class) -> bool:
    """Does a `__new__` or a metaclass of the project have a say in how instances are made?"""
    own = [c for c in cls.ancestors if not isinstance(c, str) and not c.module.is_stub]
    return any("__new__" in c.methods or any(k.arg == "metaclass" for k in c.node.keywords) for c in own)


def _first_layer(view: Function, own: str) -> Binding | None:
    """The first assignment of a module or a Parameter to an attribute of the object."""
    assigned = [b for name, found in view.scope.bindings.items() for b in found
                if name.startswith(f"{own}.") and b.kind == "assign" and b.value is not None]  # fmt: skip
    for binding in sorted(assigned, key=lambda b: b.node.lineno):
        value = view.value_of(binding.value)
        if not binding.path and (_is_layer(value, binding.value) or registration.is_parameter(value, view)):
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
    return bool(layers) and all(v.instance_of(registration.MODULE) for v in layers)


def _is_none_by_default(node: Node, view: Function) -> bool:
    """Is it a parameter that is None if nobody gives a module, as its annotation says that one may be given?"""
    parameter = view.scope.parameter(node.id) if isinstance(node, ast.Name) else None
    return parameter is not None and isinstance(parameter.default, ast.Constant) and parameter.default.value is None


def _initialised(views: list[tuple[Function, Part]]) -> Node:
    """The first call in the constructor that (also) initialises the module: `super().__init__()`,
    `Base.__init__(self)`, or a method or a function that does it."""
    found = []
    for view, part in views:
        for call in view.scope.calls:
            func = call.func
            if isinstance(func, ast.Attribute) and func.attr == "__init__" and not _skips_module(func.value, view):
                found.append(part.call or call)
    return min(found, key=lambda call: call.lineno, default=None)


def _skips_module(receiver: Node, view: Function) -> bool:
    """Is it `super(nn.Module, self)`, which starts the search behind `nn.Module`?"""
    arguments = receiver.args if isinstance(receiver, ast.Call) and last_name(receiver.func) == "super" else []
    return (
        bool(arguments)
        and isinstance(view.value_of(arguments[0]), ClassValue)
        and _is_module_class(view.value_of(arguments[0]))
    )


def _is_module_class(value: Value) -> bool:
    """Is it the class `torch.nn.Module` itself?"""
    return isinstance(value, ClassValue) and value.cls.fullname == registration.MODULE


def _statement_of(function: FunctionScope, node: Node) -> bool:
    """Is the node part of a statement directly in the function's body, under no condition?"""
    return any(is_within(node, s) and isinstance(s, (ast.Expr, ast.Assign, ast.AnnAssign)) for s in function.body)
