"""Is anything learned from rows that a later split holds out?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Answer, Evidence, Function, Site, leakage, splits
from mllint.semantics.api import learned as learned_domain

__all__: list[str] = []

_DIVISIONS = 50  # how many of a function are looked at
_PAIRS = 2_000  # how many pairs of a division and what was learned before it
_LEARNING = "fit fit_transform std max fillna corr scale minmax_scale groupby"


_MESSAGES = {
    "fit": "`{1}` learns from all of `{0}`",
    "scale": "`{0}` is scaled with statistics of all its rows",
    "fill": "missing values of `{0}` are filled with statistics of all its rows",
    "choose": "columns of `{0}` are selected with the targets of all its rows",
    "encode": "categories of `{0}` are encoded with the targets of all its rows",
}
_HELP = {
    "scale": "split first, compute the statistics from the training rows, and scale all splits with them",
    "fill": "split first, compute the fill values from the training rows, and fill all splits with them",
    "choose": "split first, select the columns from the training rows alone, and keep the same ones in all splits",
    "encode": "split first, and take group statistics from the training rows; or use `TargetEncoder` in a `Pipeline`",
}
_WITHIN = {
    "folds": "learn from the training rows of each fold alone, as a step of a `Pipeline` does",
    "fit": "split by hand, learn from the training rows alone, and replace `validation_split=` with `validation_data=`",
}


@check("fit-before-split", near=_LEARNING, calls=splits.DIVIDING, has="may_cut_rows")
def fit_before_split(function: Function) -> Iterator[Finding]:
    """Statistics are learned from rows that a later split holds out."""
    known: dict[int, Evidence] = {}  # how certain it is already that something was learned too early
    divisions = islice(splits.divisions(function), _DIVISIONS)
    pairs = ((d, learned) for d in divisions for learned in learned_domain.find_learned_before_split(d, function))
    for division, learned in islice(pairs, _PAIRS):
        node = id(learned.origin.node)
        if node in known and known[node] >= division.evidence:
            continue
        leak = leakage.leaks_held_out_rows(learned, division, function)
        if leak is None or (node in known and known[node] >= leak.evidence):
            continue
        known[node] = min(leak.evidence, division.evidence)
        what = _MESSAGES[learned.how].format(learned.rows_text, learned.name)
        yield Finding(
            learned,
            f"{what}, including the rows that `{division.name}` holds out",
            "learns from held-out rows too",
            [Note(Site(function.module, division.node), "rows are held out only here")],
            help=_WITHIN.get(division.within) or _HELP.get(learned.how, ""),
            evidence=(leak, Answer(True, division.evidence, (Site(function.module, division.node),))),
        )
