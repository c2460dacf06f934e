"""Every file is read as Python reads it, every position is what an editor shows, nothing ends in a traceback."""

from __future__ import annotations

import ast
import pickle
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mllint.errors import ConfigError, SourceError
from mllint.sources.source import Source

ROBUST = Path(__file__).parent / "fixtures" / "robust"
SCRAPS = [
    *(b"\n", b"\r\n", b"\r", b"\x0c", b"    ", b"\t", b"\\\n", b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf"),
    *(b"# coding: latin-1\n", b"# coding: x\n", b"'''", b'"', b"f'{x}'", b"(", b")", b"[", b";", b"x = 1", b"step()"),
    *(b"if x:", b"else:", b"def f():", b"@d\n", b"pass", b"match x:", b"case 1:", b"try:", b"except E:", b"print x"),
]


def refused(data: bytes, path: str = "train.py") -> SourceError:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes(path, data).tree()
    return caught.value


def call(source: Source, name: str) -> ast.Call:
    calls = [node for node in ast.walk(source.tree()) if isinstance(node, ast.Call)]
    return next(node for node in calls if (source.segment(node.func)) == name)


def test_position_counts_characters_not_bytes() -> None:
    source = Source.from_bytes("train.py", "note = '🔥é'; loss.backward()\n".encode())
    span = source.span(call(source, "loss.backward"))
    assert (span.start, span.end) == ((1, 14), (1, 29))
    assert source.segment(call(source, "loss.backward")) == "loss.backward()"


def test_position_on_an_ascii_line_of_a_file_that_is_not_ascii() -> None:
    source = Source.from_bytes("train.py", "# été\nx = step()\n".encode())
    assert source.span(call(source, "step")).start == (2, 5)
    assert source.position(2, 4) == (2, 5)


def test_crlf_and_old_mac_line_ends_are_lines() -> None:
    for data in (b"a = 1\r\nb = f(\r\n  a)\r\n", b"a = 1\rb = f(\r  a)\r"):
        source = Source.from_bytes("train.py", data)
        assert source.span(call(source, "f")).end == (3, 5)
        assert source.line_text(2) == "b = f("
        assert source.segment(call(source, "f")) == "f(\n  a)"


def test_byte_order_mark_takes_no_column() -> None:
    source = Source.from_bytes("train.py", b"\xef\xbb\xbfstep()\n")
    assert source.span(call(source, "step")).start == (1, 1)


def test_byte_order_mark_with_a_utf8_cookie() -> None:
    assert Source.from_bytes("train.py", b"\xef\xbb\xbf# coding: utf_8\nx = 'a'\n").tree()


def test_byte_order_mark_against_the_cookie() -> None:
    assert "latin-1" in refused(b"\xef\xbb\xbf# coding: latin-1\n").message


def test_latin_1_cookie() -> None:
    source = Source.from_bytes("train.py", b"#!/usr/bin/env python\n# -*- coding: latin-1 -*-\nx = '\xe9'; step()\n")
    assert source.line_text(3) == "x = 'é'; step()"
    assert source.span(call(source, "step")).start == (3, 10)


def test_cookie_counts_only_in_the_first_two_lines_and_behind_nothing_but_comments() -> None:
    assert refused(b"import os\n# coding: latin-1\nx = '\xe9'\n").message.startswith(
        "the file is not UTF-8 (byte 0xe9)"
    )


def test_form_feed_and_tabs() -> None:
    source = Source.from_bytes("train.py", b"\x0c\nif x:\n\tstep()\n\x0cy = 1\n")
    assert source.span(call(source, "step")).start == (3, 2)
    assert source.span(source.tree().body[1]).start.line == 4


def test_segment_of_several_lines_keeps_them() -> None:
    source = Source.from_bytes("train.py", "f(\n    'é', b,\n    c)\n".encode())
    assert source.segment(call(source, "f")) == "f(\n    'é', b,\n    c)"


def test_span_of_a_node_without_a_place_of_its_own() -> None:
    source = Source.from_bytes("train.py", b"with lock as l:\n    pass\nx = [a for a in b]\n")
    item = source.tree().body[0].items[0]
    assert source.segment(item) == "lock as l"
    comprehension = source.tree().body[1].value.generators[0]
    assert source.segment(comprehension) == "a in b"
    assert source.span(source.tree()).start == (1, 1)


def test_line_text_outside_the_file_is_empty() -> None:
    source = Source.from_bytes("train.py", b"x = 1")
    assert [source.line_text(line) for line in (0, 1, 2, 99)] == ["", "x = 1", "", ""]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"# only a comment"])
