"""Does somebody who describes what they see find the rules that look for its causes?"""

from __future__ import annotations

import pytest

from mllint.catalogue import pages as catalogue
from mllint.catalogue.symptoms import SYMPTOMS, find


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("loss plateaus high", "loss-plateaus-high"),
        ("NaN after some steps", "nan-loss"),
        ("my loss goes to inf", "nan-loss"),
        ("validation better than test", "validation-better-than-test"),
        ("too good to be true", "validation-better-than-test"),
        ("different result each run", "different-result-each-run"),
        ("results are not reproducible", "different-result-each-run"),
        ("works then diverges after resume", "worse-after-resume"),
        ("validation accuracy jumps around", "validation-jumps"),
        ("val_acc fluctuates", "validation-jumps"),
        ("validatoin acuracy jumps", "validation-jumps"),
        ("the loss doesn't go down", "loss-does-not-move"),
        ("Training loss is stuck at 2.303!", "loss-does-not-move"),
        ("loss decreases but accuracy does not improve", "loss-falls-metric-does-not"),
        ("exploding gradients", "loss-diverges"),
        ("CUDA out of memory after a few hours", "memory-grows"),
        ("model performs badly after loading a checkpoint", "worse-after-loading"),
        ("overfits after the first epoch", "over-fits-early"),
        ("lr warmup never ends", "learning-rate-wrong"),
        ("batch size 1 gives different predictions", "predictions-depend-on-the-batch"),
        ("same input gives different output", "predictions-vary"),
        ("lower accuracy on multiple GPUs", "worse-on-several-devices"),
        ("dropout seems to do nothing", "setting-has-no-effect"),
        ("frozen layers change", "frozen-weights-change"),
        ("the model learned nothing", "loss-does-not-move"),
        ("predicts the same class for everything", "loss-does-not-move"),
        ("train loss decreases but val loss increases", "over-fits-early"),
        ("cross validation score too optimistic", "validation-better-than-test"),
        ("kaggle score much lower than cv", "validation-better-than-test"),
        ("unexpected keys in state_dict", "worse-after-loading"),
        ("argparse bool is always true", "setting-has-no-effect"),
        ("nan-loss", "nan-loss"),
    ],
)
def test_words_find_a_symptom_first(words: str, name: str) -> None:
    assert find(words)[0].name == name


@pytest.mark.parametrize("name", SYMPTOMS)
def test_a_title_finds_its_symptom(name: str) -> None:
    assert find(SYMPTOMS[name].title)[0].name == name
    assert [symptom.name for symptom in find(name)] == [name]


@pytest.mark.parametrize("words", ["", "pizza", "asdf qwer", "the and of", "!?", "?" * 5000])
def test_other_words_find_nothing(words: str) -> None:
    assert find(words) == []


def test_every_symptom_has_a_rule_and_every_rule_of_a_run_a_symptom() -> None:
    by_symptom = catalogue.by_symptom()
    assert [name for name, infos in by_symptom.items() if not infos] == []
    without = {info.name for info in catalogue.rules().values() if not info.symptoms}
    assert {catalogue.rules()[name].family for name in without} == {"engine", "suppression"}


def test_a_page_names_known_symptoms_only() -> None:
    text = catalogue.page(catalogue.rules()["double-softmax"]).replace('"slow-learning"', '"slow-lerning"')
    with pytest.raises(catalogue.PageError, match="`slow-lerning` is not a symptom, did you mean `slow-learning`"):
        catalogue.parse(text, "loss", "double-softmax")
