"""Does a metric begin anew in each epoch?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, resets, stages

__all__: list[str] = []

_EACH = "give each stage a metric of its own"
_TOGETHER = "Lightning validates before the training epoch ends: the score comes mostly from training batches"
_RESET = "call `reset()` at the beginning of each epoch, or after `compute()`"


@check("metric-never-reset")
def metric_never_reset(flow: Flow) -> Iterator[Finding]:
    """A metric of an evaluation keeps counting in the next epoch."""
    for found in resets.find_sums_never_reset(flow):
        message = f"`{found.name}` is not reset: from the second epoch on it includes the earlier epochs"
        notes = [Note(found.started, "initialised once, before the epochs")]
        yield Finding(found.read, message, "a sum over epochs", notes)
    for found in resets.unreset_metrics(flow):
        message = f"`{found.name}` is never reset: from the second epoch on it includes the earlier epochs"
        yield Finding(found.read, message, "covers all epochs so far", [Note(found.started, "built once")], help=_RESET)
    for shared in stages.find_shared_metrics(flow):
        message = f"`{shared.name}` is not reset before the validation: it includes the training batches"
        notes = [Note(shared.trained, "counts training batches"), Note(shared.validated, "counts validation batches")]
        yield Finding(shared.read, message, "training and validation together", notes, help=_EACH, why=_TOGETHER)
