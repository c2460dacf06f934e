"""A question that takes too long is broken off and has found nothing; what was found before stays, with a note."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mllint.checks import load
from mllint.diagnostic import Report
from mllint.engine import clock, time_budget
from mllint.engine.engine import check_sources
from mllint.rule import Finding, registered
from mllint.semantics.syntax import deadline
from mllint.semantics.syntax.deadline import Deadline, OutOfTimeError

if TYPE_CHECKING:
    from mllint.semantics.api import Flow

TEXT = """\
import torch
from torch import nn
model, data = nn.Linear(3, 3), torch.randn(8, 3)
nn.CrossEntropyLoss()(model(data).softmax(-1), torch.tensor([0]))
for x in data:
    model(x).sum().backward()
"""
SLOW = "missing-zero-grad"  # asked about flows; the tests put another function in its place
WAYS = 10_000_000


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that a rule was asked about, and those that it came to the end of: it takes long for `slow.py`."""
    load()
    report_for(SLOW, "double-softmax")  # reads the stubs of torch, which takes its time
    asked: list[str] = []

    def search(flow: Flow) -> Iterator[Finding]:
        path = flow.site.module.source.path
        asked.append(path)
        yield Finding(flow.entry, "is found at once")
        for _ in range(WAYS if path == "slow.py" else 1):
            flow.path(flow.entry, to=lambda event: event.kind == "exit")
        asked.append(f"{path}, all of it")

    monkeypatch.setitem(registered(), SLOW, registered()[SLOW]._replace(run=search))
    monkeypatch.setattr(time_budget, "SECONDS", 1.0)
    return asked


def report_for(*rules: str) -> Report:
    sources = {"slow.py": TEXT, "quick.py": TEXT}
    return check_sources(sources, selected=frozenset(rules), pedantic=False)


def test_a_question_that_takes_too_long_is_broken_off_and_has_found_nothing(asked: list[str]) -> None:
    report = report_for(SLOW)
    assert asked == ["quick.py", "quick.py, all of it", "slow.py"]
    assert report.notes == ["slow.py: takes longer than 1 s, not all of it was checked"]
    assert [found.span.path for found in report.diagnostics] == ["quick.py"]
    assert not report.crashed


def test_what_was_found_before_the_time_was_over_stays(asked: list[str]) -> None:
    report = report_for(SLOW, "double-softmax")
    found = sorted((found.span.path, found.rule) for found in report.diagnostics)
    assert found == [("quick.py", "double-softmax"), ("quick.py", SLOW), ("slow.py", "double-softmax")]


def test_looking_for_what_to_ask_about_is_broken_off_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_budget, "SECONDS", 0.0)
    monkeypatch.setattr(clock, "GRAIN", 0.0)
    report = report_for(SLOW)
    assert [note.partition(":")[0] for note in report.notes] == ["quick.py", "slow.py"]
    assert (report.diagnostics, report.crashed) == ([], False)


def test_only_time_that_the_process_has_worked_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    times, seconds = iter([11.0, 12.0, 12.5, 14.0]), iter([100.5, 102.0])
    monkeypatch.setattr(deadline, "perf_counter", lambda: next(times))
    monkeypatch.setattr(deadline, "process_time", lambda: next(seconds))
    limit = Deadline()
    limit.allow(2.0, 10.0, 100.0)
    limit.check()  # one second has passed: nobody asks what the process has worked
    limit.check()  # two have, of which it worked half a second
    limit.check()
    with pytest.raises(OutOfTimeError):
        limit.check()


def test_what_is_no_question_has_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = Deadline()
    limit.allow(0.0, 0.0, 0.0)
    with pytest.raises(OutOfTimeError):
        limit.check()
    limit.lift()
    limit.check()
