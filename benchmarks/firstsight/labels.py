"""What was found in the sample, what a reader thought of each finding, and how good that is.

Pure functions over plain data. A finding is recognised by mllint's fingerprint within its repository; the commits are
pinned, so a fingerprint that is gone means that mllint changed its mind.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.ecosystem.findings import LABELS, UNJUDGED, table

__all__ = ["Finding", "dump", "fate", "findings", "load", "merged", "report"]


class Finding(NamedTuple):
    """A finding, and what a reader thought of it (label "" means that nobody has read it)."""

    repository: str
    path: str
    cell: int | None
    line: int
    rule: str
    severity: str
    fingerprint: str
    label: str = ""
    reason: str = ""

    @property
    def place(self) -> str:
        """Repository, file, cell and line, as people write them."""
        cell = f"cell {self.cell}:" if self.cell is not None else ""
        return f"{self.repository} {self.path}:{cell}{self.line}"


def load(text: str) -> list[Finding]:
    """The findings of `labels.json`.

    Raises:
        ValueError: a label that is none, or one without a reason.
    """
    found = [Finding(**entry) for entry in json.loads(text)]
    for one in found:
        if one.label not in ("", *LABELS) or (one.label and not one.reason):
            raise ValueError(f"{one.place}: needs a label of {LABELS} and a reason")
    return found


def dump(found: Iterable[Finding]) -> str:
    """One finding per line, sorted, so that a difference reads well."""
    lines = [json.dumps(one._asdict(), ensure_ascii=False) for one in sorted(found, key=_order)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def findings(repository: str, diagnostics: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """What a JSON report says about a repository, without the files that do not parse."""
    return [
        Finding(repository, d["path"], d["cell"], d["start"]["line"], d["rule"], d["severity"], d["fingerprint"])
        for d in diagnostics
        if d["rule"] not in UNJUDGED
    ]


def merged(labelled: Iterable[Finding], found: Iterable[Finding]) -> list[Finding]:
    """The labelled findings, and those among the found ones that are new, without a label."""
    kept = list(labelled)
    known = {(one.repository, one.fingerprint) for one in kept}
    return kept + [one for one in found if (one.repository, one.fingerprint) not in known]


def fate(labelled: Sequence[Finding], found: Sequence[Finding]) -> str:
    """What became of the labels since they were given: how many of each are still reported, and what is new."""
    now = {(one.repository, one.fingerprint) for one in found}
    before = {(one.repository, one.fingerprint) for one in labelled}
    gone = [one for one in labelled if (one.repository, one.fingerprint) not in now]
    new = [one for one in found if (one.repository, one.fingerprint) not in before]
    rows = [(label, len(of), len(of & now)) for label in LABELS for of in [_keys(labelled, label)]]
    lines = [f"- gone ({one.label or 'unread'}): {one.place} {one.rule}" for one in sorted(gone, key=_order)]
    lines += [f"- new: {one.place} {one.rule}" for one in sorted(new, key=_order)]
    return "\n".join([table(("label", "findings", "still"), rows), "", *lines])


def report(labelled: Sequence[Finding]) -> str:
    """Labels and precision of each rule, of the errors, and of all, as a Markdown table."""
    rules = defaultdict(list)
    for one in labelled:
        rules[one.rule].append(one)
    rows = [_row(rule, of) for rule, of in sorted(rules.items(), key=lambda item: (-len(item[1]), item[0]))]
    rows.append(_row("**errors**", [one for one in labelled if one.severity == "error"]))
    rows.append(_row("**all**", labelled))
    return table(("rule", "labels", *LABELS, "strictly", "precision"), rows)


def _row(name: str, of: Sequence[Finding]) -> tuple[object, ...]:
    """The counts of each label, the share that is true, and the share that is not false."""
    labels = [one.label for one in of if one.label]
    counts = [labels.count(label) for label in LABELS]
    shares = ("-", "-")
    if labels:
        shares = (f"{100 * counts[0] / len(labels):.1f}%", f"{100 * (1 - counts[2] / len(labels)):.1f}%")
    return (name, len(labels), *counts, *shares)


def _keys(labelled: Iterable[Finding], label: str) -> set[tuple[str, str]]:
    return {(one.repository, one.fingerprint) for one in labelled if one.label == label}


def _order(one: Finding) -> tuple[str, str, int, int, str]:
    return (one.repository.lower(), one.path, one.cell or 0, one.line, one.rule)
