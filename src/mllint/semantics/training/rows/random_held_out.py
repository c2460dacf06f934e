"""Which held-out data passes through a transform that draws at random?

    val_tf = Compose([RandomCrop(32), ToTensor()])           # TRANSFORM: by its name, or by its key, ENTRY
    val_set = CIFAR10(root, train=False, transform=tf)       # DATA: by provenance, by its folder, or by two names
    train_set, val_set = random_split(data, [9000, 1000])    # SUBSET: both have the transform of `data`
    val_set = Faces(paths, augment=True)                     # OPTION: as the training data is built
    val = pictures.flow(x, y, subset="validation")           # GENERATOR_SUBSET: `pictures` rotates what it reads

What a transform does, and which part is given it, is asked of `augmentation`; this module puts the two together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import DATASET
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import (
    all_arguments,
    assigned_pairs,
    is_true,
    last_name,
    mentions_place,
    place,
)
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.rows import augmentation, image_generators, usage
from mllint.semantics.training.rows.left_on import find_left_on
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import origins, statements, targets_of, targets_outside
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["Case", "RandomHeldOut", "find_random_held_out"]


class Case(Enum):
    """How held-out data comes to be transformed at random."""

    DATA = auto()
    """its transform has a random step, whatever it is called"""
    ENTRY = auto()
    """so has the entry for held-out data of a dictionary with a transform for each part"""
    BRANCH = auto()
    """so has the transform of a branch for evaluation"""
    TRANSFORM = auto()
    """so has what is called a transform of held-out data"""
    SPARE = auto()
    """it is given the transform for training, and the one for held-out data is never used"""
    SUBSET = auto()
    """it is part of a dataset that is transformed at random, for the part that is trained on"""
    OPTION = auto()
    """it is built with an option that augments, as the training data is"""
    DEFAULT = auto()
    """it is built with an option that augments by default, as the training data is"""
    GENERATOR = auto()
    """a generator of Keras that draws reads it"""
    GENERATOR_SUBSET = auto()
    """so does the one that reads the training data, as its validation subset"""


class RandomHeldOut(NamedTuple):
    """Held-out data that is transformed at random."""

    case: Case
    place: Site | Call | Argument
    """where it is decided: the random step, what applies it, or what builds the data"""
    name: str
    """what the data, or what stands for it, is called"""
    step: Value | None = None
    """the random step"""
    beside: Site | Call | Argument | None = None
    """what shows it: the held-out data, the table of transforms, the training data that is built alike"""
    option: str = ""
    """the option that augments, the transform that is never used, or the part whose indices to take"""
    unaugmented: Site | None = None
    """other held-out data that is built without the option"""
    transform: str = ""
    """the transform for training that it is given"""


def find_random_held_out(call: Call) -> Iterator[RandomHeldOut]:
    """The held-out data that is transformed at random, by what `call` builds: a dataset, a transform, a loader, a part
    of a dataset."""
    yield from _built_with_option(call)
    for left in find_left_on(call):
        yield RandomHeldOut(Case.DEFAULT, left.built, left.name, None, left.training, left.switch)
    match call.last_name:
        case "random_split":
            yield from _split_of_transformed(call)
        case "Subset":
            yield from _subsets_by_helper(call)
        case "Compose":
            yield from _given_to_held_out(call)
        case "DataLoader":
            yield from _built_with_default(call)
            yield from _read_by_loader(call)
        case word if word in image_generators.FLOWS.split():
            flow = image_generators.find_random_flow(call)
            if flow is not None:
                case = Case.GENERATOR_SUBSET if flow.is_subset else Case.GENERATOR
                yield RandomHeldOut(case, call, call.name, None, flow.generator, flow.option)
        case _ if _is_asked(call):
            yield from _transformed(call)


def _is_asked(call: Call) -> bool:
    """True if `call` builds a dataset of a library, or anything that is given a transform by that name. Any other
    dataset is asked about where a loader reads it."""
    return call.last_name in augmentation.CLASSES or any(k.arg == "transform" for k in call.node.keywords)


# ------------------------------------------------------------------------------------------ the transform of a dataset
def _read_by_loader(call: Call) -> Iterator[RandomHeldOut]:
    """What is random in a dataset of the project's own that a loader reads."""
    given = call.argument("dataset")
    if given is None:
        return
    for value in given.value.alternatives:
        if not isinstance(value, InstanceValue) or value.cls.module.is_stub or value.built_with is None:
            continue
        node = value.built_with.node
        made = Call(node, value.built_with.frame) if isinstance(node, ast.Call) else None
        if made is not None and not _is_asked(made):
            yield from _transformed(made)


