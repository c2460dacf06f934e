"""Is every prediction compared with every target?

A column against flat targets is broadcast to a square. What is asked: are both forms known, and do they differ? A
difference by hand counts in a loss that is trained, of the output of a layer and of data: a square of the differences
of two outputs may be what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Site, columns, text

__all__: list[str] = []


@check("broadcast-loss", expects="Target", calls="backward")
def broadcast_loss(call: Call) -> Iterator[Finding]:
    """A loss compares a column of predictions with flat targets, each with each."""
    if call.last_name == "backward":
        yield from _by_hand(call)
        return
    found = columns.find_column_against_flat(call)
    if found is not None:
        (column, made), (flat, flattened) = found
        yield Finding(
            call,
            f"`{column.text}` is a column and `{flat.text}` is flat: every prediction is compared with every target",
            "(N, 1) against (N,)",
            [Note(made, "a column is made here"), Note(flattened, "flat from here on")],
            about=(column,),
        )


def _by_hand(backward: Call) -> Iterator[Finding]:
    by_hand = columns.find_column_minus_flat(backward)
    if by_hand is not None:
        node, frame, made, flattened = by_hand
        difference = text(frame.module, node, 40)
        yield Finding(
            Site(frame.module, node),
            f"`{difference}` combines a column with a flat tensor: every prediction is compared with every target",
            "(N, 1) against (N,)",
            [Note(made, "a column is made here"), Note(flattened, "flat from here on")],
        )
