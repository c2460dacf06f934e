"""Are rows multiplied before some of them are held out?

A sampler that repeats rows, or makes new ones between them, puts copies of what is held out among what is trained on.
Taking rows away does no such harm, and is not asked about.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    Function,
    InstanceValue,
    Origin,
    Site,
    effect_of,
    forwarded,
    last_name,
    origins,
    splits,
    text,
)

__all__: list[str] = []

_WITHIN = {
    "folds": "resample the training rows of each fold alone, as a sampler in an imblearn `Pipeline` does",
    "fit": "split by hand, resample the training rows alone, and replace `validation_split=` with `validation_data=`",
}
_MULTIPLYING = ("imblearn.over_sampling", "imblearn.combine")
_MULTIPLIERS = "fit_resample fit_sample resample sample"
_SAMPLERS = ("fit_resample", "fit_sample")
"""Methods of samplers of imblearn."""
_CALLED = (*_SAMPLERS, "resample")


@check("resample-before-split", near=_MULTIPLIERS, calls=splits.DIVIDING, has="may_cut_rows")
def resample_before_split(function: Function) -> Iterator[Finding]:
    """Rows are repeated or made up before a split holds some of them out."""
    for division in splits.divisions(function):
        for rows in division.rows:
            for origin in origins(rows, function.frame, through=lambda o: not _multiplies(o)):
                node = division.node
                split = Call(node, function.frame) if isinstance(node, ast.Call) else None
                if _multiplies(origin) and not (split is not None and _keeps_copies_together(split, origin)):
                    called = text(origin.frame.module, origin.node.func, 50)
                    read = (forwarded.are_parts_read(split),) if split is not None else ()
                    yield Finding(
                        origin,
                        f"`{called}` resamples rows before `{division.name}` holds some of them out",
                        "copies or mixtures of held-out rows end up in training",
                        [Note(Site(function.module, node), "rows are held out only here")],
                        help=_WITHIN.get(division.within, ""),
                        evidence=read,
                    )


def _keeps_copies_together(split: Call, origin: Origin) -> bool:
    """Are the rows divided by groups, where a sampler repeats them? A copy is of the group of its row; a row that is
    made up between two others is of none."""
    return last_name(origin.node.func) not in _SAMPLERS and split.argument("groups") is not None


def _multiplies(origin: Origin) -> bool:
    """Is it a call of a sampler that repeats rows, or makes new ones?"""
    node = origin.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sample":
        return any(k.arg == "replace" and getattr(k.value, "value", None) is True for k in node.keywords)
    if not isinstance(node, ast.Call) or last_name(node.func) not in _CALLED:
        return False
    call = Call(node, origin.frame)
    if not call.callees or any(effect_of(f, "resamples") is None for f in call.callees):
        return False
    if last_name(node.func) == "resample":  # of sklearn: draws with replacement unless it is told not to
        replace = call.argument("replace")
        return replace is None or replace.value.literal is not False
    receiver = call.receiver
    return receiver is not None and all(
        isinstance(v, InstanceValue) and v.cls.module.name.startswith(_MULTIPLYING) for v in receiver.alternatives
    )
