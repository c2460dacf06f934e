"""Is the model that is tested the one that was chosen?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Saves, last_weights, text

__all__: list[str] = []

_IN_MEMORY = "before the test, call `load_state_dict` with the weights that were kept"


@check("tested-on-last-weights")
def tested_on_last_weights(flow: Flow) -> Iterator[Finding]:
    """A run keeps its best weights, and is tested with those of its last epoch."""
    for found in last_weights.tested(flow):
        kept = found.guard.kept
        in_memory = not any(saved.conditions == kept.conditions for saved in flow.events(Saves))
        rows = text(found.rows.frame.module, found.rows.node, 40)
        yield Finding(
            found.rows,
            f"the weights of the last epoch are tested on `{rows}`, not the best ones that were kept",
            "the last weights",
            [Note(kept, "the best weights are kept here")],
            _IN_MEMORY if in_memory else "",
            evidence=(found.named,),
        )
