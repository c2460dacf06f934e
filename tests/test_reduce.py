"""`mllint reduce`: what is left shows the finding, is a program, and says nothing more than it has to."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mllint import check_source, cli
from mllint.config.model import Config
from mllint.engine.reduce import Wish, reduce
from mllint.engine.reduce.program import unbound
from tests.pages import read_page

ROOT = Path(__file__).parent.parent
TRAIN = """\
import os
import torch
from torch import nn
from secretlab.data import SecretDataset, make_loader

HIDDEN = int(os.environ.get("HIDDEN", 32))  # how wide it is


class SecretNet(nn.Module):
    '''Our model.'''

    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, 10)

    def forward(self, x):
        return self.body(x)


def run(epochs, verbose=True):
    net = SecretNet(HIDDEN)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = make_loader(SecretDataset("/home/somebody/private"), batch_size=4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for x, y in loader:
            # the step
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            if verbose:
                print(epoch, loss.item())
        for x, y in loader:
            other = criterion(net(x), y) * 2
            other.backward()
            optimizer.step()


if __name__ == "__main__":
    run(3)
"""


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def mllint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Run a command line in a folder with one file that is not to be published."""
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        code = cli.main(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


def rules(text: str, *, pedantic: bool = False) -> list[str]:
    return [found.rule for found in check_source(text, pedantic=pedantic)]


def test_few_lines_are_left_and_they_show_the_finding(mllint):
    done = mllint("reduce", "train.py", "missing-zero-grad")
    assert done.code == 0
    assert rules(done.out).count("missing-zero-grad") == 1
    assert done.out.count("\n") <= 10 < TRAIN.count("\n")
    assert "#" not in done.out and "Our model" not in done.out
    assert re.search(r"^mllint: \d+ of 41 lines are left, after \d+ tries$", done.err, re.MULTILINE)
    assert f"mllint: train.py:{done.out.split('loss.backward')[0].count(chr(10)) + 1}: missing-zero-grad: " in done.err


def test_the_same_bytes_each_time(mllint):
    assert (
        mllint("reduce", "train.py", "missing-zero-grad").out == mllint("reduce", "train.py", "missing-zero-grad").out
    )


def test_nothing_more_can_go(mllint):
    first = mllint("reduce", "train.py", "missing-zero-grad").out
    Path("again.py").write_text(first)
    assert mllint("reduce", "again.py", "missing-zero-grad").out == first


def test_no_name_becomes_unbound(mllint):
    assert unbound(mllint("reduce", "train.py", "missing-zero-grad").out) <= unbound(TRAIN)
    assert unbound("def f():\n    n += 1\n") == {"n"}
    assert unbound("class A:\n    def f(self):\n        return self.net\n") == {"self.net"}
    assert unbound("import os\ndef f(a):\n    global b\n    b = a\nprint(os, b, f)\n") == frozenset()


def test_a_line_says_which_finding_is_meant(mllint):
    line = TRAIN.split("\n").index("            other.backward()") + 1
    assert "other.backward()" in mllint("reduce", "train.py", "missing-zero-grad", "--line", str(line)).out
    assert "other" not in mllint("reduce", "train.py", "missing-zero-grad").out
    done = mllint("reduce", "train.py", "missing-zero-grad", "--line", "1")
    assert done.code == 2 and "reports nothing in line 1 of `train.py`" in done.err


def test_lines_stay(mllint):
    line = TRAIN.split("\n").index("                print(epoch, loss.item())") + 1
    done = mllint("reduce", "train.py", "missing-zero-grad", "--keep", str(line))
    assert "print(epoch, loss.item())" in done.out and rules(done.out) == ["missing-zero-grad"]
    assert "print" not in mllint("reduce", "train.py", "missing-zero-grad").out


def test_names_say_nothing_any_more(mllint):
    line = (
        TRAIN.split("\n").index('    loader = make_loader(SecretDataset("/home/somebody/private"), batch_size=4)') + 1
    )
    done = mllint("reduce", "train.py", "missing-zero-grad", "--neutral-names", "--keep", str(line))
    assert rules(done.out) == ["missing-zero-grad"]
    assert "batch_size=4" in done.out  # the library's own word, for all that is known
    for word in ("ecret", "somebody", "private", "run", "make_loader", "net"):
        assert word not in done.out


def test_a_name_that_the_finding_rests_on_stays(mllint):
    Path("fit.py").write_text(
        "import pandas as pd\nfrom sklearn.preprocessing import MinMaxScaler\n\n"
        'train = pd.read_csv("train.csv")\ntest = pd.read_csv("test.csv")\nsecret = MinMaxScaler()\n'
        "X_train = secret.fit_transform(train[cols])\nX_test = secret.fit_transform(test[cols])\n"
    )
    done = mllint("reduce", "fit.py", "fit-on-test", "--neutral-names")
    assert rules(done.out) == ["fit-on-test"]
    assert "test" in done.out and "secret" not in done.out


def test_files_that_are_needed_stay(mllint):
    Path(".git").mkdir()
    Path("model.py").write_text("import torch\n\n\ndef probabilities(x):\n    return torch.softmax(x, dim=-1)\n")
    Path("unneeded.py").write_text("import model\nimport use\n")
    Path("use.py").write_text(
        "import torch.nn.functional as F\n\nfrom model import probabilities\n\n\ndef loss(x, y):\n"
        "    return F.cross_entropy(probabilities(x), y)\n"
    )
    done = mllint("reduce", "use.py", "double-softmax")
    names = re.findall(r"^`(.+)`:$", done.out, re.MULTILINE)
    assert (done.code, names) == (0, ["use.py", "model.py"])
    assert "use.py:" in done.err and "double-softmax: " in done.err


def test_a_notebook_becomes_a_script(mllint):
    cells = [
        "import torch.nn.functional as F",
        "%matplotlib inline\nfoo = 3",
        "loss = F.cross_entropy(F.softmax(x), y)",
    ]
    rows = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": [cell]} for cell in cells]
    Path("a.ipynb").write_text(json.dumps({"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    done = mllint("reduce", "a.ipynb", "double-softmax")
    assert done.code == 0 and "double-softmax" in rules(done.out) and "foo" not in done.out


def test_when_the_time_is_over_there_is_something_all_the_same(mllint):
    done = mllint("reduce", "train.py", "missing-zero-grad", "--time-limit", "0")
    assert done.code == 0 and "missing-zero-grad" in rules(done.out)
    assert "the time was over before all was tried" in done.err


def test_output_goes_into_a_file(mllint):
    done = mllint("reduce", "train.py", "missing-zero-grad", "--output", "small.py")
    assert (done.code, done.out) == (0, "") and "missing-zero-grad" in rules(Path("small.py").read_text())
    done = mllint("reduce", "train.py", "missing-zero-grad", "--output", "./train.py")
    assert done.code == 2 and Path("train.py").read_text() == TRAIN


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train.py", "mising-zero-grad"), "there is no rule `mising-zero-grad`, did you mean `missing-zero-grad`?"),
        (
            ("train.py", "unused-suppression"),
            "`unused-suppression` is about comments or",
        ),
        (("train.py", "fit-on-test"), "`fit-on-test` reports nothing in `train.py`"),
        ((".", "fit-on-test"), "`.` is a folder: name a file in it"),
        (("nothing.py", "fit-on-test"), "`nothing.py` does not exist"),
        (("broken.py", "fit-on-test"), "broken.py:1:"),
        (("train.py", "missing-zero-grad", "--keep", "9-x"), "--keep: `9-x` names no lines"),
        (
            ("train.py", "missing-zero-grad", "--keep", "99"),
            "there is no statement on line 99, which `--keep` names",
        ),
        (("train.py", "missing-zero-grad", "--line", "-1"), "--line: `-1` is not a line"),
    ],
)
def test_what_cannot_be_reduced_is_named(mllint, arguments, message):
    Path("broken.py").write_text("def f(:\n")
    done = mllint("reduce", *arguments)
    assert (done.code, done.out) == (2, "") and message in done.err


PAGES = [
    page
    for page in sorted((ROOT / "rules").glob("*/*.md"))
    if page.parent.name not in ("engine", "suppression") and "persona = " not in page.read_text("utf-8")
][::7]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_the_pages_stay_findings(page, tmp_path, monkeypatch):
    """The first example with a finding, of every seventh rule."""
    monkeypatch.chdir(tmp_path)
    for case in read_page(page.read_text(encoding="utf-8")):
        files = {name: block.source() for name, block in case.files.items()}
        own = next((name for name, text in files.items() if page.stem in rules(text)), None)
        if own is not None:
            break
    else:
        pytest.fail("no example shows the finding by itself")
    Path(own).parent.mkdir(parents=True, exist_ok=True)
    Path(own).write_text(files[own])
    reduced = reduce(own, page.stem, Config(), Wish())
    (text,) = reduced.texts.values()
    ast.parse(text)
    assert len(reduced.findings) == 1 and len(text) <= len(ast.unparse(ast.parse(files[own]))) + 1
