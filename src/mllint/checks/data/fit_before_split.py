"""Is anything learned from rows that a later split holds out?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Answer, Evidence, Function, Site, leakage, splits
from mllint.semantics.api import learned as learned_domain

__all__: list[str] = []

_LEARNING = "fit fit_transform std max fillna corr scale minmax_scale"


_MESSAGES = {
    "fit": "`{1}` is fitted on all of `{0}`",
    "scale": "`{0}` is scaled with statistics of all its rows",
    "fill": "missing values of `{0}` are filled in from all its rows",
    "choose": "columns of `{0}` are selected with the targets of all its rows",
}


@check("fit-before-split", near=_LEARNING, calls=splits.DIVIDING, has="may_cut_rows")
def fit_before_split(function: Function) -> Iterator[Finding]:
    """Statistics are learned from rows that a later split holds out."""
    certain: set[int] = set()  # what is reported already, and need not be found again at another division
    for division in splits.divisions(function):
        told = set(certain)
        for learned in learned_domain.learned_before(division, function):
            if id(learned.origin.node) in told:
                continue
            leak = leakage.leaks(learned, division, function)
            if leak is None:
                continue
            told.add(id(learned.origin.node))
            if leak.evidence == division.evidence == Evidence.PROVEN:
                certain.add(id(learned.origin.node))
            what = _MESSAGES[learned.how].format(learned.rows_text, learned.name)
            yield Finding(
                learned,
                f"{what}, including the rows that `{division.name}` holds out",
                "learns from held-out rows too",
                [Note(Site(function.module, division.node), "rows are held out only here")],
                evidence=(leak, Answer(True, division.evidence, (Site(function.module, division.node),))),
            )