def _transformed(call: Call) -> Iterator[RandomHeldOut]:
    """The transform of held-out data, where it is random, by whatever name a dataset takes it."""
    random = (a for a in call.arguments if augmentation.random_step(a.value) is not None)
    given = call.argument("transform") or (None if _is_asked(call) else next(random, None))
    if (
        given is None
        or not (augmentation.is_held_out(call) or augmentation.is_transformed_as_held_out(call, given))
        or augmentation.may_transform_by_part(call.value)
    ):
        return
    step = augmentation.random_step(given.value) or augmentation.random_on_request(given, call.function)
    names = [augmentation.last_word(o.node) for o in origins(given.node, call.frame)]
    if step is None or step.site is None or any(topics.is_about(name, Topic.TEST_TIME_AUGMENTATION) for name in names):
        return
    if (
        usage.is_only_shown(call)
        or augmentation.is_disturbed_on_purpose(call, given, names)
        or augmentation.is_trained_on(call)
    ):
        return
    meant = any(roles.is_held_out_name(name) for name in names)
    yield RandomHeldOut(Case.DATA, step.site if meant else given, call.name, step, call if meant else None)


# ------------------------------------------------------------------------------------------- the data of a transform
def _given_to_held_out(made: Call) -> Iterator[RandomHeldOut]:
    """A random `Compose` that is named, or given, for held-out data."""
    step = augmentation.random_step(made.value)
    if step is None or step.site is None:
        yield from _taken_for_another(made)
        return
    scope = made.function
    key = augmentation.key_of(made.node, scope)
    if key is not None:
        table, word, others = key
        if roles.is_held_out_name(word) and any(roles.is_training_name(o) for o in others):
            yield RandomHeldOut(Case.ENTRY, step.site, word, step, Site(made.module, table))
        elif roles.is_training_name(word) and any(roles.is_held_out_name(o) for o in others):
            yield from _given_to_every_part(made, step, word, [o for o in others if roles.is_held_out_name(o)])
        return
    names = targets_of(made.node, scope)
    if len(names) == 1 and names[0]:
        yield from _called_for_held_out(made, names[0], step, step.site)


def _called_for_held_out(made: Call, name: str, step: Value, site: Site) -> Iterator[RandomHeldOut]:
    """A random transform that is bound to one name."""
    scope = made.function
    if augmentation.is_in_evaluation_branch(made.node, name, scope):
        yield RandomHeldOut(Case.BRANCH, site, name, step)
        return
    if len(scope.bindings.get(name, ())) > 1:
        return
    if roles.is_held_out_name(name):
        named = augmentation.is_named_for_held_out(name.rpartition(".")[2])
        if named and not augmentation.is_read_in_file(name, scope):
            yield RandomHeldOut(Case.TRANSFORM, site, name, step)
            return
        entry = next(augmentation.entries(name, scope), None)
        if entry is not None:
            yield RandomHeldOut(Case.ENTRY, site, entry[1], step, Site(made.module, entry[0]))
            return
    for use, function in augmentation.uses_of(name, scope):
        call = Call(use, made.project.frame(function))
        given = next(a for a in all_arguments(use) if place(a) == name)
        if augmentation.is_mistaken(call, name, function):
            yield RandomHeldOut(Case.DATA, Site(call.module, given), call.last_name, step)
        elif last_name(use.func) in augmentation.CLASSES or call.value.instance_of(DATASET):
            yield from _shared_by_subsets(call, function, step)
            if augmentation.has_held_out_name(name, call, given):
                yield RandomHeldOut(Case.DATA, site, call.name, step, call)


