"""However many processes there are, the output is the same, and nothing is lost when one of them dies."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from mllint import cli
from mllint.engine import engine, jobs

ROOT = Path(__file__).parent.parent
BUG = "import torch.nn.functional as F\nloss = F.cross_entropy(F.softmax(model(x), dim=1), y)\n"
USES = "import torch.nn.functional as F\nfrom {0} import head\nloss = F.cross_entropy(head(x), y)\n"
HEAD = "import torch\n\ndef head(x):\n    return torch.softmax(x, 1)\n"
NOTEBOOK = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["import torch\\n", "y = 1"]}]}'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in range(30):
        (tmp_path / f"lone{number}.py").write_text(BUG + f"x = {number}\n")
        (tmp_path / f"head{number}.py").write_text(HEAD)
        (tmp_path / f"train{number}.py").write_text(USES.format(f"head{number}"))
        (tmp_path / f"plain{number}.py").write_text("x = 1\n" * number)
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "book.ipynb").write_text(NOTEBOOK)
    (tmp_path / "quiet.py").write_text("# mllint: file-ignore[double-softmax] a test\n" + BUG)
    return tmp_path


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        assert cli.main(["check", "--no-cache", "--isolated", *arguments]) == 1
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("output", ["full", "concise", "json"])
def test_any_number_of_jobs_gives_the_same_bytes(project: Path, check: Callable[..., str], output: str) -> None:
    alone = check("-j1", "--output-format", output)
    assert "double-softmax" in alone
    for number in ("2", "4", "auto"):
        assert check("--jobs", number, "--output-format", output) == alone


@pytest.mark.parametrize("folder", ["examples", "tests/fixtures", "benchmarks"])
def test_real_code_gives_the_same_bytes(folder: str) -> None:
    def run(number: int) -> bytes:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": str(number)}
        command = [sys.executable, "-m", "mllint", "check", "--no-cache", "--isolated", "--pedantic", f"-j{number}"]
        command += ["--output-format", "json", str(ROOT / folder)]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False).stdout

    alone = run(1)
    assert alone
    assert run(2) == alone
    assert run(4) == alone


def on_every_context(name: str) -> multiprocessing.context.BaseContext:
    if name not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform cannot start processes by {name}")
    return multiprocessing.get_context(name)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_give_the_same_however_they_are_started(
    project: Path, check: Callable[..., str], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    alone = check("-j1", "--output-format", "json")
    monkeypatch.setattr(jobs, "_context", lambda: on_every_context(method))
    monkeypatch.setattr(jobs, "FEWEST_AFRESH", 0)
    assert check("-j2", "--output-format", "json") == alone
    assert not multiprocessing.active_children(), "nobody is left behind"


def test_few_files_are_checked_in_this_process(
    project: Path, check: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pool(*_: object) -> None:
        raise AssertionError("no process is worth it")

    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", pool)
    check("-j3", "lone0.py", "lone1.py", "lone2.py")


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="replaces a method by forking")
def test_a_process_that_dies_is_an_error_of_the_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parent = os.getpid()
    ask = engine.Engine.check

    def dying(self: engine.Engine, files: Iterable[tuple[str, bytes]], *others: object) -> object:
        files = [*files]
        if os.getpid() != parent and "lone7.py" in dict(files):
            os.kill(os.getpid(), 9)
        return ask(self, files, *others)

    monkeypatch.setattr(jobs, "_context", lambda: on_every_context("fork"))
    monkeypatch.setattr(engine.Engine, "check", dying)
    assert cli.main(["check", "--no-cache", "--isolated", "-j2"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mllint: error: a process that checked files ended unexpectedly")
    assert "`--jobs 1`" in captured.err


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="replaces a method by forking")
def test_an_error_of_a_process_is_the_error_of_the_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(self: engine.Engine, files: Iterable[tuple[str, bytes]], *others: object) -> object:
        raise MemoryError

    monkeypatch.setattr(jobs, "_context", lambda: on_every_context("fork"))
    monkeypatch.setattr(engine.Engine, "check", failing)
    assert cli.main(["check", "--no-cache", "--isolated", "-j2"]) == 2
    assert "MemoryError\nmllint: error: this is a bug of mllint" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_a_run_that_is_killed_leaves_no_process_behind(project: Path) -> None:
    slow = (
        "import sys, time, os; from mllint import cli; from mllint.engine import engine\n"
        "def check(*_): print(os.getpid(), flush=True); time.sleep(600)\n"
        "engine.Engine.check = check; cli.main(['check', '--no-cache', '--isolated', '-j2'])"
    )
    running = subprocess.Popen([sys.executable, "-c", slow], cwd=project, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    running.stdout.readline()
    running.kill()
    running.communicate(timeout=60)  # ends when nobody holds the pipe any more


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "10000", ""])
def test_a_number_of_jobs_that_is_none(project: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    assert cli.main(["check", f"--jobs={value}"]) == 2
    assert "neither auto nor a number" in capsys.readouterr().err


def test_there_is_at_least_one_processor() -> None:
    assert jobs.available() >= 1
