"""`mllint trace` shows the events of a training loop in their order, and where they are written."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from mllint.engine import trace
from mllint.report import drawing
from mllint.semantics.flow import kinds
from mllint.semantics.flow.events import EFFECTS
from mllint.semantics.flow.flow import Kind
from mllint.semantics.syntax import bounds

STEPS = """\
def step(loss, optimizer):
    loss.backward()
    optimizer.step()
"""
TRAIN = """\
import torch
import torch.nn.functional as F
from steps import step


class Trainer:
    def fit(self, loader):
        model = torch.nn.Linear(3, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(3):
            for x, y in loader:
                if epoch > 1:
                    optimizer.zero_grad()
                step(F.cross_entropy(model(x), y), optimizer)


def check(model, loader):
    model.eval()
    with torch.no_grad():
        return [model(x) for x in loader]
"""


@pytest.fixture
def app(project):
    (project / "steps.py").write_text(STEPS)
    (project / "train.py").write_text(TRAIN)
    (project / "setup.cfg").write_text("")
    return project


def rows(out):
    return [" ".join(line.split()) for line in out.rstrip().split("\n")]


def test_events_stand_in_their_loops_where_they_are_called(app, mllint):
    result = mllint("trace", "train.py:fit")
    assert (result.code, result.err) == (0, "")
    assert rows(result.out) == [
        "Trainer.fit (train.py:7)",
        "9 builds torch.optim.SGD(model.parameters(), lr=0.1)",
        "10 for epoch in range(3): each epoch (by its name)",
        "11 for x, y in loader: each batch (by its name)",
        "13 clears gradients optimizer.zero_grad() (if epoch > 1)",
        "14 runs a model model(x)",
        "steps.py:2 computes gradients loss.backward() (in step of steps.py)",
        "steps.py:3 updates the weights optimizer.step()",
    ]
    nested = zip(result.out.split("\n")[2:5], ("for", "for", "clears"), strict=True)
    columns = [line.index(word) for line, word in nested]
    assert columns == [columns[0], columns[0] + 2, columns[0] + 4]


def test_without_a_function_each_loop_is_shown_from_where_it_starts(app, mllint):
    assert mllint("trace", "train.py").out == mllint("trace", "train.py:Trainer.fit").out
    (app / "train.py").write_text(TRAIN + "\n\nTrainer().fit(torch.load('x.pt'))\n")
    lines = rows(mllint("trace", "train.py").out)
    assert lines[0] == "train.py" and "9 builds torch.optim.SGD(model.parameters(), lr=0.1) (in Trainer.fit)" in lines


def test_what_holds_at_a_call_is_said(app, mllint):
    lines = rows(mllint("trace", "train.py:check").out)
    assert lines[:2] == ["check (train.py:17)", "18 sets eval mode model.eval()"]
    assert any(line.endswith("model(x) (without gradients)") for line in lines)


def test_the_picture_has_the_same_rows_and_a_frame_for_each_loop(app, mllint):
    result = mllint("trace", "--output-format", "svg", "train.py:fit")
    picture = ElementTree.fromstring(result.out)
    drawn = [row for row in picture if "data-place" in row.attrib]
    words = [" ".join(part.text for part in row if part.text) for row in drawn]
    assert [" ".join(line.split()) for line in words] == rows(mllint("trace", "train.py:fit").out)[1:]
    assert [(row.get("data-path"), row.get("data-place")) for row in drawn[-2:]] == [
        ("steps.py", "2"),
        ("steps.py", "3"),
    ]
    assert sum(part.get("class") == "loop" for part in picture) == 2


def test_a_picture_of_nothing_says_so(app, mllint):
    (app / "plain.py").write_text("import torch\n")
    assert "Nothing that mllint follows" in mllint("trace", "-f", "svg", "plain.py").out


def test_where_nothing_happens_it_says_so(app, mllint):
    (app / "plain.py").write_text("import torch\n\n\ndef f():\n    return 1\n")
    result = mllint("trace", "plain.py:f")
    assert (result.code, result.out) == (0, "Nothing that mllint follows happens in `f`\n")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("trian.py", "`trian.py` does not exist, did you mean `train.py`?"),
        ("train.py:fti", "`train.py` has no function `fti`; it has `Trainer.fit`, `check`"),
        ("train.py:Train", "`train.py` has no function `Train`, did you mean `Trainer.fit`?"),
        ("broken.py", "broken.py:1: "),
        ("other.py", "`other.py` names no library that mllint knows"),
        (".", "`.` is a folder"),
    ],
)
def test_what_cannot_be_shown_is_exit_2_with_the_reason(app, mllint, target, message):
    (app / "broken.py").write_text("import torch (\n")
    (app / "other.py").write_text("import json\n")
    result = mllint("trace", target)
    assert (result.code, result.out) == (2, "")
    assert message in result.err and result.err.count("\n") == 1


def test_every_kind_of_event_is_shown():
    known = {kind.name for kind in vars(kinds).values() if isinstance(kind, Kind)}.union(EFFECTS)
    assert known - set(trace._WHAT) == set(), "say in `_WHAT` of `engine/trace.py` what happens in such a row"
    coloured = {kind for several in drawing._COLOURS.values() for kind in several}
    assert coloured - known == set(), "`_COLOURS` of `report/drawing.py` names what is no kind of event"
    assert set(bounds._COMPARED) - known == set(), "`_COMPARED` of `semantics/syntax/bounds.py` names none"
