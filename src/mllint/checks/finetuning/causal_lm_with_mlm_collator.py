"""Is a causal model trained to fill in hidden tokens?

`DataCollatorForLanguageModeling` hides tokens unless `mlm=False`. A causal model shifts the labels and learns from the
few places that were hidden, of broken input.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, tokens

__all__: list[str] = []


@check("causal-lm-with-mlm-collator", keywords="data_collator")
def causal_lm_with_mlm_collator(call: Call) -> Iterator[Finding]:
    """A causal language model is trained with a collator that hides tokens."""
    model, collator = call.argument("model"), call.argument("data_collator")
    if model is None or collator is None or not call.value.instance_of("transformers.Trainer"):
        return
    value = collator.value
    if model.value.instance_of(tokens.CAUSAL) and value.instance_of(tokens.COLLATOR) and tokens.masks_others(value):
        yield Finding(
            collator,
            f"`{collator.text}` masks tokens, but `{model.text}` predicts the next one",
            "`mlm` is true by default",
            [Note(value.site, "built here")] if value.site is not None else [],
        )
