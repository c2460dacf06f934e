"""How much of a program is followed? Bounds far above what people write, so that no input takes for ever.

Rules compare the events of a flow with each other, and some ask for a way between each two of them: that costs the
square of their number at least. A flow with more events than any program has is left out, and the report says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Flow

__all__ = ["is_too_long"]

_EVENTS = 5_000
"""Events of a flow. The longest in 4 million lines of published code has 1,318."""
_COMPARED = "accumulates_grad applies_grad clears_grad clips_grad unscales_grad updates_scale ticks".split()
_COMPARED_EVENTS = 200
"""Events of one of the kinds that rules compare most. Published code has 12 of one in a flow."""


def is_too_long(flow: Flow) -> bool:
    """Does a flow have more events than rules can compare with each other in reasonable time?"""
    if sum(map(len, flow.by_kind.values())) > _EVENTS:
        return True
    return any(len(flow.by_kind.get(kind, ())) > _COMPARED_EVENTS for kind in _COMPARED)
