"""A comment silences what it names, on the statement where it stands, and says so when it does nothing.

The tests write `<rule>` behind the text where a finding starts; the marks are removed before the file is read.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import pytest

from mllint.diagnostic import Diagnostic, Position, Span
from mllint.findings.suppressions import Suppressions
from mllint.sources.source import Source


class Info(NamedTuple):
    name: str
    family: str = "loss"
    persona: str = "regular"
    frameworks: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


INFOS = [Info("double-softmax", aliases=("softmax-twice",)), Info("missing-seed"), Info("swallowed-exception")]
_MARK = re.compile(r"<([a-z-]+)>")


def finding(rule: str, source: Source, line: int, cell: int | None = None) -> Diagnostic:
    span = Span(source.path, Position(line, 1), Position(line, 2), cell)
    return Diagnostic(rule, "loss", "error", "high", "the message", span)


def check(text: str, ran: set[str] | None = None) -> list[str]:
    """What is reported in the end, as `line:rule`."""
    source = Source.from_bytes("train.py", _MARK.sub("", text).encode())
    found = []
    for line, written in enumerate(text.split("\n"), 1):
        found += [finding(rule, source, line) for rule in _MARK.findall(written)]
    remaining = Suppressions.of(source, source.tree(), INFOS).apply(found, ran)
    return [f"{diagnostic.span.start.line}:{diagnostic.rule}" for diagnostic in remaining]


def problem(text: str) -> Diagnostic:
    source = Source.from_bytes("train.py", text.encode())
    (diagnostic,) = Suppressions.of(source, source.tree(), INFOS).apply([])
    assert (diagnostic.family, diagnostic.severity) == ("suppression", "warning")
    assert len(diagnostic.message) <= 100
    return diagnostic


@pytest.mark.parametrize(
    "text",
    [
        "loss(x)<double-softmax>  # mllint: ignore[double-softmax]",
        "loss(x)<double-softmax>  # mllint: ignore[double-softmax] the teacher is distilled",
        "loss(x)<double-softmax>  #mllint:ignore[double-softmax]",
        "loss(x)<double-softmax>  # mllint: ignore [ double-softmax ]",
        "loss(x)<double-softmax>  # mllint: ignore[softmax-twice]",
        "loss(x)<double-softmax><missing-seed>  # mllint: ignore[double-softmax, missing-seed]",
        "loss(x)<double-softmax>  # type: ignore  # mllint: ignore[double-softmax]",
        "loss(x)<double-softmax>  # noqa: double-softmax",
        "loss(x)<double-softmax>  # noqa: E501, double-softmax",
        "loss(x)<double-softmax>  # NOQA: E501 double-softmax",
        "# mllint: ignore[double-softmax] reason\nloss(x)<double-softmax>",
        "# mllint: ignore[double-softmax]\n# and another comment\n\nloss(x)<double-softmax>",
        "# noqa: double-softmax\nloss(x)<double-softmax>",
        "loss(\n    x,<double-softmax>\n    y,\n)  # mllint: ignore[double-softmax]",
        "loss(  # mllint: ignore[double-softmax]\n    x,<double-softmax>\n)",
        "loss(\n    # mllint: ignore[double-softmax]\n    x,\n    y<double-softmax>\n)",
        "# mllint: ignore[double-softmax]\nloss(\n    x,<double-softmax>\n)",
        "if x:\n    # mllint: ignore[double-softmax]\n    loss(x)<double-softmax>\n",
        "if x:\n    pass\nelse:\n    loss(x)<double-softmax>  # mllint: ignore[double-softmax]\n",
        "# mllint: ignore[missing-seed]\n@decorate\n@twice(\n    1)\ndef f(<missing-seed>):\n    pass\n",
        "@decorate  # mllint: ignore[missing-seed]\ndef f(<missing-seed>):\n    pass\n",
        "def f(<missing-seed>\n    a,\n    b,\n):  # mllint: ignore[missing-seed]\n    pass\n",
        "for x in y:<missing-seed>  # mllint: ignore[missing-seed]\n    pass\n",
        "for x in y:<missing-seed>  # mllint: ignore[missing-seed]\n\n    # why\n    pass\n",
        "try:\n    x\nexcept E:<swallowed-exception>  # mllint: ignore[swallowed-exception]\n    pass\n",
        "try:\n    x\n# mllint: ignore[swallowed-exception]\nexcept E:<swallowed-exception>\n    pass\n",
        "match x:\n    case 1 if a:<missing-seed>  # mllint: ignore[missing-seed]\n        pass\n",
        "match x:\n    case 1:\n        a()<missing-seed>  # mllint: ignore[missing-seed]\n",
        "if x: loss(x)<double-softmax>  # mllint: ignore[double-softmax]",
        "a(); loss(x)<double-softmax>  # mllint: ignore[double-softmax]",
        "x = '''\n'''; loss(x)<double-softmax>  # mllint: ignore[double-softmax]",
        "x = ('#', é)<double-softmax>  # mllint: ignore[double-softmax] é",
        "x = f('# mllint: no',<double-softmax>  # mllint: ignore[double-softmax]\n  '')",
        "x = ('a'  # mllint: ignore[double-softmax]\n     'b')<double-softmax>",
        "x = f(\n    'é'  # é  # mllint: ignore[double-softmax]\n    'b')<double-softmax>",
        "# mllint: file-ignore[double-softmax] all of it\nloss(x)<double-softmax>\nloss(y)<double-softmax>",
        "loss(x)<double-softmax>\n# mllint: file-ignore[double-softmax]",
        "class A:\n    def f(self):\n        return loss(<double-softmax>)  # mllint: ignore[double-softmax]\n",
        "# mllint: ignore[double-softmax, unused-suppression] fires on some versions only\nloss(x)",
    ],
)
def test_accepted(text: str) -> None:
    assert check(text) == []


def test_a_comment_is_about_its_own_statement_only() -> None:
    text = "loss(x)  # mllint: ignore[double-softmax]\nloss(x)<double-softmax>"
    assert check(text) == ["2:double-softmax", "1:unused-suppression"]


def test_a_comment_is_about_its_own_rule_only() -> None:
    text = "loss(x)<double-softmax>  # mllint: ignore[missing-seed]"
    assert check(text) == ["1:double-softmax", "1:unused-suppression"]


def test_a_header_does_not_silence_its_body() -> None:
    text = "for x in y:  # mllint: ignore[double-softmax]\n    loss(x)<double-softmax>"
    assert check(text) == ["2:double-softmax", "1:unused-suppression"]
    text = "# mllint: ignore[double-softmax]\ndef f():\n    loss(x)<double-softmax>"
    assert check(text) == ["3:double-softmax", "1:unused-suppression"]
    text = "if x:\n    pass\nelse:  # mllint: ignore[double-softmax]\n    loss(x)<double-softmax>"
    assert check(text) == ["4:double-softmax", "3:unused-suppression"]


def test_a_body_does_not_silence_its_header() -> None:
    text = "for x in y:<missing-seed>\n    # mllint: ignore[missing-seed]\n    pass"
    assert check(text) == ["1:missing-seed", "2:unused-suppression"]


def test_strings_are_no_comments() -> None:
    for text in (
        '"""\n# mllint: ignore[double-softmax]\n"""\nloss(x)<double-softmax>',
        'loss("# mllint: ignore[double-softmax]")<double-softmax>',
        'loss(f"# mllint: ignore[double-softmax] {x}")<double-softmax>',
        'x = """\n# mllint: ignore\n# mllint: file-ignore[nonsense]\n"""\nloss(x)<double-softmax>',
        "x = ('a'\n  '# mllint: ignore[double-softmax]')<double-softmax>",
    ):
        assert [line.partition(":")[2] for line in check(text)] == ["double-softmax"]


