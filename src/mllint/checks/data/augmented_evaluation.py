"""Held-out data passes through random augmentation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    FunctionScope,
    InstanceValue,
    Node,
    Site,
    Topic,
    Value,
    assigned_pairs,
    augmentation,
    constructor_argument,
    evaluate,
    last_name,
    origins,
    place,
    roles,
    statements,
    targets_of,
    targets_outside,
    topics,
    usage,
    walk,
)

__all__: list[str] = []

_RANDOM = "random at every read"
_APPLIED = "applies random transforms to held-out data"
_TWICE = "build the dataset a second time, without random steps, and apply the same held-out indices to that one"
_INDICES = (
    "build the dataset again without random steps, and use `Subset(clean_dataset, {}.indices)` for the held-out samples"
)


@check(
    "augmented-evaluation",
    calls=f"{augmentation.NAMED} random_split Subset Compose DataLoader",
    keywords="transform augment augmentation aug training is_training is_train",
)
def augmented_evaluation(call: Call) -> Iterator[Finding]:
    """Held-out data passes through random augmentation."""
    yield from flagged(call)
    if call.last_name == "random_split":
        yield from augmented_split(call)
        return
    if call.last_name == "Subset":
        yield from shared_by_helper(call)
        return
    if call.last_name == "Compose":
        yield from passed_to_held_out_data(call)
        return
    if call.last_name == "DataLoader":
        yield from never_switched_off(call)
        yield from of_loader(call)
        return
    if is_asked(call):
        yield from random_for_held_out(call)


def is_asked(call: Call) -> bool:
    """Is it a dataset of a library, or anything that is given a transform by that name? Any other dataset is asked
    about where a loader reads it."""
    return call.last_name in augmentation.NAMED.split() or any(k.arg == "transform" for k in call.node.keywords)


def of_loader(call: Call) -> Iterator[Finding]:
    """What is random in a dataset of the project's own that a loader reads."""
    given = call.argument("dataset")
    for value in given.value.alternatives if given is not None else ():
        if not isinstance(value, InstanceValue) or value.cls.module.is_stub or value.built_with is None:
            continue
        node = value.built_with.node
        made = Call(node, value.built_with.frame) if isinstance(node, ast.Call) else None
        if made is not None and not is_asked(made):
            yield from random_for_held_out(made)


def random_for_held_out(call: Call) -> Iterator[Finding]:
    """The transform of held-out data, where it is random, by whatever name a dataset takes it."""
    random = (a for a in call.arguments if augmentation.random_step(a.value) is not None)
    given = call.argument("transform") or (None if is_asked(call) else next(random, None))
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
    yield Finding(
        step.site if meant else given,
        f"`{step.class_name}` changes the held-out data of `{call.name}` every time it is read",
        _RANDOM if meant else _APPLIED,
        [Note(call, "held-out data")] if meant else [Note(step.site, _RANDOM)],
    )


def passed_to_held_out_data(made: Call) -> Iterator[Finding]:
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
            message = f"`{step.class_name}` is random, but `{word!r}` is for held-out data"
            yield Finding(step.site, message, _RANDOM, [Note(Site(made.module, table), "one transform for each split")])
        elif roles.is_training_name(word) and any(roles.is_held_out_name(o) for o in others):
            yield from _transform_of_every_part(made, step, word, [o for o in others if roles.is_held_out_name(o)])
        return
    names = targets_of(made.node, scope)
    if len(names) == 1 and names[0] and augmentation.is_in_evaluation_branch(made.node, names[0], scope):
        yield Finding(step.site, f"`{step.class_name}` is random, but this branch is for evaluation", _RANDOM)
        return
    if len(names) != 1 or not names[0] or len(scope.bindings.get(names[0], ())) > 1:
        return
    if roles.is_held_out_name(names[0]) and augmentation.is_named_for_held_out(names[0].rpartition(".")[2]):
        if not augmentation.is_read_in_file(names[0], scope):
            message = f"`{step.class_name}` is random, but `{names[0]}` is the transform of held-out data"
            yield Finding(step.site, message, _RANDOM)
            return
    for table, word in augmentation.entries(names[0], scope) if roles.is_held_out_name(names[0]) else ():
        message = f"`{step.class_name}` is random, but `{word!r}` is for held-out data"
        yield Finding(step.site, message, _RANDOM, [Note(Site(made.module, table), "one transform for each split")])
        return
    for use, function in augmentation.uses_of(names[0], scope):
        call = Call(use, made.project.frame(function))
        given = next(a for a in (*use.args, *(k.value for k in use.keywords)) if place(a) == names[0])
        if augmentation.is_mistaken(call, names[0], function):
            yield _mistake(call, given, step)
        elif last_name(use.func) in augmentation.CLASSES or call.value.instance_of(augmentation.DATASET):
            yield from _shared(call, function, step)
            if augmentation.has_held_out_name(names[0], call, given):
                yield _random_for(call, step)


