"""Has something been taken away from the scores that a loss expects?

A loss that applies softmax or the sigmoid itself expects any number. After ReLU none is negative, after tanh none is
beyond one. One question to the value, on every path. A sigmoid is `sigmoid-before-logits-loss`.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._compiled import compiled
from mllint.checks.loss._given import origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, Trait, expectations

__all__: list[str] = []

_RECTIFIED = "negative logits become 0 and get no gradient: the loss can no longer move them, and nothing raises"
_BOUNDED = "logits stay within (-1, 1): no class can get a probability near 1, however long the model trains"
_BINARY = "logits stay within (-1, 1): no probability can come near 0 or 1, however long the model trains"
_SAID: dict[Trait, tuple[str, str, str]] = {
    "Rectified": ("has been through ReLU", "no logit can be negative", _RECTIFIED),
    "Bounded": ("has been through tanh", "no logit can leave (-1, 1)", _BOUNDED),
}


@check("activation-before-loss", expects="Logits BinaryLogits", calls="compile")
def activation_before_loss(call: Call) -> Iterator[Finding]:
    """A loss that expects logits is given what an activation has cut off."""
    for trait, (been, _, why) in _SAID.items():
        for word in ("Logits", "BinaryLogits"):
            reason = _BINARY if (trait, word) == ("Bounded", "BinaryLogits") else why
            yield from compiled(call, word, trait, f"expects logits, but the model's output {been}", reason)
    for argument in expectations.arguments(call, "Logits", "BinaryLogits"):
        for trait, (been, limit, why) in _SAID.items():
            if expectations.carries_trait(argument, trait) and not expectations.is_distribution(call):
                message = f"`{call.name}` expects logits, but `{argument.text}` {been}"
                reason = _BINARY if trait == "Bounded" and argument.expects("BinaryLogits") else why
                yield Finding(argument, message, limit, origin(argument, trait, "applied here"), why=reason)
