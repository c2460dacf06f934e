"""A configuration makes mllint write its own reports below its own folder, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mllint import cli
from mllint.config.model import OUTPUT_FORMATS

FOUND = """\
import torch.nn.functional as F

def loss(x, y):
    return F.cross_entropy(F.softmax(x, dim=1), y)
"""
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a finding, beside a home with a file that somebody needs."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".bashrc").write_text("precious\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(FOUND)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return folder


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; gives its exit code and what it complains about, after a look at the home."""

    def run(*arguments: str) -> tuple[int, str]:
        code = cli.main(list(arguments))
        assert (project.parent / "home" / ".bashrc").read_text() == "precious\n"
        assert os.listdir(project.parent / "home") == [".bashrc"]
        return code, capsys.readouterr().err

    return run


def say(line: str, name: str = "mllint.toml") -> None:
    Path(name).write_text(f"# mllint\n{line}\n")


@pytest.mark.parametrize("file", ["../home/.bashrc", "../home/new", "{home}/.bashrc", "a/../../home/new", "..", "."])
@pytest.mark.parametrize("kind", ["full", "concise", "json"])
def test_a_report_stays_below_the_configuration(project: Path, run: Run, file: str, kind: str) -> None:
    named = file.format(home=project.parent / "home")
    say(f'output-format = ["{kind}:{named}"]')
    assert run("check") == (
        2,
        f"mllint: error: mllint.toml:2: `output-format` names `{named}`, which is not below the folder of the "
        "configuration: only the command line may name a file elsewhere\n",
    )


@pytest.mark.parametrize("file", ["link", "folder/new", "folder/deeper/new", "dangling"])
def test_a_report_follows_no_link(project: Path, run: Run, file: str) -> None:
    (project / "link").symlink_to("../home/.bashrc")
    (project / "folder").symlink_to("../home")
    (project / "dangling").symlink_to("../home/new")
    say(f'output-format = "concise:{file}"')
    assert run("check") == (
        2,
        f"mllint: error: mllint.toml:2: `output-format` names `{file}`, which is a link, or below a linked folder: "
        "only the command line may name one\n",
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of POSIX")
def test_a_report_is_not_written_into_a_pipe(project: Path, run: Run) -> None:
    os.mkfifo("pipe")
    say('output-format = "json:pipe"')
    assert "`output-format` names `pipe`, which exists and is not a file" in run("check")[1]


@pytest.mark.parametrize("kind", OUTPUT_FORMATS)
def test_a_report_replaces_only_reports(project: Path, run: Run, kind: str) -> None:
    (project / "notes.txt").write_text("my notes: found errors\n")
    say(f'output-format = "{kind}:notes.txt"')
    reason = "mllint.toml:2: `notes.txt` is there and no report of mllint: only the command line may replace it"
    assert run("check") == (2, f"mllint: error: {reason}\n")
    assert (project / "notes.txt").read_text() == "my notes: found errors\n"


@pytest.mark.parametrize("kind", OUTPUT_FORMATS)
@pytest.mark.parametrize("options", [[], ["--quiet"], ["--statistics"], ["--color=always"]], ids=str)
@pytest.mark.parametrize("text", [FOUND, "x = 1\n"], ids=["found", "clean"])
def test_a_report_of_ours_is_replaced(project: Path, run: Run, kind: str, options: list[str], text: str) -> None:
    (project / "train.py").write_text(text)
    say(f'output-format = "{kind}:reports/out"')
    assert run("check", *options)[0] in (0, 1)
    (project / "train.py").write_text(FOUND + FOUND.replace("loss", "other"))
    before = (project / "reports" / "out").read_text()
    assert run("check", *options)[0] == 1
    assert (project / "reports" / "out").read_text() != before


def test_the_command_line_may_write_anywhere(project: Path) -> None:
    (project / "link").symlink_to("../home/out")
    (project / "notes.txt").write_text("old")
    for number, file in enumerate(["../home/new", "link", "notes.txt"]):
        assert cli.main(["check", "--output-format", f"json:{file}"]) == 1, number
        assert json.loads(Path(file).read_text())["summary"]
    assert cli.main(["check", "--config", 'output-format = "json:../home/inline"']) == 1
    assert cli.main(["check", "--output-format", "json", "--output-file", "../home/typed"]) == 1
    assert set(os.listdir("../home")) > {"new", "out", "inline", "typed"}


def test_a_file_given_as_configuration_is_one(project: Path, run: Run) -> None:
    (project / "ci").mkdir()
    say('output-format = "json:../out.json"', "ci/mllint.toml")
    assert "ci/mllint.toml:2: `output-format` names `../out.json`" in run("check", "--config", "ci/mllint.toml")[1]


def test_what_is_extended_names_files_below_itself(project: Path, run: Run) -> None:
    (project / "part").mkdir()
    say('output-format = "json:out.json"')
    say('extend = "../mllint.toml"', "part/mllint.toml")
    assert run("check", "part")[0] == 0
    assert (project / "out.json").exists()
    say('output-format = "json:../home/out.json"')
    assert "mllint.toml:2: `output-format` names" in run("check", "part")[1]


@pytest.mark.parametrize(
    "command", [["check"], ["baseline", "create"], ["baseline", "update"], ["config"]], ids=" ".join
)
@pytest.mark.parametrize("file", ["../home/new.json", "../home/.bashrc", "folder/new.json", "link"])
def test_a_baseline_stays_below_the_configuration(project: Path, run: Run, command: list[str], file: str) -> None:
    (project / "folder").symlink_to("../home")
    (project / "link").symlink_to("../home/.bashrc")
    say(f'baseline = "{file}"')
    code, message = run(*command)
    assert code == 2 and f"mllint.toml:2: `baseline` names `{file}`, which is" in message


def test_a_baseline_that_is_a_link_is_replaced_and_not_followed(project: Path, run: Run) -> None:
    assert run("baseline", "create")[0] == 0
    os.rename("mllint-baseline.json", "../old.json")
    (project / "mllint-baseline.json").symlink_to("../old.json")
    before = (project.parent / "old.json").read_text()
    (project / "train.py").write_text(FOUND + FOUND.replace("loss", "other"))
    assert run("baseline", "update")[0] == 0
    assert (project.parent / "old.json").read_text() == before
    assert not (project / "mllint-baseline.json").is_symlink()


def test_a_cache_that_is_a_link_is_not_followed(project: Path, run: Run) -> None:
    (project / ".mllint_cache").symlink_to("../home")
    code, message = run("check")
    assert code == 1 and "is a link, which mllint does not follow; nothing is cached" in message
    assert run("clean")[0] == 2


def test_comments_are_not_written_through_links(project: Path, run: Run) -> None:
    os.rename("train.py", "../other.py")
    (project / "train.py").symlink_to("../other.py")
    code, message = run("check", "--add-ignore=fine")
    assert code == 1 and "train.py: nothing is accepted here: the file is a link" in message
    assert (project.parent / "other.py").read_text() == FOUND


def test_a_first_configuration_is_not_written_through_links(project: Path, run: Run) -> None:
    (project.parent / "other.toml").write_text("a = 1\n")
    (project / "pyproject.toml").symlink_to("../other.toml")
    assert run("init")[0] == 0
    assert (project.parent / "other.toml").read_text() == "a = 1\n"
    assert (project / "mllint.toml").exists()
