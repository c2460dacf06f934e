"""Is an answer begun behind the answer?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, chats, openings

__all__: list[str] = []

_ALONE = "pass `add_generation_prompt=False` where the text is learned, and True only where an answer is generated"
_EMPTY = "each text that is learned ends with the start of an empty answer"


@check("generation-prompt-in-training", calls="apply_chat_template")
def generation_prompt_in_training(call: Call) -> Iterator[Finding]:
    """A chat template starts another answer after messages that already end with one, or in a text that is learned."""
    opens = chats.find_prompt_after_answer(call)
    if opens is not None:
        message = f"`add_generation_prompt={opens.text}` begins an answer, but the messages already end with one"
        yield Finding(opens, message, "an empty answer at the end of the text")
        return
    learned = openings.find_learned_opening(call)
    if learned is not None:
        argument, where = learned
        message = (
            f"`add_generation_prompt={argument.text}` begins an answer at the end of a text that is learned as it is"
        )
        yield Finding(argument, message, "nothing follows", [Note(where, "learned here")], help=_ALONE, why=_EMPTY)
