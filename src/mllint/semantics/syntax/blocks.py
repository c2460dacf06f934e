"""The statements of a piece of code, without a look at their expressions: a tenth of the nodes of a tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

__all__ = ["every_statement"]

_BLOCKS = {
    cls: tuple(f for f in ("cases", "finalbody", "orelse", "handlers", "body") if f in getattr(cls, "_fields", ()))
    for cls in (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
}


def every_statement(node: Any) -> Iterator[ast.stmt]:
    """The statements below a function, a class or a file, in source order, those of nested functions included.

    Args:
        node: its tree; a lambda has no statements.
    """
    body = node.body
    stack: list[Any] = body[::-1] if isinstance(body, list) else []
    while stack:
        current = stack.pop()
        if isinstance(current, ast.stmt):
            yield current
        for field in _BLOCKS.get(current.__class__, ()):
            stack += getattr(current, field)[::-1]
