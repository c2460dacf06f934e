"""A stand-in for the engine, so that every command and format is tested on findings that never change.

The project on disk and the report about it are fixed: two files, findings of each severity, a label in another file, a
notebook, more than three findings of one rule.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from mllint import cli
from mllint.diagnostic import Diagnostic, Label, Position, Report, Span

TRAIN = """\
import torch.nn.functional as F

from model import Net


def train(loader, optimizer):
    net = Net()
    for x, y in loader:
        probs = net(x)
        loss = F.cross_entropy(probs, y)
        loss.backward()
        optimizer.step()
"""
MODEL = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return self.head(x).softmax(-1)
"""
NOTEBOOK = """{"cells": [
 {"cell_type": "markdown", "metadata": {}, "source": ["# A title"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["import torch\\n", "total = 0"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["for x in data:\\n", "    total += loss(x)"]}
], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"""


class Result(NamedTuple):
    code: int
    out: str
    err: str


def span(path: str, line: int, start: int, end: int, cell: int | None = None) -> Span:
    return Span(path, Position(line, start), Position(line, end), cell)


DOUBLE_SOFTMAX = Diagnostic(
    rule="double-softmax",
    family="loss",
    severity="error",
    confidence="high",
    message="`cross_entropy` applies softmax itself, but `probs` is already softmaxed",
    span=span("train.py", 10, 32, 37),
    primary="expects logits",
    labels=(
        Label(span("train.py", 9, 17, 23), "probabilities come from here"),
        Label(span("model.py", 6, 16, 40), "softmax applied here"),
    ),
    why="softmax is applied twice: the loss cannot get near 0, and training slows down",
    help="pass the logits to the loss; keep softmax for metrics and for inference",
    symbol="train",
)
ZERO_GRAD = Diagnostic(
    rule="missing-zero-grad",
    family="optimizer",
    severity="warning",
    confidence="high",
    message="gradients of the previous step are still in `.grad` when this `backward()` adds to them",
    span=span("train.py", 11, 9, 24),
    labels=(Label(span("train.py", 12, 9, 25), "gradients applied here"),),
    why="backward() adds to .grad",
    symbol="train",
)
KEEPS_GRAPH = Diagnostic(
    rule="loss-keeps-graph",
    family="autograd",
    severity="info",
    confidence="medium",
    message="`total` keeps the graph of every batch alive",
    span=span("explore.ipynb", 2, 5, 21, cell=3),
)
FOUND = [KEEPS_GRAPH, DOUBLE_SOFTMAX, ZERO_GRAD]


class Engine:
    """Records what the command line asks for, and answers with `report`."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.report = Report(FOUND, files=3, lines=120, suppressed=0, notes=[], crashed=False)
        self.failure: BaseException | None = None

    def find(self, *diagnostics: Diagnostic, **fields: Any) -> None:
        self.report = self.report._replace(diagnostics=list(diagnostics), **fields)

    def check_paths(self, paths: Any, config: Any, *, selected: Any, pedantic: bool, **_: Any) -> Report:
        self.asked = {"paths": paths, "config": config, "selected": selected, "pedantic": pedantic}
        if self.failure is not None:
            raise self.failure
        return self.report

    def check_sources(self, sources: Any, *, selected: Any, pedantic: bool, config: Any) -> Report:
        self.asked = {"sources": sources, "config": config, "selected": selected, "pedantic": pedantic}
        return self.report


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The stand-in, in the engine's place."""
    import mllint.engine

    fake = Engine()
    module: Any = types.ModuleType("mllint.engine.engine")
    module.check_sources = fake.check_sources
    monkeypatch.setitem(sys.modules, "mllint.engine.engine", module)
    monkeypatch.setattr(mllint.engine, "engine", module, raising=False)
    monkeypatch.setattr("mllint.engine.run.check_paths", fake.check_paths)
    return fake


@pytest.fixture
def project(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The current folder, with the files that the findings are about."""
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "explore.ipynb").write_text(NOTEBOOK)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def mllint(project: Any, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command line in the project."""

    def run(*arguments: str) -> Result:
        code = cli.main(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run
