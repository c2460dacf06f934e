"""Do training and evaluation read the same samples?

Two datasets are built alike, a loader takes the wrong one, or a measurement is given the training loader. That the
samples are the same is read from how they are built; where only names tell the parts apart, the held-out part has to
lie unused beside them (`unread`, `crossed`). What flows out of loaders is asked in `data`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.checks.data._branches import built_in_branches
from mllint.checks.data._overlap import divided_for_nothing, overlapping, split_for_nothing
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    Function,
    Site,
    alike,
    crossed,
    data_modules,
    loading,
    place,
    records,
    roles,
    same_samples,
    seeds,
    text,
    unread,
)

__all__: list[str] = []


# ------------------------------------------------------------------------------------------------------- same samples
@check("same-data-for-both", words="train trn", calls="fit", has="speaks_of_training")
def same_data_for_both(function: Function) -> Iterator[Finding]:
    """Training and evaluation read the same samples."""
    if seeds.is_test_code(function.module):
        return  # the same made-up samples do for both
    yield from _measured_on_training(function)
    yield from _of_data_module(function)
    twins = [*_built_alike(function), *overlapping(function), *divided_for_nothing(function)]
    twins += split_for_nothing(function)
    twins += built_in_branches(function)
    twins = twins or list(_called_test(function))
    yield from twins
    if twins or not same_samples.pairs_up(function.module):
        return
    called = function.scope.called_names
    if called.isdisjoint(("DataLoader", "fit")) and not any(n.endswith("Trainer") for n in called):
        if not same_samples.constructs_twice(function):
            return
    for bound in same_samples.bound_together(function):
        yield from _same_construction(function, bound)
        yield from _same_loaded(function, bound)
    yield from _crossed(function)
    for call in function.calls():
        train, evaluation = same_samples.handed_to_trainer(call)
        if train is not None and "train_mask" in function.module.source.text:
            continue  # one graph for both, whose nodes are divided by masks
        if (
            train is not None
            and evaluation is not None
            and (
                evaluation.parameter in ("validation_data", "eval_set")
                or train.value.same_as(evaluation.value) is not False
            )
        ):
            yield Finding(
                evaluation,
                f"`{call.name}` trains on `{train.text}` and evaluates on it as well",
                "also trained on",
                [Note(train, "trained on")],
            )


def _of_data_module(function: Function) -> Iterator[Finding]:
    """The training part in another loader of a data module, which leaves its own part unread."""
    owner = function.owner if function.scope.name == "train_dataloader" else None
    for name in ("val_dataloader", "test_dataloader") if owner is not None else ():
        for given, used, spare in data_modules.taken_twice(owner, name, "train_dataloader"):
            message = f"`{name}` reads `{used}`, which is trained on, and nobody reads `{spare}`"
            yield Finding(Site(function.module, given), message, "the training data")


def _called_test(function: Function) -> Iterator[Finding]:
    """`test_set = MNIST(root, train=True)` beside another training set, where nothing is built with `train=False`."""
    scope = function.scope
    if "train" not in function.module.calls_by_keyword or not any(same_samples.chooses(c) for c in scope.calls):
        return
    for name, bindings in scope.bindings.items():
        node = bindings[0].value
        if (
            len(bindings) > 1
            or bindings[0].kind != "assign"
            or not isinstance(node, ast.Call)
            or not same_samples.chooses(node)
        ):
            continue
        if not any(map(same_samples.says_test, (name, scope.name))) or same_samples.small(function, node):
            continue
        call = Call(node, function.frame)
        others = [c for c, _ in function.project.calls_named(call.last_name) if c is not node]
        if not others or not all(map(same_samples.chooses, others)) or not call.value.comes_from("train"):
            continue
        if call.value.instance_of(same_samples.DATASET) and not same_samples.cut_later(
            function, name, records.Bound({name: call}, (), frozenset())
        ):
            message = f"`{name}` is for testing and reads the training samples: nothing reads those of `train=False`"
            yield Finding(call, message, "the samples that are trained on")


def _same_construction(function: Function, block: records.Bound) -> Iterator[Finding]:
    """Two datasets of one class with the same arguments, one named for training, the other for evaluation."""
    bound = block.calls
    made = [(name, dataset) for name, call in bound.items() if (dataset := same_samples.dataset_of(call)) is not None]
    for name, first in made:
        if not any(roles.is_training_name(n) for n in same_samples.names_of(name, bound)) or any(
            roles.is_held_out_name(n) for n in same_samples.names_of(name, bound)
        ):
            continue
        for other, second in made:
            if (
                not same_samples.same_class(first, second)
                or first is second
                or same_samples.key(first) != same_samples.key(second)
            ):
                continue
            if block.own.isdisjoint((name, other)):
                continue  # of the function, which is asked by itself
            names = same_samples.names_of(other, bound)
            if not any(roles.is_held_out_name(n) for n in names) or any(roles.is_training_name(n) for n in names):
                continue
            if same_samples.cut_later(function, other, block):
                continue  # of the training data a part is enough: it is among what is evaluated
            yield Finding(
                second,
                f"`{other}` is built like `{name}`: both are the same samples",
                "the same samples again",
                [Note(first, "trained on")],
                certain=same_samples.key(first)[0] != "test"
                or any(w in function.module.calls_by_name for w in _TRAINING),
            )


_TRAINING = ("backward", "fit", "manual_backward", "train_step", "train_epoch", "train_one_epoch", "train")


def _same_loaded(function: Function, block: records.Bound) -> Iterator[Finding]:
    """An evaluation loader over the training data, while held-out data lies unused beside it."""
    bound = block.calls
    loaders = {
        n: c for n, c in bound.items() if c.last_name == "DataLoader" and c.value.instance_of(same_samples.LOADER)
    }
    loaded = {n: d for n, c in loaders.items() if (d := c.argument("dataset")) is not None}
    for name, given in loaded.items():
        if not roles.is_held_out_name(name) or loading.chosen_otherwise(loaders[name]) or place(given.node) is None:
            continue
        same = (d for n, d in loaded.items() if roles.is_training_name(n) and not loading.chosen_otherwise(loaders[n]))
        first = next(
            (d for d in same if d.value.same_as(given.value) or same_samples.written_alike(d, given, function)), None
        )
        if (
            first is None
            or roles.is_held_out_name(place(given.node))
            or not same_samples.spare(function, given, loaded.values(), bound)
        ):
            continue
        yield Finding(
            given,
            f"`{name}` reads `{given.text}`, the data that is trained on",
            "the training data",
            [Note(first, "trained on")],
        )


def _measured_on_training(function: Function) -> Iterator[Finding]:
    """An evaluation of the training loader, while the held-out loader lies unused beside it."""
    if isinstance(function.scope.node, ast.Lambda):
        return
    for given, measure, name, clause in unread.measured_on_training(function.scope, function.frame):
        yield Finding(
            Site(function.module, given),
            f"`{measure}` measures on `{name}`, and {clause}",
            "the training data",
        )


def _crossed(function: Function) -> Iterator[Finding]:
    """Held-out data that is built of training rows, and training data that is given as held-out data as well."""
    for node, name, used, spare in crossed.crossed(function.scope, holding=True):
        if crossed.transforms(used):
            continue
        message = f"`{name}` is built of `{used}`, which is trained on, and nobody reads `{spare}`"
        yield Finding(Site(function.module, node), message, "the training data")
    for second, first, called in crossed.given_twice(function):
        message = f"`{called}` trains on `{text(function.module, second)}` and evaluates on it as well"
        notes = [Note(Site(function.module, first), "trained on")]
        named = "train" in (place(second) or "").lower()  # else the author has called them one
        yield Finding(Site(function.module, second), message, "also trained on", notes, certain=named)


def _built_alike(function: Function) -> Iterator[Finding]:
    """One thing, bound as training data and as held-out data."""
    for value, name, first, other in alike.alike(function.scope):
        message = f"`{name}` is built like `{other}`: both are the same samples"
        notes = [Note(Site(function.module, first), "trained on")]
        yield Finding(Site(function.module, value), message, "the same samples again", notes)
