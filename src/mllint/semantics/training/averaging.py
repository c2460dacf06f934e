"""Are averaged weights, that follow a model from step to step, part of what a run saves and goes on from?

An average is an object that is built of the model's parameters by a class that says what it is, and that is updated in
the loop. Where it is used for anything that may store it, where it is handed to something unknown, or where it is
a part of a model, nothing is said.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mllint.semantics.flow.views import Call
from mllint.semantics.flow.views import ModuleView as Module
from mllint.semantics.syntax.module import last_name, place, walk
from mllint.semantics.syntax.words import words
from mllint.semantics.training.roles import Role, speaks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["forgotten_average"]

_UPDATES = ("update", "update_parameters", "step", "update_average")
_STORES = frozenset("save saved dump checkpoint ckpt state store log pickle".split())


def forgotten_average(module: Module) -> Iterator[Call]:
    """The constructions of averages in a file that are updated in a loop, and that nothing stores."""
    for call in module.calls():
        if not _says_average(call.last_name) or not (call.node.args or call.node.keywords):
            continue
        bound = [n for n, found in call.function.bindings.items() if any(b.value is call.node for b in found)]
        if len(bound) != 1 or not _is_average(call):
            continue
        name = bound[0]
        owner = call.function.owner
        if name.startswith("self.") and (owner is None or _is_module(call)):
            continue
        if _updated(name, module) and not _stored(name.rpartition(".")[2], module):
            yield call


def _says_average(name: str) -> bool:
    """Does a class say that it averages (`EMAHelper`, `ModelEmaV2`)? `Schema` and `Semantics` do not."""
    return speaks_of(name, Role.AVERAGED_MODEL) or words(name) == ("exponential", "moving", "average")


def _is_average(call: Call) -> bool:
    """Is it built of a class, and not by a function whose name says so?"""
    callee = call.callee
    return callee.kind == "class" or (callee.kind == "unknown" and call.last_name[:1].isupper())


def _is_module(call: Call) -> bool:
    """Is it an attribute of a model, which saves it with its own weights?"""
    return call.function.owner is not None and any(
        last_name(b) not in ("object", "ABC") for b in call.function.owner.node.bases
    )


def _updated(name: str, module: Module) -> bool:
    calls = (c for word in _UPDATES for c in module.calls(word))
    return any(isinstance(c.node.func, ast.Attribute) and place(c.node.func.value) == name for c in calls)


def _stored(name: str, module: Module) -> bool:
    """May an average be stored, by what is done with its name in any file of the project?"""
    for other in module.project.modules:
        if name in other.source.text and any(_may_store(n, name) for n in walk(other.body.node)):
            return True
    return False


def _may_store(node: Any, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr=word)) if not _STORES.isdisjoint(words(word)) and _speaks(
            base, name
        ):
            return True
        case ast.Call(func=func):
            given = (*node.args, *(k.value for k in node.keywords))
            handed = any(last_name(a) == name for a in given)
            return handed or (
                bool(not _STORES.isdisjoint(words(last_name(func)))) and any(_speaks(a, name) for a in given)
            )
        case ast.Dict():
            return any(_speaks(v, name) for v in node.values)
        case ast.List() | ast.Tuple():
            return isinstance(node.ctx, ast.Load) and any(last_name(e) == name for e in node.elts)
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return speaks_of(key, Role.AVERAGED_MODEL) or _speaks(getattr(node, "value", None), name)
        case ast.Assign(value=value):
            return last_name(value) == name if isinstance(value, (ast.Name, ast.Attribute)) else False
        case ast.Return(value=value):
            return value is not None and last_name(value) == name
    return False


def _stores(name: str) -> bool:
    return not _STORES.isdisjoint(words(name))


def _speaks(node: Any, name: str) -> bool:
    names = (n for n in walk(node) if isinstance(n, (ast.Name, ast.Attribute)))
    return any((n.id if isinstance(n, ast.Name) else n.attr) == name for n in names)
