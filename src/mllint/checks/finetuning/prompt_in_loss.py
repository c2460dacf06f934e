"""Is a prompt left out of the loss token by token, where it stands?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, prompts, text

__all__: list[str] = []

_PAD_RIGHT = 'pad on the right for training (`padding_side = "right"`), or count from where the text begins'


@check("prompt-in-loss", calls="len size pad", words="input_ids")
def prompt_in_loss(function: Function) -> Iterator[Finding]:
    """As many labels are left out of the loss as a text has characters, not tokens."""
    for masked, length in prompts.find_masks_by_characters(function):
        what = text(function.module, length, 40)
        yield Finding(
            function.at(length),
            f"`{what}` counts characters, but the labels that it masks are tokens",
            "characters, not tokens",
            [Note(function.at(masked), "left out of the loss")],
        )
    for masked, padded in prompts.find_masks_over_padding(function):
        yield Finding(
            function.at(masked),
            f"`{text(function.module, masked, 40)}` masks padding in place of the prompt: rows are padded on the left",
            "padding comes first",
            [Note(function.at(padded), "padded here")],
            why="in a padded row the mask covers padding first: a part of the prompt, or all of it, is learned",
            help=_PAD_RIGHT,
        )
    for masked, length in prompts.find_masks_by_part(function):
        what = text(function.module, length, 40)
        yield Finding(
            function.at(length),
            f"`{what}` counts only a part of the prompt: other text comes before that part",
            "a part of the prompt",
            [Note(function.at(masked), "left out of the loss")],
            help="count the tokens of the whole prompt, with its template",
            why="the mask ends before the prompt does: the model is also trained on the end of the prompt",
        )
