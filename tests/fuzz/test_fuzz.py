"""Does mllint survive everything, and say the same about the same thing?

Three sources of programs: any Python at all (`anything`), training code by a grammar (`training`), and real code with
damage (`damage`). For each: nothing raises, the run ends within its fuel, every span lies inside its file. And what
must not matter does not: running twice, the order of the files, an unrelated file, the encoding and the line ends. The
programs are the same in every run;

    python -m pytest tests/fuzz --fuzz=many

makes up new ones, for some minutes; `benchmarks/fuzzing` tries a million, of more kinds.
"""

from __future__ import annotations

import random as chance
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fuzzing.inputs import GENERATORS
from benchmarks.fuzzing.subjects import subject
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mllint.catalogue import pages as catalogue
from mllint.diagnostic import Diagnostic, Position
from mllint.engine import engine
from tests.fuzz.anything import source
from tests.fuzz.damage import damaged
from tests.fuzz.training import programs

Sources = dict[str, str | bytes]
UNRELATED = "import torch\n\n\nclass Unrelated:\n    def area(self):\n        return torch.ones(3)\n"
MOST = 10.0
"""Seconds of CPU that no made-up program may need; most need a hundredth of one."""


def fuzzed(examples: int, **strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A property test with so many programs, or fifty times as many, and other ones, with `--fuzz=many`."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def run(request: pytest.FixtureRequest) -> None:
            many = request.config.getoption("--fuzz") == "many"
            found({})  # a run raises the recursion limit, which hypothesis wants to stay as it is
            chosen = settings(
                max_examples=examples * (50 if many else 1),
                derandomize=not many,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            chosen(given(**strategies)(test))()

        run.__name__ = run.__qualname__ = test.__name__
        run.__doc__ = test.__doc__
        return run

    return decorate


def found(sources: Sources) -> list[Diagnostic]:
    """All findings of all rules, guesses included, after checking what holds for every run."""
    before = time.process_time()
    report = engine.check_sources(sources, selected=frozenset(catalogue.rules()), pedantic=True)
    spent = time.process_time() - before
    errors = [d.message for d in report.diagnostics if d.rule == "internal-error"]
    assert not errors and not report.crashed, errors
    assert spent < MOST
    for diagnostic in report.diagnostics:
        for span in (diagnostic.span, *(label.span for label in diagnostic.labels)):
            assert span.path in sources
            assert inside(span.start, lines_of(sources[span.path])), span
            assert inside(span.end, lines_of(sources[span.path])), span
            assert span.start <= span.end, span
    return report.diagnostics


def lines_of(data: str | bytes) -> list[str]:
    text = data if isinstance(data, str) else data.decode(errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def inside(place: Position, lines: list[str]) -> bool:
    # A syntax error may be reported one line behind the end, and one column behind the end of its line.
    if place.line == len(lines) + 1:
        return place.column <= 2
    return 1 <= place.line <= len(lines) and 1 <= place.column <= len(lines[place.line - 1]) + 2


def places(diagnostics: list[Diagnostic]) -> list[tuple[str, Position, Position, str]]:
    return [(d.rule, d.span.start, d.span.end, d.message) for d in diagnostics]


@fuzzed(100, random=st.randoms(use_true_random=False))
def test_any_python_is_survived(random: Any) -> None:
    text = source(random)
    sources: Sources = {"any.py": text}
    assert found(sources) == found(sources)


@fuzzed(25, random=st.randoms(use_true_random=False))
def test_any_project_is_survived(random: Any) -> None:
    """Files that import each other, in circles as well."""
    names = ["helper", "up", "train"]
    sources: Sources = {
        f"{name}.py": f"from {random.choice(names)} import *\nimport {random.choice(names)}\n" + source(random, 40)
        for name in names
    }
    assert found(sources) == found(dict(reversed(sources.items())))


@pytest.mark.parametrize("generator", GENERATORS)
def test_what_is_tried_a_million_times_is_survived(
    generator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sources, notebooks, configurations, baselines, stubs and command lines of `benchmarks/fuzzing`."""
    monkeypatch.chdir(tmp_path)
    for number in range(40):
        subject(generator)(GENERATORS[generator][0](chance.Random(f"{generator} {number}")))


def test_an_assignment_to_nothing_is_survived() -> None:
    """Found by chance: `() = value` binds no name, and is Python."""
    split = "import torch\nX_train, X_test = train_test_split(X, random_state=0)\n"
    found({"a.py": split + "() = other\nX_train = sc.fit_transform(X_train)\nX_test = sc.transform(X_test)\n"})


@fuzzed(120, random=st.randoms(use_true_random=False))
def test_damaged_sources_are_survived(random: Any) -> None:
    found({"damaged.py": damaged(random)})


@fuzzed(60, files=programs())
def test_training_programs_are_survived(files: dict[str, str]) -> None:
    for text in files.values():
        compile(text, "train.py", "exec")
    sources: Sources = {**files}
    assert found(sources) == found(sources)


@fuzzed(20, files=programs())
def test_files_do_not_get_into_each_others_way(files: dict[str, str]) -> None:
    """Neither the order of the files nor one more file changes a finding."""
    expected = found({**files})
    assert found(dict(reversed(files.items()))) == expected
    assert found({"a_unrelated.py": UNRELATED, **files, "z_unrelated.py": UNRELATED}) == expected


def with_tabs(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        depth = (len(line) - len(line.lstrip(" "))) // 4
        lines.append("\t" * depth + line[4 * depth :])
    return "\n".join(lines)


@fuzzed(8, files=programs())
def test_how_a_file_is_stored_does_not_matter(files: dict[str, str]) -> None:
    for path, text in files.items():
        sources: Sources = {**files}
        expected = found(sources)
        commented = text.replace("import random\n", "import random  # café\n", 1)
        variants: dict[str, bytes] = {
            "mark": b"\xef\xbb\xbf" + text.encode(),
            "windows": text.replace("\n", "\r\n").encode(),
            "old mac": text.replace("\n", "\r").encode(),
            "mixed": text.replace("\n", "\r\n", 7).encode(),
            "no last line end": text.rstrip("\n").encode(),
            "accents": commented.encode(),
            "form feeds": text.replace("\n\n\n", "\n\f\n\n").encode(),
        }
        for data in variants.values():
            assert found({**files, path: data}) == expected


@fuzzed(15, files=programs())
def test_encodings_and_tabs_move_nothing(files: dict[str, str]) -> None:
    """A declared encoding adds a line; tabs move columns."""
    expected = places(found({**files}))
    latin = {path: f"# coding: cp1252\n{text}# caf\xe9\n".encode("cp1252") for path, text in files.items()}
    moved = [(rule, (start.line - 1, start.column)) for rule, start, _, _ in places(found({**latin}))]
    assert moved == [(rule, tuple(start)) for rule, start, _, _ in expected]
    tabbed = found({path: with_tabs(text) for path, text in files.items()})
    assert [(d.rule, d.span.start.line) for d in tabbed] == [(rule, start.line) for rule, start, _, _ in expected]


@fuzzed(20, files=programs())
def test_characters_of_any_width_count_as_one(files: dict[str, str]) -> None:
    """A text in front of a call, of characters that take one or four bytes, moves it by as many columns."""
    for path, text in files.items():
        plain = {**files, path: text.replace("optimizer.step()", "'aa'; optimizer.step()")}
        wide = {**files, path: text.replace("optimizer.step()", "'é🔥'; optimizer.step()")}
        assert [d.span for d in found({**plain})] == [d.span for d in found({**wide})]
