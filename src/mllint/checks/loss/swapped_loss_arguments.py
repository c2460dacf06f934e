"""The prediction is handed over as the ground truth, and the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Argument, Call, constructor_argument, expectations, last_name, origins, predictions

__all__: list[str] = []


@check("swapped-loss-arguments", expects="Target ClassIndex")
def swapped_loss_arguments(call: Call) -> Iterator[Finding]:
    """The prediction is handed over as the ground truth, and the other way round."""
    targets = list(expectations.given(call, "Target", "ClassIndex"))
    scores = list(expectations.given(call, "BinaryLogits", "Logits", "Sigmoided", "LogProbs", "Prediction"))
    if len(targets) != 1 or len(scores) != 1 or targets[0] is scores[0]:
        return
    target, score = targets[0], scores[0]
    predicted = any(target.value.is_(t) for t in (*expectations.SCORES, "Prediction"))
    if any(f.name == "kl_div" or (f.owner is not None and f.owner.name == "KLDivLoss") for f in call.callees):
        return  # not symmetric, but meaningful both ways
    if any(v.kind == "instance" and v.of.name in _SYMMETRIC for v in call.callee.alternatives) or counts_hits(call):
        return
    if _is_swapped(call, target, score, predicted=predicted):
        yield Finding(
            score,
            f"`{call.name}` takes `{score.text}` for the prediction and the prediction `{target.text}` for the truth",
            "expects the prediction",
            [Note(target, "expects the ground truth")],
        )


def _is_swapped(call: Call, target: Argument, score: Argument, *, predicted: bool) -> bool:
    """Is what is given for the target a prediction, and what is given for the prediction the truth?"""
    torch = all(f.module.name.partition(".")[0] == "torch" for f in call.callees)
    attached = target.value.is_attached and not given_by_numpy(target)
    modelled = torch and (attached or predictions.made_from_item(target.node, target.function))
    if (predicted and truth(score)) or ((modelled or (torch and predicted)) and given_as_truth(score)):
        return True
    vague = score.value.is_unknown or not score.value.all_graph
    return _named_so(target, score, torch=torch, vague=vague) or (not torch and _told_so(target, score, predicted))


def _told_so(target: Argument, score: Argument, predicted: bool) -> bool:
    """Do the ways in which both came about say so, for a metric that takes arrays?"""
    own, other, function = target.node, score.node, score.function
    if (predicted or predictions.measured(own, target.function)) and predictions.labelled(other, function):
        return True
    if predictions.predicted_by_name(own, target.function) and predictions.called_truth(other, function):
        return True
    return predictions.opposed(other, own, function) or predictions.both_say(other, own, function)


def _named_so(target: Argument, score: Argument, *, torch: bool, vague: bool) -> bool:
    """Do both names say so, where nothing is known of the value that is given for the prediction?"""
    if not vague:
        return False
    own, other, function = target.node, score.node, score.function
    if predictions.contradicted(other, own, function) or (torch and predictions.opposed(other, own, function)):
        return True
    classes = score.expects("Logits", "LogProbs") and target.expects("ClassIndex")
    return classes and predictions.counted(other, function) and not predictions.counted(own, target.function)


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
    if any(value.has(t) for t in (*expectations.SCORES, "Prediction")):
        return False
    return value.is_("Labels") or value.is_("Inputs") or value.is_("Split")


def given_as_truth(argument: Argument) -> bool:
    """Can no model that is trained here have made it: a constant, an item of what a loop goes through, a parameter
    called target, a decision or something that was detached?"""
    value = argument.value
    if any(v.graph for v in value.alternatives) or any(cut.how == "no_grad" for cut in value.all_cuts):
        return False
    constant = all(v.cuts or (v.kind == "tensor" and not v.opaque) for v in value.alternatives)
    return constant or predictions.labelled(argument.node, argument.function)
