"""A loss that applies log-softmax itself is handed log-probabilities, or the logarithm of a softmax."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.loss._given import origin
from mllint.rule import Finding, check
from mllint.semantics.api import Call, expectations

__all__: list[str] = []

_UNDERFLOWS = (
    "a softmax can underflow to 0, whose logarithm is -inf; an epsilon or a clamp against that changes the loss"
)
_LOGITS = "pass the logits to the loss, without softmax and logarithm"


@check("redundant-log-softmax", expects="Logits")
def redundant_log_softmax(call: Call) -> Iterator[Finding]:
    """A loss that applies log-softmax itself is handed log-probabilities, or the logarithm of a softmax."""
    if expectations.is_distribution(call):
        return
    for argument in expectations.arguments(call, "Logits"):
        site = argument.value.because("LogProbs") if argument.value.is_("LogProbs") else None
        if not argument.value.is_("LogProbs") or (
            site is not None and expectations.is_over_dimension_zero(site, argument)
        ):
            continue
        if site is not None and expectations.is_logarithm(site):
            message = f"`{call.name}` applies log-softmax itself, but gets the logarithm of a softmax"
            label, help, why = "the logarithm of a softmax", _LOGITS, _UNDERFLOWS
        else:
            message = f"`{call.name}` applies log-softmax itself: applying it before changes nothing"
            label, help, why = "log-softmax applied here", "", ""
        notes = origin(argument, "LogProbs", label)
        yield Finding(argument, message, "already log-probabilities", notes, help=help, why=why)
