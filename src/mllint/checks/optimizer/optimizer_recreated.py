"""Is an optimizer or a schedule built again in a loop, so that it forgets its state?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    Creates,
    Event,
    Flow,
    Site,
    Ticks,
    classes,
    evaluate,
    lifetimes,
    schedules,
)

__all__: list[str] = []

_WHEN = {"epoch": ("in every epoch", "the loop over epochs"), "batch": ("for every batch", "the loop over batches")}
_BEFORE = "build the scheduler once, before the loop"
_WHOLE_RUN = "build the scheduler once, before the loop, with the length of the whole run"
_AGAIN = "the schedule starts over every time: whatever it does after its first steps never happens"
_REPEATED = "the schedule starts over every time, in most classes from the learning rate that the last one ended with"
_PLATEAU = "it forgets the best value and the steps without progress: the learning rate is hardly ever reduced"


@check("optimizer-recreated")
def optimizer_recreated(flow: Flow) -> Iterator[Finding]:
    """An optimizer or a scheduler is built again and again for a model that lives on."""
    for made in flow.events(Creates):
        if not made.loops:
            continue
        if made.subject.instance_of(classes.OPTIMIZER):
            what, uses = "optimizer", flow.events(AppliesGrad)
        elif made.subject.instance_of(classes.SCHEDULER):
            what, uses = "scheduler", flow.events(Ticks)
        else:
            continue
        used = [u for u in uses if u.subject.same_as(made.subject) or made.subject.identities & u.subject.identities]
        run = lifetimes.lost_state(flow, made, used)
        if run is not None:
            site = _outermost_call(made)
            when, loop = _WHEN.get(run.role, ("on every iteration", "this loop"))
            message = f"`{site.text}` is re-created {when}: the {what} forgets its state"
            help, why = "", ""
            if made.subject.instance_of(schedules.PLATEAU):
                help, why = _BEFORE, _PLATEAU
            elif what == "scheduler":
                per_batch = lifetimes.steps_in_inner_loop(made, used)
                help, why = (_WHOLE_RUN, _REPEATED) if per_batch else (_BEFORE, _AGAIN)
            yield Finding(site, message, "built in the loop", [Note(run, loop)], help=help, why=why)


def _outermost_call(made: Event) -> Site:
    """The call of the outermost factory that returns what it builds, else the construction itself."""
    site, frame = made.site, made.frame
    while frame.caller is not None and isinstance(frame.caller[1], ast.Call):
        outer, call = frame.caller
        if not evaluate(call, outer).same_as(made.subject):
            break
        site, frame = Site(outer.module, call), outer
    return site
