"""`--watch`, `--timing`, and the line that says how far a long run is."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading

import pytest

from mllint.cli import progress

CLEAN = "import torch\nmodel = torch.nn.Linear(2, 2)\n"
BROKEN = "import torch.nn.functional as F\nloss = F.cross_entropy(F.softmax(model(x), 1), y)\n"
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")


class Watched:
    """A watching process, and the lines that it prints."""

    def __init__(self, folder):
        command = [sys.executable, "-u", "-m", "mllint", "check", "--watch", "--output", "concise"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def until(self, words):
        """The lines up to one with these words."""
        found = [self.lines.get(timeout=60)]
        while words not in found[-1]:
            found.append(self.lines.get(timeout=60))
        return found

    def end(self, number=signal.SIGINT):
        os.killpg(self.process.pid, number)
        return self.process.wait(timeout=60)


@pytest.fixture
def watched(tmp_path):
    (tmp_path / "train.py").write_text(CLEAN)
    running = Watched(tmp_path)
    yield running
    running.process.kill()
    running.process.wait()
    running.process.stdout.close()


@posix
def test_watching_checks_again_when_a_file_or_the_configuration_changes(tmp_path, watched):
    assert any("All checks passed" in line for line in watched.until("watching for changes, Ctrl-C ends"))
    (tmp_path / "train.py").write_text(BROKEN)
    assert watched.until("Found 1 error")[0] == "mllint: train.py changed"
    (tmp_path / "mllint.toml").write_text('ignore = ["double-softmax"]')
    watched.until("All checks passed")
    (tmp_path / "mllint.toml").write_text("slect = []")
    watched.until("unknown key `slect`")
    (tmp_path / "mllint.toml").unlink()
    watched.until("Found 1 error")
    (tmp_path / "new.py").write_text(BROKEN)
    assert "mllint: new.py changed" in watched.until("Found 2 errors")
    assert watched.end() == 130
    assert watched.lines.empty(), "it leaves quietly"


@posix
def test_on_a_terminal_each_run_has_the_screen_and_says_when_it_was(tmp_path):
    import pty

    (tmp_path / "train.py").write_text(CLEAN)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "mllint", "check", "--watch"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)

    def until(words):
        shown = b""
        while words not in shown:
            shown += os.read(ours, 1 << 16)
        return shown

    try:
        assert until(b"watching for changes, Ctrl-C ends").startswith(b"\x1b[2J\x1b[H")
        (tmp_path / "mllint.toml").write_text("")
        assert b"passed!" in until(b"Ctrl-C ends").partition(b"\x1b[2J")[2]
        (tmp_path / "train.py").write_text(BROKEN)
        last = until(b"Ctrl-C ends")
        assert re.search(rb"Found .*\r\nmllint: train.py changed, checked again at \d\d:\d\d:\d\d; Ctrl-C ends", last)
    finally:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 130
        os.close(ours)


@pytest.mark.parametrize("options", [["-"], ["--add-ignore"]])
def test_what_cannot_be_watched(mllint, options):
    result = mllint("check", "--watch", *options)
    assert result.code == 2 and "cannot be combined with" in result.err


def test_without_watchfiles_the_extra_is_named(mllint, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    result = mllint("check", "--watch")
    assert result.code == 2
    assert result.err == "mllint: error: `--watch` needs watchfiles: run `pip install 'mllint-check[watch]'`\n"


# -------------------------------------------------------------------------------------------------------------- timing
def timed(folder, *options):
    command = [sys.executable, "-m", "mllint", "check", "--timing", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_timing_is_a_table_on_standard_error(tmp_path):
    (tmp_path / "train.py").write_text(BROKEN)
    done = timed(tmp_path)
    assert "Found 1 error" in done.stdout and "CPU" not in done.stdout and done.returncode == 1
    lines = done.stderr.split("\n")
    names = [re.split(r"\s{2,}", line)[0] for line in lines]
    assert {"phase", "start", "read and parse", "build flows", "rules", "report", "total", "rule"} <= set(names)
    assert re.fullmatch(r"double-softmax +\d+\.\d\d +\d+\.\d% +1", lines[names.index("double-softmax")])
    assert not (tmp_path / ".mllint_cache").exists()


def test_timing_is_json_where_the_output_is(tmp_path):
    (tmp_path / "train.py").write_text(BROKEN)
    done = timed(tmp_path, "--output", "json")
    assert json.loads(done.stdout)["diagnostics"]
    timing = json.loads(done.stderr)["timing"]
    assert timing["rules"]["double-softmax"]["asked"] == 1
    spent = sum(timing["phases"].values()) + sum(rule["seconds"] for rule in timing["rules"].values())
    assert 0 < spent <= timing["total"] * 1.01


# ------------------------------------------------------------------------------------------------------------ progress
class Terminal:
    def __init__(self, terminal):
        self.terminal, self.written = terminal, ""

    def isatty(self):
        return self.terminal

    def write(self, text):
        self.written += text

    def flush(self):
        pass


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_long_runs_on_a_terminal(monkeypatch, terminal):
    clock = iter([0.0, 0.5, 1.5, 1.55, 2.0])
    stderr = Terminal(terminal)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    monkeypatch.setenv("TERM", "xterm")
    with progress.Progress() as told:
        for done in (10, 20, 21, 30):
            told(done, 40)
    assert stderr.written == ("\r20 of 40 files\x1b[K\r30 of 40 files\x1b[K\r\x1b[K" if terminal else "")
