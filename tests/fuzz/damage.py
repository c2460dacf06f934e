"""Real sources, damaged: tokens deleted, doubled and exchanged, lines moved, as half-finished edits leave them."""

from __future__ import annotations

import os
import re
from functools import cache
from random import Random

from tests.metamorphic.specimens import ROOT

__all__ = ["damaged", "originals"]

TOKEN = re.compile(r"\w+|[^\w\s]|\s+")


@cache
def originals() -> tuple[str, ...]:
    """The sources of the fixtures and the examples of the documentation, and the blocks of all pages."""
    found = []
    for folder in ("tests/fixtures/clean", "examples"):
        for place, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".py"):
                    with open(os.path.join(place, name), encoding="utf-8") as stream:
                        found.append(stream.read())
    for place, folders, names in os.walk(os.path.join(ROOT, "rules")):
        folders.sort()
        for name in sorted(names):
            with open(os.path.join(place, name), encoding="utf-8") as stream:
                blocks = re.findall(r"^```py.*?\n(.*?)^```", stream.read(), re.M | re.S)
                found += [f"import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n{b}" for b in blocks]
    return tuple(found)


def damaged(random: Random) -> str:
    """One of the originals after a few random edits; about half of the results still parse."""
    text = random.choice(originals())
    for _ in range(random.randint(1, 4)):
        text = random.choice((_tokens, _tokens, _lines, _lines, _lines))(random, text)
    return text


def _tokens(random: Random, text: str) -> str:
    tokens = TOKEN.findall(text)
    if not tokens:
        return text
    words = [i for i, token in enumerate(tokens) if re.match(r"\w", token)] or [0]
    at, other = random.choice(words), random.choice(words)
    match random.randrange(5):
        case 0:
            del tokens[random.randrange(len(tokens))]
        case 1:
            tokens.insert(at, random.choice(tokens))
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3:
            tokens[at] = tokens[other]
        case _:
            tokens = tokens[: random.randrange(len(tokens))]
    return "".join(tokens)


def _lines(random: Random, text: str) -> str:
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            same = [i for i, line in enumerate(lines) if _indent(line) == _indent(lines[at])]
            other = random.choice(same)
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines.insert(at, " " * _indent(lines[at]) + lines[other].lstrip())
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
