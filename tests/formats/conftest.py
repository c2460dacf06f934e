"""The stand-in for the engine and its project are those of the command line's tests; and a repository to run in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import engine, mllint, project

__all__ = ["checked", "engine", "mllint", "project", "repository"]

MODEL = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return self.head(
            x,
        ).softmax(-1)
"""
TRAIN = """\
import torch.nn.functional as F
from model import Net

net = Net()
for x, y in loader:
    '\N{FIRE}\N{LATIN SMALL LETTER E WITH ACUTE}'; loss = F.cross_entropy(net(x), y)
"""
CELLS = [
    "# Title",
    '%matplotlib inline\nimport torch.nn.functional as F\nname = "\\u00e9"',
    "F.cross_entropy(F.softmax(x), y)",
]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with odd names, in a folder of which mllint runs; the findings lead into other files."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "my code \N{LATIN SMALL LETTER E WITH ACUTE}"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL, encoding="utf-8")
    (folder / "train #1.py").write_text(TRAIN, encoding="utf-8")
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in CELLS]
    cells[0]["cell_type"] = "markdown"
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "explore.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    (folder / "broken.py").write_text("loss = (", encoding="utf-8")
    monkeypatch.chdir(folder)
    return tmp_path


@pytest.fixture
def checked(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `mllint check` in the current folder; gives what it prints."""
    from mllint import cli

    def run(*arguments: str) -> str:
        assert cli.main(["check", "--isolated", "--no-cache", *arguments]) in (0, 1)
        return capsys.readouterr().out

    return run
