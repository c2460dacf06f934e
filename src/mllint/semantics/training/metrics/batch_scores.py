"""Is the mean of a score over batches taken for the score of all samples?

    scores.append(f1_score(y, prediction))   # a score of each batch
    np.mean(scores)                          # is not that of all samples: `find_averaged_batch_scores`
    meter.update(f1_score(y, prediction))    # nor is that of a meter:
    meter.avg
    self.log("val_f1", self.f1(scores, y))   # nor of Lightning, which is given the value of one batch

A share of hits is the mean of its batches, as long as they are of one size. A score that is made of several shares (F1,
the area under a curve) is not: classes that a batch does not hold count as zero. Where labels are made flat for it,
each picture may well be meant. One that is written by hand is known as a mean over classes (`class_means`). Nor is a
perplexity: a mean of exponentials is more than the exponential of the mean.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import LIGHTNING_MODULE, METRIC
from mllint.semantics.libraries.tensor_methods import FLATTENS
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Constant, Node, is_within, last_name, place, walk
from mllint.semantics.training.metrics.averages import (
    draws_from_loader,
    draws_single_samples,
    quotients,
    sums,
    without_number_conversion,
)
from mllint.semantics.training.metrics.class_means import is_mean_over_classes, may_count_classes
from mllint.semantics.training.metrics.meters import find_metered_value, means
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import has_role_name
from mllint.semantics.training.schedules.units import built_by
from mllint.semantics.values.bases import ancestors
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import part_at, resolve_name, results_of
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue

__all__ = ["OfBatches", "find_averaged_batch_scores", "is_perplexity"]

_STEPS = ("validation_step", "test_step")
_LOGS = ("log", "log_dict")
_EVALUATED = "evaluate.EvaluationModule"
_OF_SHARES_BY_NAME = ("f1", "precision", "recall", "roc_auc", "matthews_correlation", "seqeval", "bleu", "sacrebleu")
"""How the hub calls metrics that are made of shares."""
_OF_SHARES = tuple(
    f"{module}.{name}"
    for module, names in (
        ("sklearn.metrics", "f1_score fbeta_score precision_score recall_score roc_auc_score average_precision_score"),
        ("sklearn.metrics", "r2_score matthews_corrcoef cohen_kappa_score balanced_accuracy_score"),
        ("torchmetrics.functional", "r2_score"),
    )
    for name in names.split()
)
_BY_TASK = "f1_score fbeta_score precision recall auroc average_precision matthews_corrcoef cohen_kappa".split()
_CLASSES_BY_TASK = "F1Score FBetaScore Precision Recall AUROC AveragePrecision MatthewsCorrCoef CohenKappa".split()
_TASKS = ("binary", "multiclass", "multilabel")
_FUNCTIONS_OF_SHARES = (
    *_OF_SHARES,
    *(f"torchmetrics.functional.{name}" for name in _BY_TASK),
    *(f"torchmetrics.functional.classification.{task}_{name}" for task in _TASKS for name in _BY_TASK),
)
_METRICS_OF_SHARES = (
    "torchmetrics.R2Score",
    *(f"torchmetrics.{name}" for name in _CLASSES_BY_TASK),
    *(f"torchmetrics.classification.{task.title()}{name}" for task in _TASKS for name in _CLASSES_BY_TASK),
)
_SHARES = frozenset(name.rpartition(".")[2] for name in (*_FUNCTIONS_OF_SHARES, *_METRICS_OF_SHARES))


class OfBatches(NamedTuple):
    """A score that is computed of each batch, and then taken for that of all samples by a mean.

    Attributes:
        score: the call of the metric, or of the function that gives it beside other things.
        mean: where the mean is taken.
        called: what the score is called: the metric, or the name that it is unpacked to.
    """

    score: ast.Call
    mean: Node
    called: Node


def find_averaged_batch_scores(function: FunctionView) -> Iterator[OfBatches]:
    """The scores of single batches whose mean a function takes, in loops that measure, and in steps of Lightning."""
    if not _names_a_share(function.project):
        return
    yield from _logged(function)
    for loop in (run.node for run in function.scope.loops if isinstance(run.node, ast.For)):
        gathered = [(term, _mean_behind(name, loop, function)) for name, term in (*sums(loop), *_collected(loop))]
        scores = [(_score_in(term, function), mean) for term, mean in gathered if mean is not None]
        averaged = [(score, mean) for score, mean in (*scores, *_metered(loop, function)) if score is not None]
        if not averaged or _trains(loop, function):
            continue
        found = [(score, mean) for score, mean in averaged if _is_made_of_shares(score, function)]
        if found and draws_from_loader(loop, function) and not draws_single_samples(loop, function):
            yield from (OfBatches(score.call, mean, score.called) for score, mean in found)


def _trains(loop: ast.For, function: FunctionView) -> bool:
    """Is there a backward in a loop?"""
    return any(last_name(c.func) == "backward" and is_within(c, loop) for c in function.scope.calls)


@cached()
def _names_a_share(project: Project) -> bool:
    """Does a file name a metric whose mean over batches is not that of all samples, or the library `evaluate`, or
    has it a function that counts in a loop over classes?"""
    named, modules = _SHARES | {_EVALUATED.partition(".")[0], "exp"}, [m for m in project.modules if not m.is_stub]
    if any(not named.isdisjoint(m.source.names()) for m in modules):
        return True
    return any(may_count_classes(f) for m in modules if "append" in m.calls_by_name for f in m.functions)


def _logged(function: FunctionView) -> Iterator[OfBatches]:
    """What a step of an evaluation logs, there or in a method that it calls: Lightning takes its mean over the batches,
    as of `self.log("val_f1", f1)`."""
    owner = function.owner
    if owner is None or LIGHTNING_MODULE not in ancestors(owner) or function.scope.called_names.isdisjoint(_LOGS):
        return
    callers = (frame.function for _, frame in function.project.callers(function.scope))
    if function.scope.name not in _STEPS and not any(f.owner and f.name in _STEPS for f in callers):
        return
    for call in function.calls():
        per_epoch = call.argument("on_epoch")
        if per_epoch is not None and per_epoch.value.truth is False:
            continue  # each batch is shown by itself
        for term in _terms_of_log(call, function):
            score = _score_in(term, function)
            if score is not None and _is_made_of_shares(score, function):
                yield OfBatches(score.call, call.node, score.called)


def _terms_of_log(call: Call, function: FunctionView) -> list[Node]:
    """The values that `self.log("val_f1", f1)` and `self.log_dict({"val_f1": f1})` are given."""
    if call.last_name == "log":
        return list(call.node.args[1:2])
    given = [resolve_name(a, function.scope) for a in call.node.args[:1] if call.last_name == "log_dict"]
    return [value for entries in given if isinstance(entries, ast.Dict) for value in entries.values]


def _collected(loop: ast.For) -> Iterator[tuple[str, Node]]:
    """What each iteration of a loop appends to a list."""
    for statement in (s for s in every_statement(loop) if isinstance(s, ast.Expr)):
        match statement.value:
            case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[term]):
                name = place(owner)
                if name is not None:
                    yield name, term


def _metered(loop: ast.For, function: FunctionView) -> Iterator[tuple[_Score, Node]]:
    """The scores that each iteration of a loop gives a meter, each with where its mean is taken behind the loop."""
    end = loop.end_lineno or 0
    for node, name in _unread_method_calls(loop):
        read = [n for n in _attributes_read(function.scope).get(name, ()) if n.lineno > end]
        score = _score_in(node.args[0], function) if read else None
        meter = find_metered_value(Call(node, function.frame)) if score is not None else None
        mean = next((n for n in read if n.attr in means(meter[1])), None) if meter is not None else None
        if score is not None and mean is not None:
            yield score, mean


def _unread_method_calls(loop: ast.For) -> Iterator[tuple[ast.Call, str]]:
    """The calls of methods in a loop whose result is not read, as `meter.update(x)`, each with the place of its object.
    What is appended to a list is `_collected`."""
    for statement in (s for s in every_statement(loop) if isinstance(s, ast.Expr)):
        match statement.value:
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[_, *_]) as node if method != "append":
                name = place(owner)
                if name is not None:
                    yield node, name


@cached_per_scope(local=True)
def _attributes_read(function: FunctionScope) -> dict[str | None, list[ast.Attribute]]:
    """The attributes that a function names, by the place of their object."""
    found: dict[str | None, list[ast.Attribute]] = {}
    for node in function.nodes_of(ast.Attribute):
        found.setdefault(place(node.value), []).append(node)
    return found


class _Score(NamedTuple):
    """What may be a score.

    Attributes:
        call: what is called for it.
        key: under which key, or at which place, it is found in what that gives, if it is a part of it.
        called: what it is called.
    """

    call: ast.Call
    key: str | int | None
    called: Node


def _score_in(term: Node, function: FunctionView) -> _Score | None:
    """The call that a term is, or that is weighted in it, or a part of what a call gives: `compute(...)["f1"]`, or `f1`
    of `loss, f1 = self.measure(batch)`."""
    key: str | int | None = None
    node = resolve_name(without_number_conversion(term), function.scope)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        node = resolve_name(without_number_conversion(node.left), function.scope)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        node, key = resolve_name(node.value, function.scope), node.slice.value
    node = without_number_conversion(node)
    if isinstance(node, ast.Name):
        made = bound_at(node, function.scope)
        if len(made) == 1 and made[0].kind == "assign" and isinstance(made[0].value, ast.Call):
            path = made[0].path
            return _Score(made[0].value, path[0], node) if len(path) == 1 and path[0] is not None else None
    return _Score(node, key, node.func) if isinstance(node, ast.Call) else None


def _is_made_of_shares(score: _Score, function: FunctionView) -> bool:
    """Is it a metric whose mean over batches is not that of all samples?"""
    entered = list(results_of(score.call, function.frame))
    if not entered:
        return _is_share(Call(score.call, function.frame), score.key)
    inner = [(without_number_conversion(_entry(node, score.key, frame)), frame) for node, frame in entered]
    return all(
        is_mean_over_classes(node, frame.function)
        or (isinstance(node, ast.Call) and _is_share(Call(node, frame), None))
        for node, frame in inner
    )


def _entry(node: Node, key: str | int | None, frame: Frame) -> Node:
    """What stands under a key of a dictionary, or at a place of a tuple, that is written out; the node itself without a
    key."""
    node = resolve_name(node, frame.function)
    if key is None:
        return node
    if isinstance(key, int):
        part = part_at(node, (key,))
        return resolve_name(part, frame.function) if part is not None else None
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return next(
        (resolve_name(v, frame.function) for k, v in pairs if isinstance(k, ast.Constant) and k.value == key), None
    )


def _is_share(call: Call, key: str | int | None) -> bool:
    if key is None:
        shares = call.callee.is_function(*_FUNCTIONS_OF_SHARES) or call.callee.instance_of(*_METRICS_OF_SHARES)
        return (shares and not _is_mean_of_samples(call)) or is_perplexity(call)
    metric = call.receiver if call.last_name == "compute" else None
    loaded = built_by(metric, call.frame) if metric is not None and metric.instance_of(_EVALUATED) else None
    name = loaded.first("path") if loaded is not None else None
    return name is not None and name.value.literal in _OF_SHARES_BY_NAME and not _is_mean_of_samples(call)


def is_perplexity(call: Call) -> bool:
    """True if `call` is the exponential of a loss: `math.exp(loss.item())`, `loss.exp()`."""
    if call.last_name != "exp" or not isinstance(call.node.func, ast.Attribute):
        return False
    of = without_number_conversion(call.node.args[0] if call.node.args else call.node.func.value)
    return has_role_name(place(of), Role.LOSS) or evaluate(of, call.frame).is_("Loss")


def _is_mean_of_samples(call: Call) -> bool:
    """Is the score counted over hits alone, or of each sample or picture?"""
    if _averaging(call) in ("micro", "samples"):
        return True
    given = [resolve_name(a, call.function) for a in call.node.args]
    return any(isinstance(n, ast.Call) and last_name(n.func) in FLATTENS for a in given for n in walk(a))


def _averaging(call: Call) -> Constant:
    """How a score makes one number of those of the classes: as it says, or by default if it heeds it."""
    metric = call.callee
    if metric.instance_of(METRIC):
        given = {name: constructor_argument(metric, name) for name in ("average", "task")}
        made = method(metric.cls, "__init__") if isinstance(metric, InstanceValue) else None
    else:
        written = {name: call.argument(name) for name in ("average", "task")}
        given = {name: argument.value if argument is not None else None for name, argument in written.items()}
        made = metric.function
    average, task = given["average"], given["task"]
    default = made.parameter("average") if made is not None else None
    if average is None and default is not None and (task is None or task.literal != "binary"):
        return getattr(default.default, "value", None)
    return average.literal if average is not None else None


def _mean_behind(name: str, loop: ast.For, function: FunctionView) -> Node:
    """Where the mean of what a loop gathered under a name is taken behind it."""
    end = loop.end_lineno or 0
    return next((node for node, of, _ in quotients(function.scope) if of == name and node.lineno > end), None)
