"""Is what was learned from training rows learned again from held-out rows?

One estimator is fitted on both parts, or one of the same kind on each; both parts are joined for the fit; a helper that
learns from what it is given is called for both; each part is scaled with its own statistics.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, Site, refits, text

__all__: list[str] = []

_LEAKED = (
    "what is learned from held-out rows shapes the training data: nothing crashes, but the score can be too optimistic"
)
_TRAINING_ONCE = "fit once, on the training rows, and let the loop only `transform`"
_TRAINING = "fit on the training rows alone"
_USE = "scale these rows with the statistics of the training rows"


@check("fit-on-test", calls="fit fit_transform mean std min max")
def fit_on_test(function: Function) -> Iterator[Finding]:
    """What was fitted on training rows is fitted again on held-out rows."""
    for statement, name, other, answers in refits.find_separate_scalings(function):
        message = f"`{name}` is scaled with its own statistics, not those of the training rows"
        notes = [Note(Site(function.module, other), "the training rows are scaled here")] if other else []
        yield Finding(Site(function.module, statement), message, "held-out rows", notes, help=_USE, evidence=answers)
    for learned, part in refits.find_fits_on_joined_parts(function):
        message = f"`{learned.name}` also sees the held-out rows `{text(function.module, part)}`"
        notes = [Note(Site(function.module, part), "joined here")]
        yield Finding(learned, message, "held-out rows", notes, help=_TRAINING, why=_LEAKED)
    for call, rows, first, inside, answers in refits.find_separate_helper_fits(function):
        shown = text(call.module, rows, 40)
        message = f"`{call.name}` fits again on the held-out rows `{shown}`, instead of only on the training rows"
        notes = [Note(inside, "fits on its argument"), Note(call.at(first), "called for the training rows here")]
        help = f"fit once, on the training rows, outside `{call.name}`, and let `{call.name}` only `transform`"
        yield Finding(call, message, "held-out rows", notes, help=help, evidence=answers)
    for learned, held, _, answers in refits.find_fits_in_turn(function):
        where = Site(function.module, held)
        message = f"`{learned.name}` fits again for each part, the held-out rows included"
        notes = [Note(where, "held-out rows, in turn with the training rows")]
        yield Finding(learned, message, "fitted on each part", notes, help=_TRAINING_ONCE, evidence=answers)
    for pair in refits.find_separate_refits(function):
        name, rows = pair.second.name, pair.second.rows_text
        message = f"`{name}` fits again on the held-out rows `{rows}`, instead of only on the training rows"
        notes = [Note(pair.first, "fitted on the training rows here")]
        yield Finding(pair.second, message, "held-out rows", notes, evidence=pair.answers)
    for pair in refits.find_fits_applied_to_training(function):
        message = f"`{pair.second.name}` learns from the held-out rows `{pair.second.rows_text}`"
        notes = [Note(pair.first, "the training rows are transformed by it here")]
        yield Finding(pair.second, message, "held-out rows", notes, help=_TRAINING, why=_LEAKED, evidence=pair.answers)
