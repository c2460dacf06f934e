"""What does a chat template put around messages, and is it put there once?

    text = tokenizer.apply_chat_template(messages, tokenize=False)    # holds the special tokens already
    tokenizer(text)                                                   # `find_chat_template`: begins with a second one
    tokenizer("<s>[INST] " + question)                                # `find_written_bos`: so does this
    rows.map(lambda row: {"text": tokenizer.apply_chat_template(row["messages"], tokenize=False)})
    rows.map(lambda row: tokenizer(row["text"]))                      # so does the column that a function writes
    tokenizer.apply_chat_template(                                    # `find_prompt_after_answer`: the answer is there,
        [{"role": "user", ...}, {"role": "assistant", ...}],          # and one more is begun
        add_generation_prompt=True,
    )

A function that hands its parameters to the template is asked in each of its calls.

Whether a template begins with a token of its own is a fact about the model, known by the name of its weights only:
where no name is written, nothing is certain.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import TOKENIZER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Constant, Node, last_name, place, walk
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.finetuning.texts import columns, is_row, weights, written_forms
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, results_of
from mllint.semantics.values.shared_containers import ADDING
from mllint.semantics.values.values import LiteralValue, ManyValue, MappingValue, SequenceValue

__all__ = ["adds_second_bos", "ends_with_answer", "find_chat_template", "find_prompt_after_answer", "find_written_bos"]

_FIRST_TOKENS = (
    ("<|begin_of_text|>", ("llama-3", "llama3"), ()),
    ("<bos>", ("gemma",), ()),
    ("<s>", ("llama", "mistral", "mixtral", "vicuna", "zephyr"), ("llama-3", "llama3")),
)
"""The token that a tokenizer puts before a text, with what the names of such weights hold, and do not hold."""
_SETTING = "add_bos_token"
_PASSING = (ast.Name, ast.Attribute, ast.Subscript, ast.ListComp, ast.List, ast.Tuple, ast.BinOp, ast.JoinedStr)


def find_chat_template(text: Argument) -> Call | None:
    """The call of a chat template that gave a text, special tokens included."""
    return _templated(text.node, text.frame, 2)


def _templated(node: Node, frame: Frame, depth: int) -> Call | None:
    for origin in origins(node, frame, through=_is_passed_on):
        call = _template(origin) or (_of_column(origin, depth - 1) if depth else None)
        if call is not None:
            return call
    return None


def _is_passed_on(origin: Origin) -> bool:
    """Is it a name, a part or a sum of texts, or what a function of the user's gives?"""
    if isinstance(origin.node, ast.Call):
        return next(results_of(origin.node, origin.frame), None) is not None
    return isinstance(origin.node, _PASSING)


def _of_column(origin: Origin, depth: int) -> Call | None:
    """The template of `row["text"]`, if every function of the program that gives rows with this key writes one."""
    match origin.node:
        case ast.Subscript(value=ast.Name() as row, slice=ast.Constant(value=str(key))):
            if is_row(row, origin.frame):
                values = columns(origin.frame.project).get(key, ())
                found = [_templated(v.node, v.frame, depth) for v in values]
                return found[0] if found and None not in found else None
    return None


def _template(origin: Origin) -> Call | None:
    if not isinstance(origin.node, ast.Call) or last_name(origin.node.func) != "apply_chat_template":
        return None
    call = Call(origin.node, origin.frame)
    tokenize = call.argument("tokenize")
    return call if tokenize is not None and tokenize.value.truth is False else None


def find_written_bos(call: Call) -> str:
    """The first token of the weights of a tokenizer, if it is written out at the beginning of the text that a call of
    the tokenizer is given, in all its forms; else an empty text."""
    text = call.first("text")
    if text is None or not call.callee.instance_of(TOKENIZER):
        return ""
    forms = written_forms(text.node, text.frame)
    begins = [form[0] if form and isinstance(form[0], str) else "" for form in forms]
    names = [name.lower() for name in weights(call.callee, call.project)]
    for token, known, others in _FIRST_TOKENS:
        if names and all(any(w in name for w in known) and not any(w in name for w in others) for name in names):
            return token if all(begin.lstrip().startswith(token) for begin in begins) else ""
    return ""


def adds_second_bos(call: Call, template: Call | None = None) -> Answer[bool] | None:
    """Whether a tokenizer puts a first token before a text that begins with one.

    Args:
        call: the call of the tokenizer.
        template: the call of the chat template that began the text so; None if it is written out.

    Returns:
        None where the tokenizer is set to add nothing, or is none, and where only the length of the text is asked for.
    """
    added = call.argument("add_special_tokens")
    if not call.callee.instance_of(TOKENIZER) or call.is_open or (added is not None and added.value.truth is not True):
        return None
    if any(m.source.holds(_SETTING) for m in call.project.modules):
        return None
    if any(last_name(c.func) == "len" and any(n is call.node for n in walk(c)) for c in call.function.calls):
        return None
    receiver = template.receiver if template is not None else None
    tokenizers = [value for value in (call.callee, receiver) if value is not None]
    names = {name for value in tokenizers for name in weights(value, call.project)}
    if any(topics.is_about(name, Topic.WITHOUT_FIRST_TOKEN) for name in names):
        return None
    known = any(topics.is_about(name, Topic.WITH_FIRST_TOKEN) for name in names)
    return Answer(True, Evidence.PROVEN if known else Evidence.POSSIBLE)


def find_prompt_after_answer(call: Call) -> Argument | None:
    """The argument by which a template begins an answer, behind messages that end with one.

    Args:
        call: `tokenizer.apply_chat_template(messages, add_generation_prompt=True)`.
    """
    for view in (call, *_entered_by_callers(call)):
        opens, messages = view.argument("add_generation_prompt"), view.first("conversation")
        if opens is not None and messages is not None and opens.value.truth is True:
            if _last_role(messages) == "assistant":
                return opens
    return None


def _entered_by_callers(call: Call) -> Iterator[Call]:
    """A call as it is in each of the calls of its function that give it something."""
    function = call.function
    for node, outer in call.project.callers(function) if function.parameters else ():
        for inner in inner_frames(node, outer):
            if inner.function is function:
                yield Call(call.node, inner)


def ends_with_answer(call: Call) -> bool:
    """Does a template end with an answer and the token that ends it, as far as its messages are known?

    Args:
        call: `tokenizer.apply_chat_template(messages)`.
    """
    opens, messages = call.argument("add_generation_prompt"), call.first("conversation")
    if call.is_open or messages is None or (opens is not None and opens.value.truth is not False):
        return False
    return _last_role(messages) in ("assistant", None)


def _last_role(messages: Argument) -> Constant:
    """The role of the last message, as far as it is known: written last, or appended, and nothing after the call."""
    value = messages.value
    last = value.parts[-1] if isinstance(value, SequenceValue) and value.parts else None
    if isinstance(value, ManyValue) and not _grows_later(messages):
        last = value.last
    role = last.entries.get("role") if isinstance(last, MappingValue) else None
    return role.value if isinstance(role, LiteralValue) else None


def _grows_later(messages: Argument) -> bool:
    """Is anything put into a list by the function below the call that it is given to?"""
    grown = [c for c in messages.function.calls if last_name(c.func) in ADDING and isinstance(c.func, ast.Attribute)]
    below = [c.func.value for c in grown if isinstance(c.func, ast.Attribute) and c.lineno > messages.call.node.lineno]
    return any(place(owner) == place(messages.node) for owner in below)
