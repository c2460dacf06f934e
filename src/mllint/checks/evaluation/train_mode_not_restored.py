"""Does training go on in eval mode after an evaluation?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, SetsMode, mode_restoring, receiver_text

__all__: list[str] = []


@check("train-mode-not-restored")
def train_mode_not_restored(flow: Flow) -> Iterator[Finding]:
    """After an evaluation in the training loop, training goes on in eval mode."""
    for mode in flow.events(SetsMode):
        trained = mode_restoring.find_training_in_eval_mode(mode, flow)
        if trained is None:
            continue
        model = receiver_text(mode)
        yield Finding(
            mode,
            f"`{model}` stays in eval mode when training continues",
            primary="never set back to train mode",
            labels=[Note(trained.value, "trained here, in eval mode from the second epoch on")],
            help=f"call `{model}.train()` at the start of each epoch, not once before the loop",
            evidence=(trained,),
        )
