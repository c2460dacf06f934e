"""A schedule that counts epochs is advanced in the batch loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import AppliesGrad, Call, Event, Flow, Unit, Value, schedules, ticks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_INTERVAL = 'set `"interval": "epoch"` in the `lr_scheduler` dictionary, or give its period in batches'
_SWINGS = {
    "CosineAnnealingLR": "the cosine reaches its minimum after `T_max` batches and rises again",
    "CosineAnnealingWarmRestarts": "the cosine restarts for the first time after `T_0` batches",
}


@check("epoch-scheduler-per-batch")
def epoch_scheduler_per_batch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts epochs is advanced in the batch loop."""
    for schedule, interval, site in ticks.lightning_intervals(flow):
        origin = schedules.built_by(schedule, flow.frame)
        unit = schedules.unit_of(schedule, origin) if origin is not None and interval == "step" else None
        if origin is not None and unit is not None and unit.value is Unit.EPOCHS:
            message = f"Lightning advances this `{schedule.class_name}` for every batch, but it counts epochs"
            notes = [Note(origin, "its period is in epochs")]
            why = _why(schedule)
            yield Finding(site, message, "for every batch", notes, _INTERVAL, why, evidence=(unit,))
    for tick, values in ticks.ticks(flow):
        run = tick.loops[-1] if tick.loops else None
        plateau = all(value.instance_of(schedules.PLATEAU) for value in values)
        if run is None or run.role != "batch" or (ticks.is_given_epoch(tick) and not plateau):
            continue
        if not ticks.is_unconditional(tick, [s for s in flow.events(AppliesGrad) if run in s.loops]):
            continue
        built = [schedules.built_by(value, tick.frame) for value in values]
        calls = [call for call in built if call is not None]
        units = [
            schedules.unit_of(value, call) or ticks.unit_of_loop_around(tick, call)
            for value, call in zip(values, built, strict=True)
            if call is not None
        ]
        if len(values) == len(calls) == 1 and not ticks.is_given_epoch(tick):
            yield from _too_short(tick, values[0], calls[0])
        found = tuple(unit for unit in units if unit is not None and unit.value is Unit.EPOCHS)
        if len(found) == len(values):
            yield Finding(
                tick,
                f"`{tick.text}` runs for every batch, but this `{values[0].class_name}` counts epochs",
                "once per batch",
                [Note(calls[0], "its period is in epochs"), Note(run, "the batch loop")],
                why=_why(values[0]),
                evidence=found,
            )


def _why(schedule: Value) -> str:
    """What becomes of a schedule that is advanced too often, unless it is what the page says: it is soon over."""
    swings = _SWINGS.get(schedule.class_name, "")
    return f"{swings}: the learning rate swings up and down" if swings else ""


def _too_short(tick: Event, schedule: Value, built: Call) -> Iterator[Finding]:
    """The finding for a cosine over the batches of one epoch that several epochs advance."""
    epochs = ticks.outlives_one_epoch(tick, schedule, built)
    if epochs is not None:
        yield Finding(
            built,
            "the cosine ends after one epoch, but is advanced over all epochs: it rises again",
            "as long as one epoch",
            [Note(tick, "advanced for every batch"), Note(epochs, "the loop over epochs")],
            "multiply its length by the number of epochs",
            "past its end, a cosine rises again: the learning rate swings up and down instead of decaying",
        )
