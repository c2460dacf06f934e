"""A loss that applies softmax itself is handed probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.checks.loss._compiled import compiled
from mllint.checks.loss._given import OWN_PROBS, origin
from mllint.rule import Finding, check
from mllint.semantics.api import Argument, Call, expectations, last_name

__all__: list[str] = []

_UNIFORM = "softmax is applied twice: the distribution stays close to the uniform one"


@check("double-softmax", expects="Logits", calls="compile")
def double_softmax(call: Call) -> Iterator[Finding]:
    """A loss that applies softmax itself is handed probabilities."""
    yield from compiled(call, "Logits", "Probs", "applies softmax itself, but the model already ends with a softmax")
    for argument in expectations.arguments(call, "Logits", "BinaryLogits"):
        if (
            expectations.carries_trait(argument, "Probs")
            and argument.may_expect("Logits")
            and not _switched_off(argument)
        ):
            help, why = (OWN_PROBS, _UNIFORM) if expectations.is_distribution(call) else ("", "")
            yield Finding(
                argument,
                f"`{call.name}` applies softmax itself, but `{argument.text}` already holds probabilities",
                "expects logits",
                origin(argument, "Probs", "softmax applied here"),
                help=help,
                why=why,
            )


def _switched_off(argument: Argument) -> bool:
    """Does `loss(softmax(x), y) if flag else loss(x, y)` choose between both on purpose?"""
    called = argument.call.node
    other = expectations.alternative(called, argument.function)
    return isinstance(other, ast.Call) and last_name(other.func) == last_name(called.func)
