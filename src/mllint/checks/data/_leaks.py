"""Does a fit before a split change what is measured, or is it a leak in name only?

Words are counted row by row: what is learned of held-out rows is a column that is zero in all others. A search inside
the training rows sees a scale between its own folds, and the test rows, kept apart, measure without it.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint.checks._records import Division
from mllint.checks._unread import rows_name
from mllint.semantics import Value, text
from mllint.semantics.calls import constructor_argument
from mllint.semantics.lineage import Origin
from mllint.semantics.module import last_name, place
from mllint.semantics.parts import held

__all__ = ["changes_little", "draws_plane"]


def changes_little(fit: Origin, division: Division, estimator: Value | None) -> bool:
    """Is it a matter of order more than of numbers?"""
    return counts_words(estimator) or (searches(division) and others_apart(fit))


def counts_words(estimator: Value | None) -> bool:
    """Does the estimator number the words, and weigh them by no statistic of all rows?"""
    return estimator is not None and all(
        any(c.name == "CountVectorizer" for c in v.classes) for v in estimator.alternatives
    )


def searches(division: Division) -> bool:
    """Is it the fit of a search, which holds rows out for itself?"""
    return isinstance(division.node, ast.Call) and last_name(division.node.func) == "fit"


def others_apart(fit: Origin) -> bool:
    """Does the same estimator transform rows that are called test rows, and that it has not learned from?"""
    given, frame = fit.node.args[0], fit.frame
    bound = [n for n, found in frame.function.bindings.items() if any(b.value is fit.node for b in found)]
    names = {place(getattr(fit.node.func, "value", None)), *bound} - {None}
    for call in frame.function.calls:
        if last_name(call.func) == "transform" and call.args and isinstance(call.func, ast.Attribute):
            rows = rows_name(call.args[0])
            if place(call.func.value) in names and (held(rows) or held((rows or "").partition(".")[0])):
                if text(frame.module, call.args[0]) != text(frame.module, given):
                    return True
    return False


def draws_plane(fit: ast.Call, estimator: Value | None) -> bool:
    """Is it two or three components, of an estimator that is made for this one fit: points of a picture, most often?"""
    if estimator is None or not isinstance(getattr(fit.func, "value", None), ast.Call):
        return False
    numbers = [constructor_argument(v, "n_components") for v in estimator.alternatives]
    return bool(numbers) and all(n is not None and n.literal in (2, 3) for n in numbers)
