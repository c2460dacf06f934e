"""Is the whole model to come from a checkpoint: does the run go on with it, or is it measured as it was loaded?

A backbone may take what fits from a file, and its author knows what does not. Who restores an optimizer or a step from
the same file, or sets eval mode at once and trains nothing, wants every weight. By form, within one function.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import Any
from mllint.pattern import Pattern
from mllint.semantics import Call
from mllint.semantics.module import last_name, place, walk

__all__ = ["wants_all"]

_PROGRESS = Pattern("epoch|^step|_step|iter|optim|sched|scaler|best")
_TRAINS = frozenset("backward step zero_grad fit train_one_epoch training_step".split())


def wants_all(call: Call) -> bool:
    """Is every weight wanted that a call of `load_state_dict` loads?"""
    return resumed(call) or measured(call)


def resumed(call: Call) -> bool:
    """Does the function read from the same checkpoint how far the run had come?"""
    if not call.node.args:
        return False
    state = call.node.args[0]
    names = {n.id for n in sources(state, call) if isinstance(n, ast.Name)}
    for node in walk(call.function.node):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(word))) if name in names:
                if _PROGRESS.search(word.lower()):
                    return True
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[ast.Constant(value=str(word)), *_]
            ):
                if name in names and _PROGRESS.search(word.lower()):
                    return True
    return False


def sources(state: Any, call: Call, depth: int = 2) -> Iterator[Any]:
    """The nodes of an expression, and of what its names were assigned."""
    for node in walk(state):
        yield node
        if isinstance(node, ast.Name) and depth:
            for binding in call.function.bindings.get(node.id, ()):
                if binding.kind == "assign" and binding.value is not None:
                    yield from sources(binding.value, call, depth - 1)


def measured(call: Call) -> bool:
    """Is the model put into eval mode after it was loaded, in a function that trains nothing and is no module's own?"""
    name = place(call.node.func.value) or ""
    if name in ("", "self") or not call.function.called_names.isdisjoint(_TRAINS):
        return False
    return any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr == "eval"
        and c.lineno >= call.node.lineno
        and base(c.func.value) == name
        for c in call.function.calls
    )


def base(node: Any) -> str:
    """What a chain of methods starts from: `model` of `model.cuda().eval()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return place(node) or last_name(node)
