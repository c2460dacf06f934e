"""Which fits learn from held-out rows?

    model.fit(X_train, y_train); model.fit(X_test, y_test)     # `find_fits_on_held_out`, by provenance

A fit of anything that predicts, on a table that was held out, counts if the name of the rows says so too. Rightly learn
from such rows: what calibrates a finished model, the second level of a stack, a model that is measured on the training
rows in return, and a fit whose result is overwritten. What is measured on the rows that it was fitted on, by names
alone, is asked in `trained_on`; here its answers are collected for the functions of a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import FunctionView
from mllint.semantics.libraries.classes import DATA_FRAME
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.training.rows import trained_on
from mllint.semantics.values.values import TensorValue, Value

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import FunctionScope, ModuleScope

__all__ = [
    "find_fits_on_both_parts",
    "find_fits_on_held_out",
    "find_joined_training_parts",
    "find_scores_on_fitted_rows",
]


def find_fits_on_held_out(flow: Flow) -> Iterator[tuple[Event, Node]]:
    """The fits of a flow on rows that were held out, by provenance, and the rows."""
    for fit in flow.events("fits"):
        given = fit.option if isinstance(fit.option, Value) else None
        if given is None or not given.comes_from("heldout", "test") or not trained_on.is_predictor(fit.subject):
            continue
        rows = fit.call.args[0] if fit.call.args else fit.call
        if _is_table(rows, given) and trained_on.is_named_held_out(rows, fit.frame, given) and not _is_meant(fit):
            yield fit, rows


def _is_table(rows: Node, given: Value) -> bool:
    """Are some rows a table at a place, or what a transform gives of one?"""
    table = isinstance(given, TensorValue) or given.instance_of(DATA_FRAME)
    return table and (place(trained_on.table(rows)) is not None or trained_on.is_transform_call(rows))


def _is_meant(fit: Event) -> bool:
    """Does a fit rightly learn from held-out rows, or keep nothing of them?"""
    return (
        trained_on.is_fit_overwritten(fit)
        or trained_on.is_calibration_fit(fit.call, fit.frame)
        or trained_on.may_learn_from_test_part(fit.call, fit.subject, fit.function)
    )


# ------------------------------------------------------------------------------------------- by names, in each function
def find_joined_training_parts(module: ModuleScope) -> Iterator[tuple[Node, str]]:
    """The held-out parts that are added to the training data and evaluated on, and their names."""
    for function in module.functions if "concatenate_datasets" in module.calls_by_name else ():
        yield from trained_on.find_joined_training_part(function)


def find_scores_on_fitted_rows(flow: Flow) -> Iterator[tuple[FunctionScope, Node, Node, Node]]:
    """What an estimator is fitted on, the split that held some of it out, and the prediction for those rows."""
    for function in {id(fit.function): fit.function for fit in flow.events("fits")}.values():
        view = FunctionView(function, flow.frame.project.frame(function))
        for rows, split, measured in trained_on.find_scores_on_fitted_rows(view):
            yield function, rows, split, measured


def find_fits_on_both_parts(module: ModuleScope) -> Iterator[tuple[Node, Node]]:
    """The held-out rows that a model is fitted on as well, and where it is evaluated on them."""
    for function in module.functions if "fit" in module.calls_by_name else ():
        yield from trained_on.find_fits_on_both_parts(function)
