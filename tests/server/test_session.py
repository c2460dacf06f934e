"""What is found while files change: the same as a fresh run finds."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from mllint.config.load import load as load_config
from mllint.diagnostic import Diagnostic
from mllint.engine.run import check_paths
from mllint.semantics.syntax.module import ModuleScope
from mllint.server import session as sessions
from mllint.server.session import REST, SHOWN, Session, rules_of

MODEL = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(x).softmax(-1)
"""
TRAIN = """\
import torch
import torch.nn.functional as F
from data import batches
from model import Net

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in batches():
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
"""
DATA = """\
import torch


def batches():
    for _ in range(10):
        yield torch.randn(4, 8), torch.randint(0, 2, (4,))
"""
CLEAN = MODEL.replace(".softmax(-1)", "")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"model.py": MODEL, "train.py": TRAIN, "data.py": DATA}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def opened(paths: list[str] | None = None) -> Session:
    settings = load_config(["."])
    session = Session(paths or ["."], settings, rules_of(settings))
    work(session)
    return session


def work(session: Session, *watched: str) -> list[int]:
    return list(session.work(watched))


def rules(session: Session, path: str) -> list[str]:
    return [diagnostic.rule for diagnostic in session.findings(path)]


def everything(session: Session) -> list[Diagnostic]:
    return [diagnostic for path in session.found() for diagnostic in session.findings(path)]


def fresh() -> list[Diagnostic]:
    settings = load_config(["."])
    return check_paths(["."], settings, selected=rules_of(settings), pedantic=settings.pedantic).diagnostics


def test_an_edit_in_one_file_changes_what_is_found_in_another(project: Path) -> None:
    session = opened()
    assert rules(session, "train.py") == ["double-softmax", "missing-zero-grad"]
    assert session.findings("train.py")[0].labels[0].span.path == "model.py"
    session.put("model.py", CLEAN.encode())
    assert not session.current("train.py")
    work(session, "model.py")
    assert rules(session, "train.py") == ["missing-zero-grad"]
    session.close("model.py")
    work(session)
    assert rules(session, "train.py") == ["double-softmax", "missing-zero-grad"]


def test_a_buffer_that_was_never_saved_is_a_file(project: Path) -> None:
    (project / "model.py").unlink()
    session = opened()
    assert rules(session, "train.py") == ["missing-zero-grad"]
    session.put("model.py", MODEL.encode())
    work(session, "model.py")
    assert rules(session, "train.py") == ["double-softmax", "missing-zero-grad"]


def test_a_buffer_in_an_excluded_folder_is_not_checked(project: Path) -> None:
    session = opened()
    session.put("venv/lib/train.py", TRAIN.encode())
    work(session, "venv/lib/train.py")
    assert not session.findings("venv/lib/train.py")


def test_broken_code_keeps_the_last_good_findings(project: Path) -> None:
    session = opened()
    session.put("train.py", TRAIN.encode())
    work(session, "train.py")
    session.put(
        "train.py", ("# new\n" + TRAIN.replace("F.cross_entropy(net(x), y)", "F.cross_entropy(net(x), y")).encode()
    )
    work(session, "train.py")
    found = {d.rule: d.span.start.line for d in session.findings("train.py")}
    assert found == {"double-softmax": 10, "missing-zero-grad": 11, "syntax-error": 10}


def test_a_broken_module_counts_with_its_last_good_text(project: Path) -> None:
    session = opened()
    session.put("model.py", MODEL.encode())
    work(session, "model.py")
    session.put("model.py", b"\n" + MODEL.encode() + b"def (")
    work(session, "model.py")
    assert rules(session, "model.py") == ["syntax-error"]
    assert rules(session, "train.py") == ["double-softmax", "missing-zero-grad"]
    assert (
        session.findings("train.py")[0].labels[0].span.start.line
        == MODEL.split("\n").index("        return self.fc(x).softmax(-1)") + 2
    )


def test_a_file_that_is_broken_on_disk_is_said_to_be(project: Path) -> None:
    (project / "data.py").write_text("def (")
    session = opened()
    assert everything(session) == fresh()
    assert rules(session, "data.py") == ["syntax-error"]


