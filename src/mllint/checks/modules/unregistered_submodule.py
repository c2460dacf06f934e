"""Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.checks.modules._forward import builds_in_forward, inherited_registration, made_in_forward
from mllint.rule import Finding, check
from mllint.semantics.api import (
    Class,
    Function,
    Site,
    containers,
    hidden,
    registered,
    registration,
)

__all__: list[str] = []
_OVERRIDES = ("parameters", "named_parameters", "children", "named_children", "modules", "named_modules", "_apply")


@check("unregistered-submodule")
def unregistered_submodule(cls: Class) -> Iterator[Finding]:
    """Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""
    if not cls.scope.node.bases:
        return
    if builds_in_forward(cls) and cls.inherits(registration.MODULE):
        yield from made_in_forward(cls, lambda value: registration.stateful(value, mode=False))
    views = [Function(f, cls.frame_of(f)) for f in cls.scope.methods.values()]
    for view in (view for view in views if view.scope.name == "__init__" and view.scope.loops):
        yield from overwritten(cls, view)
    stored = [
        (view, put) for view in views for put in containers.puts(view) if containers.may_hold(view, put, enters=False)
    ]
    if not stored:
        return  # before the bases are looked for in other files
    if not cls.inherits(registration.MODULE) or any(name in cls.scope.methods for name in _OVERRIDES):
        return
    if any(containers.registers(c, v) for v in views for scope in v.scope.nested() for c in scope.calls):
        return
    if any(containers.collects(v) for v in views) or inherited_registration(cls, containers.REGISTERS):
        return
    called = {c.func.attr for v in views for c in v.scope.calls if isinstance(c.func, ast.Attribute)}
    computed = containers.computed_with(cls)
    for view, put in stored:
        field = put.name.partition(".")[2]
        if field in called or (computed is not None and field not in computed) or registered.registered(views, put):
            continue  # by form alone, before what is put is evaluated
        home = (
            containers.belongs(view, put)
            if containers.may_hold(view, put) and not hidden.frozen_here(view, put.name, put.held)
            else ""
        )
        if home and registered.listed_below(cls, put.name):
            continue
        if home and not (containers.converted(cls, put.name) and not containers.converted_elsewhere(view, put, views)):
            yield Finding(
                Site(cls.module, put.node),
                f"what is in `{put.name}` is no part of `{cls.scope.name}`: it belongs in an `{home}`",
                "not in parameters(), not in the checkpoint",
                certain=not (registered.handed_out(views, put.name) or containers.trained_each(views, put.name)),
            )


def overwritten(cls: Class, view: Function) -> Iterator[Finding]:
    """A list of layers is replaced in each turn of a loop, instead of growing."""
    for loop in view.scope.loops:
        for binding in (b for found in view.scope.bindings.values() for b in found):
            local = "." not in binding.name
            if containers.replaced(binding, loop.node) and (
                containers.made_module(view, binding, loop.node) if local else containers.converted(cls, binding.name)
            ):
                yield Finding(
                    Site(cls.module, binding.node),
                    f"each turn of the loop replaces `{binding.name}`: only the layers of the last turn stay",
                    "replaces the list",
                )
