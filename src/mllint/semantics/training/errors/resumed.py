"""Does a run go on from a checkpoint, so that every weight in it is wanted?

A backbone takes what fits from a file, and its author knows what does not; so does who measures a part of what was
trained. Who restores an optimizer or a step from the same file wants the model as it was. By form, in one function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role

__all__ = ["resumed"]


def resumed(call: Call) -> bool:
    """Does the function read from the same checkpoint how far the run had come?"""
    if not call.node.args:
        return False
    state = call.node.args[0]
    names = {n.id for n in sources(state, call) if isinstance(n, ast.Name)}
    for node in walk(call.function.node):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(word))) if name in names:
                if topics.is_about(word, Topic.PROGRESS) or roles.speaks_of(
                    word.lower(), Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER
                ):
                    return True
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[ast.Constant(value=str(word)), *_]
            ):
                if name in names and (
                    topics.is_about(word, Topic.PROGRESS)
                    or roles.speaks_of(word.lower(), Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER)
                ):
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
