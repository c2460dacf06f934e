"""Do a model and its collator agree on what is learned: the next token, or the masked ones?

`DataCollatorForLanguageModeling` masks tokens unless `mlm=False`. A causal model shifts the labels and learns from the
few places that were masked, of broken input. Where the tokenizer has no mask token, as those of decoders, the collator
raises: nothing is said of that. A masked model without masks learns to copy what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, constructor_argument, tokens

__all__: list[str] = []

_COPIES = "every label is the token that the model reads: it learns to copy, and the loss falls towards zero"
_MASK = "pass `mlm=True`, or leave `mlm` out: masking is the default"


@check("causal-lm-with-mlm-collator", keywords="data_collator collate_fn")
def causal_lm_with_mlm_collator(call: Call) -> Iterator[Finding]:
    """A causal language model is trained with a collator that masks tokens, or a masked one with one that does not."""
    collator = call.argument("data_collator") or call.argument("collate_fn")
    if collator is None or not collator.value.instance_of(tokens.COLLATOR):
        return
    model, value = tokens.find_trained_model(call), collator.value
    notes = [Note(value.site, "built here")] if value.site is not None else []
    masking = model is not None and model.value.instance_of(tokens.CAUSAL) and tokens.masks_tokens(value)
    if model is not None and masking and not tokens.cannot_mask_tokens(value, model):
        message = f"`{collator.text}` masks tokens, but `{model.text}` predicts the next one"
        at = "`mlm=True`" if constructor_argument(value, "mlm") is not None else "`mlm` is true by default"
        yield Finding(collator, message, at, notes)
    if model is not None and model.value.instance_of(tokens.MASKED) and tokens.disables_masking(value):
        message = f"`{collator.text}` masks nothing, but `{model.text}` learns to fill in masked tokens"
        yield Finding(collator, message, "`mlm=False`", notes, help=_MASK, why=_COPIES)
