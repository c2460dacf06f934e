"""Is the end of a text padding to the loss?

A collator for language modelling leaves out of the loss whatever is the padding token, and so does a mask by hand.
Where that is the token that ends a text, the end is never learned. Texts that end in no such token lose nothing, and
texts that are joined into blocks are not padded: both are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Answer, Function, Site, finished, padding, place, text, tokens

__all__: list[str] = []

_COLLATORS = ("DataCollatorForLanguageModeling", "DataCollatorForCompletionOnlyLM")
_SAME = "the padding token is the end-of-sequence token"

_OWN = (
    "give the padding a token of its own: `{}.add_special_tokens({{'pad_token': '[PAD]'}})`, and resize the embeddings"
)
_BY_ATTENTION = "mask where the tokenizer's `attention_mask` is 0, or give the padding a token of its own"


@check("pad-is-eos", names="DataCollatorForLanguageModeling DataCollatorForCompletionOnlyLM pad_token_id")
def pad_is_eos(function: Function) -> Iterator[Finding]:
    """The token that ends the texts is the padding token, which a collator or a mask leaves out of the loss."""
    for call in function.calls():
        tokenizer = call.argument("tokenizer") if call.last_name in _COLLATORS else None
        if tokenizer is not None and call.value.instance_of(tokens.COLLATOR) and not tokens.masks_tokens(call.value):
            padded = padding.find_eos_as_padding(tokenizer.node, call.frame)
            notes = _ends(padded, function)
            if padded is not None and notes:
                message = f"{_SAME}, which `{call.name}` leaves out of the loss"
                own = _OWN.format(tokenizer.text) if place(tokenizer.node) else ""
                label = "labels of the padding token become -100"
                yield Finding(call, message, label, notes, help=own, evidence=(padded,))
    for masked, owner in padding.find_masked_padding(function):
        padded = padding.find_eos_as_padding(owner.node, owner.frame)
        notes = _ends(padded, function)
        if padded is not None and notes:
            what = text(function.module, masked, 40)
            label = "the end of each text is left out too"
            message = f"{_SAME}: `{what}` leaves both out of the loss"
            yield Finding(function.at(masked), message, label, notes, help=_BY_ATTENTION, evidence=(padded,))


def _ends(padded: Answer[Site] | None, function: Function) -> list[Note]:
    """Where the token that ends the texts of a program becomes padding, and where the texts get it; empty if it does
    not, if they do not, or if nothing is padded."""
    end = finished.end_of_texts(function.scope, function.project) if padded is not None else None
    if padded is None or end is None or padding.packs_texts(function.module):
        return []
    return [
        Note(padded.value, "padding gets the token that ends a text"),
        Note(end, "the texts end in the end-of-sequence token"),
    ]
