"""Which rows does a search score its trials on?

    study.optimize(objective)           # `find_trials_on_test`: `objective` gives back a score of `X_test`
    model.predict(X_test)               # and the chosen model is measured on the same rows

The trials of a search may choose by rows that a split calls test rows, as long as these are no test afterwards. So the
rows are looked for by their place, which the objective does not bind itself, in what comes below the search.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.rows.selection import find_final_measurement
from mllint.semantics.training.rows.test_scores import is_test_score
from mllint.semantics.values.calls import entered_function
from mllint.semantics.values.lineage import Origin

__all__ = ["Trials", "find_trials_on_test"]

_STUDY = "optuna.study.Study"


class Trials(NamedTuple):
    """The trials of a search that are scored on test rows.

    Attributes:
        score: what the objective gives back.
        rows: the place of the rows.
        measured: the call that measures on them afterwards.
    """

    score: Origin
    rows: str
    measured: ast.Call


def find_trials_on_test(call: Call) -> Trials | None:
    """The trials that a call runs, if they are scored on rows that the chosen model is measured on afterwards."""
    study, objective = call.receiver, call.first("func")
    if study is None or objective is None or not study.instance_of(_STUDY):
        return None
    function = entered_function(objective.value)
    if function is None or function.stubbed:
        return None
    frame = call.project.frame(function)
    own = function.node
    given = [own.body] if isinstance(own, ast.Lambda) else [r.value for r in function.returns if r.value is not None]
    scores = (Origin(node, frame) for node in given)
    score = next((s for s in scores if is_test_score(s)), None)
    if score is None:
        return None
    for name in _test_rows(function):
        measured = find_final_measurement(name, call.node, call.function)
        if measured is not None:
            return Trials(score, name, measured)
    return None


def _test_rows(function: FunctionScope) -> list[str]:
    """The places of test rows that a function reads and does not bind, each once."""
    places: list[str | None] = [place(n) for n in walk(function.node) if isinstance(n, (ast.Name, ast.Attribute))]
    free = (n for n in dict.fromkeys(places) if n and n not in function.bindings)
    return [n for n in free if roles.rows_by_name(n) is Role.TEST_ROWS]
