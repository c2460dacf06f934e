"""`python -m mllint.dev new-rule`: the lab of `docs/writing-a-rule.md`, followed in a copy of the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mllint.dev import scaffold
from mllint.dev.__main__ import main
from tests.test_docs import CHECK, NAME, OPERATOR, PAGE, RULE, named

ROOT = Path(__file__).parent.parent
COPIED = (
    ".ci",
    "src",
    "rules",
    "tests",
    "docs",
    "website",
    "benchmarks",
    "conftest.py",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
)


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the lab touches."""
    if (ROOT / PAGE).exists():
        pytest.skip("somebody has followed the tutorial in this tree: the page of its rule tests it")
    root = tmp_path_factory.mktemp("lab")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "*.so"))
        else:
            shutil.copy(ROOT / name, root / name)
    return root


def test_the_lab_ends_green(copy: Path):
    begun = run(copy, "mllint.dev", "new-rule", f"modules/{NAME}")
    assert (begun.returncode, begun.stderr) == (0, "")
    assert f"wrote {PAGE}\nwrote {CHECK}\n" in begun.stdout and f'@operator("{NAME}")' in begun.stdout
    assert f"benchmarks/evidence/modules/{NAME}.py" in begun.stdout

    assert 'since = "0.1"\n' in (copy / PAGE).read_text(encoding="utf-8")

    failing = run(copy, "pytest", "-q", PAGE)
    assert failing.returncode == 1 and f"{PAGE}: Fires > The usual form" in failing.stdout

    page = (copy / PAGE).read_text(encoding="utf-8")
    (copy / PAGE).write_text(page.replace("slow-learning", "slow-lerning"), encoding="utf-8")
    refused = run(copy, "pytest", "-q", PAGE)
    assert refused.stderr == f"ERROR: {PAGE}: `slow-lerning` is not a symptom, did you mean `slow-learning`?\n\n"

    for path in (PAGE, CHECK):
        (copy / path).write_text(named(RULE, path), encoding="utf-8")
    check = (copy / CHECK).read_text(encoding="utf-8")
    (copy / CHECK).write_text(check.replace(f'"{NAME}"', '"dropout-of-everithing"'), encoding="utf-8")
    refused = run(copy, "mllint.dev", "tables")
    reason = f"the rule `dropout-of-everithing` has no page, did you mean `{NAME}`?"
    assert (refused.returncode, refused.stderr) == (2, f"error: {CHECK}: {reason}\n")

    (copy / CHECK).write_text(check, encoding="utf-8")
    written = run(copy, "mllint.dev", "tables")
    assert (written.returncode, written.stderr) == (0, "")
    for path in ("src/mllint/catalogue/_table.py", "src/mllint/checks/_table.py", "docs/rules.md", "docs/symptoms.md"):
        assert f"wrote {path}\n" in written.stdout and NAME in (copy / path).read_text(encoding="utf-8")

    with (copy / OPERATOR).open("a", encoding="utf-8") as file:
        file.write("\n\n" + named(RULE, OPERATOR))

    listed = run(copy, "tests.messages")
    assert (listed.returncode, listed.stderr) == (0, "")

    relevant = (
        "rules/modules",
        "tests/test_messages.py",
        "tests/test_symptoms.py",
        "tests/test_catalogue.py",
        "tests/test_architecture.py",
        "tests/test_house.py",
        "tests/test_clean_projects.py::test_every_rule_about_training_has_an_operator",
    )
    done = run(copy, "pytest", "-q", "-p", "no:cacheprovider", *relevant)
    assert done.returncode == 0, done.stdout
    assert run(copy, "mllint", "explain", NAME).returncode == 0


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("module/some-fault", "there is no family `module`, did you mean `modules`?"),
        ("suppression/some-fault", "there is no family `suppression`"),
        ("modules/Fault", "`Fault` is not the name of a rule"),
        ("modules/../../some-fault", "`../../some-fault` is not the name of a rule"),
        ("loss/double-softmax", "the rule `double-softmax` exists already"),
        ("double-softmax", "there is no family `double-softmax`"),
    ],
)
def test_what_cannot_begin_is_named(copy: Path, place: str, message: str):
    done = run(copy, "mllint.dev", "new-rule", place)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize(("since", "heading"), [("0.1", "- not released yet"), ("0.2", "- 2026-12-01")])
def test_a_new_rule_belongs_to_the_next_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, since: str, heading: str
):
    (tmp_path / "CHANGELOG.md").write_text(f"## [Unreleased]\n\n## [0.1.0] {heading}\n", encoding="utf-8")
    monkeypatch.setattr(scaffold, "checkout", lambda: str(tmp_path))
    monkeypatch.setattr(scaffold, "__version__", "0.1.0")
    assert scaffold._since() == since


def test_only_what_changed_is_said_to_be_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    for written, told in ((("docs/rules.md",), "wrote docs/rules.md\n"), ((), "nothing has changed\n")):
        monkeypatch.setattr("mllint.dev.__main__.write_tables", lambda written=written: written)
        assert main(["tables"]) == 0 and capsys.readouterr().out == told


def test_a_command_line_that_is_none_shows_the_usage(copy: Path):
    assert run(copy, "mllint.dev").returncode == 2
    assert "new-rule FAMILY/NAME" in run(copy, "mllint.dev", "new-rule").stderr
