"""Is padding a label?

The ids of a padded encoding, also of one that another function gives, or labels that a tokenizer or a sum of lists
pads, are the labels, and nothing replaces the padding by -100. A collator that writes the labels itself is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Function, Site, encodings, tokens

__all__: list[str] = []

_BY_HAND = "pad the labels with -100 instead"
_TARGETS = "do not pad here: `DataCollatorForSeq2Seq` pads inputs and labels per batch, the labels with -100"
_SEQUENCE = "pad the labels separately, with `padding_value=-100`"


@check("unmasked-padding-labels", names="input_ids text_target")
def unmasked_padding_labels(function: Function) -> Iterator[Finding]:
    """The ids of a padded batch are the labels, padding included."""
    for labels, padded, help in _padded_labels(function):
        message = "the labels are padded ids: the loss counts the padding"
        notes = [] if padded == labels else [Note(padded, "padded here")]
        yield Finding(labels, message, "no -100 for the padding", notes, help=help)


def _advice(call: Call) -> str:
    """What to do about a call that pads labels, where there is no mask for them; empty for what the page says."""
    if call.last_name == "pad_sequence":
        return _SEQUENCE
    return _TARGETS if any(k.arg == "text_target" for k in call.node.keywords) else ""


def _padded_labels(function: Function) -> Iterator[tuple[Site, Call | Site, str]]:
    """The labels of a function that include padding, where that is added, and other advice than that of the page."""
    read = {"pad": tokens.collated_labels, "pad_sequence": tokens.padded_labels}
    for call in function.calls():
        if call.last_name in read or any(k.arg == "padding" for k in call.node.keywords):
            copied = read.get(call.last_name, tokens.copied_labels)(call)
            if copied is not None and not tokens.has_label_writing_collator(call):
                yield copied, call, _advice(call)
    if tokens.has_label_writing_collator(function):
        return
    yield from ((labels, call, _advice(call)) for labels, call in encodings.labels_encoded_elsewhere(function))
    for labels, padded in tokens.labels_padded_by_hand(function):
        yield labels, padded, _BY_HAND
