"""A schedule that counts epochs is advanced in the batch loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import AppliesGrad, Call, Event, Flow, Unit, Value, schedules, ticks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_EPOCHS = {
    "ExponentialLR": "its decay is per epoch",
    "LambdaLR": "its function counts epochs",
    "ReduceLROnPlateau": "its patience is in epochs",
}
_OR = {
    "ExponentialLR": "",
    "LambdaLR": ", or let its function count batches",
    "ReduceLROnPlateau": ", with a metric of the whole epoch",
}
_FAST = "each batch counts as an epoch: the schedule runs many times too fast"
_OVER = "the schedule is over long before the training ends: the rest of the training runs at its final learning rate"
_RISES = "past its end, a cosine rises again: the learning rate swings up and down instead of decaying"
_WHY = {
    **dict.fromkeys(("StepLR", "ExponentialLR"), ""),
    **dict.fromkeys(("MultiStepLR", "LinearLR", "ConstantLR", "PolynomialLR"), _OVER),
    "CosineAnnealingLR": "the cosine reaches its minimum after `T_max` batches, and rises and falls again and again",
    "CosineAnnealingWarmRestarts": "the cosine restarts for the first time after `T_0` batches, not epochs",
    "get_cosine_schedule_with_warmup": _RISES,
    "CyclicLR": "the learning rate swings up and down within a few batches instead of over the epochs",
    "OneCycleLR": "the schedule ends long before the training does: the next `step()` raises a `ValueError`",
    "ReduceLROnPlateau": "a few batches without progress count as a plateau: noise cuts the learning rate",
}


@check("epoch-scheduler-per-batch")
def epoch_scheduler_per_batch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts epochs is advanced in the batch loop."""
    for schedule, interval, site in ticks.lightning_intervals(flow):
        origin = schedules.built_by(schedule, flow.frame)
        unit = schedules.unit_of(schedule, origin) if origin is not None and interval == "step" else None
        if origin is not None and unit is not None and unit.value is Unit.EPOCHS:
            name = schedules.shown_name(schedule, origin)
            message = f"Lightning advances this `{name}` for every batch, but it counts epochs"
            notes, help, why = _words(schedule, origin, 'set `"interval": "epoch"` in its dictionary')
            yield Finding(site, message, "for every batch", notes, help=help, why=why, evidence=(unit,))
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
            name = schedules.shown_name(values[0], calls[0])
            notes, help, why = _words(values[0], calls[0], "step it once per epoch, after the batch loop")
            message = f"`{tick.text}` runs for every batch, but this `{name}` counts epochs"
            yield Finding(
                tick,
                message,
                "once per batch",
                [*notes, Note(run, "the batch loop")],
                help=help,
                why=why,
                evidence=found,
            )


def _words(schedule: Value, built: Call, slower: str) -> tuple[list[Note], str, str]:
    """What a schedule counts in epochs, what to do, and what becomes of one that is advanced too often.

    Args:
        schedule: one alternative of it.
        built: the call that built it.
        slower: what advances it once per epoch.
    """
    name = schedules.shown_name(schedule, built)
    whole = _OVER if name != schedule.class_name else _FAST  # those of transformers stay where they end
    label = _EPOCHS.get(name, "its length is in epochs")
    return [Note(built, label)], slower + _OR.get(name, ", or give its length in batches"), _WHY.get(name, whole)


def _too_short(tick: Event, schedule: Value, built: Call) -> Iterator[Finding]:
    """The finding for a cosine over the batches of one epoch that several epochs advance."""
    epochs = ticks.find_cosine_overrun(tick, schedule, built)
    if epochs is not None:
        yield Finding(
            built,
            "the cosine ends after one epoch, but is advanced over all epochs: it rises again",
            "as long as one epoch",
            [Note(tick, "advanced for every batch"), Note(epochs, "the loop over epochs")],
            help="multiply its length by the number of epochs",
            why=_RISES,
        )
