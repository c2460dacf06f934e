"""A negative log-likelihood, or a divergence, is handed something that is no logarithm."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._given import _SQUASHED, origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, Trait, expectations

__all__: list[str] = []

_TRAITS: tuple[Trait, ...] = ("Probs", "Sigmoided", "Raw")
_DIVERGENCE = "apply `F.log_softmax` to the logits before the loss"


@check("nll-without-log-softmax", expects="LogProbs")
def nll_without_log_softmax(call: Call) -> Iterator[Finding]:
    """A negative log-likelihood, or a divergence, is handed something that is no logarithm."""
    of_classes = any(f.name == "nll_loss" or (f.owner is not None and f.owner.name == "NLLLoss") for f in call.callees)
    for argument in expectations.arguments(call, "LogProbs"):
        for trait in _TRAITS:
            if expectations.carries_trait(argument, trait):
                yield Finding(
                    argument,
                    f"`{call.name}` expects log-probabilities, but `{argument.text}` {_SQUASHED[trait]}",
                    "expects log-probabilities",
                    origin(argument, trait, "no log-softmax after this"),
                    help="" if of_classes else _DIVERGENCE,
                    about=(trait,),
                )
