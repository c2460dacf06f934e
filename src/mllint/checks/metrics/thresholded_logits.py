"""Are logits compared with a probability?

A loss that applies the sigmoid itself is given the logits; to decide, the same logits are compared with 0, or their
sigmoid with 0.5. What is asked: which expressions are given to such a loss, and is the same one compared with a number
between 0 and 1, written out or a constant of the program, or rounded? It is the same one if the same assignment made
it, or if the same layer did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Module, Node, expectations, text, trainer_scores

__all__: list[str] = []

_ROUND = "round the probability, `torch.sigmoid(...).round()`, or compare the logits with 0"
_ANY_NUMBER = (
    "a rounded logit can be any whole number, and the step from 0 to 1 is at 0.5, which is a probability of 0.62"
)
_SIGMOID = "compare the sigmoid of the logits with the threshold"
_MEANT = "the threshold is meant as a probability, but a logit can be any number: a logit of 0 is a probability of 0.5"
_NUMBERS = (ast.Constant, ast.Name, ast.Attribute)
_COMPARING = ("gt", "ge", "lt", "le", "greater", "greater_equal", "less", "less_equal")


@check(
    "thresholded-logits",
    near="BCEWithLogitsLoss binary_cross_entropy_with_logits sigmoid_binary_cross_entropy sigmoid_focal_loss Trainer",
)
def thresholded_logits(module: Module) -> Iterator[Finding]:
    """What is given to a loss that applies the sigmoid itself is compared with a probability, or rounded."""
    decisions = list(_decisions(module))
    calls = module.calls() if decisions else ()
    losses = [a for call in calls if _may_be_loss(call) for a in expectations.arguments(call, "BinaryLogits")]
    for node, number, score in decisions:
        given = next((a for a in losses if expectations.is_same_score(score, a)), None)
        function = expectations.innermost_function_at(module.at(node))
        known = [Note(given, f"`{given.call.name}` applies the sigmoid itself")] if given is not None else []
        if given is None and (loss := trainer_scores.find_sigmoid_loss(score, function, module.project)) is not None:
            known = [Note(loss, "the loss of the trainer applies the sigmoid itself")]
        if known:
            what, help, why = _said_of(number)
            message = f"`{text(module.module, node)}` {what}"
            yield Finding(module.at(node), message, "no sigmoid before this", known, help=help, why=why)


def _decisions(module: Module) -> Iterator[tuple[Node, float | None, Node]]:
    """What compares a score with a probability, which is given, or rounds it; and the score."""
    for node in (*module.comparisons, *(call.node for call in module.calls("round", *_COMPARING))):
        for threshold, score in _scores_decided_by(node):
            if threshold is None:
                yield node, None, score
                continue
            number = expectations.constant_number_at(module.at(threshold), module.project)
            if number is not None and 0 < number < 1:
                yield node, number, score


def _said_of(threshold: float | None) -> tuple[str, str, str]:
    """What a decision does, how to mend it and why; empty where the page says it, of a threshold of a half.

    Args:
        threshold: what a score is compared with; None if it is rounded.
    """
    if threshold is None:
        return "rounds logits", _ROUND, _ANY_NUMBER
    return "compares logits with a probability", *(("", "") if threshold == 0.5 else (_SIGMOID, _MEANT))


def _may_be_loss(call: Call) -> bool:
    """A cheap look: is a call given a score and a truth?"""
    return len(call.node.args) + len(call.node.keywords) > 1


def _scores_decided_by(node: Node) -> list[tuple[Node, Node]]:
    """What `x > 0.5`, `torch.gt(x, 0.5)`, `x.round()` or `torch.round(x)` decides about, each with the threshold."""
    match node:
        case ast.Compare(ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE()], comparators=[threshold]):
            return [(threshold, node.left)] if isinstance(threshold, _NUMBERS) else []
        case ast.Call(func=ast.Attribute(attr="round", value=owner), keywords=[]):
            return [(None, score) for score in (*node.args, owner)]
        case ast.Call(func=ast.Attribute(attr=name, value=owner), args=[*_, threshold]) if name in _COMPARING:
            return [(threshold, s) for s in (*node.args[:-1], owner)] if isinstance(threshold, _NUMBERS) else []
    return []
