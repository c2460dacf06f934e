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
    max(grid, key=lambda t: f1_score(y_test, scores > t))    # or by the best of a list of scores

A function that chooses is asked in each of its calls, which may hand it the labels or the table that they are in.

Only test rows are asked about: what a threshold gains on validation rows is part of the selection.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from operator import is_
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.tensor_methods import MAKES
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.rows.selection import remembers_best
from mllint.semantics.training.rows.test_scores import comes_from_test, is_test_score
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bindings_of, resolve_name, statements, targets_of

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
    """What is chosen by a call: on which rows, by which scores and labels, and under which names it is kept."""

    call: ast.Call
    rows: Node
    scores: Origin
    labels: Origin
    chosen: list[str]
    frame: Frame


def find_threshold_from_test(call: Call) -> Threshold | None:
    """The threshold that is chosen from a curve of test rows, and then measured on them.

    Args:
        call: `precision_recall_curve(y_true, scores)`.
    """
    for choice in _choices(call):
        measured = _measured(choice)
        if measured is not None and (is_test_score(choice.scores) or comes_from_test(choice.labels)):
            return Threshold(choice.scores, measured)
    return None


def find_thresholds_tried_on_test(function: FunctionScope, frame: Frame) -> Iterator[tuple[Origin, Node]]:
    """The labels of test rows by whose scores a function chooses among several thresholds, and what does so."""
    for metric, chooses in (*_tried_in_loops(function, frame), *_tried_in_lists(function, frame)):
        found = [list(_labels(metric, inner)) for inner in _contexts(function, frame)]
        if all(any(map(comes_from_test, labels)) for labels in found):
            yield _handed_in(next(o for o in found[0] if comes_from_test(o))), chooses


def _handed_in(labels: Origin) -> Origin:
    """What a caller hands in for a parameter; anything else itself."""
    given = (labels.frame.bound or {}).get(place(labels.node) or "")
    return Origin(*given) if isinstance(given, Passed) else labels


def _contexts(function: FunctionScope, frame: Frame) -> list[Frame]:
    """A function in each of its calls; by itself if there is none."""
    callers = frame.project.callers(function) if function.parameters else []
    inner = [i for node, outer in callers for i in inner_frames(node, outer) if i.function is function]
    return inner or [frame]


def _labels(metric: ast.Call, frame: Frame) -> Iterator[Origin]:
    """The labels that a metric compares with, also one that a function of the user's calls."""
    if last_name(metric.func) in METRICS:
        yield from (Origin(labels, frame) for labels in metric.args[:1])
        return
    for inner in inner_frames(metric, frame):
        for call in inner.function.calls:
            if last_name(call.func) in METRICS:
                yield from (Origin(labels, inner) for labels in call.args[:1])


def _tried_in_loops(function: FunctionScope, frame: Frame) -> Iterator[tuple[ast.Call, Node]]:
    """The metrics of the loops that try one threshold after the other, with the test that keeps the best one."""
    for run in function.loops:
        if not isinstance(run.node, ast.For) or not isinstance(run.node.target, ast.Name):
            continue
        name, inside = run.node.target.id, walk(run.node)
        for metric in _metrics_of(name, inside, frame):
            scored = targets_of(metric, function)
            branches = (n for n in inside if isinstance(n, ast.If) and remembers_best(n) and _keeps(name, n))
            branch = next((n for n in branches if _is_of(n.test, scored)), None)
            if branch is not None:
                yield metric, branch.test


def _tried_in_lists(function: FunctionScope, frame: Frame) -> Iterator[tuple[ast.Call, Node]]:
    """The metrics whose scores for all thresholds stand in a list, with what takes the best one:
    `grid[np.argmax([f1_score(y, p > t) for t in grid])]`, `max(grid, key=lambda t: f1_score(y, p > t))`."""
    for call in function.calls:
        key = next((k.value for k in call.keywords if k.arg == "key"), None)
        name = last_name(call.func)
        if name == "max" and isinstance(key, ast.Lambda) and len(key.args.args) == 1:
            yield from ((m, call) for m in _metrics_of(key.args.args[0].arg, walk(key.body), frame))
        elif name == "argmax":
            listed: Node = call.args[0] if call.args else getattr(call.func, "value", None)
            for target, scored in _listed(listed, function):
                yield from ((m, call) for m in _metrics_of(target, scored, frame))


