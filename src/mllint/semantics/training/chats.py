"""What does a chat template put around messages, and is it put there once?

    text = tokenizer.apply_chat_template(messages, tokenize=False)     # holds the special tokens already
    tokenizer(text)                                                    # `templated`: begins with a second one
    tokenizer.apply_chat_template(                                     # `opens_after_answer`: the answer is there,
        [{"role": "user", ...}, {"role": "assistant", ...}],           # and one more is begun
        add_generation_prompt=True,
    )

Whether a template begins with a token of its own is a fact about the model, known by the name of its weights only:
where no name is written, nothing is certain.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import last_name
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.texts import weights
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import LiteralValue, MappingValue, SequenceValue, Value

__all__ = ["begins_twice", "opens_after_answer", "templated"]

_TOKENIZER = "transformers.PreTrainedTokenizerBase"
_PASSING = (ast.Name, ast.Attribute, ast.Subscript, ast.ListComp, ast.List, ast.Tuple, ast.BinOp, ast.JoinedStr)


def templated(text: Argument) -> Call | None:
    """The call of a chat template that gave a text, special tokens included."""
    for origin in origins(text.node, text.frame, through=lambda o: isinstance(o.node, _PASSING)):
        call = _template(origin)
        if call is not None:
            return call
    return None


def _template(origin: Origin) -> Call | None:
    if not isinstance(origin.node, ast.Call) or last_name(origin.node.func) != "apply_chat_template":
        return None
    call = Call(origin.node, origin.frame)
    tokenize = call.argument("tokenize")
    return call if tokenize is not None and tokenize.value.truth is False else None


def begins_twice(call: Call, template: Call) -> Answer[bool] | None:
    """Whether a tokenizer puts a first token before a text that a template began with one.

    Args:
        call: the call of the tokenizer.
        template: the call of the chat template.

    Returns:
        None where the tokenizer is told to add nothing, or is none.
    """
    if not call.callee.instance_of(_TOKENIZER) or call.argument("add_special_tokens") is not None or call.is_open:
        return None
    tokenizers = [value for value in (call.callee, template.receiver) if value is not None]
    names = {name for value in tokenizers for name in weights(value, call.project)}
    if any(topics.is_about(name, Topic.WITHOUT_FIRST_TOKEN) for name in names):
        return None
    known = any(topics.is_about(name, Topic.WITH_FIRST_TOKEN) for name in names)
    return Answer(True, Evidence.PROVEN if known else Evidence.POSSIBLE)


def opens_after_answer(call: Call) -> Argument | None:
    """The argument by which a template begins an answer, behind messages that end with one.

    Args:
        call: `tokenizer.apply_chat_template(messages, add_generation_prompt=True)`.
    """
    opens, messages = call.argument("add_generation_prompt"), call.first("conversation")
    if opens is None or messages is None or opens.value.truth is not True:
        return None
    return opens if _last_role(messages.value) == "assistant" else None


def _last_role(messages: Value) -> Any:
    if not isinstance(messages, SequenceValue) or not messages.parts:
        return None
    last = messages.parts[-1]
    role = last.entries.get("role") if isinstance(last, MappingValue) else None
    return role.value if isinstance(role, LiteralValue) else None
