"""Which training rows include rows that are held out?

    train, test = rows[:900], rows[800:]                 # two slices share some
    train_set, test_set = Rows(x, y), Rows(x[:99], y[:99])   # built of all rows, and of some of them
    parts = rows.train_test_split()                      # a split holds rows out, and all of them are trained on
    loader, test_loader = DataLoader(rows), DataLoader(parts["test"])
    Trainer(model, train_dataset=rows, eval_dataset=parts["test"])

`shared_rows` says whether two choices share rows; here it is asked of what a function binds by names for training and
for holding out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Constant, Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.rows import built_alike, loading, shared_rows
from mllint.semantics.training.rows.usage import is_read
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins, resolve_name, results_of, statements, targets_of

__all__ = ["Overlap", "find_shared_rows", "find_whole_reads"]

_SPLIT = "train_test_split"
_Bound = tuple[str, Node]  # a place, and the expression that it is bound to


class Overlap(NamedTuple):
    """Rows that are trained on, some of which are held out.

    Attributes:
        rows: the expression that is trained on.
        name: the place that it is bound to.
        other: the place of the held-out rows; empty where it has none.
        spared: the expression of the held-out rows; None where it is a part of the split.
        whole: the name of all rows in what is trained on; None where the rows are a choice of them.
        split: the call that divides the rows; None where slices do.
        told: the names that tell what is trained on and what is held out; none where the split tells it.
    """

    rows: Node
    name: str
    other: str
    spared: Node
    whole: Node = None
    split: Node = None
    told: tuple[str, ...] = ()


# ------------------------------------------------------------------------------------------------------------ by slices
def find_shared_rows(function: FunctionView) -> Iterator[Overlap]:
    """Training rows and held-out rows that share some: slices, and data that is built of all rows and of some."""
    scope = function.scope
    if isinstance(scope.node, ast.Lambda):
        return
    bound = [
        pair
        for s in statements(scope)
        if isinstance(s, (ast.Assign, ast.AnnAssign, ast.Return))
        for pair in (*built_alike.values_of(s), *_values_by_key(s))
    ]
    yield from _built_of_all(bound, scope)
    training = [(n, v) for n, v in bound if _is_training(n)]
    for name, value in training:
        rows = shared_rows.choice(value)
        if rows is None or _only_printed(name, scope):
            continue
        for other, second in bound:
            spared = shared_rows.choice(second) if roles.is_held_out_name(other) else None
            if spared is None or not shared_rows.share_rows(rows, spared):
                continue
            if _holds_data((name, value), (other, second), rows) and _keep_same_rows(
                (name, value), (other, second), scope
            ):
                yield Overlap(rows, name, other, spared, told=(name, other))


def _values_by_key(statement: Node) -> Iterator[_Bound]:
    """The keys and values of a dictionary that a statement writes down: `{"train": rows[:900], "val": rows[800:]}`."""
    written = getattr(statement, "value", None)
    for key, value in zip(written.keys, written.values, strict=True) if isinstance(written, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            yield key.value, value


def _is_training(name: str) -> bool:
    """Does a name say training rows, and not all rows?"""
    return roles.is_training_name(name) and not topics.is_about(name, Topic.WHOLE)


def _holds_data(one: _Bound, other: _Bound, rows: Node) -> bool:
    """Is one of two places for data, or for indices of rows?"""
    sliced = place(getattr(rows, "value", None)) or ""
    indices = any(topics.is_about(name, Topic.INDICES) for name in (one[0], sliced))
    return indices or built_alike.is_data(*one) or built_alike.is_data(*other)


def _keep_same_rows(one: _Bound, other: _Bound, scope: FunctionScope) -> bool:
    """Do two places keep the rows that they are bound to, of the same table?"""
    if built_alike.has_name_rebound_between(other[1], one[1], scope):
        return False
    return not any(built_alike.may_rows_change(name, scope) for name in (one[0], other[0]))


def _only_printed(name: str, scope: FunctionScope) -> bool:
    """Are rows only printed, in the function that cuts them: `train_head = rows[:5]`, `print(train_head)`?"""
    if not name.isidentifier():
        return False
    nodes = [n for s in scope.body for n in walk(s)]
    printed = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ("print", "display")]
    inside = {id(n) for call in printed for n in walk(call)}
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return bool(uses) and all(id(n) in inside for n in uses)


def _built_of_all(bound: list[_Bound], scope: FunctionScope) -> Iterator[Overlap]:
    """Training data that is built of all rows, and held-out data of some: `make(x, y)` and `make(x[:n], y[:n])`."""
    made = [(n, v) for n, v in bound if isinstance(v, ast.Call) and not any(isinstance(a, ast.Starred) for a in v.args)]
    for other, second in made:
        cut = [i for i, a in enumerate(second.args) if isinstance(a, ast.Subscript) and isinstance(a.slice, ast.Slice)]
        if not cut or not roles.is_held_out_name(other):
            continue
        for name, first in made:
            if not _is_training(name) or not _called_alike(first, second):
                continue
            if not built_alike.is_data(name, first) or not built_alike.is_data(other, second):
                continue
            whole = all(
                isinstance(first.args[i], ast.Name) and shared_rows.share_rows(first.args[i], second.args[i])
                for i in cut
            )
            if whole and _keep_same_rows((name, first), (other, second), scope):
                yield Overlap(first, name, other, second, told=(name, other))


def _called_alike(first: ast.Call, second: ast.Call) -> bool:
    """Do two calls build data in one way, and not by a list of indices?"""
    called = last_name(first.func)
    return (
        called == last_name(second.func) and called not in shared_rows.BY_INDEX and len(first.args) == len(second.args)
    )


# ------------------------------------------------------------------------------------------------------ split in vain
def find_whole_reads(function: FunctionView) -> Iterator[Overlap]:
    """Training data that reads all rows, where a split holds some of them out."""
    yield from _loaded_whole(function)
    yield from _whole_given_to_trainer(function)
    if _SPLIT in function.scope.called_names and not isinstance(function.scope.node, ast.Lambda):
        yield from _split_for_nothing(function.scope)
        yield from _built_of_whole(function.scope)


def _whole_given_to_trainer(function: FunctionView) -> Iterator[Overlap]:
    """A trainer is given all rows, and for evaluation the part of them that a split holds out."""
    if _SPLIT not in function.module.calls_by_name:
        return
    for node in function.scope.calls:
        given = {k.arg: k.value for k in node.keywords}
        rows, held = given.get("train_dataset"), given.get("eval_dataset")
        if rows is None or held is None:
            continue
        for origin in origins(held, function.frame, through=_is_passed_on):
            split = _test_part_of(origin, function)
            if split is not None and evaluate(rows, function.frame).same_as(evaluate(split.func.value, origin.frame)):
                whole = split.func.value
                name = "train_dataset" if place(rows) == place(whole) else place(rows) or "train_dataset"
                yield Overlap(rows, name, "", held, whole, split)


def _is_passed_on(origin: Origin) -> bool:
    """May rows come through an expression as they are: a name, or a function of the user's that gives them?"""
    if isinstance(origin.node, ast.Call):
        return next(results_of(origin.node, origin.frame), None) is not None
    return isinstance(origin.node, (ast.Name, ast.Attribute, ast.Tuple))


