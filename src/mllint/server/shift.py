"""Where is a line now that was there before an edit?

    before      after
    1 a         1 a
    2 b         2 new            what was found in line 3 is shown in line 4
    3 c         3 b
                4 c

Lines that are equal move. Where as many lines as there were have been rewritten, they are taken for the same ones; what
was found in other rewritten lines is forgotten. What is shown by this lasts until the next answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.diagnostic import Diagnostic, Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mllint.sources.source import Source

__all__ = ["Shift", "moved"]

_PATIENCE = 250_000  # pairs of lines that are compared at most


class Shift:
    """The way from the lines of one text to those of a later one.

    Args:
        old: the text in which places are known.
        new: the text in which they are wanted.
    """

    __slots__ = ("_blocks", "_lines", "_new", "_old")

    def __init__(self, old: Source, new: Source) -> None:
        before, after = old.lines(), new.lines()
        self._old, self._new, self._lines = old, new, after
        self._blocks = list(_blocks(before, after))

    def span(self, span: Span) -> Span | None:
        """The same place in the later text; None if it is gone."""
        first = self._old.document_line(span)
        last = first + span.end.line - span.start.line
        start, end = self._line(first), self._line(last)
        if start is None or end is None:
            return None
        cell, line = self._address(start)
        other, bottom = self._address(end)
        if cell != other:
            return None
        columns = (self._column(start, span.start.column), self._column(end, span.end.column))
        return Span(span.path, Position(line, columns[0]), Position(bottom, columns[1]), cell)

    def _line(self, line: int) -> int | None:
        for first, behind, there in self._blocks:
            if first < line <= behind:
                return line - first + there
        return None

    def _column(self, line: int, column: int) -> int:
        return min(column, len(self._lines[line - 1]) + 1)

    def _address(self, line: int) -> tuple[int | None, int]:
        return (None, line) if self._new.cells is None else self._new.cells.locate(line)


def _blocks(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int]]:
    """The stretches of lines that are in both texts: from, to, and where they are now; counted from 0."""
    shorter = min(len(before), len(after))
    head = tail = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    yield 0, head, 0
    yield len(before) - tail, len(before), len(after) - tail
    middle, there = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(middle) == len(there):
        yield head, head + len(middle), head
    elif middle and there and len(middle) * len(there) < _PATIENCE:
        from difflib import SequenceMatcher

        for kind, first, behind, start, end in SequenceMatcher(None, middle, there, autojunk=False).get_opcodes():
            if kind == "equal" or (kind == "replace" and behind - first == end - start):
                yield head + first, head + behind, head + start


def moved(diagnostic: Diagnostic, shifts: Mapping[str, Shift]) -> Diagnostic | None:
    """A finding with all its places moved; None if its own place is gone. Labels that are gone are left out."""
    if not shifts:
        return diagnostic
    spans = [diagnostic.span, *(label.span for label in diagnostic.labels)]
    if shifts.keys().isdisjoint(span.path for span in spans):
        return diagnostic
    places = [shifts[span.path].span(span) if span.path in shifts else span for span in spans]
    if places[0] is None:
        return None
    labels = zip(diagnostic.labels, places[1:], strict=True)
    kept = tuple(label._replace(span=place) for label, place in labels if place is not None)
    return diagnostic._replace(span=places[0], labels=kept)
