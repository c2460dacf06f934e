"""The experiments behind the rules: how one file becomes two programs, and what is made of figures.

Nothing here trains: the programs are run by `python -m benchmarks.evidence`. What mllint says about them is tested.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.evidence import fixing, measure, results
from benchmarks.evidence.__main__ import ready
from benchmarks.evidence.picture import draw
from benchmarks.evidence.programs import Experiment, experiments, read
from benchmarks.evidence.results import Result, Side

from mllint.catalogue import pages as catalogue

FILE = '''"""A bug with two shapes.

setting: no data
figure: nothing, %
worse: higher
seeds: 3
found: One shape
  is worse.
"""


def run(seed):
    first = 1  # right: one
    first = 5  # wrong: one
    second = 0  # right
    second = 10  # wrong: two
    second = 20  # wrong: one
    return first + second + seed / 10
'''


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    path = tmp_path / "loss" / "some-bug.py"
    path.parent.mkdir()
    path.write_text(FILE)
    return read(path)


def side(*values: float, warned: list[str] | None = None, raised: str = "", reported: bool = False) -> Side:
    return Side([*values], warned or [], raised, ["some-bug"] if reported else [], 0.1)


def result(right: Side, wrong: Side) -> Result:
    return Result("some-bug", "some-bug", "", {}, right, {"": wrong})


def test_one_file_is_several_programs(experiment: Experiment):
    assert experiment.shapes == ("one", "two")
    values = []
    for text in (experiment.right(), experiment.wrong("one"), experiment.wrong("two")):
        assert "# " not in text
        namespace: dict[str, object] = {}
        exec(text, namespace)
        values.append(namespace["run"](0))
    assert values == [1, 25, 11]
    assert "-    second = 0\n+    second = 10" in experiment.difference("two")


def test_the_head_of_an_experiment(experiment: Experiment):
    assert (experiment.rule, experiment.family, [*experiment.seeds]) == ("some-bug", "loss", [0, 1, 2])
    assert experiment.facts["found"] == "One shape is worse."


@pytest.mark.parametrize("change", [("worse: higher", "worse: often"), ("setting:", "sitting:")])
def test_a_wrong_head_is_noticed(change: tuple[str, str], tmp_path: Path):
    path = tmp_path / "some-bug.py"
    path.write_text(FILE.replace(*change))
    with pytest.raises(ValueError, match=r"some-bug\.py"):
        read(path)


def test_programs_run_in_processes_of_their_own(experiment: Experiment):
    found = {shape: measured for _, shape, measured in measure.run_all([experiment], 1)}
    assert found[None].values == [1, 1.1, 1.2] and found["one"].values == [25, 25.1, 25.2]
    assert not found["two"].raised and not found["two"].warned


@pytest.mark.parametrize(
    ("wrong", "answers"),
    [
        (side(20, 21, reported=True), ["silent", "harmful", "reported"]),
        (side(10, 13, reported=True), ["silent", "reported"]),
        (side(10.1, 14, reported=True), ["silent", "reported"]),
        (side(10.2, 11.3), ["silent", "harmful"]),
        (side(1, 2), ["silent"]),
        (side(20, 21, warned=["Look out"]), ["harmful"]),
        (side(20, 21, warned=["As always"]), ["silent", "harmful"]),
        (side(raised="ValueError: no"), []),
    ],
)
def test_what_counts_as_a_silent_bug(experiment: Experiment, wrong: Side, answers: list[str]):
    assert result(side(10, 11, warned=["As always"]), wrong).answers(experiment) == {"": answers}


def test_what_is_not_installed_is_named_as_pip_calls_it(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    text = experiment.text + "\nimport copy, no_such_torch.nn\nfrom no_such_learn import trees\n"
    monkeypatch.setitem(measure._DISTRIBUTIONS, "no_such_learn", "no-such-learn")
    assert ready([experiment, experiment._replace(name="other", text=text)]) == [experiment]
    printed = capsys.readouterr()
    assert printed.out == "other: not run, it needs no-such-learn, no_such_torch\n"
    assert "pip install" in printed.err and printed.err.endswith(" no-such-learn no_such_torch\n")


def test_results_are_read_as_they_were_written(tmp_path: Path):
    kept = {"some-bug": result(side(1, 2), side(3, 4, warned=["Look"], reported=True))}
    results.dump(kept, tmp_path / "results.json")
    assert results.load(tmp_path / "results.json") == kept


def test_the_line_and_the_picture_of_a_result(experiment: Experiment):
    measured = result(side(10, 12, 11), side(20.5, 40, 30, warned=["Look out. Again"]))
    assert results.lines(measured, experiment) == ['nothing 11 ± 1% → 30 ± 10%; it warns: "Look out"']
    drawn = ElementTree.fromstring(draw(measured, experiment))
    marks = [each for each in drawn if each.get("fill-opacity")]
    assert len(marks) == 6 and all(140 < float(each.get("cx", 150)) < 610 for each in marks)


# ------------------------------------------------------------------------------------------------- what is committed
EXPERIMENTS = experiments()
RESULTS = results.load()
RAISES = {"missing-super-init"}
"""Rules about what ends with an error, though late: where the class is built at last."""


def answers(name: str) -> list[list[str]]:
    return [*RESULTS[name].answers(EXPERIMENTS[name]).values()]


@pytest.mark.quick
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_shows_what_its_rule_says(name: str):
    experiment = EXPERIMENTS[name]
    assert catalogue.rules()[experiment.rule].family == experiment.family
    assert name in RESULTS and RESULTS[name].digest == experiment.digest, (
        f"run `python -m benchmarks.evidence {name} --update`"
    )
    assert all("reported" in words for words in RESULTS[name].answers(experiment).values())


@pytest.mark.parametrize("rule", sorted({experiment.rule for experiment in EXPERIMENTS.values()}))
def test_what_a_rule_reports_does_harm_or_raises(rule: str):
    found = [words for name, result in RESULTS.items() if result.rule == rule for words in answers(name)]
    assert any("harmful" in words for words in found) or (rule in RAISES and found)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_mllint_reports_the_bug_and_nothing_in_the_right_program(name: str):
    experiment = EXPERIMENTS[name]
    assert measure.reported(experiment.right(), experiment.rule) == []
    for shape in experiment.shapes:
        found = measure.reported(experiment.wrong(shape), experiment.rule)
        assert found == RESULTS[name].wrong[shape].reported and experiment.rule in found


@pytest.mark.quick
def test_every_rule_about_a_wrong_run_has_an_experiment():
    infos = catalogue.rules().values()
    concerned = {i.name for i in infos if i.severity in ("error", "warning")}
    concerned -= {i.name for i in infos if i.family in ("engine", "suppression")}
    missing = concerned - {experiment.rule for experiment in EXPERIMENTS.values()}
    assert missing == set(), "write `benchmarks/evidence/FAMILY/RULE.py`: `docs/evidence.md` says how"


@pytest.mark.quick
def test_every_result_is_that_of_an_experiment():
    assert RESULTS.keys() - EXPERIMENTS.keys() == set(), "delete it from `benchmarks/evidence/results.json`"


def test_a_fix_agrees_if_its_figure_is_no_worse_than_both_vary(experiment: Experiment):
    right = side(10.0, 11.0, 12.0)
    assert fixing.agree(experiment, right, side(10.5, 11.5, 12.5)) and fixing.agree(
        experiment, right, side(1.0, 2.0, 3.0)
    )
    assert not fixing.agree(experiment, right, side(15.0, 15.0, 15.0))
    assert not fixing.agree(experiment, right, side(raised="ValueError: no"))


def test_a_fixed_program_is_the_one_without_the_bug():
    for name in ("double-softmax", "dropout-ignores-mode", "missing-super-init"):
        known = experiments()[name]
        made = fixing.fixed(known.wrong(known.shapes[0]), known.rule)
        assert made is not None and known.rule not in measure.reported(made, known.rule)
    assert fixing.fixed(experiments()["double-softmax"].right(), "double-softmax") is None