def _test_part_of(origin: Origin, function: FunctionView) -> Node:
    """The split of `rows.train_test_split()["test"]`, written there or bound to a name, in the file of a function."""
    node = origin.node
    if origin.frame.module is not function.module or not isinstance(node, ast.Subscript):
        return None
    split = resolve_name(node.value, origin.frame.function)
    if getattr(node.slice, "value", None) != "test" or not isinstance(split, ast.Call):
        return None
    return split if isinstance(split.func, ast.Attribute) and split.func.attr == _SPLIT else None


def _split_for_nothing(scope: FunctionScope) -> Iterator[Overlap]:
    """`split = rows["train"].train_test_split()`, of which the test part is held out, while all rows are trained on."""
    bound = [(place(t), v) for s in statements(scope) for t, v in assigned_pairs(s)]
    for name, value in bound:
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or name is None:
            continue
        whole = place(value.func.value) if value.func.attr == _SPLIT else None
        if whole is None or _read_parts(name, bound, scope) != {"test"}:
            continue
        if any(n in (whole, whole.partition("[")[0]) and _is_later(v, value) for n, v in bound):
            continue
        for other, rows in bound:
            inner = _unmapped(rows)
            if other and roles.is_training_name(other) and place(inner) == whole and _is_later(rows, value):
                yield Overlap(rows, other, "", None, inner, value, told=(other,))


def _read_parts(name: str, bound: list[tuple[str | None, Node]], scope: FunctionScope) -> set[Constant]:
    """The keys by which a place is read; None where it is as a whole. What is bound to an unread name is not read."""
    nodes = [n for s in scope.body for n in walk(s)]
    keys = {
        id(n.value): (n.slice.value, id(n))
        for n in nodes
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)
    }
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    found = [keys.get(id(n), (None, 0)) for n in uses]
    taken = {subscript for _, subscript in found}
    idle = {id(v) for n, v in bound if id(v) in taken and n is not None and not is_read(n, scope)}
    return {key for key, subscript in found if subscript not in idle}


