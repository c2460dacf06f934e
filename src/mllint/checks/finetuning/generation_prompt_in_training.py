"""Is an answer begun behind the answer?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call, chats

__all__: list[str] = []


@check("generation-prompt-in-training", calls="apply_chat_template")
def generation_prompt_in_training(call: Call) -> Iterator[Finding]:
    """A chat template starts another answer after messages that already end with one."""
    opens = chats.find_prompt_after_answer(call)
    if opens is not None:
        message = "`add_generation_prompt=True` begins an answer, but the messages already end with one"
        yield Finding(opens, message, "an empty answer at the end of the text")
