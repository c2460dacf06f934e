"""The prediction is handed over as the ground truth, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Argument,
    Call,
    InstanceValue,
    constructor_argument,
    expectations,
    preferences,
    swaps,
    text,
)

__all__: list[str] = []

_MEASURING = ("sklearn", "torchmetrics")
_METRIC = "the metric is not symmetric: with target and prediction swapped it measures something else"
_KINDS = ("chosen", "rejected")
_IN_PLACE = "the rewards of the rejected are passed in place of those of the chosen"
_SWAP = "swap the two arguments"
_PREFERS = "the model learns to rate rejected answers higher than chosen ones"
_SYMMETRIC = ("MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "CosineSimilarity", "Dice")


@check("swapped-loss-arguments", expects="Target ClassIndex", calls="logsigmoid softplus")
def swapped_loss_arguments(call: Call) -> Iterator[Finding]:
    """The prediction is handed over as the ground truth, and the other way round; or the rejected as the chosen."""
    if call.last_name in ("logsigmoid", "softplus"):
        yield from _of_preferences(call)
        for crossed in preferences.find_crossed_arguments(call):
            chosen, rejected = crossed.parameters
            first, second = (text(crossed.call.module, node, 40) for node in (crossed.rejected, crossed.chosen))
            message = f"`{crossed.call.name}` gets `{second}` as `{chosen}` and `{first}` as `{rejected}`"
            notes = [Note(call, f"the loss falls as `{chosen}` rises above `{rejected}`")]
            yield Finding(crossed.call, message, _IN_PLACE, notes, help=_SWAP, why=_PREFERS, evidence=(crossed.known,))
        return
    targets = list(expectations.arguments(call, *expectations.TRUTHS))
    scores = list(expectations.arguments(call, *expectations.GUESSES))
    if len(targets) != 1 or len(scores) != 1 or targets[0] is scores[0]:
        return
    target, score = targets[0], scores[0]
    if any(f.name == "kl_div" or (f.owner is not None and f.owner.name == "KLDivLoss") for f in call.callees):
        return  # not symmetric, but meaningful both ways
    if any(isinstance(v, InstanceValue) and v.cls.name in _SYMMETRIC for v in call.callee.alternatives) or _counts_hits(
        call
    ):
        return
    arrays = any(f.module.name.partition(".")[0] != "torch" for f in call.callees)
    answer = swaps.are_arguments_swapped(target, score, arrays=arrays)
    if answer is not None:
        right, wrong = f"the target `{score.text}` as `{score.parameter}`", f"`{target.text}` as `{target.parameter}`"
        yield Finding(
            score,
            f"`{call.name}` gets {right} and the prediction {wrong}",
            "expects the prediction",
            [Note(target, "expects the ground truth")],
            help=_order(call, target, score),
            why=_METRIC if any(f.module.name.partition(".")[0] in _MEASURING for f in call.callees) else "",
            evidence=(answer,),
        )


def _order(call: Call, *given: Argument) -> str:
    """Which of two arguments a call expects first."""
    names = [p.name for f in call.callees for p in f.parameters]
    first, second = sorted((a.parameter for a in given), key=names.index)
    return f"swap the two arguments: the order is ({first}, {second})"


def _of_preferences(call: Call) -> Iterator[Finding]:
    found = preferences.find_rejected_minus_chosen(call)
    if found is None:
        return
    second, first = (text(call.module, side) for side in (found.difference.left, found.difference.right))
    notes = [Note(site, f"the rewards of the {kind}") for kind, site in zip(_KINDS, found.rewards, strict=False)]
    message = f"the loss falls as `{found.rejected}` rises above `{found.chosen}`: it prefers what was rejected"
    if found.handed is not None:
        notes.append(Note(call.at(found.difference), "subtracted here"))
        yield Finding(found.handed, message, _IN_PLACE, notes, help=_SWAP, why=_PREFERS, evidence=(found.known,))
        return
    help = f"subtract in the other order: `{first} - {second}`"
    yield Finding(
        call.at(found.difference),
        message,
        f"`{first}` should come first",
        notes,
        help=help,
        why=_PREFERS,
        evidence=(found.known,),
    )


def _counts_hits(call: Call) -> bool:
    """Is it the share of equal labels among all, which is the same either way?"""
    metric = call.receiver if call.last_name in ("update", "forward") else call.callee
    if metric is not None:
        for v in metric.alternatives:
            if not isinstance(v, InstanceValue) or v.cls.name not in ("Accuracy", "BinaryAccuracy"):
                return False
            average = constructor_argument(v, "average")
            if average is not None and average.literal != "micro":
                return False
    return metric is not None and bool(metric.alternatives)
