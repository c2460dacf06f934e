"""Buffers: what edits make of them, and the units of columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mllint.diagnostic import Position, Span
from mllint.server.documents import Cell, Change, Encoding, Notebook, Text
from mllint.sources.source import Source

ENCODINGS = ("utf-8", "utf-16", "utf-32")
PIECES = st.lists(st.sampled_from(["a", " ", "é", "🔥", "\n", "\r\n", "\f", "\u2028", "x = 1"]), max_size=8).map(
    "".join
)


@pytest.mark.parametrize(("name", "column"), [("utf-8", 12), ("utf-16", 10), ("utf-32", 9)])
def test_an_emoji_before_the_column(name: str, column: int) -> None:
    line = 'x = "🔥"; loss.backward()'
    encoding = Encoding(name)
    span = Span("train.py", Position(1, 10), Position(1, 14))
    assert encoding.range(span, [line])[0] == (0, column)
    assert encoding.points(line, column) == 9


def test_a_column_inside_a_character_is_before_it() -> None:
    assert Encoding("utf-16").points("🔥x", 1) == 0
    assert Encoding("utf-8").points("é", 1) == 0


def test_a_column_behind_the_line_is_its_end() -> None:
    text = Text("u", "ab\ncd")
    text.change([Change("!", (0, 99), (0, 99))], Encoding(), 2)
    assert (text.text, text.version) == ("ab!\ncd", 2)


def test_a_line_behind_the_text_is_its_end() -> None:
    text = Text("u", "ab")
    text.change([Change("\ncd", (7, 0), (9, 0))], Encoding(), 2)
    assert text.text == "ab\ncd"


def test_a_form_feed_ends_no_line() -> None:
    text = Text("u", "a = 1\n\f\nb = 2\r\nc\rd")
    assert text.lines == ["a = 1", "\f", "b = 2", "c", "d"]
    text.change([Change("B", (2, 0), (2, 1))], Encoding(), 2)
    assert text.text == "a = 1\n\f\nB = 2\r\nc\rd"


@given(
    PIECES, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 10), PIECES), max_size=6), st.sampled_from(ENCODINGS)
)
def test_edits_make_the_text_that_the_editor_has(start: str, edits: list[tuple[int, int, str]], name: str) -> None:
    """An editor that thinks in offsets and sends places, held against our buffer."""
    encoding, theirs, ours = Encoding(name), start, Text("u", start)
    for at, length, added in edits:
        first, last = min(at, len(theirs)), min(at + length, len(theirs))
        if theirs[max(first - 1, 0) : first + 1] == "\r\n" or theirs[max(last - 1, 0) : last + 1] == "\r\n":
            continue  # between the two there is no place
        change = Change(added, place(theirs, first, encoding), place(theirs, last, encoding))
        theirs = theirs[:first] + added + theirs[last:]
        ours.change([change], encoding, None)
        assert ours.text == theirs


def place(text: str, offset: int, encoding: Encoding) -> tuple[int, int]:
    """The place of an offset, worked out another way."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line = before[before.rfind("\n") + 1 :]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding.name]
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding.name]
    return before.count("\n"), len(line.encode(codec)) // width


def test_a_declared_encoding_is_the_one_that_is_read() -> None:
    text = "# -*- coding: latin-1 -*-\nname = 'é'\n"
    assert Source.from_bytes("a.py", Text("u", text).data()).text == text


def test_a_notebook_is_what_would_be_saved() -> None:
    notebook = Notebook("nb", [Cell("1", True), Cell("2", False), Cell("3", True)])
    texts = {"1": Text("1", "import torch"), "2": Text("2", "# words"), "3": Text("3", "%time x = 1")}
    source = Source.from_bytes("a.ipynb", notebook.data(texts, {"1": "python", "3": "python"}))
    assert source.cells is not None and source.cells.numbers == (1, 3)
    notebook.splice(0, 2, [])
    source = Source.from_bytes("a.ipynb", notebook.data(texts, {"3": "python"}))
    assert source.cells is not None and source.cells.numbers == (1,)
