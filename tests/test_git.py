"""No repository makes git run its programs, whichever configuration it brings along: real repositories, real git."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mllint import cli
from mllint.project import git

OLD = """\
import torch.nn.functional as F

def old(x, y):
    return F.cross_entropy(F.softmax(x, dim=1), y)
"""
NEW = OLD + OLD.replace("old", "new")
EVERY = [["--diff-base", "HEAD"], ["--staged"], ["--changed-lines"]]
Trap = Callable[..., None]


def run_git(*arguments: str, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, in which `src/train.py` has changed since."""
    for name in list(os.environ):
        if name.startswith(("CI", "GITHUB_", "GIT_", "SYSTEM_", "BITBUCKET_", "CHANGE_", "FORCE_COLOR")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    top = tmp_path / "clone"
    (top / "src").mkdir(parents=True)
    (top / "src" / "train.py").write_text(OLD)
    monkeypatch.chdir(top)
    run_git("init", "-q", "-b", "main")
    run_git("add", "-A")
    run_git("commit", "-q", "-m", "one")
    (top / "src" / "train.py").write_text(NEW)
    return top


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A program that leaves a mark."""
    path = tmp_path / "program"
    path.write_text('#!/bin/sh\necho ran >> "$MARK"\nexit 1\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def unharmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `mllint check`, which starts nothing; gives what it prints."""

    def check(*arguments: str) -> str:
        cli.main(["check", "--isolated", "--no-cache", "--output-format", "concise", *arguments])
        assert not (tmp_path / "mark").exists(), (tmp_path / "mark").read_text()
        captured = capsys.readouterr()
        return captured.out + captured.err

    return check


def configure(repository: Path, **settings: str) -> None:
    for key, value in settings.items():
        run_git("config", key.replace("__", "."), value, cwd=repository)


def embed(folder: Path, program: str) -> None:
    """Make a folder a repository by plain files, as any clone may hold them."""
    (folder / "refs").mkdir()
    (folder / "refs" / "keep").write_text("")
    shutil.copytree(".git/objects", folder / "objects")
    (folder / "HEAD").write_text(run_git("rev-parse", "HEAD"))
    (folder / "config").write_text(f"[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = {program}\n")


@pytest.mark.parametrize("options", EVERY, ids=" ".join)
@pytest.mark.parametrize("path", ["src/train.py", "src", "."])
def test_a_repository_made_of_plain_files_is_no_repository(
    repository: Path, program: str, unharmed: Callable[..., str], options: list[str], path: str
) -> None:
    embed(repository / "src", program)
    assert ("src/train.py:8" in unharmed(*options, path)) == (options != ["--staged"])


def test_outside_of_git_it_is_none_either(repository: Path, program: str, unharmed: Callable[..., str]) -> None:
    embed(repository / "src", program)
    shutil.rmtree(".git")
    assert "is in no git repository" in unharmed("--diff-base", "HEAD", "src")


def test_a_git_folder_that_is_none_hides_nothing(repository: Path, program: str, unharmed: Callable[..., str]) -> None:
    embed(repository / "src", program)
    (repository / "src" / ".git").mkdir()
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD", "src")


@pytest.mark.parametrize("options", EVERY, ids=" ".join)
@pytest.mark.parametrize("key", ["core.fsmonitor", "diff.external", "core.pager", "diff.python.textconv"])
def test_programs_of_the_configuration_are_not_run(
    repository: Path, program: str, unharmed: Callable[..., str], options: list[str], key: str
) -> None:
    run_git("config", key, program)
    (repository / ".gitattributes").write_text("*.py diff=python\n")
    assert ("src/train.py:8" in unharmed(*options)) == (options != ["--staged"])


@pytest.mark.parametrize("options", EVERY, ids=" ".join)
@pytest.mark.parametrize("kind", ["clean", "process"])
@pytest.mark.parametrize("name", ["lint", "a.b", "a b", 'a"b', "Ünïcode"])
def test_filters_are_not_run(
    repository: Path, program: str, unharmed: Callable[..., str], options: list[str], kind: str, name: str
) -> None:
    run_git("config", f"filter.{name}.{kind}", program)
    run_git("config", f"filter.{name}.required", "true")
    (repository / ".git" / "info" / "attributes").write_text(f"*.py filter={name}\n")
    os.utime("src/train.py", (0, 0))
    assert ("src/train.py:8" in unharmed(*options)) == (options != ["--staged"])


def test_filters_of_included_files_are_not_run(repository: Path, program: str, unharmed: Callable[..., str]) -> None:
    (repository / "more").write_text(f'[filter "x"]\n\tclean = {program}\n')
    (repository / ".gitattributes").write_text("*.py filter=x\n")
    run_git("config", f"includeIf.gitdir:{repository}/.path", "../more")
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD")


def test_a_filter_that_cannot_be_switched_off_is_an_error(
    repository: Path, program: str, unharmed: Callable[..., str]
) -> None:
    (repository / ".gitattributes").write_text("*.py filter=a=b\n")
    with open(".git/config", "a") as file:
        file.write(f'[filter "a=b"]\n\tclean = {program}\n')
    assert "has a filter that cannot be switched off: `filter.a=b`" in unharmed("--diff-base", "HEAD")


@pytest.mark.parametrize("folder", [".git/hooks", "elsewhere"])
def test_hooks_are_not_run(repository: Path, program: str, unharmed: Callable[..., str], folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "query-watchman"):
        shutil.copy(program, f"{folder}/{name}")
    run_git("config", "core.hooksPath", folder)
    (repository / "mark").unlink(missing_ok=True)
    (repository.parent / "mark").unlink(missing_ok=True)
    (repository / "src" / "same.py").write_text(OLD)
    run_git("-c", f"core.hooksPath={os.devnull}", "add", "src/same.py")
    os.utime("src/same.py", (1, 1))
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD")


@pytest.mark.parametrize(
    "remote",
    [
        {"remote__origin__url": "ssh://example.invalid/x", "core__sshCommand": "{program}"},
        {"remote__origin__url": "ext::{program}", "protocol__ext__allow": "always"},
        {"remote__origin__url": "/nowhere", "remote__origin__uploadpack": "{program}"},
        {"remote__origin__url": "git://example.invalid/x", "core__gitProxy": "{program}"},
    ],
    ids=["ssh", "ext", "uploadpack", "proxy"],
)
@pytest.mark.parametrize("old", [False, True], ids=["git-2.45", "older"])
def test_what_a_partial_clone_lacks_is_not_fetched(
    repository: Path,
    program: str,
    unharmed: Callable[..., str],
    remote: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    old: bool,
) -> None:
    if old:  # what does not know this variable is held back by the protocols alone
        monkeypatch.delitem(git._ENVIRONMENT, "GIT_NO_LAZY_FETCH")
    configure(repository, core__repositoryFormatVersion="1", extensions__partialClone="origin")
    configure(repository, **{key: value.format(program=program) for key, value in remote.items()})
    blob = run_git("rev-parse", "HEAD:src/train.py").strip()
    os.unlink(f".git/objects/{blob[:2]}/{blob[2:]}")
    assert "this clone lacks contents of files that have changed" in unharmed("--diff-base", "HEAD")


def test_the_working_tree_is_where_the_repository_is(
    repository: Path, tmp_path: Path, unharmed: Callable[..., str]
) -> None:
    (tmp_path / "other").mkdir()
    configure(repository, core__worktree=str(tmp_path / "other"))
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD")


def test_submodules_are_not_entered(repository: Path, program: str, unharmed: Callable[..., str]) -> None:
    run_git("clone", "-q", str(repository), "part")
    run_git("-c", "advice.addEmbeddedRepo=false", "add", "part")
    run_git("commit", "-q", "-m", "two")
    run_git("config", "core.fsmonitor", program, cwd=repository / "part")
    run_git("config", "diff.ignoreSubmodules", "none")
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD", ".")


def test_a_git_in_the_checked_folder_is_not_run(
    repository: Path, program: str, unharmed: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(program, repository / "git")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD")


def test_variables_that_name_programs_are_not_passed_on(
    repository: Path, program: str, unharmed: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR"):
        monkeypatch.setenv(name, program)
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    assert "src/train.py:8" in unharmed("--diff-base", "HEAD")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of POSIX")
def test_a_git_that_waits_for_a_pipe_is_stopped(
    repository: Path, unharmed: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(repository / "pipe")
    configure(repository, include__path=str(repository / "pipe"))
    monkeypatch.setattr(git, "_SECONDS", 0.5)
    assert "git does not answer" in unharmed("--diff-base", "HEAD")
