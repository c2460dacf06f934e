"""Is a prompt left out of the loss token by token?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, prompts, text

__all__: list[str] = []


@check("prompt-in-loss", calls="len", words="input_ids")
def prompt_in_loss(function: Function) -> Iterator[Finding]:
    """As many labels are left out of the loss as a text has characters, not tokens."""
    for masked, length in prompts.counted_in_characters(function):
        what = text(function.module, length, 40)
        yield Finding(
            function.at(length),
            f"`{what}` counts characters, but masks labels, which are tokens",
            "characters, not tokens",
            [Note(function.at(masked), "left out of the loss")],
        )
