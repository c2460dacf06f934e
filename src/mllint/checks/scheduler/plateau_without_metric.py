"""`ReduceLROnPlateau` is given no metric, the epoch, or the loss of the last batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Flow, plateaus

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_COUNTER = "an epoch number says nothing about progress: the learning rate is cut at fixed times, or never"
_NOISE = "the loss of one batch is mostly noise: the learning rate is cut by chance"
_REQUIRED = "`ReduceLROnPlateau.step` requires the metric: without one it raises a `TypeError`"


@check("plateau-without-metric")
def plateau_without_metric(flow: Flow) -> Iterator[Finding]:
    """`ReduceLROnPlateau` is given no metric, the epoch, or the loss of the last batch."""
    for tick in plateaus.find_plateau_ticks(flow):
        call = Call(tick.call, tick.frame)
        given = call.argument("metrics") or next(iter(call.arguments), None)
        if given is None:
            if not call.is_open and not plateaus.has_metric_otherwise(tick, flow):
                yield Finding(tick, f"`{tick.text}` is called without a metric", "no metric", why=_REQUIRED)
        elif plateaus.is_counter(given.node, tick):
            message = f"`ReduceLROnPlateau.step()` is given the epoch number `{given.text}` instead of a metric"
            yield Finding(given, message, "only grows", why=_COUNTER)
        elif (run := plateaus.find_loop_of_last_value(given.node, tick, flow)) is not None:
            message = f"`{given.text}` is the loss of the last batch, not a metric of the whole epoch"
            yield Finding(given, message, "one batch", [Note(run, "set on each iteration of this loop")], why=_NOISE)
