"""What is tried: a generator makes one input from a source of chance.

Sources come from the pages, fixtures and examples (`tests.fuzz.damage`) or from a grammar (`tests.fuzz.anything`); data
files are made from what their format knows, with values that it does not know, and are then damaged as bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from mllint.catalogue import pages
from mllint.cli.app import COMMANDS
from mllint.config.schema import KEYS
from tests.fuzz.anything import ATTRIBUTES, NAMES, source
from tests.fuzz.damage import TOKEN, damaged, originals
from tests.metamorphic.specimens import ROOT

__all__ = ["GENERATORS", "Input"]

Input = dict[str, bytes]
"""Files by their path; a command line has its words, one a line, in a file named `arguments`."""

LONGEST = 300  # characters of an original: many small inputs try more than few large ones
ODD = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\x0c", b"\t", b"\\\n", b"\xe2\x80\xae", b"\x1b[2J", b"\xed\xa0\x80",
    b"'''", b"# coding: utf-7\n", b"# coding: rot13\n", b"9" * 5000, b"0x" + b"f" * 5000, b"(", b")", b"{", b"f'{",
    b"\n\n", b"@", b":", b"*", b"%%bash\n",
)  # fmt: skip
TEXTS = (
    "", "a", "é🔥", "\x00", "\x1b[31m", "../x", "/dev/null", "a" * 3000, "{", "[", "*", "**", "torch", "loss", "ALL",
    "-",
)  # fmt: skip
NUMBERS = (0, 1, -1, 10**9, 10**400, -0.5, 1e308, True, False, None)


# ------------------------------------------------------------------------------------------------------------- sources
@cache
def small() -> tuple[str, ...]:
    """The originals that are not long."""
    return tuple(text for text in originals() if len(text) <= LONGEST)


def mutated(random: Random, data: bytes) -> bytes:
    """Some bytes after one to six edits."""
    for _ in range(random.randint(1, 6)):
        at = random.randint(0, len(data))
        to = min(at + random.choice((0, 1, 1, 4, 40)), len(data))
        other = bytes([random.randrange(256)]), random.choice(ODD), data[to : to + 30]
        middle = random.choice((b"", *other, data[at:to] * 2, data[at:to][::-1]))
        data = data[:at] + middle + data[to:]
    return data


def of_bytes(random: Random) -> Input:
    """A source in which bytes were changed, moved and put in."""
    return {"x.py": mutated(random, random.choice(small()).encode())}


def of_tokens(random: Random) -> Input:
    """A source as half-finished edits leave it."""
    return {"x.py": damaged(random)[: 4 * LONGEST].encode()}


def shuffled(random: Random) -> Input:
    """A source of which the tokens of a few lines are in another order."""
    lines = random.choice(small()).split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        tokens = TOKEN.findall(lines[at].strip())
        random.shuffle(tokens)
        lines[at] = indent + "".join(tokens).strip()
    return {"x.py": "\n".join(lines).encode()}


def spliced(random: Random) -> Input:
    """Lines of two sources in one, or two sources that import each other."""
    one, two = random.choice(small()), random.choice(small())
    if random.random() < 0.3:
        return {"one.py": f"from two import *\n{one}".encode(), "two.py": f"import one\n{two}".encode()}
    lines, others = one.split("\n"), two.split("\n")
    at, start = random.randint(0, len(lines)), random.randint(0, len(others))
    lines[at:at] = others[start : start + random.randint(1, 12)]
    return {"x.py": "\n".join(lines).encode()}


def trees(random: Random) -> Input:
    """Any syntax at all, over the words of training code."""
    return {"x.py": source(random, random.choice((4, 8, 12, 25))).encode("utf-8", "replace")}


MARKS = ("mllint: ignore", "mllint: ignore-file", "mllint:ignore", "mllint: off", "noqa", "type: ignore")


def suppressions(random: Random) -> Input:
    """Comments that suppress, almost: in sources, and damaged."""
    lines = random.choice(small()).split("\n")
    for _ in range(random.randint(1, 5)):
        rules = ",".join(random.choice((*TEXTS[:10], *pages.rules())) for _ in range(random.randint(0, 3)))
        mark = random.choice(MARKS)
        comment = f"  # {mark}{random.choice(('', f'[{rules}]', f': {rules}', '[', f'[{rules}', ' -- why'))}"
        lines[random.randrange(len(lines))] += comment.replace("\n", " ")
    data = "\n".join(lines).encode()
    return {"x.py": mutated(random, data) if random.random() < 0.3 else data}


# -------------------------------------------------------------------------------------------------------- large shapes
OPEN_CLOSE = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("{0: ", "}"), ("f(", ")"), ("torch.relu(", ")"), ("not ", ""), ("-", ""),
    ("lambda: ", ""), ("x if y else ", ""), ("", ".a"), ("", "[0]"), ("", "()"), ("", " + x"), ("", " ** x"),
    ("", " and y"), ("", " < x"), ("", "'a' "), ("[", " for x in y]"), ("*", ""), ("await ", ""), ("x := (", ")"),
    ("model(", ").loss"), ("f'{", "}'"), ("nn.Sequential(", ", 1)"),
)  # fmt: skip
BLOCKS = (
    "if x:", "for x in loader:", "while x:", "with torch.no_grad():", "def f():", "class A(nn.Module):", "try:",
    "else:", "match x:", "case [x, *y]:", "async def f():", "@f", "elif y:", "except* ValueError:", "finally:",
    "loss.backward()", "x = 1", "return x",
)  # fmt: skip
WHOLE = ("x = {}\n", "{}\n", "{}.backward()\n", "for x in {}:\n    pass\n", "{} = x\n", "import {}\n", "del {}\n")


def nestings(random: Random) -> Input:
    """Expressions or blocks inside of each other, ten to some thousand deep."""
    depth = random.choice((5, 10, 20, 40, 80, 90, 100, 150, 300, 1000))
    if random.random() < 0.4:
        depth = min(depth, 150)
        lines = [f"{' ' * level}{random.choice(BLOCKS)}" for level in range(depth)]
        return {"x.py": ("import torch\nfrom torch import nn\n" + "\n".join(lines) + f"\n{' ' * depth}pass\n").encode()}
    kinds = random.sample(OPEN_CLOSE, random.randint(1, 3))
    chosen = [random.choice(kinds) for _ in range(depth)]
    nest = "".join(before for before, _ in chosen) + "x" + "".join(after for _, after in reversed(chosen))
    return {"x.py": ("import torch\nfrom torch import nn\n" + random.choice(WHOLE).format(nest)).encode()}


LETTERS = ("a", "_", "é", "\u017f", "\U0001d51e", "x1_", "aB", "\uff21", "\uff4d\uff4f\uff44\uff45\uff4c", "loss_", "ª")
"""Among them letters that Python takes for others: a long s, a letter of Fraktur, letters of full width."""


def names(random: Random) -> Input:
    """A source in which names are very long, or of letters that nobody types."""
    text = random.choice(small())
    letters = random.choice(LETTERS)
    for word in random.sample((*NAMES, *ATTRIBUTES), 12):
        if random.random() < 0.5:
            text = text.replace(word, (letters * random.choice((1, 3, 10, 50, 1000)))[:20_000] + word[-1])
    return {random.choice(("x.py", "é 🔥.py", "a" * 200 + ".py")): text[:200_000].encode("utf-8", "replace")}


# ---------------------------------------------------------------------------------------------------------- data files
def anything(random: Random, depth: int = 3) -> Any:
    """Any JSON."""
    kind = random.randrange(6 if depth else 4)
    if kind < 2:
        return random.choice(TEXTS)
    if kind < 4:
        return random.choice(NUMBERS)
    if kind == 4:
        return [anything(random, depth - 1) for _ in range(random.randint(0, 3))]
    return {random.choice(TEXTS): anything(random, depth - 1) for _ in range(random.randint(0, 3))}


def twisted(random: Random, tree: Any) -> Any:
    """A tree of JSON with something else in one to three places."""
    if random.random() < 0.2 or not tree or not isinstance(tree, (dict, list)):
        return anything(random)
    places = [*tree] if isinstance(tree, dict) else range(len(tree))
    place = random.choice(places)
    kind = random.random()
    changed = tree.copy()
    if kind < 0.15:
        del changed[place]
    else:
        changed[place] = anything(random) if kind < 0.3 else twisted(random, tree[place])
    return changed


def as_json(random: Random, tree: Any) -> bytes:
    """Written, and damaged now and then."""
    text = json.dumps(tree, indent=random.choice((None, 1)), ensure_ascii=random.random() < 0.5)
    data = text.encode("utf-8", "replace")
    if random.random() < 0.2:
        data = mutated(random, data)
    if random.random() < 0.01:
        data = data.replace(b'"', b"[" * random.choice((100, 5_000)) + b'"', 1)
    return data


MAGICS = (
    "%%time\n", "!pip install torch\n", "%matplotlib inline\n", "x = !ls\n", "?x\n", "%%bash\nrm x\n", "x??\n",
    "%run a.py\n", "%%capture out\n",
)  # fmt: skip


def notebooks(random: Random) -> Input:
    """A notebook of some cells, of which anything may be something else."""
    cells = []
    for _ in range(random.randint(1, 4)):
        text = random.choice(MAGICS) * (random.random() < 0.3) + random.choice(small())[:600]
        cells.append(
            {
                "cell_type": random.choice(("code", "code", "markdown", "raw")),
                "metadata": random.choice(({}, {"tags": ["raises-exception"]}, {"kernel": "R"})),
                "source": text if random.random() < 0.5 else text.splitlines(keepends=True),
                "outputs": [],
            }
        )
    kernel = {"language": "python", "name": "python3"}
    tree: dict[str, Any] = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    if random.random() < 0.1:
        tree = {"worksheets": [{"cells": cells}], "nbformat": 3}
    for _ in range(random.randint(0, 3)):
        tree = twisted(random, tree)
    return {"x.ipynb": as_json(random, tree)}


def toml(random: Random, value: Any) -> str:
    """A value as TOML, nearly."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(random, item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(random, item) for item in value) + "]"
    if value is None:
        return random.choice(("1979-05-27", "nan", "inf", "0x" + "f" * 5000, "'''x'''", "" + "[" * 50))
    return json.dumps(value, ensure_ascii=False)


