r"""Where in the `.ipynb` file does a line of a cell stand? For those who know the file and no cells: code scanning, CI.

A notebook is JSON, and a cell is a string, or a list of strings, somewhere in it:

    { "cells": [
      { "cell_type": "code", "source": [
        "import torch\n",
        "loss = step(\"train\")" ]} ]}

Line 2, column 8 of cell 1 (`step`) is line 4, column 17 of this file; behind the escaped quote the columns drift apart.
Where a whole cell is one string, all its lines are on one line of the file and only the columns tell them apart.

The text is walked once: keys are read, values that hold no cells are skipped by Python's own JSON decoder. Nothing is
looked for by its contents, so equal lines and outputs that repeat the code lead nobody astray.

What it does not do: judge whether the notebook is one (see `notebook`). In a text that is none, all is
at the beginning.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from mllint.diagnostic import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RawNotebook"]

_SPACE = re.compile(r"[ \t\n\r]*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_CHARACTER = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]")
_DECODER = json.JSONDecoder()


class _String(NamedTuple):
    """One string of a cell's source: its value, and the offsets of its first character behind the quote and of what
    follows the closing one."""

    value: str
    start: int
    end: int


class RawNotebook:
    """The file of a notebook, asked for the places of cells.

    Args:
        data: the raw file.
    """

    __slots__ = ("_cells", "_text")

    def __init__(self, data: bytes) -> None:
        try:
            self._text = data.decode(json.detect_encoding(data), "surrogatepass")
            self._cells = _Walk(self._text).notebook()
        except (ValueError, IndexError, RecursionError):  # not JSON, or cut off
            self._text, self._cells = "", []

    def position(self, cell: int, line: int, column: int = 1) -> Position:
        """The place in the file.

        Args:
            cell: 1-based over all cells.
            line: 1-based, within the cell.
            column: 1-based, in code points of the cell's text. The end of the line counts as a place.

        Returns:
            1-based line and column, in code points of the file's text. The beginning of the file for a cell that is
            not there; the end of the line, or of the cell, for a place behind it.
        """
        offset = self.offset(cell, line, column)
        return Position(self._text.count("\n", 0, offset) + 1, offset - self._text.rfind("\n", 0, offset))

    def span(self, span: Span) -> Span:
        """A span of a cell as a span of the file, without a cell. A span that has no cell stays as it is."""
        if span.cell is None:
            return span
        return Span(span.path, self.position(span.cell, *span.start), self.position(span.cell, *span.end))

    def offset(self, cell: int, line: int, column: int = 1) -> int:
        """As `position`, as the number of characters of the text before the place (a byte order mark is none)."""
        strings = self._cells[cell - 1] if 0 < cell <= len(self._cells) else []
        if not strings:
            return 0
        left = _characters_before("".join(string.value for string in strings), line, column)
        for string in strings:
            if left < len(string.value):
                break
            if string is not strings[-1]:
                left -= len(string.value)
        place = string.start
        for _ in range(min(left, len(string.value))):
            match = _CHARACTER.match(self._text, place)
            place = match.end() if match else place
        return place

    def strings(self, cell: int) -> list[tuple[str, int, int]]:
        """The strings of a cell (1-based over all cells): the value of each, and where it begins and ends in the text
        of the file, its quotes included."""
        found = self._cells[cell - 1] if 0 < cell <= len(self._cells) else []
        return [(string.value, string.start - 1, string.end) for string in found]


def _characters_before(text: str, line: int, column: int) -> int:
    """How many characters of a cell's text are before a place in it."""
    start = 0
    for _ in range(line - 1):
        match = _LINE_END.search(text, start)
        if match is None:
            return len(text)
        start = match.end()
    match = _LINE_END.search(text, start)
    return min(start + column - 1, match.start() if match else len(text))


class _Walk:
    """One pass over the text of a notebook. Raises ValueError or IndexError where it is no JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = len(text) - len(text.lstrip("\ufeff"))

    def notebook(self) -> list[list[_String]]:
        """The strings of each cell's source; for a cell without source, none."""
        found: dict[str, list[list[_String]]] = {}
        for key in self.members():
            if key == "cells" and self.peek() == "[":
                found[key] = [self.cell() for _ in self.elements()]
            elif key == "worksheets" and self.peek() == "[":
                found[key] = [cell for _ in self.elements() for cell in self.worksheet()]
            else:
                found.pop(key, None)
                self.skip()
        return found.get("cells", found.get("worksheets", []))

    def worksheet(self) -> list[list[_String]]:
        cells: list[list[_String]] = []
        for key in self.members():
            if key == "cells" and self.peek() == "[":
                cells = [self.cell() for _ in self.elements()]
            else:
                self.skip()
        return cells

    def cell(self) -> list[_String]:
        found: dict[str, list[_String]] = {}
        if self.peek() != "{":
            self.skip()
            return []
        for key in self.members():
            if key in ("source", "input"):
                found[key] = self.source()
            else:
                self.skip()
        return found.get("source", found.get("input", []))

    def source(self) -> list[_String]:
        if self.peek() == '"':
            return [self.string()]
        if self.peek() == "[":
            strings = []
            for _ in self.elements():
                if self.peek() == '"':
                    strings.append(self.string())
                else:
                    self.skip()
            return strings
        self.skip()
        return []

    def string(self) -> _String:
        if self.peek() != '"':
            raise ValueError(self.at)
        start = self.at + 1
        value, self.at = _DECODER.raw_decode(self.text, self.at)
        return _String(value, start, self.at)

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here; whoever asks reads each value."""
        for _ in self.items("{", "}"):
            key = self.string().value
            self.expect(":")
            self.peek()
            yield key

    def elements(self) -> Iterator[None]:
        """Once for each element of the list that begins here; whoever asks reads each."""
        return self.items("[", "]")

    def items(self, opening: str, closing: str) -> Iterator[None]:
        self.expect(opening)
        while self.peek() != closing:
            yield
            if self.peek() == ",":
                self.at += 1
            elif self.peek() != closing:
                raise ValueError(self.at)
        self.at += 1

    def skip(self) -> None:
        self.peek()
        _, self.at = _DECODER.raw_decode(self.text, self.at)

    def peek(self) -> str:
        """The next character that is no white space."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at]

    def expect(self, character: str) -> None:
        if self.peek() != character:
            raise ValueError(self.at)
        self.at += 1
