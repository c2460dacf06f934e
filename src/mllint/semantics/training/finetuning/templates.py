"""Is a model asked in the words that it was tuned with?

    rows = rows.map(lambda row: tokenizer(f"Question: {row['question']}\nAnswer: {row['answer']}"))
    Trainer(model=model, train_dataset=rows).train()
    model.generate(**tokenizer(f"Q: {question}\nA:"))                    # `other_template`
    model.generate(**tokenizer(f"Question: {question}\nAnswer:"))        # the beginning of what was learned

Compared are the constants that a text begins with, and those that a prompt ends with, without their white space. A
field can hold anything, so that only what is written out can contradict, and a prompt may end in the middle of what is.
A chat template is known by its call: it is another one than a text in plain words; a text with marks of its own
(`<|user|>`, `[INST]`) may be one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax.nodes import last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning.texts import Field, Text, encoded, text_of, written
from mllint.semantics.training.finetuning.trainers import TRAINER
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins, targets_of

__all__ = ["other_template"]

_CHAT = "apply_chat_template"


def other_template(call: Call) -> tuple[Any, Frame, Site] | None:
    """The text that a tuned model is asked with, if it cannot be the beginning of any text that it was tuned with.

    Args:
        call: `model.generate(**inputs)`.

    Returns:
        The expression of the text, its context, and where the text of the training is written; None if it may be one.
    """
    asked = _prompt_of_generate(call)
    trainer = next(_tuned_before(call), None) if asked is not None else None
    if asked is None or trainer is None:
        return None
    learned, prompts = _learned(trainer), written(*asked)
    if not learned or not all(_contradict(text, prompt) for text, _ in learned for prompt in prompts):
        return None
    return *asked, learned[0][1]


def _prompt_of_generate(call: Call) -> tuple[Any, Frame] | None:
    """The text of the inputs of `generate`."""
    given = [*call.node.args, *(k.value for k in call.node.keywords if k.arg in (None, "input_ids", "inputs"))]
    made = encoded(given[0], call.frame, known=True) if given else None
    if made is None:
        return None
    return (made.node if last_name(made.node.func) == _CHAT else text_of(made)), made.frame


def _tuned_before(call: Call) -> Iterator[Call]:
    """The trainers of this file whose model is asked; where both stand in one function, it is tuned first."""
    model = place(call.node.func.value) if isinstance(call.node.func, ast.Attribute) else None
    for node, scope in call.module.calls_by_keyword.get("train_dataset", ()):
        function = function_of(scope)
        trainer = Call(node, call.project.frame(function)) if function is not None else None
        if trainer is None or model is None or not trainer.value.instance_of(TRAINER):
            continue
        names = targets_of(node, trainer.function)
        given = trainer.argument("model")
        same = given is not None and place(given.node) == model
        alone = trainer.function is call.function or model not in call.function.bindings
        if alone and (same or model in [f"{name}.model" for name in names]) and _runs_first(trainer, names, call):
            yield trainer


def _runs_first(trainer: Call, names: list[str], call: Call) -> bool:
    trained = [
        node.lineno
        for node in trainer.function.calls
        if last_name(node.func) == "train" and isinstance(node.func, ast.Attribute) and place(node.func.value) in names
    ]
    return bool(trained) and (trainer.function is not call.function or min(trained) < call.node.lineno)


# -------------------------------------------------------------------------------------------------------------- learned
def _learned(trainer: Call) -> list[tuple[Text, Site]]:
    """The texts that a trainer is given, each with where it is written; none if one of them is not known."""
    read, makers = _on_the_way(trainer)
    columns = {key: value for maker in makers for key, value in _columns(maker)}
    shown = trainer.argument("formatting_func")
    if shown is not None:
        read = list(_returned(shown))
    elif not read and "text" in columns:
        read = [columns["text"]]
    found = []
    for node, frame in read:
        source, around = columns.get(_column(node) or "", (node, frame))
        found += [(text, Site(around.module, source)) for text in written(source, around)]
    return found if all(isinstance(text[0], str) or _is_chat(text) for text, _ in found) else []


def _on_the_way(trainer: Call) -> tuple[list[tuple[Any, Frame]], list[Frame]]:
    """The texts that are tokenized on the way to the rows of a trainer, and the functions that rows are mapped by."""
    rows = trainer.argument("train_dataset")
    texts: list[tuple[Any, Frame]] = []
    makers = []
    for origin in origins(rows.node, rows.frame) if rows is not None else ():
        if isinstance(origin.node, ast.Call):
            maker = _mapped(Call(origin.node, origin.frame))
            makers += [maker] if maker is not None else []
            texts += _tokenized(origin.node, origin.frame)
    texts += [text for maker in makers for node in maker.function.calls for text in _tokenized(node, maker)]
    return list({id(node): (node, frame) for node, frame in texts}.values()), makers


def _mapped(call: Call) -> Frame | None:
    """The function of `rows.map(function)`, if it is the user's."""
    if last_name(call.node.func) != "map" or not call.node.args:
        return None
    function = call.value_of(call.node.args[0]).function
    return call.project.frame(function) if function is not None and not function.stubbed else None


