"""A schedule that counts batches is advanced once per epoch."""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks.scheduler._horizons import (
    built_by,
    cadence_of,
    counts_steps,
    horizon,
    told_epoch,
)
from mllint.checks.scheduler._intervals import counts_all_steps, intervals
from mllint.checks.scheduler._ticks import schedules, shown, steps_of
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    Call,
    Event,
    Flow,
    LoopRun,
    Site,
    Ticks,
)
from mllint.semantics.module import place

__all__: list[str] = []


@check("batch-scheduler-per-epoch")
def batch_scheduler_per_epoch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts batches is advanced once per epoch."""
    for schedule, interval, node, frame in intervals(flow):
        call = built_by(schedule, flow.entry)
        if interval == "epoch" and call is not None and counts_all_steps(call, schedule.of.name):
            name = schedule.of.name.lstrip("_")
            message = f"Lightning advances this `{name}` once per epoch, but it counts batches"
            yield Finding(
                Site(frame.module, node), message, "once per epoch", [Note(call, "its horizon is in batches")]
            )
    for tick, values in schedules(flow):
        inner = batch_loop_below(tick, steps_of(flow, tick), flow)
        call = built_by(values[0], tick) if len(values) == 1 else None
        if inner is None or call is None or told_epoch(tick):
            continue
        if any(
            other is not tick and other.subject.same_as(tick.subject) and inner in other.loops
            for other in flow.events(Ticks)
        ):
            continue
        found, name = horizon(call, values[0].of.name), values[0].of.name
        outer = {place(run.node.iter) for run in tick.loops if not isinstance(run.node, ast.While)}
        cyclic = name == "CyclicLR" and (found is None or (found.numbers and min(found.numbers) >= 100))
        if cyclic or (name == "LambdaLR" and counts_steps(call)):
            yield too_slow(tick, call, inner, name)
        elif found is not None and found.lengths and not set(found.lengths) & outer:
            if found.multiplied or cadence_of(values[0]) == "step":
                yield too_slow(tick, call, inner, name)
            elif not found.divided:
                yield Finding(
                    call,
                    f"`{name}` is given the batches of one epoch as its horizon, but is advanced once per epoch",
                    "a horizon in batches",
                    [Note(tick, "advanced here, once per epoch"), Note(inner, "the batch loop")],
                )


def too_slow(tick: Event, call: Call, inner: LoopRun, name: str) -> Finding:
    """The finding for a schedule in batches that is advanced per epoch."""
    named = call.last_name if name.startswith("_") else name
    message = f"`{shown(tick)}` runs once per epoch, but this `{named}` counts batches"
    return Finding(
        tick, message, "once per epoch", [Note(call, "its horizon is in batches"), Note(inner, "the batch loop")]
    )


def batch_loop_below(tick: Event, steps: list[Event], flow: Flow) -> LoopRun | None:
    """The batch loop, beside the tick and inside its loop, in which the optimizer steps; None if there is none."""
    if tick.loops and not any(tick.loops[-1] in s.loops for s in steps):
        return next((run for run in flow.runs if run.outer == tick.loops and run.role == "batch"), None)
    depth = len(tick.loops)
    if not depth or any(len(s.loops) == depth and s.loops == tick.loops for s in steps):
        return None
    below = (s.loops[depth] for s in steps if s.loops[:depth] == tick.loops and len(s.loops) > depth)
    return next((run for run in below if run.role == "batch"), None)