TABLES = ("[tool.mllint]", "[tool]\nmllint = 1", "[[tool.mllint]]", "[project]\ndependencies = 1")


def configurations(random: Random) -> Input:
    """Keys with their examples or with anything, in a file of its own or in `pyproject.toml`."""
    lines = []
    for key in random.sample(KEYS, random.randint(1, 5)):
        name = key.name if random.random() < 0.9 else key.name[::-1]
        lines.append(key.example if random.random() < 0.5 else f"{name} = {toml(random, anything(random))}")
    if random.random() < 0.2:
        lines.insert(0, f"extend = {json.dumps(random.choice(('mllint.toml', 'base.toml', '..', *TEXTS)))}")
    name = random.choice(("mllint.toml", ".mllint.toml", "pyproject.toml"))
    if name == "pyproject.toml":
        lines.insert(0, random.choice(TABLES))
    data = "\n".join(lines).encode("utf-8", "replace")
    return {name: mutated(random, data) if random.random() < 0.4 else data, "x.py": b"import torch\n"}


LOCKS = ("requirements.txt", "uv.lock", "poetry.lock", "Pipfile.lock", "environment.yml", "setup.py", "setup.cfg")
REQUIRED = (
    "torch==2.1", "torch>=1.8,<2", "-r other.txt", "-r requirements.txt", "numpy", "[[package]]", "version = '1'",
)  # fmt: skip


