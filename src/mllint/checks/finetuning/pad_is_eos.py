"""Is the end of a text padding to the collator?

A collator for language modelling leaves out of the loss whatever is the padding token. Where that is the token that
ends a text, the end is never learned. Texts that are joined into blocks are not padded, and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, padding, tokens

__all__: list[str] = []


@check("pad-is-eos", calls="DataCollatorForLanguageModeling DataCollatorForCompletionOnlyLM")
def pad_is_eos(call: Call) -> Iterator[Finding]:
    """The token that ends a text is the padding token of a collator that leaves padding out of the loss."""
    tokenizer = call.argument("tokenizer")
    if tokenizer is None or not call.value.instance_of(tokens.COLLATOR) or tokens.masks_others(call.value):
        return
    padded = padding.pads_with_end(tokenizer)
    if padded is not None and not padding.packs(call.module):
        yield Finding(
            call,
            f"`{call.name}` leaves padding out of the loss, and the end-of-sequence token is the padding token here",
            "labels of the padding token become -100",
            [Note(padded, "padding gets the token that ends a text")],
        )
