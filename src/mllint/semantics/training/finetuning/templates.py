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

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import TRAINER
from mllint.semantics.libraries.tensor_methods import RETURNS_MODULE
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning.texts import Field, Text, find_tokenizer_call, text_of, written_forms
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, targets_of
from mllint.semantics.values.project import Project

__all__ = ["other_template", "text_column", "tokenized_texts", "trainers"]

_CHAT = "apply_chat_template"
_MOVING = RETURNS_MODULE | {"merge_and_unload", "requires_grad_"}


def other_template(call: Call) -> tuple[Node, Frame, Site] | None:
    """The text that a tuned model is asked with, if it cannot be the beginning of any text that it was tuned with.

    Args:
        call: `model.generate(**inputs)`.

    Returns:
        The expression of the text, its context, and where the text of the training is written; None if it may be one.
    """
    generated = _prompt_of_generate(call) if trainers(call.project) else None
    texts = [_learned(trainer) for trainer in _tuned_before(call)] if generated is not None else []
    if generated is None or not texts or not all(texts):
        return None
    learned, prompts = [text for found in texts for text in found], written_forms(*generated)
    if not all(_contradict(text, prompt) for text, _ in learned for prompt in prompts):
        return None
    return *generated, learned[0][1]


def _prompt_of_generate(call: Call) -> tuple[Node, Frame] | None:
    """The text of the inputs of `generate`."""
    given = [*call.node.args, *(k.value for k in call.node.keywords if k.arg in (None, "input_ids", "inputs"))]
    made = find_tokenizer_call(given[0], call.frame, known=True) if given else None
    if made is None:
        return None
    return (made.node if last_name(made.node.func) == _CHAT else text_of(made)), made.frame


def _tuned_before(call: Call) -> Iterator[Call]:
    """The trainers whose model is asked: of this file, that hand it over, or that save what is loaded to be asked; it
    is tuned first, where both stand in one function."""
    model = place(call.node.func.value) if isinstance(call.node.func, ast.Attribute) else None
    if model is None:
        return
    loaded, origin = list(_loaded_from(call)), list(_origins_of_model(call))
    for trainer in trainers(call.project):
        names = targets_of(trainer.node, trainer.function)
        given = trainer.argument("model")
        same = given is not None and place(given.node) == model
        alone = trainer.function is call.function or model not in call.function.bindings
        here = trainer.module is call.module and alone and (same or model in [f"{name}.model" for name in names])
        known = here or any(_saves(trainer, names, path) for path in loaded)
        handed_over = any(_is_tuned(handed, trainer, names) for handed in origin)
        if handed_over or (known and _runs_first(trainer, names, call)):
            yield trainer


def _is_tuned(handed: Origin, trainer: Call, names: list[str]) -> bool:
    """Is it the model of a trainer that the function of the trainer hands over, after the training?"""
    given = trainer.argument("model")
    own = {*(f"{name}.model" for name in names), place(given.node) if given is not None else None} - {None}
    lines = _lines_of_training(trainer, names)
    here = handed.frame.function is trainer.function and bool(lines) and min(lines) < handed.node.lineno
    return here and place(handed.node) in own


@cached()
def trainers(project: Project) -> list[Call]:
    """The trainers that a program builds."""
    own = [m for m in project.modules if not m.is_stub]
    calls = [item for m in own for item in m.calls_by_keyword.get("train_dataset", ())]
    built = [Call(node, project.frame(f)) for node, scope in calls if (f := function_of(scope)) is not None]
    return [trainer for trainer in built if trainer.value.instance_of(TRAINER)]


def _loaded_from(call: Call) -> Iterator[str]:
    """The paths from which the model that is asked is loaded: `PeftModel.from_pretrained(base, "out")`."""
    for origin in _origins_of_model(call):
        if isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "from_pretrained":
            paths = (evaluate(argument, origin.frame).literal for argument in origin.node.args)
            yield from (path for path in paths if isinstance(path, str))


def _origins_of_model(call: Call) -> Iterator[Origin]:
    """What the model is that a method is called on: through names, attributes, and what callers hand in."""
    if isinstance(call.node.func, ast.Attribute):
        yield from origins(call.node.func.value, call.frame, through=_keeps_model)


def _keeps_model(origin: Origin) -> bool:
    """Is it a name, or a model that is moved, set to a mode or merged?"""
    node = origin.node
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _MOVING
    return isinstance(node, (ast.Name, ast.Attribute))


def _saves(trainer: Call, names: list[str], path: str) -> bool:
    """Does a trainer, or its model, save to a path: where it says so, or below its own folder?"""
    settings = trainer.argument("args")
    folder = constructor_argument(settings.value, "output_dir") if settings is not None else None
    if folder is not None and isinstance(folder.literal, str) and path.startswith(f"{folder.literal}/"):
        return True
    given = trainer.argument("model")
    owners = {*names, *(f"{name}.model" for name in names), place(given.node) if given is not None else None}
    for node in trainer.function.calls:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        saves = last_name(node.func) in ("save_model", "save_pretrained")
        if saves and owner is not None and place(owner) in owners - {None}:
            to = evaluate(node.args[0], trainer.frame).literal if node.args else folder.literal if folder else None
            if to == path:
                return True
    return False