def _taken_for_another(made: Call) -> Iterator[RandomHeldOut]:
    """A transform for training, random by the names of its steps, is given to held-out data, for which another one is
    bound and never read."""
    names = targets_of(made.node, made.function)
    if (
        len(names) != 1
        or not names[0]
        or not roles.is_training_name(names[0])
        or not augmentation.has_random_step_by_name(made.node)
    ):
        return
    for use, function in augmentation.uses_of(names[0], made.function):
        targets = augmentation.held_targets(use, function)
        given = next((k.value for k in use.keywords if k.arg == "transform" and place(k.value) == names[0]), None)
        if given is None or not targets or not all(roles.is_held_out_name(t) for t in targets):
            continue
        spare = next(usage.unread_counterparts(names[0], usage.TRAINING, function, usage.HELD_OUT), None)
        if spare is not None:
            site = Site(function.module, given)
            yield RandomHeldOut(Case.SPARE, site, last_name(use.func), None, made, spare, transform=names[0])


def _given_to_every_part(made: Call, step: Value, word: str, spares: list[str]) -> Iterator[RandomHeldOut]:
    """`tf["train"]` for each part of a comprehension over the parts, while `tf["val"]` is never read."""
    table = next((place(t) for s in statements(made.function) for t, v in assigned_pairs(s)
                  if isinstance(v, ast.Dict) and any(n is made.node for n in v.values)), None)  # fmt: skip
    if not table:
        return
    for function in augmentation.scopes_of(table, made.function):
        for call in function.calls:
            for given in all_arguments(call):
                if not isinstance(given, ast.Subscript) or place(given.value) != table:
                    continue
                key = given.slice.value if isinstance(given.slice, ast.Constant) else None
                if key != word or not Call(call, made.project.frame(function)).value.instance_of(DATASET):
                    continue
                if augmentation.is_called_for_each_part(call, function) and not augmentation.may_read_entry(
                    table, spares, function
                ):
                    yield RandomHeldOut(Case.DATA, Site(function.module, given), last_name(call.func), step)


# ---------------------------------------------------------------------------------------- parts of one dataset
def _shared_by_subsets(call: Call, function: FunctionScope, step: Value) -> Iterator[RandomHeldOut]:
    """Training and held-out subsets of one dataset that transforms at random."""
    rows = targets_of(call.node, function)
    if len(rows) != 1 or len(function.bindings.get(rows[0], ())) != 1:
        return
    subsets = [c for c in function.calls if last_name(c.func) == "Subset" and c.args and place(c.args[0]) == rows[0]]
    named = [(c, augmentation.held_targets(c, function)) for c in subsets]
    if any(b.startswith(f"{t}.") for _, found in named for t in found for b in function.bindings):
        return
    if any(roles.is_training_name(t) for _, found in named for t in found):
        for subset, found in named:
            if found and all(roles.is_held_out_name(t) for t in found):
                yield RandomHeldOut(Case.SUBSET, Site(call.module, subset), f"`{found[0]}`", step)


def _subsets_by_helper(subset: Call) -> Iterator[RandomHeldOut]:
    """A function takes subsets of one dataset that transforms at random, for training and for held-out data."""
    parts = augmentation.parts_by_caller(subset)
    rows = subset.argument("dataset")
    if rows is None or not any(all(map(roles.is_training_name, names)) for _, names in parts):
        return
    transforms = [constructor_argument(v, "transform") for v in rows.value.alternatives]
    steps = [augmentation.random_step(t) if t is not None else None for t in transforms]
    step = steps[0] if steps and None not in steps else None
    if step is None or step.site is None:
        return
    for caller, names in parts:
        if all(map(roles.is_held_out_name, names)):
            selects = names[0] in map(place, all_arguments(caller.node))
            kept = f"the subset that `{names[0]}` selects" if selects else f"`{names[0]}`"
            yield RandomHeldOut(Case.SUBSET, caller, kept, step, subset)


def _split_of_transformed(call: Call) -> Iterator[RandomHeldOut]:
    """One dataset, whose transform is random, is divided into a part for training and one that is held out."""
    rows = call.argument("dataset")
    parts, function = targets_outside(call.node, call.function)
    named = (n for p in parts[1:] for n in (p, *augmentation.loaders_of(p, function)) if roles.is_held_out_name(n))
    held_out = next(named, None)
    if held_out is None:
        held_out = next((p for p in parts[1:] if _is_read_by_val_dataloader(p, function)), None)
    if rows is None or held_out is None:
        return
    transforms = [t for v in rows.value.alternatives if (t := constructor_argument(v, "transform")) is not None]
    steps = [augmentation.random_step(t) for t in transforms]
    changed = any(b.startswith(f"{p}.") for p in parts for b in function.bindings)
    if not steps or len(steps) < len(rows.value.alternatives) or changed:
        return
    if all(step is not None and step.site for step in steps):
        indices = held_out if held_out in parts else "val_set"
        yield RandomHeldOut(Case.SUBSET, call, f"`{held_out}`", steps[0], None, indices)


