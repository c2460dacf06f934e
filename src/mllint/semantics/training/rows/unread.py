"""Was the wrong loader taken: is a held-out or a training loader bound, and never read?

Whoever writes `val_loader` and `train_loader` and then reads only one of them took it twice. The names say which is
which; that the other one lies unused is what makes it sure. Loaders that are read anywhere in the function say nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import last_name, place, turned, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.usage import HELD_OUT, TEST, TRAINING, VALIDATION, homes, is_read, unread_counterparts
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import statements
from mllint.semantics.values.values import Value

__all__ = ["beside_validation", "measured_on_training", "selected_on_test", "trained_on_held", "untrained"]


def said(call: ast.Call, function: FunctionScope, *entries: str) -> str:
    """The names and texts of the innermost statement around a call, beside the call itself and keys of some entries."""
    statement = statement_of(call, function)
    names = [n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    texts = [n.value for n in walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return " ".join((*names, *(t for t in texts if not any(repr(t) in e for e in entries)))).lower()


def statement_of(call: ast.Call, function: FunctionScope) -> Any:
    """The innermost statement around a call; the call itself where there is none."""
    return [call, *(s for s in statements(function) if any(n is call for n in walk(s)))][-1]


def entry(node: Any, own: tuple[Role, ...], frame: Frame, other: tuple[Role, ...]) -> tuple[str, str] | None:
    """The entry that `loaders["train"]` reads, and the unread one for another part of the same dictionary."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    key, base = node.slice.value, place(node.value)
    if not isinstance(key, str) or base is None or rest_of_name(key, *own) is None:
        return None
    table = evaluate(node.value, frame)
    if table.kind != "mapping" or all(_is_words(value) for value in table.parts.values()):
        return None
    uses = [n for s in frame.function.body for n in walk(s)]
    keyed = {id(n.value): n for n in uses if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)}
    if any(place(n) == base and id(n) not in keyed and isinstance(getattr(n, "ctx", None), ast.Load) for n in uses):
        return None
    for word in table.parts:
        spare = f"{base}[{word!r}]"
        if (
            isinstance(word, str)
            and rest_of_name(word, *other) == rest_of_name(key, *own)
            and not is_read(spare, frame.function)
        ):
            return f"{base}[{key!r}]", spare
    return None


def _is_words(value: Value) -> bool:
    """Is it text or numbers, or a list of them, and no data: names of metrics, counts?"""
    return value.kind == "literal" or (value.kind == "sequence" and all(_is_words(part) for part in value.parts))


def measured_on_training(function: FunctionScope, frame: Frame) -> Iterator[tuple[Any, str, str, str]]:
    """`val_loss = evaluate(model, train_loader)`: the argument, the function, its name, what the other loader does."""
    yield from looped_over_training(function)
    yield from _predicted_on_training(function)
    own = frame.project.reach.own_names()
    for call in function.calls:
        called = last_name(call.func)
        if not call.args or not (called in own or topics.is_about(called, Topic.MEASURING)):
            continue
        given = [argument for argument in call.args if for_training(argument)]
        if not given or not (topics.is_about(called, Topic.MEASURING) or measuring(call, frame)):
            continue
        for argument in given:
            name = place(argument)
            if (
                name
                and roles.is_training_name(name)
                and topics.is_about(name, Topic.LOADING)
                and "train" not in said(call, function)
            ):
                spare = next(unread_counterparts(name, TRAINING, function, HELD_OUT), None)
                other = measured_elsewhere(call, argument, function) if spare is None else None
                meant = named_otherwise(call, name, function) if spare is None and other is None else None
                if spare is not None or other is not None:
                    clause = f"nobody reads `{spare}`" if other is None else f"elsewhere on `{other}`"
                    yield argument, called, name, clause
                elif meant is not None:
                    yield argument, called, name, f"the result is named like `{meant}`"
            elif (found := entry(argument, TRAINING, frame, HELD_OUT)) and "train" not in said(call, function, *found):
                yield argument, called, found[0], f"nobody reads `{found[1]}`"


def _predicted_on_training(function: FunctionScope) -> Iterator[tuple[Any, str, str, str]]:
    """`test_scores = model.predict(X_train)`, while `X_test` lies unused; as `measured_on_training`."""
    project = function.module.project
    said = project is not None and id(function) in project.reach.functions(_PREDICTS, 0)
    for statement in statements(function) if said else ():
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
                yield call.args[0], last_name(call.func), name, f"nobody reads `{spare}`"


_PREDICTS = frozenset("predict predict_proba decision_function score evaluate predict_on_batch".split())


