"""The prediction is handed over as the ground truth, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, InstanceValue, constructor_argument, expectations, preferences, swaps

__all__: list[str] = []


@check("swapped-loss-arguments", expects="Target ClassIndex", calls="logsigmoid")
def swapped_loss_arguments(call: Call) -> Iterator[Finding]:
    """The prediction is handed over as the ground truth, and the other way round; or the rejected as the chosen."""
    if call.last_name == "logsigmoid":
        yield from _of_preferences(call)
        return
    targets = list(expectations.arguments(call, *expectations.TRUTHS))
    scores = list(expectations.arguments(call, *expectations.GUESSES))
    if len(targets) != 1 or len(scores) != 1 or targets[0] is scores[0]:
        return
    target, score = targets[0], scores[0]
    if any(f.name == "kl_div" or (f.owner is not None and f.owner.name == "KLDivLoss") for f in call.callees):
        return  # not symmetric, but meaningful both ways
    if any(isinstance(v, InstanceValue) and v.cls.name in _SYMMETRIC for v in call.callee.alternatives) or counts_hits(
        call
    ):
        return
    arrays = any(f.module.name.partition(".")[0] != "torch" for f in call.callees)
    answer = swaps.swapped(target, score, arrays=arrays)
    if answer is not None:
        yield Finding(
            score,
            f"`{call.name}` gets the target `{score.text}` as input and the prediction `{target.text}` as target",
            "expects the prediction",
            [Note(target, "expects the ground truth")],
            evidence=(answer,),
        )


def _of_preferences(call: Call) -> Iterator[Finding]:
    found = preferences.prefers_rejected(call)
    if found is not None:
        yield Finding(
            call.at(found.difference),
            f"the loss falls as `{found.rejected}` rises above `{found.chosen}`: it prefers what was rejected",
            f"`{found.chosen}` should come first",
            help=f"subtract in the other order: `{found.chosen} - {found.rejected}`",
            why="the model learns to rate rejected answers higher than chosen ones",
            evidence=(found.named,),
        )


_SYMMETRIC = ("MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "CosineSimilarity", "Dice")


def counts_hits(call: Call) -> bool:
    """Is it the share of equal labels among all, which is the same either way?"""
    metric = call.receiver if call.last_name in ("update", "forward") else call.callee
    for v in metric.alternatives if metric is not None else ():
        if not isinstance(v, InstanceValue) or v.cls.name not in ("Accuracy", "BinaryAccuracy"):
            return False
        average = constructor_argument(v, "average")
        if average is not None and average.literal != "micro":
            return False
    return metric is not None and bool(metric.alternatives)