def test_unused_only_for_rules_that_ran() -> None:
    text = "loss(x)  # mllint: ignore[missing-seed, double-softmax]"
    assert check(text) == ["1:unused-suppression", "1:unused-suppression"]
    assert check(text, ran={"missing-seed"}) == ["1:unused-suppression"]
    assert check(text, ran=set()) == []


def test_what_is_unused_is_pointed_at() -> None:
    diagnostic = problem("é = loss(x)  # mllint: ignore[missing-seed] why")
    assert diagnostic.message == "`missing-seed` is suppressed here, but nothing in this statement reports it"
    assert diagnostic.span[1:3] == ((1, 31), (1, 43))
    assert "in this file" in problem("# mllint: file-ignore[missing-seed]").message


@pytest.mark.parametrize(
    "text", ["# mllint: ignore", "x = 1  # mllint: ignore[]", "# mllint: file-ignore", "x # mllint:ignore"]
)
def test_there_is_no_blanket_form(text: str) -> None:
    diagnostic = problem(text)
    assert diagnostic.rule == "invalid-suppression"
    assert "names no rule" in diagnostic.message
    comment = text[text.index("#") :]
    assert check(f"loss(x)<double-softmax>  {comment}") == ["1:double-softmax", "1:invalid-suppression"]


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    diagnostic = problem("x = 1  # mllint: ignore[double-sofmax]")
    assert diagnostic.rule == "invalid-suppression"
    assert diagnostic.message == "`double-sofmax` is not a rule, so this comment suppresses nothing"
    assert diagnostic.help == "did you mean `double-softmax`?"
    assert diagnostic.span[1:3] == ((1, 25), (1, 38))
    for other in ("E501", "loss"):  # a code of another tool, and a family
        assert "(a family does not count): `mllint rules` lists them" in problem(f"# mllint: ignore[{other}]").help


