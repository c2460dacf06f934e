"""What does a trainer of transformers do with what it is given: does it count, and does it measure, what was meant?

    Trainer(model, data_collator=DataCollatorForTokenClassification(tokenizer), compute_metrics=metrics)
    def metrics(p):                                                  # labels hold -100 where nothing is to be learned
        return {"accuracy": (p.predictions.argmax(-1) == p.label_ids).mean()}       # `find_counted_ignored_labels`

    class Weighted(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            return F.cross_entropy(...)                         # `find_loss_ignoring_items`: a mean of each micro-batch

Read are the functions that are given to the trainer, and those of the program that they call. A label that is left out
is known if one of them speaks of -100, compares labels with a bound, or asks which differ from what nobody knows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.classes import TRAINER
from mllint.semantics.libraries.tensor_methods import FLATTENS
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.finetuning.tokens import handles_ignored_labels
from mllint.semantics.training.options import default_number
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import ancestors, function_of
from mllint.semantics.values.calls import entered_function
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, part_at
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import SequenceValue, Value

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
_DEPTH = 2
"""How many calls deep labels are followed."""
_ACCEPTS = "self.model_accepts_loss_kwargs"


def find_counted_ignored_labels(call: Call) -> tuple[Site, Site] | None:
    """Where the metrics of a trainer compare with labels that hold -100, and what put them there.

    Args:
        call: what builds the trainer.
    """
    metrics, collator = call.argument("compute_metrics"), call.argument("data_collator")
    if metrics is None or collator is None or not call.value.instance_of(TRAINER) or not _masks_labels(collator.value):
        return None
    function = entered_function(metrics.value)
    if function is None or function.stubbed or function.module.source is None:
        return None
    masked = any(
        handles_ignored_labels(f) or _leaves_one_out(f, call.project) for f in _entered(function, call.project)
    )
    if masked:
        averaged = _averaged(function)
        return (Site(function.module, averaged), collator.site) if averaged is not None else None
    compared = _find_comparison(function, _labels(function), call.project)
    return (compared, collator.site) if compared is not None else None


def _masks_labels(collator: Value) -> bool:
    """Does a collator label what it pads, or hides, with -100?"""
    return collator.instance_of(*_MASKING) or collator.instance_of(_LANGUAGE)


def _entered(function: FunctionScope, project: Project) -> list[FunctionScope]:
    """A function, those of the program that it calls, and those that these call."""
    found = [function]
    for _ in range(_DEPTH):
        calls = [Call(node, project.frame(f)) for f in found for node in f.calls]
        found += {f: None for c in calls for f in c.callees if not f.stubbed and f not in found}
    return found


def _leaves_one_out(function: FunctionScope, project: Project) -> bool:
    """Does a function ask for entries that differ from a number below zero, or from what nobody knows: `!= ignored`?"""
    frame = project.frame(function)
    compares = (n for n in function.nodes_of(ast.Compare) if isinstance(n.ops[0], ast.NotEq))
    compared = (evaluate(side, frame) for n in compares for side in n.comparators)
    return any(v.is_unknown or (isinstance(v.literal, int) and v.literal < 0) for v in compared)


def _find_comparison(
    function: FunctionScope, labels: set[str | None], project: Project, depth: int = _DEPTH
) -> Site | None:
    """Where labels are compared one by one, or made flat for a metric: here, or in a function that is given them.

    Args:
        function: where they are read.
        labels: the places of them.
        project: the project.
        depth: how many calls are followed at most.
    """
    for node in walk(function.node):
        match node:
            case ast.Compare(ops=[ast.Eq()], left=left, comparators=[right]) if {place(left), place(right)} & labels:
                return Site(function.module, node)
            case ast.Call(func=ast.Attribute(attr=attr, value=owner)) if attr in FLATTENS and place(owner) in labels:
                return Site(function.module, node)
    frame = project.frame(function)
    for node in (n for n in function.calls if depth and any(place(a) in labels for a in all_arguments(n))):
        for callee in (f for f in Call(node, frame).callees if not f.stubbed and f is not function):
            given = bind(callee, node, frame)[0].items()
            own: set[str | None] = {n for n, a in given if isinstance(a, Passed) and place(a.node) in labels}
            found = _find_comparison(callee, own, project, depth - 1) if own else None
            if found is not None:
                return found
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
    """The places of the labels: `p.label_ids`, `p[1]`, or the second part of what is unpacked."""
    names = [p.name for p in function.parameters]
    found: set[str | None] = {f"{name}.label_ids" for name in names}
    for name, bindings in function.bindings.items():
        for binding in bindings:
            value, path = binding.value, binding.path
            if isinstance(value, (ast.Tuple, ast.List)):  # `scores, labels = p.predictions, p.label_ids`
                value, path = part_at(value, path), ()
            if isinstance(value, ast.Subscript) and getattr(value.slice, "value", None) == 1:
                value, path = value.value, (1,)
            whole = place(value)
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
    """Whether the arguments of a trainer ask for several micro-batches in a step, a setting does by its default, or a
    command line that is written out."""
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
    return any(steps > 1 for steps in _steps_on_command_lines(project))


def _steps_on_command_lines(project: Project) -> Iterator[int]:
    """The micro-batches of a step that a program writes out in place of its command line:
    `parser.parse_args_into_dataclasses(["--gradient_accumulation_steps", "8"])`."""
    for node, scope in project.calls_named("parse_args_into_dataclasses"):
        function = function_of(scope)
        given = Call(node, project.frame(function)).first("args") if function is not None else None
        parts = given.value.contents if given is not None and isinstance(given.value, SequenceValue) else ()
        words = [word for part in parts for word in str(part.literal).split("=")]
        yield from (int(n) for key, n in pairwise(words) if key == f"--{_STEPS}" and n.isdigit())


def find_trained_models(function: FunctionScope, project: Project) -> list[tuple[Value, Call]]:
    """The models of the trainers whose method a function is, each with what builds the trainer: those that its second
    parameter stands for, `compute_loss(self, model, inputs)`."""
    owner = function.owner
    if owner is None or TRAINER not in ancestors(owner):
        return []
    calls = [Call(n, project.frame(f)) for n, s in project.calls_named(owner.name) if (f := function_of(s)) is not None]
    given = [(call.argument("model"), call) for call in calls]
    return [(model.value, call) for model, call in given if model is not None]
