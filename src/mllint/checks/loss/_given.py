"""Do losses get what they expect: logits or probabilities, of the right axis, on the right side?

Every rule here asks one question of a call: what does the stub of the callee say that this parameter is, and what is
the argument on every path? No name is trusted: a criterion is whatever its binding, its constructor or its callers say
it is. Temperature, arithmetic and unknown layers between an activation and the loss end the claim.
"""

from __future__ import annotations

from mllint.rule import Note
from mllint.semantics.api import (
    Argument,
    Call,
    Trait,
    expectations,
)

__all__ = ["CLIPPED", "OWN_PROBS", "RESCALED", "_SQUASHED", "is_of_torch", "origin"]

CLIPPED = "the loss reads its input as probabilities and clips it to (0, 1): logits outside get no gradient"
RESCALED = "the loss reads the logits as probabilities, and clips or rescales them: it does not measure the error"
OWN_PROBS = "pass them as `probs=` instead of `logits=`"
_SQUASHED: dict[Trait, str] = {
    "Probs": "holds probabilities",
    "Sigmoided": "holds probabilities",
    "Raw": "holds logits",
}


def is_of_torch(call: Call) -> bool:
    """Is a loss one of PyTorch, as far as is known?"""
    return all(f.module.name.partition(".")[0] == "torch" for f in call.callees)


def origin(argument: Argument, trait: Trait, message: str) -> list[Note]:
    """A label at the place that made an argument what it is."""
    site = argument.value.because(trait)
    return [Note(expectations.layer_construction_site(site, argument), message)] if site is not None else []
