"""Which schedules still drive an optimizer that was replaced?

    scheduler = StepLR(optimizer, 30)
    optimizer = Adam(net.parameters())         # `find_stale_schedules`: the schedule holds the one before
    scheduler.step()

Asked of the construction of an optimizer that is kept in a place which held another one. In a function, the schedule is
older if it stands before, and it is left behind unless it is bound again below; a function that is handed it there may
advance it. In a class, one method builds the schedule and another one the optimizer, as `unfreeze()` does, which a
method calls, or anybody where `__init__` built the schedule; nothing is said if the schedule may be built again, or if
any other function stores one. An optimizer that was kept under another name may go on. What a function constructs and
gives back is kept by who calls it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER, SCHEDULER
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.iterations import are_in_different_branches
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.lineage import bindings_of, statements

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope

__all__ = ["LeftBehind", "find_stale_schedules"]

_STORING = frozenset("add append appendleft extend insert setdefault".split())
"""Methods by which a list, a set or a dictionary keeps what it is given."""


class LeftBehind(NamedTuple):
    """A schedule whose optimizer was replaced.

    Attributes:
        built: the construction of the schedule.
        tick: a call that advances it.
    """

    built: Call
    tick: Call


def find_stale_schedules(made: Call) -> Iterator[LeftBehind]:
    """The schedules that drive the optimizer before, in the place where a new one is kept.

    Args:
        made: the construction of the new optimizer.
    """
    yield from _left_where_kept(made)
    if made.function.name and _is_returned(made):
        for node, frame in made.project.callers(made.function):
            yield from _left_where_kept(Call(node, frame))


def _is_returned(made: Call) -> bool:
    """Does a function give back what it constructs, itself or by its name?"""
    names = {b.name for b in bindings_of(made.node, made.function) if not b.path}
    given = (s.value for s in statements(made.function) if isinstance(s, ast.Return))
    return any(value is made.node or (isinstance(value, ast.Name) and value.id in names) for value in given)


def _left_where_kept(made: Call) -> Iterator[LeftBehind]:
    """The same, where a function binds the new optimizer, by its construction or a call that gives it."""
    kept = next(iter(bindings_of(made.node, made.function)), None)
    if kept is None or not made.value.instance_of(OPTIMIZER) or _takes(made.node, kept.name):
        return
    around = _methods_around(made, kept)
    for function in around:
        for binding in _built_of(function).get(kept.name, ()):
            built = _schedule(binding, made, function)
            if built is not None and _stays(binding, kept, made, around):
                tick = next(_ticks(binding.name, around, made), None)
                if tick is not None and _is_used(kept.name, around):
                    yield LeftBehind(built, tick)


def _methods_around(made: Call, kept: Binding) -> list[FunctionScope]:
    """The functions that share a place: those of the class for an attribute of `self`, else the function itself."""
    owner = made.function.owner
    return list(owner.methods.values()) if owner is not None and kept.name.startswith("self.") else [made.function]


def _takes(node: ast.Call, name: str) -> bool:
    """Is the new optimizer built of the one before, as a wrapper is?"""
    return any(place(n) == name for argument in all_arguments(node) for n in walk(argument))


@cached_per_scope(local=True)
def _built_of(function: FunctionScope) -> dict[str, list[Binding]]:
    """What a function binds to the result of a call, by the places that the call is given."""
    found: dict[str, list[Binding]] = {}
    for binding in (b for bindings in function.bindings.values() for b in bindings):
        if binding.kind == "assign" and not binding.path and isinstance(binding.value, ast.Call):
            for name in {place(argument) for argument in all_arguments(binding.value)} - {None}:
                found.setdefault(name or "", []).append(binding)
    return found


def _schedule(binding: Binding, made: Call, function: FunctionScope) -> Call | None:
    """The construction that is bound, if it is one of a schedule."""
    built = Call(binding.value, made.project.frame(function))
    return built if built.value.instance_of(SCHEDULER) else None


def _stays(schedule: Binding, optimizer: Binding, made: Call, around: list[FunctionScope]) -> bool:
    """Is a schedule older than an optimizer, and the only one that its place ever holds afterwards?"""
    if len(around) == 1 and around[0] is made.function:
        return _stays_in_function(schedule, optimizer, made)
    builder, own = next(f for f in around if f is schedule.scope), made.function
    others = [b for f in around for b in f.bindings.get(schedule.name, ()) if not _is_none(b)]
    if builder is own or own.name == "__init__" or len(others) != 1 or own.name in builder.called_names:
        return False
    callers = [f for f in around if own.name in f.called_names]
    called = callers or (builder.name == "__init__" and any(True for _ in made.project.calls_named(own.name)))
    if any(builder.name in f.called_names for f in (own, *callers)) or not called:
        return False
    return not _is_stored_elsewhere(schedule.name, around, made)


def _stays_in_function(schedule: Binding, optimizer: Binding, made: Call) -> bool:
    first, last = schedule.node.lineno, optimizer.node.lineno
    bindings = made.function.bindings
    if first >= last or any(b.node.lineno > first for b in bindings[schedule.name]):
        return False
    if are_in_different_branches(made.function, schedule.node, optimizer.node):
        return False
    kept = [_kept_by(b.value) for found in bindings.values() for b in found if b.kind == "assign"]
    kept += [node.args for node in made.function.calls if last_name(node.func) in _STORING]
    return not any(place(n) == optimizer.name and n.lineno <= last for nodes in kept for n in nodes)


def _kept_by(value: Node) -> Sequence[ast.expr]:
    """What an assignment keeps as it is: a name, or the elements of a list."""
    return value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value] if isinstance(value, ast.expr) else []


def _is_none(binding: Binding) -> bool:
    return isinstance(binding.value, ast.Constant) and binding.value.value is None


def _is_stored_elsewhere(name: str, around: list[FunctionScope], made: Call) -> bool:
    """Does a function outside of the class store something under the name of an attribute: `engine.scheduler = ...`?"""
    attribute = name.rpartition(".")[2]
    own = {id(function) for function in around}
    return any(
        bound.endswith(f".{attribute}")
        for module in made.project.modules
        if attribute in module.source.names()
        for function in module.functions
        if id(function) not in own
        for bound in function.bindings
    )


def _ticks(schedule: str, around: list[FunctionScope], made: Call) -> Iterator[Call]:
    """The calls that advance a schedule after the construction, in a function or a class, or in a function that is
    handed the schedule there."""
    alone = len(around) == 1 and around[0] is made.function
    for function in around:
        for node in function.calls:
            if alone and node.lineno <= made.node.lineno:
                continue
            if place(node.func) == f"{schedule}.step":
                yield Call(node, made.project.frame(function))
            elif any(place(argument) == schedule for argument in all_arguments(node)):
                yield from _ticks_of_parameter(schedule, Call(node, made.project.frame(function)))


def _ticks_of_parameter(schedule: str, call: Call) -> Iterator[Call]:
    """The calls in a function that advance the schedule that a call hands it."""
    for function in call.callees:
        bound = bind(function, call.node, call.frame)[0]
        names = {n for n, given in bound.items() if isinstance(given, Passed) and place(given.node) == schedule}
        for node in function.calls:
            if any(place(node.func) == f"{name}.step" for name in names):
                yield Call(node, call.project.frame(function))


def _is_used(optimizer: str, around: list[FunctionScope]) -> bool:
    """Does a call step an optimizer, or hand it to what does?"""
    calls = [node for function in around for node in function.calls]
    return any(place(c.func) == f"{optimizer}.step" or any(place(a) == optimizer for a in c.args) for c in calls)