def _runs_first(trainer: Call, names: list[str], call: Call) -> bool:
    trained = _lines_of_training(trainer, names)
    return bool(trained) and (trainer.function is not call.function or min(trained) < call.node.lineno)


def _lines_of_training(trainer: Call, names: list[str]) -> list[int]:
    """The lines of `trainer.train()`."""
    trains = [c for c in trainer.function.calls if last_name(c.func) == "train" and isinstance(c.func, ast.Attribute)]
    return [c.lineno for c in trains if isinstance(c.func, ast.Attribute) and place(c.func.value) in names]


# -------------------------------------------------------------------------------------------------------------- learned
def _learned(trainer: Call) -> list[tuple[Text, Site]]:
    """The texts that a trainer is given, each with where it is written; none if one of them is not known."""
    rows = trainer.argument("train_dataset")
    read, makers = _on_the_way(rows) if rows is not None else ([], [])
    columns = {key: value for way in makers for key, value in _columns(way.node, way.frame)}
    shown = trainer.argument("formatting_func")
    if shown is not None:
        read = list(_returned(shown))
    elif not read and text_column(trainer) in columns:
        read = [columns[text_column(trainer)]]
    found = []
    for node, frame in read:
        source, around = columns.get(_column(node) or "", (node, frame))
        found += [(text, Site(around.module, source)) for text in written_forms(source, around)]
    return found if all(isinstance(text[0], str) or _is_chat(text) for text, _ in found) else []


def text_column(trainer: Call) -> str:
    """The column that a trainer of trl tokenizes."""
    settings = trainer.argument("args")
    named = constructor_argument(settings.value, "dataset_text_field") if settings is not None else None
    return named.literal if named is not None and isinstance(named.literal, str) else "text"


def tokenized_texts(rows: Argument) -> list[tuple[Node, Frame]]:
    """The texts that are tokenized on the way to the rows of a trainer, or of a loader, each with its context.

    Args:
        rows: `train_dataset=rows`, `DataLoader(rows)`.
    """
    return _on_the_way(rows)[0]


def _on_the_way(rows: Argument) -> tuple[list[tuple[Node, Frame]], list[Origin]]:
    """The texts that are tokenized on the way to some rows; and what writes these rows: dictionaries, and the functions
    that rows are mapped by."""
    texts: list[tuple[Node, Frame]] = []
    makers: list[Frame] = []
    written: list[Origin] = []
    for origin in origins(rows.node, rows.frame):
        if isinstance(origin.node, ast.Dict):
            written.append(origin)
        if isinstance(origin.node, ast.Call):
            maker = _mapped(Call(origin.node, origin.frame))
            makers += [maker] if maker is not None else []
            texts += _tokenized(origin.node, origin.frame)
    texts += [text for maker in makers for node in maker.function.calls for text in _tokenized(node, maker)]
    written += [Origin(maker.function.node, maker) for maker in makers]
    return list({id(node): (node, frame) for node, frame in texts}.values()), written


def _mapped(call: Call) -> Frame | None:
    """The function of `rows.map(function)`, if it is the user's."""
    mapping = call.first("function") if last_name(call.node.func) == "map" else None
    function = mapping.value.function if mapping is not None else None
    return call.project.frame(function) if function is not None and not function.stubbed else None


def _tokenized(node: ast.Call, frame: Frame) -> list[tuple[Node, Frame]]:
    """The text that a call tokenizes; the call itself if it is that of a chat template."""
    if last_name(node.func) == _CHAT:
        return [(node, frame)]
    call = find_tokenizer_call(node, frame)
    return [(text_of(call), call.frame)] if call is not None else []


def _columns(writing: Node, frame: Frame) -> Iterator[tuple[str, tuple[Node, Frame]]]:
    """The columns that a function, or a dictionary, writes: `return {"text": ...}`, `row["text"] = ...`."""
    for node in walk(writing):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield key.value, (value, frame)
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(key)))], value=value):
                yield key, (value, frame)


def _returned(function: Argument) -> Iterator[tuple[Node, Frame]]:
    found = function.value.function
    frame = function.project.frame(found) if found is not None and not found.stubbed else None
    if frame is None:
        return
    for statement in walk(frame.function.node):
        if isinstance(statement, ast.Return) and statement.value is not None and frame is not None:
            yield statement.value, frame


def _column(node: Node) -> str | None:
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
    if _breaks_off_in_field(text, prompt):
        return False
    marks = [part for part in map(_bare, text[:-1]) if part]
    return ends is not None and not any(_may_end_in(mark, ends, behind_field=len(prompt) > 1) for mark in marks)


def _breaks_off_in_field(text: Text, prompt: Text) -> bool:
    """Does a prompt write out the beginning of what stands in the first field, to be completed: `"Quote: All the"`? It
    ends in a word, in the line that the field begins."""
    if len(prompt) > 1 or len(text) < 2 or not isinstance(prompt[0], str) or not isinstance(text[0], str):
        return False
    rest = prompt[0].strip().removeprefix(text[0].strip()).lstrip()
    return rest != prompt[0].strip() and "\n" not in rest and rest[-1:].isalnum()


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
