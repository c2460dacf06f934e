"""What waits for the next node of a flow while the flow is built: see `build`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import EdgeTag, PathCondition

__all__ = ["End", "Ends", "Jumps"]


class End(NamedTuple):
    """An edge that has left a node and waits for the next one.

    Args:
        source: the index of the node that it leaves.
        tag: the tag of the edge: "", "raise" or "zero".
        assumed: what it assumes.
    """

    source: int
    tag: EdgeTag = ""
    assumed: tuple[PathCondition, ...] = ()


Ends: TypeAlias = list[End]


class Jumps(NamedTuple):
    """Where `break` and `continue` of a loop lead.

    Args:
        breaks: the ends at each `break`.
        continues: the ends at each `continue`.
        assumed_before: how much was assumed where the loop begins.
    """

    breaks: Ends
    continues: Ends
    assumed_before: int
