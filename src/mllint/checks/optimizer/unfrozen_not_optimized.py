"""Does an optimizer train what is unfrozen?

Freezing and unfreezing switch the gradients of parameters; which of them take steps was decided when the optimizer was
built. What it passed by then gets gradients from now on, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, OwnsLoop, constructions, parameters, text, unfreezing

__all__: list[str] = []


@check("unfrozen-not-optimized")
def unfrozen_not_optimized(flow: Flow) -> Iterator[Finding]:
    """What was frozen is to be trained again, but it is in none of the optimizers that take a step after that."""
    if not flow.complete or any(True for _ in flow.events(OwnsLoop)):
        return
    built = constructions.constructions(flow)
    if not built or any(parameters.identities_held_by(made, steps) is None for made, steps in built.values()):
        return  # an optimizer of which it is not known what it holds
    for thaw, step, without in unfreezing.find_untrained_unfrozen(
        flow, parameters.identities_given(steps for _, steps in built.values())
    ):
        what = text(thaw.site.module, thaw.site.node, 50)
        message = f"`{what}` unfreezes parameters that no optimizer holds: they are not trained"
        notes = [Note(step, "updates other parameters")]
        if without is not None:
            notes.insert(0, Note(without, "takes the parameters that are trainable at this point"))
        yield Finding(thaw, message, "unfrozen, in no optimizer", notes)
