"""What does GitLab's code quality widget read? A list of issues, as Code Climate's specification has them.

GitLab compares the fingerprints of two branches, so each is there once. It shows the description and the first line;
the places, the reason and the advice are the `content` of an issue, and its other places `other_locations`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mllint.report.words import first_line, footnotes, place, places

if TYPE_CHECKING:
    from mllint.diagnostic import Diagnostic, Span
    from mllint.report import Results

__all__ = ["render"]

_SEVERITIES = {"error": "critical", "warning": "major", "info": "info"}


def render(results: Results) -> str:
    """A list with an issue for each finding, empty if there are none."""
    return json.dumps([_issue(diagnostic, results) for diagnostic in results.diagnostics], indent=2)


def _issue(diagnostic: Diagnostic, results: Results) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "issue",
        "check_name": diagnostic.rule,
        "description": f"{diagnostic.rule}: {diagnostic.message}",
        "content": {"body": _body(diagnostic, results)},
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[diagnostic.severity],
        "fingerprint": diagnostic.fingerprint,
        "location": _location(diagnostic.span, results),
    }
    if diagnostic.labels:
        found["other_locations"] = [_location(label.span, results) for label in diagnostic.labels]
    return found


def _body(diagnostic: Diagnostic, results: Results) -> str:
    rows = [f"- {place(span, results)}: {message}" for span, message in places(diagnostic)]
    rows += [f"- {name}: {note}" for name, note in footnotes(diagnostic) if name != "fingerprint"]
    return "\n".join(rows)


def _location(span: Span, results: Results) -> dict[str, Any]:
    inside = first_line(span, results)
    begin, end = inside.start, inside.end
    return {
        "path": inside.path,
        "positions": {
            "begin": {"line": begin.line, "column": begin.column},
            "end": {"line": end.line, "column": end.column},
        },
    }
