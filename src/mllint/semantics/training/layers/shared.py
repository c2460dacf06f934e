"""Is one layer in several places meant: do the names around it, or the other branch, say so?"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import walk, within
from mllint.semantics.syntax.topics import Topic

__all__ = ["on_purpose"]


def on_purpose(call: Call, node: Any, element: Any) -> bool:
    """Does the name, or a test around the call or the repetition, speak of sharing or tying; or is it one way of two,
    and the other builds a layer for each place?"""
    words = [getattr(element, "id", "")]
    for statement in walk(call.function.node):
        if isinstance(statement, ast.If) and (within(call.node, statement) or within(node, statement)):
            words += [getattr(n, "attr", "") or getattr(n, "id", "") for n in walk(statement.test)]
            if builds_each(statement.orelse if inside(node, statement.body) else statement.body):
                return True
    return any(topics.is_about(name, Topic.SHARING) for name in words)


def inside(node: Any, block: list[Any]) -> bool:
    """Is a node written in one of some statements?"""
    return any(within(node, statement) for statement in block)


def builds_each(block: list[Any]) -> bool:
    """Do some statements call something for each place: `[layer(i) for i in range(n)]`?"""
    found = (n for statement in block for n in walk(statement))
    return any(isinstance(n, (ast.ListComp, ast.GeneratorExp)) and isinstance(n.elt, ast.Call) for n in found)
