"""Does an object give something else than the `forward` of its class says?

`net.forward = other` and `Net.forward = other` replace it, and a hook that returns something changes what comes back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import function_of, mro
from mllint.semantics.values.values import ClassValue, FunctionValue, InstanceValue, LiteralValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = ["runs_otherwise"]

_KEEPING = frozenset("append extend update add setdefault".split())
_CHANGED: Cache[str, tuple[Value, ...]] = Cache()


def runs_otherwise(instance: InstanceValue, project: Project) -> bool:
    """Is the `forward` of an object, or of its class, replaced, or what it gives changed by a hook?"""
    table = _CHANGED.of(project)
    found = table.get("all")
    if found is None:
        table["all"] = ()  # for what is asked on the way
        found = table["all"] = tuple(v for v in _changed(project) if isinstance(v, (ClassValue, InstanceValue)))
    return bool(found) and any(_is_about(v, instance) for v in found)


def _is_about(changed: Value, instance: InstanceValue) -> bool:
    """Is it the object or its class that is changed? An object of the project's own stands for its class."""
    if isinstance(changed, InstanceValue) and changed.identity and changed.identity == instance.identity:
        return True
    if not isinstance(changed, (ClassValue, InstanceValue)) or changed.cls.module.is_stub:
        return False
    return changed.cls in mro(instance.cls)


def _changed(project: Project) -> Iterator[Value]:
    """The objects and classes whose `forward` something replaces, or a hook changes."""
    for module in project.modules:
        if module.source is not None and module.source.holds(".forward ="):
            for function in (module.body, *module.functions):
                for name, bound in function.bindings.items():
                    if name.endswith(".forward"):
                        yield from _owners([b.node for b in bound if b.kind == "assign"], project.frame(function))
    for call, scope in project.calls_named("register_forward_hook"):
        around = function_of(scope)
        if around is not None and call.args and _may_give(ask.evaluate(call.args[0], project.frame(around))):
            yield from _owners([call.func], project.frame(around))


def _owners(nodes: list[Node], frame: Frame) -> Iterator[Value]:
    for node in nodes:
        if isinstance(node, ast.Attribute):
            yield from ask.evaluate(node.value, frame).alternatives


def _may_give(hook: Value) -> bool:
    """May a hook give something in the stead of what the model gave?"""
    return any(_returns(v) for v in hook.alternatives)


def _returns(hook: Value) -> bool:
    function = hook.function if isinstance(hook, FunctionValue) else None
    if function is None or function.stubbed:
        return not isinstance(hook, LiteralValue)
    return _gives_something(function)


def _gives_something(function: FunctionScope) -> bool:
    if isinstance(function.node, ast.Lambda):
        body = function.node.body
        kept = isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute) and body.func.attr in _KEEPING
        return not kept
    given = (r.value for r in function.returns if r.value is not None)
    return any(not isinstance(v, ast.Constant) or v.value is not None for v in given)
