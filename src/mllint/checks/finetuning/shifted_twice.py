"""Are labels shifted by hand that the model shifts itself?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, next_tokens, shifting, tokens

__all__: list[str] = []


@check("shifted-twice", near=f"{tokens.BUILDING} {next_tokens.MASKING}")
def shifted_twice(function: Function) -> Iterator[Finding]:
    """A causal language model, or its trainer, is given labels that were shifted already."""
    if not shifting.may_shift(function):
        return
    for call in function.calls():
        found = shifting.find_shifted_labels(call)
        if found is not None:
            message = f"`{found.model}` shifts its labels itself, and these are shifted already"
            notes = [] if found.shifted == found.site else [Note(found.shifted, "shifted here")]
            yield Finding(found.site, message, "each position is trained on the token after the next", notes)