def _listed(scores: Node, function: FunctionScope) -> Iterator[tuple[str, list[Node]]]:
    """The variable that scores in a list are for, and how each of them is computed: in a comprehension, or a loop that
    appends to it."""
    made = resolve_name(scores, function)
    if isinstance(made, ast.Call) and last_name(made.func) in MAKES and made.args:
        scores = made.args[0]
        made = resolve_name(scores, function)
    match made:
        case ast.ListComp(elt=each, generators=[ast.comprehension(target=ast.Name(id=name))]):
            yield name, walk(each)
        case ast.List(elts=[]):
            for run in function.loops:
                target = run.node.target if isinstance(run.node, ast.For) else None
                inside = walk(run.node) if isinstance(target, ast.Name) else []
                if isinstance(target, ast.Name) and any(_appends(n, place(scores)) for n in inside):
                    yield target.id, inside


def _appends(node: Node, name: str | None) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="append", value=owner)):
            return place(owner) == name
    return False


def _metrics_of(threshold: str, inside: list[Node], frame: Frame) -> list[ast.Call]:
    """The calls in some code that measure the decisions of a threshold."""
    calls = [n for n in inside if isinstance(n, ast.Call) and n.args]
    own = [c for c in calls if last_name(c.func) in METRICS and _decides(c, threshold, inside)]
    handed = [c for c in calls if any(place(a) == threshold for a in all_arguments(c))]
    return own or [c for c in handed if last_name(c.func) not in METRICS and _enters_metric(Call(c, frame))]


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
    measured = Origin(scores.node, call.frame), Origin(labels.node, call.frame)
    yield _Choice(call.node, labels.node, *measured, chosen, call.frame)
    if not any(_is_of(r.value, chosen) or _holds_entry(r.value, given.name) for r in function.returns):
        return
    for node, frame in call.project.callers(function):
        bound, _ = bind(function, node, frame)
        rows, second = bound.get(_table(labels.node) or ""), bound.get(place(scores.node) or "")
        inner = next((i for i in inner_frames(node, frame) if i.function is function), None)
        if isinstance(rows, Passed) and inner is not None:
            shown = Origin(*second) if isinstance(second, Passed) else Origin(*rows)
            chosen = _computed(partial(is_, node), frame.function)
            yield _Choice(node, rows.node, shown, Origin(labels.node, inner), chosen, frame)


def _table(labels: Node) -> str | None:
    """The name of the table that labels are a column of: `frame` of `frame["fraud"]` and of `frame.y.values`."""
    while isinstance(labels, (ast.Subscript, ast.Attribute)):
        labels = labels.value
    return place(labels)


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
    rows, function = _whole(choice.rows), choice.frame.function
    name = place(rows)
    if not name:
        return None
    for node in function.calls:
        given = [*node.args, *(k.value for k in node.keywords)]
        tables = [(a, _whole(a)) for a in given]
        same = [a for a, t in tables if _is_same(t, rows, name, function)]
        if node is not choice.call and same and any(_is_of(a, choice.chosen) for a in given if a not in same):
            if last_name(node.func) in METRICS or _enters_metric(Call(node, choice.frame)):
                return node
    return None


def _is_same(given: Node, rows: Node, name: str, function: FunctionScope) -> bool:
    """Are they the same rows, or a column of them?"""
    if place(given) == name:
        return bound_at(given, function) == bound_at(rows, function)
    return isinstance(rows, ast.Name) and (place(given) or "").startswith((f"{name}[", f"{name}."))


def _whole(rows: Node) -> Node:
    """What one column is taken of, since each class may have a threshold of its own: `y` of `y[:, k]`."""
    match rows:
        case ast.Subscript(value=whole, slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), _])):
            return whole
    return rows


def _enters_metric(call: Call) -> bool:
    return any(not f.stubbed and not METRICS.isdisjoint(f.called_names) for f in call.callees)
