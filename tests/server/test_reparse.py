"""Trees that are made of trees of before: node by node, with all places, what a full parse gives."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from mllint.errors import SourceError
from mllint.server.reparse import reparsed
from mllint.sources.parsing import parse

SOURCES = Path(__file__).parents[2] / "src" / "mllint"
ODD = [
    "else:",
    "elif x: pass",
    "except: pass",
    "finally:",
    "@d",
    "case 1:",
    "(",
    ")",
    "'''",
    "x; y = 1",
    "\\",
    "\tx",
    "if x:",
]


def dump(tree: ast.Module) -> str:
    return ast.dump(tree, include_attributes=True)


def parsed(text: str) -> ast.Module | None:
    try:
        return parse(text)
    except SourceError:
        return None


def edited(text: str, dice: random.Random) -> str:
    """A text after one edit, sensible or not."""
    lines = text.split("\n")
    at = dice.randrange(len(lines))
    line = lines[at]
    indent = line[: len(line) - len(line.lstrip())]
    kind = dice.randrange(8)
    if kind == 0:
        lines[at] += dice.choice(["  # x", " \\", "; y = 1", " if x else y", ":"])
    elif kind == 1:
        lines.insert(at, dice.choice(lines))
    elif kind == 2:
        del lines[at]
    elif kind == 3:
        lines[at] = dice.choice(lines)
    elif kind == 4:
        lines[at] = dice.choice([f"    {line}", line[4:], line.replace('"', '"""')])
    elif kind == 5:
        lines[at : at + 1] = [indent + dice.choice(ODD), line]
    else:
        column = dice.randrange(len(line) + 1)
        lines[at] = line[:column] + dice.choice("ab1()[],:#\"'=.@ ") + line[column:]
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["server/session.py", "sources/source.py", "rule.py", "engine/run.py"])
def test_any_edit(name: str) -> None:
    dice = random.Random(name)
    text = (SOURCES / name).read_text(encoding="utf-8")
    tree = parse(text)
    made = 0
    for _ in range(60):
        after = edited(text, dice)
        found, whole = reparsed(tree, text, after), parsed(after)
        if found is not None:
            made += 1
            assert whole is not None and dump(found) == dump(whole)
        if whole is not None and dice.random() < 0.5:
            text, tree = after, found or whole
    assert made > 8


@pytest.mark.parametrize(
    ("before", "after", "made"),
    [
        ("a = 1\nb = 2\n", "a = 1\nb = 3\n", True),
        ("def f():\n    a = 1\n    b = 2\n    c = 3\n", "def f():\n    a = 1\n    b = 4\n    c = 3\n", True),
        ("def f():\n    a = 1\n    b = 2\n", "def f():\n    a = 1\n    b = 2.5\n", True),
        ("x = 1\n@d\ndef f(): pass\n", "x = 1\n@e\ndef f(): pass\n", True),
        ("a = 1\nb = 2\nc = 3\n", "a = 1\nb = (\nc = 3\n", False),
        ("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 2 \\\nc = 3\n", False),
        ("a = 1\nb = 2\n", "b = 1\nb = 2\n", False),
        ("if a:\n    b\nelse:\n    c\n", "if a:\n    b\nelif:\n    c\n", False),
    ],
)
def test_what_can_be_made(before: str, after: str, made: bool) -> None:
    tree = parse(before)
    known = dump(tree)
    found = reparsed(tree, before, after)
    assert (found is not None) is made
    assert found is None or dump(found) == dump(parse(after))
    assert dump(tree) == known, "the tree of before stays as it is"


def test_what_did_not_change_is_the_same_tree() -> None:
    before = "def f():\n    a = 1\n    b = 2\n    c = 3\n\nd = 4\n"
    tree = parse(before)
    found = reparsed(tree, before, before.replace("b = 2", "b = 5"))
    assert found is not None and found.body[1] is tree.body[1]
    assert found.body[0].body[2] is tree.body[0].body[2] and found.body[0].body[1] is not tree.body[0].body[1]


def test_what_stands_below_new_lines_is_moved() -> None:
    before = "def f():\n    a = 1\n    b = 2\n    if c:\n        d = 1\n    else:\n        d = 2\n\ne = 3\n"
    for old, new in [
        ("b = 2", "b = (2 +\n         3)"),
        ("    b = 2\n", ""),
        ("    b = 2\n", "    b = 2\n\n    # c\n"),
    ]:
        tree, after = parse(before), before.replace(old, new)
        found = reparsed(tree, before, after)
        assert found is not None and dump(found) == dump(parse(after))
        assert found.body[0].args is tree.body[0].args and dump(tree) == dump(parse(before))
