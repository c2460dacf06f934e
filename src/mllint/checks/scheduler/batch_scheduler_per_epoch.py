"""A schedule that counts batches is advanced once per epoch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Event, Flow, LoopRun, Ticks, Unit, place, schedules, ticks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_INTERVAL = 'return it in a dictionary with `"interval": "step"`, or give its length in epochs'
_LENGTH = "give its length in epochs; or in batches of the whole run, and step it after every `optimizer.step()`"
_KEPT = "give its length in epochs; or keep it in batches, and step the scheduler after every `optimizer.step()`"
_REPEATING = ("ConstantLR", "CosineAnnealingWarmRestarts", "CyclicLR", "LinearLR", "StepLR")
_RESTARTS = "its length ignores the number of epochs: the schedule restarts too early or too late"
_ENDS = "its length ignores the number of epochs: the schedule ends too early or too late"
_RISES = "its length ignores the number of epochs: the cosine ends too late, or rises again before the end"
_DROPS = "it waits as many epochs as an epoch has batches: the learning rate drops too rarely, or never"
_TOO_SHORT = {
    "CosineAnnealingLR": _RISES,
    "CosineAnnealingWarmRestarts": _RESTARTS,
    "CyclicLR": _RESTARTS,
    "StepLR": _DROPS,
}
_WARMING = "the schedule never gets past its first steps: a warm-up does not end, and the decay hardly begins"


@check("batch-scheduler-per-epoch")
def batch_scheduler_per_epoch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts batches is advanced once per epoch."""
    for schedule, interval, site in ticks.lightning_intervals(flow):
        built = schedules.built_by(schedule, flow.frame)
        if interval == "epoch" and built is not None and ticks.counts_whole_run(schedule, built):
            name, notes = schedules.shown_name(schedule, built), [Note(built, "its length is in batches")]
            message = f"Lightning advances this `{name}` once per epoch, but it counts batches"
            yield Finding(site, message, "once per epoch", notes, help=_INTERVAL, why=_why(name))
    for tick, values in ticks.ticks(flow):
        inner = ticks.batch_loop_below(tick, ticks.steps_of(flow, tick), flow)
        built = schedules.built_by(values[0], tick.frame) if len(values) == 1 else None
        unit = schedules.unit_of(values[0], built) if built is not None else None
        if inner is None or built is None or unit is None or ticks.is_given_epoch(tick) or _ticks_in(inner, tick, flow):
            continue
        found, name = schedules.horizon(built), schedules.shown_name(values[0], built)
        if found is not None and set(found.lengths) & {place(run.node.iter) for run in _counted(tick)}:
            continue  # as long as the loop that the tick is in
        per_batch = (
            found is not None and bool(found.lengths) and (found.multiplied or schedules.cadence(values[0]) == "step")
        )
        labels = [Note(tick, "advanced here, once per epoch"), Note(inner, "the batch loop")]
        if unit.value is Unit.BATCHES or per_batch:
            message = f"`{tick.text}` runs once per epoch, but this `{name}` counts batches"
            labels = [Note(built, "its length is in batches"), labels[1]]
            one_epoch = found is not None and found.lengths and not found.multiplied and not built.argument("epochs")
            help, why = (_LENGTH, _ENDS) if one_epoch else ("", _why(name))
            yield Finding(tick, message, "once per epoch", labels, help=help, why=why, evidence=(unit,), about=(flow,))
        elif unit.value is Unit.EPOCH_OF_BATCHES:
            message = f"`{name}` gets the number of batches of one epoch as its length, but is advanced once per epoch"
            help, why = _KEPT if name in _REPEATING else _LENGTH, _TOO_SHORT.get(name, _ENDS)
            yield Finding(built, message, "a length in batches", labels, help=help, why=why, evidence=(unit,))


def _why(name: str) -> str:
    """What becomes of a schedule that is advanced too rarely, where the page does not say it: one with a warm-up."""
    return _WARMING if name == "OneCycleLR" or name.endswith("_with_warmup") else ""


def _ticks_in(run: LoopRun, tick: Event, flow: Flow) -> bool:
    """Whether the same schedule is advanced in the batch loop as well."""
    return any(e is not tick and e.subject.same_as(tick.subject) and run in e.loops for e in flow.events(Ticks))


def _counted(tick: Event) -> list[LoopRun]:
    return [run for run in tick.loops if not isinstance(run.node, ast.While)]
