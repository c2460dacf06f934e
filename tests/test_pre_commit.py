"""The hooks as pre-commit runs them: a clone of this project, installed by pre-commit, in a repository that commits.

Needs pre-commit (`pip install --group hooks`) and an index that has the build requirement; `.ci/run` has both.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import documents
from tests.cli.test_fix import FIXED
from tests.cli.test_fix import TRAIN as SUM
from tests.test_changes import MODEL, OLD, SOFTMAX, TRAIN

pytest.importorskip("pre_commit", reason="pre-commit is not installed: pip install --group hooks")

ROOT = Path(__file__).parent.parent
PARTS = (
    "src",
    "rules",
    "docs/schema",
    "pyproject.toml",
    "hatch_build.py",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
)
Commit = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables for git and for pre-commit, whose environments are kept for this module."""
    home = tmp_path_factory.mktemp("pre-commit")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    kept.pop("PYTHONPATH", None)
    kept |= {"PRE_COMMIT_HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        kept |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.org"}
    return kept


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """A repository with this project in it, of which pre-commit makes its clone."""
    folder = tmp_path_factory.mktemp("mllint")
    for part in PARTS:
        source, target = ROOT / part, folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
        else:
            shutil.copy(source, target)
    git(folder, environment, "init", "-q", "-b", "main")
    git(folder, environment, "add", "-A")
    git(folder, environment, "commit", "-q", "-m", "mllint")
    git(folder, environment, "tag", "v0.1.0")
    return folder


def git(folder: Path, environment: dict[str, str], *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def pre_commit(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A repository with an old finding in `old.py` and a model that `train.py` uses well."""
    for name, text in (("model.py", MODEL), ("train.py", TRAIN), ("old.py", OLD), ("lone.py", "import torch\n")):
        (tmp_path / name).write_text(text)
    git(tmp_path, environment, "init", "-q", "-b", "main")
    git(tmp_path, environment, "add", "-A")
    git(tmp_path, environment, "commit", "-q", "-m", "start")
    return tmp_path


@pytest.fixture
def commit(project: Path, tool: Path, environment: dict[str, str]) -> Commit:
    """Commit some files with a hook installed; gives what happened."""

    def run(hook: str, *files: str) -> subprocess.CompletedProcess[str]:
        config = f"repos:\n- repo: {tool}\n  rev: v0.1.0\n  hooks:\n  - {hook}\n"
        (project / ".pre-commit-config.yaml").write_text(config)
        assert pre_commit(project, environment, "install").returncode == 0
        git(project, environment, "add", ".pre-commit-config.yaml", *files)
        command = ["git", "commit", "-m", "change"]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    return run


def test_the_manifest_is_valid(environment: dict[str, str]) -> None:
    done = pre_commit(ROOT, environment, "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("hook", ["id: mllint-project", "{id: mllint-project, args: [--staged]}", "id: mllint"])
def test_a_commit_that_touches_only_the_model_and_breaks_the_training(commit: Commit, project: Path, hook: str) -> None:
    (project / "model.py").write_text(SOFTMAX)
    done = commit(hook, "model.py")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert " --> train.py:8:32" in said and " ::: model.py:9:16" in said
    assert ("old.py" in said) is (hook == "id: mllint-project")


@pytest.mark.parametrize("hook", ["{id: mllint-project, args: [--staged]}", "id: mllint"])
def test_old_findings_elsewhere_stop_nobody(commit: Commit, project: Path, hook: str) -> None:
    (project / "lone.py").write_text("import torch\n\nx = torch.ones(3)\n")
    (project / "model.py").write_text(SOFTMAX)  # not staged
    done = commit(hook, "lone.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout + done.stderr
    assert (project / "model.py").read_text() == SOFTMAX


def test_an_old_finding_in_a_file_of_the_commit(commit: Commit, project: Path) -> None:
    (project / "old.py").write_text(OLD + "\n\nx = 1\n")
    assert commit("id: mllint", "old.py").returncode == 1
    assert commit("{id: mllint-project, args: [--staged]}", "old.py").returncode == 0


def test_a_baseline_counts(commit: Commit, project: Path) -> None:
    (project / "mllint.toml").write_text('baseline = "mllint-baseline.json"\n')
    subprocess.run([sys.executable, "-m", "mllint", "baseline", "create"], cwd=project, check=True)
    (project / "old.py").write_text(OLD + "\n\nx = 1\n")
    done = commit("id: mllint", "old.py", "mllint.toml", "mllint-baseline.json")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_project_excludes_is_not_reported(commit: Commit, project: Path) -> None:
    (project / "mllint.toml").write_text('exclude = ["old.py"]\n')
    (project / "old.py").write_text(OLD + "\n\nx = 1\n")
    assert commit("id: mllint", "old.py", "mllint.toml").returncode == 0


def test_a_fix_stops_the_commit_and_the_fixed_file_is_committed(commit: Commit, project: Path) -> None:
    (project / "sum.py").write_text(SUM)
    stopped = commit("id: mllint-fix", "sum.py")
    said = stopped.stdout + stopped.stderr
    assert stopped.returncode != 0 and "files were modified by this hook" in said, said
    assert (project / "sum.py").read_text() == FIXED
    passed = commit("id: mllint-fix", "sum.py")
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_the_hooks_of_the_documentation(project: Path, tool: Path, environment: dict[str, str]) -> None:
    blocks = list(documents.blocks(ROOT / "docs" / "pre-commit.md"))
    hook, own = (block for block in blocks if block.name == ".pre-commit-config.yaml")
    (commands,) = (block for block in blocks if block.comment.startswith("not run: tests/test_pre_commit.py"))
    for config, source, name in (
        (hook, "https://github.com/OWNER/mllint", "mllint (project)"),
        (own, "mllint-check", "mllint"),
    ):
        text = config.text.replace(source, str(tool))
        assert text != config.text
        (project / config.name).write_text(text)
        git(project, environment, "add", config.name)
        outputs = [pre_commit(project, environment, *command.split()[1:]) for command, _ in commands.commands()]
        assert [done.returncode for done in outputs] == [0, 0], [done.stdout for done in outputs]
        assert outputs[-1].stdout.split("\n")[-2].startswith(f"{name}...") and "Passed" in outputs[-1].stdout
