"""Is a mean over batches the value of all samples: is a sum divided by what was summed, and may a score be averaged?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Function, averages, batch_scores, text

__all__: list[str] = []

_WHY = "such a score is not a mean over samples: averaged over batches it differs, and depends on the batch size"
_HELP = "gather the predictions and the labels of all batches, and compute the score once"
_MEAN_FIRST = "average the loss over all batches, and take the exponential of that mean once"
_CONVEX = "the mean of exponentials grows with the spread of the losses: one hard batch dominates it"
_OTHER = {"samples": "batches", "batches": "samples"}
_SUM = {"samples": "a sum over samples", "batches": "a sum of batch means"}
_SUMS = {"samples": "sums over samples", "batches": "sums batch means"}


@check("metric-averaging", calls="log log_dict", has="loops")
def metric_averaging(function: Function) -> Iterator[Finding]:
    """A sum over samples is divided by the number of batches, or the other way round; a score is a mean of batches."""
    for score, mean, called in batch_scores.find_averaged_batch_scores(function):
        note = Note(function.at(score), "computed on one batch")
        if batch_scores.is_perplexity(Call(score, function.frame)):
            message = "the exponential of each batch's loss is averaged over batches, which overstates the perplexity"
            yield Finding(function.at(mean), message, "a mean over batches", [note], help=_MEAN_FIRST, why=_CONVEX)
            continue
        message = f"`{text(function.module, called)}` is averaged over batches: that is not the score of all samples"
        yield Finding(function.at(mean), message, "a mean over batches", [note], help=_HELP, why=_WHY)
    for found in averages.find_wrong_averages(function):
        division = text(function.module, found.division)
        yield Finding(
            function.at(found.division),
            f"`{division}` divides {_SUM[found.summed]} by the number of {_OTHER[found.summed]}",
            f"counts {_OTHER[found.summed]}",
            [Note(function.at(found.term), _SUMS[found.summed])],
            help=_divide(found, function),
            evidence=(found.mistaken,),
        )


def _divide(found: averages.Mixed, function: Function) -> str:
    """What to divide by instead, in the words of a divisor `len(loader)` or `len(loader.dataset)`."""
    match found.division:
        case ast.BinOp(right=ast.Call(args=[counted])):
            loader = text(function.module, counted, 40).removesuffix(".dataset")
        case _:
            loader = "loader"
    if found.summed == "samples":
        return f"divide by the number of samples, such as `len({loader}.dataset)`"
    return f"divide by the number of batches, such as `len({loader})`, or weight each batch by its number of samples"
