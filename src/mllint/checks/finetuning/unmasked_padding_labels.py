"""Is padding a label?

The ids of a padded encoding, also of one that another function gives, or labels that a tokenizer or a sum of lists
pads, are the labels, and nothing replaces the padding by -100. A collator that writes the labels itself is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Function, Site, encodings, filled_labels, tokens

__all__: list[str] = []

_DEFAULT = "leave `label_pad_token_id` out: its default, -100, is left out of the loss"
_BY_HAND = "pad the labels with -100 instead"
_TARGETS = "do not pad here: `DataCollatorForSeq2Seq` pads inputs and labels per batch, the labels with -100"
_SEQUENCE = "pad the labels separately, with `padding_value=-100`"


@check("unmasked-padding-labels", names="input_ids text_target label_pad_token_id")
def unmasked_padding_labels(function: Function) -> Iterator[Finding]:
    """The ids of a padded batch are the labels, padding included."""
    for labels, padded, help in _padded_labels(function):
        message = "the labels are padded ids: the loss counts the padding"
        notes = [] if padded == labels else [Note(padded, "padded here")]
        yield Finding(labels, message, "no -100 for the padding", notes, help=help)
    for call in function.calls():
        token = filled_labels.pads_labels_with_token(call)
        if token is not None:
            message = f"`{call.name}` pads the labels with the padding token: the loss counts the padding"
            yield Finding(token, message, "not the label -100", help=_DEFAULT)


def _padded_labels(function: Function) -> Iterator[tuple[Site, Call | Site, str]]:
    """The labels of a function that include padding, where that is added, and other advice than that of the page."""
    for call in function.calls():
        if call.last_name == "pad" or any(k.arg == "padding" for k in call.node.keywords):
            copied = (tokens.collated_labels if call.last_name == "pad" else tokens.copied_labels)(call)
            if copied is not None and not tokens.has_label_writing_collator(call):
                target = any(k.arg == "text_target" for k in call.node.keywords)
                yield copied, call, _TARGETS if target else ""
    if tokens.has_label_writing_collator(function):
        return
    for labels, call in encodings.labels_encoded_elsewhere(function):
        yield labels, call, _TARGETS if any(k.arg == "text_target" for k in call.node.keywords) else ""
    yield from ((labels, call, _SEQUENCE) for labels, call in filled_labels.find_padded_sequences(function))
    yield from ((labels, padded, _BY_HAND) for labels, padded in tokens.labels_padded_by_hand(function))
