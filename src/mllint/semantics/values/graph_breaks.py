"""Where does the autograd graph break, and what is behind the break?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node
from mllint.semantics.syntax.sites import GraphBreak, Site
from mllint.semantics.values.values import ManyValue, MappingValue, SequenceValue, TensorValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = ["break_graph"]

_LASTING = ("Labels", "Decided", "Statistic")
"""What is still so of the bare numbers: labels stay labels, and a decision stays one, as a statistic does."""


def break_graph(value: Value, how: str, frame: Frame, node: Node, *, keep: bool = False) -> Value:
    """The value behind a graph break: no graph any more, the break remembered; `keep` keeps the traits (`detach`).

    Only what carries gradients, or may, can break: data stays data, and earlier breaks do not matter to a graph
    that parameters joined later.

    Args:
        value: the value before it.
        how: what breaks it: `detach`, `item`.
        frame: where it breaks.
        node: the expression that breaks it.
        keep: whether its traits are kept.
    """
    site = Site(frame.module, node)

    def one(v: Value) -> Value:
        contains = isinstance(v, (SequenceValue, ManyValue, MappingValue))
        made = ManyValue(v.part) if isinstance(v, ManyValue) else v._copied() if contains else TensorValue()
        severs = v.graph or v.opaque or contains
        made.breaks = (*(() if v.graph else v.breaks[:5]), GraphBreak(site, how)) if severs else v.breaks
        made.traits = v.traits if keep else {k: s for k, s in v.traits.items() if k in _LASTING}
        made.provenance, made.site = v.provenance, site
        return made

    return value.mapped(one)
