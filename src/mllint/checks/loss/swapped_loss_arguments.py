"""The prediction is handed over as the ground truth, and the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.checks.loss._given import _SCORES, given
from mllint.checks.loss._made import (
    both_say,
    called_truth,
    contradicted,
    counted,
    labelled,
    made_from_item,
    measured,
    opposed,
    predicted_by_name,
)
from mllint.rule import Finding, Note, check
from mllint.semantics.api import Argument, Call, constructor_argument, last_name, origins

__all__: list[str] = []


@check("swapped-loss-arguments", expects="Target ClassIndex")
def swapped_loss_arguments(call: Call) -> Iterator[Finding]:
    """The prediction is handed over as the ground truth, and the other way round."""
    targets = list(given(call, "Target", "ClassIndex"))
    scores = list(given(call, "BinaryLogits", "Logits", "Sigmoided", "LogProbs", "Prediction"))
    if len(targets) != 1 or len(scores) != 1 or targets[0] is scores[0]:
        return
    target, score = targets[0], scores[0]
    predicted = any(target.value.is_(t) for t in (*_SCORES, "Prediction"))
    if any(f.name == "kl_div" or (f.owner is not None and f.owner.name == "KLDivLoss") for f in call.callees):
        return  # not symmetric, but meaningful both ways
    if any(v.kind == "instance" and v.of.name in _SYMMETRIC for v in call.callee.alternatives) or counts_hits(call):
        return
    torch = all(f.module.name.partition(".")[0] == "torch" for f in call.callees)
    attached = target.value.is_attached and not given_by_numpy(target)
    modelled = torch and (attached or made_from_item(target.node, target.function))
    told = not torch and (measured(target.node, target.function) or predicted) and labelled(score.node, score.function)
    told = told or (
        not torch and predicted_by_name(target.node, target.function) and called_truth(score.node, score.function)
    )
    told = told or (not torch and opposed(score.node, target.node, score.function))
    told = told or (not torch and both_say(score.node, target.node, score.function))
    vague = score.value.is_unknown or not score.value.all_graph
    named = vague and contradicted(score.node, target.node, score.function)
    named = named or (vague and torch and opposed(score.node, target.node, score.function))
    whole = score.expects("Logits", "LogProbs") and target.expects("ClassIndex") and counted(score.node, score.function)
    named = named or (whole and vague and not counted(target.node, target.function))
    if (predicted and truth(score)) or ((modelled or (torch and predicted)) and given_as_truth(score)) or told or named:
        yield Finding(
            score,
            f"`{call.name}` takes `{score.text}` for the prediction and the prediction `{target.text}` for the truth",
            "expects the prediction",
            [Note(target, "expects the ground truth")],
        )


_SYMMETRIC = ("MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "CosineSimilarity", "Dice")


def given_by_numpy(argument: Argument) -> bool:
    """Does it come out of an array? No array carries gradients, whoever made it."""
    calls = (o.node for o in origins(argument.node, argument.frame) if isinstance(o.node, ast.Call))
    return any(last_name(c.func) in ("from_numpy", "astype") for c in calls)


def counts_hits(call: Call) -> bool:
    """Is it the share of equal labels among all, which is the same either way?"""
    metric = call.receiver if call.last_name in ("update", "forward") else call.callee
    for v in metric.alternatives if metric is not None else ():
        if v.kind != "instance" or v.of.name not in ("Accuracy", "BinaryAccuracy"):
            return False
        average = constructor_argument(v, "average")
        if average is not None and average.literal != "micro":
            return False
    return metric is not None and bool(metric.alternatives)


def truth(argument: Argument) -> bool:
    """Is it data of the loader, or a part of a split, and no output of a model?"""
    value = argument.value
    if any(value.has(t) for t in (*_SCORES, "Prediction")):
        return False
    return value.is_("Labels") or value.is_("Inputs") or value.is_("Split")


def given_as_truth(argument: Argument) -> bool:
    """Can no model that is trained here have made it: a constant, an item of what a loop goes through, a parameter
    called target, a decision or something that was detached?"""
    value = argument.value
    if any(v.graph for v in value.alternatives) or any(cut.how == "no_grad" for cut in value.all_cuts):
        return False
    constant = all(v.cuts or (v.kind == "tensor" and not v.opaque) for v in value.alternatives)
    return constant or labelled(argument.node, argument.function)
