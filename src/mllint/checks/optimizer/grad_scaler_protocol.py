"""Are the calls of a gradient scaler complete, and in the right order?"""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._gradients import shown
from mllint.checks.optimizer._scaling import (
    disabled,
    early_update,
    is_scaled,
    plain_step,
    scaler_of,
    unscaled_beside,
    unscaled_loss,
    without_update,
)
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, Flow, UnscalesGrad, UpdatesScale

__all__: list[str] = []


@check("grad-scaler-protocol")
def grad_scaler_protocol(flow: Flow) -> Iterator[Finding]:
    """The scaler's calls are incomplete, or in the wrong order."""
    scaled = [b for b in flow.events(AccumulatesGrad) if is_scaled(b)]
    for step in flow.events(AppliesGrad):
        scaler = scaler_of(step)
        if disabled(scaler):
            continue
        if scaler is None:
            yield from plain_step(flow, step, scaled)
        elif scaled:
            yield from without_update(flow, step)
            yield from unscaled_beside(flow, step, scaled)
        else:
            yield from unscaled_loss(flow, step)
    for update in flow.events(UpdatesScale):
        yield from early_update(flow, update, scaled)
    for unscale in flow.events(UnscalesGrad):
        spoiled = (UpdatesScale, AppliesGrad, AccumulatesGrad)
        again = flow.path(
            unscale,
            to=lambda e, u=unscale: e.kind == "unscales_grad" and e.concerns(u) is True,
            avoiding=spoiled,
            back=False,
        )
        if again is not None and again.end.site != unscale.site:
            message = f"`{shown(again.end)}` divides gradients by the scale that were divided already"
            yield Finding(again.end, message, "unscaled twice", [Note(unscale, "unscaled here")])
