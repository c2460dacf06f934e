"""Does mllint say the same about the same program written differently?

Each transformation preserves what a program does, and so what is wrong with it: the findings on the rewritten program
must be about the same statements, by the same rules. Examples that fire must go on firing, examples that stay quiet
must stay quiet. Every transformation meets every rule on a sample of the specimens that is the same in each run;

    python -m pytest tests/metamorphic --metamorphic=full

takes all of them, in about three minutes. What is known to differ stands in `known.py` with its reason, and fails here
on the day it does not differ any more.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache

import pytest

from mllint.diagnostic import Diagnostic
from tests.metamorphic import layout, moving, naming, statements
from tests.metamorphic.known import KNOWN
from tests.metamorphic.program import Program
from tests.metamorphic.specimens import Specimen, findings, specimens

SHARE = 18
"""One specimen in so many is taken for each transformation."""

TRANSFORMATIONS: dict[str, Callable[[Program], bool]] = {
    name.replace("_", "-"): getattr(module, name)
    for module in (layout, naming, statements, moving)
    for name in module.__all__
}


@cache
def as_it_stands(specimen: str) -> list[Diagnostic]:
    """The findings on a specimen, which is named by its id."""
    found = next(s for s in specimens() if s.id == specimen)
    return findings(found, found.files)


def differences(specimen: Specimen, transform: Callable[[Program], bool]) -> list[str] | None:
    """The findings that a rewritten specimen lost and gained; None when there is nothing to rewrite."""
    program = Program(specimen.files)
    if not transform(program):
        return None
    written = program.write()
    original = Program(specimen.files).as_it_stands(program)
    before = original.places(as_it_stands(specimen.id))
    after = written.places(findings(specimen, written.texts))
    lost = [f"lost {place}" for place in sorted(before - after, key=str)]
    return lost + [f"gained {place}" for place in sorted(after - before, key=str)]


def sampled(name: str, specimen: Specimen) -> bool:
    """Is it one of the specimens that a transformation meets in every run?"""
    return zlib.crc32(f"{name}/{specimen.id}".encode()) % SHARE == 0 or specimen.id in KNOWN.get(name, {})


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_the_findings_stay(name: str, request: pytest.FixtureRequest) -> None:
    full = request.config.getoption("--metamorphic") == "full"
    known = KNOWN.get(name, {})
    wrong: list[str] = []
    for specimen in specimens():
        if not full and not sampled(name, specimen):
            continue
        found = differences(specimen, TRANSFORMATIONS[name])
        if found and specimen.id not in known:
            wrong.append(f"{specimen.id}: {'; '.join(found)}")
        elif not found and specimen.id in known:
            wrong.append(f"{specimen.id}: the findings stay now, take it out of known.py")
    assert not wrong, f"{name} changes the findings:\n" + "\n".join(wrong)


def test_the_exceptions_are_about_something() -> None:
    ids = {specimen.id for specimen in specimens()}
    assert KNOWN.keys() <= TRANSFORMATIONS.keys()
    assert {specimen for known in KNOWN.values() for specimen in known} <= ids


def test_a_lost_finding_is_seen() -> None:
    def without_softmax(program: Program) -> bool:
        text = program.originals["main.py"].replace("F.softmax(x, dim=1)", "x")
        program.trees = Program({"main.py": text}).trees
        return True

    code = "import torch.nn.functional as F\nloss = F.cross_entropy(F.softmax(x, dim=1), y)\n"
    model = next(s for s in specimens() if s.rule == "double-softmax")
    specimen = model._replace(files={"main.py": code}, id=model.id)
    program = Program(code_files := {"main.py": code})
    assert without_softmax(program)
    before = Program(code_files).as_it_stands(program).places(findings(specimen, code_files))
    after = program.write()
    assert {str(place) for place in before} == {"[double-softmax] at main.py:2"}
    assert after.places(findings(specimen, after.texts)) == set()
