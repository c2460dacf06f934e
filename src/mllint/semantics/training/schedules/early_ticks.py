"""Does a schedule tick before its optimizer has stepped for the first time?

    for epoch in range(90):
        schedule.step()           # `find_early_ticks`: the first value of the schedule is skipped
        for x, y in loader:
            ...
            optimizer.step()

Building a schedule sets its first value, so the first tick belongs behind the first step. A tick in the constructor
that builds the schedule is as early (`find_ticks_in_constructor`), if the training of the class ticks again.

What makes it unknown: a tick that is given the epoch, or that not every way to the step takes; an optimizer that
something unknown holds on the way, or a state that may be restored; steps of which several make one. Nothing is skipped
of a plateau, and of a schedule that is told where it stands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import RestoresState, Ticks
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import SCHEDULER
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import last_name, place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training import identity, roles
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.gradients import accumulation
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.roles import Role
from mllint.semantics.training.schedules import ticks
from mllint.semantics.training.schedules.units import PLATEAU, built_by, has_initial_value
from mllint.semantics.values.classes import constructor_argument

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import ModuleScope
    from mllint.semantics.values.values import Value

__all__ = ["Early", "find_early_ticks", "find_ticks_in_constructor"]

_STARTING = frozenset({"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts"})
"""Schedules whose first value is the rate of the optimizer."""


class Early(NamedTuple):
    """A tick that comes before the first step of its optimizer."""

    tick: Event
    step: Event
    is_superfluous: bool
    """Whether the schedule is built above it, and no loop repeats it."""
    skips: Answer[bool]
    """Whether a first value is skipped at all."""


def find_early_ticks(flow: Flow) -> Iterator[Early]:
    """The ticks of a flow before which the optimizer has never stepped, each with the step that follows."""
    if flow.frame.project.before("torch", "1.1", flow.root.module):
        return  # there a schedule sets nothing before its first tick
    for tick, values in (*ticks.ticks(flow), *_ticks_by_name(flow)):
        if ticks.is_given_epoch(tick) or _is_positioned(tick) or any(map(_skips_nothing, values)):
            continue
        step = _step_behind(tick, values, flow)
        if step is not None:
            built = [built_by(value, tick.frame) for value in values] if not tick.loops else []
            above = any(call is not None and call.function is tick.function for call in built)
            yield Early(tick, step, above, has_initial_value(values))


def _step_behind(tick: Event, values: list[Value], flow: Flow) -> Event | None:
    """The step of the optimizer that follows a tick, if none can come before it."""
    steps = ticks.steps_of(flow, tick)
    if any(place(a) == tick.function.name for s in steps if isinstance(s.call, ast.Call) for a in s.call.args):
        return None  # in the closure, which the step runs
    near = [s for s in steps if s.loops[: len(tick.loops)] == tick.loops]
    if not near or not ticks.is_unconditional(tick, near):
        return None
    if any(accumulation.window(s, tick) is not None for s in near):
        return None
    if not tick.loops and not all(v.class_name in _STARTING for v in values):
        return None
    restored = [e for e in flow.events(RestoresState) if _may_restore(e, tick)]
    held = [e for e in flow.events("unknown") if any(_gets(e, s) for s in near) and not _makes_schedule(e)]
    if any(flow.path(s, to=tick, back=False) for s in steps):
        return None
    step = next((s for s in near if flow.path(tick, to=s, back=False)), None)
    # without a file nothing is restored, and that is told by an error
    if step is None or not flow.path(flow.entry, to=tick, avoiding=(*steps, *restored, *held), raising=bool(restored)):
        return None
    return step


def find_ticks_in_constructor(flow: Flow) -> Iterator[tuple[Site, Event]]:
    """`self.scheduler.step()` in the `__init__` that builds it, of the class whose training advances it again: each
    call, and the step of the optimizer that comes later."""
    owner = flow.root.owner
    init = owner.methods.get("__init__") if owner is not None else None
    if init is None or "step" not in init.called_names or init.stubbed:
        return
    again = {place(e.call.func.value): e for e in flow.events(Ticks) if e.call is not None and e.loops}
    plain = {id(s.value) for s in init.body if isinstance(s, ast.Expr)}
    frame = flow.frame.project.frame(init)
    for call in (c for c in init.calls if last_name(c.func) == "step"):
        receiver, name = Call(call, frame).receiver, place(getattr(call.func, "value", None))
        if receiver is None or not receiver.instance_of(SCHEDULER):
            return  # perhaps the optimizer, before it
        plainly = id(call) in plain and not call.args and not call.keywords
        if not plainly or any(v.class_name not in _STARTING or _skips_nothing(v) for v in receiver.alternatives):
            continue
        step = next(iter(ticks.steps_of(flow, again[name])), None) if name in again else None
        if step is not None and not ticks.is_given_epoch(again[name]):
            yield Site(init.module, call), step


def _may_restore(event: Event, tick: Event) -> bool:
    """Whether what is restored may be the schedule of a tick, perhaps as one of several in a loop."""
    func = event.call.func if isinstance(event.call, ast.Call) else None
    if isinstance(func, ast.Attribute) and event.subject.same_as(tick.subject) is not True:
        return identity.may_be(func.value, event.frame, tick.subject, Role.SCHEDULE)
    return event.subject.same_as(tick.subject) is not False


def _gets(event: Event, step: Event) -> bool:
    """Is the optimizer itself handed to an unknown call, which may step it?"""
    return any(value.identities & step.subject.identities for value in (event.subject, *event.others))


def _makes_schedule(event: Event) -> bool:
    """Is it a call that builds a schedule, by its name and what it is bound to?"""
    bound = event.function.bindings.items()
    names = (n for n, found in bound if any(b.value is event.call for b in found))
    builds = isinstance(event.call, ast.Call) and roles.has_role_name(last_name(event.call.func), Role.SCHEDULE)
    return builds and any(roles.has_role_name(n, Role.SCHEDULE) for n in names)


def _skips_nothing(value: Value) -> bool:
    """Is it a plateau, or built to go on from an epoch?"""
    last = constructor_argument(value, "last_epoch")
    return value.instance_of(PLATEAU) or (last is not None and all(v.literal != -1 for v in last.alternatives))


@cached(local=True)
def _positions(module: ModuleScope) -> set[str]:
    """The places in a file that hold where a schedule stands."""
    return {name for f in module.functions for name in f.bindings if name.endswith(".last_epoch")}


def _is_positioned(tick: Event) -> bool:
    """Does the file say by hand where the schedule stands: `scheduler.last_epoch = start - 1`?"""
    func = tick.call.func if tick.call is not None else None
    schedule = (place(getattr(func, "value", None)) or "").rpartition(".")[2]
    spot = f"{schedule}.last_epoch"
    return bool(schedule) and any(name == spot or name.endswith(f".{spot}") for name in _positions(tick.site.module))


def _ticks_by_name(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
    """The ticks of schedules that a function or a class is given, that an unknown function has built, or that a script
    leaves out, in a loop of the only optimizer."""
    for tick in flow.events(Ticks):
        if (
            tick.option != "named"
            or not tick.loops
            or not gradients.is_alone(flow)
            or not Call(tick.call, tick.frame).is_statement
        ):
            continue
        if (
            roles.name_evidence(gradients.name_of_unknown_receiver(tick) or _kept_name(tick), Role.SCHEDULE)
            is Evidence.CONVENTIONAL
        ):
            yield tick, []


def _kept_name(tick: Event) -> str:
    """The name of `self.scheduler`, that a method sets once, to a parameter, or of a local `scheduler`, that an unknown
    call has built which is named so too; else empty."""
    func = tick.call.func if isinstance(tick.call, ast.Call) else None
    node = func.value if isinstance(func, ast.Attribute) else None
    owner, name = tick.function.owner, place(node) or ""
    functions = [tick.function] if "." not in name else list(owner.methods.values()) if owner is not None else []
    found = [(f, b) for f in functions for b in f.bindings.get(name, ())]
    if len(found) != 1 or found[0][1].kind != "assign":
        return ""
    function, binding = found[0]
    value, path = binding.value, binding.path
    if isinstance(value, ast.Tuple) and len(path) == 1 and path[0] is not None and path[0] < len(value.elts):
        value, path = value.elts[path[0]], ()
    if path:
        return ""
    given = isinstance(value, ast.Name) and function.parameter(value.id) is not None and "." in name
    built = isinstance(value, ast.Call) and roles.has_role_name(last_name(value.func), Role.SCHEDULE)
    return last_name(node) if given or built else ""
