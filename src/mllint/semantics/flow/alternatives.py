"""Which of the things that a call may call are one call about several objects?"""

from __future__ import annotations

from mllint.semantics.values.values import FunctionValue, Value, union

__all__ = ["grouped"]


def grouped(alternatives: tuple[Value, ...]) -> list[Value]:
    """Alternatives that call one method on different receivers are one call about all of them."""
    groups: dict[int, list[Value]] = {}
    for value in alternatives:
        bound = value.function if isinstance(value, FunctionValue) and value.receiver is not None else None
        groups.setdefault(id(bound) if bound is not None and bound.stubbed else id(value), []).append(value)
    return [_as_one(group) for group in groups.values()]


def _as_one(group: list[Value]) -> Value:
    """One method, bound to whatever any of some values is bound to."""
    first = group[0]
    if len(group) == 1 or not isinstance(first, FunctionValue):
        return first
    return first.bound_to(union([v.receiver for v in group if isinstance(v, FunctionValue) and v.receiver is not None]))
