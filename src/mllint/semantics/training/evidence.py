"""How well is an answer supported, and is that enough to report a finding as certain?

    for x, y in test_loader:        # "the rows are test rows": CONVENTIONAL, the name is the documentation's own
        out = net(x)                # "net is a model": PROVEN, its constructor is `Net(nn.Module)`

Six grades, from weakest to strongest:

* POSSIBLE: the program reads so, but something in it speaks for another reading as well (the handler logs the error,
  the layers are handed to whoever trains them), or it depends on a number that is not seen.
* NAMED: only a suggestive name speaks for it (`my_opt`, `holdout_part`).
* CONVENTIONAL: a name that the libraries' own documentation uses for exactly this (`X_train`, `val_loader`).
* ANNOTATED: the program declares it (`net: nn.Module`); Python does not check annotations.
* USED: the program treats it as such (`.parameters()` is given to an optimizer, `backward()` runs in the loop).
* PROVEN: a constructor, a stub or a literal says so.

A finding is as strong as the weakest answer that it rests on. POSSIBLE and NAMED are never enough. CONVENTIONAL is
enough where a second, independent fact agrees: two places in the program that say the same, each of which could have
been written without the other. `combine_answers` combines two such answers. Everything above is enough by itself.
`proven_unless` is how a domain answers that has proven a fact, and looked for what speaks for another reading.

What this does not do: it never adds up. Ten suggestive names are still only names.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mllint.semantics.syntax.sites import Site

__all__ = ["Answer", "Evidence", "Held", "combine_answers", "is_certain", "proven_unless", "weakest"]

_T = TypeVar("_T")
Held = TypeVar("Held", covariant=True)


class Evidence(IntEnum):
    """How an answer is known, from weakest to strongest; see the module's essay."""

    POSSIBLE = 0
    NAMED = 1
    CONVENTIONAL = 2
    ANNOTATED = 3
    USED = 4
    PROVEN = 5


@dataclass(frozen=True, slots=True)
class Answer(Generic[Held]):
    """What a domain answers.

    Args:
        value: the answer itself.
        evidence: how it is known.
        because: the places that explain it, the most telling one first.
        corroborated: whether a second, independent fact agrees; set by `combine_answers`.
    """

    value: Held
    evidence: Evidence
    because: tuple[Site, ...] = ()
    corroborated: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether a finding that rests on this answer alone may be reported as certain."""
        if self.evidence is Evidence.CONVENTIONAL:
            return self.corroborated
        return self.evidence > Evidence.CONVENTIONAL


def combine_answers(first: Answer[_T], second: Answer[_T]) -> Answer[_T]:
    """Combine two answers to one question.

    Args:
        first: the answer to keep where they differ in strength by nothing.
        second: another answer, found in another way.

    Returns:
        The stronger answer, explained by the places of both. It is corroborated if the other is no mere name and rests
        on at least one place that this one does not rest on.

    Raises:
        ValueError: the answers contradict each other; which one holds is for the domain to decide.
    """
    if first.value != second.value:
        raise ValueError(f"{first.value!r} and {second.value!r} do not agree")
    strong, weak = (second, first) if second.evidence > first.evidence else (first, second)
    further = tuple(site for site in weak.because if site not in strong.because)
    independent = bool(further) and weak.evidence > Evidence.NAMED
    corroborated = strong.corroborated or weak.corroborated or independent
    return Answer(strong.value, strong.evidence, strong.because + further, corroborated)


def proven_unless(doubt: object, value: _T, *because: Site) -> Answer[_T]:
    """An answer that is PROVEN; only POSSIBLE if the program speaks for another reading as well.

    Args:
        doubt: what speaks for another reading; anything false if nothing does.
        value: the answer.
        because: the places that explain it.
    """
    return Answer(value, Evidence.POSSIBLE if doubt else Evidence.PROVEN, because)


def weakest(answers: Iterable[Answer[object]]) -> Evidence:
    """The evidence of the weakest answer; PROVEN where there are none."""
    return min((answer.evidence for answer in answers), default=Evidence.PROVEN)


def is_certain(answers: Iterable[Answer[object]]) -> bool:
    """Whether a finding that rests on all these answers may be reported as certain."""
    return all(answer.is_certain for answer in answers)
