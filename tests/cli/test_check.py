"""`mllint check`: formats, exit codes, selection, streams."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from mllint.catalogue import pages as catalogue
from mllint.errors import MllintError
from tests.cli.conftest import DOUBLE_SOFTMAX, FOUND, KEEPS_GRAPH, ZERO_GRAD, span
from tests.cli.snapshot import matches


# -------------------------------------------------------------------------------------------------------------- formats
def test_full(engine, mllint):
    assert matches("full.txt", mllint("check").out)


def test_full_in_colour(engine, mllint):
    assert matches("full-colour.txt", mllint("check", "--color", "always").out)


def test_full_on_a_narrow_terminal(engine, mllint, monkeypatch):
    monkeypatch.setenv("COLUMNS", "48")
    assert matches("full-narrow.txt", mllint("check").out)


def test_concise(engine, mllint):
    assert matches("concise.txt", mllint("check", "--output-format", "concise").out)


def test_json(engine, mllint):
    text = mllint("check", "--output-format=json", "--select", "double-softmax").out
    assert matches("report.json", text)
    document = json.loads(text)
    assert document["schema_version"] == 1
    assert [label["role"] for label in document["diagnostics"][1]["labels"]] == ["primary", "secondary", "secondary"]


def test_statistics_as_json(engine, mllint):
    engine.find(*FOUND, KEEPS_GRAPH)
    done = mllint("check", "--statistics", "--output-format", "json")
    rows = [(row["rule"], row["severity"], row["count"], row["files"]) for row in json.loads(done.out)]
    assert rows[0] == ("loss-keeps-graph", "info", 2, 1)
    assert {row[0] for row in rows[1:]} == {"double-softmax", "missing-zero-grad"}
    assert "--statistics" not in done.err
    assert "which are not among the formats" in mllint("check", "--statistics", "--output-format", "sarif").err


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ((), "", True),
        (("--no-respect-gitignore",), "", False),
        ((), "0", False),
        (("--respect-gitignore",), "0", True),
        (("--config", "respect-gitignore = false"), "", False),
        (("--config", "respect-gitignore = false", "--respect-gitignore"), "", True),
    ],
)
def test_what_git_ignores(engine, mllint, monkeypatch, arguments, environment, expected):
    if environment:
        monkeypatch.setenv("MLLINT_RESPECT_GITIGNORE", environment)
    mllint("check", *arguments)
    assert engine.asked["config"].respect_gitignore is expected


def test_statistics(engine, mllint):
    engine.find(DOUBLE_SOFTMAX, *[ZERO_GRAD] * 12)
    assert [line.split()[:2] for line in mllint("check", "--statistics").out.split("\n")[:2]] == [
        ["12", "warning[missing-zero-grad]"],
        ["1", "error[double-softmax]"],
    ]


def test_only_the_first_three_of_a_rule_in_a_file_are_told_in_full(engine, mllint):
    engine.find(*[ZERO_GRAD] * 5)
    out = mllint("check").out
    assert out.count("-->") == 3
    assert out.count("train.py:11:9: warning[missing-zero-grad]") == 2


def test_a_file_that_is_gone_has_no_frame(engine, mllint):
    engine.find(DOUBLE_SOFTMAX._replace(span=span("gone.py", 1, 1, 2), labels=()))
    out = mllint("check").out
    assert " --> gone.py:1:1\n  = why: " in out


def test_clean(engine, mllint):
    engine.find(files=14)
    result = mllint("check", "--select", "double-softmax,missing-zero-grad")
    assert result == (0, "All checks passed! (14 files, 2 rules)\n", "")


def test_a_run_without_rules_does_not_say_that_anything_passed(engine, mllint):
    engine.find()
    assert mllint("check", "--ignore", "ALL") == (0, "Nothing was checked: no rule is selected\n", "")
    note = "mllint: note: `framework:tensorflow` selects nothing: there is no rule about tensorflow yet\n"
    nothing = "Nothing was checked: no rule is selected\n"
    assert mllint("check", "--select", "framework:tensorflow") == (0, nothing, note)
    result = mllint("check", "--extend-select", "framework:tensorflow")
    assert result.out.startswith("All checks passed!") and result.err == note


def test_suppressed_findings_are_counted(engine, mllint):
    engine.find(files=1, suppressed=2)
    assert "1 file, " in mllint("check").out
    assert mllint("check").out.endswith("2 suppressed)\n")


def test_nothing_to_check(engine, mllint):
    engine.find(files=0)
    result = mllint("check", ".")
    assert (result.code, result.out) == (0, "Nothing to check: no Python files or notebooks in `.`\n")


def test_notes_go_to_standard_error(engine, mllint):
    engine.find(notes=["big.py was skipped: 5 MiB"])
    assert mllint("check").err == "mllint: note: big.py was skipped: 5 MiB\n"
    assert mllint("check", "-q").err == ""
    assert json.loads(mllint("check", "--output-format", "json").out)["notes"] == ["big.py was skipped: 5 MiB"]


def test_quiet_shows_findings_only(engine, mllint):
    assert "Found" not in mllint("check", "--quiet", "--output-format", "concise").out


def test_control_characters_of_the_source_do_not_reach_the_terminal(engine, mllint, project):
    (project / "train.py").write_text("x = '\x1b[2J\u202e'\n")
    engine.find(DOUBLE_SOFTMAX._replace(span=span("train.py", 1, 1, 2), labels=(), message="bad \x1b[31m"))
    out = mllint("check").out
    assert "\x1b" not in out and "\u202e" not in out


# ----------------------------------------------------------------------------------------------------------- exit codes
@pytest.mark.parametrize(
    ("found", "options", "code"),
    [
        (FOUND, [], 1),
        ([ZERO_GRAD], [], 1),
        ([KEEPS_GRAPH], [], 0),
        ([KEEPS_GRAPH], ["--fail-on", "info"], 1),
        ([ZERO_GRAD], ["--fail-on", "error"], 0),
        (FOUND, ["--fail-on", "never"], 0),
        (FOUND, ["--exit-zero"], 0),
        ([], [], 0),
    ],
)
def test_exit_code(engine, mllint, found, options, code):
    engine.find(*found)
    assert mllint("check", *options).code == code


@pytest.mark.parametrize("options", [[], ["--exit-zero"], ["--fail-on", "never"]])
def test_a_crashed_rule_is_never_a_success(engine, mllint, options):
    engine.find(crashed=True)
    result = mllint("check", *options)
    assert result.code == 2
    assert "passed" not in result.out


def test_a_file_may_be_called_like_an_option(engine, mllint, project):
    (project / "-w.py").write_text("")
    mllint("check", "-q", "--", "-w.py", "train.py")
    assert engine.asked["paths"] == ("./-w.py", "train.py")
    assert "unknown option `-w`" in mllint("check", "-w.py").err


def test_an_expected_failure_is_one_line(engine, mllint):
    engine.failure = MllintError("the stub `typings/lab.pyi` is broken")
    assert mllint("check") == (2, "", "mllint: error: the stub `typings/lab.pyi` is broken\n")


def test_interrupted(engine, mllint):
    engine.failure = KeyboardInterrupt()
    assert mllint("check") == (130, "", "mllint: interrupted\n")


# ------------------------------------------------------------------------------------------------------------ selection
def test_select_takes_lists_and_repeats(engine, mllint):
    mllint("check", "--select", "double-softmax, missing-zero-grad", "--select=detached-loss")
    assert engine.asked["selected"] == {"double-softmax", "missing-zero-grad", "detached-loss"}


def test_ignore_and_extend_select(engine, mllint):
    mllint("check", "--select", "loss", "--ignore", "double-softmax", "--extend-select", "missing-zero-grad")
    assert "double-softmax" not in engine.asked["selected"]
    assert {"raw-scores-in-bce", "missing-zero-grad"} <= engine.asked["selected"]


def test_pedantic_rules_are_asked_for(engine, mllint):
    pedantic = {info.name for info in catalogue.rules().values() if info.persona == "pedantic"}
    mllint("check")
    assert not pedantic & engine.asked["selected"]
    assert engine.asked["pedantic"] is False
    mllint("check", "--pedantic")
    assert pedantic <= engine.asked["selected"]
    assert engine.asked["pedantic"] is True


def test_an_unknown_rule_names_the_nearest(engine, mllint):
    result = mllint("check", "--select", "double-sofmax")
    assert result.code == 2
    assert "did you mean `double-softmax`?" in result.err


def test_isolated_reads_no_configuration(engine, mllint, project):
    (project / "mllint.toml").write_text('ignore = ["double-softmax"]\n')
    mllint("check")
    assert "double-softmax" not in engine.asked["selected"]
    mllint("check", "--isolated")
    assert "double-softmax" in engine.asked["selected"]


def test_a_configuration_file_by_name(engine, mllint, project):
    (project / "strict.toml").write_text('select = ["double-softmax"]\n')
    mllint("check", "--config", "strict.toml")
    assert engine.asked["selected"] == {"double-softmax"}
    result = mllint("check", "--config", "strct.toml")
    assert result.code == 2
    assert "did you mean `strict.toml`?" in result.err


def test_a_broken_configuration_names_file_and_line(engine, mllint, project):
    (project / "mllint.toml").write_text('\nslect = ["double-softmax"]\n')
    result = mllint("check")
    assert result.code == 2
    assert result.err.startswith("mllint: error: mllint.toml:2: ")
    assert "`select`" in result.err


def test_no_cache_is_accepted(engine, mllint):
    assert mllint("check", "--no-cache", "--exit-zero").code == 0


def test_verbose_names_the_configuration(engine, mllint):
    assert "configuration: none; " in mllint("check", "-v").err


# -------------------------------------------------------------------------------------------------------------- streams
def test_standard_input(engine, mllint, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"x = 1\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    mllint("check", "-")
    assert engine.asked["sources"] == {"stdin.py": b"x = 1\n"}


def test_standard_input_excludes_other_paths(engine, mllint):
    assert mllint("check", "-", "src").code == 2


@pytest.mark.parametrize(
    ("environment", "options", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
    ],
)
def test_colour(engine, mllint, monkeypatch, environment, options, coloured):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in mllint("check", *options).out) is coloured


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX pipe")
def test_a_reader_that_hangs_up_is_no_error(project):
    command = [sys.executable, "-m", "mllint", "rules", "--output-format", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 0
    assert errors == b""


def test_an_encoding_that_lacks_characters_is_no_error(project):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "mllint", "explain", "double-softmax"]
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


@pytest.fixture
def two_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bug = "import torch.nn.functional as F\nloss = F.cross_entropy(F.softmax(model(x), dim=1), y)\n"
    for name in ("train.py", "old/train.py", "build/train.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(bug)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ((), ["old/train.py", "train.py"]),
        (("--extend-exclude", "old"), ["train.py"]),
        (("--exclude", "old"), ["build/train.py", "train.py"]),
        (("--exclude", "old,build"), ["train.py"]),
        (("--extend-ignore", "double-softmax"), []),
        (("--per-file-ignores", "old/**:loss"), ["train.py"]),
        (("--per-file-ignores", "old/**:loss", "--per-file-ignores", "train.py:double-softmax,optimizer"), []),
        (("--per-file-ignores", "old/**:optimizer"), ["old/train.py", "train.py"]),
    ],
)
def test_files_and_rules_are_left_out_by_options(two_files, mllint, words, left):
    found = mllint("check", "--isolated", "--no-cache", "--output-format", "concise", *words).out.splitlines()
    assert [line.partition(":")[0] for line in found if "double-softmax" in line] == left


@pytest.mark.parametrize("value", ["loss", "tests/**:", ":loss"])
def test_an_ignore_without_glob_or_rules_is_an_error(two_files, mllint, value):
    result = mllint("check", "--isolated", "--per-file-ignores", value)
    assert result.code == 2
    assert "write `--per-file-ignores 'tests/**:loss,unseeded-shuffle'`" in result.err
