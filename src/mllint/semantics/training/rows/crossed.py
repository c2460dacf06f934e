"""Are rows bound to the wrong part: `val_loader = DataLoader(Rows(X_train))`, `fit(model, train_dl, train_dl)`?

A name alone proves nothing. Here two names contradict each other, and a third one, of what belonged there, is bound and
never read; or a call gives one place to two parameters, one for training and one for evaluation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import assigned, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import words
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.splits import row_index
from mllint.semantics.training.usage import HELD_OUT, TEST, TRAINING, VALIDATION, is_read, unread_counterparts
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.lineage import statements

__all__ = ["crossed", "given_test", "given_twice", "tests_as_validation", "transforms"]

_DATASET = "torch.utils.data.Dataset"


def crossed(function: Any, *, holding: bool) -> Iterator[tuple[Any, str, str, str]]:
    """Datasets and loaders that are named for one part and built of another.

    Args:
        function: the scope.
        holding: those named for held-out rows and built of training rows; else the other way round.

    Yields:
        What it is built of, its name, the place that it is built of, and the place of its own part that nobody reads.
    """
    if holding:
        yield from _between(function, roles.is_held_out_name, roles.is_training_name, HELD_OUT, TRAINING)
    else:
        yield from _between(function, roles.is_training_name, roles.is_held_out_name, TRAINING, HELD_OUT)


def tests_as_validation(function: Any) -> Iterator[tuple[Any, str, str, str]]:
    """As `crossed`: what is named for validation and built of test data."""
    yield from _between(function, _validation, _test, VALIDATION, TEST)


def _validation(name: str | None) -> bool:
    return roles.is_held_out_name(name) and rest_of_name(name or "", *VALIDATION) is not None and not _test(name)


def _test(name: str | None) -> bool:
    return roles.is_held_out_name(name) and rest_of_name(name or "", *TEST) is not None


def _between(
    function: Any, says: Any, against: Any, own: tuple[Role, ...], other: tuple[Role, ...]
) -> Iterator[tuple[Any, str, str, str]]:
    for name, value in _named_rows(function):
        if not says(name):
            continue
        given = _rows_given(value) if isinstance(value, ast.Call) else [value.slice]
        used = [(n, place(n)) for a in given for n in chosen(a)]
        if any(says(used_name) for _, used_name in used) or any(map(_cut, given[1:])):
            continue
        for node, found in ((n, f) for n, f in used if f and against(f)):
            index = not isinstance(value, ast.Call)
            handed = index or any(b.kind == "param" for b in function.bindings.get(found, ()))
            spare = next(unread_counterparts(found, other, function, own, handed=handed), None)
            if spare is not None and spare != name:
                yield node, name or "", found, spare
                break


def _cut(node: Any) -> bool:
    """Does an argument beside the rows choose some of them by a slice: `Sampler(train_set, indices[half:])`?"""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _named_rows(function: Any) -> list[tuple[str | None, Any]]:
    """The datasets, loaders and chosen rows that a function binds or returns, by name."""
    memo = function.module.effects
    known: list[tuple[str | None, Any]] | None = memo.get(("named rows", id(function)))
    if known is None:
        found = statements(function) if not isinstance(function.node, ast.Lambda) else []
        named = ((name, value) for s in found for name, value in _named(s, function))
        known = [(n, v) for n, v in named if _rows_of(v) or _constructs_dataset(n, v, function)]
        memo["named rows", id(function)] = known
    return known


def _named(statement: Any, function: Any) -> Iterator[tuple[str | None, Any]]:
    """What a statement binds, by name; what a method named for one part returns (`def val_dataloader(self)`)."""
    if isinstance(statement, ast.Return):
        if statement.value is not None and topics.is_about(function.name, Topic.MAKING_DATA):
            yield function.name, statement.value
        return
    for target, value in assigned(statement):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for part, inner in zip(target.elts, value.elts, strict=True):
                yield place(part), inner
        else:
            yield place(target), _given(value)


def _given(value: Any) -> Any:
    """`a` of `a if rows is not None else None`."""
    if isinstance(value, ast.IfExp) and isinstance(value.orelse, ast.Constant) and value.orelse.value is None:
        return value.body
    return value


def _rows_given(call: ast.Call) -> list[Any]:
    """The arguments of a call that may be rows, and not a batch size."""
    return [*call.args, *(k.value for k in call.keywords if not topics.is_about(k.arg or "", Topic.READING_OPTIONS))]


def _rows_of(value: Any) -> bool:
    """Is it a dataset or a loader that is built, or rows that an index chooses by its name: `X[val_idx]`?"""
    if isinstance(value, ast.Call):
        return _makes_data(value)
    return row_index(value) is not None


def chosen(node: Any) -> Iterator[Any]:
    """The nodes of an argument, without the bounds of slices: `rows[:n_val]` is a part of `rows`."""
    bounds = {id(n) for outer in walk(node) if isinstance(outer, ast.Slice) for n in walk(outer)}
    return (n for n in walk(node) if id(n) not in bounds)


def transforms(name: str) -> bool:
    """Does a name say that it is a transform?"""
    return topics.is_about(name, Topic.TRANSFORMS)


def _makes_data(call: ast.Call) -> bool:
    return topics.is_about(last_name(call.func), Topic.MAKING_DATA)


def _constructs_dataset(name: str | None, value: Any, function: Any) -> bool:
    """Is it an object of a dataset's class, whatever the class is named, that is given rows of one part?"""
    if not isinstance(value, ast.Call) or not (roles.is_held_out_name(name) or roles.is_training_name(name)):
        return False
    if not any(roles.is_held_out_name(n) or roles.is_training_name(n) for n in map(place, _rows_given(value)) if n):
        return False
    project = function.module.project
    return project is not None and bool(Call(value, project.frame(function)).value.instance_of(_DATASET))


