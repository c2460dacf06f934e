"""The domain of schedules, written down for `tests/semantics`: what they count, and what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call
from mllint.semantics.training.schedules import early_ticks, plateaus
from mllint.semantics.training.schedules.units import built_by, unit_of
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import InstanceValue

__all__ = ["REVEALS"]


def _schedule(call: ast.Call, frame: Frame) -> str:
    """What the schedule counts."""
    values = [v for v in evaluate(call.args[0], frame).alternatives if isinstance(v, InstanceValue)]
    found = [unit_of(v, built) for v in values if (built := built_by(v, frame)) is not None]
    return " | ".join(sorted({"unknown" if answer is None else answer.value.value for answer in found})) or "unknown"


def _early_ticks(call: ast.Call, frame: Frame) -> str:
    """The ticks before the first step of the optimizer, for the flow of this function."""
    flow = build(frame.function, frame)
    found = [
        f"{e.tick.text} before {e.step.text}" + (", superfluous" if e.is_superfluous else "")
        for e in early_ticks.find_early_ticks(flow)
    ]
    found += [f"in the constructor, before {step.text}" for _, step in early_ticks.find_ticks_in_constructor(flow)]
    return " | ".join(found) or "none"


def _plateau_metrics(call: ast.Call, frame: Frame) -> str:
    """What the plateau schedules of this function are given, in its order."""
    flow, shown = build(frame.function, frame), []
    for tick in plateaus.find_plateau_ticks(flow):
        given = next(iter(Call(tick.call, tick.frame).arguments), None)
        if given is None:
            shown.append("a metric elsewhere" if plateaus.has_metric_otherwise(tick, flow) else "nothing")
        elif plateaus.is_counter(given.node, tick):
            shown.append("a counter")
        else:
            run = plateaus.find_loop_of_last_value(given.node, tick, flow)
            shown.append("a metric" if run is None else "the last batch")
    return " | ".join(shown) or "no plateau"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_schedule": _schedule,
    "reveal_early_ticks": _early_ticks,
    "reveal_plateau_metrics": _plateau_metrics,
}
"""What each call that asks for something reveals."""
