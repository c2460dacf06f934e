"""How do findings read on a page: a step summary, a comment on a change, a wiki?

A heading with the count, a table with a row for each finding, errors first, and below it each finding with its places,
the reason and the advice, folded away. Where the place of the repository on the web is known, locations are links.

What the user's code says stays text: outside of code spans everything that Markdown or HTML would read is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.report.style import clean
from mllint.report.words import footnotes, place, places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mllint.diagnostic import Diagnostic, Span
    from mllint.report import Results

__all__ = ["render"]

_SPECIAL = frozenset("\\`*_[]<>#|~$@&")
_RANKS = ("error", "warning", "info")
_HEAD = ("| | where | rule | finding |", "|---|---|---|---|")


def render(results: Results, most: int = 0) -> str:
    """The report as Markdown.

    Args:
        results: what was found.
        most: how many bytes it may be long; 0 for any length. Details are left out first, then rows, and it says so.
    """
    head = [f"### mllint: {_inline(results.verdict)}", ""]
    if results.notes:
        head += [*(f"- {_inline(note)}" for note in results.notes), ""]
    found = sorted(results.diagnostics, key=lambda diagnostic: _RANKS.index(diagnostic.severity))
    if not found:
        return "\n".join(head)
    rows = [_row(diagnostic, results) for diagnostic in found]
    text = "\n".join([*head, *_HEAD, *rows, "", *_details(found, results), ""])
    if not most or _size(text) <= most:
        return text
    return "\n".join([*head, *_HEAD, *_within(rows, most - _size("\n".join(head)) - 200), ""])


def _within(rows: Sequence[str], room: int) -> Iterator[str]:
    """As many rows as there is room for, and what became of the others."""
    for at, row in enumerate(rows):
        room -= _size(row) + 1
        if room < 0:
            yield f"\n{len(rows) - at} more findings are in the log."
            return
        yield row
    yield "\nThe log has every finding with its code."


def _row(diagnostic: Diagnostic, results: Results) -> str:
    rule = _link(diagnostic.rule, diagnostic.url)
    where = _place(diagnostic.span, results)
    return f"| {diagnostic.severity} | {where} | {rule} | {_inline(diagnostic.message)} |"


def _details(found: Sequence[Diagnostic], results: Results) -> Iterator[str]:
    yield "<details><summary>Each finding with its places, the reason and what to do</summary>"
    yield ""
    for diagnostic in found:
        yield f"**{diagnostic.severity}[{diagnostic.rule}]** {_inline(diagnostic.message)}"
        yield ""
        for span, message in places(diagnostic):
            yield f"- {_place(span, results)}: {_inline(message)}"
        for name, note in footnotes(diagnostic):
            shown = f"<{note}>" if name == "docs" else f"`{note}`" if name == "fingerprint" else _inline(note)
            yield f"- {name}: {shown}"
        yield ""
    yield "</details>"


def _place(span: Span, results: Results) -> str:
    shown = _code(place(span, results))
    inside = results.in_file(span)
    if not results.browse or inside.path.startswith("/"):
        return shown
    from urllib.parse import quote

    return f"[{shown}]({results.browse}{quote(inside.path.encode('utf-8', 'surrogateescape'))}#L{inside.start.line})"


def _link(text: str, url: str) -> str:
    return f"[{text}]({url})" if url else text


def _inline(text: str) -> str:
    """A sentence with its code spans; the rest of it escaped."""
    pieces = clean(text).split("`")
    if len(pieces) % 2 == 0:  # an odd back-tick: no telling what is code
        return _escaped(clean(text))
    return "".join(_code(piece) if at % 2 else _escaped(piece) for at, piece in enumerate(pieces))


def _code(text: str) -> str:
    text = clean(text).replace("|", "\\|")
    fence = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in text)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
