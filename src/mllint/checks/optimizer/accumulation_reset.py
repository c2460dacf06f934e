"""Are gradients cleared for every micro-batch, and applied every k-th time only?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, discarding, shown

__all__: list[str] = []

_PRIMARY = "discards what was accumulated"
_LATE = "the step sees only the last batch: the gradients of the others are computed and discarded"


@check("accumulation-reset")
def accumulation_reset(flow: Flow) -> Iterator[Finding]:
    """Gradients are cleared for every micro-batch while the optimizer steps every k-th time."""
    for clear, step, backward, below_loop in discarding.find_discarded(flow):
        cleared, applied = shown(clear), shown(step)
        when = "after the loop" if below_loop else "every k-th time"
        notes = [Note(backward, "accumulated here"), Note(step, f"applied {when} only")]
        batch, help = "micro-batch", ""
        if below_loop:  # it has slipped out of the loop, or is meant to apply all batches
            batch = "batch"
            help = f"move `{applied}` into the loop; or, to apply all batches at once, move `{cleared}` below the step"
        message = f"`{cleared}` runs for every {batch}, but `{applied}` only {when}"
        yield Finding(clear, message, _PRIMARY, notes, help=help, why=_LATE if below_loop else "")
