"""What chooses the samples of a loader beside its dataset: for the rules that ask how loaders are built."""

from __future__ import annotations

from mllint.semantics import Call

__all__ = ["chosen_otherwise"]

_SAMPLER = ("sampler'", 'sampler"', "sampler=", "sampler =")


def chosen_otherwise(loader: Call) -> bool:
    """Does a sampler choose the samples, or may one come in `**options`?"""
    if any(loader.argument(n) is not None for n in ("sampler", "batch_sampler")):
        return True
    given = any(loader.may_give(n) for n in ("sampler", "batch_sampler"))
    return given and any(said in getattr(loader.module.source, "text", "sampler=") for said in _SAMPLER)
