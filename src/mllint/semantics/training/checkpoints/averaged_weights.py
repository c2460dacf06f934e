"""Which averages of weights follow a model from step to step, and are saved nowhere?

    ema = EMA(net.parameters(), decay=0.999)      # built of the model's parameters, by a class that says what it is
    for x, y in loader:
        ...
        ema.update()                              # a part of the run: a resumed one starts it afresh

Where an average is used for anything that may store it, handed to something unknown, or part of a model, nothing is
said.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ModuleView
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.words import words
from mllint.semantics.training.roles import Role, speaks_of
from mllint.semantics.values.lineage import bindings_of
from mllint.semantics.values.values import ClassValue, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["find_unsaved_averages"]

_UPDATES = ("update", "update_parameters", "step", "update_average")
_STORES = frozenset("save saved dump checkpoint ckpt state store log pickle".split())


def find_unsaved_averages(module: ModuleView) -> Iterator[Call]:
    """The constructions of averages in a file that are updated in a loop, and that nothing stores."""
    for call in module.calls():
        if not _is_average_name(call.last_name) or not (call.node.args or call.node.keywords):
            continue
        bound = [b.name for b in bindings_of(call.node, call.function)]
        if len(bound) != 1 or not _is_average(call):
            continue
        name = bound[0]
        owner = call.function.owner
        if name.startswith("self.") and (owner is None or _is_module(call)):
            continue
        if _is_updated(name, module) and not _may_be_stored(name.rpartition(".")[2], module):
            yield call


def _is_average_name(name: str) -> bool:
    """Does a class say that it averages (`EMAHelper`, `ModelEmaV2`)? `Schema` and `Semantics` do not."""
    return speaks_of(name, Role.AVERAGED_MODEL) or words(name) == ("exponential", "moving", "average")


def _is_average(call: Call) -> bool:
    """Is it built of a class, and not by a function whose name says so?"""
    callee = call.callee
    return isinstance(callee, ClassValue) or (isinstance(callee, UnknownValue) and call.last_name[:1].isupper())


def _is_module(call: Call) -> bool:
    """Is it an attribute of a model, which saves it with its own weights?"""
    return call.function.owner is not None and any(
        last_name(b) not in ("object", "ABC") for b in call.function.owner.node.bases
    )


def _is_updated(name: str, module: ModuleView) -> bool:
    calls = (c for word in _UPDATES for c in module.calls(word))
    return any(isinstance(c.node.func, ast.Attribute) and place(c.node.func.value) == name for c in calls)


def _may_be_stored(name: str, module: ModuleView) -> bool:
    """May an average be stored, by what is done with its name in any file of the project?"""
    for other in module.project.modules:
        if other.source.holds(name) and any(_may_store(n, name) for n in walk(other.body.node)):
            return True
    return False


def _may_store(node: Node, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr=word)) if not _STORES.isdisjoint(
            words(word)
        ) and _mentions_name(base, name):
            return True
        case ast.Call(func=func):
            given = (*node.args, *(k.value for k in node.keywords))
            handed = any(last_name(a) == name for a in given)
            return handed or (
                bool(not _STORES.isdisjoint(words(last_name(func)))) and any(_mentions_name(a, name) for a in given)
            )
        case ast.Dict():
            return any(_mentions_name(v, name) for v in node.values)
        case ast.List() | ast.Tuple():
            return isinstance(node.ctx, ast.Load) and any(last_name(e) == name for e in node.elts)
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return speaks_of(key, Role.AVERAGED_MODEL) or _mentions_name(getattr(node, "value", None), name)
        case ast.Assign(value=value):
            return last_name(value) == name if isinstance(value, (ast.Name, ast.Attribute)) else False
        case ast.Return(value=value):
            return value is not None and last_name(value) == name
    return False


def _mentions_name(node: Node, name: str) -> bool:
    names = (n for n in walk(node) if isinstance(n, (ast.Name, ast.Attribute)))
    return any((n.id if isinstance(n, ast.Name) else n.attr) == name for n in names)
