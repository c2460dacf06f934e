"""A loss or gradient that is not finite is skipped or replaced, and nothing counts how often."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Options, check
from mllint.semantics.api import Function, Site, call_text, masked

__all__: list[str] = []

_VALUE_ALONE = (
    "only the value of the loss is repaired: the gradients behind it can still be NaN (0 * NaN) and spoil the weights"
)
_BROKEN = "a NaN or inf means that something is already broken: overwriting it hides where, and how often"
_SKIPPED = (
    "a NaN or inf means something is already broken: the run goes on without these batches, and nothing shows how many"
)
_WHERE = "find where it first appears (`torch.isfinite` on the batch and on each layer's output), and raise there"
_RAISE = "find what produces it (`torch.autograd.set_detect_anomaly` shows NaN), and raise instead of replacing it"
_HIDES = {"NaN": "hides the NaN", "infinite": "hides the inf", "not finite": "hides the NaN or inf"}


@check("masked-nan", calls="backward manual_backward isnan isinf isfinite nan_to_num nan_to_num_")
def masked_nan(function: Function, options: Options) -> Iterator[Finding]:
    """A loss or gradient that is not finite is skipped or replaced, and nothing counts how often."""
    for found in masked.find_masked(function):
        if found.is_logged and options["allow-logging"]:
            continue
        message, help, why = _words(found, function)
        site = Site(function.module, found.node)
        yield Finding(site, message, _HIDES[found.other], help=help, why=why, evidence=found.evidence)


def _words(found: masked.Masked, function: Function) -> tuple[str, str, str]:
    """The message, the help and the why."""
    name, other = found.name, found.other
    match found.what:
        case masked.What.SKIPPED:
            return f"batches whose `{name}` is {other} are skipped, and nothing counts them", "", _SKIPPED
        case masked.What.OVERWRITTEN:
            return f"`{name}` is overwritten where it is {other}, and nothing counts how often", _WHERE, _BROKEN
        case masked.What.ENTRIES_OVERWRITTEN:
            return f"entries of `{name}` that are {other} are overwritten, and the run goes on", _WHERE, _BROKEN
        case masked.What.GRADIENTS_OVERWRITTEN:
            return f"gradients that are {other} are overwritten, and the run goes on", _RAISE, _BROKEN
        case masked.What.LOSS_REPLACED:
            what, help, why = "loss", _WHERE, _VALUE_ALONE
        case masked.What.GRADIENT_REPLACED:
            what, help, why = "gradient", _RAISE, _BROKEN
    shown = call_text(function.module, found.node, 40)
    return f"`{shown}` replaces a {what} that is {other}, and the run goes on", help, why
