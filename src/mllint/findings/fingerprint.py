"""Which finding is this one, when lines have moved?

A finding is recognised by what stays when the code around it changes: the rule, the path, the qualified name of the
enclosing function, and the statement that it is about. Line numbers are no part of it, and neither is the message.

    loss = F.cross_entropy(probs, y)      the same statement as      loss = F.cross_entropy(
                                                                         probs,
                                                                         y,  # classes
                                                                     )
A statement is told by its syntax tree, so that white space, quotes, trailing commas, needless brackets and comments do
not matter; of a compound statement only the header counts. Equals are numbered. A place in no statement (a comment, a
file that does not parse) is told by the text of its line, without white space.

Renaming the file or the function makes another fingerprint; `baseline` and `difference` say when it is the same
finding all the same.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mllint.diagnostic import Diagnostic
from mllint.project.discovery import digest

if TYPE_CHECKING:
    from mllint.sources.source import Source

__all__ = ["fingerprinted", "stated"]

_LENGTH = 16
_BLOCKS = frozenset(("body", "handlers", "orelse", "finalbody", "cases"))
_LAYOUT = frozenset(
    ("ctx", "kind", "simple", "type_comment")
)  # fields that say how something is written, or the obvious
_Place = tuple[int, int]


def fingerprinted(
    diagnostics: Sequence[Diagnostic], lines: Callable[[str, int | None], Sequence[str]]
) -> list[Diagnostic]:
    """The same findings, each with its fingerprint.

    Args:
        diagnostics: the findings, in the order of their positions (equals are counted in this order).
        lines: gives the lines of a file, or of one cell of a notebook, where a finding does not know its statement.
    """
    from hashlib import sha256

    seen: dict[tuple[str, ...], int] = {}
    result: list[Diagnostic] = []
    for diagnostic in diagnostics:
        path = diagnostic.span.path.replace("\\", "/")
        parts: tuple[str, ...] = (diagnostic.rule, path, diagnostic.symbol, diagnostic.statement)
        if not diagnostic.statement:
            span = diagnostic.span
            marked = lines(span.path, span.cell)[span.start.line - 1 : span.end.line]
            key = (*parts[:3], "".join("".join(marked).split()))
            seen[key] = occurrence = seen.get(key, -1) + 1
            parts = (*key, str(occurrence))
        digested = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        result.append(diagnostic._replace(fingerprint=digested[:_LENGTH]))
    return result


def stated(diagnostics: Sequence[Diagnostic], source: Source | None, tree: ast.Module | None) -> list[Diagnostic]:
    """The findings of one file, in the same order, each with what stands for its statement.

    Args:
        diagnostics: the findings; one that has a statement keeps it.
        source: the file, None if it cannot be read.
        tree: its syntax tree, None if it does not parse.
    """
    result = list(diagnostics)
    places = [_place(diagnostic, source) for diagnostic in result]
    seen: dict[tuple[str, str, str], int] = {}
    for index in sorted(range(len(result)), key=places.__getitem__):
        diagnostic = result[index]
        if diagnostic.statement:
            continue
        node = None if source is None or tree is None else _statement(tree, source, places[index])
        line = "" if source is None else "".join(source.line_text(places[index][0]).split())
        text = (line or diagnostic.message) if node is None else " ".join(_words(node))
        shown = digest(text.encode("utf-8", "surrogatepass"))[:_LENGTH]
        key = (diagnostic.rule, diagnostic.symbol, shown)
        seen[key] = earlier = seen.get(key, -1) + 1
        result[index] = diagnostic._replace(statement=f"{shown}.{earlier}" if earlier else shown)
    return result


def _place(diagnostic: Diagnostic, source: Source | None) -> _Place:
    """Where a finding starts: document line and column in code points."""
    line = diagnostic.span.start.line if source is None else source.document_line(diagnostic.span)
    return line, diagnostic.span.start.column


def _statement(tree: ast.Module, source: Source, place: _Place) -> ast.AST | None:
    """The innermost statement (or handler, or case) whose own text holds a place, None if there is none."""
    found: ast.AST | None = None
    children: Sequence[ast.AST] = tree.body
    while True:
        after = bisect_right(children, place, key=lambda child: _start(child, source))
        inner = children[after - 1] if after and place < _end(children[after - 1], source) else None
        if inner is None:
            within = found is not None and (not children or place < _start(children[0], source))
            return found if within else None
        found = inner
        children = [child for name in inner._fields if name in _BLOCKS for child in getattr(inner, name)]


def _start(node: ast.AST, source: Source) -> _Place:
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        return decorators[0].lineno, 1
    if not hasattr(node, "lineno"):  # `case`
        return node.pattern.lineno, 1  # type: ignore[attr-defined]  # what else has no place of its own
    return source.position(node.lineno, node.col_offset)  # type: ignore[attr-defined]  # a statement has both


def _end(node: ast.AST, source: Source) -> _Place:
    if not hasattr(node, "end_lineno"):
        node = node.body[-1]  # type: ignore[attr-defined]  # a `case`
    return source.position(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]  # a statement has both


def _words(statement: ast.AST) -> Iterator[str]:
    """A statement without its blocks as words that are the same for every layout and under every Python."""
    rest: list[object] = [statement]
    while rest:
        item = rest.pop()
        if isinstance(item, ast.AST):
            yield f"{type(item).__name__}("
            rest.append(_Closing)
            for name, value in reversed(list(_fields(item, item is statement))):
                rest += [*reversed(value)] if isinstance(value, list) else [value]
                rest.append(_Field(name))
        elif item is _Closing:
            yield ")"
        else:
            yield item if isinstance(item, _Field) else ascii(item)


def _fields(node: ast.AST, header: bool) -> Iterable[tuple[str, object]]:
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in _LAYOUT or (header and name in _BLOCKS and isinstance(value, list)):
            continue
        yield name, value


class _Field(str):
    """The name of a field, where a text would be a value."""

    __slots__ = ()


class _Closing:
    """Stands where a node ends."""