def _random_for(call: Call, step: Value) -> Finding:
    """The finding at a random step of what transforms the held-out data that a call reads."""
    assert step.site is not None
    message = f"`{step.class_name}` changes the held-out data of `{call.name}` every time it is read"
    return Finding(step.site, message, _RANDOM, [Note(call, "held-out data")])


def _taken_for_another(made: Call) -> Iterator[Finding]:
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
            message = (
                f"`{names[0]}` is applied to the held-out data of `{last_name(use.func)}`, and `{spare}` is never used"
            )
            notes = [Note(made, "for training, with random steps")]
            site = Site(function.module, given)
            yield Finding(site, message, _APPLIED, notes, f"pass `{spare}` here")


def _mistake(call: Call, given: Node, step: Value) -> Finding:
    message = f"`{step.class_name}` changes the held-out data of `{call.last_name}` every time it is read"
    assert step.site is not None
    notes = [Note(step.site, _RANDOM)]
    return Finding(Site(call.module, given), message, _APPLIED, notes)


def _transform_of_every_part(made: Call, step: Value, word: str, spares: list[str]) -> Iterator[Finding]:
    """`tf["train"]` for each part of a comprehension over the parts, while `tf["val"]` is never read."""
    table = next((place(t) for s in statements(made.function) for t, v in assigned_pairs(s)
                  if isinstance(v, ast.Dict) and any(n is made.node for n in v.values)), None)  # fmt: skip
    for function in augmentation.scopes_of(table, made.function) if table else ():
        for call in function.calls:
            for given in (*call.args, *(k.value for k in call.keywords)):
                if not isinstance(given, ast.Subscript) or place(given.value) != table:
                    continue
                key = given.slice.value if isinstance(given.slice, ast.Constant) else None
                if key != word or not Call(call, made.project.frame(function)).value.instance_of(augmentation.DATASET):
                    continue
                if augmentation.is_called_for_each_part(call, function) and not augmentation.may_read_entry(
                    str(table), spares, function
                ):
                    yield _mistake(Call(call, made.project.frame(function)), given, step)


def _shared(call: Call, function: FunctionScope, step: Value) -> Iterator[Finding]:
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
                message = (
                    f"`{found[0]}` keeps the random `{step.class_name}`: "
                    "both subsets share one dataset and its transform"
                )
                assert step.site is not None
                notes = [Note(step.site, _RANDOM)]
                yield Finding(Site(call.module, subset), message, "one dataset, one transform", notes, _TWICE)


def shared_by_helper(subset: Call) -> Iterator[Finding]:
    """A function takes subsets of one dataset that transforms at random, for training and for held-out data."""
    parts = augmentation.parts_by_caller(subset)
    rows = subset.argument("dataset")
    if rows is None or not any(all(map(roles.is_training_name, names)) for _, names in parts):
        return
    transforms = [constructor_argument(v, "transform") for v in rows.value.alternatives]
    steps = [augmentation.random_step(t) if t is not None else None for t in transforms]
    step = steps[0] if steps and None not in steps else None
    for caller, names in parts if step is not None else ():
        if all(map(roles.is_held_out_name, names)) and step is not None and step.site is not None:
            given = (*caller.node.args, *(k.value for k in caller.node.keywords))
            kept = f"the subset that `{names[0]}` selects" if names[0] in map(place, given) else f"`{names[0]}`"
            message = f"{kept} keeps the random `{step.class_name}`: both subsets share one dataset and its transform"
            notes = [Note(step.site, _RANDOM), Note(subset, "a subset is taken here")]
            yield Finding(caller, message, "one dataset, one transform", notes, _TWICE)


def augmented_split(call: Call) -> Iterator[Finding]:
    """One dataset, whose transform is random, is divided into a part for training and one that is held out."""
    rows = call.argument("dataset")
    parts, function = targets_outside(call.node, call.function)
    held_out = next(
        (n for p in parts[1:] for n in (p, *augmentation.loaders_of(p, function)) if roles.is_held_out_name(n)),
        None,
    )
    if held_out is None:
        held_out = next((p for p in parts[1:] if is_read_by_val_dataloader(p, function)), None)
    if rows is None or held_out is None:
        return
    steps = [
        augmentation.random_step(t)
        for v in rows.value.alternatives
        if (t := constructor_argument(v, "transform")) is not None
    ]
    changed = any(b.startswith(f"{p}.") for p in parts for b in function.bindings)
    if (
        not steps
        or len(steps) < len(rows.value.alternatives)
        or changed
        or not all(s is not None and s.site for s in steps)
    ):
        return
    step = steps[0]
    assert step is not None and step.site is not None
    yield Finding(
        call,
        f"`{held_out}` keeps the random `{step.class_name}`: both subsets share one dataset and its transform",
        "one dataset, one transform",
        [Note(step.site, _RANDOM)],
        _INDICES.format(held_out if held_out in parts else "val_set"),
    )


