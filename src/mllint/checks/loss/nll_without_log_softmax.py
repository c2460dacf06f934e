"""A negative log-likelihood, or a divergence, is handed something that is no logarithm."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._given import _SQUASHED, origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, Trait, expectations

__all__: list[str] = []

_LOG_OF: dict[Trait, str] = {
    "Probs": "use `F.cross_entropy` on the logits, or replace the softmax with `log_softmax`",
    "Sigmoided": "use `F.cross_entropy` on the logits, or replace the sigmoid with `log_softmax`",
}


@check("nll-without-log-softmax", expects="LogProbs")
def nll_without_log_softmax(call: Call) -> Iterator[Finding]:
    """A negative log-likelihood, or a divergence, is handed something that is no logarithm."""
    for argument in expectations.arguments(call, "LogProbs"):
        for trait in ("Probs", "Sigmoided", "Raw"):
            if expectations.carries(argument, trait):
                yield Finding(
                    argument,
                    f"`{call.name}` expects log-probabilities, but `{argument.text}` {_SQUASHED[trait]}",
                    "expects log-probabilities",
                    origin(argument, trait, "no log-softmax after this"),
                    _LOG_OF.get(trait, ""),
                    about=(trait,),
                )
