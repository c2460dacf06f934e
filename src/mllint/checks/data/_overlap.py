"""Are some of the rows that are held out among those that are trained on?

Two slices of one sequence overlap for certain where they begin or end together, or by their numbers; a slice lies in
the whole. And where rows were divided, the training part lies unused while the loader for training reads the whole.
How far two computed bounds are apart nobody can tell: of those nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding, Note
from mllint.semantics.api import (
    Function,
    Site,
    Topic,
    alike,
    assigned,
    last_name,
    loading,
    place,
    roles,
    shared_rows,
    statements,
    targets_of,
    text,
    topics,
)

__all__ = ["divided_for_nothing", "overlapping", "split_for_nothing"]


def overlapping(function: Function) -> Iterator[Finding]:
    """Slices that are bound as training rows and as held-out rows, and share some."""
    scope = function.scope
    if isinstance(scope.node, ast.Lambda) or not any(map(roles.is_training_name, scope.bindings)):
        return
    pairs = [p for s in statements(scope) if isinstance(s, (ast.Assign, ast.AnnAssign)) for p in alike.values_of(s)]
    training = [
        (n, v, c)
        for n, v in pairs
        if roles.is_training_name(n)
        and not topics.is_about(n, Topic.WHOLE)
        and (c := shared_rows.choice(v)) is not None
    ]
    holding = (
        [(n, v, c) for n, v in pairs if roles.is_held_out_name(n) and (c := shared_rows.choice(v)) is not None]
        if training
        else []
    )
    yield from _built_of_all(pairs, function)
    for name, value, rows in training:
        if holding and shared_rows.only_printed(name, scope):
            continue
        for other, second, spared in holding:
            said = (
                alike.is_data(name, value)
                or alike.is_data(other, second)
                or any(map(shared_rows.indexes, (name, shared_rows.sliced(rows))))
            )
            if not shared_rows.share_rows(rows, spared) or not said:
                continue
            if alike.bound_anew(second, value, scope) or any(alike.changed(n, scope) for n in (name, other)):
                continue
            message = f"`{name}` takes rows that `{other}` holds out"
            notes = [Note(Site(function.module, spared), "held out")]
            yield Finding(Site(function.module, rows), message, "trained on", notes)


def _built_of_all(pairs: list[tuple[str, Any]], function: Function) -> Iterator[Finding]:
    """Training data that is built of all rows, and held-out data of some: `make(x, y)` and `make(x[:n], y[:n])`."""
    made = [(n, v) for n, v in pairs if isinstance(v, ast.Call) and not any(isinstance(a, ast.Starred) for a in v.args)]
    for other, second in made:
        cut = [i for i, a in enumerate(second.args) if isinstance(a, ast.Subscript) and isinstance(a.slice, ast.Slice)]
        for name, first in made if cut and roles.is_held_out_name(other) else ():
            if (
                not roles.is_training_name(name)
                or topics.is_about(name, Topic.WHOLE)
                or last_name(first.func) != last_name(second.func)
            ):
                continue
            if last_name(first.func) in shared_rows.BY_INDEX:
                continue
            if len(first.args) != len(second.args) or not (alike.is_data(name, first) and alike.is_data(other, second)):
                continue
            if all(
                isinstance(first.args[i], ast.Name) and shared_rows.share_rows(first.args[i], second.args[i])
                for i in cut
            ):
                if not alike.bound_anew(second, first, function.scope) and not any(
                    alike.changed(n, function.scope) for n in (name, other)
                ):
                    message = f"`{name}` takes rows that `{other}` holds out"
                    notes = [Note(Site(function.module, second), "held out")]
                    yield Finding(Site(function.module, first), message, "trained on", notes)


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
        if whole is None or shared_rows.read_parts(name, bound, scope) != {"test"}:
            continue
        if any(n in (whole, whole.partition("[")[0]) and shared_rows.is_later(v, value) for n, v in bound):
            continue
        for other, rows in bound:
            inner = shared_rows.unmapped(rows)
            if roles.is_training_name(other) and place(inner) == whole and shared_rows.is_later(rows, value):
                message = f"`{other}` reads all of `{text(function.module, inner)}`, also the rows that were split off"
                notes = [Note(Site(function.module, value), "divided here")]
                yield Finding(Site(function.module, rows), message, "all rows", notes)


def divided_for_nothing(function: Function) -> Iterator[Finding]:
    """A loader for training reads all rows, while another one reads the part of them that was split off."""
    loaders = [(n, c) for n, c in shared_rows.loaders_in(function) if not loading.chosen_otherwise(c)]
    training = [(n, c) for n, c in loaders if roles.is_training_name(n)]
    holding = [(n, c) for n, c in loaders if roles.is_held_out_name(n)] if training else []
    for call, whole in shared_rows.divisions(function) if holding else ():
        parts = targets_of(call, function.scope)
        if (
            not parts
            or not any(map(roles.is_held_out_name, parts))
            or any(shared_rows.is_used(p, function) for p in parts if roles.is_training_name(p))
        ):
            continue
        spared = [(n, c) for n, c in holding if place(shared_rows.rows_of(c)) in parts]
        for name, loader in training:
            rows = shared_rows.rows_of(loader)
            if spared and place(rows) == place(whole) and not alike.bound_anew(rows, whole, function.scope):
                other, second = spared[0]
                message = f"`{name}` reads all of `{text(function.module, rows)}`, also what `{other}` measures on"
                notes = [Note(Site(function.module, call), "divided here"), Note(second, "held out")]
                yield Finding(Site(function.module, rows), message, "all rows", notes)
