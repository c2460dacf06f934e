"""Held-out data passes through random augmentation.

Which data it is, and how it comes to a random step, is for `random_held_out` to say; here it is put into words.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, RandomHeldOut, RandomHeldOutCase, augmentation, image_generators, random_held_out

__all__: list[str] = []

_RANDOM = "random at every read"
_AUGMENTS = "augments held-out data"
_APPLIED = "applies random transforms to held-out data"
_TWICE = "build the dataset a second time, without random steps, and apply the same held-out indices to that one"
_INDICES = (
    "build the dataset again without random steps, and use `Subset(clean_dataset, {}.indices)` for the held-out samples"
)
_SECOND = "read it with a second generator, which has the same `validation_split` and only rescales"
_RESCALE = "read held-out data with a generator that only rescales"
_SHARED = "{} keeps the random `{}`: both subsets share one dataset and its transform"


@check(
    "augmented-evaluation",
    calls=f"{augmentation.NAMED} random_split Subset Compose DataLoader {image_generators.FLOWS}",
    keywords="transform augment augmentation aug training is_training is_train",
)
def augmented_evaluation(call: Call) -> Iterator[Finding]:
    """Held-out data passes through random augmentation."""
    for found in random_held_out.find_random_held_out(call):
        match found.case:
            case RandomHeldOutCase.OPTION | RandomHeldOutCase.DEFAULT:
                yield _augmented_by_option(found)
            case RandomHeldOutCase.SPARE:
                yield _given_another(found)
            case RandomHeldOutCase.SUBSET:
                yield _shared_by_subsets(found)
            case RandomHeldOutCase.DATA:
                yield _changed_by_step(found)
            case RandomHeldOutCase.GENERATOR | RandomHeldOutCase.GENERATOR_SUBSET:
                yield _read_by_generator(found)
            case _:
                yield _called_for_held_out(found)


def _changed_by_step(found: RandomHeldOut) -> Finding:
    """The transform of a dataset: the finding is at the step where the transform is called for held-out data."""
    assert found.step is not None and found.step.site is not None
    message = f"`{found.step.class_name}` changes the held-out data of `{found.name}` every time it is read"
    if found.beside is not None:
        return Finding(found.place, message, _RANDOM, [Note(found.beside, "held-out data")])
    return Finding(found.place, message, _APPLIED, [Note(found.step.site, _RANDOM)])


def _called_for_held_out(found: RandomHeldOut) -> Finding:
    """The transform for held-out data, by its name, its key or its branch."""
    assert found.step is not None
    meant = {
        RandomHeldOutCase.ENTRY: f"`{found.name!r}` is for held-out data",
        RandomHeldOutCase.BRANCH: "this branch is for evaluation",
        RandomHeldOutCase.TRANSFORM: f"`{found.name}` is the transform of held-out data",
    }
    notes = [Note(found.beside, "one transform for each split")] if found.beside is not None else []
    return Finding(found.place, f"`{found.step.class_name}` is random, but {meant[found.case]}", _RANDOM, notes)


def _shared_by_subsets(found: RandomHeldOut) -> Finding:
    """Parts of one dataset, which has one transform."""
    assert found.step is not None and found.step.site is not None
    notes = [Note(found.step.site, _RANDOM)]
    if found.beside is not None:
        notes.append(Note(found.beside, "a subset is taken here"))
    advice = _INDICES.format(found.option) if found.option else _TWICE
    message = _SHARED.format(found.name, found.step.class_name)
    return Finding(found.place, message, "one dataset, one transform", notes, help=advice)


def _read_by_generator(found: RandomHeldOut) -> Finding:
    """Held-out pictures that a generator of Keras changes at random."""
    assert found.beside is not None
    shared = found.case is RandomHeldOutCase.GENERATOR_SUBSET
    what = "the validation subset is augmented like the training subset" if shared else "held-out data is augmented"
    message = f"{what}: the generator sets `{found.option}`"
    notes = [Note(found.beside, _RANDOM)]
    return Finding(found.place, message, "held-out data", notes, help=_SECOND if shared else _RESCALE)


def _given_another(found: RandomHeldOut) -> Finding:
    """The transform for training, given to held-out data."""
    assert found.beside is not None
    message = (
        f"`{found.transform}` is applied to the held-out data of `{found.name}`, and `{found.option}` is never used"
    )
    notes = [Note(found.beside, "for training, with random steps")]
    return Finding(found.place, message, _APPLIED, notes, help=f"pass `{found.option}` here")


def _augmented_by_option(found: RandomHeldOut) -> Finding:
    """An option of a dataset, set for training and for held-out data."""
    assert found.beside is not None
    default = ", the default," if found.case is RandomHeldOutCase.DEFAULT else ","
    message = f"`{found.name}` is built with `{found.option}=True`{default} like the training data"
    notes = [Note(found.beside, "the training data")]
    if found.unaugmented is not None:
        notes.append(Note(found.unaugmented, f"other held-out data is built without `{found.option}=True`"))
    return Finding(found.place, message, _AUGMENTS, notes, help=f"build it with `{found.option}=False`")