def requirements(random: Random) -> Input:
    """Files that name versions of libraries."""
    name = random.choice(LOCKS)
    lines = [
        random.choice(REQUIRED) + random.choice(("", "", " # why", "; python_version < '3'", " @ file:///x"))
        for _ in range(random.randint(1, 6))
    ]
    data = "\n".join(lines).encode()
    if name == "Pipfile.lock":
        data = as_json(random, twisted(random, {"default": {"torch": {"version": "==2.1"}}}))
    return {name: mutated(random, data) if random.random() < 0.7 else data, "x.py": b"import torch\n"}


def baselines(random: Random) -> Input:
    """A baseline of some rows, of which anything may be something else."""
    rows = [
        {
            "path": random.choice(("x.py", *TEXTS)),
            "rule": random.choice([*pages.rules()]),
            "symbol": "f",
            "statement": random.choice(("5f1c", *TEXTS)),
            "message": random.choice(TEXTS),
        }
        for _ in range(random.randint(0, 4))
    ]
    tree: Any = {"version": random.choice((1, 1, 1, 2)), "findings": rows}
    for _ in range(random.randint(0, 3)):
        tree = twisted(random, tree)
    return {"baseline.json": as_json(random, tree), "x.py": b"x = 1\n"}


@cache
def stub_texts() -> tuple[str, ...]:
    """Pieces of the stubs that come with mllint."""
    pieces = []
    for above, folders, found in os.walk(os.path.join(ROOT, "src", "mllint", "stubs")):
        folders.sort()
        for name in sorted(found):
            if name.endswith(".pyi"):
                with open(os.path.join(above, name), encoding="utf-8") as stream:
                    blocks = stream.read().split("\n\n")
                pieces += ["\n\n".join(blocks[i : i + 3]) for i in range(0, len(blocks), 3)]
    return tuple(piece for piece in pieces if len(piece) < LONGEST)


