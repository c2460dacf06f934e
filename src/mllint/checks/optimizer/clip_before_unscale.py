"""Are gradients clipped while they still carry the scale of a gradient scaler?"""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._gradients import endless, shown
from mllint.checks.optimizer._conditions import unscaled_where_clipped
from mllint.checks.optimizer._scaling import disabled, is_scaled, scaler_of, unscaled_once
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, Call, ClearsGrad, ClipsGrad, Flow, UnscalesGrad

__all__: list[str] = []


@check("clip-before-unscale")
def clip_before_unscale(flow: Flow) -> Iterator[Finding]:
    """Gradients are clipped while they still carry the scale of the gradient scaler."""
    for clip in flow.events(ClipsGrad):
        if any("scale" in argument.text for argument in Call(clip.call, clip.frame).arguments[1:]) or endless(clip):
            continue
        if unscaled_where_clipped(flow, clip):
            continue
        spoiled = (UnscalesGrad.concerning(clip), AppliesGrad, ClearsGrad.concerning(clip))
        for backward in flow.events(AccumulatesGrad):
            if not is_scaled(backward) or backward.concerns(clip) is False:
                continue
            if not backward.subject.is_("Scaled") and any(True for _ in flow.events(UnscalesGrad)):
                continue  # what stands in for a scaler has nothing to undo
            if not flow.path(backward, to=clip, avoiding=spoiled, back=False) or unscaled_once(flow, clip):
                continue
            steps = [s for s in flow.events(AppliesGrad) if s.concerns(clip) is not False and scaler_of(s) is not None]
            step = next((s for s in steps if flow.path(clip, to=s, avoiding=AccumulatesGrad)), None)
            if step is not None and not disabled(scaler_of(step)):
                yield Finding(
                    clip,
                    f"`{shown(clip)}` clips gradients that are still multiplied by the loss scale",
                    "clips scaled gradients",
                    [Note(backward, "scaled here"), Note(step, "unscaled only here")],
                )
                break
