"""Is each entry of the list of bugs that were found complete: where, which rule, why, and what it does?"""

from __future__ import annotations

import re
from pathlib import Path

from mllint.catalogue import pages as catalogue

DOCUMENT = Path(__file__).parent.parent / "docs" / "trophies.md"
TEXT = DOCUMENT.read_text("utf-8")
ENTRIES = re.findall(r"^- .*?(?=^- |^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
_PLACE = re.compile(r"`[^`]+?\.(?:py|ipynb)(?:`, (?:lines? |cell )[\d, a-z]*|:\d+`)")


def places(entry: str) -> int:
    """How many places an entry names before its rule."""
    head = entry.partition("](")[0]
    lists = re.findall(r"`[^`]+\.py`, lines ([\d, ]+)", head)
    return sum(len(found.strip(", ").split(", ")) for found in lists) + len(re.findall(r"\.py:\d+`|\.ipynb`", head))


def test_entries_say_where_which_rule_and_what_it_does() -> None:
    for entry in ENTRIES:
        rule = re.search(r"\[([a-z-]+)\]\(\.\./rules/([a-z]+)/([a-z-]+)\.md\)", entry)
        assert rule is not None, entry
        assert rule[1] == rule[3], entry
        assert catalogue.rules()[rule[1]].family == rule[2], entry
        assert _PLACE.search(entry), entry
        assert "*Harm:*" in entry, entry


def test_the_head_counts_them() -> None:
    said = re.search(r"(\d+) places in (\d+) projects", TEXT)
    assert said is not None
    assert int(said[1]) == sum(map(places, ENTRIES)) >= 60
    assert int(said[2]) == TEXT.count("\n## ")
