"""Is a score recorded under the name of the rows that it was measured on?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Module, recorded

__all__: list[str] = []


@check("train-metric-as-validation", words="val valid validation test")
def train_metric_as_validation(module: Module) -> Iterator[Finding]:
    """A score of the training rows is recorded as that of held-out rows, which is at hand."""
    for found in recorded.find_mislabelled_scores(module):
        key = " ".join(found.key.split()).strip(" :=|,-")
        message = f"`{found.score}` is recorded as `{key}`, but was measured on the training rows"
        help = f"use `{found.other}` here instead of `{found.score}`"
        yield Finding(module.at(found.value), message, "the training score", help=help, evidence=(found.named,))
