"""Which calls of a tokenizer, or of its template for chats, give the ids that something is, also where functions of the
user's make them?

    def encode(self, text, **settings):
        encoded = self.tokenizer(text, padding="max_length", **settings)
        return {key: value.squeeze(0) for key, value in encoded.items()}

    {"input_ids": source["input_ids"], "labels": target["input_ids"]}      # `find_encodings`: the call in `encode`

Ids are followed through names, copies, changes of form, entries of rows that are written out, and what functions of the
user's give. Anything else on the way, a store into them too, ends the claim.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import PRETRAINED_MODEL
from mllint.semantics.libraries.tensor_methods import FLATTENS, MAKES, SAME_ENTRIES
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning.padding import masks_padding
from mllint.semantics.training.finetuning.tokens import (
    excludes_padding_from_loss,
    is_tokenizer_call,
    labels_of,
    trains_by_labels,
)
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, part_at, results_of, statements
from mllint.semantics.values.project import Project

__all__ = ["find_encoded_rows", "find_encodings", "labels_encoded_elsewhere"]

_IDS = "input_ids"
_KEEPING = SAME_ENTRIES | FLATTENS | {"squeeze", "tolist"}
_MAKING = MAKES | {"list", "deepcopy"}
_STEPS = 12
_LOSSES = ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")


def labels_encoded_elsewhere(function: FunctionView) -> Iterator[tuple[Site, Call]]:
    """The labels of a function that are ids as another function of the user's gives them, padded to one length, in a
    program that nowhere leaves padding out, and leaves the loss to a model of transformers.

    Yields:
        The labels, and the call of the tokenizer.
    """
    frames = _contexts(function)
    for labels in (*labels_of(function.scope), *_labels_of_models(function)):
        calls = _all([find_encodings(labels, frame) for frame in frames])
        elsewhere = [call for call in calls if call.function is not function.scope]
        if elsewhere and all(map(_pads_to_one_length, calls)) and _counts_padding(function.project):
            yield Site(function.module, labels), elsewhere[0]


def _contexts(function: FunctionView) -> list[Frame]:
    """The contexts in which the callers of a function enter it; its own if nobody is known to call it."""
    callers = function.project.callers(function.scope) if function.scope.parameters else []
    entered = [inner for call, outer in callers for inner in inner_frames(call, outer)]
    return [frame for frame in entered if frame.function is function.scope] or [function.frame]


def _labels_of_models(function: FunctionView) -> Iterator[Node]:
    """The labels that models of transformers are given by name."""
    for node in function.scope.calls:
        labels = next((k.value for k in node.keywords if k.arg == "labels"), None)
        if labels is not None and Call(node, function.frame).module_run.instance_of(PRETRAINED_MODEL):
            yield labels


def _counts_padding(project: Project) -> bool:
    own = any(project.calls_named(name) for name in _LOSSES)
    return (
        trains_by_labels(project) and not own and not excludes_padding_from_loss(project) and not masks_padding(project)
    )


def _pads_to_one_length(call: Call) -> bool:
    """Is `padding="max_length"` given? One text alone is not padded by `padding=True`."""
    padding = call.argument("padding") if call.last_name != "apply_chat_template" else None
    return padding is not None and padding.value.literal == "max_length"


def find_encodings(ids: Node, frame: Frame) -> list[Call]:
    """The calls of a tokenizer one of which gave some ids; none if that is not certain.

    Args:
        ids: the expression of the ids.
        frame: its context.
    """
    return _of_ids(ids, frame, _STEPS)


def find_encoded_rows(row: Node, frame: Frame) -> list[Call]:
    """The calls of a tokenizer one of which gave an encoding, or a row of one that keeps its ids; likewise.

    Args:
        row: the expression of the row.
        frame: its context.
    """
    return _of_row(row, frame, _STEPS)


def _of_ids(node: Node, frame: Frame, steps: int) -> list[Call]:
    if steps == 0:
        return []
    match node:
        case (
            ast.Subscript(value=owner, slice=ast.Constant(value="input_ids"))
            | ast.Attribute(value=owner, attr="input_ids")
        ):
            return _of_row(owner, frame, steps - 1)
        case ast.Subscript(value=whole, slice=ast.Constant(value=0)):
            return _of_ids(whole, frame, steps - 1)
        case ast.Subscript(value=whole, slice=ast.Slice(lower=None, step=None)):
            return _of_ids(whole, frame, steps - 1)
        case ast.Call(func=ast.Attribute(value=whole, attr=attr)) if attr in _KEEPING:
            return _of_ids(whole, frame, steps - 1)
        case ast.Call(func=ast.Attribute(attr="apply_chat_template")):
            return [Call(node, frame)]
        case ast.Call(args=[whole, *_]) if last_name(node.func) in _MAKING:
            return _of_ids(whole, frame, steps - 1)
    return _all([_of_ids(o.node, o.frame, steps - 1) for o in _given(node, frame)])


def _of_row(node: Node, frame: Frame, steps: int) -> list[Call]:
    """The calls that gave an encoding, or a row of one."""
    if steps == 0:
        return []
    match node:
        case ast.DictComp(
            key=ast.Name(id=key),
            value=value,
            generators=[ast.comprehension(target=ast.Tuple(elts=[ast.Name(id=each), ast.Name(id=entry)]), ifs=[])],
        ) if key == each and place(_bare(value)) == entry:
            match node.generators[0].iter:
                case ast.Call(func=ast.Attribute(value=whole, attr="items")):
                    return _of_row(whole, frame, steps - 1)
            return []
        case ast.Dict(keys=keys, values=values):
            entries = [v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant) and k.value == _IDS]
            return _of_ids(entries[0], frame, steps - 1) if len(entries) == 1 else []
        case ast.Call(func=ast.Name(id="dict"), args=[whole], keywords=[]):
            return _of_row(whole, frame, steps - 1)
        case ast.Call(func=ast.Attribute(value=whole, attr="to" | "copy")):
            return _of_row(whole, frame, steps - 1)
        case ast.Call() if _encodes(Call(node, frame)):
            return [Call(node, frame)]
    return _all([_of_row(o.node, o.frame, steps - 1) for o in _given(node, frame)])


def _encodes(call: Call) -> bool:
    """Is a tokenizer called, or its template for a chat?"""
    return call.last_name == "apply_chat_template" or is_tokenizer_call(call)


def _bare(node: Node) -> Node:
    """`value` of `value.squeeze(0)`, and of `value[0]`."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _KEEPING:
            return inner
        case ast.Subscript(value=inner, slice=ast.Constant(value=0)):
            return inner
    return node


