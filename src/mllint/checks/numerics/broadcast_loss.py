"""Is every prediction compared with every target?

A column against flat targets is broadcast to a square. What is asked: are both forms known, and do they differ? A
difference by hand is left alone, since a square of differences may be what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, columns

__all__: list[str] = []


@check("broadcast-loss", expects="Target")
def broadcast_loss(call: Call) -> Iterator[Finding]:
    """A loss compares a column of predictions with flat targets, each with each."""
    found = columns.crossed(call)
    if found is not None:
        (column, made), (flat, flattened) = found
        yield Finding(
            call,
            f"`{column.text}` is a column and `{flat.text}` is flat: every prediction is compared with every target",
            "(N, 1) against (N,)",
            [Note(made, "a column is made here"), Note(flattened, "flat from here on")],
            about=(column,),
        )
