"""Are the predictions that a trainer hands to its metrics logits, whose loss applies the sigmoid itself?

    class Tagger(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
            return F.binary_cross_entropy_with_logits(model(**inputs).logits, labels)    # `find_sigmoid_loss`: here

    def metrics(p):
        return {"f1": f1_score(p.label_ids, p.predictions > 0.5)}                        # the same logits
    Tagger(model, compute_metrics=metrics)

A trainer gives what its model has put out, unless `preprocess_logits_for_metrics` changes it. That the loss applies the
sigmoid is said by the loss of one's own, or by the `problem_type` of the model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import TRAINER
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.losses import expectations
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.classes import method
from mllint.semantics.values.lineage import origins, resolve_name
from mllint.semantics.values.project import Project

__all__ = ["find_sigmoid_loss"]

_LABELS = "multi_label_classification"
_DEPTH = 4  # names and calls that are followed


def find_sigmoid_loss(score: Node, function: FunctionScope, project: Project) -> Site | None:
    """What applies the sigmoid to the logits that an expression is, in a function that computes metrics for a trainer.

    Args:
        score: the expression.
        function: where it stands.
        project: the program.

    Returns:
        What the loss is given, or what names the problem; None where the expression is anything else.
    """
    measuring = _measuring(score, function, project, _DEPTH)
    trainers = [call for each in measuring for call in _trainers(each, project)]
    found = [_loss_of(trainer) for trainer in trainers]
    return found[0] if found and None not in found else None


def _measuring(score: Node, function: FunctionScope, project: Project, depth: int) -> list[FunctionScope]:
    """The functions whose first parameter holds the predictions that an expression is, `p.predictions`, `p[0]` or the
    first part of what is unpacked, also through names and helpers; none where it is, or may be, anything else."""
    match score:
        case ast.Attribute(value=ast.Name() as whole, attr="predictions"):
            return _of_parameter(whole, function)
        case ast.Subscript(value=ast.Attribute(attr="predictions") as inner, slice=ast.Constant(value=0)):
            return _measuring(inner, function, project, depth)  # of a model that gives more than its logits
        case ast.Subscript(value=ast.Name() as whole, slice=ast.Constant(value=0)):
            return _of_parameter(whole, function)
        case ast.IfExp(body=one, orelse=other):
            sides = [_measuring(side, function, project, depth) for side in (one, other)]
            return sides[0] if sides[0] == sides[1] else []
        case ast.Name():
            found = bound_at(score, function)
            if len(found) != 1 or depth == 0:
                return []
            if found[0].kind == "param":
                return _of_callers(found[0].name, function, project, depth - 1)
            if found[0].kind != "assign" or found[0].path not in ((), (0,)):
                return []
            value = found[0].value
            unpacked = bool(found[0].path)
            return _of_parameter(value, function) if unpacked else _measuring(value, function, project, depth - 1)
    return []


def _of_parameter(node: Node, function: FunctionScope) -> list[FunctionScope]:
    """A function, if an expression is its first parameter, which it never binds anew."""
    first = next((p.name for p in function.parameters), None)
    is_first = isinstance(node, ast.Name) and node.id == first and len(function.bindings.get(node.id, ())) == 1
    return [function] if is_first else []


def _of_callers(name: str, function: FunctionScope, project: Project, depth: int) -> list[FunctionScope]:
    """The functions whose predictions all callers pass for a parameter."""
    found: list[FunctionScope] = []
    for node, frame in project.callers(function):
        given = next((a for a in Call(node, frame).arguments if a.parameter == name), None)
        inner = _measuring(given.node, frame.function, project, depth) if given is not None else []
        if not inner:
            return []
        found += inner
    return found


def _trainers(function: FunctionScope, project: Project) -> Iterator[Call]:
    """What builds the trainers that compute their metrics by a function, from what their models put out."""
    for module in project.modules:
        for node, scope in module.calls_by_keyword.get("compute_metrics", ()):
            caller = function_of(scope)
            call = Call(node, project.frame(caller)) if caller is not None else None
            metrics = call.argument("compute_metrics") if call is not None else None
            if call is None or metrics is None or metrics.value.function is not function:
                continue
            if call.value.instance_of(TRAINER) and call.argument("preprocess_logits_for_metrics") is None:
                yield call


def _loss_of(trainer: Call) -> Site | None:
    """What a trainer's loss applies the sigmoid to, by its own method, or by the problem that its model is for."""
    for cls in trainer.value.classes:
        own = method(cls, "compute_loss")
        if own is not None and not own.stubbed:
            return _given_to_sigmoid_loss(own, trainer.project)
    model = trainer.argument("model")
    for origin in origins(model.node, model.frame) if model is not None else ():
        for keyword in origin.node.keywords if isinstance(origin.node, ast.Call) else ():
            if keyword.arg == "problem_type" and getattr(keyword.value, "value", None) == _LABELS:
                return Site(origin.frame.module, keyword.value)
    return None


def _given_to_sigmoid_loss(compute_loss: FunctionScope, project: Project) -> Site | None:
    """The logits of the model that a loss is given which applies the sigmoid itself, if nothing else computes one."""
    frame = project.frame(compute_loss)
    for node in compute_loss.calls:
        for argument in expectations.arguments(Call(node, frame), "BinaryLogits"):
            logits = resolve_name(argument.node, compute_loss)
            if isinstance(logits, ast.Attribute) and logits.attr == "logits":
                return argument.site
            if isinstance(logits, ast.Subscript) and getattr(logits.slice, "value", None) == "logits":
                return argument.site
    return None