def _is_later(node: Node, other: Node) -> bool:
    """Does an expression stand behind another one?"""
    return bool(node.lineno > other.lineno)


def _unmapped(node: Node) -> Node:
    """`rows` of `rows.map(f).shuffle()`: the same rows, each turned into something."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("map", "shuffle", "with_format", "remove_columns", "rename_column"):
            break
        node = node.func.value
    return node


def _loaded_whole(function: FunctionView) -> Iterator[Overlap]:
    """A loader for training reads all rows, while another one reads the part of them that was split off."""
    scope = function.scope
    loaders = [(n, c) for n, c in _loaders_in(function) if not loading.may_have_sampler(c)]
    training = [(n, c) for n, c in loaders if roles.is_training_name(n)]
    holding = [(n, c) for n, c in loaders if roles.is_held_out_name(n)] if training else []
    if not holding:
        return
    for call, whole in _divisions(function):
        parts = targets_of(call, scope)
        if not any(map(roles.is_held_out_name, parts)):
            continue
        if any(is_read(p, scope) for p in parts if roles.is_training_name(p)):
            continue
        spared = [(n, c) for n, c in holding if place(_rows_of(c)) in parts]
        if not spared:
            continue
        for name, loader in training:
            rows = _rows_of(loader)
            if place(rows) == place(whole) and not built_alike.has_name_rebound_between(rows, whole, scope):
                other, second = spared[0]
                yield Overlap(rows, name, other, second.node, rows, call, told=(name, other))


def _loaders_in(function: FunctionView) -> Iterator[tuple[str, Call]]:
    """The loaders that a function binds to a name, with their names."""
    called = "DataLoader" in function.module.calls_by_name and "DataLoader" in function.scope.called_names
    if not called:
        return
    for statement in statements(function.scope):
        for target, value in assigned_pairs(statement):
            if isinstance(value, ast.Call) and last_name(value.func) == "DataLoader" and place(target):
                yield place(target) or "", Call(value, function.frame)


def _rows_of(loader: Call) -> Node:
    """The rows that a loader is given, None if that is not known."""
    given = loader.argument("dataset")
    return given.node if given is not None else None


def _divisions(function: FunctionView) -> Iterator[tuple[Node, Node]]:
    """The calls of a function that divide rows at random, and the rows."""
    for node in function.scope.calls:
        given = Call(node, function.frame).argument("dataset") if last_name(node.func) == "random_split" else None
        if given is not None and place(given.node):
            yield node, given.node


def _built_of_whole(function: FunctionScope) -> Iterator[Overlap]:
    """The training rows that are built of a whole table, beside held-out rows that are built alike of a part of it,
    where nothing is built of the other part."""
    bound = [(place(t) or "", v) for s in statements(function) for t, v in assigned_pairs(s) if isinstance(v, ast.Call)]
    built: dict[str | None, list[tuple[str, ast.Call]]] = {}  # by what is read first
    read: dict[str | None, int] = {}  # the last line on which a call reads a place
    for name, call in bound:
        if call.args:
            built.setdefault(place(call.args[0]), []).append((name, call))
        for inner in (n for a in call.args for n in walk(a)):
            read[place(inner)] = max(call.lineno, read.get(place(inner), 0))
    for split, whole, train, held in _splits_in_two(function):
        if read.get(train, 0) > split.lineno:
            continue
        later = [[(n, c) for n, c in built.get(of, ()) if c.lineno > split.lineno] for of in (held, place(whole))]
        holding = [(n, c) for n, c in later[0] if roles.is_held_out_name(n)]
        if not holding:
            continue
        for name, call in later[1]:
            rows = call.args[0]
            if not roles.is_training_name(name) or topics.is_about(name, Topic.WHOLE):
                continue
            for other, second in holding:
                if last_name(second.func) == last_name(call.func) and not built_alike.has_name_rebound_between(
                    rows, whole, function
                ):
                    yield Overlap(rows, name, other, second.args[0], rows, split)


def _splits_in_two(function: FunctionScope) -> Iterator[tuple[ast.Call, Node, str, str]]:
    """The splits of one table into two names: the call, the table, and the names of its parts."""
    for statement in statements(function):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=[first, second])], value=ast.Call(args=[whole]) as split):
                if last_name(split.func) == _SPLIT and place(whole) and place(first) and place(second):
                    yield split, whole, place(first) or "", place(second) or ""
