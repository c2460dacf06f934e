"""Does a Keras model give what the loss that it is compiled with expects?

`model.compile(loss=...)` brings both together: what the model ends with is read off its layers or its outputs, what the
loss expects off its name or its `from_logits`. Of models with several outputs or losses nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._given import CLIPPED, RESCALED
from mllint.rule import Finding, Note
from mllint.semantics.api import (
    Call,
    LiteralValue,
    Trait,
    Value,
    expectations,
    loss_expects,
    output,
)

__all__ = ["compiled"]

_MODEL = "keras.models.Model"
_LABELS: dict[Trait, str] = {
    "Probs": "softmax applied here", "Sigmoided": "sigmoid applied here", "Raw": "no activation after this",
    "Rectified": "ReLU applied here", "Bounded": "tanh applied here",
}  # fmt: skip
_WANTED: dict[Trait, str] = {
    "Logits": "logits", "BinaryLogits": "logits", "Probs": "probabilities", "Sigmoided": "probabilities",
}  # fmt: skip
_SQUASHED = ("Probs", "Sigmoided")
_DROP = "remove the activation of the last layer"
_REMOVE = "remove the activation of the last layer, or pass `from_logits=False`"


def compiled(call: Call, expected: Trait, trait: Trait, message: str, why: str = "") -> Iterator[Finding]:
    """The finding where a model whose output has a trait is compiled with a loss that expects something else.

    Args:
        call: a call of anything named `compile`.
        expected: what the loss expects, as a word of the vocabulary.
        trait: what makes a finding of the model's output.
        message: what the loss does, after its name.
        why: what comes of it, where that is not what the rule's page says.
    """
    loss = call.argument("loss") if call.last_name == "compile" else None
    if loss is None or call.receiver is None or not call.receiver.instance_of(_MODEL):
        return
    if not all(loss_expects(v) == expected for v in loss.value.alternatives):
        return
    given = output(call.receiver, call.frame, call.node)
    if given.is_(trait):
        site = given.because(trait)
        labels = [Note(site, _LABELS[trait])] if site is not None else []
        evidence = (expectations.squashes_again(call.module),) if trait in _SQUASHED else ()
        text = f"`{_name(loss.value)}` {message}"
        help = _REMOVE if trait in _SQUASHED else _DROP
        if trait == "Raw":
            why = CLIPPED if expected == "Sigmoided" else RESCALED
            help = _raw_help(loss.value, expected)
        yield Finding(loss, text, f"expects {_WANTED[expected]}", labels, help=help, why=why, evidence=evidence)


def _name(loss: Value) -> str:
    """The name of a loss, without its arguments."""
    first = loss.alternatives[0]
    return str(first.value if isinstance(first, LiteralValue) else first.class_name)


def _raw_help(loss: Value, expected: Trait) -> str:
    """What to do about a loss of probabilities that gets logits: a name of a loss takes no argument, its class does."""
    first = loss.alternatives[0]
    logits = "pass `from_logits=True`"
    if isinstance(first, LiteralValue):
        name = "".join(word.capitalize() for word in str(first.value).split("_"))
        logits = f"use `{name}(from_logits=True)`"
    return f"{logits}, or end the model with a {'sigmoid' if expected == 'Sigmoided' else 'softmax'}"
