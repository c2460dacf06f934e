"""What does a trainer of transformers do with what it is given: does it count, and does it measure, what was meant?

    Trainer(model, data_collator=DataCollatorForTokenClassification(tokenizer), compute_metrics=metrics)
    def metrics(p):                                                  # labels hold -100 where nothing is to be learned
        return {"accuracy": (p.predictions.argmax(-1) == p.label_ids).mean()}       # `find_counted_ignored_labels`

    class Weighted(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            return F.cross_entropy(...)                         # `find_loss_ignoring_items`: a mean of each micro-batch

Read are the functions that are given to the trainer, and those of the program that they call. A label that is left out
is known if one of them speaks of -100, or compares labels with a bound.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.classes import TRAINER
from mllint.semantics.libraries.tensor_methods import FLATTENS
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.finetuning.tokens import handles_ignored_labels
from mllint.semantics.training.options import default_number
from mllint.semantics.values.bases import ancestors, function_of
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.lineage import Origin
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, Value

__all__ = [
    "find_counted_ignored_labels", "find_loss_ignoring_items",
    "find_trained_models",
]  # fmt: skip

_MASKING = ("transformers.DataCollatorForTokenClassification",)
_LANGUAGE = "transformers.DataCollatorForLanguageModeling"
_SFT = "trl.SFTTrainer"
_STEPS = "gradient_accumulation_steps"
_BEFORE_ITEMS = 3
"""How many arguments come before the number of items: `compute_loss(model, inputs, return_outputs)`."""
_ACCEPTS = "self.model_accepts_loss_kwargs"


def find_counted_ignored_labels(call: Call) -> tuple[Site, Site] | None:
    """Where the metrics of a trainer compare with labels that hold -100, and what put them there.

    Args:
        call: what builds the trainer.
    """
    metrics, collator = call.argument("compute_metrics"), call.argument("data_collator")
    if metrics is None or collator is None or not call.value.instance_of(TRAINER) or not _masks_labels(collator.value):
        return None
    function = _measuring(metrics.value)
    if function is None or function.stubbed or function.module.source is None:
        return None
    masked = any(handles_ignored_labels(f) for f in _entered(function, call.project))
    compared = _averaged(function) if masked else _compared(function)
    return (Site(function.module, compared), collator.site) if compared is not None else None


def _measuring(metrics: Value) -> FunctionScope | None:
    """The function that computes metrics: a function, or the `__call__` of an object."""
    return method(metrics.cls, "__call__") if isinstance(metrics, InstanceValue) else metrics.function


def _masks_labels(collator: Value) -> bool:
    """Does a collator label what it pads, or hides, with -100?"""
    return collator.instance_of(*_MASKING) or collator.instance_of(_LANGUAGE)


def _entered(function: FunctionScope, project: Project) -> list[FunctionScope]:
    """A function, and those of the program that it calls."""
    frame = project.frame(function)
    called = [f for node in function.calls for f in Call(node, frame).callees if not f.stubbed]
    return [function, *called]


def _compared(function: FunctionScope) -> Node:
    """Where labels are compared one by one, or made flat for a metric."""
    labels = _labels(function)
    for node in walk(function.node):
        match node:
            case ast.Compare(ops=[ast.Eq()], left=left, comparators=[right]) if {place(left), place(right)} & labels:
                return node
            case ast.Call(func=ast.Attribute(attr=attr, value=owner)) if attr in FLATTENS and place(owner) in labels:
                return node
    return None


def _averaged(function: FunctionScope) -> Node:
    """Where a mean is taken over all positions at which labels, as they came, equal the predictions: what leaves some
    out elsewhere does not leave them out here."""
    nodes = walk(function.node)
    stored = {place(n.value) for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)}
    labels = {n for n in _labels(function) if n and len(function.bindings.get(n, ())) < 2} - stored
    for node in nodes:
        match node:
            case (
                ast.Call(func=ast.Attribute(attr="mean", value=ast.Compare(ops=[ast.Eq()]) as test), keywords=[])
                | ast.Call(func=ast.Attribute(attr="mean"), args=[ast.Compare(ops=[ast.Eq()]) as test], keywords=[])
            ):
                if {place(test.left), place(test.comparators[0])} & labels:
                    return test
    return None


def _labels(function: FunctionScope) -> set[str | None]:
    """The places of the labels: `p.label_ids`, or the second part of what is unpacked."""
    names = [p.name for p in function.parameters]
    found: set[str | None] = {f"{name}.label_ids" for name in names}
    for name, bindings in function.bindings.items():
        for binding in bindings:
            whole, path = place(binding.value), binding.path
            if (whole in names and path == (1,)) or (whole in found and not path):
                found.add(name)
    return found


def find_loss_ignoring_items(cls: ClassView) -> Answer[Site] | None:
    """Where a trainer of one's own computes a loss and ignores how many items the whole step has.

    A trainer divides by the number of micro-batches only what does not know the number of items; nor does it know it in
    the method of the base class, unless it is told. It is certain if the program accumulates over several.
    """
    method = cls.scope.methods.get("compute_loss")
    if method is None or not cls.inherits(TRAINER):
        return None
    if method.parameter("num_items_in_batch") is None and not any(p.kind == "kwargs" for p in method.parameters):
        return None
    if any(_uses_items(node) for statement in method.body for node in walk(statement)):
        return None
    if any(_refuses_items(b) for m in cls.scope.methods.values() for b in m.bindings.get(_ACCEPTS, ())):
        return None
    if any(name.startswith("trl.") and name != _SFT for name in ancestors(cls.scope)):
        return None  # the trainers of trl for preferences and rewards divide the loss
    site = Site(cls.module, method.node)
    return Answer(site, Evidence.PROVEN if _configures_accumulation(cls.project) else Evidence.POSSIBLE, (site,))


def _uses_items(node: Node) -> bool:
    match node:
        case ast.Name(id="num_items_in_batch" | "kwargs"):
            return True
        case ast.Attribute(attr="gradient_accumulation_steps"):
            return True  # the loss is divided by hand
        case ast.Call(func=ast.Attribute(attr="compute_loss", value=ast.Call(func=ast.Name(id="super")))):
            told = [k.value for k in node.keywords if k.arg in (None, "num_items_in_batch")]
            told += [*node.args[_BEFORE_ITEMS:], *(a for a in node.args if isinstance(a, ast.Starred))]
            return not all(isinstance(n, ast.Constant) and n.value is None for n in told)
    return place(node) in ("outputs.loss", "output.loss", "outputs['loss']")


def _refuses_items(binding: Binding) -> bool:
    """Does a trainer say that its loss does not know the number of items, so that it divides the loss itself?"""
    return isinstance(binding.value, ast.Constant) and binding.value.value is False


def _configures_accumulation(project: Project) -> bool:
    """Whether the arguments of a trainer ask for several micro-batches in a step, or a setting does by its default."""
    for name in ("TrainingArguments", "Seq2SeqTrainingArguments", "SFTConfig"):
        for node, scope in project.calls_named(name):
            function = function_of(scope)
            call = Call(node, project.frame(function)) if function is not None else None
            written = call.argument(_STEPS) if call is not None else None
            known = constructor_argument(call.value, _STEPS) if call is not None else None
            steps = known.literal if known is not None else None
            if steps is None and written is not None:
                steps = default_number(Origin(written.node, written.frame))
            if isinstance(steps, (int, float)) and steps > 1:
                return True
    return False


def find_trained_models(function: FunctionScope, project: Project) -> list[tuple[Value, Call]]:
    """The models of the trainers whose method a function is, each with what builds the trainer: those that its second
    parameter stands for, `compute_loss(self, model, inputs)`."""
    owner = function.owner
    if owner is None or TRAINER not in ancestors(owner):
        return []
    calls = [Call(n, project.frame(f)) for n, s in project.calls_named(owner.name) if (f := function_of(s)) is not None]
    given = [(call.argument("model"), call) for call in calls]
    return [(model.value, call) for model, call in given if model is not None]
