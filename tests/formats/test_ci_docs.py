"""The set-ups in `docs/ci.md`: each command in them runs, writes the files that the next step wants, and is safe."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests import documents
from tests.formats.test_action import INPUTS

PAGE = documents.ROOT / "docs" / "ci.md"
TEXT = PAGE.read_text(encoding="utf-8")
FENCES = list(documents.blocks(PAGE))
COMMANDS = [
    (block.place, command)
    for block in FENCES
    for command in re.findall(r"^(?:- run: |- script: |- |sh ')?(mllint check.*?|\.venv/bin/mllint check.*?)'?$",
                              re.sub(r"^ +", "", block.text, flags=re.MULTILINE), re.MULTILINE)
]  # fmt: skip


def test_each_service_has_a_command():
    assert len(COMMANDS) == 6
    assert sum(line.count("mllint check") for block in FENCES for line in block.text.split("\n")) == len(COMMANDS)


@pytest.mark.parametrize("command", [command for _, command in COMMANDS], ids=[place for place, _ in COMMANDS])
def test_a_command_writes_what_the_next_step_wants(command, tmp_path):
    environment = documents.prepare(tmp_path, PAGE)
    work = tmp_path / "work"
    reviewdog = tmp_path / "bin" / "reviewdog"
    reviewdog.write_text("#!/bin/sh\ncat > read-by-reviewdog.json\n")
    reviewdog.chmod(0o755)
    (work / ".venv" / "bin").mkdir(parents=True)
    (work / ".venv" / "bin" / "mllint").symlink_to(tmp_path / "bin" / "mllint")
    command = command.replace("$(Build.ArtifactStagingDirectory)", "staging")
    shell = ["bash", "-o", "pipefail", "-c", command]
    done = subprocess.run(shell, cwd=work, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")  # the sample project has bugs
    if "reviewdog" in command:
        assert len(json.loads((work / "read-by-reviewdog.json").read_text())["diagnostics"]) == 8
    for name, file in re.findall(r"--output-format (\w+):(\S+)", command):
        text = (work / file).read_text(encoding="utf-8")
        if name == "junit":
            assert len(list(ElementTree.fromstring(text.encode()).iter("testcase"))) == 8
        elif name == "markdown":
            assert text.count("\n| ") == 8 + 1
        else:
            found = json.loads(text)
            assert len(found if name == "gitlab" else found["runs"][0]["results"]) == 8


def test_the_file_that_is_written_is_the_file_that_is_read():
    for block in FENCES:
        for file in re.findall(r"--output-format \w+:(\S+?)'?$", block.text, re.MULTILINE):
            assert block.text.count(file) == 2 or block.language == "sh", block.place


def test_the_inputs_of_the_action_are_those_in_the_table():
    rows = re.findall(r"^\| `([\w-]+)` \| (?:`(.*?)` )?\| ", TEXT, re.MULTILINE)
    assert dict(rows) == INPUTS
    example = next(block.text for block in FENCES if "OWNER/mllint" in block.text)
    given = example.partition("OWNER/mllint")[2].partition("      - ")[0]
    assert set(re.findall(r"^          ([\w-]+): ", given, re.MULTILINE)) <= set(INPUTS)


def test_the_workflows_are_safe(tmp_path):
    zizmor = shutil.which("zizmor", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if zizmor is None:
        pytest.skip("zizmor is part of the group dev")
    workflows = [block for block in FENCES if block.name.startswith(".github/workflows/")]
    assert len(workflows) == 2
    for block in workflows:
        path = tmp_path / block.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
    # The page says that commits pin; tags keep it readable.
    (tmp_path / "zizmor.yml").write_text("rules:\n  unpinned-uses:\n    disable: true\n")
    command = [zizmor, "--offline", "--config", str(tmp_path / "zizmor.yml"), "--persona", "auditor"]
    done = subprocess.run([*command, "--format", "plain", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
