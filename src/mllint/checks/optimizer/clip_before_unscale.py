"""Are gradients clipped while they still carry the scale of a gradient scaler?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import ClipsGrad, Event, Flow, gradients, precision, receiver_text, shown, text

__all__: list[str] = []


@check("clip-before-unscale")
def clip_before_unscale(flow: Flow) -> Iterator[Finding]:
    """Gradients are clipped while they still carry the scale of the gradient scaler."""
    for clip in flow.events(ClipsGrad):
        found = (
            None
            if gradients.is_endless(clip) or precision.has_scaled_bound(clip)
            else precision.find_still_scaled_backward(flow, clip)
        )
        if found is not None:
            backward, step = found
            yield Finding(
                clip,
                f"`{shown(clip)}` clips gradients that are still multiplied by the loss scale",
                "clips scaled gradients",
                [Note(backward, "scaled here"), Note(step, "unscaled only here")],
                help=_unscale(step),
            )


def _unscale(step: Event) -> str:
    """What to call before the clip, in the words of the scaler's step below it."""
    given = text(step.site.module, step.call.args[0], 40) if step.call.args else ""
    return f"call `{receiver_text(step)}.unscale_({given})` before clipping" if given else ""
