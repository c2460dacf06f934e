"""A fingerprint stays when lines move and changes when the finding becomes another one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mllint import check, check_source
from mllint.diagnostic import Diagnostic, Position, Span
from mllint.findings.fingerprint import fingerprinted

ROOT = Path(__file__).parent.parent


def finding(line: int, *, rule: str = "double-softmax", path: str = "train.py", symbol: str = "train") -> Diagnostic:
    span = Span(path, Position(line, 1), Position(line, 5))
    return Diagnostic(rule, "loss", "error", "high", "message", span, symbol=symbol)


def prints(text: str, *findings: Diagnostic) -> list[str]:
    return [diagnostic.fingerprint for diagnostic in fingerprinted(findings, lambda path, cell: text.split("\n"))]


def test_moved_and_reformatted_lines_keep_it():
    assert prints("loss = f(x, y)", finding(1)) == prints("\n\n    loss = f(x,y)", finding(3))


def test_another_statement_rule_file_or_function_is_another_finding():
    text = "loss = f(x)\nloss = g(x)"
    others = [finding(2), finding(1, rule="r"), finding(1, path="a.py"), finding(1, symbol="main")]
    assert len(set(prints(text, finding(1), *others))) == 5


def test_equals_are_counted():
    first, second = prints("f(x)\nf(x)", finding(1), finding(2))
    assert first != second
    assert prints("f(x)", finding(1)) == [first]


def test_it_is_short_hexadecimal_and_the_same_everywhere():
    assert prints("f(x)", finding(1)) == ["04356b22fd01ed40"]
    assert prints("f(x)", finding(1, path="a\\b.py")) == prints("f(x)", finding(1, path="a/b.py"))


def test_it_is_made_of_the_statement_where_that_is_known():
    known = finding(1)._replace(statement="loss=f(x)")
    assert prints("f(x)", known) == prints("", known._replace(span=finding(7).span)) != prints("f(x)", finding(1))


def test_a_file_that_is_gone_has_one_too():
    (print_,) = prints("", finding(7))
    assert len(print_) == 16


# ----------------------------------------------------------------------------------------------------------- statements
MODEL = "import torch.nn.functional as F\n\ndef train(loader, model):\n    for x, y in loader:\n"
LOSS = "        loss = F.cross_entropy(F.softmax(model(x), dim=1), y)\n"


def statements(source: str) -> list[tuple[str, str, str]]:
    return [(found.rule, found.symbol, found.statement) for found in check_source(source)]


@pytest.mark.parametrize(
    "written",
    [
        "        loss = F.cross_entropy(  # classes\n            (F.softmax(model(x), dim = 1)),\n    y,)\n",
        "        loss = \\\n          F.cross_entropy(F.softmax(model(x), dim=0x1), y)  # why not\n",
        "        größe = 'é'; loss = F.cross_entropy(F.softmax(model(x), dim=1), y); print()\n",
        "        print()\n\n        # the loss\n" + LOSS,
    ],
)
def test_layout_comments_and_neighbours_do_not_matter(written: str):
    assert statements(MODEL + LOSS) == statements(MODEL + written) != []


@pytest.mark.parametrize("written", [LOSS.replace("dim=1", "dim=-1"), LOSS.replace("loss", "error")])
def test_another_statement_is_told_apart(written: str):
    assert statements(MODEL + LOSS) != statements(MODEL + written)


def test_equal_statements_are_numbered_in_their_order():
    (one,), (first, second) = statements(MODEL + LOSS), statements(MODEL + LOSS + LOSS)
    assert first == one and second == (*one[:2], f"{one[2]}.1")


def test_a_suppressed_equal_keeps_its_number():
    _, second = statements(MODEL + LOSS + LOSS)
    ignored = "        # mllint: ignore[double-softmax]\n"
    assert statements(MODEL + ignored + LOSS + LOSS) == [second]


def test_a_header_is_told_without_its_body():
    source = "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        self.a = nn.ReLU()\n"
    one, other = statements(source), statements(source + "        self.b = nn.ReLU()\n")
    assert one == other != statements(source.replace("(self)", "(self, width)"))


def test_a_file_that_does_not_parse_is_told_by_its_line():
    (one,), (moved,), (other,) = (statements(text) for text in ("x = (\n", "\n\nx  = (\n", "y = (\n"))
    assert one == moved != other


@pytest.mark.parametrize(
    "options", [["--line-length=60"], ["--line-length=200", "--config=format.quote-style='single'"]]
)
def test_ruff_may_reformat_a_project(tmp_path: Path, options: list[str]):
    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "silent-bugs", project)
    before = sorted((f.rule, f.symbol, f.statement) for f in check([str(project)], isolated=True))
    texts = [path.read_text() for path in sorted(project.glob("*.py"))]
    subprocess.run([sys.executable, "-m", "ruff", "format", "--isolated", "--quiet", *options, project], check=True)
    assert texts != [path.read_text() for path in sorted(project.glob("*.py"))]
    assert before == sorted((f.rule, f.symbol, f.statement) for f in check([str(project)], isolated=True))