def _given(node: Node, frame: Frame) -> list[Origin]:
    """What a name, a choice or a call of a function of the user's may be; nothing if it may be something else."""
    match node:
        case ast.IfExp(body=body, orelse=other):
            return [Origin(body, frame), Origin(other, frame)]
        case ast.Call():
            return [Origin(value, inner) for value, inner in results_of(node, frame)]
        case ast.Name(id=name) if not _is_changed(name, frame.function):
            found = bound_at(node, frame.function)
            parts = [part_at(b.value, b.path) if b.kind == "assign" else None for b in found]
            passed = (frame.bound or {}).get(name) if [b.kind for b in found] == ["param"] else None
            if isinstance(passed, Passed):
                return [Origin(passed.node, passed.frame)]
            return [Origin(part, frame) for part in parts] if None not in parts else []
    return []


def _is_changed(name: str, function: FunctionScope) -> bool:
    """Is something stored into ids, or into an encoding, other than under a key of its own, as labels are?"""
    targets = [t for s in statements(function) for t, _ in assigned_pairs(s) if isinstance(t, ast.Subscript)]
    stored = [t.slice for t in targets if place(t.value) == name]
    return any(not isinstance(k, ast.Constant) or not isinstance(k.value, str) or k.value == _IDS for k in stored)


def _all(found: list[list[Call]]) -> list[Call]:
    return [call for calls in found for call in calls] if all(found) else []
