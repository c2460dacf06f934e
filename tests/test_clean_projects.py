"""Small training projects in the styles that people use, all of them correct: mllint has nothing to say."""

from __future__ import annotations

import os

import pytest

from mllint.catalogue import pages as catalogue
from mllint.engine.engine import check_sources

CLEAN = os.path.join(os.path.dirname(__file__), "fixtures", "clean")


@pytest.mark.parametrize("name", sorted(os.listdir(CLEAN)))
def test_nothing_is_reported_on_a_clean_project(name: str) -> None:
    sources = {}
    for place, folders, files in os.walk(os.path.join(CLEAN, name)):
        folders.sort()
        for file in sorted(files):
            if file.endswith(".py"):
                path = os.path.join(place, file)
                with open(path, encoding="utf-8") as stream:
                    sources[os.path.relpath(path, os.path.join(CLEAN, name))] = stream.read()
    regular = frozenset(n for n, info in catalogue.rules().items() if info.persona == "regular")
    report = check_sources(sources, selected=regular, pedantic=False)
    assert report.lines > 30
    assert not report.crashed
    assert [(d.rule, d.span.path, d.span.start.line, d.message) for d in report.diagnostics] == []


WRITE = (
    "write an operator that puts the bug in, in `benchmarks/mutation/operators/`: `new-rule` printed one to start from"
)


@pytest.mark.quick
def test_every_rule_about_training_has_an_operator() -> None:
    import benchmarks.mutation.operators  # noqa: F401  (registers them)
    from benchmarks.mutation.edits import REGISTERED

    covered = {rule for operator in REGISTERED for rule in operator.rules}
    rules = {name for name, info in catalogue.rules().items() if info.family not in ("engine", "suppression")}
    assert rules - covered == set(), WRITE
    assert covered - rules == set()


def test_mutants_are_the_same_for_the_same_seed() -> None:
    import benchmarks.mutation.operators  # noqa: F401  (registers them)
    from benchmarks.mutation.score import candidates, judge, sample
    from benchmarks.mutation.units import units

    folder = os.path.join(CLEAN, "plain_script")
    first, second = (
        sample([list(candidates(units(folder), {"missing-zero-grad", "swallow"}))], limit=2, seed=3) for _ in range(2)
    )
    assert [c.mutant for c in first] == [c.mutant for c in second] and len(first) > 2
    assert all(result.found for result in judge(first))
