"""Which score is recorded under which name?

    history["val_loss"].append(train_loss)         # `find_mislabelled_scores`: key and score name two parts of the data
    wandb.log({"val_acc": train_acc / count})
    plt.plot(train_losses, label="validation")
    print(f"train {train_loss:.3f} val {train_loss:.3f}")
    val_f1 = f1_score(train_labels, train_classes)

A key is a string, a keyword, a list that grows, or the text before a value. Two names alone accuse nobody: the same
score of held-out rows is bound as well, in the same place (`val_loss` next to `train_loss`), so that it was meant, and
nothing else is recorded under the key, so that the training score does not merely stand in for it. Two names that
differ in nothing but the part of the data are a convention, whatever the score is called. What a metric of a library
compares is a score of the training rows if both sides are named for them, and both have a counterpart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView, ModuleView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, mentions_place, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import words
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.metrics import chosen_parts
from mllint.semantics.training.metrics.directions import library_score
from mllint.semantics.training.rows.usage import HELD_OUT, TRAINING, homes
from mllint.semantics.values.lineage import statements

__all__ = ["Mislabelled", "find_mislabelled_scores"]

_BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef)
_NESTING = (ast.For, ast.While, ast.If, ast.With, ast.Try)
_SCORES = (Topic.LOSSES, Topic.SCORES, Topic.HIGHER_IS_BETTER, Topic.LOWER_IS_BETTER)
_NAMED = Answer(True, Evidence.CONVENTIONAL, corroborated=True)


class Mislabelled(NamedTuple):
    """A score of the training rows that is recorded as one of held-out rows.

    Attributes:
        value: what is recorded.
        key: under which name.
        score: the place of the training score.
        other: the place of the score that was meant.
        named: that these names say so.
    """

    value: Node
    key: str
    score: str
    other: str
    named: Answer[bool]


def find_mislabelled_scores(module: ModuleView) -> Iterator[Mislabelled]:
    """The training scores that a file records as held-out ones."""
    scopes = [f for f in module.module.functions if f.speaks_of_training]
    names = {name for scope in scopes for name in scope.bindings}
    if any(map(roles.is_training_name, names)):
        for scope in (s for s in scopes if s.names_training):  # each needs a score that is read in it
            yield from _in_function(FunctionView(scope, module.project.frame(scope)))
    if any(map(_is_held_out_score, names)):
        for scope in scopes:
            yield from _compared(FunctionView(scope, module.project.frame(scope)))
    for scope in module.module.functions:
        measured = [name for name in scope.bindings if _is_held_out_score(name)]
        if measured:
            yield from _of_chosen_part(FunctionView(scope, module.project.frame(scope)), measured)


def _compared(function: FunctionView) -> Iterator[Mislabelled]:
    """The scores of training labels and predictions that are bound to the name of a held-out score."""
    for name, bindings in function.scope.bindings.items():
        if not _is_held_out_score(name):
            continue
        for call in (b.value for b in bindings if b.kind == "assign" and not b.path and isinstance(b.value, ast.Call)):
            sides = [place(side) or "" for side in call.args[:2]]
            meant = [_counterpart(side, function) for side in sides if roles.is_training_name(side)]
            if len(meant) == 2 and all(meant) and library_score(Call(call, function.frame)) is not None:
                score, other = (f"{last_name(call.func)}({', '.join(map(str, of))})" for of in (sides, meant))
                yield Mislabelled(call, name, score, other, _NAMED)


def _of_chosen_part(function: FunctionView, names: list[str]) -> Iterator[Mislabelled]:
    """The scores of the training rows, by the word that a measurement is told, under the name of a held-out one."""
    for found in chosen_parts.find_scores_of_training_part(function, names):
        yield Mislabelled(found.call.node, found.name, found.call.text, found.meant, _NAMED)


def _in_function(function: FunctionView) -> Iterator[Mislabelled]:
    records = [
        ((by, words(key)), key, value)
        for by, key, value in (*_records(function), *_lists(function))
        if _is_held_out(key)
    ]
    found = [(kind, key, value, score) for kind, key, value in records if (score := _training_score(value)) is not None]
    for kind, key, value, score in found:
        others = [v for same, _, v in records if same == kind and v is not value and not _is_written_out(v)]
        alone = all(_training_score(v) or _is_recorded_besides(v, value, function) for v in others)
        part = _part_of_scores(value, score)
        meant = _counterpart(score, function, alone=part != "") if alone else None
        if meant is not None and not _holds(score, meant, function):
            yield Mislabelled(value, key, score + part, meant + part, _NAMED)


def _is_recorded_besides(other: Node, value: Node, function: FunctionView) -> bool:
    """Do both stand in the statements of one block, as strings say, so that neither stands in for the other?"""
    for block in _blocks(function.scope.node):
        holders = [{id(n) for n in walk(s)} for s in block if not isinstance(s, _BLOCKS)]
        if any(id(value) in nodes for nodes in holders):
            return any(id(other) in nodes for nodes in holders) and not _is_keyword(other, function)
    return False


def _blocks(node: Node) -> Iterator[list[ast.stmt]]:
    """The lists of statements of a function, or of the body of a file, without those of nested functions."""
    for _, block in ast.iter_fields(node):
        parts = block if isinstance(block, list) else []
        statements = [s for s in parts if isinstance(s, ast.stmt)]
        if statements:
            yield statements
        for part in parts:
            if isinstance(part, (*_NESTING, ast.ExceptHandler)):
                yield from _blocks(part)


def _is_keyword(value: Node, function: FunctionView) -> bool:
    """Is it recorded under the name of a parameter, which whoever calls the function has to fill?"""
    return any(k.value is value and k.arg != "label" for c in function.scope.calls for k in c.keywords)


def _holds(score: str, other: str, function: FunctionView) -> bool:
    """Is a score a record of the whole run, which holds the other one: `results = {"test_results": test_results}`?"""
    made = (b.value for b in function.scope.bindings.get(score, ()) if isinstance(b.value, ast.Dict))
    return any(mentions_place(value, other) for value in made)


def _is_written_out(value: Node) -> bool:
    """Does a value stand for nothing yet: `[]`, `0.0`, `float("inf")`?"""
    return not any(isinstance(n, ast.Name) and n.id != "float" for n in walk(value))


@lru_cache(maxsize=16384)
def _is_training_score(name: str) -> bool:
    return roles.is_training_name(name) and topics.is_about(name, *_SCORES)


@lru_cache(maxsize=16384)
def _is_held_out_score(name: str) -> bool:
    return _is_held_out(name) and topics.is_about(name, *_SCORES)


def _records(function: FunctionView) -> Iterator[tuple[str, str, Node]]:
    """What records something, a function by its name or "", under which key, and what."""
    for statement in statements(function.scope):
        if isinstance(statement, _BLOCKS):
            continue
        match statement:
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(key)))], value=value):
                yield "", key, value
        for node in walk(statement):
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                yield from (
                    ("", k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)
                )
            elif isinstance(node, ast.Call):
                yield from ((last_name(node.func), key, value) for key, value in _of_call(node))
            elif isinstance(node, ast.JoinedStr):
                yield from (("", key, value) for key, value in _shown(node))


def _of_call(call: ast.Call) -> Iterator[tuple[str, Node]]:
    """What a call records: `log("val_loss", x)`, `plot(xs, label="val")`, `log(val_loss=x)`."""
    labels = [k.value.value for k in call.keywords if k.arg == "label" and isinstance(k.value, ast.Constant)]
    if labels and isinstance(labels[0], str) and call.args:
        yield labels[0], call.args[-1]
    yield from ((k.arg, k.value) for k in call.keywords if k.arg is not None and k.arg != "label")
    match call:
        case ast.Call(args=[ast.Constant(value=str(key)), value, *_]):
            yield key, value
        case ast.Call(
            func=ast.Attribute(attr="append", value=ast.Subscript(slice=ast.Constant(value=str(key)))), args=[value]
        ):
            yield key, value


def _lists(function: FunctionView) -> Iterator[tuple[str, str, Node]]:
    """The names of the lists that grow, likewise: `val_losses.append(x)`."""
    for call in function.scope.calls:
        match call:
            case ast.Call(func=ast.Attribute(attr="append", value=ast.Name() | ast.Attribute() as kept), args=[value]):
                yield "list", last_name(kept), value


def _shown(text: ast.JoinedStr) -> Iterator[tuple[str, Node]]:
    """The values in a text, each with the words before it."""
    before = ""
    for part in text.values:
        if isinstance(part, ast.Constant):
            before = str(part.value)
        elif isinstance(part, ast.FormattedValue):
            yield before, part.value
            before = ""


def _is_held_out(key: str) -> bool:
    return roles.is_held_out_name("_".join(words(key)))


def _training_score(value: Node) -> str | None:
    """The place of the only score that a value is made of, if it is named for training: `train_loss / len(loader)`."""
    counted = {id(n) for c in walk(value) if isinstance(c, ast.Call) and last_name(c.func) == "len" for n in walk(c)}
    named = {
        name
        for node in walk(value)
        if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in counted
        if (name := place(node)) is not None and roles.rows_by_name(name) is not None
    }
    score = named.pop() if len(named) == 1 else ""
    chosen = any(isinstance(n, (ast.IfExp, ast.BoolOp)) for n in walk(value))
    is_score = _is_training_score(score) or (roles.is_training_name(score) and _part_of_scores(value, score) != "")
    return score if is_score and not chosen else None


def _part_of_scores(value: Node, scores: str) -> str:
    """The key or the attribute by which a value reads one of several scores that a place holds, as it is written:
    `["acc"]` of `100 * on_train["acc"]`; empty if it reads none."""
    for node in walk(value):
        match node:
            case ast.Subscript(value=held, slice=ast.Constant(value=str(key))):
                written = f'["{key}"]'
            case ast.Attribute(value=held, attr=key):
                written = f".{key}"
            case _:
                continue
        if place(held) == scores and roles.rows_by_name(key) is None and topics.is_about(key, *_SCORES):
            return written
    return ""


def _counterpart(score: str, function: FunctionView, *, alone: bool = False) -> str | None:
    """The same score of held-out rows, where the training score is bound: there, in the function around, or in one that
    hands it over.

    Args:
        score: the place of the training score, or of several.
        function: where it is recorded.
        alone: whether the name may say nothing but the part of the data.
    """
    rest, scopes = roles.rest_of_name(score, *TRAINING), list(homes(score, function.scope))
    around = function.scope.parent
    while isinstance(around, FunctionScope):
        scopes.append(around)
        around = around.parent
    if score in function.scope.bindings:
        scopes += [frame.function for _, frame in function.project.callers(function.scope)]
    bound = [name for scope in scopes for name in scope.bindings]
    wanted = rest or (rest if alone else None)
    return next((name for name in bound if wanted is not None and roles.rest_of_name(name, *HELD_OUT) == wanted), None)
