"""How do symptoms read on a terminal: the list of all, and one with the rules and the advice that belong to it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mllint._typing import TYPE_CHECKING
from mllint.report.style import Style

if TYPE_CHECKING:
    from mllint.symptoms import Symptom

__all__ = ["listing", "render"]


def listing(symptoms: Sequence[Symptom], rules: Mapping[str, Sequence[str]], style: Style) -> Iterator[str]:
    """All symptoms with the names of their rules.

    Args:
        symptoms: in the order to show them.
        rules: the names of the rules of each symptom, by its name.
        style: paints.
    """
    for index, symptom in enumerate(symptoms):
        if index:
            yield ""
        yield f"{style(symptom.title, 'strong')} {style(f'({symptom.name})', 'dim')}"
        yield from _wrapped(", ".join(rules[symptom.name]), "  ")


def render(symptom: Symptom, rules: Sequence[tuple[str, str]], style: Style) -> Iterator[str]:
    """One symptom.

    Args:
        symptom: what is seen.
        rules: name and summary of each rule that finds a cause of it.
        style: paints.
    """
    yield f"{style(symptom.title, 'strong')} {style(f'({symptom.name})', 'dim')}"
    yield symptom.seen
    yield ""
    yield "mllint reports these causes:"
    longest = max(len(name) for name, _ in rules)
    for name, summary in rules:
        yield f"  {name.ljust(longest)}  {summary}"
    if symptom.look:
        yield ""
        yield "What it cannot see:"
        for advice in symptom.look:
            yield from _wrapped(advice, "  - ")


def _wrapped(text: str, indent: str, width: int = 120) -> Iterator[str]:
    rows = [indent]
    for word in text.split():
        if len(rows[-1]) + len(word) + 1 > width:
            rows.append(" " * len(indent))
        rows[-1] += word if rows[-1].isspace() or rows[-1] == indent else f" {word}"
    yield from rows
