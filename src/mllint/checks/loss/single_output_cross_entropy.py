"""Is softmax taken over one class?

The probability of the only class is one, its loss zero, its gradient zero. What counts is the layer that made the
scores, and that nothing changed their shape since: choices that are scored one by one are put side by side first.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, expectations, single_outputs, text

__all__: list[str] = []

_SOFTMAXES = ("softmax", "log_softmax", "Softmax", "LogSoftmax", "Softmax2d")
_SIGMOID = 'use `activation="sigmoid"` with `loss="binary_crossentropy"`, or as many units as there are classes'
_ONE = "the output does not depend on the input, and its gradient is zero: nothing is learned"
_SCORES = "the softmax of one value is 1 and its gradient 0: the layers that compute the score learn nothing"
_WEIGHT = (
    "to weight positions, take the softmax over them; to tell classes apart, use as many outputs as there are classes, "
    "or `BCEWithLogitsLoss` for two"
)


@check("single-output-cross-entropy", expects="Logits", calls="Dense softmax log_softmax Softmax LogSoftmax Softmax2d")
def single_output_cross_entropy(call: Call) -> Iterator[Finding]:
    """A loss that applies softmax gets the score of a single class."""
    if call.last_name in _SOFTMAXES:
        yield from _over_one(call)
        return
    if single_outputs.is_softmax_of_one(call):
        message = f"`{call.text}` gives 1 for every input: a softmax over one unit"
        yield Finding(call, message, "one unit", help=_SIGMOID, why=_ONE)
    for argument in expectations.arguments(call, "Logits"):
        layer = single_outputs.single_output(argument)
        if layer is not None and not expectations.is_distribution(call):
            message = f"`{call.name}` applies softmax over the classes, but `{argument.text}` has a single logit"
            yield Finding(argument, message, "softmax over a single class", [Note(layer, "one output")])


def _over_one(softmax: Call) -> Iterator[Finding]:
    found = single_outputs.find_softmax_over_one(softmax)
    if found is None:
        return
    shown = text(found.softmax.module, found.softmax.node)
    gives = "0" if softmax.last_name in ("log_softmax", "LogSoftmax") else "1"
    if found.dimension == -1:
        message = f"`{shown}` gives {gives} for every input: the last dimension has one entry"
    else:
        message = f"`{shown}` gives {gives} for every input: there is one channel"
    yield Finding(found.softmax, message, "one entry", [Note(found.layer, "one output")], help=_WEIGHT, why=_SCORES)
