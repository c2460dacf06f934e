"""All commands but `check`, and what is said about command lines that are wrong."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import mllint as package
from mllint import __version__
from mllint.catalogue import pages as catalogue


def test_version(mllint):
    assert mllint("version").out == mllint("--version").out == f"mllint {__version__}\n"


def test_verbose_version_says_what_a_report_of_a_bug_should(mllint):
    first, *others = mllint("version", "--verbose").out.splitlines()
    assert first == f"mllint {__version__}"
    found = dict(line.split(maxsplit=1) for line in others)
    assert found["build"] == "pure Python"
    assert found["python"].endswith(sys.executable)
    assert found["mllint"] == str(Path(package.__file__).parent)
    folder, _, count = found["stubs"].partition(", ")
    assert int(count.split()[0]) == len([*Path(folder).rglob("*.pyi")]) > 0


def test_the_other_program_of_the_name_is_noticed(mllint, tmp_path, monkeypatch):
    assert mllint("version").err == ""
    (tmp_path / "mllint-0.12.2.dist-info").mkdir()
    (tmp_path / "mllint-0.12.2.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mllint\nVersion: 0.12.2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = mllint("version")
    assert (result.code, result.out) == (0, f"mllint {__version__}\n")
    assert "`mllint` 0.12.2, another program," in result.err
    assert "pip uninstall mllint" in result.err


def test_help(mllint):
    assert mllint("--help").code == 0
    assert "Check files and folders" in mllint("help").out
    for words in (["check", "--help"], ["check", "-h"], ["help", "check"]):
        result = mllint(*words)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("Usage: mllint check [OPTIONS] [PATHS]...\n")


def test_no_command_shows_the_help_and_fails(mllint):
    result = mllint()
    assert result.code == 2
    assert "Usage: mllint" in result.out


def test_explain_shows_the_page(mllint):
    out = mllint("explain", "unused-suppression").out
    assert out.startswith("unused-suppression\n\nsuppression, warning, high confidence, on by default\n")
    assert "Why it is silent" in out
    assert "    loss = model(x).mean()" in out
    assert "```" not in out and "severity =" not in out


def test_explain_finds_rules_by_what_somebody_sees(mllint):
    result = mllint("explain", "--symptom", "validation", "accuracy", "jumps", "around")
    lines = result.out.split("\n")
    assert (result.code, lines[0]) == (0, "The validation metric jumps around (validation-jumps)")
    assert any(line.startswith("  missing-eval-mode  ") for line in lines)
    assert any(line.startswith("  - Evaluate the same weights twice") for line in lines)
    assert lines[-2].endswith("/evidence.html")
    assert mllint("explain", "--symptom", "validation accuracy jumps around").out == result.out
    assert mllint("explain", "--symptom", "validation-jumps").out == result.out


def test_explain_lists_the_symptoms(mllint):
    lines = mllint("explain", "--symptom").out.split("\n")
    at = lines.index("NaN after some steps (nan-loss)")
    assert "missing-zero-grad" in lines[at + 1]
    assert max(map(len, lines)) <= 120


def test_explain_says_what_a_bug_looks_like(mllint):
    lines = mllint("explain", "sampler-without-set-epoch").out.split("\n")
    assert lines[3] == "Seen as: It over-fits early; It is worse on several devices than on one"


def test_explain_without_a_rule_lists_all_by_family(mllint):
    lines = mllint("explain").out.split("\n")
    assert set(catalogue.families()) <= set(lines)
    assert sum(line.startswith("  ") for line in lines) == len(catalogue.rules())


def test_explain_says_in_words_what_is_missed(mllint):
    out = mllint("explain", "fit-before-split").out
    assert '["price"].mean()  # a bug that is not reported\n' in out and "gap:" not in out


def test_a_page_on_the_terminal_has_no_marks_of_the_tests(mllint):
    for name in catalogue.rules():
        assert not re.search(r"# *(error|label|gap): *\[", mllint("explain", name).out)
    assert "loss = criterion(out, y)  # reported\n" in mllint("explain", "double-softmax").out


def test_explain_lists_the_rules_of_a_family(mllint):
    head, *lines = mllint("explain", "checkpoint").out.strip().split("\n")
    assert head == "checkpoint"
    family = [info.name for info in catalogue.rules().values() if info.family == "checkpoint"]
    assert [line.split()[0] for line in lines] == family


@pytest.mark.parametrize("name", sorted(catalogue.rules()))
def test_every_rule_can_be_explained(mllint, name):
    assert mllint("explain", name).code == 0


def test_rules(mllint):
    head, *rows = mllint("rules").out.strip().split("\n")
    assert head.split() == ["rule", "family", "severity", "persona", "summary"]
    assert [row.split()[0] for row in rows] == list(catalogue.rules())


def test_rules_as_json(mllint):
    rows = json.loads(mllint("rules", "--output-format", "json").out)
    assert {row["url"] for row in rows} == {info.url for info in catalogue.rules().values()}
    assert {row["name"]: row["family"] for row in rows} == {
        info.name: info.family for info in catalogue.rules().values()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "unknown command `chek`, did you mean `check`?"),
        (["train.py"], "unknown command `train.py`, did you mean `mllint check train.py`?"),
        (["check", ""], "a path is given that is an empty text"),
        (["explain", "DOUBLE-SOFTMAX"], "there is no rule `DOUBLE-SOFTMAX`, did you mean `double-softmax`?"),
        (["explain", "double-softmx"], "there is no rule `double-softmx`, did you mean `double-softmax`?"),
        (["check", "--fail_on", "error"], "unknown option `--fail_on`, did you mean `--fail-on`?"),
        (["check", "--pedantik"], "unknown option `--pedantik`, did you mean `--pedantic`?"),
        (["check", "--output-format", "jsn"], "`jsn` is not one of full, concise, json, "),
        (["check", "--output", "jsn:out.json"], ", did you mean `json`?"),
        (["check", "--output", "json:"], "`json:` names no file behind the colon"),
        (["check", "--fail-on", "warn"], "did you mean `warning`?"),
        (["check", "--select"], "`--select` needs a value"),
        (["check", "--select", ""], "`--select` is given an empty text: name a rule, a family or a selector"),
        (["check", "--select", "framework:jx"], "did you mean `framework:jax`?"),
        (["check", "--fix", "-"], "`--fix` is about the files on disk and cannot be combined with `-`"),
        (["check", "--diff", "--staged"], "`--diff` is about the files on disk and cannot be combined with `--staged`"),
        (["check", "--no-cahce"], "unknown option `--no-cahce`, did you mean `--no-cache`?"),
        (["check", "--stdin-filename", "a.py", "src"], "says what `-` is: write `-` in place of `src`"),
        (["check", "--config", "a.toml", "--isolated"], "contradict each other"),
        (["explain", "double-softmax", "missing-zero-grad"], "unknown argument `missing-zero-grad`"),
        (
            ["explain", "--symptom", "pizza"],
            "no symptom is described by `pizza`; `mllint explain --symptom` lists them",
        ),
        (["explain", "loss", "is", "nan"], "`mllint explain --symptom loss is nan` looks for a symptom"),
        (["rules", "--output-format", "xml"], "`xml` is not one of full, json"),
        (["rules", "loss"], "unknown argument `loss`"),
        (["-x"], "unknown option `-x`"),
        (["baseline"], "`mllint baseline` needs one of create, update, prune, show"),
        (["baseline", "crate"], "`crate` is not one of create, update, prune, show, did you mean `create`?"),
        (["check", "--quiet=1"], "`--quiet` takes no value"),
    ],
)
def test_a_wrong_command_line_is_exit_2_with_the_nearest_word(mllint, arguments, message):
    result = mllint(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.startswith("mllint: error: ") and result.err.count("\n") == 1
