"""Is a raw score compared with a probability?

A loss that applies the sigmoid itself is given the raw score; to decide, the same score is compared with 0, or its
sigmoid with 0.5. What is asked: which expressions are given to such a loss, and is the same one compared with a number
between 0 and 1, or rounded? It is the same one if the same assignment made it, or if the same layer did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Module, expectations, text

__all__: list[str] = []

_ROUND = "round its sigmoid, `torch.sigmoid(...).round()`, or compare the raw score with 0"
_ANY_NUMBER = "rounding a raw score can give any whole number, and 1 only from 0.5 on, which is a probability of 0.62"
_SIGMOID = "compare its sigmoid with the threshold"
_MEANT = "the threshold is meant as a probability, but a raw score can be any number: 0 is a probability of 0.5"


@check("thresholded-logits", near="BCEWithLogitsLoss binary_cross_entropy_with_logits")
def thresholded_logits(module: Module) -> Iterator[Finding]:
    """What is given to a loss that applies the sigmoid itself is compared with a probability, or rounded."""
    deciding = [*module.comparisons, *(call.node for call in module.calls("round"))]
    decisions = [(node, score) for node in deciding for score in scores_decided_by(node)]
    calls = module.calls() if decisions else ()
    losses = [a for call in calls if may_be_loss(call) for a in expectations.arguments(call, "BinaryLogits")]
    for node, score in decisions:
        given = next((a for a in losses if expectations.is_same_score(score, a)), None)
        if given is not None:
            what, help, why = said_of(node)
            yield Finding(
                module.at(node),
                f"`{text(module.module, node)}` {what}",
                "no sigmoid before this",
                [Note(given, f"`{given.call.name}` applies the sigmoid itself")],
                help=help,
                why=why,
            )


def said_of(node: Any) -> tuple[str, str, str]:
    """What a decision does, how to mend it and why; empty where the page says it, of a threshold of a half."""
    if isinstance(node, ast.Call):
        return "rounds a raw score", _ROUND, _ANY_NUMBER
    is_half = any(getattr(side, "value", 0) == 0.5 for side in (node.left, *node.comparators))
    return "compares a raw score with a probability", *(("", "") if is_half else (_SIGMOID, _MEANT))


def may_be_loss(call: Call) -> bool:
    """A cheap look: is a call given a score and a truth?"""
    return len(call.node.args) + len(call.node.keywords) > 1


def scores_decided_by(node: Any) -> list[Any]:
    """What `x > 0.5`, `x.round()` or `torch.round(x)` decides about."""
    match node:
        case ast.Compare(ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE()], comparators=[ast.Constant(value=float(p))]):
            return [node.left] if 0 < p < 1 else []
        case ast.Call(func=ast.Attribute(attr="round", value=owner), keywords=[]):
            return [*node.args, owner]
    return []
