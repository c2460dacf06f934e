"""Is softmax taken over one class?

The probability of the only class is one, its loss zero, its gradient zero. What counts is the layer that made the
scores, and that nothing changed their shape since: choices that are scored one by one are put side by side first.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, columns, expectations

__all__: list[str] = []


@check("single-output-cross-entropy", expects="Logits")
def single_output_cross_entropy(call: Call) -> Iterator[Finding]:
    """A loss that applies softmax is given the score of one class only."""
    for argument in expectations.given(call, "Logits"):
        layer = columns.single_output(argument)
        if layer is not None and not expectations.is_distribution(call):
            message = f"`{call.name}` takes a softmax over classes, but `{argument.text}` is the score of one"
            yield Finding(argument, message, "the loss is always 0", [Note(layer, "one output")])
