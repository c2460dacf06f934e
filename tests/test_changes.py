"""What a change introduces is reported, in whichever file, and nothing else is: real repositories, real git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from mllint import cli
from mllint.engine import engine
from mllint.project.changes import Repository, automatic

MODEL = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.head(x)
"""
SOFTMAX = MODEL.replace("self.head(x)", "self.head(x).softmax(-1)")
TRAIN = """\
import torch
import torch.nn.functional as F
from model import Net

def train(loader, optimizer):
    net = Net()
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
OLD = """\
import torch.nn.functional as F

def old(x, y):
    return F.cross_entropy(F.softmax(x, dim=1), y)
"""
NEW = OLD.replace("old", "new")
BROKEN = [("train.py", 8)]
Found = Callable[..., list[tuple[str, int]]]


def git(*arguments: str, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def commit(message: str = "change") -> None:
    git("add", "-A")
    git("commit", "-q", "-m", message)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository on `main` with an old finding, and a model that `train.py` uses well."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("CI", "GITHUB_", "GIT_", "SYSTEM_", "BITBUCKET_", "CHANGE_", "FORCE_COLOR")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    write({"model.py": MODEL, "train.py": TRAIN, "old.py": OLD, "lone.py": "import torch\n", ".gitignore": "/out*\n"})
    git("init", "-q", "-b", "main")
    commit("main")
    return tmp_path


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


@pytest.fixture
def found(repository: Path, capsys: pytest.CaptureFixture[str]) -> Found:
    """Run `mllint check`; gives path and line of each finding."""

    def run(*arguments: str) -> list[tuple[str, int]]:
        cli.main(["check", "--isolated", "--output-format", "json", *arguments])
        captured = capsys.readouterr()
        assert not captured.err
        return [(entry["path"], entry["start"]["line"]) for entry in json.loads(captured.out)["diagnostics"]]

    return run


@pytest.fixture
def error(repository: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `mllint check`, which fails; gives what it says."""

    def run(*arguments: str) -> str:
        assert cli.main(["check", "--isolated", *arguments]) == 2
        return capsys.readouterr().err

    return run


# ----------------------------------------------------------------------------------------------------- what is reported
@pytest.mark.parametrize("options", [[], ["--no-cache"], ["-j4"], ["--no-cache", "-j1", "."]])
def test_a_change_that_breaks_another_file_is_reported_there(found: Found, options: list[str]) -> None:
    write({"model.py": SOFTMAX})
    assert found(*options) == [("old.py", 4), *BROKEN]
    assert found("--diff-base", "main", *options) == BROKEN
    commit()
    assert found("--diff-base", "HEAD", *options) == []
    assert found("--diff-base", "HEAD~1", *options) == BROKEN


def test_a_deleted_line_is_a_change(found: Found) -> None:
    text = TRAIN.replace("net = Net()", "net = Net()\n    optimizer = torch.optim.SGD(net.parameters(), lr=1)")
    write({"train.py": text})
    commit()
    write({"train.py": text.replace("        optimizer.zero_grad()\n", "")})
    assert found("--diff-base", "HEAD") == [("train.py", 10)]
    assert found("--changed-lines") == []


def test_a_deleted_suppression_is_a_change(found: Found) -> None:
    quiet = OLD.replace("    return", "    # mllint: ignore[double-softmax] as before\n    return")
    write({"old.py": quiet})
    commit()
    write({"old.py": OLD})
    assert found("--diff-base", "HEAD") == [("old.py", 4)]


@pytest.mark.parametrize("path", ["train.py", "./train.py", "{here}/train.py"])
def test_what_is_imported_counts_though_it_was_not_asked_for(found: Found, repository: Path, path: str) -> None:
    write({"model.py": "from layers import Net\n", "layers.py": MODEL})
    commit()
    write({"layers.py": SOFTMAX})
    assert found("--diff-base", "HEAD", path.format(here=repository)) == BROKEN
    assert found("--diff-base", "HEAD", "layers.py") == []


