"""How is a stretch of code drawn on a terminal, with the places that matter underlined?

    38 |         probs = F.softmax(model(x), dim=1)
       |                 -------------------------- softmax applied here
    ...
    42 |         loss = F.cross_entropy(probs, y)
       |                                ^^^^^ expects logits

Marks on one line share its underline: the message of the one that ends last stands behind it, the others hang below on
their own `|`. Columns are columns of the terminal, not characters: tabs are expanded, East Asian characters and emoji
take two, combining marks none. A line that is too long is cut on both sides of its marks.

A mark that covers several lines underlines the first of them; brackets along the margin are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mllint.report.style import Style, clean

__all__ = ["Mark", "draw"]

_TAB = 4
_CUT = "..."


class Mark(NamedTuple):
    """One underlined place: 1-based line, 1-based columns in code points (`end` exclusive)."""

    line: int
    start: int
    end: int
    message: str
    severity: str
    """The severity of the finding for its primary place, "label" for the others."""

    @property
    def primary(self) -> bool:
        """Whether this is the place the finding is about."""
        return self.severity != "label"


def draw(lines: Sequence[str], marks: Sequence[Mark], *, gutter: int, width: int, style: Style) -> Iterator[str]:
    """Draw the marked lines.

    Args:
        lines: all lines of the file.
        marks: the places to underline; those beyond the end of the file are left out.
        gutter: how many columns line numbers take.
        width: columns of the terminal.
        style: paints.

    Yields:
        Lines of the drawing, without line ends.
    """
    previous = 0
    for number in sorted({mark.line for mark in marks if 1 <= mark.line <= len(lines)}):
        if previous and number == previous + 2:
            yield _code(previous + 1, _Row(lines[previous], [], width - gutter - 3).text, gutter, style)
        elif previous and number > previous + 2:
            yield style("...", "frame")
        row = _Row(lines[number - 1], [mark for mark in marks if mark.line == number], width - gutter - 3)
        yield _code(number, row.text, gutter, style)
        for under in row.underlines(style):
            yield f"{' ' * gutter} {style('|', 'frame')} {under}"
        previous = number


def _code(number: int, text: str, gutter: int, style: Style) -> str:
    return f"{style(str(number).rjust(gutter), 'frame')} {style('|', 'frame')} {text}".rstrip()


class _Row:
    """One line of code as columns of the terminal, with its marks."""

    __slots__ = ("marks", "text")

    def __init__(self, line: str, marks: Sequence[Mark], room: int) -> None:
        line = line.rstrip()
        cells = list(_cells(line))
        offsets = [0]
        for cell in cells:
            offsets.append(offsets[-1] + cell[1])
        placed = [_placed(mark, offsets) for mark in marks]
        left, right = _window(offsets[-1], placed, max(room, 20))
        self.text = _clip(cells, offsets, left, right)
        self.marks = [
            (max(start, left) - left, max(min(end, right), max(start, left) + 1) - left, mark)
            for start, end, mark in placed
        ]

    def underlines(self, style: Style) -> Iterator[str]:
        """The rows below the code: the underline with one message, then the messages that hang."""
        inline = max(self.marks, key=lambda placed: (placed[1], placed[0], placed[2].primary))
        yield f"{self._underline(style)} {style(clean(inline[2].message), inline[2].severity)}".rstrip()
        hanging = [placed for placed in self.marks if placed is not inline and placed[2].message]
        hanging.sort(key=lambda placed: placed[0])
        if hanging:
            yield _bars(hanging, style)
        while hanging:
            start, _, mark = hanging.pop()
            bars = _bars([placed for placed in hanging if placed[0] < start], style, upto=start)
            yield f"{bars}{style(clean(mark.message), mark.severity)}"

    def _underline(self, style: Style) -> str:
        chars: list[tuple[str, str]] = [(" ", "")] * max(end for _, end, _ in self.marks)
        for start, end, mark in sorted(self.marks, key=lambda placed: placed[2].primary):
            sign = "^" if mark.primary else "-"
            chars[start:end] = [(sign, mark.severity)] * (end - start)
        pieces: list[str] = []
        at = 0
        while at < len(chars):
            run = at
            while run < len(chars) and chars[run] == chars[at]:
                run += 1
            sign, what = chars[at]
            pieces.append(style(sign * (run - at), what) if what else sign * (run - at))
            at = run
        return "".join(pieces)


def _bars(placed: Sequence[tuple[int, int, Mark]], style: Style, *, upto: int = 0) -> str:
    text, at = "", 0
    for start, what in sorted({start: mark.severity for start, _, mark in placed}.items()):
        text += " " * (start - at) + style("|", what)
        at = start + 1
    return text + " " * (upto - at)


def _cells(line: str) -> Iterator[tuple[str, int]]:
    if line.isascii() and line.isprintable():
        for char in line:
            yield char, 1
        return
    from unicodedata import category, east_asian_width

    column = 0
    for char in line:
        if char == "\t":
            cell = (" " * (_TAB - column % _TAB), _TAB - column % _TAB)
        elif (safe := clean(char)) != char:
            cell = (safe, 1)
        elif category(char) in ("Mn", "Me", "Cf"):
            cell = (char, 0)
        else:
            cell = (char, 2 if east_asian_width(char) in "WF" else 1)
        column += cell[1]
        yield cell


def _placed(mark: Mark, offsets: Sequence[int]) -> tuple[int, int, Mark]:
    last = len(offsets) - 1
    start = offsets[min(max(mark.start - 1, 0), last)]
    end = offsets[min(max(mark.end - 1, 0), last)]
    return start, max(end, start + 1), mark


def _window(total: int, placed: Sequence[tuple[int, int, Mark]], room: int) -> tuple[int, int]:
    """The columns to show: all of them, or as many as fit around the marks."""
    if total <= room:
        return 0, total
    if not placed:
        return 0, room
    low = min(start for start, _, _ in placed)
    high = max(end for _, end, _ in placed)
    if high - low > room - 2 * len(_CUT):
        low, high = next(((start, end) for start, end, mark in placed if mark.primary), placed[0][:2])
    margin = max(len(_CUT), (room - (high - low)) // 2)
    left = max(0, min(low - margin, total - room))
    return left, left + room


def _clip(cells: Sequence[tuple[str, int]], offsets: Sequence[int], left: int, right: int) -> str:
    first = left + len(_CUT) if left else 0
    last = right - len(_CUT) if right < offsets[-1] else right
    text, at = "", first
    for (char, size), offset in zip(cells, offsets, strict=False):
        if offset >= first and offset + size <= last:
            text += " " * (offset - at) + char
            at = offset + size
    text = (_CUT if left else "") + text
    return text + " " * (last - at) + _CUT if right < offsets[-1] else text
