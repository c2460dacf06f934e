"""Is a text learned that a chat template ends with the beginning of an answer?

    def encode(messages, opens=True):
        return tokenizer.apply_chat_template(messages, add_generation_prompt=opens)

    {"labels": encode(row["messages"])}             # `find_learned_opening`: nothing follows
    {"labels": encode(row["prompt"]) + answer}      # the answer does

Learned are the ids that are labels, the text column of `SFTTrainer`, or what its function writes, the rows of which a
collator that hides no tokens copies the labels, and the samples of one's own that a loop draws whose model is given
labels. They are read only where they are the text of the template and
nothing else: whatever the messages are, an answer has been begun that nobody writes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import DATASET, LOADER
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, is_within, iterable_of, last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning.encodings import find_encoded_rows, find_encodings
from mllint.semantics.training.finetuning.templates import text_column, tokenized_texts, trainers
from mllint.semantics.training.finetuning.texts import Field, columns, text_of, written_forms
from mllint.semantics.training.finetuning.tokens import CAUSAL, COLLATOR, disables_masking, labels_of
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue

__all__ = ["find_learned_opening"]

_TEMPLATE = "apply_chat_template"
_CALLS = 3


def find_learned_opening(call: Call) -> tuple[Argument, Site] | None:
    """The argument by which a template begins an answer in a text that is learned as it is, and where it is learned.

    Args:
        call: `tokenizer.apply_chat_template(messages, add_generation_prompt=True)`.
    """
    opens, learned = call.argument("add_generation_prompt"), _learned(call.project).get(id(call.node))
    return (opens, learned) if opens is not None and learned is not None else None


@cached()
def _learned(project: Project) -> dict[int, Site]:
    """Where the texts of templates that begin an answer are learned whole, by the id of the call of the template."""
    if not project.calls_named(_TEMPLATE):
        return {}
    found = [*_as_labels(project), *_of_trainers(project), *_of_collators(project), *_as_samples(project)]
    return {id(template.node): site for template, site in found}


def _as_labels(project: Project) -> Iterator[tuple[Call, Site]]:
    """The templates whose ids are labels."""
    for function in (f for m in project.modules if not m.is_stub for f in m.functions):
        frame = project.frame(function)
        for labels in labels_of(function):
            yield from _opened(find_encodings(labels, frame), Site(function.module, labels))


def _opened(calls: list[Call], site: Site) -> Iterator[tuple[Call, Site]]:
    """The templates of some ids, if all of them begin an answer, and nothing is put behind it."""
    templates = [_template_of(call) for call in calls]
    yield from ((t, site) for t in templates if t is not None and None not in templates)


def _template_of(call: Call) -> Call | None:
    """The template that gives ids, or the text that a tokenizer is given, and begins an answer behind it."""
    if call.last_name == _TEMPLATE:
        opens = call.argument("add_generation_prompt")
        return call if opens is not None and opens.value.truth is True else None
    text = text_of(call)
    return _template_of_text(text, call.frame) if text is not None else None


def _template_of_text(text: Node, frame: Frame) -> Call | None:
    """The template that writes a text in all its forms, and nothing else."""
    found: list[Call | None] = []
    for form in written_forms(text, frame):
        part = form[0] if len(form) == 1 else None
        made = part.node if isinstance(part, Field) else None
        if isinstance(part, Field) and isinstance(made, ast.Call) and last_name(made.func) == _TEMPLATE:
            found.append(_template_of(Call(made, part.frame)))
        else:
            found.append(None)
    return found[0] if found and None not in found else None


# ------------------------------------------------------------------------------------------------------------ trainers
def _of_trainers(project: Project) -> Iterator[tuple[Call, Site]]:
    """The templates of the rows that a trainer of trl, or of transformers, is given."""
    for trainer in trainers(project):
        if trainer.value.class_name not in ("SFTTrainer", "Trainer"):
            continue
        shown = trainer.argument("formatting_func")
        written = columns(project).get(text_column(trainer), []) if trainer.value.class_name == "SFTTrainer" else []
        if shown is not None:
            function = shown.value.function
            given = [r.value for r in function.returns] if function is not None and not function.stubbed else []
            texts = [(node, project.frame(function)) for node in given if function is not None]
        else:
            texts = [(origin.node, origin.frame) for origin in written]
        yield from _opened_texts(texts, trainer.site)


def _opened_texts(texts: list[tuple[Node, Frame]], site: Site) -> Iterator[tuple[Call, Site]]:
    """The templates that write some texts, if all of them begin an answer, and nothing is put behind it."""
    templates = [_template_of_text(node, frame) for node, frame in texts]
    yield from ((t, site) for t in templates if t is not None and None not in templates)


def _of_collators(project: Project) -> Iterator[tuple[Call, Site]]:
    """The templates of the rows that become labels as they are, by a collator that hides no tokens."""
    own = [m for m in project.modules if not m.is_stub]
    for key in ("data_collator", "collate_fn"):
        for node, scope in (item for m in own for item in m.calls_by_keyword.get(key, ())):
            call = Call(node, project.frame(scope)) if isinstance(scope, FunctionScope) else None
            collator = call.argument(key) if call is not None else None
            if call is None or collator is None or not collator.value.instance_of(COLLATOR):
                continue
            rows = call.argument("train_dataset") or call.argument("dataset")
            if rows is not None and disables_masking(collator.value):
                yield from _opened_texts(tokenized_texts(rows), call.site)


# ------------------------------------------------------------------------------------------------------------- samples
def _as_samples(project: Project) -> Iterator[tuple[Call, Site]]:
    """The templates whose ids are the samples of one's own that a causal model is given with labels."""
    own = [m for m in project.modules if not m.is_stub]
    for node, scope in (item for m in own for item in m.calls_by_keyword.get("labels", ())):
        call = Call(node, project.frame(scope)) if isinstance(scope, FunctionScope) else None
        if call is None or not call.module_run.instance_of(CAUSAL) or _is_generated(call):
            continue
        for item in _items_drawn_around(node, call.frame, _CALLS):
            frame = project.frame(item)
            rows = [[*find_encodings(r.value, frame), *find_encoded_rows(r.value, frame)] for r in item.returns]
            if all(rows):
                yield from _opened([made for calls in rows for made in calls], call.site)


def _is_generated(call: Call) -> bool:
    """Are the labels of a call what a model has generated?"""
    labels = call.argument("labels")
    found = origins(labels.node, labels.frame) if labels is not None else ()
    return any(isinstance(o.node, ast.Call) and last_name(o.node.func) == "generate" for o in found)


def _items_drawn_around(node: Node, frame: Frame, calls: int) -> Iterator[FunctionScope]:
    """The `__getitem__` of what the loops draw from that stand around a call, or around those of its function."""
    for run in frame.function.loops:
        if isinstance(run.node, ast.For) and is_within(node, run.node):
            loader = evaluate(iterable_of(run.node.iter), frame)
            rows = constructor_argument(loader, "dataset") if loader.instance_of(LOADER) else None
            item = method(rows.cls, "__getitem__") if isinstance(rows, InstanceValue) else None
            if rows is not None and rows.instance_of(DATASET) and item is not None and not item.stubbed:
                yield item
    for call, outer in frame.project.callers(frame.function) if calls else ():
        yield from _items_drawn_around(call, outer, calls - 1)
