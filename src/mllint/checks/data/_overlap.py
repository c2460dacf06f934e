"""Are some of the rows that are held out among those that are trained on?

Two slices of one sequence overlap for certain where they begin or end together, or by their numbers; a slice lies in
the whole. And where rows were divided, the training part lies unused while the loader for training reads the whole.
How far two computed bounds are apart nobody can tell: of those nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.pattern import Pattern
from mllint.rule import Finding, Note
from mllint.semantics.api import (
    Call,
    Function,
    Site,
    alike,
    assigned,
    last_name,
    loading,
    place,
    reaching,
    roles,
    statements,
    targets_of,
    text,
    unread,
    walk,
)

__all__ = ["divided_for_nothing", "overlapping", "split_for_nothing"]

_INDICES = Pattern("idx|ind$|inds$|index|indices|order|perm|(^|_)[xy](_|$)")
_WHOLE = Pattern("full|all|whole|both|total")
_BY_INDEX = ("Subset", "SubsetRandomSampler")
_SMALL_PART = 0.05  # of the training rows: as much may lie before a test part on purpose, as a window does


def overlapping(function: Function) -> Iterator[Finding]:
    """Slices that are bound as training rows and as held-out rows, and share some."""
    scope = function.scope
    if isinstance(scope.node, ast.Lambda) or not any(map(roles.is_training_name, scope.bindings)):
        return
    pairs = [p for s in statements(scope) if isinstance(s, (ast.Assign, ast.AnnAssign)) for p in alike.values_of(s)]
    training = [
        (n, v, c)
        for n, v in pairs
        if roles.is_training_name(n) and not _WHOLE.search(n.lower()) and (c := _choice(v)) is not None
    ]
    holding = (
        [(n, v, c) for n, v in pairs if roles.is_held_out_name(n) and (c := _choice(v)) is not None] if training else []
    )
    yield from _built_of_all(pairs, function)
    for name, value, rows in training:
        if holding and _shown(name, scope):
            continue
        for other, second, spared in holding:
            said = (
                alike.is_data(name, value) or alike.is_data(other, second) or any(map(_indexes, (name, _sliced(rows))))
            )
            if not _overlap(rows, spared) or not said:
                continue
            if alike.bound_anew(second, value, scope) or any(alike.changed(n, scope) for n in (name, other)):
                continue
            message = f"`{name}` takes rows that `{other}` holds out"
            notes = [Note(Site(function.module, spared), "held out")]
            yield Finding(Site(function.module, rows), message, "trained on", notes)


def _shown(name: str, scope: Any) -> bool:
    """Are rows only printed, in the function that cuts them: `train_head = rows[:5]`, `print(train_head)`?"""
    if not name.isidentifier():
        return False
    nodes = [n for s in scope.body for n in walk(s)]
    printed = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ("print", "display")]
    inside = {id(n) for call in printed for n in walk(call)}
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return bool(uses) and all(id(n) in inside for n in uses)


def _indexes(name: str) -> bool:
    """Does a name say that it chooses rows: `train_idx`, `order`?"""
    return _INDICES.search(unread.words(name).lower())


def _sliced(rows: Any) -> str:
    """What a slice is cut out of."""
    return place(getattr(rows, "value", None)) or ""


def _built_of_all(pairs: list[tuple[str, Any]], function: Function) -> Iterator[Finding]:
    """Training data that is built of all rows, and held-out data of some: `make(x, y)` and `make(x[:n], y[:n])`."""
    made = [(n, v) for n, v in pairs if isinstance(v, ast.Call) and not any(isinstance(a, ast.Starred) for a in v.args)]
    for other, second in made:
        cut = [i for i, a in enumerate(second.args) if isinstance(a, ast.Subscript) and isinstance(a.slice, ast.Slice)]
        for name, first in made if cut and roles.is_held_out_name(other) else ():
            if (
                not roles.is_training_name(name)
                or _WHOLE.search(name.lower())
                or last_name(first.func) != last_name(second.func)
            ):
                continue
            if last_name(first.func) in _BY_INDEX:
                continue
            if len(first.args) != len(second.args) or not (alike.is_data(name, first) and alike.is_data(other, second)):
                continue
            if all(isinstance(first.args[i], ast.Name) and _overlap(first.args[i], second.args[i]) for i in cut):
                if not alike.bound_anew(second, first, function.scope) and not any(
                    alike.changed(n, function.scope) for n in (name, other)
                ):
                    message = f"`{name}` takes rows that `{other}` holds out"
                    notes = [Note(Site(function.module, second), "held out")]
                    yield Finding(Site(function.module, first), message, "trained on", notes)


def _choice(value: Any) -> Any:
    """The expression that chooses rows in what is bound: a slice, or the name of all of them; None without one."""
    if isinstance(value, (ast.Name, ast.Attribute)):
        return value
    slices = [n for n in walk(value) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)]
    if slices:
        return slices[0] if all(alike.written(n.slice) == alike.written(slices[0].slice) for n in slices) else None
    if isinstance(value, ast.Call) and last_name(value.func) in _BY_INDEX and value.args:
        if _bounds(value) is not None:
            return value
        return value.args[-1] if isinstance(value.args[-1], (ast.Name, ast.Attribute)) else None
    return None


def _overlap(rows: Any, spared: Any) -> bool:
    """Do rows that are trained on and a slice of held-out rows share some for certain?"""
    first, second = _bounds(rows), _bounds(spared)
    if first is not None and second is not None:
        low, high, second_low, second_high = (_number(b) for b in (*first[1:], *second[1:]))
        if first[0] != second[0] or low is None or high is None or second_low is None or second_high is None:
            return False
        return _numbers_overlap(low, high, second_low, second_high)
    if not isinstance(spared, ast.Subscript):
        return False
    if not isinstance(rows, ast.Subscript):
        return place(rows) is not None and place(rows) == place(spared.value)
    one: Any = rows.slice
    two: Any = spared.slice
    if alike.written(rows.value) != alike.written(spared.value) or alike.written(one) == alike.written(two):
        return False
    if one.step is not None or two.step is not None:
        return False
    numbers = [_number(b) for b in (one.lower, one.upper, two.lower, two.upper)]
    if all(n is not None for n in numbers):
        return _numbers_overlap(*numbers)  # type: ignore[arg-type]  # none of them is None
    if one.lower is not None and two.lower is not None and alike.written(one.lower) == alike.written(two.lower):
        return True
    ends = [b.upper for b in (one, two)]
    if ends[0] is None or ends[1] is None:
        return ends[0] is ends[1]
    return alike.written(ends[0]) == alike.written(ends[1]) and not (one.lower is None and two.lower is None)


def _bounds(value: Any) -> tuple[str, Any, Any] | None:
    """What is cut, and from where to where, in `Subset(rows, range(0, 800))`; None of anything else."""
    match value:
        case ast.Call(args=[rows, ast.Call(func=ast.Name(id="list"), args=[ast.Call() as numbers])]):
            pass
        case ast.Call(args=[rows, ast.Call() as numbers]):
            pass
        case _:
            return None
    if last_name(value.func) not in _BY_INDEX or last_name(numbers.func) not in ("range", "arange"):
        return None
    given = numbers.args
    return (alike.written(rows), given[0] if len(given) == 2 else None, given[-1]) if len(given) in (1, 2) else None


_OPEN = 1 << 60


def _number(bound: Any) -> float | None:
    """A constant bound; an absent one is open, one that is computed None."""
    if bound is None:
        return _OPEN
    if isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub):
        bound, sign = bound.operand, -1
    else:
        sign = 1
    known = isinstance(bound, ast.Constant) and isinstance(bound.value, int)
    return sign * bound.value if known else None


def _numbers_overlap(low: float, high: float, second_low: float, second_high: float) -> bool:
    """Do two slices with constant bounds overlap by more than a window?"""
    low, second_low = (0 if n == _OPEN else n for n in (low, second_low))
    if all(n >= 0 for n in (low, high, second_low, second_high)):
        shared = min(high, second_high) - max(low, second_low)
        return shared > _SMALL_PART * (min(high, second_high) - low)
    if low == 0 and high < 0 and second_low < 0 and second_high == _OPEN:
        return second_low < high
    return False


# ------------------------------------------------------------------------------------------------- divided in vain
def split_for_nothing(function: Function) -> Iterator[Finding]:
    """`split = rows["train"].train_test_split()`, of which the test part is held out, while all rows are trained on."""
    scope = function.scope
    if "train_test_split" not in scope.called_names or isinstance(scope.node, ast.Lambda):
        return
    bound = [(place(t), v) for s in statements(scope) for t, v in assigned(s)]
    for name, value in bound:
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or name is None:
            continue
        whole = place(value.func.value) if value.func.attr == "train_test_split" else None
        if whole is None or _read_parts(name, bound, scope) != {"test"}:
            continue
        if any(n in (whole, whole.partition("[")[0]) and _later(v, value) for n, v in bound):
            continue
        for other, rows in bound:
            inner = _unmapped(rows)
            if roles.is_training_name(other) and place(inner) == whole and _later(rows, value):
                message = f"`{other}` reads all of `{text(function.module, inner)}`, also the rows that were split off"
                notes = [Note(Site(function.module, value), "divided here")]
                yield Finding(Site(function.module, rows), message, "all rows", notes)


def _read_parts(name: str, bound: list[tuple[str | None, Any]], scope: Any) -> set[Any]:
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
    idle = {id(v) for n, v in bound if id(v) in taken and n is not None and not unread.read(n, scope)}
    return {key for key, subscript in found if subscript not in idle}


def _later(node: Any, other: Any) -> bool:
    """Does an expression stand behind another one?"""
    return bool(node.lineno > other.lineno)


def _unmapped(node: Any) -> Any:
    """`rows` of `rows.map(f).shuffle()`: the same rows, each turned into something."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("map", "shuffle", "with_format", "remove_columns", "rename_column"):
            break
        node = node.func.value
    return node


