"""The statements of a piece of code, without a look at their expressions: a tenth of the nodes of a tree.

Who looks for a name need not look at all of a function: what names it stands on a line on which the text has the name.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.nodes import Node, walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope, ModuleScope

__all__ = ["every_block", "every_statement", "is_any_line_in", "lines_naming", "nodes_naming", "parts_on"]

_BLOCKS = {
    cls: tuple(f for f in ("cases", "finalbody", "orelse", "handlers", "body") if f in getattr(cls, "_fields", ()))
    for cls in (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
}
_NAMING: Cache[str, list[int]] = Cache(local=True)


def every_statement(node: Node) -> Iterator[ast.stmt]:
    """The statements below a function, a class or a file, in source order, those of nested functions included.

    Args:
        node: its tree; a lambda has no statements.
    """
    body = node.body
    stack: list[Node] = body[::-1] if isinstance(body, list) else []
    while stack:
        current = stack.pop()
        if isinstance(current, ast.stmt):
            yield current
        for field in _BLOCKS.get(current.__class__, ()):
            stack += getattr(current, field)[::-1]


def every_block(node: Node) -> Iterator[list[ast.stmt]]:
    """The lists of statements that run one after the other, of a function or a file, without those of nested functions
    and classes.

    Args:
        node: its tree; a lambda has none.
    """
    stack: list[Node] = [node]
    while stack:
        current = stack.pop()
        for field in _BLOCKS.get(current.__class__, ("body",)):
            block = getattr(current, field)
            if isinstance(block, list) and block:
                if isinstance(block[0], ast.stmt):
                    yield block
                stack += [s for s in block if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]


def lines_naming(name: str, module: ModuleScope) -> list[int]:
    """The lines of a file on which a name stands, in order; all lines of a file without a text."""
    table = _NAMING.of(module)
    known = table.get(name)
    if known is None:
        if module.source is not None:
            known = module.source.lines_naming(name)
        else:
            known = [*range(1, (module.tree.body[-1].end_lineno or 0) + 1)] if module.tree.body else []
        table[name] = known
    return known


def nodes_naming(name: str, function: FunctionScope) -> Iterator[Node]:
    """The nodes in the body of a function, or of one that is nested in it, among which are all that name something.

    Args:
        name: a name, or the last one of a place.
        function: where to look.
    """
    lines = lines_naming(name, function.module)
    if isinstance(function.node.body, list) and is_any_line_in(lines, function.node):
        for part in parts_on(lines, function.node):
            yield from walk(part)


def parts_on(lines: list[int], node: Node) -> Iterator[Node]:
    """The parts of a function, a class or a file that reach over one of some lines: statements without blocks in them,
    and what stands in the heads of the others.

    Args:
        lines: their numbers, in order.
        node: a tree with a body.
    """
    stack: list[Node] = list(node.body)
    while stack:
        current = stack.pop()
        blocks = _BLOCKS[current.__class__]
        if not isinstance(current, ast.match_case) and not is_any_line_in(lines, current):
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


def is_any_line_in(lines: list[int], node: Node) -> bool:
    """Is one of some lines, which are in order, among those of a statement and its decorators, or of a file?"""
    if node.__class__ is ast.Module:
        return bool(lines)
    decorators = getattr(node, "decorator_list", None)
    at = bisect_left(lines, decorators[0].lineno if decorators else node.lineno)
    return at < len(lines) and lines[at] <= (node.end_lineno or 0)