def test_an_unknown_name_does_not_spoil_the_others() -> None:
    text = "loss(x)<double-softmax>  # mllint: ignore[double-softmax, nonsense]"
    assert check(text) == ["1:invalid-suppression"]


def test_an_unknown_verb_and_a_misplaced_file_ignore() -> None:
    assert "not a suppression that mllint knows" in problem("x = 1  # mllint: skip=double-softmax").message
    assert "inside a block" in problem("def f():\n    # mllint: file-ignore[double-softmax]\n    pass").message
    assert "inside a block" in problem("def f():\n    pass  # mllint: file-ignore[double-softmax]").message


def test_a_range_ends_where_it_is_enabled_again_or_with_the_file() -> None:
    text = (
        "loss(x)<double-softmax>\n"
        "# mllint: disable[double-softmax, missing-seed] toys\n"
        "def f():\n"
        "    loss(x)<double-softmax><swallowed-exception>\n"
        "    # mllint: enable[softmax-twice]\n"
        "    loss(x)<double-softmax><missing-seed>\n"
        "loss(x)<missing-seed>\n"
    )
    assert check(text) == ["1:double-softmax", "4:swallowed-exception", "6:double-softmax"]
    assert check(text.replace("<missing-seed>", ""))[-1] == "2:unused-suppression"
    assert "nothing in this range" in problem("# mllint: disable[missing-seed] x\nloss(x)\n").message


def test_comments_about_the_same_line_are_all_needed_or_not_each_by_itself() -> None:
    text = (
        "# mllint: disable[double-softmax] toys\n"
        "loss(x)<double-softmax>  # mllint: ignore[double-softmax]\n"
        "loss(x)  # mllint: ignore[double-softmax]\n"
        "# mllint: disable[double-softmax] toys, too\n"
        "loss(x)<double-softmax>\n"
        "# mllint: enable[double-softmax]\n"
        "loss(x)<double-softmax>\n"
    )
    assert check(text) == ["7:double-softmax", "3:unused-suppression"]
    assert check(text.replace("<double-softmax>\n# mllint: en", "\n# mllint: en"))[1:] == [
        "3:unused-suppression",
        "4:unused-suppression",
    ]
    whole = f"# mllint: file-ignore[double-softmax] toys\n{text}"
    assert check(whole) == ["4:unused-suppression"]


