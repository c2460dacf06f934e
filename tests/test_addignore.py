"""`--add-ignore` accepts what is found, changes nothing else, and what it writes outlives a formatter.

The tests write `<rule>` behind the text where a finding starts; the marks are removed before the file is read.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mllint import cli
from mllint.catalogue import pages as catalogue
from mllint.diagnostic import Diagnostic, Position, Span
from mllint.findings.add_ignore import Outcome, with_ignores
from mllint.findings.suppressions import Suppressions
from mllint.sources.source import Source

INFOS = list(catalogue.rules().values())
_MARK = re.compile(r"<([a-z]+(?:-[a-z]+)+)>")


def finding(rule: str, path: str, line: int, cell: int | None = None) -> Diagnostic:
    return Diagnostic(
        rule, "loss", "error", "high", "the message", Span(path, Position(line, 1), Position(line, 2), cell)
    )


def findings(text: str) -> list[Diagnostic]:
    marked = enumerate(text.split("\n"), 1)
    return [finding(rule, "train.py", line) for line, written in marked for rule in _MARK.findall(written)]


def added(text: str, reason: str = "") -> Outcome:
    outcome = with_ignores("train.py", _MARK.sub("", text).encode(), findings(text), reason, INFOS)
    before, after = (
        Source.from_bytes("train.py", data).tree() for data in (_MARK.sub("", text).encode(), outcome.data)
    )
    assert ast.dump(before) == ast.dump(after)
    return outcome


def written(text: str, reason: str = "") -> str:
    outcome = added(text, reason)
    assert outcome.left == []
    return outcome.data.decode()


# -------------------------------------------------------------------------------------------------------------- places
def test_a_line_of_its_own_above_the_statement() -> None:
    text = "def f():\n\tx = 1\n\tloss = g(\n\t\tp,<double-softmax>\n\t\ty,<loss-keeps-graph>\n\t)\n"
    assert written(text, "a legacy model") == (
        "def f():\n\tx = 1\n\t# mllint: ignore[double-softmax, loss-keeps-graph] a legacy model\n"
        "\tloss = g(\n\t\tp,\n\t\ty,\n\t)\n"
    )


def test_above_the_decorators() -> None:
    text = "@a\n@b(\n    1\n)\ndef f(x=g()):<double-softmax>\n    pass\n"
    assert written(text).startswith("# mllint: ignore[double-softmax]\n@a\n@b(\n")


def test_the_header_of_a_compound_statement() -> None:
    text = "if a:\n    pass\nelif f(b):<double-softmax>\n    for x in y:<loss-keeps-graph>\n        pass\n"
    assert written(text) == (
        "if a:\n    pass\n# mllint: ignore[double-softmax]\nelif f(b):\n"
        "    # mllint: ignore[loss-keeps-graph]\n    for x in y:\n        pass\n"
    )


def test_several_statements_on_a_line() -> None:
    assert written("x = 1; f(x)<double-softmax>\n") == "# mllint: ignore[double-softmax]\nx = 1; f(x)\n"
    assert written("if x: f(x)<double-softmax>\n") == "# mllint: ignore[double-softmax]\nif x: f(x)\n"


def test_names_join_a_suppression_that_is_there() -> None:
    text = "# mllint: ignore[double-softmax] as in the paper\nf(x)<missing-zero-grad><double-softmax>\n"
    assert written(text, "legacy") == "# mllint: ignore[double-softmax, missing-zero-grad] as in the paper\nf(x)\n"
    text = "# mllint: file-ignore[double-softmax]\nf(x)<missing-zero-grad>\n"
    assert written(text).startswith("# mllint: file-ignore[double-softmax]\n# mllint: ignore[missing-zero-grad]\nf(x)")


def test_a_statement_that_begins_on_the_last_line_of_another() -> None:
    text = 'x = """\n"""; f(x)<double-softmax>\n'
    assert written(text) == '# mllint: ignore[double-softmax]\nx = """\n"""; f(x)\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('x = """\n"""; f(\n    x<double-softmax>\n)\n', ")  # mllint: ignore[double-softmax]"),
        ("a = 1; b = f(\n    x<double-softmax>\n)  # note\n", ")  # note  # mllint: ignore[double-softmax]"),
    ],
)
def test_where_a_line_above_is_no_place_the_comment_goes_to_the_end(text: str, line: str) -> None:
    assert line in written(text).split("\n")


def test_where_there_is_no_place_the_finding_is_left() -> None:
    outcome = added('x = """\n"""; f(\n    x<double-softmax>\n); y = """\n"""\n')
    assert (outcome.accepted, [d.rule for d in outcome.left]) == (0, ["double-softmax"])


def test_what_no_comment_can_accept_is_left() -> None:
    outcome = added("f(x)<unused-suppression>\ng(x)<double-softmax>\n")
    assert outcome.accepted == 1 and [d.rule for d in outcome.left] == ["unused-suppression"]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_marks_and_encodings_stay(mark: bytes, end: bytes) -> None:
    data = mark + end.join([b"f(x)", b"s = '\xc3\xa4'", b"g(x)"])
    found = [finding("double-softmax", "train.py", 1), finding("double-softmax", "train.py", 3)]
    comment = "# mllint: ignore[double-softmax] für später".encode()
    expected = mark + end.join([comment, b"f(x)", b"s = '\xc3\xa4'", comment, b"g(x)"])
    assert with_ignores("train.py", data, found, "für später", INFOS).data == expected


def test_a_declared_encoding_is_kept() -> None:
    data = "# -*- coding: latin-1 -*-\ns = 'ä'\nf(s)\n".encode("latin-1")
    outcome = with_ignores("train.py", data, [finding("double-softmax", "train.py", 3)], "später", INFOS)
    assert outcome.data.decode("latin-1").split("\n")[2] == "# mllint: ignore[double-softmax] später"


def test_notebooks_get_a_line_in_their_json() -> None:
    cells = [
        ["# A title"],
        ["import torch\n", "def f():\n", "\tg('ä')"],
        ["# mllint: ignore[no-grad-training] x\n", "h()"],
    ]
    kinds = ["markdown", "code", "code"]
    rows = [{"cell_type": k, "metadata": {}, "source": c} for k, c in zip(kinds, cells, strict=True)]
    data = json.dumps({"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()
    found = [finding("double-softmax", "a.ipynb", 3, 2), finding("loss-keeps-graph", "a.ipynb", 2, 3)]
    outcome = with_ignores("a.ipynb", data, found, "for the talk", INFOS)
    assert (outcome.accepted, outcome.left) == (2, [])
    after = [cell["source"] for cell in json.loads(outcome.data)["cells"]]
    assert after[1] == [*cells[1][:2], "\t# mllint: ignore[double-softmax] for the talk\n", cells[1][2]]
    assert after[2] == ["# mllint: ignore[no-grad-training, loss-keeps-graph] x\n", "h()"]
    kept = [line for line in outcome.data.split(b"\n") if b"ignore" not in line]
    assert kept == [line for line in data.split(b"\n") if b"ignore" not in line]


def test_a_notebook_in_another_layout_is_left_alone() -> None:
    data = json.dumps({"cells": [{"cell_type": "code", "source": "f(x)"}], "nbformat": 4}).encode()
    outcome = with_ignores("a.ipynb", data, [finding("double-softmax", "a.ipynb", 1, 1)], "", INFOS)
    assert outcome.data == data and len(outcome.left) == 1


# ----------------------------------------------------------------------------------------------------------- real runs
CODE = """\
import torch
import torch.nn.functional as F


