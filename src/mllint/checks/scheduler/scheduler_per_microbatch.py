"""A schedule that counts optimizer steps is advanced at every micro-batch."""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._windows import window
from mllint.checks.scheduler._horizons import (
    built_by,
    cadence_of,
    horizon,
    told_epoch,
    unconditional,
)
from mllint.checks.scheduler._ticks import schedules, shown, steps_of
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    AccumulatesGrad,
    Call,
    Event,
    Flow,
)

__all__: list[str] = []


@check("scheduler-per-microbatch")
def scheduler_per_microbatch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts optimizer steps is advanced at every micro-batch."""
    for tick, values in schedules(flow):
        if told_epoch(tick) or len(values) != 1 or cadence_of(values[0]) == "epoch":
            continue
        step = next((s for s in steps_of(flow, tick) if window(s, tick) is not None), None)
        call = built_by(values[0], tick)
        if step is None or call is None or not unconditional(tick, []):
            continue
        waiting = [
            b for b in flow.events(AccumulatesGrad) if b.concerns(step) is not False and window(step, b) is not None
        ]
        found = horizon(call, values[0].of.name)
        if not waiting or found is None or any(accelerated(b) for b in waiting):
            continue
        if (found.lengths and found.divided) or (found.numbers and not found.epochs):
            yield Finding(
                tick,
                f"`{shown(tick)}` runs for every micro-batch, but `{shown(step)}` only every k-th time",
                "faster than the optimizer",
                [Note(call, "its horizon counts optimizer steps"), Note(step, "steps every k-th time")],
            )


def accelerated(backward: Event) -> bool:
    """Is it the backward of accelerate, whose prepared schedulers wait for the optimizer?"""
    receiver = Call(backward.call, backward.frame).receiver
    return receiver is not None and receiver.instance_of("accelerate.Accelerator")
