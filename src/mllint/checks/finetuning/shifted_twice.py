"""Are labels shifted by hand that the model shifts itself?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call, tokens

__all__: list[str] = []


@check("shifted-twice", keywords="labels")
def shifted_twice(call: Call) -> Iterator[Finding]:
    """A causal language model is given labels that were shifted already."""
    labels = tokens.shifted(call)
    if labels is not None:
        message = f"`{call.name}` shifts its labels itself, and these are shifted already"
        yield Finding(labels, message, "each token learns to predict the one after the next")
