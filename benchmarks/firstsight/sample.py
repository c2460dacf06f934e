"""Which repositories are looked at: the list of candidates, the draw, and the sample with the size of each."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Repository", "candidates", "draw", "dump", "folder", "load"]


class Repository(NamedTuple):
    """One repository of the sample: what was checked, and how large it is.

    Attributes:
        word: the one that it was listed for.
        unparsed: how many files are not Python 3.
        round: which look it belongs to. Between two of them mllint was mended.
    """

    name: str
    commit: str
    word: str
    files: int = 0
    lines: int = 0
    unparsed: int = 0
    round: int = 1


def candidates(text: str) -> dict[str, list[str]]:
    """The repositories of each word. A heading `# word` stands above its names; a name counts once, where it is first.

    Raises:
        ValueError: a name above the first heading, or one that is no `owner/name`.
    """
    words: dict[str, list[str]] = {}
    seen = set()
    word = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line.startswith("#"):
            word = line.lstrip("# ")
            words.setdefault(word, [])
        elif line:
            if not word or line.count("/") != 1:
                raise ValueError(f"line {number}: needs `owner/name` below a heading with its word")
            if line not in seen:
                words[word].append(line)
            seen.add(line)
    return words


def draw(words: Mapping[str, Sequence[str]], seed: int) -> list[tuple[str, str]]:
    """All candidates as (name, word) in the order in which they are taken: shuffled, then one of each word in turn."""
    source = random.Random(seed)
    piles = {word: list(names) for word, names in words.items()}
    for pile in piles.values():
        source.shuffle(pile)
    longest = max(map(len, piles.values()), default=0)
    return [(pile[turn], word) for turn in range(longest) for word, pile in piles.items() if turn < len(pile)]


def folder(top: str, name: str) -> str:
    """Where the sources of a repository lie below a folder: `owner+name`."""
    return os.path.join(top, name.replace("/", "+"))


def load(text: str) -> list[Repository]:
    """The repositories of `sample.json`."""
    return [Repository(**entry) for entry in json.loads(text)]


def dump(sample: Iterable[Repository]) -> str:
    """One repository per line, in the order of the draw."""
    return "[\n" + ",\n".join(json.dumps(one._asdict(), ensure_ascii=False) for one in sample) + "\n]\n"
