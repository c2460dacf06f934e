"""What does code scanning read? SARIF 2.1.0, as GitHub, Azure DevOps and the viewers of editors take it.

The file is about the repository: uris are relative to its top (`%SRCROOT%`), regions are lines and columns of files
(in a notebook those of its JSON), and a primary region is on one line. Each rule that was asked comes with its page, so
that a viewer explains a finding without a network. The other places of a finding are its `relatedLocations`, to which
the message links, since GitHub shows only those; all places in order are its `codeFlows`.

Which finding this is says the fingerprint `mllint/v1`; line numbers are no part of it. The text is ASCII.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mllint.catalogue.pages import DOCS
from mllint.report.page import essence
from mllint.report.words import first_line

if TYPE_CHECKING:
    from mllint.catalogue.pages import RuleInfo
    from mllint.diagnostic import Diagnostic, Fix, Position, Span
    from mllint.report import Results

__all__ = ["FINGERPRINT", "render"]

FINGERPRINT = "mllint/v1"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_PROBLEMS = {"error": "error", "warning": "warning", "info": "recommendation"}


def render(results: Results) -> str:
    """The whole report as one SARIF log."""
    run = {
        "tool": {"driver": _driver(results)},
        "automationDetails": {"id": "mllint/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The top of the repository that was checked."}}},
        "invocations": [_invocation(results)],
        "results": [_result(diagnostic, results) for diagnostic in results.diagnostics],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _driver(results: Results) -> dict[str, Any]:
    return {
        "name": "mllint",
        "version": results.version,
        "semanticVersion": results.version,
        "informationUri": DOCS,
        "rules": [_rule(info, results.page(info)) for info in results.rules],
    }


def _rule(info: RuleInfo, page: str) -> dict[str, Any]:
    advice = f"Why: {_sentence(info.why)} Help: {_sentence(info.help)}"
    return {
        "id": info.name,
        "name": "".join(word.capitalize() for word in info.name.split("-")),
        "shortDescription": {"text": _sentence(info.summary)},
        "fullDescription": {"text": f"{_sentence(info.summary)} Why: {_sentence(info.why)}"},
        "help": {"text": advice, "markdown": essence(page) or advice},
        "helpUri": info.url,
        "defaultConfiguration": {"level": _LEVELS[info.severity]},
        "properties": {
            "precision": info.confidence,
            "problem.severity": _PROBLEMS[info.severity],
            "tags": [info.family, *info.frameworks],
        },
    }


def _invocation(results: Results) -> dict[str, Any]:
    found: dict[str, Any] = {"executionSuccessful": not results.crashed}
    if results.notes:
        found["toolExecutionNotifications"] = [
            {"level": "warning", "message": {"text": _sentence(note)}} for note in results.notes
        ]
    return found


def _result(diagnostic: Diagnostic, results: Results) -> dict[str, Any]:
    primary = _location(diagnostic.span, diagnostic.primary, results)
    if diagnostic.symbol:
        primary["logicalLocations"] = [{"fullyQualifiedName": diagnostic.symbol}]
    found: dict[str, Any] = {
        "ruleId": diagnostic.rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _message(diagnostic)},
        "locations": [primary],
    }
    index = next((at for at, info in enumerate(results.rules) if info.name == diagnostic.rule), None)
    if index is not None:
        found["ruleIndex"] = index
    if diagnostic.labels:
        others = [_location(label.span, label.message, results) for label in diagnostic.labels]
        found["relatedLocations"] = [{"id": at, **other} for at, other in enumerate(others, 1)]
        steps = [*others, _location(diagnostic.span, diagnostic.primary or diagnostic.message, results)]
        found["codeFlows"] = [{"threadFlows": [{"locations": [{"location": step} for step in steps]}]}]
    found["partialFingerprints"] = {FINGERPRINT: diagnostic.fingerprint}
    found["properties"] = {"confidence": diagnostic.confidence, "why": diagnostic.why, "help": diagnostic.help}
    if diagnostic.span.cell is not None:
        found["properties"] |= {"cell": diagnostic.span.cell, "cellLine": diagnostic.span.start.line}
    if diagnostic.fix is not None and all(edit.span.cell is None for edit in diagnostic.fix.edits):
        found["fixes"] = [_fix(diagnostic.fix, results)]
    return found


def _message(diagnostic: Diagnostic) -> str:
    """What a viewer shows: the message, links to the other places, why it matters, what to do."""
    text = _sentence(diagnostic.message)
    if diagnostic.labels:
        links = (f"[{_linked(label.message)}]({at})" for at, label in enumerate(diagnostic.labels, 1))
        text += f" See: {', '.join(links)}."
    for name, note in (("Why", diagnostic.why), ("Help", diagnostic.help)):
        if note:
            text += f" {name}: {_sentence(note)}"
    return text


def _linked(text: str) -> str:
    for sign in "\\[]":
        text = text.replace(sign, f"\\{sign}")
    return text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _location(span: Span, message: str, results: Results) -> dict[str, Any]:
    inside = first_line(span, results)
    place: dict[str, Any] = {"artifactLocation": _artifact(inside.path), "region": _region(inside.start, inside.end)}
    found: dict[str, Any] = {"physicalLocation": place}
    if message:
        found["message"] = {"text": _sentence(message)}
    return found


def _region(start: Position, end: Position) -> dict[str, int]:
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _artifact(path: str) -> dict[str, str]:
    from urllib.parse import quote

    encoded = path.encode("utf-8", "surrogateescape")  # how Python holds names that are no UTF-8
    if path.startswith("/"):
        return {"uri": f"file://{quote(encoded)}"}
    if path[1:2] == ":":  # a drive
        return {"uri": f"file:///{quote(encoded, safe='/:')}"}
    return {"uri": quote(encoded), "uriBaseId": _ROOT}


def _fix(fix: Fix, results: Results) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        inside = results.in_file(edit.span)
        region = _region(inside.start, inside.end)
        changes.setdefault(inside.path, []).append(
            {"deletedRegion": region, "insertedContent": {"text": edit.replacement}}
        )
    applied: Sequence[dict[str, Any]] = [
        {"artifactLocation": _artifact(path), "replacements": replacements} for path, replacements in changes.items()
    ]
    kind = "safe" if fix.safe else "unsafe"
    return {"description": {"text": _sentence(fix.message or f"A {kind} fix")}, "artifactChanges": applied}