def measured_elsewhere(call: ast.Call, argument: Any, function: FunctionScope) -> str | None:
    """The held-out loader that the same measurement, named for validation, is given in another block."""
    names = {
        rest_of_name(n.id, *HELD_OUT) and n.id for n in walk(statement_of(call, function)) if isinstance(n, ast.Name)
    }
    stored_to = said(call, function).split()
    if rest_of_name(last_name(call.func), *HELD_OUT) is None and not any(n and n.lower() in stored_to for n in names):
        return None
    if asked_for(call, function):
        return None
    wanted, position = rest_of_name(place(argument) or "", *TRAINING), call.args.index(argument)
    found = None
    for other in function.calls:
        if other is not call and last_name(other.func) == last_name(call.func) and len(other.args) > position:
            name = place(other.args[position])
            if name and rest_of_name(name, *HELD_OUT) == wanted is not None:
                if beside(call, other, function):
                    return None  # each part is measured, one after the other
                found = found or name
    return found


def asked_for(call: ast.Call, function: FunctionScope) -> bool:
    """Does a test around a call ask for training data: `if args.evaluate == "train":`?"""
    for branch in (s for s in statements(function) if isinstance(s, ast.If)):
        if any(n is call for s in branch.body for n in walk(s)):
            for n in walk(branch.test):
                word = n.value if isinstance(n, ast.Constant) else last_name(n)
                if isinstance(word, str) and "train" in word.lower():
                    return True
    return False


def named_otherwise(call: ast.Call, loader: str, function: FunctionScope) -> str | None:
    """The held-out loader beside a training loader, if what is measured is stored as held-out: `test_loss = ...`."""
    stored_to = {n.id for n in walk(statement_of(call, function)) if isinstance(n, ast.Name) and _stores(n)}
    if not any(roles.is_held_out_name(name) for name in stored_to) or any(
        roles.is_training_name(name) for name in stored_to
    ):
        return None
    wanted = rest_of_name(loader, *TRAINING)
    return next(
        (n for home in homes(loader, function) for n in home.bindings if rest_of_name(n, *HELD_OUT) == wanted), None
    )


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def beside(call: ast.Call, other: ast.Call, function: FunctionScope) -> bool:
    """Do two calls stand in one block, as where both scores are wanted?"""
    one, two = statement_of(call, function), statement_of(other, function)
    around = [function.body, *(getattr(s, f, None) or [] for s in statements(function) for f in ("body", "orelse"))]
    return any({id(one), id(two)} <= {id(s) for s in block} for block in around)


def for_training(argument: Any) -> bool:
    """May an argument be a loader of training data, by its name or by its key?"""
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
    return name is not None and roles.is_training_name(name) and topics.is_about(name, Topic.LOADING)


def measuring(call: ast.Call, frame: Frame) -> bool:
    """Does a call enter a function of the user's that sets a model to evaluation, and trains nothing?"""
    callees = [f for f in Call(call, frame).callees if not f.stubbed]
    return bool(callees) and all("eval" in f.called_names and not _trains(f.called_names) for f in callees)


def _trains(names: Iterable[str]) -> bool:
    return not {"backward", "step", "zero_grad", "fit", "train"}.isdisjoint(names)


def looped_over_training(function: FunctionScope) -> Iterator[tuple[Any, str, str, str]]:
    """`model.eval()`, then a loop over the training loader in which nothing is trained; as `measured_on_training`."""
    if "eval" not in function.module.calls_by_name or "eval" not in function.called_names:
        return
    if "train" in function.name.lower():
        return  # `train_metrics` says what it measures on
    switches = [c for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr in ("eval", "train")]
    modes = sorted(c.lineno for c in switches if last_name(c.func) == "eval")
    if not modes or isinstance(function.node, ast.Lambda):
        return
    comprehensions = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
    for node in (n for s in function.body for n in walk(s) if isinstance(n, (ast.For, *comprehensions))):
        iterated = turned(node.iter if isinstance(node, ast.For) else node.generators[0].iter)
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
        if _trains(called) or any(last_name(c.func) == "train" and modes[0] < c.lineno < node.lineno for c in switches):
            continue
        spare = next(unread_counterparts(name, TRAINING, function, HELD_OUT), None)
        if spare is not None:
            yield iterated, "the loop", name, f"nobody reads `{spare}`"


def trained_on_held(node: Any, frame: Frame) -> tuple[str, str] | None:
    """A held-out loader in what a training loop iterates over (or was given), and the unread training loader."""
    function = frame.function
    for inner in walk(node):
        if (found := entry(inner, HELD_OUT, frame, TRAINING)) is not None:
            return found
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else None
        if name and roles.is_held_out_name(name) and topics.is_about(name, Topic.HOLDING_ROWS):
            spare = next(unread_counterparts(name, HELD_OUT, function, TRAINING), None)
            if spare is not None:
                return name, spare
    return None


def untrained(node: Any, frame: Frame, looped: set[str]) -> tuple[str, str] | None:
    """A held-out loader that a training loop goes through, and the training loader that no training loop goes through.

    Args:
        node: what the loop goes through.
        frame: its context.
        looped: the last names of what all training loops go through.
    """
    name = place(turned(node))
    if not name or not roles.is_held_out_name(name) or not topics.is_about(name, Topic.LOADING):
        return None
    wanted = rest_of_name(name, *HELD_OUT)
    owner = frame.function.owner
    for function in (frame.function, frame.module.body, *(owner.methods.values() if owner is not None else ())):
        for found in function.bindings:
            if rest_of_name(found, *TRAINING) == wanted is not None and found.rpartition(".")[2] not in looped:
                if not any(trains_on(found, f) for f in frame.module.functions if not isinstance(f.node, ast.Lambda)):
                    return name, found
    return None


