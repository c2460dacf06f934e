"""Do losses get what they expect: logits or probabilities, of the right axis, on the right side?

Every rule here asks one question of a call: what does the stub of the callee say that this parameter is, and what is
the argument on every path? No name is trusted: a criterion is whatever its binding, its constructor or its callers say
it is. Temperature, arithmetic and unknown layers between an activation and the loss end the claim.
"""

from __future__ import annotations

from mllint.rule import Note
from mllint.semantics.api import (
    Argument,
    Trait,
    expectations,
)

__all__ = ["_SQUASHED", "origin"]
_SQUASHED: dict[Trait, str] = {
    "Probs": "holds probabilities",
    "Sigmoided": "holds probabilities",
    "Raw": "holds logits",
}


def origin(argument: Argument, trait: Trait, message: str) -> list[Note]:
    """A label at the place that made an argument what it is."""
    site = argument.value.because(trait)
    return [Note(expectations.made(site, argument), message)] if site is not None else []
