"""The first tick of a schedule comes before the first step of its optimizer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    Event,
    Evidence,
    Flow,
    ModuleScope,
    RestoresState,
    Role,
    Site,
    Ticks,
    Value,
    accumulation,
    cached,
    constructor_argument,
    gradients,
    identity,
    last_name,
    place,
    roles,
    schedules,
    text,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_REMOVE = "remove this call: building the scheduler has already set the first value of the schedule"
_STARTING = frozenset({"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts"})


@check("scheduler-before-optimizer")
def scheduler_before_optimizer(flow: Flow) -> Iterator[Finding]:
    """The first tick of a schedule comes before the first step of its optimizer."""
    if flow.frame.project.before("torch", "1.1", flow.root.module):
        return  # there a schedule sets nothing before its first tick
    for tick, values in (*ticks.ticks(flow), *_schedules_by_name(flow)):
        if ticks.is_given_epoch(tick) or _positioned(tick) or any(_skips_nothing(value) for value in values):
            continue
        steps = ticks.steps_of(flow, tick)
        if any(place(a) == tick.function.name for s in steps if isinstance(s.call, ast.Call) for a in s.call.args):
            continue  # in the closure, which the step runs
        near = [s for s in steps if s.loops[: len(tick.loops)] == tick.loops]
        if (
            not near
            or not ticks.is_unconditional(tick, near)
            or any(accumulation.window(s, tick) is not None for s in near)
        ):
            continue
        if not tick.loops and not all(v.class_name in _STARTING for v in values):
            continue
        restored = [e for e in flow.events(RestoresState) if _may_restore(e, tick)]
        held = [e for e in flow.events("unknown") if any(_gets(e, s) for s in near) and not _makes_schedule(e)]
        if any(flow.path(s, to=tick, back=False) for s in steps):
            continue
        step = next((s for s in near if flow.path(tick, to=s, back=False)), None)
        # without a file nothing is restored, and that is told by an error
        if step is not None and flow.path(
            flow.entry, to=tick, avoiding=(*steps, *restored, *held), raising=bool(restored)
        ):
            yield Finding(
                tick,
                f"`{tick.text}` runs before the first `{step.text}`: the schedule's first value is skipped",
                "too early",
                [Note(step, "the optimizer steps only here")],
                help=_later(tick, values),
                evidence=(schedules.has_initial_value(values),),
            )
    yield from _in_constructor(flow)


def _later(tick: Event, values: list[Value]) -> str:
    """Where a tick belongs instead: nowhere, if its schedule is built above it and no loop repeats it."""
    built = [schedules.built_by(value, tick.frame) for value in values] if not tick.loops else []
    if any(call is not None and call.function is tick.function for call in built):
        return _REMOVE
    where = "the function"
    if tick.loops:
        where = "each epoch" if tick.loops[-1].role == "epoch" else "each iteration"
    return f"move `{tick.text}` to the end of {where}, after the optimizer's steps"


def _in_constructor(flow: Flow) -> Iterator[Finding]:
    """`self.scheduler.step()` in the `__init__` that builds it, of the class whose training advances it again."""
    owner = flow.root.owner
    init = owner.methods.get("__init__") if owner is not None else None
    if init is None or "step" not in init.called_names or init.stubbed:
        return
    again = {place(e.call.func.value): e for e in flow.events(Ticks) if e.call is not None and e.loops}
    plain = {id(s.value) for s in init.body if isinstance(s, ast.Expr)}
    frame = flow.frame.project.frame(init)
    for call in (c for c in init.calls if last_name(c.func) == "step"):
        receiver, name = Call(call, frame).receiver, place(getattr(call.func, "value", None))
        if receiver is None or not receiver.instance_of(schedules.SCHEDULE):
            return  # perhaps the optimizer, before it
        plainly = id(call) in plain and not call.args and not call.keywords
        if not plainly or any(v.class_name not in _STARTING or _skips_nothing(v) for v in receiver.alternatives):
            continue
        step = next(iter(ticks.steps_of(flow, again[name])), None) if name in again else None
        if step is not None and not ticks.is_given_epoch(again[name]):
            shown_here = text(init.module, call)
            yield Finding(
                Site(init.module, call),
                f"`{shown_here}` runs before the first `{step.text}`: the schedule's first value is skipped",
                "too early",
                [Note(step, "the optimizer steps only here")],
                help=_REMOVE,
            )


def _may_restore(event: Event, tick: Event) -> bool:
    """Whether what is restored may be the schedule of a tick, perhaps as one of several in a loop."""
    func = event.call.func if isinstance(event.call, ast.Call) else None
    if isinstance(func, ast.Attribute) and event.subject.same_as(tick.subject) is not True:
        return identity.may_be(func.value, event.frame, tick.subject, Role.SCHEDULE)
    return event.subject.same_as(tick.subject) is not False


def _schedules_by_name(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
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
            roles.name_evidence(gradients.name_of_unknown_receiver(tick) or _kept(tick), Role.SCHEDULE)
            is Evidence.CONVENTIONAL
        ):
            yield tick, []


def _kept(tick: Event) -> str:
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


def _makes_schedule(event: Event) -> bool:
    """Is it a call that builds a schedule, by its name and what it is bound to?"""
    bound = event.function.bindings.items()
    names = (n for n, found in bound if any(b.value is event.call for b in found))
    builds = isinstance(event.call, ast.Call) and roles.has_role_name(last_name(event.call.func), Role.SCHEDULE)
    return builds and any(roles.has_role_name(n, Role.SCHEDULE) for n in names)


def _gets(event: Event, step: Event) -> bool:
    """Is the optimizer itself handed to an unknown call, which may step it?"""
    return any(value.identities & step.subject.identities for value in (event.subject, *event.others))


def _positioned(tick: Event) -> bool:
    """Does the file say by hand where the schedule stands: `scheduler.last_epoch = start - 1`?"""
    func = tick.call.func if tick.call is not None else None
    schedule = (place(getattr(func, "value", None)) or "").rpartition(".")[2]
    spot = f"{schedule}.last_epoch"
    return bool(schedule) and any(name == spot or name.endswith(f".{spot}") for name in _positions(tick.site.module))


@cached(local=True)
def _positions(module: ModuleScope) -> set[str]:
    """The places in a file that hold where a schedule stands."""
    return {name for f in module.functions for name in f.bindings if name.endswith(".last_epoch")}


def _skips_nothing(value: Value) -> bool:
    """Is it a plateau, or built to go on from an epoch?"""
    last = constructor_argument(value, "last_epoch")
    return value.instance_of(schedules.PLATEAU) or (
        last is not None and all(v.literal != -1 for v in last.alternatives)
    )
