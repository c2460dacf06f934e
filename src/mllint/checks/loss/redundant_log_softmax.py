"""A loss that applies log-softmax itself is handed log-probabilities: the same result, twice the work."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._given import origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, expectations

__all__: list[str] = []


@check("redundant-log-softmax", expects="Logits")
def redundant_log_softmax(call: Call) -> Iterator[Finding]:
    """A loss that applies log-softmax itself is handed log-probabilities: the same result, twice the work."""
    if expectations.is_distribution(call):
        return
    for argument in expectations.arguments(call, "Logits"):
        site = argument.value.because("LogProbs") if argument.value.is_("LogProbs") else None
        if argument.value.is_("LogProbs") and not (
            site is not None and expectations.is_over_dimension_zero(site, argument)
        ):
            yield Finding(
                argument,
                f"`{call.name}` applies log-softmax itself: applying it before changes nothing",
                "already log-probabilities",
                origin(argument, "LogProbs", "log-softmax applied here"),
            )