def test_files_come_and_go(project: Path) -> None:
    session = opened()
    (project / "train.py").rename(project / "main.py")
    session.rescan()
    work(session)
    assert rules(session, "train.py") == []
    assert rules(session, "main.py") == ["double-softmax", "missing-zero-grad"]


def test_an_imported_file_that_is_not_checked_may_change(project: Path) -> None:
    (project / "mllint.toml").write_text('exclude = ["model.py"]\n')
    session = opened()
    assert rules(session, "train.py") == ["double-softmax", "missing-zero-grad"]
    (project / "model.py").write_text(CLEAN)
    session.rescan()
    work(session)
    assert everything(session) == fresh()
    assert rules(session, "train.py") == ["missing-zero-grad"]


def test_work_that_is_left_may_be_taken_up_again(project: Path) -> None:
    session = opened()
    text = MODEL
    for count in range(1, 40):
        text = CLEAN if count % 2 else MODEL
        session.put("model.py", text.encode())
        steps = session.work(["model.py"])
        for _ in range(count):
            next(steps, None)
        steps.close()
    session.put("model.py", text.encode())
    work(session)
    (project / "model.py").write_text(text)
    assert everything(session) == fresh()


def answer_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have even a small component answered in two steps."""
    monkeypatch.setattr(sessions, "_SHOWN_EARLY_SECONDS", 9.0)
    monkeypatch.setattr(sessions, "_ANSWERED_TWICE_SECONDS", 0.0)
    monkeypatch.setattr(sessions, "_MAX_FIRST_SHARE", 9.0)


def test_a_long_component_is_answered_twice(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At first for what was edited or is open, with what was known of the others at its new lines; then for all."""
    answer_twice(monkeypatch)
    session = opened()
    session.put("train.py", ("\n" + TRAIN).encode())
    work(session, "train.py")
    session.put("model.py", ("\n\n" + MODEL).encode())
    steps = session.work(["model.py"])
    assert SHOWN in iter(steps.__next__, REST)
    assert session.current("model.py") and not session.current("data.py")
    first = session.findings("train.py")[0]
    assert first.labels[0].span.start.line == 12, "asked before, but its label has moved"
    assert list(steps)[-1] == SHOWN and session.current("data.py")
    for name, text in {"train.py": "\n" + TRAIN, "model.py": "\n\n" + MODEL}.items():
        (project / name).write_text(text)
    assert everything(session) == fresh()


def test_what_needs_no_flow_comes_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_SHOWN_EARLY_SECONDS", 0.0)
    session = opened()
    session.put("train.py", TRAIN.encode())
    work(session)
    repaired = TRAIN.replace("    loss =", "    optimizer.zero_grad()\n    loss =").replace("net(x)", "net(x).log()")
    session.put("train.py", repaired.encode())
    steps = session.work([])
    assert SHOWN in iter(steps.__next__, REST)
    assert session.soon("train.py") and not session.current("train.py")
    assert [(d.rule, d.span.start.line) for d in session.findings("train.py")] == [("missing-zero-grad", 11)]
    assert list(steps)[-1] == SHOWN and session.current("train.py")
    assert rules(session, "train.py") == []


