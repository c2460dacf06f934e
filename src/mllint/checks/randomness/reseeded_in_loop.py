"""The global seed is set to the same value in every pass of a training loop."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Flow,
    Origin,
    reseeding,
    text,
)

__all__: list[str] = []

_ADVICE = (
    "seed once before the loop, or let the seed depend on the {}; draw what should repeat from a generator of its own"
)


@check("reseeded-in-loop")
def reseeded_in_loop(flow: Flow) -> Iterator[Finding]:
    """The global seed is set to the same value in every pass of a training loop."""
    for event in flow.events("seeds"):
        run = reseeding.training_loop(flow, event)
        repeated = reseeding.repeats(event, run) if run is not None and event.call is not None else None
        if run is None or repeated is None:
            continue
        given = [*event.call.args, *(k.value for k in event.call.keywords)]
        origin = reseeding.outermost(Origin(event.call, event.frame), given[0])
        shown = Origin(origin.node.args[0], origin.frame) if origin.node.args else Origin(given[0], event.frame)
        seed = text(shown.frame.module, shown.node, 30)
        one = run.role or "iteration"
        yield Finding(
            origin,
            f"each {one} starts from the same random state, seeded with `{seed}`",
            f"the same numbers in each {one}",
            [Note(run, f"each {one} of this loop")],
            help=_ADVICE.format(one),
            evidence=(repeated,),
            about=(event, flow),
        )