def train(model, loader, teacher, some_rather_long_name_of_a_thing):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        probs = F.softmax(model(x), dim=1)
        loss = F.cross_entropy(probs, y) + F.cross_entropy(F.softmax(teacher(some_rather_long_name_of_a_thing), 1),y)
        loss.backward()
        optimizer.step()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(CODE)
    return tmp_path


def rules_found(capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    cli.main(["check", "--no-cache", "-q", "--output", "json"])
    return sorted({found["rule"] for found in json.loads(capsys.readouterr().out)["diagnostics"]})


def test_a_second_run_finds_nothing_and_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rules_found(capsys) == ["double-softmax", "missing-zero-grad"]
    assert cli.main(["check", "--no-cache", "--add-ignore=until the rewrite"]) == 0
    assert capsys.readouterr().out == "Accepted 3 findings in 1 file\n"
    after = (project / "train.py").read_text()
    assert after.count("# mllint: ignore[double-softmax] until the rewrite\n") == 1
    assert rules_found(capsys) == []
    assert cli.main(["check", "--no-cache", "--add-ignore"]) == 0
    assert capsys.readouterr().out == "Nothing to accept\n"
    assert (project / "train.py").read_text() == after


def test_standard_input_cannot_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--add-ignore", "-"]) == 2
    assert "cannot be combined with `-`" in capsys.readouterr().err


RUFF = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))


@pytest.mark.parametrize("form", ["above", "behind"])
def test_suppressions_outlive_ruff(project: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    if form == "above":
        cli.main(["check", "--no-cache", "--add-ignore"])
    else:
        lines = CODE.split("\n")
        for index, rule in ((8, "double-softmax"), (9, "missing-zero-grad")):
            lines[index] += f"  # mllint: ignore[{rule}]"
        (project / "train.py").write_text("\n".join(lines))
    assert rules_found(capsys) == []
    before = (project / "train.py").read_text()
    for command in (["check", "--fix", "--unsafe-fixes", "--select", "E,F,I,UP,RUF,SIM", "--exit-zero"], ["format"]):
        subprocess.run([RUFF, *command, "--isolated", "--no-cache", "train.py"], check=True, capture_output=True)
    assert (project / "train.py").read_text() != before
    assert rules_found(capsys) == []


def test_accepting_the_examples_leaves_their_trees_as_they_are(tmp_path: Path) -> None:
    examples = Path(__file__).parent.parent / "examples" / "silent-bugs"
    for path in examples.glob("*.py"):
        data = path.read_bytes()
        source = Source.from_bytes(path.name, data)
        lines = range(1, data.count(b"\n") + 1)
        found = [finding("double-softmax", path.name, line) for line in lines if source.line_text(line).strip()]
        outcome = with_ignores(path.name, data, found, "", INFOS)
        after = Source.from_bytes(path.name, outcome.data)
        assert outcome.left == [] and ast.dump(after.tree()) == ast.dump(source.tree())
        assert Suppressions.of(after, after.tree(), INFOS).accepts("double-softmax", after.text.count("\n"))
