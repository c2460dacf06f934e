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
from typing import TYPE_CHECKING, NamedTuple

from mllint.diagnostic import Position, Span
from mllint.errors import SourceError
from mllint.sources.excess import excess

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["CellMap", "Source"]

_BOM = b"\xef\xbb\xbf"
_NAMELESS = "<mllint>"  # to count the columns of a syntax error Python opens the file of the name that it is given
_SEPARATORS = {number: " " for number in range(128) if not (chr(number).isalnum() or chr(number) == "_")}
_OF_ENCODINGS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


class CellMap(NamedTuple):
    """Which notebook cell each document line belongs to.

    `starts[i]` is the first document line of the code cell with the number `numbers[i]` (1-based over all cells).
    """

    starts: tuple[int, ...]
    numbers: tuple[int, ...]

    def locate(self, line: int) -> tuple[int, int]:
        """The cell of a document line and the 1-based line within that cell."""
        from bisect import bisect_right

        index = max(bisect_right(self.starts, line) - 1, 0)
        return self.numbers[index], line - self.starts[index] + 1

    def document_line(self, cell: int, line: int) -> int:
        """The document line of a line within a cell: the inverse of `locate`."""
        return self.starts[self.numbers.index(cell)] + line - 1


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

    __slots__ = ("_ascii", "_lines", "_names", "_tree", "broken", "cells", "path", "skipped", "text", "written")

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

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """Decode a Python file, or a notebook if the path ends in `.ipynb`.

        Raises:
            SourceError: the bytes are no text in the declared encoding, or no notebook.
        """
        if path.endswith(".ipynb"):
            from mllint.sources.notebook import read

            return read(path, data)
        text = _decode(data)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(path, text)

    def tree(self) -> ast.Module:
        """The syntax tree, parsed at the first call. A script with `# %%` cells may hold magics.

        Raises:
            SourceError: the text is no Python that the running interpreter can parse.
        """
        if self._tree is None:
            try:
                self._tree = parse(self.text)
            except SourceError:
                from mllint.sources.magics import script_of

                text = script_of(self.text) if self.cells is None else None
                if text is None:
                    raise
                self._tree = parse(text)
                self.text, self._lines = text, None
        return self._tree

    def names(self) -> Collection[str]:
        """The names in the code, and maybe more words of the text: what is not among them is not in the tree."""
        if self._names is None:
            self._names = frozenset(self.text.translate(_SEPARATORS).split())
        return self._names

    def mentions(self, words: frozenset[str]) -> bool:
        """May one of these names be in the code? A text that nobody has parsed is searched for them."""
        if self._names is None and self._tree is None:
            return any(word in self.text for word in words)
        return not words.isdisjoint(self.names())

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


def parse(text: str) -> ast.Module:
    """Parse text into a tree, silently.

    Raises:
        SourceError: with the reason in words; never another exception, however odd the text.
    """
    import warnings

    reason = excess(text)
    if reason:
        raise SourceError(f"{reason}, the file was not checked")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is not what we are here for
            return ast.parse(text, _NAMELESS)
    except SyntaxError as error:
        from mllint.sources.syntax_errors import explain

        raise explain(error, text) from None
    except (RecursionError, MemoryError, OverflowError):
        raise SourceError("the code is nested too deeply for Python's parser, it was not checked") from None
    except ValueError as error:  # null bytes, lone surrogates
        raise SourceError(f"Python cannot read this text: {error}") from None


def _decode(data: bytes) -> str:
    null = data.find(b"\0")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError("the file is UTF-16, which Python cannot read: save it as UTF-8")
    if null >= 0:
        line = data.count(b"\n", 0, null) + 1
        column = null - data.rfind(b"\n", 0, null)
        raise SourceError("the file contains a null byte: it is binary or damaged", line, column)
    encoding = _declared_encoding(data)
    if data.startswith(_BOM):
        if encoding not in (None, "utf-8", "utf8", "utf-8-sig"):
            raise SourceError(f"the file starts with a UTF-8 mark but declares the encoding `{encoding}`")
        data, encoding = data[len(_BOM) :], None
    try:
        return data.decode(encoding or "utf-8")
    except LookupError:
        raise SourceError(f"the file declares the encoding `{encoding}`, which Python does not know") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        byte = data[error.start]
        if encoding is None:
            advice = "save it as UTF-8 or declare its encoding in the first line"
            message = f"the file is not UTF-8 (byte 0x{byte:02x}): {advice}"
        else:
            message = f"the file declares the encoding `{encoding}` but byte 0x{byte:02x} is none of it"
        raise SourceError(message, line, column) from None
    except ValueError as error:
        raise SourceError(f"the file cannot be decoded as `{encoding}`: {error}") from None


def _declared_encoding(data: bytes) -> str | None:
    """The encoding named in a comment in one of the first two lines (PEP 263)."""
    if b"coding" not in data[:512]:
        return None
    first, _, rest = data[:512].removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n").partition(b"\n")
    found = _cookie(first)
    if found is None and first.strip(b" \t\f")[:1] in (b"", b"#"):
        found = _cookie(rest.partition(b"\n")[0])
    return found.decode("ascii").lower().replace("_", "-") if found else None


def _cookie(line: bytes) -> bytes | None:
    """The name in `# -*- coding: latin-1 -*-`; by hand, for `re` costs more than reading the file."""
    if not line.lstrip(b" \t\f").startswith(b"#"):
        return None
    at = line.find(b"coding")
    while at >= 0:
        at += len(b"coding")
        if line.startswith((b":", b"="), at):
            name = line[at + 1 :].lstrip(b" \t")
            end = len(name) - len(name.lstrip(_OF_ENCODINGS))
            if end:
                return name[:end]
        at = line.find(b"coding", at)
    return None


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