def test_a_module_that_is_gone_or_new_is_a_change(found: Found) -> None:
    write({"model/__init__.py": SOFTMAX})
    os.unlink("model.py")
    assert found("--diff-base", "HEAD") == BROKEN
    commit()
    shutil.rmtree("model")
    write({"model.py": MODEL})
    assert found("--diff-base", "HEAD") == []


def test_what_is_old_stays_old(found: Found) -> None:
    write({"old.py": "# a licence\n" + OLD.replace("def old", "def older").replace("(x, dim=1)", "(\n  x, dim=1)")})
    assert found("--diff-base", "HEAD") == []
    git("mv", "-f", "old.py", "ancient.py")
    assert found("--diff-base", "HEAD") == []
    write({"moved.py": "import torch.nn\n" + Path("ancient.py").read_text() + "x = 1\n" * 30, "ancient.py": ""})
    assert found("--diff-base", "HEAD") == []


def test_a_second_one_of_a_kind_is_new(found: Found) -> None:
    write({"old.py": OLD + NEW[len("import torch.nn.functional as F\n") :]})
    assert found("--diff-base", "HEAD") == [("old.py", 7)]
    write({"old.py": OLD, "copy.py": OLD})
    assert found("--diff-base", "HEAD") == [("copy.py", 4)]


def test_untracked_files_are_new_and_ignored_ones_are_not_there(found: Found) -> None:
    write({"new.py": NEW, "out.py": NEW})
    assert found("--diff-base", "HEAD") == [("new.py", 4)]


def test_only_what_the_branch_did_counts(found: Found) -> None:
    git("checkout", "-q", "-b", "feature")
    write({"model.py": SOFTMAX})
    commit()
    git("checkout", "-q", "main")
    write({"lone.py": NEW})
    commit()
    git("checkout", "-q", "feature")
    assert found("--diff-base", "main") == BROKEN
    git("merge", "-q", "main", "-m", "merge")
    assert found("--diff-base", "main") == BROKEN
    git("tag", "v1")
    assert found("--diff-base", "v1") == []


def test_odd_names(found: Found, repository: Path) -> None:
    git("config", "diff.relative", "true")
    git("config", "diff.noprefix", "true")
    git("config", "diff.renames", "false")
    names = ["a b.py", "größe.py", "new\nline.py", 'quo"te.py', "-dash.py", "sub folder/x.py"]
    write(dict.fromkeys(names, OLD))
    commit()
    write({name: OLD + NEW.split("\n", 2)[2] for name in names})
    assert found("--diff-base", "HEAD") == sorted((name, 6) for name in names)


