"""Does a metric count the labels that the loss leaves out?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, trainers

__all__: list[str] = []


@check("metric-counts-ignored", keywords="compute_metrics")
def metric_counts_ignored(call: Call) -> Iterator[Finding]:
    """The metrics of a trainer compare predictions with labels of -100."""
    found = trainers.find_counted_ignored_labels(call)
    if found is not None:
        compared, collator = found
        yield Finding(
            compared,
            "positions labelled -100 should be ignored, but are counted here",
            "compares with -100 too",
            [Note(collator, "pads the labels with -100"), Note(call, "used by this trainer")],
        )
