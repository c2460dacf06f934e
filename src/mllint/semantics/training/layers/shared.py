"""Is one layer in several places meant: do the names around it, a comment or the other branch say so?"""

from __future__ import annotations

import ast
from typing import Any

from mllint.pattern import Pattern
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import walk, within

__all__ = ["on_purpose"]

_WORDS = ("share", "sharing", "tie", "tying", "recurren", "siamese")


def on_purpose(call: Call, node: Any, element: Any) -> bool:
    """Does the name, or a test around the call or the repetition, speak of sharing or tying; or is it one way of two,
    and the other builds a layer for each place?"""
    words = [getattr(element, "id", "")]
    for statement in walk(call.function.node):
        if isinstance(statement, ast.If) and (within(call.node, statement) or within(node, statement)):
            words += [getattr(n, "attr", "") or getattr(n, "id", "") for n in walk(statement.test)]
            if builds_each(statement.orelse if inside(node, statement.body) else statement.body):
                return True
    return any(word in name.lower() for name in words for word in _WORDS) or says_shared(call, node)


def inside(node: Any, block: list[Any]) -> bool:
    """Is a node written in one of some statements?"""
    return any(within(node, statement) for statement in block)


def builds_each(block: list[Any]) -> bool:
    """Do some statements call something for each place: `[layer(i) for i in range(n)]`?"""
    found = (n for statement in block for n in walk(statement))
    return any(isinstance(n, (ast.ListComp, ast.GeneratorExp)) and isinstance(n.elt, ast.Call) for n in found)


def says_shared(call: Call, node: Any) -> bool:
    """Does a comment above the container or the repetition, or behind them, or the docstring of the class, say that
    weights are tied?"""
    lines = call.module.source.text.split("\n")
    comments: list[str] = []
    for place_of in (call.node, node):
        first, last = place_of.lineno - 1, place_of.end_lineno or place_of.lineno
        above = first - 1
        while above >= 0 and lines[above].lstrip().startswith("#"):
            above -= 1
        comments += [line.partition("#")[2] for line in lines[above + 1 : last]]
    owner = call.function.owner
    said = [docstring(scope.node) for scope in (call.function, owner) if scope is not None]
    return any(_SHARED.search(" ".join(words.lower().split())) for words in (" ".join(comments), *said) if words)


def docstring(node: Any) -> str:
    """What the first statement of a class or a function says, if it is a text."""
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    said = first.value.value if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else None
    return said if isinstance(said, str) else ""


_SHARED = Pattern(
    "(share|sharing|shared|tie|tied|tying) (the |their |its |all |same )*(weight|parameter)|"
    "(weights?|parameters?)( are| is)?[ -](share|tied|tying|sharing)|"
    "same ([a-z]+[ _])?(weights|parameters|layer|block|module)"
)
