"""What mllint says: plain, immutable data that every output format and the editor share.

This module imports nothing of ours. Positions are 1-based lines and 1-based columns counted in code points; `end` is
exclusive (the column just behind the last character), as editors and SARIF expect it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

__all__ = ["Confidence", "Diagnostic", "Edit", "Fix", "Label", "Position", "Report", "Severity", "Span", "merge"]

if TYPE_CHECKING:
    Severity = Literal["error", "warning", "info"]
    Confidence = Literal["high", "medium", "low"]
else:
    Severity = Confidence = str


class Position(NamedTuple):
    """A place between two characters: 1-based `line`, 1-based `column` in code points."""

    line: int
    column: int


class Span(NamedTuple):
    """A stretch of one file. `cell` is the 1-based notebook cell (over all cells), None outside notebooks."""

    path: str
    start: Position
    end: Position
    cell: int | None = None


class Label(NamedTuple):
    """A second place that belongs to the finding, with the few words that explain its part in it."""

    span: Span
    message: str


class Edit(NamedTuple):
    """Replace the text of `span` by `replacement`."""

    span: Span
    replacement: str


class Fix(NamedTuple):
    """Edits that belong together; `safe` means that the trained result stays the same."""

    edits: tuple[Edit, ...]
    safe: bool
    message: str = ""


class Diagnostic(NamedTuple):
    """One finding, complete: what every format needs and nothing else."""

    rule: str
    family: str
    severity: Severity
    confidence: Confidence
    message: str
    span: Span
    primary: str = ""
    """The words under the primary span (may be empty)."""
    labels: tuple[Label, ...] = ()
    why: str = ""
    help: str = ""
    url: str = ""
    symbol: str = ""
    """Qualified name of the enclosing function or class, empty at module level."""
    fingerprint: str = ""
    fix: Fix | None = None
    statement: str = ""
    """What stands for the statement that the finding is about, whatever its layout; equals in a file are numbered."""


class Report(NamedTuple):
    """What a run found. `notes` are sentences about files that were left out; `crashed` says that a rule raised."""

    diagnostics: list[Diagnostic]
    files: int
    lines: int
    suppressed: int
    notes: list[str]
    crashed: bool
    baselined: int = 0
    """How many findings the baseline hides."""
    stale: int = 0
    """How many of its entries nothing needs any more."""
    scope: str = ""
    """What is reported, such as "what is new since `main`"; empty if that is everything."""


def merge(reports: Iterable[Report], notes: Sequence[str] = ()) -> Report:
    """The reports of parts as one, in the order in which findings are shown; `notes` join their notes."""
    parts = list(reports)
    found = [diagnostic for part in parts for diagnostic in part.diagnostics]
    found.sort(key=lambda d: (d.span.path, d.span.cell or 0, d.span.start, d.rule, d.message))
    counts = (sum(part.files for part in parts), sum(part.lines for part in parts))
    all_notes = sorted({*notes, *(note for part in parts for note in part.notes)})
    return Report(found, *counts, sum(p.suppressed for p in parts), all_notes, any(p.crashed for p in parts))
