"""Several formats at once, each where it belongs, and files that are whole or not there."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from mllint.cli.output import WITH_FIXES
from mllint.config.model import OUTPUT_FORMATS
from mllint.diagnostic import Edit, Fix
from tests.cli.conftest import DOUBLE_SOFTMAX, KEEPS_GRAPH


def full(mllint):
    return mllint("check").out


def test_formats_go_where_they_are_sent(engine, mllint, project):
    text = full(mllint)
    result = mllint("check", "--output", "full", "--output-format", "json:out.json", "--output=concise:seen.txt")
    assert result.out == text and result.err == ""
    assert json.loads((project / "out.json").read_text())["summary"]["errors"] == 1
    assert (project / "seen.txt").read_text() == mllint("check", "--output", "concise").out


def test_a_dash_is_standard_output(engine, mllint):
    assert mllint("check", "--output", "json:-").out == mllint("check", "--output", "json").out
    assert mllint("check", "--output-file", "-").out == full(mllint)


def test_the_file_of_the_only_format(engine, mllint, project):
    text = full(mllint)
    result = mllint("check", "--output-file", "new/folder/report.txt", "--color", "auto")
    assert (result.code, result.out) == (1, "")
    assert (project / "new" / "folder" / "report.txt").read_text() == text
    mllint("check", "--output", "concise:seen.txt", "--output", "json", "--output-file", "out.json")
    assert json.loads((project / "out.json").read_text())["schema_version"] == 1


def test_the_terminal_s_width_and_colour_are_not_the_file_s(engine, mllint, project, monkeypatch):
    text = full(mllint)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    mllint("check", "--output", "full:report.txt")
    assert (project / "report.txt").read_text() == text


def test_the_summary_is_for_people(engine, mllint):
    assert "Found 1 error" in mllint("check", "--output", "concise").out
    assert "Found" not in mllint("check", "--output", "json-lines").out
    result = mllint("check", "--output", "json:out.json")
    assert result.out == "" and result.err.startswith("mllint: Found 1 error")
    assert mllint("check", "--output", "json:out.json", "--quiet")[1:] == ("", "")


def test_notes_are_told_where_the_format_has_no_place_for_them(engine, mllint):
    engine.find(notes=["big.py was skipped: 5 MiB"])
    note = "mllint: note: big.py was skipped: 5 MiB\n"
    assert mllint("check", "--output", "json").err == ""
    assert mllint("check", "--output", "json-lines").err == note
    assert note in mllint("check", "--output", "json:out.json").err


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_notes_and_fixes_are_told_once_in_every_format(engine, mllint, name):
    fix = Fix((Edit(DOUBLE_SOFTMAX.span, "scores_as_they_are"),), safe=True)
    engine.find(DOUBLE_SOFTMAX._replace(fix=fix), notes=["big.py was skipped: 5 MiB"])
    result = mllint("check", "--output", name)
    told = "big.py was skipped" in result.out
    assert told != ("big.py was skipped" in result.err), "is it in `_WITH_NOTES` of `cli/output.py`?"
    assert ("scores_as_they_are" in result.out) == (name in WITH_FIXES), "is it in `WITH_FIXES` of `cli/output.py`?"


def test_statistics_are_printed_and_reports_are_whole(engine, mllint, project):
    out = mllint("check", "--statistics", "--output", "json:out.json", "--output", "concise").out
    assert out.startswith("1  ") and "Found 1 error" in out
    assert len(json.loads((project / "out.json").read_text())["diagnostics"]) == 3
    assert sum(row["count"] for row in json.loads(mllint("check", "--statistics", "--output", "json").out)) == 3
    assert "`--statistics` is about text" in mllint("check", "--statistics", "--output", "sarif").err


def test_outputs_of_the_configuration_and_of_the_command_line(engine, mllint, project):
    (project / "mllint.toml").write_text('output-format = ["concise", "json:out.json"]\n')
    assert mllint("check").out.startswith("explore.ipynb:cell 3:2:5: info[loss-keeps-graph]")
    assert (project / "out.json").exists()
    assert len(mllint("check", "--output", "json-lines").out.splitlines()) == 3


def test_json_lines(engine, mllint):
    lines = mllint("check", "--output", "json-lines").out.splitlines()
    assert [json.loads(line) for line in lines] == json.loads(mllint("check", "--output", "json").out)["diagnostics"]
    engine.find()
    assert mllint("check", "--output", "json-lines").out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--output json --output json-lines", "`json` and `json-lines` would both go to standard output"),
        ("--output full --output json", "give one a file, as in `json:FILE`"),
        ("--output json:a --output concise:./a", "`json` and `concise` would both be written to `./a`"),
        ("--output json:sub", "`json:sub` names a folder, not a file"),
        ("--output full --output json --output-file a", "takes one format without a file of its own, here are: `full`"),
        ("--output json:b --output-file a", "takes one format without a file of its own, here are: none"),
    ],
)
def test_outputs_in_each_other_s_way_are_refused_before_the_run(engine, mllint, project, arguments, message):
    (project / "sub").mkdir()
    result = mllint("check", *arguments.split())
    assert (result.code, result.out, engine.asked) == (2, "", {})
    assert message in result.err
    assert sorted(os.listdir(project)) == ["explore.ipynb", "model.py", "sub", "train.py"]


# ---------------------------------------------------------------------------------------------------------------- files
def test_a_report_that_cannot_be_written_leaves_the_old_one(engine, mllint, project, monkeypatch):
    (project / "out.json").write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    result = mllint("check", "--output", "full", "--output", "json:out.json")
    assert result.code == 2 and "Found 1 error" in result.out
    assert result.err == "mllint: error: the report `out.json` cannot be written: no space left on device\n"
    assert (project / "out.json").read_text() == "old"
    assert sorted(os.listdir(project)) == ["explore.ipynb", "model.py", "out.json", "train.py"]


def test_a_file_where_a_folder_is_needed(engine, mllint):
    result = mllint("check", "--output", "json:train.py/out.json")
    assert result.code == 2 and "the report `train.py/out.json` cannot be written" in result.err


def test_permissions_and_links_stay(engine, mllint, project):
    (project / "real.json").write_text("old")
    (project / "real.json").chmod(0o640)
    (project / "out.json").symlink_to("real.json")
    mllint("check", "--output", "json:out.json")
    assert (project / "out.json").is_symlink()
    assert json.loads((project / "real.json").read_text())["schema_version"] == 1
    assert stat.S_IMODE((project / "real.json").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX devices")
def test_devices_are_written_to_and_not_replaced(project):
    (project / "train.py").write_text("x = 1\n")
    command = [sys.executable, "-m", "mllint", "check", "--no-cache", "--output", "json:/dev/stdout", "train.py"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert json.loads(done.stdout)["summary"]["files"] == 1
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    command[-2] = f"json:{os.devnull}"
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_text_that_no_encoding_holds_is_written_all_the_same(engine, mllint, project):
    engine.find(KEEPS_GRAPH._replace(message="a lone \udc80"))
    mllint("check", "--output", "concise:seen.txt")
    assert "a lone \\udc80" in (project / "seen.txt").read_text()