def test_empty_files_are_fine(data: bytes) -> None:
    source = Source.from_bytes("train.py", data)
    assert source.tree().body == []
    assert source.span(source.tree()).start == (1, 1)


def test_null_byte() -> None:
    error = refused(b"x = 1\ny = \0\n")
    assert error.message == "the file contains a null byte: it is binary or damaged"
    assert (error.line, error.column) == (2, 5)


def test_utf_16() -> None:
    assert refused("x = 1".encode("utf-16")).message == "the file is UTF-16, which Python cannot read: save it as UTF-8"


def test_not_utf_8_says_where() -> None:
    error = refused(b"x = 1\ny = '\xff'\n")
    assert "byte 0xff" in error.message
    assert (error.line, error.column) == (2, 6)


def test_wrong_declared_encoding() -> None:
    assert "declares the encoding `ascii`" in refused(b"# coding: ascii\nx = '\xe9'\n").message
    assert refused(b"# coding: klingon\nx = 1\n").message == (
        "the file declares the encoding `klingon`, which Python does not know"
    )
    assert "`rot13`" in refused(b"# coding: rot13\nx = 1\n").message


def test_plain_syntax_error_has_its_place() -> None:
    error = refused("é = 'é'; def f(:\n".encode())
    assert (error.line, error.column) == (1, 10)
    assert "Python 2" not in error.message
    assert str(error) == f"1:10: {error.message}"


@pytest.mark.parametrize(
    "text",
    [
        "def f(a, b=int(3) c): pass",
        "x = (1 2)  # as `bar` says",
        'x = ("3l" 4 y)',
        'x = ("a<>b" y z)',
        "f(1 2)  # print x",
    ],
)
def test_what_a_text_or_a_comment_says_is_no_python_2(text: str) -> None:
    assert "Python 2" not in refused(text.encode()).message


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ('print "epoch %d" % epoch', "a `print` statement"),
        ("for x in y:\n    print x, y", "a `print` statement"),
        ("exec code in names", "an `exec` statement"),
        ('raise ValueError, "no data"', "`raise` with a comma"),
        ("try:\n    x\nexcept IOError, e:\n    pass", "`except` with a comma"),
        ("try:\n    x\nexcept (IOError, OSError), e:\n    pass", "`except` with a comma"),
        ("x = `y`", "backticks for `repr`"),
        ("if a <> b: pass", "the operator `<>`"),
        ("x = 10L", "a long integer"),
        ("x = 0777", "an octal number without `0o`"),
        ("x = ur'a'", "a `ur` string"),
        ("def f((a, b)): pass", "a tuple as parameter"),
    ],
)
def test_python_2_is_told_so(text: str, construct: str) -> None:
    assert refused(text.encode()).message == f"this is Python 2 ({construct}), mllint reads Python 3"


@pytest.mark.parametrize("text", ["x = x.cuda(async=True)", "def f(x, async): pass", "async = 1"])
def test_python_before_async_is_told_so(text: str) -> None:
    assert refused(text.encode()).message.startswith("this is for Python 3.6 or older (`async` as a name)")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("try:\n    pass\nexcept* OSError:\n    pass", (3, 11)),
        ("type Batch = tuple[int, int]", (3, 12)),
        ("def first[T](items: list[T]) -> T: ...", (3, 12)),
        ("class Box[T]: ...", (3, 12)),
        ('x = f"{d["key"]}"', (3, 12)),
        ("x = f\"{a.split('\\\\n')}\"\n", (3, 12)),
        ('x = t"{name}"', (3, 14)),
        ("try:\n    pass\nexcept OSError, ValueError:\n    pass", (3, 14)),
        ("lazy import torch", (3, 15)),
    ],
)
def test_newer_syntax_is_told_so(text: str, version: tuple[int, int]) -> None:
    if sys.version_info[:2] >= version:
        assert Source.from_bytes("train.py", text.encode()).tree().body
        return
    message = refused(text.encode()).message
    assert f"Python {version[0]}.{version[1]})" in message
    assert "run mllint with a newer Python" in message


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000 + ")" * 100_000,
        "x = " + "[" * 100_000,
        "x = " + " + ".join(["a"] * 100_000),
        "x = " + "-" * 100_000 + "1",
        "x = a" + "()" * 100_000,
        "x = a" + ".b" * 100_000,
        "if a: pass\n" + "elif a: pass\n" * 50_000,
        "".join(" " * depth + "if a:\n" for depth in range(150)) + " " * 150 + "pass",
    ],
    ids=["parentheses", "brackets", "sum", "minus", "calls", "attributes", "elif", "blocks"],
)
def test_deep_nesting_is_a_sentence(text: str) -> None:
    try:
        Source.from_bytes("train.py", text.encode()).tree()
    except SourceError as error:
        assert "nested too deeply" in error.message or "never closed" in error.message


