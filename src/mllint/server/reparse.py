"""What is the tree of a text of which nearly everything was parsed before?

    before      after
    a = 1       a = 1            kept
    def f():    def f():         copied, its body kept but for
        b = 1       b = 2        this statement, which is parsed
        c = 1       c = 1        kept
    d = 1       d = 1            kept, or moved if lines have come or gone above it

The answer is always the tree of a full parse, or none. A statement that begins above the edit, and whose first line is
as it was, begins there again, so that all statements before it are complete. If what is parsed, from there to the
statement that begins below the edit, is whole by itself, that one begins where it began. Both are in one list of
statements, in one column.

What it does not do: say what is wrong with a text that does not parse; that needs all of it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.errors import SourceError
from mllint.sources.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["reparsed"]

_LISTS = ("body", "orelse", "finalbody")


class _Edit(NamedTuple):
    """Which lines are others: `first` to `last` of the text before, 1-based and inclusive; `delta` lines more after."""

    first: int
    last: int
    delta: int


class _Cut(NamedTuple):
    """The statements of a list from the index `start` up to `end`; the nodes and fields that lead to that list,
    outermost first."""

    way: tuple[tuple[Any, str], ...]
    statements: list[Any]
    start: int
    end: int


def reparsed(tree: ast.Module, before: str, after: str) -> ast.Module | None:
    """The tree of a text.

    Args:
        tree: the tree of the text before, which stays as it is; parts of it are parts of the answer.
        before: the text before.
        after: the text.

    Returns:
        Its tree, or None where it has to be parsed as a whole.
    """
    if "\t" in after or "\f" in after or not tree.body:
        return None
    old, new = before.split("\n"), after.split("\n")
    edit = _edit(old, new)
    if edit is None:
        return tree
    cuts = list(_replaceable_parts(tree, edit))
    if cuts:
        for cut in (cuts[-1], cuts[0])[: len(cuts)]:
            found = _statements(cut, new, edit)
            if found is not None:
                return _planted(tree, cut, found, edit)
    return None


def _edit(old: list[str], new: list[str]) -> _Edit | None:
    """The lines that are others; None if there are none."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    if head == len(old) == len(new):
        return None
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return _Edit(head + 1, len(old) - tail, len(new) - len(old))


def _replaceable_parts(tree: ast.Module, edit: _Edit) -> Iterator[_Cut]:
    """What may be parsed instead of the whole, outermost first."""
    way: tuple[tuple[Any, str], ...] = ()
    node: Any = tree
    field: str | None = "body"
    while field is not None:
        cut = _replaceable_statements((*way, (node, field)), getattr(node, field), edit)
        if cut is None:
            return
        yield cut
        if cut.end - cut.start != 1:
            return
        way, node = cut.way, cut.statements[cut.start]
        field = next((name for name in _LISTS if _holds(getattr(node, name, None), edit)), None)


def _holds(statements: Any, edit: _Edit) -> bool:
    """Is an edit within a list of statements, below the first line of the first?"""
    if not isinstance(statements, list) or not statements:
        return False
    return bool(_first(statements[0]) < edit.first and edit.last <= statements[-1].end_lineno)


def _replaceable_statements(way: tuple[tuple[Any, str], ...], statements: list[Any], edit: _Edit) -> _Cut | None:
    """The statements of a list that an edit may touch; None if a line holds two of them."""
    start = max((n for n, s in enumerate(statements) if _first(s) < edit.first), default=None)
    if start is None:
        return None
    end = next((n for n, s in enumerate(statements) if n > start and _first(s) > edit.last), len(statements))
    for number in (start, end):
        if 0 < number < len(statements) and statements[number - 1].end_lineno >= _first(statements[number]):
            return None
    if len(way) > 1 and end == len(statements):
        return None  # where the last one ends, those around it end
    return _Cut(way, statements, start, end)


def _first(statement: Any) -> int:
    """The line on which a statement begins, decorators included."""
    decorators = getattr(statement, "decorator_list", ())
    return int(min([statement.lineno, *(d.lineno for d in decorators)]))


def _statements(cut: _Cut, lines: list[str], edit: _Edit) -> list[Any] | None:
    """What a text has instead of some statements."""
    first = _first(cut.statements[cut.start])
    below = cut.end < len(cut.statements)
    behind = _first(cut.statements[cut.end]) + edit.delta if below else len(lines) + 1
    text = "\n".join(lines[first - 1 : behind - 1])
    nested = len(cut.way) > 1
    if text.rstrip().endswith("\\"):
        return None  # it goes on in the next line
    try:
        body = parse("\n" * (first - 2) + f"if 1:\n{text}\n" if nested else "\n" * (first - 1) + f"{text}\n").body
    except SourceError:
        return None
    if nested:
        only: Any = body[0]
        if len(body) > 1 or only.orelse or only.body[0].col_offset != cut.statements[cut.start].col_offset:
            return None
        body = only.body
    return body or None


def _planted(tree: ast.Module, cut: _Cut, found: list[Any], edit: _Edit) -> ast.Module:
    """The tree with other statements; what is around them is copied, and what is below them moved."""
    inner: Any = [*cut.statements[: cut.start], *found, *_moved(cut.statements[cut.end :], edit)]
    for node, field in reversed(cut.way):
        fields = {name: _moved(getattr(node, name), edit) for name in node._fields if name != field}
        places = {name: getattr(node, name) for name in node._attributes}
        if places:
            places["end_lineno"] += edit.delta
        copy: Any = node.__class__(**fields, **places, **{field: inner})
        if node is tree:
            return copy
        above = cut.way[[n for n, _ in cut.way].index(node) - 1]
        statements = getattr(*above)
        inner = [copy if statement is node else _moved(statement, edit) for statement in statements]
    return tree


def _moved(thing: Any, edit: _Edit) -> Any:
    """A node, or the value of a field of one, at its place after an edit; what does not move stays as it is."""
    if not edit.delta:
        return thing
    if isinstance(thing, list):
        new = [_moved(inner, edit) for inner in thing]
        return new if any(n is not old for n, old in zip(new, thing, strict=True)) else thing
    if not isinstance(thing, ast.AST) or (getattr(thing, "end_lineno", None) or edit.last + 1) <= edit.last:
        return thing
    fields = {name: _moved(getattr(thing, name), edit) for name in thing._fields}
    places: dict[str, Any] = {name: getattr(thing, name) for name in thing._attributes}
    if not places and all(new is getattr(thing, name) for name, new in fields.items()):
        return thing
    if places:
        for name in ("lineno", "end_lineno"):
            places[name] += edit.delta if places[name] > edit.last else 0
    return thing.__class__(**fields, **places)
