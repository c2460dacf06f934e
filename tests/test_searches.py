"""What is asked once for all events of a flow says the same as the question about each pair of them, and costs less."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from benchmarks.pathological import SHAPES

from mllint.catalogue.pages import rules
from mllint.engine.engine import check_sources
from mllint.semantics.flow import build, flow
from mllint.semantics.flow.flow import Flow
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad
from mllint.semantics.flow.searches import concerning, sources
from mllint.semantics.training.gradients import accumulation
from tests.pages import read_page

HERE = Path(__file__).parent.parent
KINDS = (AccumulatesGrad, AppliesGrad, ClearsGrad)
PAGES = [
    *sorted((HERE / "rules" / "optimizer").glob("*.md")),
    HERE / "tests" / "semantics" / "gradients.md",
    HERE / "tests" / "regressions" / "backward-without-step" / "closures-and-engines.md",
]


@pytest.fixture(scope="module")
def flows() -> list[Flow]:
    """The flows of the examples of some pages, with fuel for whoever asks about them."""
    found: list[Flow] = []

    def building(*arguments: Any) -> Flow:
        found.append(build.build(*arguments))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mllint.engine.engine.build", building)
        for page in PAGES:
            for case in read_page(page.read_text(encoding="utf-8")):
                texts = {path: block.text for path, block in case.files.items()}
                check_sources(texts, selected=frozenset(["missing-zero-grad"]), pedantic=False)
    for one in found:
        one.frame.project.refuel(1 << 40)
    return [one for one in found if 1 < sum(len(one.by_kind.get(kind.name, ())) for kind in KINDS) < 40]


def test_the_sources_of_an_event_are_those_that_a_path_leads_from(flows: list[Flow]) -> None:
    assert len(flows) > 100
    for one in flows:
        for end, blocked, back in product(one.events(*KINDS), (None, AppliesGrad, ClearsGrad), (True, False)):
            found = list(sources(one, end, *KINDS, avoiding=blocked, back=back))
            asked = [e for e in one.events(*KINDS) if one.path(e, to=end, avoiding=blocked, back=back)]
            assert sorted(found, key=lambda event: event.index) == asked


def test_what_concerns_an_event_is_what_is_about_the_same(flows: list[Flow]) -> None:
    for one in flows:
        for other, kind in product(one.events(*KINDS), KINDS):
            assert list(concerning(one, other, kind)) == [e for e in one.events(kind) if e.concerns(other)]


def test_a_step_waits_for_what_has_a_window_with_it(flows: list[Flow]) -> None:
    waiting = 0
    for one in flows:
        for step in one.events(AppliesGrad):
            asked = [(e, test) for e in one.events(*KINDS) if (test := accumulation.window(step, e)) is not None]
            assert list(accumulation.find_events_while_waiting(one, step, *KINDS)) == asked
            waiting += len(asked)
    assert waiting > 10


def test_a_search_without_fuel_finds_nothing(flows: list[Flow]) -> None:
    one = next(o for o in flows if any(True for e in o.events(AppliesGrad) if any(sources(o, e, AccumulatesGrad))))
    step = next(one.events(AppliesGrad))
    one.frame.project.refuel(-1)
    assert not list(sources(one, step, AccumulatesGrad))
    one.frame.project.refuel(1 << 40)


@pytest.mark.skipif(not flow.__file__.endswith(".py"), reason="compiled functions are not counted")
@pytest.mark.parametrize("shape", ["held", "logged", "matches"])
def test_the_cost_of_a_file_grows_little_faster_than_its_size(shape: str) -> None:
    check_shape(shape, 2)
    cost = {size: calls(lambda size=size: check_shape(shape, size)) for size in (40, 80, 160)}
    assert cost[160] - cost[80] < 2.6 * (cost[80] - cost[40])


def check_shape(shape: str, size: int) -> None:
    """Check an input that nobody writes by hand with all rules."""
    check_sources(SHAPES[shape][0](size), selected=frozenset(rules()), pedantic=False)


def calls(run: Callable[[], None]) -> int:
    """How many functions of Python are called on the way."""
    counted = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