def _is_read_by_val_dataloader(part: str, function: FunctionScope) -> bool:
    """True if the `val_dataloader` of a data module reads `part`."""
    hook = function.owner.methods.get("val_dataloader") if function.owner is not None else None
    return hook is not None and mentions_place(hook.node, part)


# ----------------------------------------------------------------------------------------------- an option of a dataset
def _built_with_option(call: Call) -> Iterator[RandomHeldOut]:
    """Held-out data that is built with such a flag, next to training data with it and held-out data without it."""
    flags = (k for k in call.node.keywords if topics.is_about(k.arg, Topic.AUGMENTING) and is_true(k.value))
    given = next(flags, None)
    name = _bound_to(call.node, call)
    if given is None or given.arg is None or name is None or not roles.is_held_out_name(name):
        return
    if topics.is_about(name, Topic.TEST_TIME_AUGMENTATION):
        return
    if not (topics.is_about(given.arg, Topic.AUGMENTATION) or _may_draw_at_random(call)):
        return
    if any(_is_randomness_option(k.arg or "") and not is_true(k.value) for k in call.node.keywords):
        return  # another flag does
    if usage.is_only_shown(call):
        return
    training, unaugmented = None, None
    for other in (c for c in call.function.calls if c is not call.node and last_name(c.func) == call.last_name):
        flag = next((k.value for k in other.keywords if k.arg == given.arg), None)
        target = _bound_to(other, call)
        if roles.is_training_name(target) and flag is not None and is_true(flag):
            training = other
        elif roles.is_held_out_name(target) and (flag is None or getattr(flag, "value", None) is False):
            unaugmented = other
    if training is not None and unaugmented is not None and len(call.node.args) == len(training.args):
        yield RandomHeldOut(Case.OPTION, call, name, None, call.at(training), given.arg, call.at(unaugmented))


def _built_with_default(call: Call) -> Iterator[RandomHeldOut]:
    """A loader over held-out data whose class augments unless it is told not to, next to training data built alike."""
    given = call.argument("dataset")
    rows = place(given.node) if given is not None else None
    if given is None or rows is None or not roles.is_held_out_name(rows):
        return
    switch = augmentation.find_default_on_switch(given.value)
    built = given.value.built_with if switch is not None and isinstance(given.value, InstanceValue) else None
    if switch is None or built is None or topics.is_about(rows, Topic.TEST_TIME_AUGMENTATION):
        return
    for other in built.frame.function.calls:
        value = evaluate(other, built.frame) if last_name(other.func) == last_name(built.node.func) else None
        if value is not None and augmentation.find_default_on_switch(value) == switch:
            if any(roles.is_training_name(t) for t in targets_of(other, built.frame.function)):
                module = built.frame.module
                yield RandomHeldOut(Case.DEFAULT, Site(module, built.node), rows, None, Site(module, other), switch)
                return


def _is_randomness_option(flag: str) -> bool:
    """True if the option `flag` says whether anything is random: `augment`, `training`, `random_window`."""
    return topics.is_about(flag, Topic.AUGMENTING, Topic.RANDOMNESS)


def _bound_to(node: ast.Call, call: Call) -> str | None:
    """The one place that the result of `node` is bound to, in the function of `call`."""
    targets = targets_of(node, call.function)
    return targets[0] if len(targets) == 1 and place(node.func) is not None else None


def _may_draw_at_random(call: Call) -> bool:
    """True if the user's function, or class, that is called calls or names something that draws at random."""
    functions = [f for f in call.callees if not f.stubbed]
    for cls in call.value.classes:
        functions += cls.methods.values() if not cls.module.is_stub else ()
    return any(topics.is_about(n, Topic.RANDOMNESS) for f in functions for n in _names(f))


def _names(function: FunctionScope) -> set[str]:
    given = {last_name(a) for c in function.calls for a in c.args if isinstance(a, (ast.Name, ast.Attribute))}
    return given | set(function.called_names)
