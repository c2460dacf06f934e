"""Is a loss of one's own scaled for accumulation?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Class, trainers

__all__: list[str] = []


@check("loss-without-num-items", names="compute_loss")
def loss_without_num_items(cls: Class) -> Iterator[Finding]:
    """A trainer of one's own computes a loss and ignores the number of items of the step."""
    ignored = trainers.find_loss_ignoring_items(cls)
    if ignored is not None:
        yield Finding(
            ignored.value,
            "`compute_loss` ignores `num_items_in_batch`: the losses of micro-batches may be added up, not averaged",
            "a mean over each micro-batch",
            evidence=(ignored,),
        )
