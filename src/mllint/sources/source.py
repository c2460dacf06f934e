r"""What does this file say, and where is it said? Text in, syntax tree and positions out.

A `Source` is the only text type of mllint. It is made from bytes exactly as Python would read them (PEP 263 cookie,
byte order mark, any line ending, form feeds) and it answers in the coordinates that people and editors use:

    source = Source.from_bytes("train.py", b"x = '\xf0\x9f\x94\xa5'; loss.backward()")
    call = source.tree().body[1]        # Python: column 12, because the emoji is four bytes
    source.span(call).start             # Position(line=1, column=10), because it is one character

*Document lines* are the lines of `text`. Outside notebooks they are the lines of the file. In a notebook the code cells
are joined into one text, `cells` says which cell a document line came from, and `span` answers with cell and line.

What it does not do: it does not touch the disk (see `files`), does not tokenize, and gives the tree no meaning (see
`semantics`). Whatever the bytes are, the only exception is `SourceError`.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from mllint.diagnostic import Position, Span
from mllint.errors import SourceError
from mllint.sources.decoding import decode
from mllint.sources.magics import script_of
from mllint.sources.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Collection

    from mllint.sources.cells import CellMap
    from mllint.sources.notebook import Notebook

__all__ = ["Source"]

_WORDS = bytes(byte if byte > 127 or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))
"""Each byte of a text: as it is where it may belong to a name, else a space."""


class Source:
    """One file as text, with its tree and its coordinates.

    Attributes:
        path: as it is reported, with forward slashes.
        text: the decoded text with line ends `\\n` and without a byte order mark.
        cells: the cell map of a notebook, None for a Python file.
        broken: one error for each notebook cell that does not parse (that cell is blank in `text`).
        written: the text as its author wrote it. Where IPython's own language is replaced, `text` differs, but no
            line is longer or shorter.
        skipped: why there is nothing to check ("a notebook in R"), empty if there is.
    """

    __slots__ = (
        "_ascii",
        "_held",
        "_lines",
        "_names",
        "_tree",
        "broken",
        "cells",
        "path",
        "skipped",
        "text",
        "written",
    )

    def __init__(self, path: str, text: str, cells: CellMap | None = None, written: str | None = None) -> None:
        self.path = path
        self.text = text
        self.cells = cells
        self.written = text if written is None else written
        self.skipped = ""
        self.broken: list[SourceError] = []
        self._ascii = text.isascii()
        self._lines: list[str] | None = None
        self._tree: ast.Module | None = None
        self._names: Collection[str] | None = None
        self._held: dict[str, bool] = {}

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """Decode a Python file, or a notebook if the path ends in `.ipynb`.

        Raises:
            SourceError: the bytes are no text in the declared encoding, or no notebook.
        """
        if path.endswith(".ipynb"):
            from mllint.sources.notebook import read

            return cls._from_notebook(path, read(data))
        text = decode(data)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(path, text)

    @classmethod
    def _from_notebook(cls, path: str, notebook: Notebook) -> Source:
        source = cls(path, notebook.text, notebook.cells, notebook.written)
        source.skipped = f"a notebook in {notebook.language}" if notebook.language else ""
        source.broken = notebook.broken
        source._tree = notebook.tree
        return source

    def tree(self) -> ast.Module:
        """The syntax tree, parsed at the first call. A script with `# %%` cells may hold magics.

        Raises:
            SourceError: the text is no Python that the running interpreter can parse.
        """
        if self._tree is None:
            try:
                self._tree = parse(self.text)
            except SourceError:
                text = script_of(self.text) if self.cells is None else None
                if text is None:
                    raise
                self._tree = parse(text)
                self.text, self._lines = text, None
                self._held.clear()
        return self._tree

    def names(self) -> Collection[str]:
        """The names in the code, and maybe more words of the text: what is not among them is not in the tree."""
        if self._names is None:
            data = self.text.encode("utf-8", "surrogatepass").translate(_WORDS)  # far faster than of a text
            words = set(data.decode("utf-8", "surrogatepass").split())
            self._names = frozenset(map(sys.intern, words))  # one text for all files, and for their trees
        return self._names

    def mentions(self, words: frozenset[str]) -> bool:
        """May one of these names be in the code? A text that nobody has parsed is searched for them."""
        if self._names is None and self._tree is None:
            return any(word in self.text for word in words)
        return not words.isdisjoint(self.names())

    def holds(self, text: str) -> bool:
        """Does some text stand anywhere in the file, comments included? Each is looked for once."""
        held = self._held.get(text)
        if held is None:
            held = self._held[text] = text in self.text
        return held

    def lines_with(self, *texts: str) -> list[int]:
        """The numbers of the document lines on which one of some texts stands, in order."""
        found: set[int] = set()
        for text in texts:
            line, last, at = 1, 0, self.text.find(text)
            while at >= 0:
                line += self.text.count("\n", last, at)
                found.add(line)
                last, at = at, self.text.find(text, at + 1)
        return sorted(found)

    def lines_naming(self, *names: str) -> list[int]:
        """The same, of names that stand there as a whole: `grad` of `p.grad`, and not that of `gradient`."""
        found: set[int] = set()
        for name in names:
            line, last, at = 1, 0, self.text.find(name)
            while at >= 0:
                end = at + len(name)
                if not _joins(self.text[at - 1 : at]) and not _joins(self.text[end : end + 1]):
                    line += self.text.count("\n", last, at)
                    found.add(line)
                    last = at
                at = self.text.find(name, end)
        return sorted(found)

    def plant(self, tree: ast.Module) -> None:
        """Take a tree that was made before for what `tree` would parse."""
        self._tree, self._names = tree, None

    def line_text(self, line: int) -> str:
        """The text of a document line without its line end, empty outside the document."""
        lines = self.lines()
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def position(self, line: int, utf8_col: int) -> Position:
        """Document position of a place in the tree (`lineno`, `col_offset`)."""
        if self._ascii:
            return Position(line, utf8_col + 1)
        return Position(line, self._offset(self.line_text(line), utf8_col) + 1)

    def span(self, node: ast.AST) -> Span:
        """Where a node stands, in the coordinates that are reported: of its cell in a notebook."""
        start_line, start_col, end_line, end_col = _extent(node) or (1, 0, 1, 0)
        start = self.position(start_line, start_col)
        end = self.position(end_line, end_col)
        if self.cells is None:
            return Span(self.path, start, end)
        cell, line = self.cells.locate(start_line)
        start = Position(line, start.column)
        return Span(self.path, start, Position(line + end_line - start_line, end.column), cell)

    def segment(self, node: ast.AST) -> str:
        """The text of a node as it is written, empty for a node without a place."""
        extent = _extent(node)
        if extent is None:
            return ""
        start_line, start_col, end_line, end_col = extent
        first, last = self.line_text(start_line), self.line_text(end_line)
        if not self._ascii:
            start_col, end_col = self._offset(first, start_col), self._offset(last, end_col)
        if start_line == end_line:
            return first[start_col:end_col]
        between = self.lines()[start_line : end_line - 1]
        return "\n".join([first[start_col:], *between, last[:end_col]])

    def lines_of(self, cell: int | None) -> list[str]:
        """The lines to show to somebody, of the whole text or of one notebook cell, as they are written."""
        lines = self.written.split("\n")
        if cell is None or self.cells is None:
            return lines
        if cell not in self.cells.numbers:
            return []
        index = self.cells.numbers.index(cell)
        return lines[self.cells.starts[index] - 1 : [*self.cells.starts, len(lines) + 1][index + 1] - 1]

    def document_line(self, span: Span) -> int:
        """The document line at which a span of this source starts."""
        if self.cells is None or span.cell is None:
            return span.start.line
        return self.cells.document_line(span.cell, span.start.line)

    def lines(self) -> list[str]:
        """The document lines, without their line ends; not to be changed."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    @staticmethod
    def _offset(line: str, utf8_col: int) -> int:
        if line.isascii():
            return utf8_col
        return len(line.encode()[:utf8_col].decode(errors="ignore"))


def _joins(character: str) -> bool:
    """Does a name go on with a character?"""
    return character.isalnum() or character == "_"


def _extent(node: ast.AST) -> tuple[int, int, int, int] | None:
    """First and last place of a node in tree coordinates; of its children for nodes that carry no place."""
    try:
        line, col = node.lineno, node.col_offset  # type: ignore[attr-defined]  # most nodes have them
    except AttributeError:
        return _extent_of_children(node)
    end_line, end_col = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if end_line is None or end_col is None:
        return line, col, line, col
    return line, col, end_line, end_col


def _extent_of_children(node: ast.AST) -> tuple[int, int, int, int] | None:
    extents = []
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            extent = _extent(child) if isinstance(child, ast.AST) else None
            if extent is not None:
                extents.append(extent)
    if not extents:
        return None
    return *min(extent[:2] for extent in extents), *max(extent[2:] for extent in extents)
