"""What does reviewdog read? Its own diagnostic format, as one `DiagnosticResult`.

Columns are 1-based as ours, but count bytes of UTF-8. The text of a finding is one message; its other places are
`relatedLocations`, a fix is a list of `suggestions`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mllint.catalogue.pages import DOCS
from mllint.report.words import told

if TYPE_CHECKING:
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
        "message": "\n".join(told(diagnostic, results)),
        "location": _location(diagnostic.span, results),
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.rule, "url": diagnostic.url},
    }
    if diagnostic.labels:
        found["relatedLocations"] = [
            {"message": label.message, "location": _location(label.span, results)} for label in diagnostic.labels
        ]
    if diagnostic.fix is not None and all(edit.span.cell is None for edit in diagnostic.fix.edits):
        found["suggestions"] = [
            {"range": _location(edit.span, results)["range"], "text": edit.replacement} for edit in diagnostic.fix.edits
        ]
    return found


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
