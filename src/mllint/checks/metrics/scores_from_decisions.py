"""Is a metric of scores handed decisions?

A curve over thresholds, or a likelihood, needs the scores; `predict` of a classifier, `argmax` and a threshold give
classes. One question to the value: is it decided, on every path? A list of such values counts as they
do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, expectations, purity

__all__: list[str] = []

_CERTAIN = "class labels count as probabilities of 0 and 1: each wrong one costs the largest possible loss"
_LABELS = (
    "class labels are taken for scores: a ranking metric sees a single threshold, a loss only probabilities of 0 and 1"
)
_METHOD = (
    'pass `response_method="predict_proba"`; a ranking metric also takes `"decision_function"`, '
    "and a loss needs `greater_is_better=False`"
)
_PROBABILITIES = "pass `predict_proba(X)`, or the model's probabilities before `argmax` or the threshold"


@check("scores-from-decisions", expects="Scores", keywords="scoring")
def scores_from_decisions(call: Call) -> Iterator[Finding]:
    """A metric of scores or probabilities is handed classes that were decided on."""
    for made, metric in expectations.find_scorers_of_decisions(call):
        message = f"`{made.text}` hands `{metric.text}` the class labels of `predict`"
        notes = [Note(call, "of this classifier")]
        yield Finding(made, message, "expects scores or probabilities", notes, help=_METHOD, why=_LABELS)
    for argument in expectations.arguments(call, "Scores"):
        decided = expectations.find_decision_site(argument)
        if decided is not None:
            likely = argument.parameter.startswith("y_prob")
            verb = "gives" if isinstance(argument.node, ast.Call) else "holds"
            needs = "probabilities" if likely else "scores"
            called = expectations.expecting_name(argument, "Scores")
            yield Finding(
                argument,
                f"`{called}` needs {needs}, but `{argument.text}` {verb} class labels",
                "expects probabilities" if likely else "expects scores or probabilities",
                [] if decided.node is argument.node else [Note(decided, "decided here")],
                help=_PROBABILITIES if likely else "",
                why=_CERTAIN if likely else "",
                evidence=(purity.is_value_read(call),),
            )
