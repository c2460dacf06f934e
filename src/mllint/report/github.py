"""What does GitHub show beside the lines of a change? Annotations, which are commands in the log of a step.

GitHub takes ten annotations of a kind from a step and drops the others silently. Where there are more findings, those
of a rule in one file are merged into one annotation that lists their lines; of what is left the surest come first, and
among those no rule twice before each was there once. The tenth then says how many more there are and where they are.

Everything in a command is escaped as the runner takes it apart again. The log of a step holds text besides, and text
that happens to look like a command would be one: `muted` sees to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mllint.report import counted
from mllint.report.style import clean
from mllint.report.words import first_line, whole_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mllint.diagnostic import Diagnostic
    from mllint.report import Results

__all__ = ["MOST", "muted", "render"]

MOST = 10
"""So many annotations of a kind GitHub shows for a step."""

_KINDS = {"error": "error", "warning": "warning", "info": "notice"}
_CONFIDENCES = ("high", "medium", "low")
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


class _Group(NamedTuple):
    """Findings that are one annotation, at the place of the first."""

    first: Diagnostic
    others: Sequence[Diagnostic] = ()


def render(results: Results) -> str:
    """The annotations, a line each."""
    rows: list[str] = []
    for severity, kind in _KINDS.items():
        found = [diagnostic for diagnostic in results.diagnostics if diagnostic.severity == severity]
        groups, left = _chosen(found)
        rows += [_annotation(kind, group, results) for group in groups]
        if left:
            text = f"{counted(left, f'more {kind}')} of mllint: the log of this step and its summary have them all"
            rows.append(f"::{kind} title=mllint::{text}")
    return "".join(f"{row}\n" for row in rows)


def muted(lines: Iterable[str]) -> list[str]:
    """Lines of text for the same log, none of which is taken for a command."""
    from hashlib import sha256

    text = list(lines)
    if not any(_is_command(line) for line in text):
        return text
    # The token follows from the text, so that no text can hold its own.
    token = sha256("\n".join(text).encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return [f"::stop-commands::{token}", *text, f"::{token}::"]


def _is_command(line: str) -> bool:
    start = line.lstrip()
    return (start.startswith("::") and "::" in start[2:]) or "##[" in line


def _chosen(found: Sequence[Diagnostic]) -> tuple[list[_Group], int]:
    """The annotations of a kind, and how many findings have none."""
    if len(found) <= MOST:
        return [_Group(diagnostic) for diagnostic in found], 0
    merged: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in found:
        merged.setdefault((diagnostic.rule, diagnostic.span.path), []).append(diagnostic)
    groups = [_Group(same[0], same[1:]) for same in merged.values()]
    if len(groups) <= MOST:
        return groups, 0
    turns: dict[str, int] = {}
    ranks: list[tuple[int, int, int]] = []
    for at, group in enumerate(groups):
        turn = turns[group.first.rule] = turns.get(group.first.rule, -1) + 1
        ranks.append((_CONFIDENCES.index(group.first.confidence), turn, at))
    kept = [groups[at] for at in sorted(at for _, _, at in sorted(ranks)[: MOST - 1])]
    return kept, len(found) - sum(1 + len(group.others) for group in kept)


def _annotation(kind: str, group: _Group, results: Results) -> str:
    first = group.first
    inside = first_line(first.span, results)
    facts = {
        "file": inside.path,
        "line": str(inside.start.line),
        "endLine": str(inside.end.line),
        "col": str(inside.start.column),
        "endColumn": str(inside.end.column),
        "title": f"mllint: {first.rule}",
    }
    properties = ",".join(f"{name}={_escaped(clean(value), _PROPERTY)}" for name, value in facts.items())
    lines = [clean(line) for line in whole_text(first, results)]
    if group.others:
        also = ", ".join(str(first_line(other.span, results).start.line) for other in group.others)
        lines.insert(1, f"also in this file, line {also}")
    return f"::{kind} {properties}::{_escaped(chr(10).join(lines), _DATA)}"


def _escaped(text: str, codes: dict[str, str]) -> str:
    return "".join(codes.get(char, char) for char in text)
