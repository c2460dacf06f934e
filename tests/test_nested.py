"""A run over a repository with several configurations: each file is governed by the one that is nearest to it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import mllint as api
from mllint import cli
from mllint.cli import watch
from mllint.cli.options import Options
from mllint.engine import engine

TRAIN = """\
import torch
import torch.nn.functional as F


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        F.cross_entropy(F.softmax(model(x), dim=1), y).backward()
        optimizer.step()
"""
LOSS = "import torch.nn.functional as F\n\n\ndef loss(probs, y):\n    return F.cross_entropy(probs, y)\n"
USE = "import torch\nfrom {} import loss\n\n\ndef run(model, x, y):\n    return loss(torch.softmax(model(x), 1), y)\n"
BOTH = {"double-softmax", "missing-zero-grad"}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def mono(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root has no configuration of its own, `a` looks for one rule, `b` leaves out the other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    write("a/pyproject.toml", '[tool.mllint]\nselect = ["double-softmax"]\n')
    write("b/mllint.toml", 'select = ["double-softmax", "missing-zero-grad"]\nignore = ["double-softmax"]\n')
    for folder in ("a", "b", "c"):
        write(f"{folder}/train.py", TRAIN)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = cli.main([*arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def found(run: Run) -> Callable[..., dict[str, set[str]]]:
    """What `mllint check` reports: rules by file."""

    def check(*arguments: str) -> dict[str, set[str]]:
        _, out, _ = run("check", "-q", "--output-format", "json", *arguments)
        rules: dict[str, set[str]] = {}
        for diagnostic in json.loads(out)["diagnostics"]:
            rules.setdefault(diagnostic["path"], set()).add(diagnostic["rule"])
        return rules

    return check


Found = Callable[..., dict[str, set[str]]]
EACH = {"a/train.py": {"double-softmax"}, "b/train.py": {"missing-zero-grad"}, "c/train.py": BOTH}


# ---------------------------------------------------------------------------------------------------- which one counts
@pytest.mark.parametrize("paths", [[], ["a", "b", "c"], ["a/train.py", "b/train.py", "c/train.py"]])
def test_the_nearest_configuration_counts(mono: Path, found: Found, paths: list[str]) -> None:
    assert found(*paths) == EACH
    assert found("-j2", *paths) == EACH


def test_it_counts_further_down_and_from_elsewhere(mono: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a/deep/down/train.py", TRAIN)
    assert found()["a/deep/down/train.py"] == {"double-softmax"}
    assert found("a/deep/down/train.py", "c")["a/deep/down/train.py"] == {"double-softmax"}
    monkeypatch.chdir("b")
    assert found("..")[str(mono / "a/train.py")] == {"double-softmax"}


def test_the_command_line_counts_for_all(mono: Path, found: Found) -> None:
    assert set(map(frozenset, found("--select", "missing-zero-grad").values())) == {frozenset({"missing-zero-grad"})}
    assert found("--config", 'ignore = ["double-softmax"]')["c/train.py"] == {"missing-zero-grad"}
    assert "a/train.py" not in found("--config", 'ignore = ["double-softmax"]')
    assert set(map(frozenset, found("--isolated").values())) == {frozenset(BOTH)}
    assert set(map(frozenset, found("--config", "b/mllint.toml").values())) == {frozenset({"missing-zero-grad"})}


def test_a_nested_configuration_inherits_what_it_extends(mono: Path, found: Found) -> None:
    write("mllint.toml", 'ignore = ["missing-zero-grad"]\n')
    write("a/pyproject.toml", '[tool.mllint]\nextend = "../mllint.toml"\n')
    assert found() == {
        **{p: {"double-softmax"} for p in ("a/train.py", "c/train.py")},
        "b/train.py": EACH["b/train.py"],
    }


def test_each_configuration_leaves_out_what_it_says_below_itself(mono: Path, found: Found) -> None:
    write("mllint.toml", 'extend-exclude = ["old", "a/gen"]\n')
    for folder in ("a/old", "a/gen", "b/old", "c/old"):
        write(f"{folder}/train.py", TRAIN)
    write("b/mllint.toml", 'extend-exclude = ["old"]\n')
    assert {*found()} == {"a/train.py", "a/old/train.py", "a/gen/train.py", "b/train.py", "c/train.py"}
    write("mllint.toml", 'extend-exclude = ["a"]\n')
    assert {*found()} == {"b/train.py", "c/train.py", "c/old/train.py"}


def test_globs_versions_and_personas_are_those_of_the_nearest(mono: Path, found: Found) -> None:
    write("b/mllint.toml", '[per-file-ignores]\n"train.py" = ["loss"]\n')
    schedule = (
        "import torch\n\n\ndef train(model, loader):\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 30)\n    for epoch in range(90):\n"
        "        schedule.step()\n        for x in loader:\n            optimizer.zero_grad()\n"
        "            model(x).sum().backward()\n            optimizer.step()\n"
    )
    write("b/schedule.py", schedule)
    write("c/schedule.py", schedule)
    write("b/requirements.txt", "torch==1.0\n")
    rules = found()
    assert rules["b/train.py"] == {"missing-zero-grad"}
    assert "b/schedule.py" not in rules and rules["c/schedule.py"] == {"scheduler-before-optimizer"}


def test_what_a_comment_suppresses_is_judged_by_the_rules_of_its_file(mono: Path, found: Found) -> None:
    quiet = TRAIN.replace("        F.cross", "        # mllint: ignore[missing-zero-grad] meant\n        F.cross")
    write("a/train.py", quiet)
    write("c/train.py", quiet)
    assert (found()["a/train.py"], found()["c/train.py"]) == ({"double-softmax"}, {"double-softmax"})


def test_a_run_over_all_finds_what_a_run_over_each_finds(mono: Path, found: Found) -> None:
    said = (
        "",
        "pedantic = true\n",
        'ignore = ["loss"]\n',
        'select = ["optimizer"]\n',
        '[per-file-ignores]\n"t1*" = ["ALL"]\n',
    )
    for number, text in enumerate(said):
        write(f"p{number}/.mllint.toml", text)
        for file in range(10):
            write(f"p{number}/src/t{file}.py" if number % 2 else f"p{number}/t{file}.py", TRAIN)
    folders = sorted(path.name for path in mono.iterdir() if path.is_dir())
    each = {path: rules for folder in folders for path, rules in found(folder, "--no-cache").items()}
    assert len(each) == 3 + 50 - 1
    assert found("-j1", "--no-cache") == found("-j2", "--no-cache") == found(*folders, "--no-cache") == each


# ------------------------------------------------------------------------------------------------------- across borders
def test_a_finding_across_projects_follows_the_file_of_its_primary_label(mono: Path, found: Found) -> None:
    write("lib/a/lossy.py", LOSS)
    write("lib/b/use.py", USE.format("a.lossy"))
    write("lib/__init__.py", "")
    write("lib/a/__init__.py", "")
    write("lib/b/__init__.py", "")
    write("lib/b/use.py", USE.format("lib.a.lossy"))
    assert found("lib") == {"lib/a/lossy.py": {"double-softmax"}}
    write("lib/b/mllint.toml", 'ignore = ["double-softmax"]\n')
    assert found("lib") == {"lib/a/lossy.py": {"double-softmax"}}
    write("lib/a/mllint.toml", 'ignore = ["double-softmax"]\n')
    assert found("lib") == {}


def test_options_of_a_rule_are_those_of_the_file_of_the_finding(mono: Path, found: Found) -> None:
    code = "import torch\nfrom lab import fix\n" + TRAIN.partition("\n")[2]
    main = "\n\nif __name__ == '__main__':\n    fix()\n    train(torch.nn.Linear(2, 2), DataLoader(data))\n"
    write("c/mllint.toml", 'select = ["unseeded-training"]\n')
    write(
        "d/mllint.toml", 'select = ["unseeded-training"]\n[rules.unseeded-training]\nseeding-functions = ["lab.fix"]\n'
    )
    write("c/go.py", code + main)
    write("d/go.py", code + main + "\nimport c.go\n")  # one component
    assert found("c", "d") == {"c/go.py": {"unseeded-training"}}
    assert found("c", "d", "--isolated", "--select", "unseeded-training").keys() == {"c/go.py", "d/go.py"}


# ------------------------------------------------------------------------------------------------------------ of a run
def test_output_and_verdict_are_those_of_the_run(mono: Path, run: Run) -> None:
    write("a/pyproject.toml", '[tool.mllint]\nfail-on = "never"\noutput-format = "json"\n')
    assert run("check", "a", "c", "--output-format", "concise")[0] == 1
    write("mllint.toml", 'output-format = "concise"\nfail-on = "never"\n')
    assert run("check")[1].startswith("a/train.py:8:")


def test_a_finding_fails_the_run_by_the_nearest(mono: Path, run: Run) -> None:
    write("mllint.toml", 'fail-on = "never"\n')
    write("a/pyproject.toml", '[tool.mllint]\nextend = "../mllint.toml"\n')
    write("b/mllint.toml", 'fail-on = "never"\n')
    assert run("check")[0] == run("check")[0] == 0
    write("b/mllint.toml", 'fail-on = "error"\n')
    assert run("check")[0] == 1 and run("check", "b", "a")[0] == 1 and run("check", "a", "c")[0] == 0
    out = run("check", "--output-format", "junit")[1]
    assert out.startswith("<?xml") and 'failures="6"' in out
    assert run("check", "--fail-on", "never")[0] == 0
    assert run("check", "--config", 'fail-on = "never"')[0] == 0
    write("mllint.toml", 'fail-on = "warning"\n')
    write("b/mllint.toml", 'fail-on = "never"\n')
    assert run("check", "a")[0] == 1 and run("check", "b")[0] == 0


def test_an_output_that_does_not_count_is_told(mono: Path, run: Run) -> None:
    write("b/mllint.toml", 'fail-on = "never"\noutput-format = "json:report.json"\n')
    note = "note: b/mllint.toml:2: `output-format` does not count here: the run is also about files outside its folder"
    assert note in run("check")[2]
    assert not Path("b/report.json").exists()
    for quiet in (["-q"], ["--output-format", "full"], ["b"], ["--isolated"], ["a", "c"]):
        assert "output-format" not in run("check", *quiet)[2]
    assert Path("b/report.json").exists()
    write("mllint.toml", 'output-format = "concise"\n')
    write("b/mllint.toml", 'extend = "../mllint.toml"\n')
    assert "output-format" not in run("check")[2]


def test_somebody_can_ask_what_holds_for_a_file(mono: Path, run: Run) -> None:
    write("mllint.toml", 'fail-on = "error"\n[rules.unseeded-training]\nseeding-functions = ["fix"]\n')
    write("a/pyproject.toml", '[tool.mllint]\nextend = "../mllint.toml"\nselect = ["double-softmax"]\n')
    assert run("config", "select", "a/train.py")[1].endswith(
        'For a/train.py:\n\n    select = ["double-softmax"]  (a/pyproject.toml:3)\n'
    )
    assert run("config", "fail-on", "a")[1].endswith('For a:\n\n    fail-on = "error"  (mllint.toml:1)\n')
    assert run("config", "fail-on", "b")[1].endswith('For b:\n\n    fail-on = "warning"  (default)\n')
    assert 'For c: ["fix"]\n' in run("config", "rules.unseeded-training", "c")[1]
    for place in ("a", "a/train.py"):
        assert run("config", place)[1].startswith("Configuration: a/pyproject.toml\n")
    assert json.loads(run("config", "--output-format", "json", "b/train.py")[1])["path"] == "b/mllint.toml"


def test_a_key_comes_before_a_path_and_a_path_must_exist(mono: Path, run: Run) -> None:
    write("stubs/mllint.toml", "pedantic = true\n")
    assert run("config", "stubs")[1].startswith("stubs\n")
    assert run("config", "./stubs")[1].startswith("Configuration: stubs/mllint.toml\n")
    write("rules.py", TRAIN)
    assert run("config", "rules.py")[1].startswith("Configuration: none\n")
    for words in (["a/trian.py"], ["select", "a/trian.py"]):
        assert run("config", *words) == (
            2, "", "mllint: error: `a/trian.py` does not exist, did you mean `a/train.py`?\n"
        )  # fmt: skip


def test_a_path_before_its_key_is_told_the_order(mono: Path, run: Run) -> None:
    told = "mllint: error: the key comes first: `mllint config fail-on a`\n"
    assert run("config", "a", "fail-on") == (2, "", told)


def test_a_mistake_in_a_nested_configuration_ends_the_run(mono: Path, run: Run) -> None:
    write("b/mllint.toml", 'edition = "2026"\nignroe = []\n')
    assert run("check") == (
        2, "", "mllint: error: b/mllint.toml:2: unknown key `ignroe`, did you mean `ignore`?\n"
    )  # fmt: skip
    write("b/mllint.toml", 'ignore = ["losss"]\n')
    code, _, err = run("check")
    assert code == 2 and "b/mllint.toml:1: `losss` in `ignore` is not a rule, family or selector" in err
    assert run("check", "a")[0] == 1


def test_somebody_can_ask_which_file_counts(mono: Path, run: Run) -> None:
    lines = run("check", "--show-settings")[1].split("\n")
    assert lines[0] == "Configuration: none"
    assert lines[1] == "  a/pyproject.toml applies to 1 file: `mllint check --show-settings a`"
    assert lines[2].startswith("  b/mllint.toml applies to 1 file: ")
    assert run("check", "--show-settings", "a/train.py")[1].startswith("Configuration: a/pyproject.toml\n")
    assert "configuration: a/pyproject.toml, b/mllint.toml; " in run("check", "-v", "-q")[2]


# --------------------------------------------------------------------------------------------------------------- cache
def test_the_cache_knows_all_configurations(mono: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found() == EACH
    with monkeypatch.context() as patch:
        patch.setattr(engine.Engine, "__init__", lambda *_: pytest.fail("nothing has changed"))
        assert found() == EACH
    write("a/pyproject.toml", '[tool.mllint]\nselect = ["missing-zero-grad"]\n')
    assert found()["a/train.py"] == {"missing-zero-grad"}
    write("c/mllint.toml", 'ignore = ["missing-zero-grad"]\n')
    assert found()["c/train.py"] == {"double-softmax"}
    os.unlink("b/mllint.toml")
    assert found()["b/train.py"] == BOTH


# ------------------------------------------------------------------------------------------------------------ baselines
def test_each_configuration_has_a_baseline_of_its_own(mono: Path, run: Run) -> None:
    code, out, _ = run("baseline", "create")
    assert code == 0 and [line for line in out.split("\n") if line.startswith("Wrote")] == [
        "Wrote mllint-baseline.json: 2 findings of 2 rules in 1 file",
        "Wrote a/mllint-baseline.json: 1 finding of 1 rule in 1 file",
        "Wrote b/mllint-baseline.json: 1 finding of 1 rule in 1 file",
    ]
    assert '"path": "train.py"' in Path("a/mllint-baseline.json").read_text()
    write("a/pyproject.toml", '[tool.mllint]\nselect = ["double-softmax"]\nbaseline = "mllint-baseline.json"\n')
    code, out, _ = run("check", "--output-format", "concise")
    assert "a/train.py" not in out and "b/train.py" in out and "1 in the baseline" in out
    write("a/train.py", "import torch\n")
    assert "`a/mllint-baseline.json` is stale" in run("check")[2]
    assert "a/mllint-baseline.json: 1 removed; it contains no findings" in run("baseline", "prune")[1]
    assert "b/mllint-baseline.json: 1 finding" in run("baseline", "show")[1]
    assert [*api.check(["a"])] == []


def test_one_baseline_for_all_is_inherited(mono: Path, run: Run) -> None:
    write("mllint.toml", 'baseline = "mllint-baseline.json"\n')
    write("a/pyproject.toml", '[tool.mllint]\nextend = "../mllint.toml"\n')
    write("b/mllint.toml", 'extend = "../mllint.toml"\nselect = ["missing-zero-grad"]\n')
    run("baseline", "create")
    assert not Path("a/mllint-baseline.json").exists()
    code, out, _ = run("check")
    assert code == 0 and "5 in the baseline)" in out
    assert "stale" not in run("check", "b")[2]
    assert run("check", "--isolated", "--baseline", "mllint-baseline.json")[1].count("\n") > 2


# -------------------------------------------------------------------------------------------------------- asking a part
def git(*words: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


def test_what_a_change_introduces_is_judged_by_the_nearest(mono: Path, found: Found) -> None:
    git("init", "-q", "-b", "main")
    for folder in ("a", "b", "c"):
        write(f"{folder}/train.py", "import torch\n")
    git("add", ".")
    git("commit", "-q", "-m", "nothing yet")
    for folder in ("a", "b", "c"):
        write(f"{folder}/train.py", TRAIN)
    assert found("--diff-base", "HEAD") == EACH
    assert found("--changed-lines") == EACH
    assert found("--context", ".", "a/train.py", "b/train.py") == {k: EACH[k] for k in ("a/train.py", "b/train.py")}
    git("add", ".")
    assert found("--staged") == EACH


def test_what_is_typed_is_judged_by_the_nearest(mono: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys
    from types import SimpleNamespace

    git("init", "-q")
    for path, rules in EACH.items():
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(TRAIN.encode())))
        assert found("-", "--stdin-filename", path) == {path: rules}


def test_comments_accept_what_the_nearest_reports(mono: Path, run: Run) -> None:
    assert run("check", "--add-ignore")[1] == "Accepted 4 findings in 3 files\n"
    assert "ignore[double-softmax]" in Path("a/train.py").read_text()
    assert "ignore[missing-zero-grad]" in Path("b/train.py").read_text()
    assert run("check")[0] == 0


def test_watching_sees_nested_configurations_come_and_change(mono: Path) -> None:
    options = Options()
    looks = [watch._look(options)]
    write("c/mllint.toml", "")
    looks.append(watch._look(options))
    write("c/mllint.toml", 'ignore = ["loss"]\n')
    looks.append(watch._look(options))
    write("c/mllint.toml", "ignroe = []\n")
    looks.append(watch._look(options))
    assert all(before != after for before, after in pairwise(looks))
