"""A loss that squashes its input itself is handed squashed scores."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._compiled import compiled
from mllint.checks.loss._given import OWN_PROBS, origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, expectations

__all__: list[str] = []

_NARROW = "the sigmoid of a value in (0, 1) lies in (0.5, 0.73): no probability can leave this range"
_TRAINED = "pass the logits to the loss; for metrics and inference use {}, as the loss does"
"""A softmax behind the loss of sigmoids, or the reverse, gives other probabilities than the loss trains."""
_RAW = "pass the scores as they were before the sigmoid"
_CLASSES = "softmax gets values between 0 and 1: no class can get a probability near 1, and gradients shrink"


@check("sigmoid-before-logits-loss", expects="Logits BinaryLogits", calls="compile")
def sigmoid_before_logits_loss(call: Call) -> Iterator[Finding]:
    """A loss that squashes its input itself is handed squashed scores."""
    yield from compiled(call, "BinaryLogits", "Sigmoided", "applies a sigmoid itself, but the model ends with one")
    for argument in expectations.arguments(call, "Logits", "BinaryLogits"):
        binary = argument.expects("BinaryLogits")
        for trait in ("Sigmoided", "Probs") if binary else ("Sigmoided",):
            if expectations.carries_trait(argument, trait):
                drawn = expectations.is_distribution(call)
                inside = "a sigmoid" if binary else "softmax"
                before = "softmax" if trait == "Probs" else "sigmoid"
                trained = _TRAINED.format(inside) if (trait == "Probs") is binary else ""
                yield Finding(
                    argument,
                    f"`{call.name}` applies {inside} itself, but `{argument.text}` holds probabilities",
                    "expects logits",
                    origin(argument, trait, f"{before} applied here"),
                    help=trained if not drawn else OWN_PROBS if binary else _RAW,
                    why=_CLASSES if not binary else _NARROW if drawn else "",
                )
