"""Does a text begin twice?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Module, chats

__all__: list[str] = []


@check("double-bos", words="apply_chat_template <s> <bos> <|begin_of_text|>")
def double_bos(module: Module) -> Iterator[Finding]:
    """A text that a chat template gave, or that begins with the token, is tokenized with special tokens once more."""
    for call in module.calls():
        text = call.first("text")
        template = chats.find_chat_template(text) if text is not None else None
        token = chats.find_written_bos(call) if template is None else ""
        twice = chats.adds_second_bos(call, template) if template is not None or token else None
        if text is not None and twice is not None:
            notes = [Note(template, "the template writes the special tokens")] if template is not None else []
            message = f"`{text.text}` already begins with the BOS token, and `{call.name}` adds another"
            help = f"leave `{token}` out of the text, or pass `add_special_tokens=False`" if token else ""
            yield Finding(text, message, "two BOS tokens", notes, help=help, evidence=(twice,))
