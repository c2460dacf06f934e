"""Is the mean of a score over batches taken for the score of all samples?

    scores.append(f1_score(y, prediction))   # a score of each batch
    np.mean(scores)                          # is not that of all samples: `of_batches`

A share of hits is the mean of its batches, as long as they are of one size. A score that is made of several shares (F1,
the area under a curve) is not: classes that a batch does not hold count as zero. Where labels are made flat for it,
each picture may well be meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import last_name, place, walk, within
from mllint.semantics.training.averages import bare, draws_batches, one_by_one, operand, sums
from mllint.semantics.values.bases import ancestors
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import bound_to, results_of, statements
from mllint.semantics.values.project import Project

__all__ = ["OfBatches", "of_batches"]


class OfBatches(NamedTuple):
    """A score that is computed of each batch, and then taken for that of all samples by a mean.

    Attributes:
        score: the call of the metric.
        mean: where the mean is taken.
    """

    score: ast.Call
    mean: Any


def of_batches(function: Function) -> Iterator[OfBatches]:
    """The scores of single batches whose mean a function takes, in loops that measure, and in steps of Lightning."""
    if not _names_a_share(function.project):
        return
    yield from _logged(function)
    for loop in (run.node for run in function.scope.loops if isinstance(run.node, ast.For)):
        kept = [(name, _call_in(term, function)) for name, term, _ in (*sums(loop), *_collected(loop))]
        scores = [(call, _mean_behind(name, loop, function)) for name, call in kept if call is not None]
        means = [(call, mean) for call, mean in scores if mean is not None]
        if not means or _trains(loop, function):
            continue
        found = [(call, mean) for call, mean in means if _is_made_of_shares(call, function)]
        if found and draws_batches(loop, function) and not one_by_one(loop, function):
            yield from (OfBatches(score, mean) for score, mean in found)


def _trains(loop: ast.For, function: Function) -> bool:
    """Is there a backward in a loop?"""
    return any(last_name(c.func) == "backward" and within(c, loop) for c in function.scope.calls)


@cached()
def _names_a_share(project: Project) -> bool:
    """Does a file name a metric whose mean over batches is not that of all samples?"""
    return any(not _SHARES.isdisjoint(m.source.names()) for m in project.modules if not m.is_stub)


def _logged(function: Function) -> Iterator[OfBatches]:
    """What a step of an evaluation logs, whose mean over the batches Lightning takes: `self.log("val_f1", f1)`."""
    owner = function.owner
    if owner is None or function.scope.name not in _STEPS or _MODULE not in ancestors(owner):
        return
    for call in function.calls():
        if call.last_name == "log" and len(call.node.args) > 1:
            score = _call_in(call.node.args[1], function)
            if score is not None and _is_made_of_shares(score, function):
                yield OfBatches(score, call.node)


_STEPS = ("validation_step", "test_step")
_MODULE = "lightning.pytorch.LightningModule"


def _collected(loop: ast.For) -> Iterator[tuple[str, Any, ast.For]]:
    """What each turn of a loop appends to a list."""
    for statement in (s for s in every_statement(loop) if isinstance(s, ast.Expr)):
        match statement.value:
            case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[term]):
                name = place(owner)
                if name is not None:
                    yield name, term, loop


def _call_in(term: Any, function: Function) -> ast.Call | None:
    """The call that a term is, or that is weighted in it."""
    node = bound_to(bare(term), function.scope)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        node = bound_to(bare(node.left), function.scope)
    return node if isinstance(node, ast.Call) else None


def _is_made_of_shares(call: ast.Call, function: Function) -> bool:
    """Is it the call of a metric whose mean over batches is not that of all samples?"""
    found = [Call(n, frame) for n, frame in _results(bare(call), function)]
    shares = [c for c in found if c.callee.is_function(*_OF_SHARES) and not _is_mean_of_samples(c)]
    return bool(found) and len(shares) == len(found)


def _results(node: Any, function: Function) -> list[tuple[ast.Call, Frame]]:
    """A call, or those that the user's function that it enters returns."""
    if not isinstance(node, ast.Call):
        return []
    entered = list(results_of(node, function.frame))
    calls = [(n, frame) for n, frame in entered if isinstance(n, ast.Call)]
    return calls if len(calls) == len(entered) and entered else [] if entered else [(node, function.frame)]


_OF_SHARES = tuple(
    f"{module}.{name}"
    for module, names in (
        ("sklearn.metrics", "f1_score fbeta_score precision_score recall_score roc_auc_score average_precision_score"),
        ("sklearn.metrics", "r2_score matthews_corrcoef cohen_kappa_score balanced_accuracy_score"),
        ("torchmetrics.functional", "f1_score fbeta_score precision recall auroc average_precision r2_score"),
        ("torchmetrics.functional", "matthews_corrcoef cohen_kappa"),
    )
    for name in names.split()
)


_SHARES = frozenset(name.rpartition(".")[2] for name in _OF_SHARES)


def _is_mean_of_samples(call: Call) -> bool:
    """Is the score counted over hits alone, or of each sample or picture?"""
    average = call.argument("average")
    if average is not None and average.value.literal in ("micro", "samples"):
        return True
    given = [bound_to(a, call.function) for a in call.node.args]
    return any(isinstance(n, ast.Call) and last_name(n.func) in _FLAT for a in given for n in walk(a))


_FLAT = frozenset("flatten ravel view reshape".split())
_MEANS = frozenset("mean nanmean average fmean".split())


def _mean_behind(name: str, loop: ast.For, function: Function) -> Any:
    """Where the mean of what a loop gathered under a name is taken behind it."""
    for statement in (s for s in statements(function.scope) if s.lineno > (loop.end_lineno or 0)):
        for node in walk(statement):
            match node:
                case ast.BinOp(op=ast.Div(), left=left) if name in (operand(left), _summed(left)):
                    return node
                case ast.Call() if last_name(node.func) in _MEANS and any(place(n) == name for n in walk(node)):
                    return node
    return None


def _summed(node: Any) -> str | None:
    """`scores` of `sum(scores)`."""
    return place(node.args[0]) if isinstance(node, ast.Call) and last_name(node.func) == "sum" and node.args else None
