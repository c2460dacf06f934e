"""Does a text begin twice?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Module, chats

__all__: list[str] = []


@check("double-bos", calls="apply_chat_template")
def double_bos(module: Module) -> Iterator[Finding]:
    """A text that a chat template gave is tokenized with special tokens once more."""
    for call in module.calls():
        text = call.first("text")
        template = chats.find_chat_template(text) if text is not None else None
        twice = chats.adds_second_bos(call, template) if template is not None else None
        if text is not None and template is not None and twice is not None:
            yield Finding(
                text,
                f"`{text.text}` already begins with the BOS token, and `{call.name}` adds another",
                "two BOS tokens",
                [Note(template, "the template writes the special tokens")],
                evidence=(twice,),
            )