def test_notebooks(found: Found) -> None:
    def notebook(*cells: str) -> str:
        rows = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells]
        return json.dumps({"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    write({"a.ipynb": notebook("import torch", OLD)})
    commit()
    write({"a.ipynb": notebook("import torch", "print()", OLD, NEW.replace("new", "fresh"))})
    assert found("--diff-base", "HEAD") == [("a.ipynb", 4)]
    assert found("--changed-lines") == [("a.ipynb", 4)]


def test_from_a_folder_below_and_through_a_link(
    found: Found, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write({"model.py": SOFTMAX, "sub/new.py": NEW})
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(repository)
    monkeypatch.chdir(repository / "sub")
    assert found("--diff-base", "HEAD") == [("new.py", 4)]
    assert found("--diff-base", "HEAD", "..") == [(str(repository / "train.py"), 8), ("new.py", 4)]
    monkeypatch.chdir(link.parent)
    assert found("--diff-base", "HEAD", "link") == [("link/sub/new.py", 4), ("link/train.py", 8)]


def test_only_what_is_tied_to_the_change_is_checked(
    found: Found, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"model.py": SOFTMAX})
    checked: list[str] = []
    ask = engine.Engine.check

    def recording(self: engine.Engine, files: Iterable[tuple[str, bytes]], *others: object) -> object:
        files = [*files]
        checked.extend(path for path, _ in files)
        return ask(self, files, *others)

    monkeypatch.setattr(engine.Engine, "check", recording)
    found("--diff-base", "HEAD", "-j1")
    assert sorted(checked) == ["model.py", "model.py", "train.py", "train.py"]
    checked.clear()
    assert found("--diff-base", "HEAD", "-j1") == BROKEN
    assert not checked


def test_the_summary_says_what_is_reported(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--isolated", "--diff-base", "main"]) == 0
    nothing = "Nothing to check: only what is new since `main`, and no Python file or notebook is concerned\n"
    assert capsys.readouterr().out == nothing
    write({"model.py": SOFTMAX})
    assert cli.main(["check", "--isolated", "--diff-base", "main"]) == 1
    assert "Found 1 error in 1 file (2 checked; only what is new since `main`)" in capsys.readouterr().out


def test_with_a_baseline(found: Found, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write({"model.py": SOFTMAX})
    assert cli.main(["baseline", "create", "--isolated", "train.py"]) == 0
    capsys.readouterr()
    write({"old.py": OLD + NEW.split("\n", 2)[2]})
    assert found("--diff-base", "main", "--baseline", "mllint-baseline.json") == [("old.py", 6)]


# --------------------------------------------------------------------------------------------------------------- staged
def test_the_index_counts_and_not_the_working_tree(found: Found, capsys: pytest.CaptureFixture[str]) -> None:
    write({"model.py": SOFTMAX})
    assert found("--staged") == []
    git("add", "model.py")
    write({"model.py": MODEL, "train.py": NEW, "new.py": NEW})
    assert found("--staged") == BROKEN
    assert cli.main(["check", "--isolated", "--staged"]) == 1
    assert "9 |         return self.head(x).softmax(-1)\n" in capsys.readouterr().out
    os.unlink("model.py")
    assert found("--staged") == BROKEN
    assert found("--staged", "--diff-base", "HEAD") == BROKEN
    git("commit", "-q", "-m", "staged")
    assert found("--staged") == []
    assert found("--staged", "--diff-base", "HEAD~1") == BROKEN


def test_a_helper_that_is_not_staged_is_not_there(found: Found) -> None:
    write({"train.py": TRAIN.replace("from model", "from helper"), "helper.py": SOFTMAX})
    git("add", "train.py")
    assert found("--staged") == []
    git("add", "helper.py")
    assert found("--staged") == BROKEN


def test_the_first_commit(found: Found, repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    git("init", "-q", "-b", "main")
    git("add", "old.py")
    assert found("--staged") == [("old.py", 4)]
    assert found("--changed-lines", "--staged") == [("old.py", 4)]


def test_in_a_hook(repository: Path) -> None:
    command = 'exec "$MLLINT_PYTHON" -m mllint check --isolated --staged --output-format concise\n'
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n" + command)
    hook.chmod(0o755)
    write({"model.py": SOFTMAX, "lone.py": "import torch as t\n"})
    environment = {**os.environ, "MLLINT_PYTHON": __import__("sys").executable}
    base = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x"]
    partial = subprocess.run([*base, "lone.py"], env=environment, capture_output=True, text=True, check=False)
    assert partial.returncode == 0, partial.stderr
    whole = subprocess.run([*base, "-a"], env=environment, capture_output=True, text=True, check=False)
    assert whole.returncode == 1 and "train.py:8:32: error[double-softmax]" in whole.stdout + whole.stderr


# -------------------------------------------------------------------------------------------------------- changed lines
def test_a_changed_line_is_enough(found: Found) -> None:
    write({"model.py": SOFTMAX, "old.py": OLD.replace("x, y)", "x, y) -> object")})
    assert found("--changed-lines") == BROKEN
    write({"old.py": OLD.replace("y)\n", "y)  # as ever\n").replace("def old(x, y)  # as ever", "def old(x, y)")})
    assert found("--changed-lines") == [("old.py", 4), *BROKEN]
    assert found("--diff-base", "main") == BROKEN


def test_line_ends_are_no_change(found: Found) -> None:
    Path("old.py").write_bytes(OLD.replace("\n", "\r\n").encode())
    assert found("--changed-lines") == []


# -------------------------------------------------------------------------------------------------------------- context
def test_what_touches_the_given_files_is_reported(found: Found) -> None:
    write({"model.py": SOFTMAX})
    assert found("model.py") == []
    assert found("--context", ".", "model.py") == BROKEN
    assert found("--context", ".", "train.py") == BROKEN
    assert found("--context", ".", "lone.py") == []
    assert found("--context", ".", "lone.py", "old.py") == [("old.py", 4)]
    assert found("--context", ".", "--diff-base", "main", "model.py", "old.py") == BROKEN
    assert found("--context", ".", "--diff-base", "main", "old.py") == []


def test_what_the_project_leaves_out_is_left_out(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write({"mllint.toml": 'exclude = ["old.py"]\n'})
    assert cli.main(["check", "--context", ".", "old.py", "lone.py"]) == 0
    assert "1 file," in capsys.readouterr().out
    assert cli.main(["check", "--context", ".", "old.py"]) == 0
    assert capsys.readouterr().out.startswith("Nothing to check: only what touches the given files, and no Python file")
    assert cli.main(["check", "old.py"]) == 1


def test_a_crash_elsewhere_is_told(repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr(
        engine.Run, "ask", lambda run, check, thing, module: run.report_crash(check.name, module, ValueError())
    )
    assert cli.main(["check", "--isolated", "--context", ".", "model.py"]) == 2
    assert "internal-error" in capsys.readouterr().out


# --------------------------------------------------------------------------------------------------------------- errors
def test_a_base_that_does_not_exist(error: Callable[..., str]) -> None:
    git("branch", "develop")
    assert "`mian` is not a commit, branch or tag of this repository, did you mean `main`?" in error(
        "--diff-base", "mian"
    )
    assert "did you mean `develop`?" in error("--diff-base=devlop")
    assert error("--diff-base=--output=x").endswith("of this repository; it has `develop`, `main`\n")
    assert not os.path.exists("x")
    assert "`main:train.py` is not a commit" in error("--diff-base=main:train.py")


def test_no_repository(error: Callable[..., str], repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    assert "`.` is in no git repository, so there is nothing to compare it with" in error("--diff-base", "main")
    assert "is in no git repository" in error("--staged")


def test_no_git(error: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "mllint asks git, which is not installed" in error("--diff-base", "main")


def test_no_common_ancestor(error: Callable[..., str]) -> None:
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-q", "-m", "other")
    assert error("--diff-base", "main").endswith("`main` and the current commit have no common ancestor\n")


def test_no_commit_yet(error: Callable[..., str], repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    git("init", "-q", "-b", "main")
    assert "`main` is not a commit, branch or tag" in error("--diff-base", "main")


def shallow(repository: Path, *options: str) -> Path:
    clone = repository / "out"
    git("clone", "-q", "--depth=1", *options, f"file://{repository}", str(clone))
    return clone


def test_a_shallow_clone(error: Callable[..., str], repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("checkout", "-q", "-b", "feature")
    write({"model.py": SOFTMAX})
    commit()
    git("checkout", "-q", "main")
    write({"lone.py": NEW})
    commit()
    monkeypatch.chdir(shallow(repository, "--no-single-branch", "--branch=feature"))
    message = error("--diff-base", "main")
    assert "no common ancestor" in message and "`git fetch --unshallow`" in message
    assert "only a part of the history" in error("--diff-base", "HEAD~1")


@pytest.mark.parametrize("option", ["--diff-base=main", "--staged", "--changed-lines", "--context=."])
def test_standard_input_has_no_history(error: Callable[..., str], option: str) -> None:
    assert "`-` reads standard input, which has no history" in error(option, "-")


@pytest.mark.parametrize("option", ["--diff-base", "--context", "--baseline"])
def test_an_empty_value_is_a_mistake(error: Callable[..., str], option: str) -> None:
    assert f"`{option}` is given an empty text" in error(f"{option}=")
    assert f"`{option}` is given an empty text" in error(option, "")


# ----------------------------------------------------------------------------------------------------------- automatic
@pytest.fixture
def clone(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """As CI has it: a detached head, and the branches only as those of the remote."""
    git("checkout", "-q", "-b", "develop")
    commit_empty("develop")
    git("checkout", "-q", "-b", "feature")
    commit_empty("feature")
    git("clone", "-q", str(repository), "out")
    folder = repository / "out"
    git("checkout", "-q", "--detach", cwd=folder)
    git("branch", "-q", "-D", "feature", cwd=folder)
    git("remote", "set-head", "origin", "main", cwd=folder)
    return Repository.around(str(folder))


def commit_empty(message: str) -> None:
    git("commit", "-q", "--allow-empty", "-m", message)


ZERO = "0" * 40


@pytest.mark.parametrize(
    ("environment", "base"),
    [
        ({"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "develop"}, "origin/develop"),
        ({"GITHUB_ACTIONS": "true", "event": {"merge_group": {"base_sha": "{before}"}}}, "{before}"),
        ({"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "", "event": {"before": "{before}"}}, "{before}"),
        (
            {"GITHUB_ACTIONS": "true", "event": {"before": ZERO, "repository": {"default_branch": "develop"}}},
            "origin/develop",
        ),
        ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": "{before}", "CI_COMMIT_BEFORE_SHA": ZERO}, "{before}"),
        ({"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "develop", "CI_COMMIT_BEFORE_SHA": ZERO}, "origin/develop"),
        ({"CI_COMMIT_BEFORE_SHA": "{before}", "CI_DEFAULT_BRANCH": "main"}, "{before}"),
        ({"CI_COMMIT_BEFORE_SHA": ZERO, "CI_DEFAULT_BRANCH": "develop"}, "origin/develop"),
        ({"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/develop"}, "origin/develop"),
        ({"SYSTEM_PULLREQUEST_TARGETBRANCH": "develop"}, "origin/develop"),
        ({"BITBUCKET_PR_DESTINATION_BRANCH": "develop"}, "origin/develop"),
        ({"CHANGE_TARGET": "develop"}, "origin/develop"),
        ({"GIT_PREVIOUS_SUCCESSFUL_COMMIT": "{before}"}, "{before}"),
        ({"CIRCLECI": "true"}, "origin/HEAD"),
        ({}, "origin/HEAD"),
    ],
)  # fmt: skip
def test_automatic(clone: Repository, tmp_path: Path, environment: dict, base: str) -> None:
    before = git("rev-parse", "HEAD~1", cwd=Path(clone.top)).strip()
    event = environment.pop("event", None)
    given = {name: value.format(before=before) for name, value in environment.items()}
    if event is not None:
        (tmp_path / "event.json").write_text(json.dumps(event).replace("{before}", before))
        given["GITHUB_EVENT_PATH"] = str(tmp_path / "event.json")
    assert automatic(clone, given) == base.format(before=before)


def test_automatic_in_a_pull_request_with_two_commits(repository: Path) -> None:
    git("checkout", "-q", "-b", "feature")
    write({"model.py": SOFTMAX})
    commit()
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    folder = repository / "out"
    git("clone", "-q", "--depth=2", "--single-branch", f"file://{repository}", str(folder))
    git("checkout", "-q", "--detach", cwd=folder)
    git("branch", "-q", "-D", "main", cwd=folder)
    git("update-ref", "-d", "refs/remotes/origin/main", cwd=folder)
    assert automatic(Repository.around(str(folder)), {"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main"}) == "HEAD^1"


def test_automatic_on_the_command_line(found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    git("checkout", "-q", "-b", "feature")
    write({"model.py": SOFTMAX})
    commit()
    assert found("--diff-base", "auto") == BROKEN
    monkeypatch.setenv("CHANGE_TARGET", "feature")
    assert found("--diff-base", "auto") == []


def test_automatic_finds_nothing(error: Callable[..., str], repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("branch", "-m", "main", "trunk")
    assert "finds none of `origin/HEAD`, `origin/main`, `main`" in error("--diff-base", "auto")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_BASE_REF", "develop")
    clone = shallow(repository)
    git("remote", "set-head", "origin", "--delete", cwd=clone)
    monkeypatch.chdir(clone)
    assert "finds none of `origin/develop`, `develop`" in (message := error("--diff-base", "auto"))
    assert "`fetch-depth: 0`" in message
