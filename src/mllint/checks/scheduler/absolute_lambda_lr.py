"""Does a schedule multiply the learning rate with itself?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, factors, text

__all__: list[str] = []


@check("absolute-lambda-lr", calls="LambdaLR")
def absolute_lambda_lr(call: Call) -> Iterator[Finding]:
    """The function of a `LambdaLR` returns a learning rate where a factor is expected."""
    found = factors.find_absolute_factor(call)
    if found is not None:
        factor, rate = found
        shown = text(factor.module, factor.node)
        yield Finding(
            factor,
            f"`LambdaLR` multiplies the optimizer's learning rate by `{shown}`, which is a learning rate, not a factor",
            "expects a factor",
            [Note(rate, "the learning rate of the optimizer")],
        )
