"""How does what is longer than a line read on a terminal?

A terminal breaks lines in the middle of words. So rows of tables go on below the beginning of their last column, and
paragraphs of pages are filled anew. Columns are 0 where nobody looks on: who reads through a pipe gets a row in a line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

__all__ = ["filled", "folded"]

_ITEM = re.compile(r" *(?:[*-]|\d+\.) +")
_LEAST = 30  # columns; with less, what is long goes below, not beside
_DEEP = 4


def folded(lead: str, text: str, columns: int, *, indent: int | None = None) -> Iterator[str]:
    """A row whose last column may be long.

    Args:
        lead: what stands before it.
        text: the last column.
        columns: of the terminal; 0 folds nothing.
        indent: the length of `lead` as it is seen, if it is painted.
    """
    indent = len(lead) if indent is None else indent
    if not columns or indent + len(text) <= columns:
        yield f"{lead}{text}".rstrip()
        return
    beside = columns - indent >= _LEAST
    if not beside:
        yield lead.rstrip()
        lead, indent = " " * _DEEP, _DEEP
    rows = _wrapped(text, max(columns - indent, _LEAST))
    yield lead + rows[0]
    yield from (" " * indent + row for row in rows[1:])


def filled(lines: Iterable[str], columns: int) -> Iterator[str]:
    """The lines of a paragraph of prose, or of items of a list, filled anew."""
    if not columns:
        yield from lines
        return
    parts: list[tuple[str, list[str]]] = []
    for line in lines:
        item = _ITEM.match(line)
        if item is not None or not parts:
            head = item[0] if item is not None else ""
            parts.append((head, [line[len(head) :]]))
        else:
            parts[-1][1].append(line.strip())
    for head, pieces in parts:
        rows = _wrapped(" ".join(pieces), max(columns - len(head), _LEAST))
        yield head + rows[0]
        yield from (" " * len(head) + row for row in rows[1:])


def _wrapped(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False) or [""]