def test_statements_and_strings_that_share_a_line() -> None:
    pair = 'a = """#\n"""; loss(x)<double-softmax>  # mllint: ignore[double-softmax]\n'
    assert check(pair) == []
    assert check('loss(x)<double-softmax>; a = f(["""\n""", "# mllint: ignore[double-softmax]"])\n') == [
        "1:double-softmax"
    ]


def test_what_is_no_range() -> None:
    found = problem("loss(x)\n# mllint: enable[missing-seed]\n")
    assert found.message == "`missing-seed` is enabled here, but no range of it is open"
    assert "`# mllint: disable[missing-seed] reason`" in found.help
    found = problem("loss(x)  # mllint: disable[missing-seed]\n")
    assert found.message == "`# mllint: disable` stands behind code, where a range cannot begin or end"
    assert problem("# mllint: disable\n").message == "`# mllint: disable` names no rule, so it suppresses nothing"


def test_a_range_ends_with_its_cell() -> None:
    cells = [["# mllint: disable[missing-seed]\n", "loss(x)"], ["loss(x)\n", "# mllint: enable[missing-seed]"]]
    notebook = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4}
    source = Source.from_bytes("a.ipynb", json.dumps(notebook).encode())
    found = [finding("missing-seed", source, 2, 1), finding("missing-seed", source, 1, 2)]
    remaining = Suppressions.of(source, source.tree(), INFOS).apply(found)
    assert [(d.span.cell, d.rule) for d in remaining] == [(2, "missing-seed"), (2, "invalid-suppression")]


def test_noqa_of_others_is_none_of_our_business() -> None:
    for text in ("x = 1  # noqa", "x = 1  # noqa: E501, F401", "x = 1  # noqa: some-plugin"):
        assert check(text) == []
    assert check("loss(x)<double-softmax>  # noqa") == ["1:double-softmax"]
    assert check("x = 1  # noqa: double-softmax") == ["1:unused-suppression"]


def test_prose_about_mllint_is_prose() -> None:
    assert check("# see mllint: it explains\n# checked with mllint\nx = 1  # run mllint: ok") == []


def test_without_a_catalogue_every_name_counts() -> None:
    source = Source.from_bytes("train.py", b"loss(x)  # mllint: ignore[brand-new]")
    suppressions = Suppressions.of(source, source.tree())
    assert suppressions.apply([finding("brand-new", source, 1)]) == []


def test_counting() -> None:
    source = Source.from_bytes(
        "train.py", b"# mllint: file-ignore[double-softmax]\na()\nb()  # mllint: ignore[missing-seed]"
    )
    suppressions = Suppressions.of(source, source.tree(), INFOS)
    found = [
        finding("double-softmax", source, 2),
        finding("double-softmax", source, 3),
        finding("missing-seed", source, 3),
    ]
    assert suppressions.apply(found) == []
    assert suppressions.count == 3


def test_notebook_cells() -> None:
    cells = [
        {"cell_type": "markdown", "source": "# mllint: ignore"},
        {"cell_type": "code", "source": "a()\n# mllint: ignore[double-softmax]\nloss(x)"},
        {"cell_type": "code", "source": "%time b()\n\nc()  # mllint: ignore[missing-sed]\nloss(x)"},
    ]
    source = Source.from_bytes("train.ipynb", json.dumps({"cells": cells}).encode())
    found = [finding("double-softmax", source, 3, cell=2), finding("double-softmax", source, 4, cell=3)]
    remaining = Suppressions.of(source, source.tree(), INFOS).apply(found)
    assert [(item.rule, item.span.cell, item.span.start) for item in remaining] == [
        ("double-softmax", 3, (4, 1)),
        ("invalid-suppression", 3, (3, 23)),
    ]


def test_the_file_is_not_walked_without_a_mention(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source.from_bytes("train.py", b"# noise\nloss(x)\n")
    tree = source.tree()
    monkeypatch.setattr(Suppressions, "_read", lambda *_: pytest.fail("read"))
    assert Suppressions.of(source, tree, INFOS).apply([finding("double-softmax", source, 2)])
