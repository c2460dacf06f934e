"""What does reviewdog read? Its own diagnostic format, as one `DiagnosticResult`.

Columns are 1-based as ours, but count bytes of UTF-8. The text of a finding is one message; its other places are
`relatedLocations`, a fix is one of its `suggestions`, if it stays in the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mllint.catalogue.pages import DOCS
from mllint.diagnostic import Edit
from mllint.report.words import whole_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mllint.diagnostic import Diagnostic, Position, Span
    from mllint.report import Results

__all__ = ["render"]

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def render(results: Results) -> str:
    """The whole report as one object."""
    found = [_diagnostic(diagnostic, results) for diagnostic in results.diagnostics]
    return json.dumps({"source": {"name": "mllint", "url": DOCS}, "diagnostics": found}, indent=2)


def _diagnostic(diagnostic: Diagnostic, results: Results) -> dict[str, Any]:
    found: dict[str, Any] = {
        "message": "\n".join(whole_text(diagnostic, results)),
        "location": _location(diagnostic.span, results),
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.rule, "url": diagnostic.url},
    }
    if diagnostic.labels:
        found["relatedLocations"] = [
            {"message": label.message, "location": _location(label.span, results)} for label in diagnostic.labels
        ]
    edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
    if edits and all(edit.span[::3] == (diagnostic.span.path, None) for edit in edits):
        one = _together(edits, results)
        found["suggestions"] = [{"range": _location(one.span, results)["range"], "text": one.replacement}]
    return found


def _together(edits: Sequence[Edit], results: Results) -> Edit:
    """The edits of a fix as one, since who reads the report takes each suggestion for a fix of its own."""
    ordered = sorted(edits, key=lambda edit: edit.span[1:3])
    first, last = ordered[0].span, ordered[-1].span
    lines = results.lines_of(first.path, None)
    text, at = "", first.start
    for edit in ordered:
        text += _between(lines, at, edit.span.start) + edit.replacement
        at = edit.span.end
    return Edit(first._replace(end=last.end), text)


def _between(lines: Sequence[str], start: Position, end: Position) -> str:
    """The text of a file between two places."""
    if start.line == end.line:
        return lines[start.line - 1][start.column - 1 : end.column - 1] if start.line <= len(lines) else ""
    inside = lines[start.line : end.line - 1]
    behind = lines[end.line - 1][: end.column - 1] if end.line <= len(lines) else ""
    return "\n".join([lines[start.line - 1][start.column - 1 :], *inside, behind])


def _location(span: Span, results: Results) -> dict[str, Any]:
    inside = results.in_file(span)
    if span.cell is None:
        lines = results.lines_of(span.path, None)
        start, end = (_in_bytes(position, lines) for position in (inside.start, inside.end))
    else:  # the lines of the JSON are not at hand
        start, end = ({"line": position.line} for position in (inside.start, inside.end))
    return {"path": inside.path, "range": {"start": start, "end": end}}


def _in_bytes(position: Position, lines: Any) -> dict[str, int]:
    text = lines[position.line - 1] if position.line <= len(lines) else ""
    behind = max(position.column - 1 - len(text), 0)
    before = text[: position.column - 1].encode("utf-8", "surrogatepass")
    return {"line": position.line, "column": len(before) + behind + 1}
