"""Does a schedule drive the optimizer that steps?

A schedule holds the optimizer that it was built with. Where another one steps in its place, the schedule changes a rate
that nobody uses. Asked are the schedules that are advanced beside a step, in a flow of which all is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, ticks

__all__: list[str] = []


@check("scheduler-of-replaced-optimizer")
def scheduler_of_replaced_optimizer(flow: Flow) -> Iterator[Finding]:
    """A schedule is advanced whose optimizer was replaced, and never steps."""
    for tick, held, step in ticks.of_replaced_optimizers(flow):
        if held.site is not None:
            yield Finding(
                tick,
                f"`{tick.text}` changes the learning rate of an optimizer that was replaced and no longer steps",
                "a learning rate that nothing uses",
                [Note(held.site, "the schedule was built with this one"), Note(step, "another one steps")],
            )
