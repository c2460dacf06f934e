"""Is a sum divided by what was summed?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, averages, text

__all__: list[str] = []

_OTHER = {"samples": "batches", "batches": "samples"}


@check("metric-averaging", has="loops")
def metric_averaging(function: Function) -> Iterator[Finding]:
    """A sum over samples is divided by the number of batches, or the other way round."""
    for found in averages.mixed(function):
        division = text(function.module, found.division)
        yield Finding(
            function.at(found.division),
            f"`{division}` divides a sum over {found.summed} by the number of {_OTHER[found.summed]}",
            f"counts {_OTHER[found.summed]}",
            [Note(function.at(found.term), f"sums over {found.summed}")],
        )
