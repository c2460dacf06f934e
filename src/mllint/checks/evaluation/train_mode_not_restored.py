"""Does training go on in eval mode after an evaluation?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, SetsMode, mode_restoring, receiver_text

__all__: list[str] = []

_WITHIN = "after an evaluation, any dropout is off, and any batch norm no longer updates its statistics"


@check("train-mode-not-restored")
def train_mode_not_restored(flow: Flow) -> Iterator[Finding]:
    """After an evaluation in the training loop, training goes on in eval mode."""
    for mode in flow.events(SetsMode):
        trained = mode_restoring.find_training_in_eval_mode(mode, flow)
        if trained is None:
            continue
        model, backward = receiver_text(mode), trained.value
        within = mode.loops[: len(backward.loops)] == backward.loops
        since = "after an evaluation" if within else "from the second epoch on"
        when = (
            "after the evaluation, before training continues"
            if within
            else "at the start of each epoch, inside the loop"
        )
        call = f"`{model}.train()`" if mode.function is backward.function else "`train()` on the model"
        yield Finding(
            mode,
            f"`{model}` stays in eval mode when training continues",
            primary="never set back to train mode",
            labels=[Note(backward, f"trained here, in eval mode {since}")],
            help=f"call {call} {when}",
            why=_WITHIN if within else "",
            evidence=(trained,),
        )
