"""Is an estimator fitted on all rows, although a division before holds some of them out to measure it?

    train, test = train_test_split(df)
    model.fit(df[features], df["y"])             # all of `df`
    model.score(test[features], test["y"])       # of rows that the model was fitted on

The estimator has to be scored on the held-out rows of that division afterwards, and not to be fitted anew on the way. A
last fit on all rows, after the score is known, holds nothing out, and predictions that nothing compares with answers
may be meant for a picture.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.rows import built_alike
from mllint.semantics.training.rows.splits import Division, divisions, table_of
from mllint.semantics.values.classes import stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["WholeFit", "find_fits_on_whole"]

_PREDICTING = ("score", "predict", "predict_proba", "predict_log_proba", "decision_function")


class WholeFit(NamedTuple):
    """A fit on all of the rows that were divided before.

    Attributes:
        rows: what is fitted on.
        division: where it was divided.
        measured: the call that predicts the held-out rows afterwards.
    """

    rows: Node
    division: Node
    measured: Node


def find_fits_on_whole(function: FunctionView) -> Iterator[WholeFit]:
    """The fits of predictors, written in a function, on all of the rows that a division in it holds some out of."""
    scope = function.scope
    fits = [c for c in scope.calls_to(("fit",)) if c.args and isinstance(c.func, ast.Attribute)]
    measured = [c for c in scope.calls_to(_PREDICTING) if c.args and isinstance(c.func, ast.Attribute)]
    if not fits or not measured or isinstance(scope.node, ast.Lambda):
        return
    for division in divisions(function):
        if division.searches or division.evidence is not Evidence.PROVEN:
            continue
        for fit in fits:
            if not _is_whole(fit.args[0], division, function):
                continue
            scored = _scored_after(fit, division, fits, measured, function)
            if scored is not None and _is_predictor(Call(fit, function.frame).receiver):
                yield WholeFit(fit.args[0], division.node, scored)


def _is_whole(rows: Node, division: Division, function: FunctionView) -> bool:
    """Whether the rows of a later fit are all that a division divided."""
    table = table_of(rows)
    if place(table) is None or table.lineno <= division.node.lineno:
        return False
    return any(
        place(divided) == place(table) and not built_alike.has_name_rebound_between(table, divided, function.scope)
        for divided in map(table_of, division.rows)
    )


def _scored_after(
    fit: ast.Call, division: Division, fits: list[ast.Call], measured: list[ast.Call], function: FunctionView
) -> Node:
    """The call by which the estimator of a fit is scored next on rows that a division held out; None if it is fitted
    again before."""
    estimator = place(getattr(fit.func, "value", None))
    later = [
        c
        for c in (*fits, *measured)
        if place(getattr(c.func, "value", None)) == estimator is not None and c.lineno > fit.lineno
    ]
    for call in sorted(later, key=lambda c: (c.lineno, c.col_offset)):
        if any(call is other for other in fits):
            return None
        if _is_held_out_by(division, call.args[0], function) and _is_compared(call, division, function):
            return call
    return None


def _is_compared(predicting: ast.Call, division: Division, function: FunctionView) -> bool:
    """Whether something is given the answers of held-out rows along with a prediction, or after it."""
    if last_name(predicting.func) == "score":
        return True
    last = predicting.end_lineno or predicting.lineno
    given = [a for c in function.scope.calls if (c.end_lineno or c.lineno) >= last for a in all_arguments(c)]
    others = [
        a for a in given if isinstance(a, (ast.Name, ast.Subscript, ast.Attribute)) and a is not predicting.args[0]
    ]
    answers = [a for a in others if not any(n is predicting for n in walk(a))]
    return any(place(a) != place(predicting.args[0]) and _is_held_out_by(division, a, function) for a in answers)


def _is_held_out_by(division: Division, rows: Node, function: FunctionView) -> bool:
    """Whether a division, and no other one, held some rows out."""
    roots = [r for r in evaluate(rows, function.frame).all_provenance if r.part != "whole"]
    by_it = all(r.part in ("heldout", "test") and r.site is not None and r.site.node is division.node for r in roots)
    return bool(roots) and by_it


def _is_predictor(estimator: Value | None) -> bool:
    """Whether it predicts answers from what it was fitted on."""
    found = estimator.alternatives if estimator is not None else ()
    return bool(found) and all(isinstance(v, InstanceValue) and stub_effect(v.cls, "predictor") for v in found)