LOOPS = """\
import torch
import torch.nn.functional as F


def first(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()


def second(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = loss_of(net, x, y)
        loss.backward()
        optimizer.step()


def loss_of(net, x, y):
    return F.cross_entropy(net(x), y)
"""


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("x, y)\n        loss.backward", "x, y)\n        optimizer.zero_grad()\n        loss.backward", [9]),
        ("y)\n        loss.backward", "y)\n        optimizer.zero_grad()\n        loss.backward", [18]),
        ("return F", "first\n    return F", [9, 17]),
        ("import torch\n", "import torch\nimport os\n", [10, 18]),
    ],
)
def test_an_edit_in_a_function_is_answered_with_the_flows_that_enter_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, lines: list[int]
) -> None:
    """What other flows have said stands where its lines are now, until nobody types."""
    monkeypatch.setattr(sessions, "_SHOWN_EARLY_SECONDS", 0.0)
    (project / "train.py").write_text(LOOPS)
    session = opened(["train.py"])
    session.put("train.py", LOOPS.encode())
    work(session)
    assert rules(session, "train.py") == ["missing-zero-grad", "missing-zero-grad"]
    edited = LOOPS.replace(old, new, 1)
    session.put("train.py", edited.encode())
    steps = session.work([])
    assert SHOWN in list(iter(steps.__next__, REST))
    assert [d.span.start.line for d in session.findings("train.py")] == lines
    list(steps)
    (project / "train.py").write_text(edited)
    settings = load_config(["."])
    full = check_paths(["train.py"], settings, selected=rules_of(settings), pedantic=False).diagnostics
    assert everything(session) == full
    assert [d.span.start.line for d in full] == lines


