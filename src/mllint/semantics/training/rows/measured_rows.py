"""Is a measurement given the training rows, and the held-out ones next to them lie unread?

    val_loss = evaluate(model, train_loader)      # nobody reads `val_loader`

A measurement is a function named for it, or one that sets a model to evaluation and trains nothing; a loop after
`model.eval()` in which nothing is trained; `test_scores = model.predict(X_train)`. What is stored as a score of
training rows, `train_loss = ...`, says what it measures. A measurement that is given the held-out ones as well compares
them with those of training, as a classifier by neighbours does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Activity, Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.rows.usage import HELD_OUT, TRAINING, homes, is_read, unread_counterparts, unread_outside
from mllint.semantics.training.rows.wrong_part import entry, has_training_call, statement_of, words_around
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import statements

__all__ = ["find_measured_on_training"]

_PREDICTS = frozenset("predict predict_proba decision_function score evaluate predict_on_batch".split())


def find_measured_on_training(function: FunctionScope, frame: Frame) -> Iterator[tuple[Node, str, str, str, str]]:
    """`val_loss = evaluate(model, train_loader)`: the argument, what gets it, its name, what gets the other, and the
    name of the other (empty if it is not known)."""
    yield from _looped_over_training(function)
    yield from _predicted_on_training(function)
    own = frame.project.reach.own_names()
    for call in function.calls:
        called = last_name(call.func)
        if not (called in own or topics.is_about(called, Topic.MEASURING)):
            continue
        given = [a for a in call.args if _may_be_training_data(a)] if call.args else []
        if call.keywords:
            given += [k.value for k in call.keywords if _may_be_training_data(k.value)]
        for argument in given:
            found = _meant(argument, call, frame) if not _has_counterpart(argument, call) else None
            if found is not None and (
                _is_measuring_function_name(called, own) or topics.is_about(found[0], Topic.LOADING)
            ):
                if topics.is_about(called, Topic.MEASURING) or _enters_evaluation(call, frame):
                    yield argument, f"`{called}` runs", *found
                break  # what is called is looked into last: names tell nearly all


def _is_measuring_function_name(called: str, own: frozenset[str]) -> bool:
    """Is it a function of the project that is named for measuring? Of arrays much else is computed."""
    return called in own and roles.activity_by_name(called) is Activity.MEASURES


def _meant(argument: Node, call: ast.Call, frame: Frame) -> tuple[str, str, str] | None:
    """The training rows that a measurement is given, what says that others were meant, and the name of those."""
    function, name = frame.function, place(argument)
    found = entry(argument, TRAINING, frame, HELD_OUT)
    if found is not None:
        names_training = "train" in words_around(call, function, *found)
        return None if names_training else (found[0], f"and `{found[1]}` is never used", found[1])
    if not name or not roles.is_training_name(name) or "train" in words_around(call, function):
        return None
    spare = next(unread_counterparts(name, TRAINING, function, HELD_OUT), None)
    spare = spare or unread_outside(name, TRAINING, function, HELD_OUT)
    if spare is not None:
        return name, f"and `{spare}` is never used", spare
    if not topics.is_about(name, Topic.LOADING) or argument not in call.args:
        return None
    other = _measured_elsewhere(call, argument, function)
    if other is not None:
        return name, f"although it runs on the held-out `{other}` elsewhere", other
    meant = _stored_as_held_out(call, name, function)
    return (name, f"but its result is named `{meant}`", "") if meant is not None else None


def _predicted_on_training(function: FunctionScope) -> Iterator[tuple[Node, str, str, str, str]]:
    """`test_scores = model.predict(X_train)`, while `X_test` lies unused; as `find_measured_on_training`."""
    project = function.module.project
    predicts = id(function) in project.reach.functions(_PREDICTS, 0)
    if not predicts:
        return
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not roles.is_held_out_name(place(statement.targets[0])):
            continue
        for call in (n for n in walk(statement.value) if isinstance(n, ast.Call) and last_name(n.func) in _PREDICTS):
            name = place(call.args[0]) if call.args else None
            spare = (
                next(unread_counterparts(name, TRAINING, function, HELD_OUT), None)
                if name and roles.is_training_name(name)
                else None
            )
            if name is not None and spare is not None:
                yield call.args[0], f"`{last_name(call.func)}` runs", name, f"and `{spare}` is never used", spare


def _measured_elsewhere(call: ast.Call, argument: Node, function: FunctionScope) -> str | None:
    """The held-out loader that the same measurement, named for validation, is given in another block."""
    names = {
        rest_of_name(n.id, *HELD_OUT) and n.id for n in walk(statement_of(call, function)) if isinstance(n, ast.Name)
    }
    stored_to = words_around(call, function).split()
    if rest_of_name(last_name(call.func), *HELD_OUT) is None and not any(n and n.lower() in stored_to for n in names):
        return None
    if _is_test_for_training(call, function):
        return None
    wanted, position = rest_of_name(place(argument) or "", *TRAINING), call.args.index(argument)
    found = None
    for other in function.calls:
        if other is not call and last_name(other.func) == last_name(call.func) and len(other.args) > position:
            name = place(other.args[position])
            if name and rest_of_name(name, *HELD_OUT) == wanted is not None:
                if _in_one_block(call, other, function):
                    return None  # each part is measured, one after the other
                found = found or name
    return found


def _is_test_for_training(call: ast.Call, function: FunctionScope) -> bool:
    """Does a test around a call ask for training data: `if args.evaluate == "train":`?"""
    for branch in (s for s in statements(function) if isinstance(s, ast.If)):
        if any(n is call for s in branch.body for n in walk(s)):
            for n in walk(branch.test):
                word = n.value if isinstance(n, ast.Constant) else last_name(n)
                if isinstance(word, str) and roles.speaks_of(word, Role.TRAINING_ROWS):
                    return True
    return False


def _stored_as_held_out(call: ast.Call, loader: str, function: FunctionScope) -> str | None:
    """What a measurement is stored as, `test_loss = ...`, if that is held-out and such a loader is next to the one for
    training."""
    stored_to = [n.id for n in walk(statement_of(call, function)) if isinstance(n, ast.Name) and _stores(n)]
    held_out = next((name for name in stored_to if roles.is_held_out_name(name)), None)
    if held_out is None or any(roles.is_training_name(name) for name in stored_to):
        return None
    wanted = rest_of_name(loader, *TRAINING)
    scopes = [*homes(loader, function), *_callers_handing(loader, function)]
    siblings = (n for home in scopes for n in home.bindings if rest_of_name(n, *HELD_OUT) == wanted)
    return held_out if any(True for _ in siblings) else None


def _callers_handing(name: str, function: FunctionScope) -> Iterator[FunctionScope]:
    """The functions that hand a function, for its parameter, a place of that name."""
    project = function.module.project
    if function.parameter(name) is None:
        return
    for call, frame in project.callers(function):
        given = bind(function, call, frame)[0].get(name)
        if isinstance(given, Passed) and place(given.node) == name:
            yield frame.function


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _in_one_block(call: ast.Call, other: ast.Call, function: FunctionScope) -> bool:
    """Do two calls stand in one block, as where both scores are wanted?"""
    one, two = statement_of(call, function), statement_of(other, function)
    around = [function.body, *(getattr(s, f, None) or [] for s in statements(function) for f in ("body", "orelse"))]
    return any({id(one), id(two)} <= {id(s) for s in block} for block in around)


def _may_be_training_data(argument: Node) -> bool:
    """May an argument be training data, by its name or by its key?"""
    if argument.__class__ is ast.Subscript:
        key = argument.slice
        return (
            isinstance(key, ast.Constant)
            and isinstance(key.value, str)
            and rest_of_name(key.value, *TRAINING) is not None
        )
    if argument.__class__ is not ast.Name and argument.__class__ is not ast.Attribute:
        return False
    name = place(argument)
    if name is None or not roles.is_training_name(name):
        return False
    return topics.is_about(name, Topic.LOADING) or roles.is_part_name(name, Role.TRAINING_ROWS)


def _has_counterpart(argument: Node, call: ast.Call) -> bool:
    """Is a call given the held-out rows that are named like some training rows, as well as these?"""
    wanted = rest_of_name(_part_name(argument), *TRAINING)
    return wanted is not None and any(rest_of_name(_part_name(a), *HELD_OUT) == wanted for a in all_arguments(call))


def _part_name(argument: Node) -> str:
    """What says which part of the data an argument is: its name, or its key."""
    if isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Constant):
        return str(argument.slice.value)
    return place(argument) or ""


def _enters_evaluation(call: ast.Call, frame: Frame) -> bool:
    """Does a call enter a function of the user's that sets a model to evaluation, and trains nothing?"""
    callees = [f for f in Call(call, frame).callees if not f.stubbed]
    return bool(callees) and all("eval" in f.called_names and not has_training_call(f.called_names) for f in callees)


