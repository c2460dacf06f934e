"""What the commands print to: closed streams, readers that hang up, poor encodings, links, interruption."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from mllint.cli import terminal as streams
from mllint.report.style import COLOURED, LINKED, PLAIN

CODE = """\
import torch.nn.functional as F


def train(model, loader, optimizer):
    for x, y in loader:
        größe = F.softmax(model(x), dim=1)  # 中文
        loss = F.cross_entropy(größe, y) + len("中文")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def run(folder, *arguments, shell="", **environment):
    """Run mllint as a process; `shell` is put behind the command line."""
    words = [sys.executable, "-m", "mllint", *arguments]
    for name in ("NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "PYTHONIOENCODING"):
        environment.setdefault(name, "")
    given = {**os.environ, "COLUMNS": "100", **environment}
    if not shell:
        return subprocess.run(words, cwd=folder, env=given, capture_output=True, check=False)
    line = " ".join(f"'{word}'" for word in words)
    return subprocess.run(["bash", "-c", f"{line} {shell}"], cwd=folder, env=given, capture_output=True, check=False)


# ------------------------------------------------------------------------------------------------------------- streams
posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_change_nothing_but_what_is_seen(folder, closed):
    done = run(folder, "check", "--no-cache", "train.py", shell=closed)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert (b"double-softmax" in done.stdout) is (not closed.startswith(">&-"))


@posix
@pytest.mark.parametrize(
    "command", ["check --no-cache train.py", "rules", "explain double-softmax", "config", "--help"]
)
def test_a_reader_that_hangs_up_is_no_error(folder, command):
    done = run(folder, *command.split(), shell="| true; exit ${PIPESTATUS[0]}")
    assert (done.stderr, done.returncode in (0, 1)) == (b"", True)


@posix
def test_nobody_who_listens_to_complaints_is_no_error(folder):
    (folder / "big.py").write_text("x = 1\n" * 300_000)
    done = run(folder, "check", "--no-cache", "-v", shell="2> >(true)")
    assert done.returncode == 1 and b"double-softmax" in done.stdout


@posix
def test_a_full_disk_is_told(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    done = run(folder, "check", "--no-cache", "train.py", shell="> /dev/full")
    assert done.returncode == 2 and b"the output cannot be written" in done.stderr


# ----------------------------------------------------------------------------------------------------------- encodings
@pytest.mark.parametrize(("encoding", "name"), [("ascii", "gr??e"), ("cp1252", "größe"), ("utf-8", "größe")])
def test_a_frame_stays_in_place_where_characters_are_lacking(folder, encoding, name):
    done = run(folder, "check", "--no-cache", "train.py", PYTHONIOENCODING=encoding)
    lines = done.stdout.decode(encoding).split("\n")
    code = next(index for index, line in enumerate(lines) if "F.cross_entropy(" in line and line.startswith("7 |"))
    assert lines[code].index(name) == lines[code + 1].index("^^^^^")
    assert lines[code].endswith('len("????")' if encoding != "utf-8" else 'len("中文")')
    assert done.stderr == b""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16", "utf-8"])
def test_what_programs_read_is_utf_8_whatever_the_terminal_takes(folder, encoding):
    text = run(folder, "check", "--no-cache", "--output", "junit", PYTHONIOENCODING=encoding).stdout
    assert "größe" in "".join(ElementTree.fromstring(text).itertext())
    found = json.loads(run(folder, "check", "--no-cache", "--output", "json", PYTHONIOENCODING=encoding).stdout)
    assert "größe" in found["diagnostics"][0]["message"]


# --------------------------------------------------------------------------------------------------------------- links
@pytest.mark.parametrize(
    ("environment", "terminal", "style"),
    [
        ({"TERM": "xterm-256color"}, True, COLOURED),
        ({"TERM": "xterm-kitty"}, True, LINKED),
        ({"TERM": "foot"}, True, LINKED),
        ({"TERM": "xterm", "TERM_PROGRAM": "vscode"}, True, LINKED),
        ({"TERM": "xterm", "TERM_PROGRAM": "vscode", "CI": "true"}, True, COLOURED),
        ({"TERM": "xterm", "VTE_VERSION": "7006"}, True, LINKED),
        ({"TERM": "xterm", "VTE_VERSION": "4205"}, True, COLOURED),
        ({"TERM": "xterm", "WT_SESSION": "1", "FORCE_HYPERLINK": "0"}, True, COLOURED),
        ({"TERM": "dumb", "WT_SESSION": "1"}, True, PLAIN),
        ({"TERM": "xterm-kitty"}, False, PLAIN),
        ({"TERM": "xterm-kitty", "FORCE_COLOR": "1"}, False, COLOURED),
        ({"FORCE_COLOR": "1", "FORCE_HYPERLINK": "1"}, False, LINKED),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, True, PLAIN),
    ],
)
def test_links_are_for_terminals_that_show_them(monkeypatch, environment, terminal, style):
    class Stdout:
        def isatty(self):
            return terminal

    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(sys, "stdout", Stdout())
    assert streams.style("auto") is style


def test_a_link_leads_from_the_rule_to_its_page(folder):
    out = run(folder, "check", "--no-cache", FORCE_COLOR="1", FORCE_HYPERLINK="1").stdout.decode()
    link = re.search(r"\x1b\]8;;(\S+?)\x1b\\(.*?)\x1b\]8;;\x1b\\", out)
    assert link and link[1].startswith("https://") and "double-softmax" in link[1]
    assert re.sub(r"\x1b\[[\d;]*m", "", link[2]) == "error[double-softmax]"
    plain = run(folder, "check", "--no-cache").stdout.decode()
    assert re.sub(r"\x1b\[[\d;]*m|\x1b\]8;;.*?\x1b\\", "", out) == plain


@pytest.mark.parametrize("columns", ["1", "20", "40"])
def test_a_narrow_terminal_gets_everything(folder, columns):
    done = run(folder, "check", "--no-cache", COLUMNS=columns)
    assert done.returncode == 1 and b"^" in done.stdout and b"why:" in done.stdout


# -------------------------------------------------------------------------------------------------------- interruption
@posix
def test_an_interrupted_run_leaves_with_130_and_no_children(tmp_path):
    source = Path(__file__).parents[2] / "tests" / "cli" / "conftest.py"
    body = "import torch\n" + source.read_text(encoding="utf-8") * 20
    for number in range(400):
        (tmp_path / f"m{number}.py").write_text(body, encoding="utf-8")
    command = [sys.executable, "-m", "mllint", "check", "--no-cache", "-j", "2", "."]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            process.kill()
            pytest.skip("this system does not tell the children of a process")
        while process.poll() is None and not children.read_text().split():
            time.sleep(0.02)
        forked = children.read_text().split()
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"mllint: interrupted\n")
    assert forked and not any(Path(f"/proc/{child}").exists() for child in forked)


