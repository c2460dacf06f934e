"""Does accelerate know of what the loop trains with?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, accelerated, receiver_text

__all__: list[str] = []

_WHY = {
    "optimizer": "an unprepared optimizer ignores `accumulate()`, and steps on fp16 gradients that are still scaled",
    "loader": "every process trains on all of the data, in an order that may be the same for all",
    "model": "its gradients are not exchanged between processes, and mixed precision is not used",
}


@check("unprepared-with-accelerate", near="prepare")
def unprepared_with_accelerate(flow: Flow) -> Iterator[Finding]:
    """A loop with a backward of accelerate trains with something that was not prepared."""
    for found in accelerated.unprepared(flow):
        prepare = f"{receiver_text(found.backward)}.prepare"
        yield Finding(
            found.site,
            f"the {found.kind} is not passed to `{prepare}`",
            "not prepared",
            [Note(found.built, "built here"), Note(found.backward, "Accelerate runs the backward pass here")],
            help=f"pass everything that the loop uses to `{prepare}`, and use what it returns",
            why=_WHY[found.kind],
        )
