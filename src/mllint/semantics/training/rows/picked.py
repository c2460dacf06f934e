"""Which of several candidates does a program keep, by the scores that it collected for all of them?

    for name, model in models.items():
        model.fit(X_train, y_train)
        scores[name] = roc_auc_score(y_test, model.predict(X_test))      # `find_picks_on_test`: scores of test rows,
    best = models[max(scores, key=scores.get)]                           # by the best of which another table is read

A table of scores that is only shown, or sorted to be shown, decides nothing: what is picked has to be looked up.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, names_in, place, walk
from mllint.semantics.training.rows.test_scores import is_test_score
from mllint.semantics.values.lineage import Origin, statements

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["find_picks_on_test"]

_BEST = frozenset("max min sorted idxmax idxmin argmax argmin nlargest nsmallest sort_values".split())


def find_picks_on_test(function: FunctionScope, frame: Frame) -> Iterator[tuple[Origin, Node]]:
    """The test scores by the best of which a candidate is looked up, and where it is.

    Args:
        function: where candidates are fitted in a loop.
        frame: its context.
    """
    if "fit" not in function.called_names or function.called_names.isdisjoint(_BEST):
        return
    for run in function.loops:
        inside = walk(run.node)
        if not any(isinstance(n, ast.Call) and last_name(n.func) == "fit" for n in inside):
            continue
        for table, score in _collected(inside):
            found = _looked_up_by_best(table, run.node, function)
            if found is not None and is_test_score(Origin(score, frame)):
                yield Origin(score, frame), found
                return


def _collected(inside: list[Node]) -> Iterator[tuple[str, Node]]:
    """The tables that a loop fills by the names of candidates, and what it puts in: `scores[name] = value`."""
    for statement in (n for n in inside if isinstance(n, ast.Assign)):
        for target, value in assigned_pairs(statement):
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Name) and place(target.value):
                yield place(target.value) or "", value


def _looked_up_by_best(table: str, loop: Node, function: FunctionScope) -> Node:
    """Where another table is read by the best entry of one, below the loop that fills it; None if nowhere."""
    chosen, kept = {table}, set[str]()
    for statement in statements(function):
        if statement.lineno <= (loop.end_lineno or loop.lineno) or not hasattr(statement, "value"):
            continue
        for node in walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and place(node.value) not in chosen:
                if names_in(node.slice) & kept or _is_best_of(node.slice, chosen):
                    return node
        if not isinstance(statement, ast.Assign) or statement.value is None:
            continue
        names = {place(t) or "" for target in statement.targets for t in walk(target)} - {""}
        if _is_best_of(statement.value, chosen) or names_in(statement.value) & kept:
            kept |= names
        elif names_in(statement.value) & chosen and isinstance(statement.value, ast.Call):
            chosen |= names  # `pd.Series(scores)`
    return None


def _is_best_of(node: Node, tables: set[str]) -> bool:
    """Is the best entry of a table computed in an expression?"""
    calls = (n for n in walk(node) if isinstance(n, ast.Call) and last_name(n.func) in _BEST)
    return any(names_in(call) & tables for call in calls)
