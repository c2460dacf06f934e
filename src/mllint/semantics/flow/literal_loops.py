"""Which iterations does a loop over a literal tuple make, `for phase in ["train", "val"]`, each to be walked by itself?

Of several tuples, `["train", "val"]` in some epochs and `["train"]` in the others, the iterations are those of the
longest, if the others leave out some of them and keep the order; these may be left out on the way.
"""

from __future__ import annotations

from mllint.semantics.values.values import InstanceValue, LiteralValue, SequenceValue, Value

__all__ = ["iterations_of"]

_MOST = 4


def iterations_of(iterates: Value) -> list[tuple[Value, bool]]:
    """The values of the variable with whether each is always taken; [] where the loop is not to be walked like that."""
    tuples = []
    for each in iterates.alternatives:
        if not isinstance(each, SequenceValue) or not 0 < len(each.parts) <= _MOST:
            return []
        tuples.append(each.parts)
    if not tuples:
        return []
    longest = max(tuples, key=len)
    kinds = LiteralValue if len(tuples) > 1 else (LiteralValue, InstanceValue)
    if not all(isinstance(part, kinds) for parts in tuples for part in parts):
        return []
    if len(tuples) == 1:
        return [(part, True) for part in longest]
    literals = [[part.literal for part in parts] for parts in tuples]
    order = [part.literal for part in longest]
    if len(set(order)) < len(order) or not all(each == [one for one in order if one in each] for each in literals):
        return []
    return [(part, all(part.literal in each for each in literals)) for part in longest]