def stubs(random: Random) -> Input:
    """A damaged stub of a library, and a file that uses what it names."""
    head = "from mllint import stub as s\nfrom mllint.stub import *\n" * (random.random() < 0.5)
    text = head + "\n".join(random.choice(stub_texts()) for _ in range(random.randint(1, 2)))
    for _ in range(random.randint(0, 2)):
        lines = text.split("\n")
        random.shuffle(tokens := TOKEN.findall(lines[at := random.randrange(len(lines))]))
        lines[at] = "".join(tokens) if random.random() < 0.3 else lines[random.randrange(len(lines))]
        text = "\n".join(lines)
    data = mutated(random, text.encode()) if random.random() < 0.3 else text.encode()
    named = [word for word in TOKEN.findall(text) if word.isidentifier()]
    uses = "\n".join(f"x = lib.{random.choice(named)}(x, 1).{random.choice(named)}" for _ in range(4)) if named else ""
    return {"typings/lib.pyi": data, "x.py": f"import lib\nx = 1\n{uses}\nx.backward()\n".encode()}


# ------------------------------------------------------------------------------------------------------- command lines
OPTIONS = """--select --ignore --extend-select --extend-ignore --per-file-ignores --pedantic --auditor --min-confidence
-f --output-format --output-file --statistics --color -q -v --fail-on --exit-zero --config --isolated --exclude
--no-cache --extend-exclude --respect-gitignore --show-settings --show-files --stdin-filename --baseline --no-baseline
--timing --add-ignore --cache-dir --symptom --list --check --json --verbose --help -h -V --context --rename --wrong --
-""".split()
VALUES = """x.py y.ipynb loss ALL DEFAULT json full sarif github concise:out.txt json:x.py auto always never error info
high double-softmax missing-zero-grad select fail-on=never select=["loss"] *.py:loss torch=2.1 bash zsh powershell 1 0
-1""".split()
REFUSED = frozenset(("server", "--watch"))  # they go on for ever


def command_lines(random: Random) -> Input:
    """A command with options and values that it may not know."""
    commands = [name for name in COMMANDS if name not in REFUSED]
    words = [random.choice((*commands, "check", "check", "check"))] if random.random() < 0.95 else []
    for _ in range(random.randint(0, 6)):
        word = random.choice(random.choice((OPTIONS, VALUES, VALUES, TEXTS)))
        if random.random() < 0.2:
            word += "=" + random.choice((*VALUES, *TEXTS))
        if random.random() < 0.05 and word:
            word = word[: random.randrange(len(word))]
        words.append(word.replace("\n", " ").replace("\0", "").replace("/dev/null", "null"))
    return {"arguments": "\n".join(words).encode("utf-8", "replace"), "x.py": b"import torch\nx = torch.zeros(1)\n"}


GENERATORS: dict[str, tuple[Callable[[Random], Input], int]] = {
    "bytes": (of_bytes, 330),
    "tokens": (of_tokens, 30),
    "shuffled": (shuffled, 60),
    "spliced": (spliced, 15),
    "trees": (trees, 40),
    "suppressions": (suppressions, 30),
    "nestings": (nestings, 90),
    "names": (names, 30),
    "notebooks": (notebooks, 90),
    "configurations": (configurations, 110),
    "requirements": (requirements, 40),
    "baselines": (baselines, 70),
    "stubs": (stubs, 45),
    "command-lines": (command_lines, 20),
}
"""Each generator, and how many of a thousand inputs are its."""
