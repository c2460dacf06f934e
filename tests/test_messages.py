"""Is every sentence that mllint can say known, and still said? `tests/messages.md` is the list."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.messages import FILE, Shown, examples, parse, pieces, shown, variants

ENTRIES = parse(FILE.read_text(encoding="utf-8"))
WRITE = "python -m tests.messages writes the file anew; read the difference"
ODD = ("of which", "nobody", " turn of", "thrown away", "nought", "untold", " beside ", " is no ", " are no ")
"""Clauses that no reviewer would write."""


def by_example() -> dict[tuple[str, str], list[Shown]]:
    found: dict[tuple[str, str], list[Shown]] = defaultdict(list)
    for entry in ENTRIES:
        found[entry.page, entry.example].append(entry)
    return found


@pytest.mark.quick
def test_every_finding_in_the_code_is_on_the_list() -> None:
    assert set(variants().values()) == {entry.variant for entry in ENTRIES}, WRITE


@pytest.mark.quick
def test_every_piece_of_text_in_the_code_is_on_the_list() -> None:
    """An example is missing for what this names, on the page of its rule or in `tests/wordings`; if no program can be
    told so, the text is too much."""
    said = "\n".join(entry.text for entry in ENTRIES)
    assert [piece for piece in pieces() if piece.text not in said] == [], WRITE


def test_every_example_says_what_is_on_the_list() -> None:
    cases = {(page, case.id): case for page, case in examples()}
    wrong = []
    for (page, example), entries in by_example().items():
        case = cases.get((page, example))
        said = set(shown(page, case)) if case is not None else set()
        wrong += [f"{e.variant} ({page}: {example})" for e in entries if e not in said]
    assert not wrong, WRITE


@pytest.mark.parametrize("words", ODD)
def test_messages_are_plain_english(words: str) -> None:
    assert not [str(entry.variant) for entry in ENTRIES if words in entry.text]