def trains_on(name: str, function: FunctionScope) -> bool:
    """Is there a loop over a loader that trains, be it in a branch that a constant switches off?"""
    loops = [s for s in statements(function) if isinstance(s, ast.For) and place(turned(s.iter)) == name]
    return any(_trains([last_name(n.func) for n in walk(s) if isinstance(n, ast.Call)]) for s in loops)


def selected_on_test(function: FunctionScope) -> Iterator[tuple[Any, Any, str, str]]:
    """`loss = evaluate(model, test_loader)` that is compared with a best so far, while the validation loader is unread.

    Yields:
        The argument, the comparison, the name of the loader and that of the unread one.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        parts = [place(given) or "" for given in _given(statement.value)]
        for given in _given(statement.value):
            name = place(given)
            if any(
                _speaks_of_validation(p) and rest_of_name(p, *VALIDATION) == rest_of_name(name or "", *TEST)
                for p in parts
            ):
                continue  # both parts in one call: either score may be the one of validation
            if not name or not roles.has_role_name(name, *TEST) or not topics.is_about(name, Topic.HOLDING_ROWS):
                continue
            spare = next(unread_counterparts(name, TEST, function, VALIDATION), None) or measured_as_well(
                name, function
            )
            scores = {place(n) for t in statement.targets for n in walk(t)}
            choice = compared(scores, function)
            if spare is None and choice is not None:
                spare = called_validation(name, scores, choice, function)
            if spare is not None and choice is not None:
                yield given, choice, name, spare


def beside_validation(function: FunctionScope) -> Iterator[tuple[Any, Any, str, str]]:
    """`train_acc, val_acc, test_acc = test()`, and a choice by `test_acc` and none by `val_acc`.

    Yields:
        What gives the scores, the comparison, and both names.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
            continue
        names = [place(t) or "" for t in statement.targets[0].elts]
        for name in (n for n in names if rest_of_name(n, *TEST) is not None and roles.is_held_out_name(n)):
            spare = next(
                (n for n in names if rest_of_name(n, *VALIDATION) == rest_of_name(name, *TEST) and n != name), None
            )
            choice = compared({name}, function) if spare is not None else None
            if spare is not None and choice is not None and compared({spare}, function) is None:
                yield statement.value, choice, name, spare


def _speaks_of_validation(name: str) -> bool:
    return roles.rows_by_name(name) is Role.VALIDATION_ROWS


def called_validation(loader: str, scores: set[str | None], choice: Any, function: FunctionScope) -> str | None:
    """The validation loader beside a test loader, if what is measured on the latter, or the best of it, is called
    validation: `valid_loss = evaluate(model, test_loader)`, `if score > best_valid_score`."""
    compare = choice if isinstance(choice, ast.Compare) else None
    sides = [place(n) for n in (compare.left, *compare.comparators)] if compare is not None else []
    if not any(name and _speaks_of_validation(name) for name in (*scores, *sides)):
        return None
    wanted = rest_of_name(loader, *TEST)
    if wanted is None:
        return None
    return next(
        (n for home in homes(loader, function) for n in home.bindings if rest_of_name(n, *VALIDATION) == wanted), None
    )


def _given(call: ast.Call) -> list[Any]:
    """The places that a measurement is given, by itself or in its arguments: `loss(model(x_test), y_test)`."""
    given = list(call.args)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "item" and isinstance(call.func.value, ast.Call):
        given = list(call.func.value.args)
    return given + [inner for a in given if isinstance(a, ast.Call) for inner in a.args]


def measured_as_well(name: str, function: FunctionScope) -> str | None:
    """The validation loader beside a test loader, if it is measured too, and no choice is made by that score."""
    wanted, measured = rest_of_name(name, *TEST), None
    for statement in statements(function):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            for given in statement.value.args:
                other = place(given)
                if (
                    other
                    and rest_of_name(other, *VALIDATION) == wanted is not None
                    and topics.is_about(other, Topic.HOLDING_ROWS)
                ):
                    scores = {place(n) for t in statement.targets for n in walk(t)}
                    if compared(scores, function) is not None:
                        return None
                    measured = other
    return measured


def compared(names: set[str | None], function: FunctionScope) -> Any:
    """The test of a branch that compares one of some names with a best so far, or the call of a stopper with one."""
    for statement in statements(function):
        for test in walk(statement.test) if isinstance(statement, ast.If) else ():
            if isinstance(test, ast.Compare):
                sides = [place(n) or "" for n in (test.left, *test.comparators)]
                if names & set(sides) and any("best" in side.lower() for side in sides):
                    return test
    for call in function.calls:
        if "stop" in (place(call.func) or "").lower() and names & {place(a) for a in call.args}:
            return call
    return None
