"""What lies at the top of the repository for people: does it agree with the code, and can a service read it?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mllint.cli.app import COMMANDS
from mllint.version import __version__

ROOT = Path(__file__).parent.parent
yaml = pytest.importorskip("yaml", reason="PyYAML comes with pre-commit: pip install --group hooks")
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def notes(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    command = [sys.executable, str(ROOT / ".github" / "release-notes.py"), *arguments]
    return subprocess.run(command, env=kept | environment, capture_output=True, text=True, check=False)


def test_a_release_has_notes():
    done = notes()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("### ") and "## [" not in done.stdout.replace("### ", "")


@pytest.mark.parametrize(("tag", "code"), [(f"v{__version__}", 0), ("v99.0.0", 1)])
def test_a_tag_has_to_be_the_version(tag, code):
    done = notes("--check", GITHUB_REF_TYPE="tag", GITHUB_REF_NAME=tag)
    assert (done.returncode, done.stdout) == (code, "")
    assert (tag in done.stderr) is bool(code)


def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (__version__, "MIT")


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_code_and_version(form):
    read = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(read)
    fields = {field["id"]: field for field in read["body"] if field["type"] != "markdown"}
    assert {"rule", "code", "version"} <= set(fields)
    assert all(field["attributes"]["label"] for field in fields.values())


@pytest.mark.parametrize("path", [*FORMS, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"], ids=lambda path: path.stem)
def test_the_commands_that_are_named_exist(path):
    named = set(re.findall(r"\bmllint ([a-z]+)\b(?= [A-Z-]|`| train)", path.read_text(encoding="utf-8")))
    assert named and named <= set(COMMANDS)


def test_each_workflow_begins_without_permissions():
    assert [path.stem for path in WORKFLOWS] == ["ci", "docs", "evidence", "release"]
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {}


def test_the_scripts_that_workflows_call_exist():
    called = {name for path in WORKFLOWS for name in re.findall(r"run: (\.\S+)", path.read_text(encoding="utf-8"))}
    assert called >= {".ci/run", ".ci/smoke", ".github/release-notes.py"}
    assert all(os.access(ROOT / name, os.X_OK) for name in called)
