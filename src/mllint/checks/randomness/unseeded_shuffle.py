"""Chance decides which rows are held out, and nothing in the program fixes it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any

from mllint.rule import Finding, Options, check
from mllint.semantics.api import (
    Call,
    FunctionScope,
    Topic,
    effect_of,
    last_name,
    place,
    random_splits,
    seeds,
    splits,
    topics,
    usage,
    walk,
)
from mllint.semantics.api import seeds as seeds_domain

__all__: list[str] = []

_SPLITTING = ("train_test_split", "random_split", "split")
_DRAWING = "train_test_split random_split split shuffle permutation randperm sample choice rand random uniform"


@check("unseeded-shuffle", calls=_DRAWING)
def unseeded_shuffle(call: Call, options: Options) -> Iterator[Finding]:
    """Chance decides which rows are held out, and nothing in the program fixes it."""
    divides = random_splits.decides_parts(call)
    if not divides and (call.last_name not in _SPLITTING or not splits.may_split(call)):
        return
    stream = seeds.drawn_stream(call)
    if stream is None or seeds_domain.is_test_code(call.module) or _drawn_once(call) or _only_shown(call):
        return
    if not divides and not any(effect_of(f, "splits") for f in call.callees):
        return
    reached = seeds_domain.programs(call.function, call.project)
    known = options["seeding-functions"]
    if not reached or any(_seeded(call, program.body, stream, known) for program in reached):
        return
    other = {"numpy": "torch", "torch": "numpy"}.get(stream, "")
    elsewhere = bool(other) and any(seeds_domain.seeding_calls(program, other, call.project) for program in reached)
    tail = f" (only {other} is)" if elsewhere else ""
    yield Finding(
        call,
        f"`{call.last_name}` draws from {_LIBRARY[stream]}, which is unseeded{tail}: every run holds out other samples",
        "different samples in every run",
        certain=not (usage.is_split_unused(call) or usage.is_only_loaded(call) or _stored(call) or _repeated(call)),
    )


def _stored(call: Call) -> bool:
    """Are the parts written to files, which later runs read?"""
    bound = [b for found in call.function.bindings.values() for b in found if b.value is not None]
    names = {b.name for b in bound if b.value is call.node or _listed(b.value, call.node)}
    writes = _writes(call.function)
    if names and all(any(place(n) == name for c in writes for n in walk(c)) for name in names):
        return True
    callers = [frame.function for _, frame in call.project.callers(call.function)]
    files = [call.module, *(f.module for f in callers)]
    if any(word in module.calls_by_name for module in files for word in _TRAINING):
        return False
    return bool(callers) and all(map(_writes, callers))  # a script that prepares data


def _listed(value: Any, node: Any) -> bool:
    """Is a value `list(folds.split(rows))`, all parts at once?"""
    return isinstance(value, ast.Call) and last_name(value.func) in ("list", "tuple") and value.args[:1] == [node]


def _writes(function: FunctionScope) -> list[ast.Call]:
    """The calls of a function that write files."""
    return [
        c for c in function.calls if topics.is_about(last_name(c.func), Topic.WRITING) or last_name(c.func) in _WRITES
    ]


_TRAINING = ("fit", "backward", "train", "manual_backward", "minimize", "apply_gradients", "gradient")
_WRITES = ("push_to_hub", "to_csv", "to_parquet", "to_pickle", "to_json", "to_feather", "to_hdf")


def _repeated(call: Call) -> bool:
    """Is it drawn again and again from the same rows, by a count, so that chance is averaged out?"""
    for run in call.function.loops:
        if isinstance(run.node, ast.For) and any(n is call.node for s in run.node.body for n in walk(s)):
            counted = isinstance(run.node.iter, ast.Call) and last_name(run.node.iter.func) in ("range", "trange")
            names = {n.id for n in walk(run.node.target) if isinstance(n, ast.Name)}
            if counted and not any(isinstance(n, ast.Name) and n.id in names for n in walk(call.node)):
                return True
    return False


def _only_shown(call: Call) -> bool:
    """Are the parts, and the loaders of them, given to nothing but what draws or prints them?"""
    shuffled = place(call.node.args[0]) if call.last_name == "shuffle" and call.node.args else None
    names: set[str] = {shuffled} if shuffled is not None else set()
    shown = False
    for _ in range(3):  # what is shuffled, the parts, and what is made of them
        for name, found in call.function.bindings.items():
            if any(b.value is call.node or _of_parts(b.value, names) for b in found):
                names.add(name)
    for other in call.function.calls:
        given = (*other.args, *(k.value for k in other.keywords))
        if (
            other is not call.node
            and not _of_parts(other, names)
            and any(place(n) in names for a in given for n in walk(a))
        ):
            if not topics.is_about(last_name(other.func), Topic.SHOWING):
                return False
            shown = True
    return shown and not call.function.returns and not any("." in str(name) for name in names)


def _of_parts(value: Any, names: Collection[Any]) -> bool:
    """Is it a loader of a part, `DataLoader(train_set)`, or a part: `rows[:80]`, `Subset(dataset, rows)`?"""
    if isinstance(value, ast.Subscript):
        return place(value.value) in names
    loads = isinstance(value, ast.Call) and last_name(value.func) in ("DataLoader", "Subset", "len", "iter")
    return loads and any(place(a) in names for a in value.args)


def _drawn_once(call: Call) -> bool:
    """Is it drawn where a file is missing, and written down there, so that later runs read it?"""
    for test in (n for n in walk(call.function.node) if isinstance(n, ast.If)):
        if any(isinstance(n, ast.Call) and last_name(n.func) in _ASKING for n in walk(test.test)):
            for branch in (test.body, test.orelse):
                calls = [n for s in branch for n in walk(s) if isinstance(n, ast.Call)]
                if any(c is call.node for c in calls) and any(
                    topics.is_about(last_name(c.func), Topic.WRITING) for c in calls
                ):
                    return True
    return False


_ASKING = ("exists", "isfile", "is_file", "isdir", "is_dir")
_LIBRARY = {"torch": "torch", "numpy": "numpy", "random": "random", "os": "fresh entropy"}


def _seeded(call: Call, program: Any, stream: str, known: Collection[str]) -> bool:
    """Does the program seed the stream, other than after the call in the same function?"""
    for seed, scope in seeds_domain.seeding_calls(program.module, stream, call.project, call.module, known=known):
        late = scope is call.function and seed.lineno > call.node.lineno
        if not late and not entered_later(scope, call) and not _comes_later(seed, scope, call):
            return True
    return False


def _comes_later(seed: Any, scope: Any, call: Call) -> bool:
    """Is there one function through which both are reached, once each, and the call before the seed?"""
    if not isinstance(scope, FunctionScope):
        return False
    seeds = {id(f): node for f, node in _way(scope, seed, call.project)}
    for function, node in _way(call.function, call.node, call.project):
        other = seeds.get(id(function))
        if other is not None:
            first, last = node.lineno, other.end_lineno or other.lineno
            within = ((r.node.lineno, r.node.end_lineno or first) for r in function.loops)
            return first < other.lineno and not any(a <= first and last <= b for a, b in within)
    return False


def _way(function: FunctionScope, node: Any, project: Any) -> Iterator[tuple[FunctionScope, Any]]:
    """A place, and the only call that leads there, and the only one that leads to that one."""
    for _ in range(6):
        yield function, node
        callers = project.callers(function)
        if function.is_body or len(callers) != 1 or project.passed_around(function):
            return
        node, function = callers[0][0], callers[0][1].function


def entered_later(scope: Any, call: Call) -> bool:
    """Is a function of the program entered from the function of a call only, and only below the call?"""
    if not isinstance(scope, FunctionScope) or scope.is_body or scope.owner is not None or scope is call.function:
        return False
    calls = call.project.calls_named(scope.name)
    late = all(f is call.function and node.lineno > call.node.lineno for node, f in calls)
    return bool(calls) and late and not call.project.passed_around(scope)
