"""Exit code 1 means findings and nothing else: what cannot be read is a finding or an error with code 2."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from mllint import cli
from mllint.cli import app

LONG = "9" * 4400
DEEP = "[" * 5000 + "]" * 5000
DEEP_OBJECT = '{"a":' * 20_000 + "1" + "}" * 20_000
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a project with one clean file; gives its exit code and what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import torch\n")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = app.main([*arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    return run


@pytest.mark.parametrize(
    "text",
    [
        f"pedantic = {LONG}",
        f"rules.x.y = {LONG}",
        f"fail-on = 0x{LONG}",
        f"select = {DEEP}",
        "rules = " + "{a = " * 3000 + "1" + "}" * 3000,
        'baseline = "a\\u0000b"',
        'extend = "a\\u0000b"',
        'output-format = "json:a\\u0000b"',
    ],
    ids=["long number", "long option", "long hexadecimal", "deep array", "deep table", "baseline", "extend", "output"],
)
def test_a_configuration_that_cannot_be_read(run: Run, text: str) -> None:
    Path("mllint.toml").write_text(text)
    code, _, error = run("check")
    assert code == 2 and error.startswith("mllint: error: mllint.toml")


def test_a_chain_of_configurations(run: Run) -> None:
    Path("mllint.toml").write_text('extend = "c0.toml"\n')
    for number in range(2000):
        Path(f"c{number}.toml").write_text(f'extend = "c{number + 1}.toml"\n')
    code, _, error = run("check")
    assert code == 2 and "`extend` leads through more than 32 files" in error
    Path("c1.toml").write_text('extend = "c0.toml"\n')
    assert "`extend` leads back to `c0.toml`" in run("check")[2]


@pytest.mark.parametrize("text", [DEEP, f'{{"version":1,"findings":[{DEEP_OBJECT}]}}', f'{{"version":{LONG}}}'])
def test_a_baseline_that_cannot_be_read(run: Run, text: str) -> None:
    Path("mllint-baseline.json").write_text(text)
    code, _, error = run("baseline", "show")
    assert code == 2 and error.startswith("mllint: error: mllint-baseline.json: ")


def test_a_number_in_a_notebook(run: Run) -> None:
    cell = f'{{"cell_type": "code", "metadata": {{}}, "outputs": [], "source": "x = 1", "execution_count": {LONG}}}'
    Path("a.ipynb").write_text(f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}')
    code, out, _ = run("check", "--output-format=concise")
    assert code == 1 and out.startswith("a.ipynb:1:1: error[syntax-error] the notebook cannot be read")


def test_what_python_has_to_say_about_a_stub_is_not_printed(run: Run) -> None:
    """Its warning would quote the stub, control characters and all."""
    Path("mllint.toml").write_text('stubs = ["typings"]')
    Path("typings").mkdir()
    Path("typings/lib.pyi").write_text("x = 1if y else '\\d'\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run("check")[0] == 0
    assert [
        (warning.filename, str(warning.message)) for warning in caught if issubclass(warning.category, SyntaxWarning)
    ] == []


def test_patterns_that_take_for_ever(run: Run) -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("*a" * 400 + "b\n" + "a/**/" * 300 + "x\n" + "*" * 500 + "b\n")
    Path("a" * 100).mkdir()
    Path("a" * 100, "a" * 100 + ".py").write_text("import torch\n")
    assert run("check")[0] == 0


def test_a_crash_is_no_finding(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def crash(arguments: list[str]) -> int:
        raise ValueError("unforeseen")

    monkeypatch.setattr(app, "_dispatch", crash)
    assert app.main(["check"]) == 2
    error = capsys.readouterr().err
    assert "ValueError: unforeseen" in error and "this is a bug of mllint" in error


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove the current folder of a process")
def test_a_current_folder_that_is_gone(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    code, _, error = run("check")
    assert code == 2 and error == "mllint: error: the current folder does not exist any more: change to one that does\n"


def test_the_module_imports_nothing_of_the_current_folder(tmp_path: Path) -> None:
    for name in ("json", "tomllib", "click", "pathspec", "gc", "re"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('executed')\n")
    (tmp_path / "mllint.toml").write_text("pedantic = true\n")
    (tmp_path / "a.py").write_text("import torch\n")
    source = str(Path(cli.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "mllint", "check", "--no-cache", "--output-format", "json"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "executed" not in done.stderr
