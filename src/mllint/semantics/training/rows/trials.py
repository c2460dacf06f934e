"""Which rows does a search score its trials on?

    study.optimize(objective)           # `find_trials_on_test`: `objective` gives back a score of `X_test`
    model.predict(X_test)               # and the chosen model is measured on the same rows
    search.score(model)                 # or by the function that the objective scores with, which reads them

The trials of a search may choose by rows that a split calls test rows, as long as these are no test afterwards. So the
rows are looked for by their place, which the objective, or a function that it calls, reads and does not bind itself, in
what comes below the search, there or in the function that called it.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.rows.handed_over import REPORTS
from mllint.semantics.training.rows.test_folders import find_final_measurement
from mllint.semantics.training.rows.test_scores import is_test_score
from mllint.semantics.values.calls import entered_function
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin

__all__ = ["Trials", "find_trials_on_test"]

_STUDY = "optuna.study.Study"
_CALLS = 2


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
    readers = [(reader, name) for reader in _entered(function, frame) for name in _test_rows(reader)]
    for node, outer in ((call.node, call.frame), *call.project.callers(call.function)):
        for reader, name in readers:
            measured = find_final_measurement(name, node, outer) if reader is function else None
            measured = measured or _measured_by_reader(reader, name, place(objective.node), node, outer)
            if measured is not None:
                return Trials(score, name, measured)
    return None


def _entered(function: FunctionScope, frame: Frame) -> list[FunctionScope]:
    """An objective, and the functions of the user's that it calls, and those that they call."""
    found = {id(function): function}
    for _ in range(_CALLS):
        for entered in list(found.values()):
            inner = frame.project.frame(entered)
            called = (f for node in entered.calls for f in Call(node, inner).callees)
            found.update({id(f): f for f in called if not f.stubbed})
    return list(found.values())


def _measured_by_reader(
    reader: FunctionScope, rows: str, searched: str | None, search: Node, frame: Frame
) -> ast.Call | None:
    """The call below a search that enters a function which reads the same rows to measure, or is given these rows as an
    attribute of what was searched with.

    Args:
        reader: the function that reads them for a trial.
        rows: their place there.
        searched: the place of the objective.
        search: the call that runs the trials, or the function that does.
        frame: the context of the call.
    """
    attribute = f"{searched}{rows.removeprefix('self')}" if searched is not None and rows.startswith("self.") else None
    for node in frame.function.calls:
        given = (n for argument in all_arguments(node) for n in walk(argument))
        if node.lineno <= (search.end_lineno or search.lineno) and not any(n is search for n in given):
            continue
        if attribute is not None and attribute in map(place, all_arguments(node)) and last_name(node.func) in REPORTS:
            return node
        if any(_reads(f, reader, rows) for f in Call(node, frame).callees):
            return node
    return None


def _reads(function: FunctionScope, reader: FunctionScope, rows: str) -> bool:
    """Does a function measure on rows of a place that another one reads: of the same object, or of the same file?"""
    if function.stubbed or rows not in _test_rows(function) or function.called_names.isdisjoint(REPORTS):
        return False
    return function.owner is reader.owner if rows.startswith("self.") else function.module is reader.module


def _test_rows(function: FunctionScope) -> list[str]:
    """The places of test rows that a function reads and does not bind, each once."""
    places: list[str | None] = [place(n) for n in walk(function.node) if isinstance(n, (ast.Name, ast.Attribute))]
    free = (n for n in dict.fromkeys(places) if n and n not in function.bindings)
    return [n for n in free if roles.rows_by_name(n) is Role.TEST_ROWS]
