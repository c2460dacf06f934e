"""The statements of a piece of code, without a look at their expressions: a tenth of the nodes of a tree."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

__all__ = ["every_statement", "parts_on"]

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


def parts_on(lines: list[int], node: Any) -> Iterator[Any]:
    """The parts of a function, a class or a file that reach over one of some lines: statements without blocks in them,
    and what stands in the heads of the others.

    Args:
        lines: their numbers, in order.
        node: a tree with a body.
    """
    stack: list[Any] = list(node.body)
    while stack:
        current = stack.pop()
        blocks = _BLOCKS[current.__class__]
        if not isinstance(current, ast.match_case) and not _has_one_of(lines, current):
            continue
        if not blocks:
            yield current
            continue
        for field in current._fields:
            inner = getattr(current, field)
            if field in blocks:
                stack += inner
            else:
                yield from (
                    part for part in (inner if isinstance(inner, list) else [inner]) if isinstance(part, ast.AST)
                )


def _has_one_of(lines: list[int], node: Any) -> bool:
    """Is one of some lines among those of a statement and its decorators?"""
    decorators = getattr(node, "decorator_list", None)
    at = bisect_left(lines, decorators[0].lineno if decorators else node.lineno)
    return at < len(lines) and lines[at] <= (node.end_lineno or 0)
