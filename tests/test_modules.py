"""Modules of the folder that is checked are read, never imported: not by the processes that mllint starts either."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

NAMES = ("ast", "json", "multiprocessing", "pickle", "runpy", "torch", "warnings")
"""Modules that a new interpreter imports before it comes to a command, and others that mllint itself uses."""
COMMAND = """
import sys
if __name__ == "__main__":
    from mllint.engine import jobs
    jobs.FEWEST, jobs.FEWEST_AFRESH = 1, 1
    if sys.argv[1]:
        import multiprocessing
        multiprocessing.set_start_method(sys.argv.pop(1))
    from mllint.cli import run
    run()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose modules say when they are imported, and have the names of Python's own."""
    found = tmp_path / "project"
    found.mkdir()
    for name in NAMES:
        (found / f"{name}.py").write_text(
            f"open({str(tmp_path / 'imported')!r}, 'a').write({name!r})\nraise SystemExit\n"
        )
    return found


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The command `mllint`: a script in a folder of its own; what follows is how processes are started."""
    script = tmp_path / "bin" / "mllint"
    script.parent.mkdir()
    script.write_text(COMMAND)
    return [sys.executable, str(script)]


def imported(folder: Path) -> str:
    """The modules of the folder that were imported."""
    said = folder.parent / "imported"
    return said.read_text() if said.exists() else ""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_that_are_started_afresh_import_nothing(folder: Path, command: list[str], method: str) -> None:
    if method == "fork" and os.name != "posix":
        pytest.skip("this platform cannot fork")
    words = [*command, method, "check", "--isolated", "--no-cache", "-j2", "."]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, imported(folder)) == (0, ""), done.stderr
    assert f"{len(NAMES)} files" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_checking_again_imports_nothing(folder: Path, command: list[str]) -> None:
    words = [*command, "fork", "check", "--isolated", "--no-cache", "--watch", "."]
    process = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    assert process.stdout is not None
    late = threading.Timer(60, process.kill)
    late.start()
    try:
        shown = iter(process.stdout.readline, "")
        assert any("All checks passed" in line for line in shown)
    finally:
        late.cancel()
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert imported(folder) == ""
