"""Is a finding as certain as the weakest answer it rests on?"""

from __future__ import annotations

import ast

import pytest

from mllint.semantics.syntax.index import read
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.words import last_part, phrase, words
from mllint.semantics.training.evidence import Answer, Evidence, combine_answers, is_certain, proven_unless, weakest
from mllint.semantics.training.role_names import ROWS, Role
from mllint.semantics.training.roles import is_training_name
from mllint.sources.source import Source

MODULE = ModuleScope("somewhere", ast.parse(""), None)
HERE, THERE = Site(MODULE, object()), Site(MODULE, object())


def test_the_weakest_answer_decides() -> None:
    proven, named = Answer("model", Evidence.PROVEN, (HERE,)), Answer("loader", Evidence.NAMED, (THERE,))
    assert is_certain((proven,))
    assert not is_certain((proven, named))
    assert weakest((proven, named)) is Evidence.NAMED
    assert is_certain(()) and weakest(()) is Evidence.PROVEN


def test_a_conventional_name_needs_a_second_fact() -> None:
    first, second = Answer("rows", Evidence.CONVENTIONAL, (HERE,)), Answer("rows", Evidence.CONVENTIONAL, (THERE,))
    assert not is_certain((first,))
    assert is_certain((combine_answers(first, second),))


def test_the_same_place_is_no_second_fact() -> None:
    first = Answer("rows", Evidence.CONVENTIONAL, (HERE,))
    assert not combine_answers(first, Answer("rows", Evidence.CONVENTIONAL, (HERE,))).is_certain


def test_a_suggestive_name_corroborates_nothing() -> None:
    first, second = Answer("rows", Evidence.CONVENTIONAL, (HERE,)), Answer("rows", Evidence.NAMED, (THERE,))
    assert not combine_answers(first, second).is_certain
    assert not combine_answers(Answer("rows", Evidence.NAMED, (HERE,)), second).is_certain


def test_the_stronger_answer_is_kept_with_the_places_of_both() -> None:
    weak, strong = Answer("rows", Evidence.NAMED, (HERE,)), Answer("rows", Evidence.USED, (THERE,))
    assert combine_answers(weak, strong) == Answer("rows", Evidence.USED, (THERE, HERE))


def test_answers_that_contradict_each_other_are_not_combined() -> None:
    with pytest.raises(ValueError, match="do not agree"):
        combine_answers(Answer("train", Evidence.NAMED), Answer("test", Evidence.NAMED))


def test_what_speaks_for_another_reading_makes_an_answer_possible_only() -> None:
    assert is_certain((proven_unless(False, "hidden", HERE),))
    assert not is_certain((proven_unless(True, "hidden", HERE), Answer("model", Evidence.PROVEN)))
    assert proven_unless(True, "hidden", HERE) == Answer("hidden", Evidence.POSSIBLE, (HERE,))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("valLoader2", ("val", "loader")),
        ("X_train", ("x", "train")),
        ("HTTPLoader", ("http", "loader")),
        ("data/test.csv", ("data", "test", "csv")),
        ("_", ()),
    ],
)
def test_words_of_a_name(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


def test_a_compound_is_one_phrase_in_all_spellings() -> None:
    assert {phrase(name) for name in ("train_loader", "trainLoader", "trainloader", "TrainLoader")} == {"trainloader"}


def test_the_last_part_of_a_place() -> None:
    assert [last_part(place) for place in ("self.net.head", "d['x']", "x", None)] == ["head", "d", "x", ""]


def test_what_speaks_of_training_is_not_passed_over() -> None:
    parts = ("train", "tr", "training", "trn", *ROWS[Role.TRAINING_ROWS])
    names = {name for part in parts for name in (part, f"{part}_acc", f"loss_{part}", f"{part}Acc", part.title())}
    names |= {f"pass{part.title()}" for part in parts}
    for name in filter(is_training_name, sorted(names - {"try"})):
        source = Source("a.py", f"def f():\n    {name} = 1\n")
        assert read("a", source.tree(), source).functions[1].speaks_of_training, name
