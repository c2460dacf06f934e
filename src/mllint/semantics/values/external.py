"""What bears a dotted name that no file and no stub defines?

A constant of Python's own module `math`, or something of which only the name is known.
"""

from __future__ import annotations

import math

from mllint.semantics.values.values import Value, literal, unknown

__all__ = ["external"]

_CONSTANTS = {f"math.{name}": float(getattr(math, name)) for name in ("e", "inf", "nan", "pi", "tau")}


def external(name: str) -> Value:
    """The value of a name from outside, such as `math.inf` or `somewhere.thing`."""
    return literal(_CONSTANTS[name]) if name in _CONSTANTS else unknown(of=name)
