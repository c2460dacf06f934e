"""What do the buffers of the editor hold, and where is a column in its units?

An editor sends a text once and then only its edits. Places in them are 0-based lines and columns in UTF-8, UTF-16 or
UTF-32 units, as was agreed at the start; a finding's are 1-based lines and code points:

    loss = f("🔥"); loss.backward()       `loss`: column 16 for a finding, 16 in UTF-16 (0-based, two for the emoji),
                                          18 in UTF-8 (four for it)

Lines end as the protocol says, with `\\n`, `\\r\\n` or `\\r` and nothing else: a form feed ends none.

A notebook is a list of cells, each a text of its own. What is checked is made of them again: the notebook that would be
saved. This module knows no protocol library: changes come as plain tuples.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from mllint.diagnostic import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Cell", "Change", "Encoding", "Notebook", "Place", "Text", "lines_of"]

Place = tuple[int, int]
"""A 0-based line and a 0-based column in the units of the editor."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class Change(NamedTuple):
    """An edit: the text between two places is replaced; without places all of it."""

    text: str
    start: Place | None = None
    end: Place | None = None


class Encoding:
    """The units of columns.

    Args:
        name: "utf-8", "utf-16" or "utf-32".
    """

    def __init__(self, name: str = "utf-16") -> None:
        self.name = name
        self._codec, self._width = {"utf-8": ("utf-8", 1), "utf-32": ("utf-32-le", 4)}.get(name, ("utf-16-le", 2))

    def units(self, line: str, count: int) -> int:
        """How many units the first code points of a line take."""
        if line.isascii() or self._width == 4:
            return min(count, len(line))
        return len(line[:count].encode(self._codec, "surrogatepass")) // self._width

    def points(self, line: str, units: int) -> int:
        """How many code points begin within the first units of a line."""
        if line.isascii() or self._width == 4:
            return min(units, len(line))
        data = line.encode(self._codec, "surrogatepass")[: units * self._width]
        return len(data.decode(self._codec, "ignore"))

    def range(self, span: Span, lines: Sequence[str]) -> tuple[Place, Place]:
        """A span in the text of these lines, as the editor counts."""
        return self._place(span.start, lines), self._place(span.end, lines)

    def _place(self, position: Position, lines: Sequence[str]) -> Place:
        line = lines[position.line - 1] if position.line <= len(lines) else ""
        return position.line - 1, self.units(line, position.column - 1)


class Text:
    """One buffer.

    Attributes:
        uri: its name in the protocol.
        version: as the editor counts.
        text: what it holds.
    """

    __slots__ = ("_lines", "_starts", "text", "uri", "version")

    def __init__(self, uri: str, text: str, version: int | None = None) -> None:
        self.uri, self.version, self.text = uri, version, text
        self._lines: list[str] | None = None
        self._starts: list[int] = []

    @property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        if self._lines is None:
            self._split()
        return self._lines or [""]

    def change(self, changes: Iterable[Change], encoding: Encoding, version: int | None) -> None:
        """Apply edits, one after the other."""
        for change in changes:
            if change.start is None or change.end is None:
                self.text = change.text
            else:
                start, end = self.offset(change.start, encoding), self.offset(change.end, encoding)
                self.text = self.text[:start] + change.text + self.text[max(start, end) :]
            self._lines = None
        self.version = version

    def offset(self, place: Place, encoding: Encoding) -> int:
        """The index of a place; one behind the end of its line, or of the text, is moved there."""
        lines = self.lines
        line, column = place
        if line >= len(lines):
            return len(self.text)
        return self._starts[line] + encoding.points(lines[line], column)

    def data(self) -> bytes:
        """The bytes that would be saved."""
        return _encoded(self.text)

    def _split(self) -> None:
        text = self.text
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends)]
        stops = [*(end.start() for end in ends), len(text)]
        self._lines = [text[start:stop] for start, stop in zip(self._starts, stops, strict=True)]


class Cell(NamedTuple):
    """One cell of a notebook: its buffer, and whether it is code."""

    uri: str
    code: bool


class Notebook:
    """The cells of a notebook, in order.

    Attributes:
        uri: its name in the protocol.
        cells: all of them.
        metadata: of the notebook, as its file holds it.
    """

    def __init__(self, uri: str, cells: Sequence[Cell], metadata: object = None) -> None:
        self.uri, self.cells, self.metadata = uri, list(cells), metadata if isinstance(metadata, dict) else {}

    def splice(self, start: int, deleted: int, added: Sequence[Cell]) -> None:
        """Replace some cells by others."""
        self.cells[start : start + deleted] = added

    def data(self, texts: dict[str, Text], languages: dict[str, str]) -> bytes:
        """The notebook that would be saved.

        Args:
            texts: the buffers of cells, by their names.
            languages: what each of them is written in.
        """
        cells: list[dict[str, object]] = []
        for cell in self.cells:
            text = texts[cell.uri].text if cell.uri in texts else ""
            code = cell.code and languages.get(cell.uri, "python") == "python"
            cells.append({"cell_type": "code" if code else "markdown", "metadata": {}, "source": text})
        document = {"cells": cells, "metadata": self.metadata, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(document).encode()


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their ends."""
    return Text("", text).lines


def _encoded(text: str) -> bytes:
    """The bytes of a text, in the encoding that it declares if it is another one than UTF-8."""
    if not text.isascii() and "coding" in text[:512]:
        for line in text.split("\n", 2)[:2]:
            cookie = _COOKIE.match(line)
            if cookie is not None:
                try:
                    return text.encode(cookie[1])
                except (LookupError, UnicodeEncodeError):
                    break
    return text.encode("utf-8", "surrogatepass")
