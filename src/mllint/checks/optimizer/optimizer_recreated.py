"""Is an optimizer or a schedule built again in a loop, so that it forgets its state?"""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._gradients import shown
from mllint.checks._lifetimes import keeps_state, lost_state
from mllint.rule import Finding, Note, check
from mllint.semantics import AppliesGrad, Creates, Flow, Ticks

__all__: list[str] = []


@check("optimizer-recreated")
def optimizer_recreated(flow: Flow) -> Iterator[Finding]:
    """An optimizer or a scheduler is built again and again for a model that lives on."""
    for made in flow.events(Creates):
        if made.subject.instance_of("torch.optim.Optimizer"):
            what, uses, lost = "optimizer", flow.events(AppliesGrad), keeps_state(made.subject)
        elif made.subject.instance_of("torch.optim.lr_scheduler.LRScheduler"):
            what, uses, lost = "schedule", flow.events(Ticks), True
        else:
            continue
        used = [u for u in uses if u.subject.same_as(made.subject) or made.subject.identities & u.subject.identities]
        run = lost_state(flow, made, used) if lost else None
        if run is not None:
            message = f"`{shown(made)}` is built again in every turn of the loop: the {what} forgets its state"
            yield Finding(made, message, "built in the loop", [Note(run, "in every turn of this loop")])