def divided_for_nothing(function: Function) -> Iterator[Finding]:
    """A loader for training reads all rows, while another one reads the part of them that was split off."""
    loaders = [(n, c) for n, c in _loaders(function) if not loading.chosen_otherwise(c)]
    training = [(n, c) for n, c in loaders if roles.is_training_name(n)]
    holding = [(n, c) for n, c in loaders if roles.is_held_out_name(n)] if training else []
    for call, whole in _divisions(function) if holding else ():
        parts = targets_of(call, function.scope)
        if (
            not parts
            or not any(map(roles.is_held_out_name, parts))
            or any(_used(p, function) for p in parts if roles.is_training_name(p))
        ):
            continue
        spared = [(n, c) for n, c in holding if place(_rows(c)) in parts]
        for name, loader in training:
            rows = _rows(loader)
            if spared and place(rows) == place(whole) and not alike.bound_anew(rows, whole, function.scope):
                other, second = spared[0]
                message = f"`{name}` reads all of `{text(function.module, rows)}`, also what `{other}` measures on"
                notes = [Note(Site(function.module, call), "divided here"), Note(second, "held out")]
                yield Finding(Site(function.module, rows), message, "all rows", notes)


def _loaders(function: Function) -> Iterator[tuple[str, Call]]:
    """The loaders that a function binds to a name, with their names."""
    called = "DataLoader" in function.module.calls_by_name and "DataLoader" in function.scope.called_names
    for statement in statements(function.scope) if called else ():
        for target, value in assigned(statement):
            if isinstance(value, ast.Call) and last_name(value.func) == "DataLoader" and place(target):
                yield place(target) or "", Call(value, function.frame)


def _rows(loader: Call) -> Any:
    given = loader.argument("dataset")
    return given.node if given is not None else None


def _divisions(function: Function) -> Iterator[tuple[Any, Any]]:
    """The calls of a function that divide rows at random, and the rows."""
    for node in function.scope.calls:
        given = Call(node, function.frame).argument("dataset") if last_name(node.func) == "random_split" else None
        if given is not None and place(given.node):
            yield node, given.node


def _used(name: str, function: Function) -> bool:
    """Is a part read, but for its length?"""
    lengths = {id(a) for c in function.scope.calls if last_name(c.func) in ("len", "print") for a in c.args}
    loads = reaching(function.scope).at
    return any(
        place(n) == name and id(n) in loads and id(n) not in lengths and isinstance(n.ctx, ast.Load)
        for s in function.scope.body
        for n in walk(s)
        if isinstance(n, (ast.Name, ast.Attribute))
    )
