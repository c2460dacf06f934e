"""Which optimizers and schedules are built here, and have they a state that a resumed run needs?

    optimizer = Adam(net.parameters())               # `find_constructions`
    schedule = StepLR(optimizer, 30)                 # its count of epochs is a state

A schedule that a loop steps forward to where it stopped, or that is given the epoch, misses no state. Whether anything
loads the state is asked of `restoring`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ModuleView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import all_arguments, last_name, place, walk
from mllint.semantics.syntax.words import last_part, words
from mllint.semantics.training.checkpoints.restoring import is_called_on, is_restored
from mllint.semantics.training.checkpoints.resuming import Stateful, receiver_name
from mllint.semantics.training.optimizers.constructions import keeps_state
from mllint.semantics.training.roles import Role, speaks_of
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.lineage import bindings_of, statements
from mllint.semantics.values.values import ClassValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import Scope

__all__ = [
    "are_unrelated", "find_constructions", "find_outer_constructions", "has_resumable_state", "is_later_replacement",
    "is_run_by_other_scheduler",
]  # fmt: skip

_EXPONENTIAL = "torch.optim.lr_scheduler.ExponentialLR"
_STEPPING = frozenset(("step", "minimize", "prepare"))


def find_constructions(module: ModuleView, kind: Stateful) -> Iterator[Call]:
    """The constructions of optimizers, or of schedules, in the file."""
    for call in module.calls():
        name = call.last_name
        if name[:1].islower() and not _may_make(name):
            continue
        if isinstance(call.callee, ClassValue) and call.callee.is_class(kind.value):
            yield call


def _may_make(name: str) -> bool:
    """May a name in small letters stand for a class of optimizers or schedules: `opt_cls(...)`? Asked for speed."""
    return speaks_of(name, Role.OPTIMIZER, Role.SCHEDULE) or not {"cls", "class"}.isdisjoint(words(name))


def find_outer_constructions(module: ModuleView, kind: Stateful) -> list[Call]:
    """The constructions, in other files, of the one optimizer that is stepped in a file which builds none."""
    found: dict[int, Call] = {}
    for step in module.calls("step"):
        if speaks_of(receiver_name(step.node), kind.role) and step.receiver is not None:
            for value in step.receiver.alternatives:
                built = value.built_with if value.instance_of(kind.value) else None
                if built is None or not isinstance(built.node, ast.Call):
                    return []
                found[id(built.node)] = Call(built.node, built.frame)
    return [] if len(found) > 1 or any(map(_is_passed_to_unknown, found.values())) else list(found.values())


def _is_passed_to_unknown(made: Call) -> bool:
    """Does an unknown call get the object where it is built?"""
    bound = {b.name for b in bindings_of(made.node, made.function)}
    for node in made.function.calls:
        given = (*node.args, *(k.value for k in node.keywords))
        if any(place(a) in bound for a in given) and Call(node, made.frame).callee.is_unknown:
            return True
    return not bound


def is_run_by_other_scheduler(call: Call, kind: Stateful) -> bool:
    """Is a schedule handed to one that runs it, and keeps its state?"""
    if kind is not Stateful.SCHEDULE:
        return False
    names = {b.name for b in bindings_of(call.node, call.function)}
    for node in call.function.calls:
        inside = [n for a in (*node.args, *(k.value for k in node.keywords)) for n in walk(a)]
        if node is not call.node and any(n is call.node or place(n) in names for n in inside):
            if Call(node, call.frame).callee.is_class(Stateful.SCHEDULE.value):
                return True
    return False


def has_resumable_state(call: Call, kind: Stateful, module: ModuleView) -> bool:
    """Has it a state that a resumed run needs?"""
    value = call.value
    if kind is Stateful.OPTIMIZER:
        return keeps_state(value) and _may_step(call)
    if any(name.endswith(".last_epoch") for scope in call.module.functions for name in scope.bindings):
        return False  # it is set by hand
    if value.instance_of(_EXPONENTIAL) and is_restored(module, Stateful.OPTIMIZER, None):
        return False  # goes on from the rate that the state of the optimizer holds
    return (
        constructor_argument(value, "last_epoch") is None
        and not _is_rebuilt_with_last_epoch(call)
        and _is_stepped_without_epoch(call)
    )


def _may_step(made: Call) -> bool:
    """May anybody take a step with an optimizer: its file, or what it is handed to? Without one it has no state."""
    names = {last_part(n) for n, found in made.function.bindings.items() if any(b.value is made.node for b in found)}
    kept = not names or any("." in n for n in made.function.bindings if last_part(n) in names)
    if kept or not _STEPPING.isdisjoint(made.module.calls_by_name):
        return True  # an attribute may be stepped anywhere
    given = (
        c for c in made.function.calls if any(n in names for a in all_arguments(c) for n in map(last_name, walk(a)))
    )
    calls = [Call(c, made.frame) for c in given if c is not made.node]
    return any(not c.callees or any(not _STEPPING.isdisjoint(f.module.calls_by_name) for f in c.callees) for c in calls)


def _is_rebuilt_with_last_epoch(call: Call) -> bool:
    """Is the schedule replaced by one that is given the point to continue from?"""
    found = [bindings for bindings in call.function.bindings.values() if any(b.value is call.node for b in bindings)]
    built = (b.value for bindings in found for b in bindings if isinstance(b.value, ast.Call))
    return any(k.arg == "last_epoch" for other in built for k in other.keywords)


def _is_stepped_without_epoch(call: Call) -> bool:
    """Is the schedule advanced without being given the epoch?"""
    ticks = [
        Call(node, call.frame)
        for node, scope in call.module.calls_by_name.get("step", ())
        if not are_unrelated(call.function, scope)
        and (
            speaks_of(receiver_name(node), Role.SCHEDULE) or is_called_on(node, scope, Stateful.SCHEDULE, call.project)
        )
    ]
    return bool(ticks) and not any(c.arguments or _is_in_catch_up_loop(c) for c in ticks)


def _is_in_catch_up_loop(tick: Call) -> bool:
    """Does a loop do nothing but advance the schedule: `for _ in range(start): schedule.step()`?"""
    loops = (s for s in statements(tick.function) if isinstance(s, (ast.For, ast.While)))
    bodies = ([getattr(s, "value", None) for s in loop.body] for loop in loops)
    return any(b[-1] is tick.node and all(last_name(getattr(n, "func", None)) == "step" for n in b) for b in bodies)


def is_later_replacement(made: Call, first: Call) -> bool:
    """Is it built later in the run, in place of another one: an optimizer with a lower rate?"""
    if made.node is first.node or made.function is not first.function or made.node.lineno < first.node.lineno:
        return False
    bindings = made.function.bindings.values()
    return any(
        any(b.value is made.node for b in found) and any(b.value is first.node for b in found) for found in bindings
    )


def are_unrelated(one: FunctionScope, other: Scope) -> bool:
    """Are they methods of two classes that are no ancestors of each other? `self.scheduler` is then another object."""
    first, second = one.owner, other.owner if isinstance(other, FunctionScope) else None
    if first is None or second is None or first is second:
        return False
    return first not in mro(second) and second not in mro(first)
