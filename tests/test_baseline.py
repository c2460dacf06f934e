"""A baseline hides what is accepted, survives what changes nothing, and lets go of what has changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mllint import cli
from mllint.engine import engine

TRAIN = """\
import torch
import torch.nn.functional as F

def fit(model, loader, optimizer):
    for x, y in loader:
        loss = F.cross_entropy(F.softmax(model(x), dim=1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
LOSS = "        loss = F.cross_entropy(F.softmax(model(x), dim=1), y)\n"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "mllint.toml").write_text('baseline = "mllint-baseline.json"\n')
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


@pytest.fixture
def mllint(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def accepted(project: Path, mllint: Run) -> Path:
    """The project after `mllint baseline create`."""
    assert mllint("baseline", "create")[0] == 0
    return project


def found(mllint: Run, *arguments: str) -> list[tuple[str, int]]:
    out = mllint("check", "--output-format", "json", *arguments)[1]
    return [(entry["path"], entry["start"]["line"]) for entry in json.loads(out)["diagnostics"]]


def summary(mllint: Run, *arguments: str) -> dict[str, int]:
    return json.loads(mllint("check", "--output-format", "json", *arguments)[1])["summary"]


# --------------------------------------------------------------------------------------------------------------- hiding
def test_what_is_accepted_is_hidden_and_counted(accepted: Path, mllint: Run) -> None:
    assert mllint("check")[:2] == (0, f"All checks passed! (1 file, {len_rules(mllint)} rules, 1 in the baseline)\n")
    assert mllint("check", "--no-baseline")[0] == 1
    (accepted / "new.py").write_text(TRAIN)
    code, out, _ = mllint("check")
    assert code == 1 and "Found 1 error in 1 file (2 checked, 1 in the baseline)" in out
    assert found(mllint) == [("new.py", 6)]
    assert (summary(mllint)["baselined"], summary(mllint)["stale"]) == (1, 0)


def len_rules(mllint: Run) -> int:
    return int(summary(mllint)["rules"])


def test_the_file_is_one_finding_a_line_without_line_numbers(accepted: Path) -> None:
    text = (accepted / "mllint-baseline.json").read_text()
    (entry, end) = json.loads(text)["findings"]
    assert end == {} and list(entry) == ["path", "rule", "symbol", "statement", "message"]
    assert (entry["path"], entry["rule"], entry["symbol"]) == ("train.py", "double-softmax", "fit")
    lines = [line for line in text.split("\n") if "double-softmax" in line]
    assert len(lines) == 1 and json.loads(lines[0].removesuffix(",")) == entry


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "# a licence\n\n" + text.replace("import torch\n", "import os\nimport torch\n"),
        lambda text: text.replace(LOSS, "        print(len(x))\n" + LOSS),
        lambda text: text.replace(
            "(model(x), dim=1), y)", "(\n            model(x),\n            dim=1,\n  ), y,)  # ?"
        ),
        lambda text: text.replace("\n", "\r\n"),
    ],
    ids=["above", "before", "layout", "line ends"],
)
def test_it_survives(accepted: Path, mllint: Run, change: Callable[[str], str]) -> None:
    text = (accepted / "train.py").read_text()
    (accepted / "train.py").write_bytes(change(text).encode())
    assert change(text) != text
    assert mllint("check")[0] == 0 and summary(mllint)["stale"] == 0


def test_it_survives_ruff(accepted: Path, mllint: Run) -> None:
    options = ["--isolated", "--quiet", "--line-length=40", "--config=indent-width=2"]
    subprocess.run([sys.executable, "-m", "ruff", "format", *options, "train.py"], check=True)
    assert (accepted / "train.py").read_text() != TRAIN
    assert mllint("check")[0] == 0


@pytest.mark.parametrize("name", ["fit.py", "models/train.py", "models/fit.py"])
def test_it_survives_a_new_name_of_the_file(accepted: Path, mllint: Run, name: str) -> None:
    (accepted / "models").mkdir()
    (accepted / "train.py").rename(accepted / name)
    assert summary(mllint) | {"baselined": 1, "stale": 0} == summary(mllint)
    assert mllint("check")[0] == 0
    assert "1 moved" in mllint("baseline", "prune")[1]
    assert f'"{name}"' in (accepted / "mllint-baseline.json").read_text()


def test_a_copy_is_a_new_finding(accepted: Path, mllint: Run) -> None:
    shutil.copy("train.py", "copy.py")
    assert found(mllint) == [("copy.py", 6)]