def _looped_over_training(function: FunctionScope) -> Iterator[tuple[Node, str, str, str, str]]:
    """`model.eval()`, then a loop over the training loader in which nothing is trained; as
    `find_measured_on_training`."""
    if "eval" not in function.module.calls_by_name or "eval" not in function.called_names:
        return
    if roles.speaks_of(function.name, Role.TRAINING_ROWS):
        return  # `train_metrics` says what it measures on
    switches = [c for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr in ("eval", "train")]
    modes = sorted(c.lineno for c in switches if last_name(c.func) == "eval")
    if not modes or isinstance(function.node, ast.Lambda):
        return
    comprehensions = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
    for node in (n for s in function.body for n in walk(s) if isinstance(n, (ast.For, *comprehensions))):
        iterated = iterable_of(node.iter if isinstance(node, ast.For) else node.generators[0].iter)
        name = place(iterated)
        if (
            not name
            or not roles.is_training_name(name)
            or not topics.is_about(name, Topic.LOADING)
            or node.lineno < modes[0]
        ):
            continue
        called = [last_name(n.func) for n in walk(node) if isinstance(n, ast.Call)]
        if any(isinstance(n, ast.AugAssign) and roles.is_training_name(place(n.target)) for n in walk(node)):
            continue  # `train_loss += ...` says so as well
        if has_training_call(called) or any(
            last_name(c.func) == "train" and modes[0] < c.lineno < node.lineno for c in switches
        ):
            continue
        spare = next(unread_counterparts(name, TRAINING, function, HELD_OUT), None) or _unread_loader(function)
        if spare is not None:
            yield iterated, "the evaluation loop runs", name, f"and `{spare}` is never used", spare


def _unread_loader(function: FunctionScope) -> str | None:
    """The parameter that gives rows to measure on, by its name, and is asked for nothing but its length."""
    names = [p.name for p in function.parameters if topics.is_about(p.name, Topic.LOADING)]
    return next((n for n in names if not roles.is_training_name(n) and not is_read(n, function)), None)
