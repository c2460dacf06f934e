"""The line that CI is told is the line of the file, whatever the JSON looks like."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mllint.diagnostic import Position, Span
from mllint.sources.rawnotebook import RawNotebook

NOTEBOOK = r"""{
 "metadata": {"kernelspec": {"language": "python"}},
 "cells": [
  {"cell_type": "markdown", "source": ["# source: step(\n", "x"]},
  {
   "outputs": [{"text": ["step(\"train\")\n"], "source": "step"}],
   "cell_type": "code",
   "source": [
    "import torch\n",
    "t = '\ud83d\udd25\u00e9🔥'; s = \"\\\"; step(1)\n",
    "\n",
    "end()"
   ]
  },
  {"source": "a()\r\nb()\rc()", "cell_type": "code"},
  {"cell_type": "code", "source": []},
  {"cell_type": "code"}
 ]
}
"""


def line_of(text: str) -> int:
    return NOTEBOOK[: NOTEBOOK.index(text)].count("\n") + 1


def place(text: str, within: str) -> Position:
    line = NOTEBOOK.split("\n")[line_of(within) - 1]
    return Position(line_of(within), line.index(text) + 1)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ((1, 1, 1), place("# source", "# source")),
        ((1, 2, 1), place('x"]', "# source")),
        ((2, 1, 1), place("import", "import torch")),
        ((2, 1, 13), place(r"\n", "import torch")),
        ((2, 1, 99), place(r"\n", "import torch")),
        ((2, 2, 1), place("t = '", "t = '")),
        ((2, 2, 6), place(r"\ud83d", "t = '")),
        ((2, 2, 7), place(r"\u00e9", "t = '")),
        ((2, 2, 8), place("🔥", "t = '")),
        ((2, 2, 21), place("step(1)", "t = '")),
        ((2, 3, 1), Position(line_of("t = '") + 1, 6)),
        ((2, 4, 4), place("()", "end()")),
        ((2, 4, 6), Position(line_of("end()"), 11)),
        ((2, 9, 1), Position(line_of("end()"), 11)),
        ((3, 2, 1), place("b()", "b()")),
        ((3, 3, 2), place('()", "cell', "a()")),
        ((4, 1, 1), Position(1, 1)),
        ((5, 1, 1), Position(1, 1)),
        ((6, 1, 1), Position(1, 1)),
    ],
)
def test_places_of_cells_in_the_file(asked: tuple[int, int, int], found: Position) -> None:
    assert RawNotebook(NOTEBOOK.encode()).position(*asked) == found


def test_a_span_loses_its_cell() -> None:
    raw = RawNotebook(NOTEBOOK.encode())
    span = raw.span(Span("a.ipynb", Position(1, 1), Position(2, 2), 3))
    line = line_of("a()")
    assert span == Span("a.ipynb", Position(line, 15), Position(line, 23))
    whole = Span("a.ipynb", Position(7, 1), Position(7, 2))
    assert raw.span(whole) == whole


def test_worksheets_count_on() -> None:
    sheets = [{"cells": [{"input": "a()"}, {"source": "b()"}]}, {"cells": [{"input": ["c()\n", "d()"]}]}]
    text = json.dumps({"nbformat": 3, "worksheets": sheets}, indent=1)
    raw = RawNotebook(text.encode())
    lines = text.split("\n")
    for asked, code in (((1, 1), "a()"), ((2, 1), "b()"), ((3, 2), "d()")):
        line, column = raw.position(*asked)
        assert lines[line - 1][column - 1 :].startswith(code)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b'{"cells": [{"source": "a', b"\xff", b'{"cells": 3}', b"[" * 100_000]
)
def test_what_is_no_notebook_has_only_a_beginning(data: bytes) -> None:
    assert RawNotebook(data).position(1, 1, 5) == (1, 1)


texts = st.text(st.sampled_from('ab"\\\n\t/é🔥\u2028'), max_size=20)


@given(st.lists(texts, min_size=1, max_size=4), st.booleans(), st.booleans(), st.sampled_from([None, 1]))
def test_every_character_is_found(cells: list[str], ascii_only: bool, split: bool, indent: int | None) -> None:
    made = [{"source": text.splitlines(keepends=True) if split else text} for text in cells]
    text = json.dumps({"cells": made}, ensure_ascii=ascii_only, indent=indent)
    raw = RawNotebook(b"\xef\xbb\xbf" + text.encode())
    for number, cell in enumerate(cells, 1):
        for index, line in enumerate(cell.split("\n"), 1):
            for column, character in enumerate(line, 1):
                written = json.dumps(character, ensure_ascii=ascii_only)[1:-1]
                where = raw.position(number, index, column)
                assert text.split("\n")[where.line - 1][where.column - 1 :].startswith(written)