def given_twice(function: Function) -> Iterator[tuple[Any, Any, str]]:
    """Calls that give one place to two parameters of the user's function, one for training and one for evaluation.

    Yields:
        The second argument, the first one, and what is called.
    """
    for call in function.scope.calls:
        for given, parameters in _twice(call).items():
            if topics.is_about(given, Topic.COUNTING) or _measures(call):
                continue
            if roles.is_training_name(given) or topics.is_about(given, Topic.MAKING_DATA) or "train" in given.lower():
                for named in _parameters(call, function):
                    said = [named.get(id(node), "") for node in parameters]
                    unsaid = not roles.is_training_name(given) and not topics.is_about(given, Topic.MAKING_DATA)
                    if unsaid and not all(topics.is_about(n, Topic.MAKING_DATA) for n in said):
                        continue
                    if any(roles.is_training_name(n) for n in said) and any(roles.is_held_out_name(n) for n in said):
                        second = next(p for p, n in zip(parameters, said, strict=True) if roles.is_held_out_name(n))
                        first = next(p for p in parameters if p is not second)
                        yield second, first, last_name(call.func)


def _measures(call: ast.Call) -> bool:
    """Is it named for measuring, and not for training: `ranking_eval(model, train_set=rows, test_set=rows)`?"""
    called = last_name(call.func)
    return not _MEASURING.isdisjoint(words(called)) and not (
        roles.is_training_name(called) or topics.is_about(called, Topic.ABOUT_TRAINING)
    )


_MEASURING = frozenset(("evaluate", "evaluation", "eval", "test", "score", "scores", "metrics", "measure", "predict"))


def _trains(function: Function) -> bool:
    """Is anything in the project trained? An inference may build what it needs of whatever is at hand."""
    return any(function.project.calls_named(word) for word in ("backward", "fit", "step", "train"))


def _twice(call: ast.Call) -> dict[str, list[Any]]:
    """The places that a call is given more than once, with the arguments."""
    found: dict[str, list[Any]] = {}
    if len(call.args) + len(call.keywords) < 2:
        return found
    for argument in (*call.args, *(k.value for k in call.keywords)):
        if isinstance(argument, (ast.Name, ast.Attribute)):
            found.setdefault(place(argument) or "", []).append(argument)
    return {name: nodes for name, nodes in found.items() if name and len(nodes) > 1}


def _parameters(call: ast.Call, function: Function) -> Iterator[dict[int, str]]:
    """For each of the user's functions that a call enters, the parameters that its arguments are and that it reads."""
    for callee in Call(call, function.frame).callees:
        if not callee.stubbed and (callee.name != "__init__" or _trains(function)):
            bound, _ = bind(callee, call, function.frame)
            given = {id(thing[0]): name for name, thing in bound.items() if isinstance(thing, tuple)}
            yield {node: name for node, name in given.items() if is_read(name, callee)}


def given_test(function: Any, project: Any) -> Iterator[tuple[Any, str, str, list[Any]]]:
    """`fit(model, train_loader, test_loader)`, while the validation loader is bound and never read.

    Yields:
        The argument, its name, that of the unread loader, and the user's functions that the call enters.
    """
    for call in function.calls:
        given = [*call.args, *(k.value for k in call.keywords)]
        names = [place(a) or "" for a in given]
        held_out = [
            (a, n)
            for a, n in zip(given, names, strict=True)
            if roles.is_held_out_name(n) and topics.is_about(n, Topic.MAKING_DATA, Topic.LOADING)
        ]
        if len(held_out) == 1 and any(roles.is_training_name(n) for n in names):
            argument, name = held_out[0]
            spare = next(unread_counterparts(name, TEST, function, VALIDATION), None)
            if spare is not None:
                callees = [f for f in Call(call, project.frame(function)).callees if not f.stubbed]
                yield argument, name, spare, callees
