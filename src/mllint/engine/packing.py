"""How is a report written down so that it can be read back as it was? For the cache, and for jobs to send home.

A report becomes lists, texts and numbers, which is all that JSON holds. Reading trusts nothing: whoever can write to
the folder of a repository can write a cache, so that whatever is not exactly what `pack` makes is a `ValueError`, and
so is a place in a file that the report cannot be about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mllint.diagnostic import Diagnostic, Edit, Fix, Label, Position, Report, Span

if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["counts", "mapping", "pack", "text", "unpack"]

_SEVERITIES, _CONFIDENCES = ("error", "warning", "info"), ("high", "medium", "low")
_MOST = 1 << 32
_LARGEST_FILE = 1 << 25


def pack(report: Report) -> list[Any]:
    """A report as data for JSON."""
    found = [_pack(diagnostic) for diagnostic in report.diagnostics]
    return [report.files, report.lines, report.suppressed, report.crashed, report.notes, found]


def unpack(data: object, paths: Container[str]) -> Report:
    """The report that was packed.

    Args:
        data: what JSON gave.
        paths: the files that it may speak of.

    Raises:
        ValueError: that is no packed report.
    """
    files, lines, suppressed, crashed, notes, found = _row(data, 6)
    files, lines, suppressed = counts([files, lines, suppressed])
    if not isinstance(found, list) or not isinstance(crashed, bool) or not isinstance(notes, list):
        raise ValueError("no report")
    notes = [text(note) for note in notes]
    return Report([_unpack(row, paths) for row in found], files, lines, suppressed, notes, crashed)


def text(value: object) -> str:
    """The value, if it is a text."""
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def counts(values: object) -> list[int]:
    """The values, if they are a list of numbers of a reasonable size."""
    if not isinstance(values, list) or any(value.__class__ is not int for value in values):
        raise ValueError("no numbers")
    if values and not 0 <= min(values) <= max(values) <= _MOST:
        raise ValueError("no reasonable number")
    return values


def mapping(value: object) -> dict[str, Any]:
    """The value, if it is an object (whose keys are texts)."""
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def _pack(diagnostic: Diagnostic) -> list[Any]:
    labels = [[_flat(label.span), label.message] for label in diagnostic.labels]
    fix = diagnostic.fix
    edits = None if fix is None else [fix.safe, fix.message, [[_flat(e.span), e.replacement] for e in fix.edits]]
    return [*diagnostic._replace(span=_flat(diagnostic.span), labels=labels, fix=edits)]  # type: ignore[arg-type]  # plain data in their places


def _flat(span: Span) -> list[Any]:
    return [span.path, *span.start, *span.end, span.cell]


def _unpack(data: object, paths: Container[str]) -> Diagnostic:
    fields: list[Any] = _row(data, len(Diagnostic._fields))
    row = Diagnostic(*fields)
    rows: Any = row.labels
    for value in (
        row.rule,
        row.family,
        row.message,
        row.primary,
        row.why,
        row.help,
        row.url,
        row.symbol,
        row.statement,
    ):
        text(value)
    if row.severity not in _SEVERITIES or row.confidence not in _CONFIDENCES or not isinstance(rows, list):
        raise ValueError("no diagnostic")
    labels = tuple(Label(_span(span, paths), text(message)) for span, message in (_row(r, 2) for r in rows))
    fingerprint = text(row.fingerprint)
    return row._replace(span=_span(row.span, paths), labels=labels, fix=_fix(row.fix, paths), fingerprint=fingerprint)


def _fix(data: object, paths: Container[str]) -> Fix | None:
    if data is None:
        return None
    safe, message, edits = _row(data, 3)
    if not isinstance(safe, bool) or not isinstance(edits, list):
        raise ValueError("no fix")
    rows = [_row(edit, 2) for edit in edits]
    return Fix(tuple(Edit(_span(span, paths), text(replacement)) for span, replacement in rows), safe, text(message))


def _span(data: object, paths: Container[str]) -> Span:
    path, *places, cell = _row(data, 6)
    start_line, start_column, end_line, end_column = counts(places)
    if text(path) not in paths or max(places) > _LARGEST_FILE or not (cell is None or counts([cell])):
        raise ValueError("a place in another file")
    return Span(path, Position(start_line, start_column), Position(end_line, end_column), cell)


def _row(data: object, length: int) -> list[Any]:
    if not isinstance(data, list) or len(data) != length:
        raise ValueError(f"no list of {length}")
    return data
