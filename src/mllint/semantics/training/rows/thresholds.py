"""Was the threshold of a decision chosen on the rows that it is then measured on?

    precision, recall, at = precision_recall_curve(y_test, scores)
    threshold = at[np.argmax(precision * recall)]              # `find_threshold_from_test`: the best one for these rows
    f1_score(y_test, scores >= threshold)                      # and their score with it

    def choose(y, scores):                                           # the choice may stand in a function of its own,
        ...                                                          # whose callers say which rows they are
        return at[index]

    for threshold in np.arange(0, 1, 0.01):              # `find_thresholds_tried_on_test`: or in a loop over thresholds
        score = f1_score(y_test, scores > threshold)
        if score > best:
            best, best_threshold = score, threshold

Only test rows are asked about: what a threshold gains on validation rows is part of the selection.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from operator import is_
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.rows.selection import remembers_best
from mllint.semantics.training.rows.test_scores import is_test_score
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bindings_of, statements, targets_of

__all__ = ["CURVES", "METRICS", "Threshold", "find_threshold_from_test", "find_thresholds_tried_on_test"]

CURVES = ("precision_recall_curve", "roc_curve")
"""The functions that give a score for each threshold, and the thresholds as their third result."""
METRICS = frozenset(
    "accuracy_score balanced_accuracy_score classification_report cohen_kappa_score confusion_matrix f1_score "
    "fbeta_score jaccard_score matthews_corrcoef precision_recall_fscore_support precision_score recall_score".split()
)
"""The functions that measure decisions."""
_SIMPLE = (ast.Assign, ast.AnnAssign)


class Threshold(NamedTuple):
    """A threshold that was chosen on test rows.

    Attributes:
        scores: the scores that it was chosen by.
        measured: the call that measures the decisions on the same rows.
    """

    scores: Origin
    measured: ast.Call


class _Choice(NamedTuple):
    """What is chosen in a function: by which labels and scores, and where it is."""

    call: ast.Call
    labels: Node
    scores: Node
    chosen: list[str]
    frame: Frame


def find_threshold_from_test(call: Call) -> Threshold | None:
    """The threshold that is chosen from a curve of test rows, and then measured on them.

    Args:
        call: `precision_recall_curve(y_true, scores)`.
    """
    for choice in _choices(call):
        measured = _measured(choice)
        scores = Origin(choice.scores, choice.frame)
        if measured is not None and (is_test_score(scores) or is_test_score(Origin(choice.labels, choice.frame))):
            return Threshold(scores, measured)
    return None


def find_thresholds_tried_on_test(function: FunctionScope, frame: Frame) -> Iterator[tuple[Origin, ast.If]]:
    """The labels of test rows by whose scores a function chooses among the thresholds of a loop, and what does so."""
    for run in function.loops:
        if not isinstance(run.node, ast.For) or not isinstance(run.node.target, ast.Name):
            continue
        name, inside = run.node.target.id, walk(run.node)
        metrics = [n for n in inside if isinstance(n, ast.Call) and last_name(n.func) in METRICS and n.args]
        for metric in (m for m in metrics if _decides(m, name, inside)):
            scored, labels = targets_of(metric, function), Origin(metric.args[0], frame)
            branches = (n for n in inside if isinstance(n, ast.If) and remembers_best(n) and _keeps(name, n))
            branch = next((n for n in branches if _is_of(n.test, scored)), None)
            if branch is not None and is_test_score(labels):
                yield labels, branch


def _decides(metric: ast.Call, threshold: str, inside: list[Node]) -> bool:
    """Are the decisions that are measured those of a threshold: `scores > threshold`, also by a name?"""
    names = {place(n) for a in metric.args for n in walk(a)}
    computed = [s.value for s in inside if isinstance(s, ast.Assign) and place(s.targets[0]) in names]
    compared = [n for part in (metric, *computed) for n in walk(part) if isinstance(n, ast.Compare)]
    return any(_is_of(n.comparators[0], [threshold]) for n in compared)


def _keeps(name: str, branch: ast.If) -> bool:
    return any(isinstance(s, _SIMPLE) and _is_of(s.value, [name]) for s in branch.body)


def _choices(call: Call) -> Iterator[_Choice]:
    """The choices from a curve: in its function, and where that is called."""
    labels, scores = call.first("y_true"), call.argument("y_score") or call.argument("probas_pred")
    given = next((b for b in bindings_of(call.node, call.function) if b.path == (2,)), None)
    if labels is None or scores is None or given is None:
        return
    function = call.function
    chosen = _computed(partial(_is_entry, given.name), function)
    yield _Choice(call.node, labels.node, scores.node, chosen, call.frame)
    if not any(_is_of(r.value, chosen) or _holds_entry(r.value, given.name) for r in function.returns):
        return
    for node, frame in call.project.callers(function):
        bound, _ = bind(function, node, frame)
        first, second = (bound.get(place(given.node) or "") for given in (labels, scores))
        if isinstance(first, Passed) and isinstance(second, Passed):
            yield _Choice(node, first.node, second.node, _computed(partial(is_, node), frame.function), frame)


def _is_entry(name: str, node: Node) -> bool:
    return isinstance(node, ast.Subscript) and place(node.value) == name and not isinstance(node.slice, ast.Slice)


def _holds_entry(node: Node, name: str) -> bool:
    return node is not None and any(_is_entry(name, n) for n in walk(node))


def _is_of(node: Node, names: list[str]) -> bool:
    return node is not None and any(place(n) in names for n in walk(node))


def _computed(starts: Callable[[Node], bool], function: FunctionScope) -> list[str]:
    """The names that hold what an expression was computed from, in the order of the statements."""
    found: list[str] = []
    for statement in statements(function):
        if isinstance(statement, _SIMPLE) and statement.value is not None:
            if any(map(starts, walk(statement.value))) or _is_of(statement.value, found):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                found += [name for t in targets for n in walk(t) if (name := place(n))]
    return found


def _measured(choice: _Choice) -> ast.Call | None:
    """The metric, or the function with one, that is given the same labels and something of the threshold."""
    labels, function = _whole(choice.labels), choice.frame.function
    name = place(labels)
    if not name:
        return None
    for node in function.calls:
        given = [*node.args, *(k.value for k in node.keywords)]
        tables = [(a, _whole(a)) for a in given]
        same = [a for a, t in tables if place(t) == name and bound_at(t, function) == bound_at(labels, function)]
        if node is not choice.call and same and any(_is_of(a, choice.chosen) for a in given if a not in same):
            if last_name(node.func) in METRICS or _enters_metric(Call(node, choice.frame)):
                return node
    return None


def _whole(rows: Node) -> Node:
    """What one column is taken of, since each class may have a threshold of its own: `y` of `y[:, k]`."""
    match rows:
        case ast.Subscript(value=whole, slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), _])):
            return whole
    return rows


def _enters_metric(call: Call) -> bool:
    return any(not f.stubbed and not METRICS.isdisjoint(f.called_names) for f in call.callees)
