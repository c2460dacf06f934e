"""Are labels made as long as each other with the token that pads, where the loss leaves out -100 only?

    labels = pad_sequence(labels, padding_value=tokenizer.pad_token_id)             # `find_padded_sequences`
    DataCollatorForSeq2Seq(tokenizer, label_pad_token_id=tokenizer.pad_token_id)    # `pads_labels_with_token`

Labels are followed through names, copies and choices, and through functions and context managers of the user's. A
program that leaves padding out of a loss by hand knows what it does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call, FunctionView
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning.padding import masks_padding, padding_of
from mllint.semantics.training.finetuning.tokens import labels_of, trains_by_labels
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bound_values, results_of

__all__ = ["find_padded_sequences", "pads_labels_with_token"]

_COLLATOR = "transformers.DataCollatorForSeq2Seq"
_STEPS = 8


def pads_labels_with_token(call: Call) -> Argument | None:
    """The argument by which a collator fills up labels with the padding token of a tokenizer.

    Args:
        call: what builds the collator, `DataCollatorForSeq2Seq(tokenizer, label_pad_token_id=...)`.
    """
    label, padding = call.argument("label_pad_token_id"), call.argument("padding")
    if label is None or not call.value.instance_of(_COLLATOR) or padding_of(label.node, label.frame) is None:
        return None
    pads = padding is None or padding.value.truth is True
    return label if pads and trains_by_labels(call.project) and not masks_padding(call.project) else None


def find_padded_sequences(function: FunctionView) -> Iterator[tuple[Site, Call]]:
    """The labels of a function that `pad_sequence` fills up with the padding token of a tokenizer.

    Yields:
        The labels, and the call that pads.
    """
    if not function.project.calls_named("pad_sequence"):
        return
    read = ((n, call) for n in labels_of(function.scope) for call in _padding_calls(n, function.frame, _STEPS))
    found = [(Site(function.module, labels), call) for labels, call in read]
    if found and not masks_padding(function.project):  # in this order: all functions of the project are asked
        yield from found


def _padding_calls(node: Node, frame: Frame, steps: int) -> list[Call]:
    """The calls of `pad_sequence` that may have given something, if they pad with the token of a tokenizer."""
    inner: list[Origin] = []
    match node:
        case ast.IfExp(body=body, orelse=other):
            inner = [Origin(body, frame), Origin(other, frame)]
        case ast.Call(func=ast.Attribute(value=whole, attr=attr)) if attr in SAME_ENTRIES:
            inner = [Origin(whole, frame)]
        case ast.Call() if last_name(node.func) == "pad_sequence":
            pad = Call(node, frame).argument("padding_value")
            return [Call(node, frame)] if pad is not None and padding_of(pad.node, frame) is not None else []
        case ast.Call():
            inner = [Origin(value, within) for value, within in results_of(node, frame)]
        case ast.Name() if not _is_stored_into(node.id, frame):
            bound = bound_at(node, frame.function)
            inner = list(bound_values(bound[0], frame)) if len(bound) == 1 else []
    return [call for o in inner for call in _padding_calls(o.node, o.frame, steps - 1)] if steps else []


def _is_stored_into(name: str, frame: Frame) -> bool:
    return any(place.startswith(f"{name}[") for place in frame.function.bindings)