def _tokenized(node: ast.Call, frame: Frame) -> list[tuple[Any, Frame]]:
    """The text that a call tokenizes; the call itself if it is that of a chat template."""
    if last_name(node.func) == _CHAT:
        return [(node, frame)]
    call = encoded(node, frame)
    return [(text_of(call), call.frame)] if call is not None else []


def _columns(frame: Frame) -> Iterator[tuple[str, tuple[Any, Frame]]]:
    """The columns that a function writes: `return {"text": ...}`, `row["text"] = ...`."""
    for node in walk(frame.function.node):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield key.value, (value, frame)
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(key)))], value=value):
                yield key, (value, frame)


def _returned(function: Argument) -> Iterator[tuple[Any, Frame]]:
    found = function.value.function
    frame = function.project.frame(found) if found is not None and not found.stubbed else None
    for statement in walk(frame.function.node) if frame is not None else ():
        if isinstance(statement, ast.Return) and statement.value is not None and frame is not None:
            yield statement.value, frame


def _column(node: Any) -> str | None:
    """`text` of `row["text"]`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
    return None


# ------------------------------------------------------------------------------------------------------------- compared
def _contradict(text: Text, prompt: Text) -> bool:
    """Can a prompt be no beginning of a text, whatever stands in their fields?"""
    if _is_chat(text) or _is_chat(prompt):
        other = prompt if _is_chat(text) else text
        return not (_is_chat(text) and _is_chat(prompt)) and _is_plain(other)
    begins, ends = _bare(prompt[0]), _bare(prompt[-1])
    first = _bare(text[0])
    if begins is None or first is None:
        return False
    if not begins.startswith(first) and not (len(prompt) > 1 and first.startswith(begins)):
        return True
    marks = [part for part in map(_bare, text[:-1]) if part]
    return ends is not None and not any(_may_end_in(mark, ends, behind_field=len(prompt) > 1) for mark in marks)


def _may_end_in(mark: str, ends: str, *, behind_field: bool) -> bool:
    """May a prompt that ends in some constant end within a constant of the text, which then goes on: `Answer: "`?"""
    if behind_field and (mark.startswith(ends) or mark.endswith(ends)):
        return True
    words = mark.split()
    return any(ends.endswith(" ".join(words[: n + 1])) for n in range(len(words)))


def _bare(part: str | Field) -> str | None:
    return " ".join(part.split()) if isinstance(part, str) else None


def _is_chat(text: Text) -> bool:
    first = text[0]
    return isinstance(first, Field) and isinstance(first.node, ast.Call) and last_name(first.node.func) == _CHAT


def _is_plain(text: Text) -> bool:
    """Is it a text that begins in plain words, without the marks of a chat template?"""
    constants = [part for part in text if isinstance(part, str)]
    return isinstance(text[0], str) and not any(mark in part for part in constants for mark in "<[")
