"""How do symptoms read on a terminal: the list of all, and one with the rules and the advice that belong to it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mllint.report.fold import folded
from mllint.report.style import Style

if TYPE_CHECKING:
    from mllint.catalogue.symptoms import Symptom

__all__ = ["listing", "render"]

_WIDTH = 120


def listing(
    symptoms: Sequence[Symptom], rules: Mapping[str, Sequence[str]], style: Style, columns: int = 0
) -> Iterator[str]:
    """All symptoms with the names of their rules.

    Args:
        symptoms: in the order to show them.
        rules: the names of the rules of each symptom, by its name.
        style: paints.
        columns: of the terminal, 0 if there is none.
    """
    for index, symptom in enumerate(symptoms):
        if index:
            yield ""
        yield f"{style(symptom.title, 'strong')} {style(f'({symptom.name})', 'dim')}"
        yield from folded("  ", ", ".join(rules[symptom.name]), min(columns or _WIDTH, _WIDTH))


def render(symptom: Symptom, rules: Sequence[tuple[str, str]], style: Style, columns: int = 0) -> Iterator[str]:
    """One symptom.

    Args:
        symptom: what is seen.
        rules: name and summary of each rule that finds a cause of it.
        style: paints.
        columns: of the terminal, 0 if there is none.
    """
    yield f"{style(symptom.title, 'strong')} {style(f'({symptom.name})', 'dim')}"
    yield from folded("", symptom.seen, columns)
    yield ""
    yield "mllint reports these causes:"
    longest = max(len(name) for name, _ in rules)
    for name, summary in rules:
        yield from folded(f"  {name.ljust(longest)}  ", summary, columns)
    if symptom.look:
        yield ""
        yield "What it cannot see:"
        for advice in symptom.look:
            yield from folded("  - ", advice, min(columns or _WIDTH, _WIDTH))