def is_read_by_val_dataloader(part: str, function: FunctionScope) -> bool:
    """Does the `val_dataloader` of a data module read a part?"""
    hook = function.owner.methods.get("val_dataloader") if function.owner is not None else None
    return hook is not None and any(place(n) == part for n in walk(hook.node))


def flagged(call: Call) -> Iterator[Finding]:
    """Held-out data that is built with such a flag, next to training data with it and held-out data without it."""
    given = next(
        (k for k in call.node.keywords if topics.is_about(k.arg, Topic.AUGMENTING) and _is_true(k.value)), None
    )
    name = _bound_to(call.node, call)
    if (
        given is None
        or given.arg is None
        or not roles.is_held_out_name(name)
        or topics.is_about(name, Topic.TEST_TIME_AUGMENTATION)
    ):
        return
    if not (topics.is_about(given.arg, Topic.AUGMENTATION) or _may_draw_at_random(call)):
        return
    if any(_is_randomness_option(k.arg or "") and not _is_true(k.value) for k in call.node.keywords):
        return  # another flag does
    if usage.is_only_shown(call):
        return
    training, unaugmented = None, None
    for other in (c for c in call.function.calls if c is not call.node and last_name(c.func) == call.last_name):
        flag = next((k.value for k in other.keywords if k.arg == given.arg), None)
        target = _bound_to(other, call)
        if roles.is_training_name(target) and flag is not None and _is_true(flag):
            training = other
        elif roles.is_held_out_name(target) and (flag is None or getattr(flag, "value", None) is False):
            unaugmented = other
    if training is not None and unaugmented is not None and len(call.node.args) == len(training.args):
        message = f"`{name}` is built with `{given.arg}=True`, like the training data"
        notes = [
            Note(call.at(training), "the training data"),
            Note(call.at(unaugmented), f"other held-out data is built without `{given.arg}=True`"),
        ]
        yield Finding(call, message, "augments held-out data", notes, f"build it with `{given.arg}=False`")


def never_switched_off(call: Call) -> Iterator[Finding]:
    """A loader over held-out data whose class augments unless it is told not to, next to training data built alike."""
    given = call.argument("dataset")
    rows = place(given.node) if given is not None else None
    if given is None or rows is None or not roles.is_held_out_name(rows):
        return
    switch = augmentation.find_default_on_switch(given.value)
    built = given.value.built_with if switch is not None and isinstance(given.value, InstanceValue) else None
    if built is None or topics.is_about(rows, Topic.TEST_TIME_AUGMENTATION):
        return
    for other in built.frame.function.calls:
        value = evaluate(other, built.frame) if last_name(other.func) == last_name(built.node.func) else None
        if value is not None and augmentation.find_default_on_switch(value) == switch:
            if any(roles.is_training_name(t) for t in targets_of(other, built.frame.function)):
                message = f"`{rows}` is built with `{switch}=True`, the default, like the training data"
                notes = [Note(Site(built.frame.module, other), "the training data")]
                site = Site(built.frame.module, built.node)
                yield Finding(site, message, "augments held-out data", notes, f"build it with `{switch}=False`")
                return


def _is_randomness_option(flag: str) -> bool:
    """Does an option say whether anything is random: `augment`, `training`, `random_window`?"""
    return topics.is_about(flag, Topic.AUGMENTING, Topic.RANDOMNESS)


def _bound_to(node: ast.Call, call: Call) -> str | None:
    """The one place that the result of a call is bound to."""
    targets = targets_of(node, call.function)
    return targets[0] if len(targets) == 1 and place(node.func) is not None else None


def _is_true(node: Node) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _may_draw_at_random(call: Call) -> bool:
    """Does the user's function, or class, call or name something that draws at random?"""
    functions = [f for f in call.callees if not f.stubbed]
    for cls in call.value.classes:
        functions += cls.methods.values() if not cls.module.is_stub else ()
    return any(topics.is_about(n, Topic.RANDOMNESS) for f in functions for n in _names(f))


def _names(function: FunctionScope) -> set[str]:
    given = {last_name(a) for c in function.calls for a in c.args if isinstance(a, (ast.Name, ast.Attribute))}
    return given | set(function.called_names)
