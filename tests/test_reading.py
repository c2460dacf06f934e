"""Whatever a file of a project is, reading it ends: pipes, devices and gigabytes are refused, with a reason."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mllint import cli
from mllint.files import reading

FOUND = """\
import torch.nn.functional as F
import helper

def loss(x, y):
    return F.cross_entropy(F.softmax(x, dim=1), y)
"""
FIRST = "train.py:5:28: error[double-softmax]"
KINDS = ["pipe", "link to a pipe", "device", "gigabyte"]
REASONS = ("it is not a regular file", "it is larger than")
Run = Callable[..., tuple[int, str]]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes and alarms are a matter of POSIX")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a finding."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / "train.py").write_text(FOUND)
    return tmp_path


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a command, which must come to an end; gives its exit code and all that it prints."""

    def stuck(*_: object) -> None:
        raise AssertionError("mllint waits for something")

    def run(*arguments: str) -> tuple[int, str]:
        code = cli.main([*arguments])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    before = signal.signal(signal.SIGALRM, stuck)
    signal.alarm(60)
    yield run
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def make(path: Path, kind: str) -> None:
    """Put something at a place that is no file to be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a pipe":
        os.mkfifo(path.with_name("target"))
        path.symlink_to(path.with_name("target"))
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"")
        os.truncate(path, 1 << 30)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["mllint.toml", ".mllint.toml", "pyproject.toml"])
def test_a_configuration(project: Path, run: Run, name: str, kind: str) -> None:
    make(project / name, kind)
    code, text = run("check")
    assert code == 2 and text.startswith(f"mllint: error: {name}: cannot be read: it is ")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["extend", "baseline"])
def test_what_a_configuration_names(project: Path, run: Run, key: str, kind: str) -> None:
    make(project / "other", kind)
    (project / "mllint.toml").write_text(f'{key} = "other"\n')
    code, text = run("check")
    assert code == 2 and text.startswith("mllint: error: ")
    assert any(reason in text for reason in (*REASONS, "is a link", "exists and is not a file"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_baseline_of_the_command_line(project: Path, run: Run, kind: str) -> None:
    make(project / "other.json", kind)
    code, text = run("check", "--baseline", "other.json")
    assert code == 2 and "other.json: this baseline cannot be read: it is " in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    """.gitignore .git/info/exclude uv.lock poetry.lock pixi.lock requirements.txt requirements-dev.in setup.cfg
    environment.yml conda.yaml helper.py .mllint_cache/CACHEDIR.TAG""".split(),
)
def test_what_may_be_there(project: Path, run: Run, name: str, kind: str) -> None:
    make(project / name, kind)
    code, text = run("check", "--output-format=concise")
    assert code == 1 and FIRST in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["other.py", "setup.py", "other.ipynb"])
def test_a_source_file(project: Path, run: Run, name: str, kind: str) -> None:
    make(project / name, kind)
    code, text = run("check", "--output-format=concise")
    assert code == 1 and FIRST in text
    reason = "larger than" if kind == "gigabyte" else "no regular file, skipped"
    assert f"mllint: note: {name}: {reason}" in text
    code, text = run("check", "--output-format=concise", name)
    assert code and any(reason in text for reason in REASONS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_stub(project: Path, run: Run, kind: str) -> None:
    make(project / "typings" / "lab.pyi", kind)
    (project / "mllint.toml").write_text('stubs = ["typings"]\n')
    code, text = run("check")
    assert code == 2 and "mllint: error: typings/lab.pyi: this stub cannot be read: it is " in text


@pytest.mark.parametrize("kind", KINDS)
def test_entries_of_the_cache(project: Path, run: Run, kind: str) -> None:
    assert run("check")[0] == 1
    for entry in list((project / ".mllint_cache").glob("*.json")):
        make(entry, kind)
        (project / ".mllint_cache" / "target").unlink(missing_ok=True)
    code, text = run("check", "--output-format=concise")
    assert code == 1 and FIRST in text and "is damaged" in text


@pytest.mark.parametrize("kind", KINDS)
def test_what_init_looks_at(project: Path, run: Run, kind: str) -> None:
    make(project / ".gitmodules", kind)
    assert run("init")[0] == 0


def test_lines_that_a_forged_cache_asks_for_are_not_shown(tmp_path: Path) -> None:
    from mllint.engine import cache

    secret = tmp_path / "secret"
    secret.write_text("key\n" * (1 << 19))
    entry = cache._Run.of(
        {"files": [], "digests": [], "stamps": [], "outside": {str(secret): [[0, 0, 0], None]}, "folders": {}}
    )
    assert list(cache._known(entry.outside)) == []


def test_a_file_that_grows_while_it_is_read_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert reading.read(str(tmp_path / "file"), 5) == b"12345"
    with pytest.raises(OSError, match="larger than"):
        reading.read(str(tmp_path / "file"), 4)
    with pytest.raises(OSError, match="regular"):
        (tmp_path / "link").symlink_to("file")
        reading.read(str(tmp_path / "link"), 5, links=False)
