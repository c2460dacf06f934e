"""How is a name taken out of a suppression that nothing needs?

    loss = f(x)  # mllint: ignore[double-softmax] a calibrated head    ->  loss = f(x)
    # mllint: ignore[double-softmax, missing-eval-mode] a toy          ->  # mllint: ignore[missing-eval-mode] a toy

The comment goes with its last name, and its reason with it; a line that held nothing else goes, too. A range is left
alone, since it has an end somewhere, and so is `noqa`, which belongs to many tools.
"""

from __future__ import annotations

import re

from mllint.diagnostic import Edit, Fix, Position, Span
from mllint.sources.source import Source

__all__ = ["removal"]

_COMMENT = re.compile(r"[ \t]*#[ \t]*mllint:[ \t]*(?:file-)?ignore[ \t]*\[(?P<names>[^\]\n]*)\][^#]*$")


def removal(source: Source, span: Span) -> Fix | None:
    """The fix that takes a name out of a suppression; None where the comment is of another kind.

    Args:
        source: the file.
        span: the name.
    """
    number = source.document_line(span)
    line = source.line_text(number)
    found = next((m for m in _COMMENT.finditer(line) if m.start("names") < span.start.column <= m.end("names")), None)
    if found is None:
        return None
    names = [name for name in re.split(r"[\s,]+", found["names"]) if name]
    gone = line[span.start.column - 1 : span.end.column - 1]
    if len(names) > 1:
        left = ", ".join(name for name in names if name != gone)
        return _fix(span, found.start("names"), found.end("names"), left)
    is_last = number == source.text.count("\n") + 1 or (
        source.cells is not None and source.cells.locate(number + 1)[0] != span.cell
    )
    if line[: found.start()].strip() or is_last:
        return _fix(span, found.start(), len(line), "")
    start = Position(span.start.line, 1)
    whole = span._replace(start=start, end=Position(span.start.line + 1, 1))
    return Fix((Edit(whole, ""),), True, "Remove the comment")


def _fix(span: Span, start: int, end: int, text: str) -> Fix:
    """Another text in a part of the line of a name."""
    line = span.start.line
    edit = Edit(span._replace(start=Position(line, start + 1), end=Position(line, end + 1)), text)
    return Fix((edit,), True, "Remove the name" if text else "Remove the comment")
