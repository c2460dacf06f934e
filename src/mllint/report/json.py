"""What do programs read?

One JSON object: `schema_version`, a `summary`, the `notes` (files that were skipped, and why) and the `diagnostics`.
Positions are 1-based, columns count code points, `end` is exclusive. The output is ASCII, so that no terminal's
encoding can spoil it, and the same bytes for the same input.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mllint.diagnostic import Diagnostic, Fix, Position, Span

if TYPE_CHECKING:
    from mllint.report import Results

__all__ = ["SCHEMA_VERSION", "one", "render"]

SCHEMA_VERSION = 1


def render(results: Results) -> str:
    """The whole report as one JSON text."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "summary": {
            **_counts(results.diagnostics),
            "files": results.files,
            "lines": results.lines,
            "rules": results.asked,
            "suppressed": results.suppressed,
            "baselined": results.baselined,
            "stale": results.stale,
            "scope": results.scope,
            "crashed": results.crashed,
        },
        "notes": list(results.notes),
        "diagnostics": [one(diagnostic) for diagnostic in results.diagnostics],
    }
    return json.dumps(document, indent=2)


def statistics(results: Results) -> str:
    """How often each rule fired, most frequent first, as one JSON text."""
    by_rule: dict[str, list[Diagnostic]] = {}
    for diagnostic in results.diagnostics:
        by_rule.setdefault(diagnostic.rule, []).append(diagnostic)
    rows = [
        {
            "rule": rule,
            "family": found[0].family,
            "severity": found[0].severity,
            "count": len(found),
            "files": len({diagnostic.span.path for diagnostic in found}),
            "url": found[0].url,
        }
        for rule, found in sorted(by_rule.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    return json.dumps(rows, indent=2)


def _counts(diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    severities = [diagnostic.severity for diagnostic in diagnostics]
    by_rule: dict[str, int] = {}
    for diagnostic in diagnostics:
        by_rule[diagnostic.rule] = by_rule.get(diagnostic.rule, 0) + 1
    return {
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "infos": severities.count("info"),
        "files_with_findings": len({diagnostic.span.path for diagnostic in diagnostics}),
        "by_rule": dict(sorted(by_rule.items())),
    }


def one(diagnostic: Diagnostic) -> dict[str, Any]:
    """One finding as an object."""
    labels = [{"role": "primary", "message": diagnostic.primary, **_span(diagnostic.span)}]
    labels += [{"role": "secondary", "message": label.message, **_span(label.span)} for label in diagnostic.labels]
    return {
        "rule": diagnostic.rule,
        "family": diagnostic.family,
        "severity": diagnostic.severity,
        "confidence": diagnostic.confidence,
        "message": diagnostic.message,
        "why": diagnostic.why,
        "help": diagnostic.help,
        "url": diagnostic.url,
        **_span(diagnostic.span),
        "labels": labels,
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix),
        "symbol": diagnostic.symbol,
        "fingerprint": diagnostic.fingerprint,
    }


def _span(span: Span) -> dict[str, Any]:
    path = span.path.replace("\\", "/")
    return {"path": path, "start": _position(span.start), "end": _position(span.end), "cell": span.cell}


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "applicability": "safe" if fix.safe else "unsafe",
        "message": fix.message,
        "edits": [{"replacement": edit.replacement, **_span(edit.span)} for edit in fix.edits],
    }
