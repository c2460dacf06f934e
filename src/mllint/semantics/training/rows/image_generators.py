"""Which held-out pictures does a generator of Keras change at random while it reads them?

    pictures = ImageDataGenerator(rotation_range=30, validation_split=0.2)
    train = pictures.flow_from_directory("cats", subset="training")
    val = pictures.flow_from_directory("cats", subset="validation")      # rotated as well: one generator, one setting

Pictures are held out by `subset="validation"`, or by the folder that they are read from. What they are bound to may say
that they are disturbed on purpose, or averaged over; a generator with an unknown option may be any.

Source: `keras.preprocessing.image`: a random option is off at 0, `False` or `None`, and in force for every `flow...`.
"""

from __future__ import annotations

from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.rows.augmentation import is_one_value, is_read_from_held_out_folder
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.lineage import targets_of
from mllint.semantics.values.values import InstanceValue, LiteralValue, SequenceValue, Value

__all__ = ["FLOWS", "RandomFlow", "find_random_flow"]

FLOWS = "flow flow_from_directory flow_from_dataframe"
"""The methods of a generator that read pictures."""
_RANDOM = (
    "rotation_range", "width_shift_range", "height_shift_range", "brightness_range", "shear_range", "zoom_range",
    "channel_shift_range", "horizontal_flip", "vertical_flip",
)  # fmt: skip
_ON_PURPOSE = (Topic.TEST_TIME_AUGMENTATION, Topic.DISTURBANCE)


class RandomFlow(NamedTuple):
    """Held-out pictures that are changed at random."""

    option: str
    """the first option of the generator that draws"""
    generator: Site
    """where the generator is built"""
    is_subset: bool
    """Are they the rest of what is trained on, by `validation_split`?"""


def find_random_flow(call: Call) -> RandomFlow | None:
    """What changes the held-out pictures that a `flow...` of a generator reads; None where nothing does for certain."""
    generator = call.receiver
    if call.last_name not in FLOWS.split() or not isinstance(generator, InstanceValue) or generator.site is None:
        return None
    if generator.cls.name != "ImageDataGenerator" or not generator.cls.module.is_stub:
        return None
    subset = call.given_value("subset")
    is_subset = subset is not None and subset.literal == "validation"
    if not is_subset and (subset is not None or not is_read_from_held_out_folder(call, "directory")):
        return None
    names = targets_of(call.node, call.function)
    if any(topics.is_about(name, *_ON_PURPOSE) for name in names):
        return None
    option = next((name for name in _RANDOM if _draws(constructor_argument(generator, name))), None)
    return None if option is None else RandomFlow(option, generator.site, is_subset)


def _draws(given: Value | None) -> bool:
    """Is an option given a value by which it draws: a number that is not 0, `True`, or a range?"""
    if isinstance(given, SequenceValue):
        return len(given.parts) == 2 and not is_one_value(given)
    return isinstance(given, LiteralValue) and given.truth is True
