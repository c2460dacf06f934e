"""How much of a program is followed? Bounds far above what people write, so that no input takes forever.

Rules compare the events of a flow with each other, and some ask for a way between each two of them: that costs the
square of their number at least. A flow with more events than any program has is left out, and the report says so.

An expression is followed by functions that call each other, some for each level of its tree: one that is nested very
deeply can need more calls than Python allows, though its file could be read.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import EventKind, Flow

__all__ = ["is_deep", "is_too_long"]

_DEEP = 150
"""Levels of a tree that can need more calls than Python allows; code that people write has 40 at most."""

_EVENTS = 5_000
"""Events of a flow. The longest in 4 million lines of published code has 1,318."""
_COMPARED: tuple[EventKind, ...] = (
    "accumulates_grad", "applies_grad", "clears_grad", "clips_grad", "unscales_grad", "updates_scale", "ticks",
)  # fmt: skip
_COMPARED_EVENTS = 200
"""Events of one of the kinds that rules compare most. Published code has 12 of one in a flow."""


def is_too_long(flow: Flow) -> bool:
    """Does a flow have more events than rules can compare with each other in reasonable time?"""
    if sum(map(len, flow.by_kind.values())) > _EVENTS:
        return True
    return any(len(flow.by_kind.get(kind, ())) > _COMPARED_EVENTS for kind in _COMPARED)


def is_deep(tree: ast.AST) -> bool:
    """Is a tree nested so deeply that following one of its expressions can need more calls than Python allows?"""
    level, levels = [tree], 0
    while level and levels <= _DEEP:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        levels += 1
    return bool(level)
