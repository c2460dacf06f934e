"""Cross-entropy of probabilities is handed logits instead."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._compiled import compiled
from mllint.checks.loss._given import CLIPPED, RESCALED, is_of_torch, origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, expectations

__all__: list[str] = []


@check("raw-scores-in-bce", expects="Sigmoided", calls="compile")
def raw_scores_in_bce(call: Call) -> Iterator[Finding]:
    """Cross-entropy of probabilities is handed logits instead."""
    for word in ("Sigmoided", "Probs"):
        yield from compiled(call, word, "Raw", "expects probabilities, but the model outputs logits")
    for argument in expectations.arguments(call, "Sigmoided", "Probs"):
        if expectations.carries_trait(argument, "Raw"):
            binary = argument.may_expect("Sigmoided")
            help, why = ("", "") if is_of_torch(call) else _of_keras(binary=binary)
            yield Finding(
                argument,
                f"`{call.name}` expects probabilities, but `{argument.text}` holds logits",
                "expects values between 0 and 1",
                origin(argument, "Raw", "no sigmoid after this" if binary else "no softmax after this"),
                help=help,
                why=why,
            )


def _of_keras(*, binary: bool) -> tuple[str, str]:
    """What to do about a loss of Keras that takes an option for logits, and what it does without."""
    before = "a sigmoid" if binary else "softmax"
    return f"pass `from_logits=True`, or apply {before} before the loss", CLIPPED if binary else RESCALED
