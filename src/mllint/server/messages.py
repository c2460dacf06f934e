"""How does the protocol say a finding?

    finding            diagnostic
    rule               code, with the address of the page behind it
    message, primary   message
    labels             relatedInformation, in this and in other files
    span               range, in the units of the editor

Where the editor has what is said, the `DocumentStore` knows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from mllint.diagnostic import Diagnostic
from mllint.project.discovery import digest

if TYPE_CHECKING:
    from mllint.server.document_store import DocumentStore, Place
    from mllint.server.documents import Encoding

__all__ = ["diagnostic", "range_of", "result_id"]

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_UNNECESSARY = frozenset(("unused-suppression",))


def diagnostic(found: Diagnostic, store: DocumentStore) -> types.Diagnostic:
    """A finding, as the protocol says it."""
    related = []
    for label in found.labels:
        place = store.place(label.span)
        location = types.Location(place.uri, range_of(place, store.encoding))
        related.append(types.DiagnosticRelatedInformation(location, label.message))
    return types.Diagnostic(
        range=range_of(store.place(found.span), store.encoding),
        message=f"{found.message}\nhelp: {found.help}" if found.help else found.message,
        severity=_SEVERITIES[found.severity],
        code=found.rule,
        code_description=types.CodeDescription(found.url) if found.url else None,
        source="mllint",
        tags=[types.DiagnosticTag.Unnecessary] if found.rule in _UNNECESSARY else None,
        related_information=related or None,
    )


def range_of(place: Place, encoding: Encoding) -> types.Range:
    """A place in the units of the editor."""
    start, end = encoding.range(place.span, place.lines)
    return types.Range(types.Position(*start), types.Position(*end))


def result_id(items: list[types.Diagnostic]) -> str:
    """What stands for a list of diagnostics: equal lists have equal ids."""
    return digest(json.dumps([_plain(item) for item in items]).encode())


def _plain(item: types.Diagnostic) -> list[Any]:
    related = [(r.message, r.location.uri, _numbers(r.location.range)) for r in item.related_information or ()]
    return [_numbers(item.range), item.message, item.code, item.severity, related]


def _numbers(where: types.Range) -> tuple[int, int, int, int]:
    return where.start.line, where.start.character, where.end.line, where.end.character
