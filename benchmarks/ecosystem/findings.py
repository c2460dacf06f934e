"""What did we expect, what was found, and how good is that?

Pure functions over two kinds of plain data: `Finding`, one line of `expected.json` (with the label that a reader gave
it), and `Outcome`, what one run over one package said. A finding is recognised by mllint's own fingerprint; the
packages are pinned, so a different fingerprint means that mllint changed its mind.

    true       the code does what the finding says, and it matters
    debatable  the code does it, on purpose or without harm
    false      the code does not do it, or is right to do it

Files that do not parse (`syntax-error`: Python 2, templates) are counted but not labelled: there is nothing to judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

__all__ = [
    "LABELS",
    "UNJUDGED",
    "Difference",
    "Finding",
    "Outcome",
    "by_package",
    "by_rule",
    "compare",
    "dump",
    "load",
    "outcome",
    "review",
    "table",
    "updated",
]

LABELS = ("true", "debatable", "false")
UNJUDGED = frozenset(("syntax-error", "internal-error"))
_WIDTH = 140


class Finding(NamedTuple):
    """A finding in a package, and what a reader thought of it (label "" means nobody has read it)."""

    package: str
    path: str
    line: int
    rule: str
    text: str
    fingerprint: str
    label: str = ""
    reason: str = ""


class Outcome(NamedTuple):
    """What a run over one package said. `problem` is "" if it finished; `unread` files are neither read nor noted."""

    package: str
    files: int
    lines: int
    findings: tuple[Finding, ...]
    unparsed: int
    crashes: int
    notes: tuple[str, ...]
    unread: int
    seconds: float
    problem: str = ""


class Difference(NamedTuple):
    """Expected against found: `moved` pairs a gone finding with a new one of the same rule in the same file."""

    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    moved: tuple[tuple[Finding, Finding], ...]


def load(text: str) -> list[Finding]:
    """The findings of `expected.json`.

    Raises:
        ValueError: a label that is none, or one without a reason.
    """
    findings = [Finding(**entry) for entry in json.loads(text)]
    for finding in findings:
        if finding.label not in ("", *LABELS) or (finding.label and not finding.reason):
            raise ValueError(f"{finding.package} {finding.path}:{finding.line}: needs a label of {LABELS} and a reason")
    return findings


def dump(findings: Iterable[Finding]) -> str:
    """One finding per line, sorted, so that a difference reads well."""
    lines = [json.dumps(finding._asdict(), ensure_ascii=False) for finding in sorted(findings)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def outcome(package: str, report: dict[str, Any], quote: Any, on_disk: int, seconds: float) -> Outcome:
    """Read the JSON report of one run.

    Args:
        package: its name.
        report: what `mllint check --output-format json` printed.
        quote: gives the text of (path, line, cell).
        on_disk: how many files a check of this folder is expected to read.
        seconds: CPU time of the run.
    """
    rules = [diagnostic["rule"] for diagnostic in report["diagnostics"]]
    findings = tuple(
        Finding(
            package,
            d["path"],
            d["start"]["line"],
            d["rule"],
            quote(d["path"], d["start"]["line"], d["cell"])[:_WIDTH],
            d["fingerprint"],
        )
        for d in report["diagnostics"]
        if d["rule"] not in UNJUDGED
    )
    summary, notes = report["summary"], tuple(report["notes"])
    return Outcome(
        package,
        summary["files"],
        summary["lines"],
        findings,
        rules.count("syntax-error"),
        rules.count("internal-error"),
        notes,
        max(on_disk - summary["files"] - len(notes), 0),
        seconds,
    )


def compare(expected: Iterable[Finding], outcomes: Iterable[Outcome]) -> Difference:
    """What is new, gone or elsewhere, in the packages whose run finished."""
    finished = [outcome for outcome in outcomes if not outcome.problem]
    names = {outcome.package for outcome in finished}
    before = {(f.package, f.fingerprint): f for f in expected if f.package in names}
    after = {(f.package, f.fingerprint): f for outcome in finished for f in outcome.findings}
    new = [after[key] for key in after if key not in before]
    gone = [before[key] for key in before if key not in after]
    moved = []
    for old in list(gone):
        twin = next((f for f in new if (f.package, f.path, f.rule) == (old.package, old.path, old.rule)), None)
        if twin is not None:
            gone.remove(old)
            new.remove(twin)
            moved.append((old, twin))
    return Difference(tuple(sorted(new)), tuple(sorted(gone)), tuple(sorted(moved)))


def updated(expected: Iterable[Finding], outcomes: Iterable[Outcome]) -> list[Finding]:
    """The expected findings after a run: labels stay, new ones have none, what is gone goes."""
    expected, outcomes = list(expected), list(outcomes)
    finished = {outcome.package for outcome in outcomes if not outcome.problem}
    labels = {(f.package, f.fingerprint): (f.label, f.reason) for f in expected}
    kept = [f for f in expected if f.package not in finished]
    for outcome in outcomes:
        for f in outcome.findings if not outcome.problem else ():
            label, reason = labels.get((f.package, f.fingerprint), ("", ""))
            kept.append(f._replace(label=label, reason=reason))
    return kept


def review(difference: Difference) -> str:
    """The difference as a Markdown table, for whoever changed a rule."""
    rows = [("new", f, "") for f in difference.new]
    rows += [("gone", f, f.label) for f in difference.gone]
    rows += [("moved", new, f"from line {old.line}, was {old.label or 'unread'}") for old, new in difference.moved]
    if not rows:
        return "No difference to the expected findings."
    shown = [(k, f.rule, f.package, f"{f.path}:{f.line}", f"`{f.text}`".replace("|", "\\|"), w) for k, f, w in rows]
    return table(("", "rule", "package", "place", "code", "label"), shown)


def by_package(expected: Sequence[Finding], outcomes: Sequence[Outcome]) -> str:
    """Files, lines and labels of each package, as a Markdown table."""
    rows = []
    for o in sorted(outcomes):
        labels = [f.label for f in expected if f.package == o.package]
        rows.append((o.package, o.files, o.lines, len(labels), *(labels.count(label) for label in LABELS)))
    total = [sum(row[column] for row in rows) for column in range(1, 7)]
    return table(("package", "files", "lines", "findings", *LABELS), [*rows, ("**all**", *total)])


def by_rule(expected: Sequence[Finding]) -> str:
    """Labels and precision of each rule, as a Markdown table; debatable findings are no false ones."""
    rules = sorted({finding.rule for finding in expected})
    rows = [(rule, *_share([f for f in expected if f.rule == rule])) for rule in rules]
    return table(("rule", "labels", *LABELS, "precision"), [*rows, ("**all**", *_share(expected))])


def _share(findings: Sequence[Finding]) -> tuple[object, ...]:
    labels = [finding.label for finding in findings if finding.label]
    counts = [labels.count(label) for label in LABELS]
    precision = f"{100 * (1 - counts[2] / len(labels)):.1f}%" if labels else "-"
    return (len(labels), *counts, precision)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; columns of numbers are set to the right."""

    def cell(value: object) -> str:
        return f"{value:,}" if isinstance(value, int) else str(value)

    right = {*LABELS, "files", "lines", "findings", "labels", "precision", "strictly"}
    rule = "|".join("---:" if name in right else "---" for name in head)
    lines = ["| " + " | ".join(head) + " |", f"|{rule}|"]
    return "\n".join([*lines, *("| " + " | ".join(cell(value) for value in row) + " |" for row in rows)])
