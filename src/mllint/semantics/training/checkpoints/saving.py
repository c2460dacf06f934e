"""What do the calls of `save` write, and what do they leave out?

    torch.save({"model": net.state_dict(), "epoch": epoch}, "last.pt")     # lacks the state of an optimizer

Deliberately not done: keys of the saved and the loaded dictionary are not compared.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ModuleView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.training.checkpoints.resuming import Stateful, is_progress_key, receiver_name
from mllint.semantics.training.roles import speaks_of
from mllint.semantics.values.lineage import origins, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["find_saves", "lacks_state_of_kind", "may_save_state_of", "saves_state_of_kind"]


def saves_state_of_kind(module: ModuleView, kind: Stateful) -> bool:
    """Is the state of such an object put into what is saved?"""
    states = module.calls("state_dict")
    return any(speaks_of(receiver_name(c.node), kind.role) for c in states)


def may_save_state_of(made: Call, kind: Stateful) -> bool:
    """Is the state of an object read anywhere in the project, under its name or one of its kind?

    Args:
        made: the call that builds the object.
        kind: what it is.
    """
    names: set[str | None] = {*targets_of(made.node, made.function)}
    states = [
        (receiver_name(node), place(getattr(node.func, "value", None)))
        for node, _ in made.project.calls_named("state_dict")
    ]
    return any(speaks_of(name, kind.role) or owner in names for name, owner in states)


def find_saves(module: ModuleView) -> Iterator[Call]:
    """The calls of `save` in a file, and in the functions of other files that it calls by name; where such a function
    saves what it is handed, the calls of it."""
    yield from module.calls("save")
    for node, scope in module.project.calls_named("save"):
        called = isinstance(scope, FunctionScope) and scope.name in module.module.calls_by_name
        if not called or not isinstance(scope, FunctionScope) or scope.module is module.module:
            continue
        if scope.parameters and node.args and place(node.args[0]) == scope.parameters[0].name:
            yield from module.calls(scope.name)
        else:
            yield Call(node, module.project.frame(scope))


def lacks_state_of_kind(save: Call, kind: Stateful, *, averages: bool = False) -> bool:
    """Does it save a dict of a model's state and the progress, without the state of such an object?"""
    saved = save.arguments[0] if save.arguments else None
    if saved is None:
        return False
    found = list(origins(saved.node, saved.frame))
    states = [
        place(o.node.func.value) or ""
        for o in found
        if isinstance(o.node, ast.Call) and isinstance(o.node.func, ast.Attribute) and o.node.func.attr == "state_dict"
    ]
    keys: list[Node] = [k for o in found if isinstance(o.node, ast.Dict) for k in o.node.keys]
    made = (o.node for o in found if isinstance(o.node, ast.Call) and last_name(o.node.func) == "dict")
    keys += [ast.Constant(value=k.arg) if k.arg else None for c in made for k in c.keywords]
    plain = all(isinstance(k, ast.Constant) for k in keys) and not any(isinstance(o.node, ast.DictComp) for o in found)
    held = not averages and (
        any(speaks_of(s, kind.role) for s in states) or any(o.value.instance_of(kind.value) for o in found)
    )
    return plain and bool(states) and any(is_progress_key(k) for k in keys) and not held
