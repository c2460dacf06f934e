"""Which engine runs a backward: an accelerator, or a Fabric, that is given the loss?"""

from __future__ import annotations

from mllint.semantics import Call, Event, Value
from mllint.semantics.calls import constructor_argument

__all__ = ["accelerated", "shares_accelerator"]

_ENGINES = ("accelerate.Accelerator", "lightning.fabric.Fabric")


def accelerated(backward: Event) -> Value | None:
    """The accelerator, or the Fabric, that runs a backward of the loss that it is given."""
    receiver = Call(backward.call, backward.frame).receiver
    return receiver if receiver is not None and receiver.instance_of(*_ENGINES) else None


def shares_accelerator(backward: Event) -> bool:
    """Is it the backward of a framework that divides by the accumulation steps itself?"""
    receiver = accelerated(backward)
    if receiver is None or not receiver.instance_of(_ENGINES[0]):
        return False
    given = [constructor_argument(receiver, f"gradient_accumulation_{word}") for word in ("steps", "plugin")]
    return any(value is not None and value.literal != 1 for value in given)