# -------------------------------------------------------------------------------------------------------------- narrow
def on_terminal(folder, columns, *arguments):
    """What a terminal of some columns shows, line by line, without colours."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "mllint", *arguments], cwd=folder, stdout=theirs, stderr=theirs, env=known
    )

    def end():
        process.wait()
        os.write(theirs, b"\0")  # behind all that was shown: closing the last end can lose what nobody has read yet
        os.close(theirs)

    ending = threading.Thread(target=end)
    ending.start()
    shown = b""
    while not shown.endswith(b"\0"):
        shown += os.read(ours, 1 << 16)
    ending.join()
    os.close(ours)
    progress = r"\r(?:\d+ of \d+ files)?\x1b\[K"  # of a run that takes long
    return re.sub(rf"\x1b\[[0-9;]*m|\x1b\]8;;.*?\x1b\\|{progress}", "", shown[:-1].decode()).split("\r\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "arguments, columns",
    [
        ("rules", 80),
        ("explain", 80),
        ("explain loss", 80),
        ("explain --symptom memory", 80),
        ("explain double-softmax", 80),
        ("check --statistics", 60),
        ("check --show-settings", 80),
    ],
)
def test_what_is_long_is_folded_to_the_terminal(folder, arguments, columns):
    wide, narrow = (on_terminal(folder, width, *arguments.split()) for width in (400, columns))
    code = "    " if arguments == "explain double-softmax" else "\0"
    assert all(len(line) <= columns for line in narrow if not line.startswith(code) and "://" not in line)
    assert len(narrow) > len(wide) and " ".join(narrow).split() == " ".join(wide).split()


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_the_help_fits_the_terminal(folder):
    assert all(len(line) <= 70 for line in on_terminal(folder, 70, "check", "--help"))


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_the_list_of_settings_fits_the_terminal(folder):
    (folder / "mllint.toml").write_text('ignore = ["double-softmax", "missing-zero-grad", "loss-keeps-graph"]\n')
    *lines, _, _, _ = on_terminal(folder, 70, "config")
    assert all(len(line) <= 70 for line in lines) and any(line.endswith("  mllint.toml:1") for line in lines)
