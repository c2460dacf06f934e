"""Do the gradients that are clipped go into a step, and are they there when the clip runs?

A clip changes what the backward before it has filled. Where no step uses that, because it came before, because the
backward comes after, or because the generator of parameters was used up, the optimizer steps on unclipped gradients.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Event, Flow, clipping, shown

__all__: list[str] = []

_EXHAUSTED = "a generator can be read only once: here it yields no parameters, so nothing is clipped"


@check("ineffective-clipping")
def ineffective_clipping(flow: Flow) -> Iterator[Finding]:
    """Gradients are clipped where no step uses the clipped values."""
    for clip, reason, cause in clipping.find_ineffective_clips(flow):
        if reason is clipping.Reason.EXHAUSTED:
            yield _exhausted(clip, cause)
            continue
        what = "after the step" if reason is clipping.Reason.AFTER_STEP else "before the `backward()`"
        message = f"`{shown(clip)}` runs {what} whose gradients it is meant to clip"
        notes = [Note(cause, "steps on unclipped gradients")]
        yield Finding(clip, message, "no step uses what is clipped here", notes)


def _exhausted(clip: Event, reader: Event) -> Finding:
    """The finding for a clip that gets no parameters, because an optimizer has read them."""
    message = f"`{shown(clip)}` clips nothing: the optimizer has already exhausted this generator"
    given = Call(clip.call, clip.frame).argument("parameters")
    help = f"make it a list: `{given.text} = list(...)`" if given is not None else ""
    notes = [Note(reader, "consumed here")]
    return Finding(clip, message, "an exhausted generator", notes, help=help, why=_EXHAUSTED)
