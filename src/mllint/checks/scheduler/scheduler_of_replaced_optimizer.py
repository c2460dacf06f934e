"""Does a schedule drive the optimizer that steps?

A schedule holds the optimizer that it was built with. Where another one takes its place, the schedule changes a rate
that is never used.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, constructions, replaced

__all__: list[str] = []


@check("scheduler-of-replaced-optimizer", calls=constructions.CLASSES)
def scheduler_of_replaced_optimizer(made: Call) -> Iterator[Finding]:
    """A schedule is advanced whose optimizer was replaced, and never steps."""
    for built, tick in replaced.find_stale_schedules(made):
        yield Finding(
            tick,
            f"`{tick.text}` changes the learning rate of an optimizer that was replaced and no longer steps",
            "a learning rate that nothing uses",
            [Note(built, "built for the previous optimizer"), Note(made, "replaced here")],
        )
