"""A buffer that is not saved, given on standard input, is checked as a part of the project around it."""

from __future__ import annotations

import io
import json

import pytest

from mllint import cli

MODEL = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        return self.head(x)
"""
TRAIN = """\
import torch.nn.functional as F
from app.model import Net


def train(loader, optimizer):
    net = Net()
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
SOFTMAXED = MODEL.replace("self.head(x)\n", "self.head(x).softmax(-1)\n")


@pytest.fixture
def app(tmp_path, monkeypatch):
    """A project with a mark, and the current folder."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'app'\n")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("")
    (tmp_path / "app" / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def typed(monkeypatch, capsys):
    """Check a text on standard input; gives (path, line, rule, paths of the labels) of each finding."""

    def run(text, *options):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = cli.main(["check", "-", "--output", "json", *options])
        document = json.loads(capsys.readouterr().out)
        assert code == (1 if document["diagnostics"] else 0)
        return [
            (d["path"], d["start"]["line"], d["rule"], sorted({label["path"] for label in d["labels"]}))
            for d in document["diagnostics"]
        ]

    return run


@pytest.mark.parametrize("cached", [["--no-cache"], []])
def test_what_a_buffer_breaks_elsewhere_is_found(app, typed, cached):
    broken = [("train.py", 8, "double-softmax", ["app/model.py", "train.py"])]
    assert typed(MODEL, "--stdin-filename", "app/model.py", *cached) == []
    assert typed(SOFTMAXED, "--stdin-filename", "app/model.py", *cached) == broken
    assert typed(MODEL, "--stdin-filename", "app/model.py", *cached) == []
    assert (app / "app" / "model.py").read_text() == MODEL


def test_what_is_broken_elsewhere_is_found_in_the_buffer(app, typed):
    (app / "app" / "model.py").write_text(SOFTMAXED)
    found = [("train.py", 8, "double-softmax", ["app/model.py", "train.py"])]
    assert typed(TRAIN, "--stdin-filename", "train.py") == found
    assert typed(TRAIN.replace("train.py", "new.py"), "--stdin-filename", str(app / "new.py"))[0][0] == "new.py"
    assert typed(TRAIN) == [], "without a name it belongs to no project"


def test_what_the_buffer_has_nothing_to_do_with_is_not_reported(app, typed):
    (app / "other.py").write_text(TRAIN.replace("net(x)", "net(x).softmax(-1)"))
    assert typed("import torch\n", "--stdin-filename", "app/fresh.py") == []


def test_without_a_project_around_it_imports_are_read_all_the_same(tmp_path, monkeypatch, typed):
    (tmp_path / "net.py").write_text(SOFTMAXED)
    monkeypatch.chdir(tmp_path)
    assert [row[2] for row in typed(TRAIN.replace("app.model", "net"), "--stdin-filename", "train.py")] == [
        "double-softmax"
    ]


def test_the_configuration_is_that_of_the_file(app, typed):
    (app / "app" / "mllint.toml").write_text('ignore = ["double-softmax"]\n')
    text = TRAIN.replace("net(x)", "net(x).softmax(-1)")
    assert [row[2] for row in typed(text, "--stdin-filename", "train.py")] == ["double-softmax"]
    assert typed(text, "--stdin-filename", "app/train.py") == []


def test_closed_standard_input_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", None)
    assert cli.main(["check", "-"]) == 2
    assert "standard input, which is closed" in capsys.readouterr().err


def test_the_name_of_the_file_alone_asks_for_standard_input(app, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SOFTMAXED.encode())))
    assert cli.main(["check", "--stdin-filename", "app/model.py", "--output", "concise"]) == 1
    assert capsys.readouterr().out.startswith("train.py:8:32: error[double-softmax] ")


def test_a_notebook_without_a_name_is_one(typed):
    source = "import torch.nn.functional as F\nF.cross_entropy(F.softmax(x, 1), y)"
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    assert [found[:2] for found in typed(notebook)] == [("stdin.ipynb", 2)]
