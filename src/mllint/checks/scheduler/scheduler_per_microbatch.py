"""A schedule that counts optimizer steps is advanced for every micro-batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    Call,
    Event,
    Flow,
    Unit,
    accelerated,
    accumulation,
    classes,
    schedules,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []


_PREPARE = "pass the scheduler to `accelerator.prepare` as well: a prepared one waits for its optimizer"


@check("scheduler-per-microbatch")
def scheduler_per_microbatch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts optimizer steps is advanced for every micro-batch."""
    for tick, values in ticks.ticks(flow):
        if ticks.is_given_epoch(tick) or len(values) != 1 or schedules.cadence(values[0]) == "epoch":
            continue
        step = next((s for s in ticks.steps_of(flow, tick) if accumulation.window(s, tick) is not None), None)
        awaited = accelerated.find_awaited_step(flow, tick, values[0]) if step is None else None
        step = step or awaited
        built = schedules.built_by(values[0], tick.frame)
        unit = schedules.unit_of(values[0], built) if built is not None else None
        if step is None or built is None or unit is None or not ticks.is_unconditional(tick, []):
            continue
        waiting = [
            b
            for b in flow.events(AccumulatesGrad)
            if b.concerns(step) is not False and accumulation.window(step, b) is not None
        ]
        if unit.value is Unit.STEPS and (awaited is not None or (waiting and not any(_waits(b) for b in waiting))):
            yield Finding(
                tick,
                f"`{tick.text}` runs for every micro-batch, but `{step.text}` only every k-th time",
                "faster than the optimizer",
                [Note(built, "its length is in optimizer steps"), Note(step, "steps every k-th time")],
                help=_PREPARE if awaited is not None else "",
                evidence=(unit,),
            )


def _waits(backward: Event) -> bool:
    """Whether it is the backward of an accelerator whose prepared schedules wait: it does the accumulating itself."""
    call = Call(backward.call, backward.frame)
    accelerated = call.receiver is not None and call.receiver.instance_of(classes.ACCELERATOR)
    return accelerated and bool(call.project.calls_named("accumulate"))
