"""What the quick reader reads is what Python reads, place by place; what Python refuses it leaves to Python."""

from __future__ import annotations

import os
import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from mllint import tree

compact: Any = pytest.importorskip(
    "mllint._compact", reason="only an installation with the compiled core reads for itself"
)
if not compact.quick("x"):
    pytest.skip("this Python reads for itself", allow_module_level=True)

LIBRARY = sorted(Path(os.__file__).parent.glob("*.py"))
MINE = sorted((Path(__file__).parent).rglob("*.py"))

TEXTS = Path(__file__).parent / "fixtures" / "texts"
TAKEN = dict(part.split("\n", 1) for part in (TEXTS / "taken.txt").read_text(encoding="utf-8").split("=== ")[1:]) | {
    "nothing": "",
    "no end of line": "x = 1\n# c",
    "other ends of lines": "def f():\r\n    '''a\r\n    b'''\r    return 1\n",
    "tabs and a form feed": "if x:\n\ty = 1\n\f\tz = 2\n",
}
REFUSED = (TEXTS / "refused.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n===\n")
UNUSUAL = ("é = 1", "\ufeffx", "match x:\n    case 1: pass", "__debug__", "x\0", "x[*a]", "\ud800", "-" * 300 + "1")


def of_python(text: str) -> Any:
    """The tree and the names by way of Python's own tree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compact.read(compile(text, "<text>", "exec", 0x400, dont_inherit=True))


def same(text: str, found: Any) -> bool:
    """Does the reader say what Python says?"""
    expected, names = of_python(text)
    return tree.dump(found[0], places=True) == tree.dump(expected, places=True) and sorted(found[1]) == sorted(names)


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_it_takes_what_is_usual(text: str) -> None:
    found = compact.quick(text)
    assert found is not None and same(text, found)


@pytest.mark.parametrize("text", REFUSED)
def test_it_leaves_what_python_refuses(text: str) -> None:
    for whole in (text, text + "\n", f"{text}\nx = 1\n"):
        with pytest.raises(SyntaxError):
            of_python(whole)
        assert compact.quick(whole) is None


@pytest.mark.parametrize(
    "text", ["é = 1", "\ufeffx", "match x:\n    case 1: pass", "__debug__", "x\0", "x[*a]", "\ud800", "-" * 300 + "1"]
)
def test_it_leaves_what_is_unusual(text: str) -> None:
    assert compact.quick(text) is None


@pytest.mark.parametrize("path", [*LIBRARY[::3], *MINE[::3]], ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    found = compact.quick(text)
    assert found is None or same(text, found)


def test_most_real_files_are_taken() -> None:
    taken = [compact.quick(path.read_text(encoding="utf-8", errors="replace")) is not None for path in LIBRARY]
    assert sum(taken) > 0.9 * len(taken)


@pytest.mark.filterwarnings("ignore:invalid escape")
@pytest.mark.parametrize("seed", range(20))
def test_texts_with_random_changes(seed: int) -> None:
    """Something is taken out, put in or exchanged: whatever the reader still takes, Python takes and reads so."""
    draw = random.Random(seed)
    pieces = [piece for text in (*TAKEN.values(), *REFUSED) for piece in re.findall(r"\w+|[^\w\s]+|\s+", text)]
    for _ in range(150):
        parts = re.findall(r"\w+|\s+|[^\w\s]", draw.choice([*TAKEN.values()]) + draw.choice([*TAKEN.values()]))
        for _ in range(draw.choice((1, 1, 2)) if parts else 0):
            at = draw.randrange(len(parts))
            parts[at : at + draw.randrange(2)] = [draw.choice(pieces)] * draw.randrange(2)
            parts = parts or [""]
        text = "".join(parts)
        found = compact.quick(text)
        assert found is None or same(text, found), text
