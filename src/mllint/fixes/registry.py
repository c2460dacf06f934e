"""Which rules have a fix? Functions by the name of their rule, loaded with the module of its family."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mllint.fixes.edits import Change
    from mllint.rule import Finding

__all__ = ["FAMILIES", "Fixer", "Proposal", "Unsure", "fix", "fixes_of", "load"]

FAMILIES = (
    "autograd", "checkpoint", "data", "distributed", "evaluation", "finetuning", "loss", "metrics", "modules",
    "numerics", "optimizer", "randomness", "robustness", "scheduler",
)  # fmt: skip
"""The families of rules that have fixes, each with a module of its name."""


class Unsure(Exception):
    """Nothing can be offered here: what is written is not what the fix knows how to change."""


class Proposal(NamedTuple):
    """What a fix proposes.

    Args:
        title: what it does, in one sentence without a full stop, as a menu shows it.
        changes: the changes of the text, in any order, none within another.
    """

    title: str
    changes: list[Change]


Fixer = Callable[["Finding"], "Proposal"]

_fixes: dict[str, list[Fixer]] = {}


def fix(rule: str) -> Callable[[Fixer], Fixer]:
    """Register a fix of a rule. It is given a finding, and gives a Proposal or raises `Unsure`; of several for one rule
    the first that is sure counts. Whether it is safe, the page of the rule says."""

    def register(function: Fixer) -> Fixer:
        _fixes.setdefault(rule, []).append(function)
        return function

    return register


def fixes_of(rule: str, family: str) -> list[Fixer]:
    """The fixes of a rule of a family."""
    if family in FAMILIES:
        import_module(f"mllint.fixes.{family}")
    return _fixes.get(rule, [])


def load() -> dict[str, list[Fixer]]:
    """All fixes, by the name of their rule."""
    for family in FAMILIES:
        import_module(f"mllint.fixes.{family}")
    return _fixes