def test_an_edit_that_is_taken_back(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_twice(monkeypatch)
    session = opened()
    session.put("train.py", TRAIN.encode())
    work(session)
    session.put("model.py", CLEAN.encode())
    steps = session.work([])
    assert SHOWN in iter(steps.__next__, REST)
    steps.close()
    assert rules(session, "train.py") == ["missing-zero-grad"]
    session.put("model.py", MODEL.encode())
    work(session)
    assert rules(session, "train.py") == ["double-softmax", "missing-zero-grad"]


def test_a_notebook(project: Path) -> None:
    cells = [{"cell_type": "code", "source": part} for part in TRAIN.split("\n\n")]
    (project / "train.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    session = opened()
    assert [(d.rule, d.span.cell) for d in session.findings("train.ipynb")] == [
        ("double-softmax", 2),
        ("missing-zero-grad", 2),
    ]
    broken = [*cells[:1], {"cell_type": "code", "source": "def ("}, *cells[1:]]
    session.put("train.ipynb", json.dumps({"cells": cells, "metadata": {}}).encode())
    work(session, "train.ipynb")
    session.put("train.ipynb", json.dumps({"cells": broken, "metadata": {}}).encode())
    work(session, "train.ipynb")
    assert [(d.rule, d.span.cell) for d in session.findings("train.ipynb")] == [
        ("double-softmax", 3),
        ("missing-zero-grad", 3),
        ("syntax-error", 2),
    ]


def edits(texts: dict[str, str], dice: random.Random) -> Iterator[tuple[str, str]]:
    """Endless edits: lines of the project are deleted, repeated, moved, and put back."""
    pool = [line for text in (MODEL, CLEAN, TRAIN, DATA) for line in text.split("\n")]
    while True:
        path = dice.choice(sorted(texts))
        lines = texts[path].split("\n")
        at = dice.randrange(len(lines))
        kind = dice.random()
        if kind < 0.3:
            del lines[at]
        elif kind < 0.6:
            lines.insert(at, dice.choice(pool))
        elif kind < 0.8:
            lines[at] = dice.choice(pool)
        else:
            lines = dice.choice((MODEL, CLEAN, TRAIN, DATA)).split("\n")
        yield path, "\n".join(lines)


def test_several_configurations_count_as_in_a_fresh_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages, each with a configuration of its own, one of which trains the model of the other."""
    monkeypatch.setattr(sessions, "_SHOWN_EARLY_SECONDS", 0.0)
    (project / "pyproject.toml").write_text("[tool.mllint]\npedantic = true\n")
    for folder, said in (("a", 'ignore = ["double-softmax"]\n'), ("b", 'select = ["loss", "optimizer"]\n')):
        (project / folder).mkdir()
        (project / folder / "mllint.toml").write_text(said)
        for name, text in {"model.py": MODEL, "train.py": TRAIN, "data.py": DATA}.items():
            (project / folder / name).write_text(text.replace("from model", "from a.model"))
    session = opened()
    assert everything(session) == fresh()
    assert {path: rules(session, path) for path in session.found()} == {
        "a/train.py": ["missing-zero-grad"],
        "b/train.py": ["double-softmax", "missing-zero-grad"],
        "train.py": ["double-softmax", "missing-zero-grad", "unseeded-training"],
    }
    texts = {str(path.relative_to(project)): path.read_text() for path in sorted(project.rglob("*.py"))}
    dice = random.Random(1)
    stream = edits(texts, dice)
    for step in range(150):
        path, text = next(stream)
        try:
            compile(text, path, "exec")
        except SyntaxError:
            continue
        texts[path] = text
        (project / path).write_text(text)
        session.put(path, text.encode())
        for _ in zip(range(dice.randrange(30)), session.work([path]), strict=False):
            pass
        if step % 10 == 9:
            work(session, *texts)
            assert everything(session) == fresh()


@pytest.mark.parametrize("twice", [True, False])
def test_a_thousand_changes_end_where_a_fresh_run_ends(
    project: Path, monkeypatch: pytest.MonkeyPatch, twice: bool
) -> None:
    """500 random edits, renames, new files and closes each way, at any moment of the work; at rest, the answers are
    those of a fresh run."""
    if twice:
        answer_twice(monkeypatch)
    monkeypatch.setattr(sessions, "_SHOWN_EARLY_SECONDS", 0.0)
    dice = random.Random(int(twice))
    session = opened()
    texts = {path.name: path.read_text() for path in sorted(project.glob("*.py"))}
    stream = edits(texts, dice)
    for step in range(500):
        path, text = next(stream)
        kind = dice.random()
        if kind < 0.06 and len(texts) > 2:
            new = f"file{step}.py"
            session.close(path)
            (project / path).rename(project / new)
            texts[new] = (project / new).read_text()
            del texts[path]
            session.rescan()
        elif kind < 0.12:
            session.close(path)
            texts[path] = (project / path).read_text()
        else:
            if kind < 0.2 and len(texts) < 6:
                path = dice.choice(["model.py", "data.py", "train.py", f"new{step}.py"])
                (project / path).touch()
            texts[path] = text
            session.put(path, text.encode())
        steps = session.work([path])
        if dice.random() < 0.5:  # the next edit comes before all is worked out
            for _ in range(dice.randrange(60)):
                next(steps, None)
            steps.close()
            continue
        list(steps)
        if step % 10 == 0:
            for name in [*session.found()]:
                assert all(d.span.path == name for d in session.findings(name))
            compare(session, texts, project)


def compare(session: Session, texts: dict[str, str], project: Path) -> None:
    """Repair and save all texts, and hold the answers against a fresh run."""
    for name, text in texts.items():
        try:
            compile(text, name, "exec")
        except SyntaxError:
            texts[name] = CLEAN
            session.put(name, CLEAN.encode())
        (project / name).write_text(texts[name])
    list(session.work([]))
    assert everything(session) == fresh()


def test_what_was_edited_away_is_forgotten(project: Path) -> None:
    """A day of typing costs no memory: nothing of an older version of a file is kept."""
    config = load_config(["."])
    session = Session(["."], config, rules_of(config))

    def type_on(edits: range) -> int:
        for number in edits:
            zero = "    optimizer.zero_grad()\n" if number % 3 else ""
            text = TRAIN.replace("    loss =", f"{zero}    value_{number} = {number}\n    loss =")
            session.put("train.py", text.encode())
            work(session, "train.py")
        gc.collect()
        return len(gc.get_objects())

    few, many = type_on(range(30)), type_on(range(30, 150))
    assert many < few * 1.1


def test_an_older_version_needs_no_full_collection(project: Path) -> None:
    """The server never looks through all that is old, so that what is edited away must go before it is old."""
    session = opened()
    gc.disable()
    try:
        for number in range(6):
            session.put("train.py", f"{TRAIN}version = {number}\n".encode())
            work(session, "train.py")
            gc.collect(1)  # what is alive counts as old from here on
        kept = [m.source.text for m in gc.get_objects() if isinstance(m, ModuleScope) and m.name == "train"]
    finally:
        gc.enable()
    assert [text for text in kept if "version =" in text] == [f"{TRAIN}version = 5\n"]
