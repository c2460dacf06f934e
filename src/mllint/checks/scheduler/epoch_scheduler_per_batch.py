"""A schedule that counts epochs is advanced in the batch loop."""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks.scheduler._horizons import (
    built_by,
    counts_epochs,
    told_epoch,
    unconditional,
)
from mllint.checks.scheduler._intervals import intervals
from mllint.checks.scheduler._swings import rises_again
from mllint.checks.scheduler._ticks import PLATEAU, schedules, shown
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    AppliesGrad,
    Call,
    Event,
    Flow,
    Site,
    Value,
)

__all__: list[str] = []


@check("epoch-scheduler-per-batch")
def epoch_scheduler_per_batch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts epochs is advanced in the batch loop."""
    for schedule, interval, node, frame in intervals(flow):
        call = built_by(schedule, flow.entry)
        if interval == "step" and call is not None and counts_epochs(call, schedule.of.name):
            message = f"Lightning advances this `{schedule.of.name}` with every batch, but it counts epochs"
            yield Finding(Site(frame.module, node), message, "with every batch", [Note(call, "its numbers are epochs")])
    for tick, values in schedules(flow):
        run = tick.loops[-1] if tick.loops else None
        plateau = all(value.instance_of(PLATEAU) for value in values)
        if run is None or run.role != "batch" or (told_epoch(tick) and not plateau):
            continue
        if not unconditional(tick, [s for s in flow.events(AppliesGrad) if run in s.loops]):
            continue
        calls = [built_by(value, tick) for value in values]
        if len(calls) == 1 and calls[0] is not None and not told_epoch(tick):
            yield from too_short(tick, values[0], calls[0])
        if all(
            call is not None and counts_epochs(call, value.of.name) for call, value in zip(calls, values, strict=True)
        ):
            name = values[0].of.name
            yield Finding(
                tick,
                f"`{shown(tick)}` runs for every batch, but this `{name}` counts epochs",
                "once per batch",
                [Note(calls[0], "its numbers are epochs"), Note(run, "the batch loop")],  # type: ignore[arg-type]  # none is None: see above
            )


def too_short(tick: Event, schedule: Value, built: Call) -> Iterator[Finding]:
    """The finding for a cosine over the batches of one epoch that several epochs advance."""
    epochs = rises_again(tick, schedule, built)
    if epochs is not None:
        yield Finding(
            built,
            "the cosine ends with the first epoch, but is advanced for every batch of all of them: it rises again",
            "as long as one epoch",
            [Note(tick, "advanced for every batch"), Note(epochs, "the loop over epochs")],
            "multiply the horizon by the number of epochs",
        )
