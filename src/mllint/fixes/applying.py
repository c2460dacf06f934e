r"""What are the bytes of a file after some edits? Everything that no edit is about stays as it is, byte for byte.

    b"x = 1\r\n"  ->  edits in lines and columns  ->  b"x = 2\r\n"

A file keeps its encoding, byte order mark and line ends; new lines get the end that its first line has. Of a notebook
only the strings of the lines that change are written anew, in the layout that they have.

Nothing is read or written here.
"""

from __future__ import annotations

import io
import json
import re
import tokenize
from collections.abc import Iterable, Sequence

from mllint.diagnostic import Edit, Position
from mllint.errors import SourceError
from mllint.sources.decoding import decode
from mllint.sources.rawnotebook import RawNotebook

__all__ = ["applied"]

_BOM = b"\xef\xbb\xbf"
_STRINGS = re.compile(r"[^\n]*\n|[^\n]+\Z")
"""The strings into which Jupyter divides the text of a cell."""
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def applied(path: str, data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file after some edits, none of which overlaps another.

    Args:
        path: the file.
        data: its bytes.
        edits: the edits.

    Raises:
        SourceError: the file cannot be read, or what comes out cannot be written in its encoding.
    """
    ordered = sorted(edits, key=lambda e: (e.span.cell or 0, e.span.start, e.span.end))
    if path.endswith(".ipynb"):
        return _in_notebook(data, ordered)
    text = decode(data)
    mark = _BOM if data.startswith(_BOM) else b""
    encoding = "utf-8" if mark else _encoding(data)
    try:
        if mark + text.encode(encoding) != data:
            raise SourceError(f"the file cannot be written as it was read, in `{encoding}`")
        return mark + _changed(text, ordered).encode(encoding)
    except UnicodeEncodeError:
        raise SourceError(f"the fix cannot be written in `{encoding}`") from None


def _encoding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError:
        return "utf-8"


def _changed(text: str, edits: Sequence[Edit]) -> str:
    """A text after edits, in their order."""
    starts = [0]
    for match in _LINES.finditer(text):
        starts.append(match.end())
    end = next((m[0][len(m[0].rstrip("\r\n")) :] for m in _LINES.finditer(text)), "") or "\n"

    def offset(place: Position) -> int:
        return min(starts[min(place.line, len(starts)) - 1] + place.column - 1, len(text))

    parts, at = [], 0
    for edit in edits:
        start, stop = offset(edit.span.start), offset(edit.span.end)
        parts += [text[at:start], edit.replacement.replace("\n", end)]
        at = stop
    return "".join([*parts, text[at:]])


def _in_notebook(data: bytes, edits: Sequence[Edit]) -> bytes:
    """As `applied`, of a notebook."""
    encoding = json.detect_encoding(data)
    text = data.decode(encoding, "surrogatepass")
    raw = RawNotebook(data)
    for cell in sorted({edit.span.cell or 0 for edit in edits}, reverse=True):  # the places of those before stay
        text = _in_cell(text, raw, cell, [edit for edit in edits if edit.span.cell == cell])
    return text.encode(encoding, "surrogatepass")


def _in_cell(text: str, raw: RawNotebook, cell: int, edits: Sequence[Edit]) -> str:
    strings = raw.strings(cell)
    if not strings:
        raise SourceError("the cell has no text")
    old = [value for value, _, _ in strings]
    whole = _changed("".join(old), edits)
    ascii_only = all(text[start:end].isascii() for _, start, end in strings)
    if len(strings) == 1 and text[: strings[0][1]].rstrip()[-1:] != "[":
        return text[: strings[0][1]] + json.dumps(whole, ensure_ascii=ascii_only) + text[strings[0][2] :]
    new = _STRINGS.findall(whole) if old == _STRINGS.findall("".join(old)) else [whole]
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head + tail == len(old) and head:  # only lines that are added: behind the last one that stays
        head -= 1
    elif head + tail == len(old):
        tail -= 1
    if not new[head : len(new) - tail] and len(new):
        head, tail = (head - 1, tail) if head else (head, tail - 1)
    gap = text[strings[0][2] : strings[1][1]] if len(strings) > 1 else ", "
    written = gap.join(json.dumps(line, ensure_ascii=ascii_only) for line in new[head : len(new) - tail])
    first, last = strings[head], strings[len(old) - tail - 1]
    return text[: first[1]] + written + text[last[2] :]
