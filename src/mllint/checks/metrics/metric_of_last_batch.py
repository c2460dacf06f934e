"""Is the score of one batch taken for that of all?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, last_batch

__all__: list[str] = []

_HELP = {
    "loss": "average over all batches, weighted by the number of samples in each",
    "hits": "add up what it counts over all batches, and divide once, after the loop",
    "score": "collect the predictions and the labels of all batches, and score them together, after the loop",
}


@check("metric-of-last-batch")
def metric_of_last_batch(flow: Flow) -> Iterator[Finding]:
    """What is reported behind an evaluation is the score of its last batch."""
    for found in last_batch.find_last_batch_reads(flow):
        message = f"`{found.name}` is computed from the last batch alone"
        notes = [Note(found.started, "overwritten for each batch")]
        yield Finding(found.read, message, "one batch", notes, help=_HELP[found.kind])
