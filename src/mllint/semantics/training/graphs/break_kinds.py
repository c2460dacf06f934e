"""What kind of operation ends the graph of a loss, and what does `backward()` do there?

    x.round()                 # a gradient of zero: nothing raises
    torch.bernoulli(probs)    # a sample, whose gradient PyTorch defines as zero: nothing raises
    scores.argmax(1)          # no gradient: `backward()` raises if nothing else in the loss requires one
    x // 0.1                  # none is implemented: `backward()` raises in any case

What an operation does is known by its word, `GraphBreak.how`. May import: the floors below.
"""

from __future__ import annotations

import ast
from enum import Enum

from mllint.semantics.libraries.tensor_methods import INTEGERS, PAIRS, SAMPLES
from mllint.semantics.syntax.nodes import last_name
from mllint.semantics.syntax.sites import GraphBreak, Site

__all__ = ["BreakKind", "break_at", "break_kind"]


class BreakKind(Enum):
    """What an operation that gradients do not flow through gives."""

    DECISION = "a decision, or anything else without a gradient"
    INDICES = "the indices of what gives values as well"
    INTEGERS = "whole numbers"
    COUNT = "a count"
    TOKENS = "generated tokens"
    CHOICE = "sampled classes"
    SAMPLE = "a sample of a distribution"
    DRAW = "a sample, with a gradient of zero"
    STEPS = "steps, with a gradient of zero"
    UNDERIVED = "a value whose gradient PyTorch does not implement"

    @property
    def is_zero(self) -> bool:
        """True if there is a gradient, which is zero everywhere, so that `backward()` never raises."""
        return self in (BreakKind.DRAW, BreakKind.STEPS)


_KINDS = {
    **dict.fromkeys(PAIRS, BreakKind.INDICES),
    **dict.fromkeys(INTEGERS - {"bool"}, BreakKind.INTEGERS),  # a truth is a decision
    **dict.fromkeys(SAMPLES, BreakKind.DRAW),
    **dict.fromkeys("round floor ceil trunc fix sign sgn".split(), BreakKind.STEPS),
    **dict.fromkeys("floordiv rfloordiv floor_divide heaviside nextafter".split(), BreakKind.UNDERIVED),
    **dict.fromkeys("histc bincount count_nonzero".split(), BreakKind.COUNT),
    "multinomial": BreakKind.CHOICE,
    "sample": BreakKind.SAMPLE,
    "generate": BreakKind.TOKENS,
}


def break_kind(cut: GraphBreak) -> BreakKind:
    """What kind of operation a graph break is, also in place, `round_`."""
    return _KINDS.get(cut.how.strip("_"), BreakKind.DECISION)


def break_at(site: Site) -> GraphBreak:
    """The graph break at a place where the graph of a term ends, by the operation that stands there."""
    match site.node:
        case ast.Call(func=function):
            return GraphBreak(site, last_name(function))
        case ast.BinOp(op=ast.FloorDiv()):
            return GraphBreak(site, "floordiv")
    return GraphBreak(site, "compare")
