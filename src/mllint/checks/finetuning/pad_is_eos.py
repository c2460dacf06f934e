"""Is the end of a text padding to the loss?

A collator for language modelling leaves out of the loss whatever is the padding token, and so does a mask by hand.
Where that is the token that ends a text, the end is never learned. Texts that are joined into blocks are not padded,
and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, padding, text, tokens

__all__: list[str] = []

_COLLATORS = ("DataCollatorForLanguageModeling", "DataCollatorForCompletionOnlyLM")
_SAME = "the padding token is the end-of-sequence token"

_BY_ATTENTION = "mask where the tokenizer's `attention_mask` is 0, or give the padding a token of its own"


@check("pad-is-eos", names="DataCollatorForLanguageModeling DataCollatorForCompletionOnlyLM pad_token_id")
def pad_is_eos(function: Function) -> Iterator[Finding]:
    """The token that ends a text is the padding token, which a collator or a mask leaves out of the loss."""
    for call in function.calls():
        tokenizer = call.argument("tokenizer") if call.last_name in _COLLATORS else None
        if tokenizer is not None and call.value.instance_of(tokens.COLLATOR) and not tokens.masks_others(call.value):
            padded = padding.pads_with_end(tokenizer.node, call.frame)
            if padded is not None and not padding.packs(call.module):
                note = Note(padded, "padding gets the token that ends a text")
                message = f"{_SAME}, which `{call.name}` leaves out of the loss"
                yield Finding(call, message, "labels of the padding token become -100", [note])
    for masked, owner in padding.masked(function):
        padded = padding.pads_with_end(owner.node, owner.frame)
        if padded is not None and padding.ends_texts(function.project) and not padding.packs(function.module):
            note = Note(padded, "padding gets the token that ends a text")
            what = text(function.module, masked, 40)
            label = "the end of each text is left out too"
            message = f"{_SAME}: `{what}` leaves both out of the loss"
            yield Finding(function.at(masked), message, label, [note], help=_BY_ATTENTION)
