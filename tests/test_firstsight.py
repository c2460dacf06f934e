"""The bookkeeping of the benchmark of the first sight: drawing, reading, keeping labels, counting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.firstsight import __main__ as command
from benchmarks.firstsight import labels, sample
from benchmarks.firstsight.labels import Finding

CANDIDATES = "# gan\na/one-gan\nb/two-gan\nc/three-gan\n\n# lstm\nd/one-lstm\na/one-gan\n"
REPORT = {
    "rule": "double-softmax",
    "path": "train.py",
    "cell": None,
    "start": {"line": 7, "column": 1},
    "severity": "error",
    "fingerprint": "1",
}


def found(fingerprint: str, label: str = "", rule: str = "double-softmax", severity: str = "error") -> Finding:
    reason = "because" if label else ""
    return Finding("a/one-gan", "train.py", None, 7, rule, severity, fingerprint, label, reason)


def test_a_candidate_counts_once_below_its_first_word() -> None:
    assert sample.candidates(CANDIDATES) == {"gan": ["a/one-gan", "b/two-gan", "c/three-gan"], "lstm": ["d/one-lstm"]}


@pytest.mark.parametrize("text", ["a/one-gan\n", "# gan\none-gan\n", "# gan\nhttps://host/a/one-gan\n"])
def test_what_is_no_candidate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        sample.candidates(text)


def test_the_draw_takes_from_the_words_in_turn_and_is_repeatable() -> None:
    words = sample.candidates(CANDIDATES)
    drawn = sample.draw(words, 1)
    assert [word for _, word in drawn] == ["gan", "lstm", "gan", "gan"]
    assert sorted(name for name, _ in drawn) == sorted(name for names in words.values() for name in names)
    assert sample.draw(words, 1) == drawn
    assert len({tuple(sample.draw(words, seed)) for seed in range(20)}) > 1


def test_the_committed_sample_is_the_beginning_of_a_draw_and_all_of_it_is_labelled() -> None:
    here = Path(command.HERE)
    listed = sample.candidates((here / "candidates.txt").read_text("utf-8"))
    order = [name for name, _ in sample.draw(listed, 20261125)]
    text = (here / "sample.json").read_text("utf-8")
    repositories = sample.load(text)
    assert sample.dump(repositories) == text
    places = [order.index(one.name) for one in repositories if one.round < 4]  # the fourth came from listings of words
    assert places == sorted(places)
    order = [name for name, _ in sample.draw(listed, 20261126)]  # drawn anew when the list had become longer
    for half in (5, 6):
        places = [order.index(one.name) for one in repositories if one.round == half]
        assert places
        assert places == sorted(places)
    text = (here / "labels.json").read_text("utf-8")
    labelled = labels.load(text)
    assert labels.dump(labelled) == text
    assert all(one.label for one in labelled)
    assert {one.repository for one in labelled} <= {one.name for one in repositories}


def test_findings_of_a_report_are_without_what_does_not_parse() -> None:
    assert labels.findings("a/one-gan", [REPORT, REPORT | {"rule": "syntax-error"}]) == [found("1")]


def test_labels_stay_and_new_findings_have_none() -> None:
    labelled = [found("1", "true"), found("2", "false")]
    assert labels.merged(labelled, [found("1"), found("3")]) == [*labelled, found("3")]


def test_the_fate_of_labels_names_what_is_gone_and_new() -> None:
    text = labels.fate([found("1", "true"), found("2", "false")], [found("1"), found("3", rule="fit-on-test")])
    assert "| true | 1 | 1 |" in text
    assert "| false | 1 | 0 |" in text
    assert "- gone (false): a/one-gan train.py:7 double-softmax" in text
    assert "- new: a/one-gan train.py:7 fit-on-test" in text


def test_the_report_counts_strictly_and_without_debatable_ones() -> None:
    several = [found("1", "true"), found("2", "debatable"), found("3", "false"), found("4", "true", "b", "info")]
    text = labels.report(several)
    assert "| double-softmax | 3 | 1 | 1 | 1 | 33.3% | 66.7% |" in text
    assert "| **errors** | 3 | 1 | 1 | 1 | 33.3% | 66.7% |" in text
    assert "| **all** | 4 | 2 | 1 | 1 | 50.0% | 75.0% |" in text


def test_a_label_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="reason"):
        labels.load(labels.dump([found("1", "true")._replace(reason="")]))


def test_reading_asks_for_what_has_no_label_and_ends_with_an_empty_answer() -> None:
    answers = iter(["t two softmaxes", "x no label", "f", ""])
    asked: list[str] = []

    def ask(text: str) -> str:
        asked.append(text)
        return next(answers)

    several = [found("1", "false"), *(found(str(n)) for n in range(2, 8))]
    read = command.read(several, lambda one: f"code {one.fingerprint}", ask)
    assert [one.label for one in read] == ["false", "true", "", "", "", "", ""]
    assert read[1].reason == "two softmaxes"
    assert [f"code {n}" in text for n, text in zip(range(2, 6), asked, strict=True)] == [True] * 4


def test_a_place_in_a_notebook_is_quoted_from_its_cell(tmp_path: Path) -> None:
    (tmp_path / "a+one-gan").mkdir()
    cells = [{"source": "first"}, {"source": ["a = 1\n", "b = 2\n"]}]
    (tmp_path / "a+one-gan" / "net.ipynb").write_text(json.dumps({"cells": cells}))
    place = Finding("a/one-gan", "net.ipynb", 2, 2, "double-softmax", "error", "1")
    assert command._quote(str(tmp_path), place).splitlines() == ["     1 a = 1", ">    2 b = 2"]
    assert place.place == "a/one-gan net.ipynb:cell 2:2"