def test_a_generated_file_of_5_mb_is_read() -> None:
    line = b"DIGITS = '" + b"0123456789" * 100 + b"'\n"
    source = Source.from_bytes("tables.py", line * (5_000_000 // len(line)))
    assert len(source.tree().body) > 4000


def test_a_huge_integer_literal_and_a_lone_surrogate() -> None:
    if sys.version_info >= (3, 11):
        assert "integer" in refused(b"x = " + b"9" * 5000).message
    assert "digits" in refused(b"x = 0x" + b"f" * 4000).message  # which can be read, and written nowhere
    assert "surrogates" in refused(b"# coding: raw_unicode_escape\nx = '\\ud800'\n").message


def test_parsing_is_silent() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Source.from_bytes("train.py", b"pattern = '\\d'\nif x is 'a': pass\n1if 1 else 2\n").tree()
    assert caught == []


def test_the_tree_is_parsed_once() -> None:
    source = Source.from_bytes("train.py", b"x = 1")
    assert source.tree() is source.tree()


def test_errors_survive_a_process_boundary() -> None:
    for error in (SourceError("broken", 3, 4, cell=2), ConfigError("wrong", "pyproject.toml", 7)):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(SourceError("broken", 3, 4, cell=2)) == "cell 2:3:4: broken"
    assert str(ConfigError("wrong", "pyproject.toml", 7)) == "pyproject.toml:7: wrong"


@pytest.mark.parametrize(
    ("name", "cell", "place"),
    [
        ("emoji.py", None, (3, 32)),
        ("bom_crlf.py", None, (3, 1)),
        ("latin_1.py", None, (3, 18)),
        ("tabs_form_feeds.py", None, (4, 2)),
        ("magics.ipynb", 4, (2, 7)),
        ("one_broken_cell.ipynb", 2, (1, 1)),
        ("format_3.ipynb", 1, (2, 1)),
    ],
)
def test_odd_files_are_read(name: str, cell: int | None, place: tuple[int, int]) -> None:
    source = Source.from_bytes(name, (ROBUST / name).read_bytes())
    span = source.span(call(source, "torch.manual_seed"))
    assert (span.path, span.cell, span.start) == (name, cell, place)


@pytest.mark.parametrize(
    ("name", "place", "words"),
    [
        ("python_2.py", (4, 5), "this is Python 2 (a `print` statement)"),
        ("null_byte.py", (2, 6), "null byte"),
        ("not_utf_8.py", (2, 14), "not UTF-8 (byte 0xe9)"),
        ("utf_16.py", (1, 1), "UTF-16"),
        ("unclosed.py", (3, 16), "'(' was never closed"),
        ("unknown_encoding.py", (1, 1), "`klingon`"),
        ("not_a_notebook.ipynb", (1, 1), "this is not a notebook"),
    ],
)
def test_odd_files_are_refused_in_words(name: str, place: tuple[int, int], words: str) -> None:
    error = refused((ROBUST / name).read_bytes(), name)
    assert words in error.message
    assert (error.line, error.column) == place


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(SCRAPS), max_size=20))
def test_whatever_the_bytes_are_there_is_a_tree_or_a_sentence(scraps: list[bytes]) -> None:
    try:
        source = Source.from_bytes("train.py", b"".join(scraps))
        tree = source.tree()
    except SourceError as error:
        assert error.message
        assert min(error.line, error.column) >= 1
        return
    for node in ast.walk(tree):
        span = source.span(node)
        assert (1, 1) <= span.start <= span.end
        assert len(source.line_text(span.end.line)) >= span.end.column - 1


@pytest.mark.parametrize("line", ["!pip install torch", "%matplotlib inline", "    %%time", "!./run.sh"])
def test_a_line_for_ipython_in_a_script_is_told_as_that(line: str) -> None:
    error = refused(f"import torch\n{line}\n".encode())
    assert "this line is for IPython" in error.message and error.line == 2


@pytest.mark.parametrize("text", ["x = = 5 % a\n", "if x != = 3:\n    pass\n"])
def test_a_percent_or_an_exclamation_mark_alone_is_not(text: str) -> None:
    assert "IPython" not in refused(text.encode()).message
