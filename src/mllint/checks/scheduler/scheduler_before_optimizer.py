"""The first tick of a schedule comes before the first step of its optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, early_ticks, text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_SKIPPED = "`{}` runs before the first `{}`: the schedule's first value is skipped"
_STEPS = "the optimizer steps only here"
_LATER = "call `{}` after the optimizer's steps, in the loop and branch where it is now"
_REMOVE = "remove this call: building the scheduler has already set the first value of the schedule"


@check("scheduler-before-optimizer")
def scheduler_before_optimizer(flow: Flow) -> Iterator[Finding]:
    """The first tick of a schedule comes before the first step of its optimizer."""
    for early in early_ticks.find_early_ticks(flow):
        message = _SKIPPED.format(early.tick.text, early.step.text)
        help = _REMOVE if early.is_superfluous else _LATER.format(early.tick.text)
        yield Finding(early.tick, message, "too early", [Note(early.step, _STEPS)], help=help, evidence=(early.skips,))
    for site, step in early_ticks.find_ticks_in_constructor(flow):
        message = _SKIPPED.format(text(site.module, site.node), step.text)
        yield Finding(site, message, "too early", [Note(step, _STEPS)], help=_REMOVE)
