"""Does a language model learn the next token, or the one that it reads?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, next_tokens, tokens

__all__: list[str] = []


@check("unshifted-loss", expects="Logits", near=f"{tokens.BUILDING} {next_tokens.MASKING}")
def unshifted_loss(call: Call) -> Iterator[Finding]:
    """The loss of a causal model compares its logits with the tokens that it read, not with those that follow."""
    found = next_tokens.find_unshifted_labels(call)
    if found is not None:
        labels, model = found
        yield Finding(
            labels,
            f"`{labels.text}` holds the tokens that the model has read, not those that follow them",
            "not shifted by one token",
            [Note(model, "logits of the next tokens")],
        )