@pytest.mark.parametrize(
    ("old", "new"),
    [("dim=1", "dim=-1"), ("model(x)", "model(x.float())"), ("loss", "cost"), (", y)", ", y, None)"), ("fit", "run")],
)
def test_it_dies_when_the_statement_or_its_function_changes(accepted: Path, mllint: Run, old: str, new: str) -> None:
    (accepted / "train.py").write_text(TRAIN.replace(old, new))
    code, out, err = mllint("check")
    assert code == 1 and "1 stale" in out
    assert "1 entry of `mllint-baseline.json` is stale, the finding is gone: `mllint baseline prune`" in err


def test_another_of_the_same_kind_is_new(accepted: Path, mllint: Run) -> None:
    (accepted / "train.py").write_text(TRAIN.replace(LOSS, LOSS + LOSS))
    assert len(found(mllint)) == 1


def test_paths_count_from_the_folder_of_the_baseline(
    accepted: Path, mllint: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (accepted / "sub").mkdir()
    monkeypatch.chdir(accepted / "sub")
    assert mllint("check", "..")[0] == 0
    assert mllint("check", "--isolated", "--baseline", "../mllint-baseline.json", "..")[0] == 0
    assert mllint("check", str(accepted))[0] == 0


def test_standard_input_is_held_against_it(accepted: Path, mllint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with (accepted / "train.py").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert mllint("check", "-", "--stdin-filename", "train.py")[0] == 0


# ---------------------------------------------------------------------------------------------------------------- stale
def test_only_what_was_looked_at_can_be_stale(accepted: Path, mllint: Run) -> None:
    (accepted / "other.py").write_text("x = 1\n")
    (accepted / "train.py").write_text(TRAIN.replace("F.softmax(model(x), dim=1)", "model(x)"))
    assert summary(mllint)["stale"] == 1
    assert summary(mllint, "other.py")["stale"] == 0
    assert summary(mllint, "--select", "missing-zero-grad")["stale"] == 0
    (accepted / "train.py").unlink()
    assert summary(mllint)["stale"] == 1


def test_what_a_pedantic_run_found_is_not_stale_for_others(project: Path, mllint: Run) -> None:
    assert mllint("baseline", "create", "--pedantic")[0] == 0
    entries = (project / "mllint-baseline.json").read_text()
    (project / "train.py").write_text(TRAIN.replace("F.softmax(model(x), dim=1)", "model(x)"))
    assert summary(mllint)["stale"] == 0
    assert summary(mllint, "--pedantic")["stale"] == 1
    assert "`--pedantic`" in mllint("baseline", "prune")[1]
    assert (project / "mllint-baseline.json").read_text() == entries


def test_an_entry_for_a_rule_that_is_gone_is_stale(accepted: Path, mllint: Run) -> None:
    file = accepted / "mllint-baseline.json"
    file.write_text(file.read_text().replace("double-softmax", "triple-softmax"))
    assert (summary(mllint)["baselined"], summary(mllint)["stale"]) == (0, 1)


# -------------------------------------------------------------------------------------------------------------- command
def test_create_says_what_to_do_and_refuses_to_do_it_twice(project: Path, mllint: Run) -> None:
    (project / "mllint.toml").write_text("")
    (project / "old.py").write_text("print 'hello'\n")
    code, out, _ = mllint("baseline", "create")
    assert code == 0
    assert out.split("\n") == [
        "Wrote mllint-baseline.json: 2 findings of 2 rules in 2 files",
        "Among them 1 file that does not parse: nothing else is found there",
        'Say `baseline = "mllint-baseline.json"` in `mllint.toml`, so that `mllint check` uses it',
        "",
    ]
    assert mllint("check")[0] == 1
    code, _, err = mllint("baseline", "create")
    assert code == 2 and "exists already: `mllint baseline update`" in err


def test_update_takes_in_and_throws_out(accepted: Path, mllint: Run) -> None:
    (accepted / "train.py").write_text(TRAIN.replace("dim=1", "dim=-1"))
    (accepted / "new.py").write_text(TRAIN)
    assert mllint("baseline", "update")[1] == (
        "mllint-baseline.json: 2 added, 1 removed; it contains 2 findings of 1 rule in 2 files\n"
    )
    assert summary(mllint) | {"baselined": 2, "stale": 0} == summary(mllint)
    assert "nothing to change" in mllint("baseline", "update")[1]


def test_update_of_a_part_leaves_the_rest_alone(accepted: Path, mllint: Run) -> None:
    (accepted / "new.py").write_text(TRAIN)
    (accepted / "train.py").write_text("x = 1\n")
    assert "1 added;" in mllint("baseline", "update", "new.py")[1]
    assert "`mllint-baseline.json` is stale" in mllint("check")[2]


def test_prune_only_throws_out(accepted: Path, mllint: Run) -> None:
    (accepted / "train.py").write_text(TRAIN.replace("dim=1", "dim=-1"))
    assert mllint("baseline", "show", "--stale")[1].startswith("train.py: double-softmax in `fit`: `F.")
    assert mllint("baseline", "prune")[1] == "mllint-baseline.json: 1 removed; it contains no findings\n"
    assert mllint("check")[0] == 1


def test_show_lists_the_entries(accepted: Path, mllint: Run) -> None:
    code, out, _ = mllint("baseline", "show")
    first, last, _ = out.split("\n")
    assert code == 0 and first.startswith("train.py: double-softmax in `fit`: ")
    assert last == "mllint-baseline.json: 1 finding of 1 rule in 1 file"
    assert mllint("baseline", "show", "elsewhere")[1] == "mllint-baseline.json: no findings\n"


def test_a_crash_leaves_the_file_alone(accepted: Path, mllint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (accepted / "mllint-baseline.json").read_bytes()

    monkeypatch.setattr(
        engine.Run, "ask", lambda run, check, thing, module: run.report_crash(check.name, module, ValueError())
    )
    code, _, err = mllint("baseline", "update", "--no-cache")
    assert code == 2 and "the baseline is left as it was" in err
    assert (accepted / "mllint-baseline.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["baseline"], "needs one of create, update, prune, show"),
        (["baseline", "crate"], "did you mean `create`?"),
        (["baseline", "prune", "--stale"], "`--stale` belongs to `mllint baseline show`"),
        (["baseline", "create", "-"], "a baseline is about files"),
        (["baseline", "show", "--statistics"], "unknown option `--statistics`"),
        (["check", "--baseline", "mllint-baselin.json"], "did you mean `mllint-baseline.json`?"),
        (["check", "--baseline", "x.json", "--no-baseline"], "contradict each other"),
    ],
)
def test_mistakes_are_told(accepted: Path, mllint: Run, arguments: list[str], message: str) -> None:
    code, _, err = mllint(*arguments)
    assert code == 2 and message in err


def test_a_folder_is_no_baseline(project: Path, mllint: Run) -> None:
    code, _, err = mllint("check", "--baseline", str(project))
    assert code == 2 and "this baseline cannot be read: is a directory" in err
    code, _, err = mllint("baseline", "create", "--baseline", "nowhere/baseline.json")
    assert code == 2 and "the baseline `nowhere/baseline.json` cannot be written: no such file" in err
    assert not list(project.glob("*.tmp"))


def test_a_baseline_that_is_not_there_is_a_mistake(project: Path, mllint: Run) -> None:
    code, _, err = mllint("check")
    assert code == 2 and "there is no baseline `mllint-baseline.json`; `mllint baseline create` makes one" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mllint-baseline.json:1: this is not JSON"),
        ("[]", "this is not a baseline of mllint"),
        ('{"version": 2, "findings": []}', "has the version 2, this mllint reads 1"),
        ('{"version": 1, "findings": [{"path": "a"}]}', "an entry of this baseline is damaged"),
        ('{"version": 1,\n"findings": [\n<<<<<<< HEAD\n', "mllint-baseline.json:3: git left a conflict here"),
        ('<<<<<<< HEAD\n{"version": 1,\n', "mllint-baseline.json:1: git left a conflict here"),
    ],
)
def test_a_damaged_file_is_told(project: Path, mllint: Run, text: str, message: str) -> None:
    (project / "mllint-baseline.json").write_text(text)
    code, _, err = mllint("check")
    assert code == 2 and message in err


# ---------------------------------------------------------------------------------------------------------------- merge
def test_two_branches_merge(accepted: Path, mllint: Run) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)

    def branch(name: str, file: str) -> None:
        git("checkout", "-q", "-b", name, "main")
        (accepted / file).write_text(TRAIN)
        mllint("baseline", "update")
        git("add", "-A")
        git("commit", "-q", "-m", name)

    (accepted / ".gitattributes").write_text("mllint-baseline.json merge=union\n")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "main")
    branch("one", "a.py")
    branch("other", "b.py")
    branch("third", "u.py")
    git("merge", "-q", "one")
    git("merge", "-q", "other")
    assert "<<<<" not in (accepted / "mllint-baseline.json").read_text()
    assert summary(mllint) | {"baselined": 4, "stale": 0} == summary(mllint)
    assert mllint("check")[0] == 0
