"""Does a schedule advance in the unit that it counts in, after the optimizer, and at all?

Two facts decide most of these rules: the loop in which `scheduler.step()` stands, and the unit of the schedule's
horizon. Where either cannot be read, nothing is said. A schedule that is told the epoch (`step(epoch)`) may be told
it as often as one likes, and is left alone.
"""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.semantics import (
    AppliesGrad,
    Call,
    Event,
    Flow,
    Ticks,
    Value,
    text,
)
from mllint.semantics.calls import constructor_argument
from mllint.semantics.seeding import is_unit_test

__all__ = ["PLATEAU", "SCHEDULER", "schedules", "shown", "steps_of"]

SCHEDULER, PLATEAU = "torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler.ReduceLROnPlateau"


def schedules(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
    """The ticks of schedules of which every alternative is known."""
    seen = set()
    for tick in flow.events(Ticks):
        receiver = Call(tick.call, tick.frame).receiver if tick.call is not None else None
        values = [v for v in receiver.alternatives if not _is_none(v)] if receiver is not None else []
        if values and all(v.instance_of(SCHEDULER) for v in values) and (tick.site, tick.frame.key) not in seen:
            if any(_made_up(v, tick) for v in values):
                continue
            seen.add((tick.site, tick.frame.key))
            yield tick, values


def _made_up(schedule: Value, tick: Event) -> bool:
    """Is it built by a unit test of what advances it? Some schedule is needed there, not one that fits."""
    built = schedule.arguments.frame.module if schedule.arguments is not None else None
    return built is not None and built is not tick.site.module and is_unit_test(built)


def _is_none(value: Value) -> bool:
    """Is it None, which nobody can step?"""
    return value.kind == "literal" and value.of is None


def steps_of(flow: Flow, tick: Event) -> list[Event]:
    """The steps of the optimizer that a schedule is for; of all optimizers if that cannot be told."""
    optimizers = [o for v in tick.subject.alternatives if (o := constructor_argument(v, "optimizer")) is not None]
    return [
        s
        for s in flow.events(AppliesGrad)
        if not optimizers or any(s.subject.same_as(o) is not False for o in optimizers)
    ]


def shown(event: Event) -> str:
    """The source text of an event."""
    return text(event.site.module, event.site.node)
