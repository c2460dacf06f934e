"""Do training and evaluation read the same samples?

Two datasets are built alike, a loader takes the wrong one, or a measurement is given the training loader. That the
samples are the same is read from how they are built; where only names tell the parts apart, the held-out part has to
lie unused next to them (`wrong_part`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    Function,
    Site,
    Topic,
    assigned,
    built_alike,
    every_statement,
    last_name,
    loading,
    measured_rows,
    place,
    roles,
    same_samples,
    seeds,
    shared_rows,
    statements,
    targets_of,
    text,
    topics,
    usage,
    walk,
    wrong_part,
)

__all__: list[str] = []

_REST = "draw the second part from the rows that are not in the first"
_APART = "train only on the rows that are not held out"
_TEST_SPLIT = 'load the test split in this branch: `train=False`, `split="test"`'
_SHARED = "the model is trained on rows that it is scored on: the score is too optimistic"
_UNUSED = "use `{}` here"


@check("same-data-for-both", words="train trn", calls="fit", has="speaks_of_training")
def same_data_for_both(function: Function) -> Iterator[Finding]:
    """Training and evaluation read the same samples."""
    if seeds.is_test_code(function.module):
        return  # the same made-up samples do for both
    yield from _measured_on_training(function)
    yield from _of_data_module(function)
    twins = [*_built_alike(function), *overlapping(function), *divided_for_nothing(function)]
    twins += [*split_for_nothing(function), *_sampled_twice(function), *_built_of_whole(function)]
    twins = [*twins, *built_in_branches(function)] or list(_test_set_of_training_part(function))
    yield from twins
    if twins or not same_samples.pairs_up(function.module):
        return
    yield from _handed_twice(function)
    called = function.scope.called_names
    known = not called.isdisjoint(("DataLoader", "fit")) or any(n.endswith("Trainer") for n in called)
    if not known and not same_samples.constructs_twice(function):
        return
    for bound in same_samples.blocks(function):
        yield from _same_construction(function, bound)
        yield from _same_loaded(function, bound)
    yield from _crossed(function)
    for call in function.calls():
        train, evaluation = wrong_part.handed_to_trainer(call)
        if train is None or evaluation is None or function.module.source.holds("train_mask"):
            continue  # by masks the nodes of one graph are divided
        told = evaluation.parameter in ("validation_data", "eval_set")
        if told or train.value.same_as(evaluation.value) is not False:
            yield Finding(
                evaluation,
                f"`{call.name}` trains on `{train.text}` and evaluates on it as well",
                "also trained on",
                [Note(train, "trained on")],
            )


def _of_data_module(function: Function) -> Iterator[Finding]:
    """The training part in another loader of a data module, which leaves its own part unread."""
    owner = function.owner if function.scope.name == "train_dataloader" else None
    if owner is None:
        return
    for name in ("val_dataloader", "test_dataloader"):
        for given, used, spare in wrong_part.reused_dataset(owner, name, "train_dataloader"):
            message = f"`{name}` reads `{used}`, which is trained on, and `{spare}` is never used"
            yield Finding(Site(function.module, given), message, "the training data", help=_UNUSED.format(spare))


def _test_set_of_training_part(function: Function) -> Iterator[Finding]:
    """`test_set = MNIST(root, train=True)` next to another training set, where nothing is built with `train=False`."""
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
        if call.value.instance_of(same_samples.DATASET) and not same_samples.may_change_later(
            function, name, same_samples.Block({name: call})
        ):
            message = f"`{name}` is for testing, but holds the training samples: `train=False` is used nowhere"
            told = name if same_samples.says_test(name) else scope.name
            said = (roles.parts_by_name(call.site, told),)
            yield Finding(call, message, "the samples that are trained on", evidence=said)


def _same_construction(function: Function, block: same_samples.Block) -> Iterator[Finding]:
    """Two datasets of one class with the same arguments, one named for training, the other for evaluation."""
    for name, first, other, second, answer in same_samples.constructed_alike(function, block):
        message = f"`{other}` is built like `{name}`: both hold the same samples"
        notes = [Note(first, "trained on")]
        yield Finding(second, message, "the same samples again", notes, evidence=(answer,))


def _same_loaded(function: Function, block: same_samples.Block) -> Iterator[Finding]:
    """An evaluation loader over the training data, while held-out data lies unused next to it."""
    bound = block.calls
    loaders = {n: c for n, c in bound.items() if c.value.instance_of(same_samples.LOADER)}
    loaded = {n: d for n, c in loaders.items() if (d := loading.dataset_of(c)) is not None}
    in_turn = [n for n in loaded if not loading.chosen_otherwise(loaders[n])]
    training = same_samples.Loaded({n: loaded[n] for n in in_turn if roles.is_training_name(n)}, function)
    held_out = [(n, loaded[n]) for n in in_turn if roles.is_held_out_name(n)]
    found = [(n, given, training.loader_of(given)) for n, given in held_out if place(given.node) is not None]
    if not any(trains for _, _, trains in found):
        return
    spare = same_samples.first_spare(function, loaded.values(), bound)
    for name, given, trains in found:
        if trains is None or roles.is_held_out_name(place(given.node)) or spare >= given.node.lineno:
            continue
        yield Finding(
            given,
            f"`{name}` reads `{given.text}`, the data that is trained on",
            "the training data",
            [Note(loaded[trains], "trained on")],
            "use the held-out data instead",
            evidence=(roles.parts_by_name(given.site, name, trains),),
        )


def _measured_on_training(function: Function) -> Iterator[Finding]:
    """An evaluation of the training loader, while the held-out loader lies unused next to it."""
    if isinstance(function.scope.node, ast.Lambda):
        return
    for given, doing, name, clause in measured_rows.measured_on_training(function.scope, function.frame):
        yield Finding(
            Site(function.module, given),
            f"{doing} on `{name}`, {clause}",
            "the training data",
            help="evaluate on the held-out data instead",
            evidence=(roles.parts_by_name(Site(function.module, given), name),),
        )


def _crossed(function: Function) -> Iterator[Finding]:
    """Held-out data that is built of training rows."""
    for node, name, used, spare in wrong_part.built_of_other(function.scope, holding=True):
        if topics.is_about(used, Topic.TRANSFORMS):
            continue
        message = f"`{name}` is built from `{used}`, which is trained on, and `{spare}` is never used"
        site = Site(function.module, node)
        said = (roles.parts_by_name(site, name, used, spare),)
        yield Finding(site, message, "the training data", help=_UNUSED.format(spare), evidence=said)


def _handed_twice(function: Function) -> Iterator[Finding]:
    """Training data that is given as held-out data as well."""
    for second, first, called, answer in wrong_part.passed_twice(function):
        message = f"`{called}` trains on `{text(function.module, second)}` and evaluates on it as well"
        notes = [Note(Site(function.module, first), "trained on")]
        site = Site(function.module, second)
        yield Finding(site, message, "also trained on", notes, "pass the held-out data here", evidence=(answer,))


def _built_alike(function: Function) -> Iterator[Finding]:
    """One thing, bound as training data and as held-out data."""
    for value, name, first, other in built_alike.built_twice(function.scope):
        message = f"`{name}` is built like `{other}`: both hold the same samples"
        notes = [Note(Site(function.module, first), "trained on")]
        said = (roles.parts_by_name(Site(function.module, value), name, other),)
        yield Finding(Site(function.module, value), message, "the same samples again", notes, evidence=said)


def built_in_branches(function: Function) -> Iterator[Finding]:
    """The flags `train=True` below `split == "test"`, where the branch for "train" builds the same with the same flag;
    none where rows are chosen in the function as well."""
    told = function.module.calls_by_keyword
    if "train" not in told and "split" not in told:
        return
    if any(topics.is_about(name, Topic.SUBSETS) for name in function.scope.called_names):
        return
    for node in every_statement(function.node):
        if not isinstance(node, ast.If):
            continue
        branches = dict(_branches(node))
        for training in _flags(branches.get("train", [])):
            for held in _flags(branches.get("test", [])):
                if place(held[0].func) == place(training[0].func) and held[1].arg == training[1].arg:
                    message = f"`{place(held[0].func)}(...)` loads the training split in the branch for the test split"
                    note = Note(Site(function.module, training[1].value), "the training branch loads the same split")
                    site = Site(function.module, held[1].value)
                    yield Finding(site, message, "the training split", [note], _TEST_SPLIT)


def _branches(node: Any) -> Iterator[tuple[str, list[Any]]]:
    """The words that the tests of an `if` compare one name with, and their branches."""
    first = _compared_part(node.test)
    while first is not None:
        found = _compared_part(node.test)
        if found is None or found[0] != first[0]:
            return
        yield found[1], node.body
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            return
        node = node.orelse[0]


def _compared_part(test: Any) -> tuple[str, str] | None:
    """The place and the word of `split == "test"`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
            name = place(left)
            return (name, word.lower()) if name else None
    return None


def _flags(body: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The calls in a branch that are told `train=True` or `split="train"`, with that keyword."""
    for call in (n for s in body for n in walk(s) if isinstance(n, ast.Call)):
        for keyword in call.keywords:
            value = getattr(keyword.value, "value", None) if isinstance(keyword.value, ast.Constant) else None
            if (keyword.arg == "train" and value is True) or (keyword.arg == "split" and value == "train"):
                yield call, keyword


def _sampled_twice(function: Function) -> Iterator[Finding]:
    """Two samples of one table, each drawn of all rows."""
    for first, name, second, other in shared_rows.sampled_twice(function.scope):
        message = f"`{name}` and `{other}` are drawn independently, so they share samples"
        notes = [Note(Site(function.module, first), "trained on")]
        yield Finding(Site(function.module, second), message, "drawn from all rows again", notes, _REST, _SHARED)


def _built_of_whole(function: Function) -> Iterator[Finding]:
    """Training rows of a whole table, and held-out rows of a part of it."""
    for name, rows, other, part, split in shared_rows.built_of_whole(function.scope):
        message = f"`{name}` reads all of `{text(function.module, rows)}`, including what `{other}` holds out"
        notes = [Note(Site(function.module, split), "split here"), Note(Site(function.module, part), "held out")]
        yield Finding(Site(function.module, rows), message, "all rows", notes, _APART, _SHARED)


def overlapping(function: Function) -> Iterator[Finding]:
    """Slices that are bound as training rows and as held-out rows, and share some."""
    scope = function.scope
    if isinstance(scope.node, ast.Lambda) or not any(map(roles.is_training_name, scope.bindings)):
        return
    pairs = [
        p for s in statements(scope) if isinstance(s, (ast.Assign, ast.AnnAssign)) for p in built_alike.values_of(s)
    ]
    training = [
        (n, v, c)
        for n, v in pairs
        if roles.is_training_name(n)
        and not topics.is_about(n, Topic.WHOLE)
        and (c := shared_rows.choice(v)) is not None
    ]
    holding = (
        [(n, v, c) for n, v in pairs if roles.is_held_out_name(n) and (c := shared_rows.choice(v)) is not None]
        if training
        else []
    )
    yield from _built_of_all(pairs, function)
    for name, value, rows in training:
        if holding and shared_rows.only_printed(name, scope):
            continue
        for other, second, spared in holding:
            told = (
                built_alike.is_data(name, value)
                or built_alike.is_data(other, second)
                or any(map(shared_rows.indexes, (name, shared_rows.sliced(rows))))
            )
            if not shared_rows.share_rows(rows, spared) or not told:
                continue
            if built_alike.bound_anew(second, value, scope) or any(
                built_alike.changed(n, scope) for n in (name, other)
            ):
                continue
            message = f"`{name}` includes rows that `{other}` holds out"
            notes = [Note(Site(function.module, spared), "held out")]
            said = (roles.parts_by_name(Site(function.module, rows), name, other),)
            yield Finding(Site(function.module, rows), message, "trained on", notes, _APART, _SHARED, evidence=said)


def _built_of_all(pairs: list[tuple[str, Any]], function: Function) -> Iterator[Finding]:
    """Training data that is built of all rows, and held-out data of some: `make(x, y)` and `make(x[:n], y[:n])`."""
    made = [(n, v) for n, v in pairs if isinstance(v, ast.Call) and not any(isinstance(a, ast.Starred) for a in v.args)]
    for other, second in made:
        cut = [i for i, a in enumerate(second.args) if isinstance(a, ast.Subscript) and isinstance(a.slice, ast.Slice)]
        for name, first in made if cut and roles.is_held_out_name(other) else ():
            if (
                not roles.is_training_name(name)
                or topics.is_about(name, Topic.WHOLE)
                or last_name(first.func) != last_name(second.func)
            ):
                continue
            if last_name(first.func) in shared_rows.BY_INDEX:
                continue
            if len(first.args) != len(second.args) or not (
                built_alike.is_data(name, first) and built_alike.is_data(other, second)
            ):
                continue
            if all(
                isinstance(first.args[i], ast.Name) and shared_rows.share_rows(first.args[i], second.args[i])
                for i in cut
            ):
                if not built_alike.bound_anew(second, first, function.scope) and not any(
                    built_alike.changed(n, function.scope) for n in (name, other)
                ):
                    message = f"`{name}` includes rows that `{other}` holds out"
                    notes = [Note(Site(function.module, second), "held out")]
                    said = (roles.parts_by_name(Site(function.module, first), name, other),)
                    yield Finding(
                        Site(function.module, first), message, "trained on", notes, _APART, _SHARED, evidence=said
                    )


# ------------------------------------------------------------------------------------------------- divided in vain
def split_for_nothing(function: Function) -> Iterator[Finding]:
    """`split = rows["train"].train_test_split()`, of which the test part is held out, while all rows are trained on."""
    scope = function.scope
    if "train_test_split" not in scope.called_names or isinstance(scope.node, ast.Lambda):
        return
    bound = [(place(t), v) for s in statements(scope) for t, v in assigned(s)]
    for name, value in bound:
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or name is None:
            continue
        whole = place(value.func.value) if value.func.attr == "train_test_split" else None
        if whole is None or shared_rows.read_parts(name, bound, scope) != {"test"}:
            continue
        if any(n in (whole, whole.partition("[")[0]) and shared_rows.is_later(v, value) for n, v in bound):
            continue
        for other, rows in bound:
            inner = shared_rows.unmapped(rows)
            if roles.is_training_name(other) and place(inner) == whole and shared_rows.is_later(rows, value):
                shown = text(function.module, inner)
                message = f"`{other}` reads all of `{shown}`, including the rows that were held out"
                notes = [Note(Site(function.module, value), "split here")]
                said = (roles.parts_by_name(Site(function.module, rows), other),)
                yield Finding(Site(function.module, rows), message, "all rows", notes, _APART, _SHARED, evidence=said)


def divided_for_nothing(function: Function) -> Iterator[Finding]:
    """A loader for training reads all rows, while another one reads the part of them that was split off."""
    loaders = [(n, c) for n, c in shared_rows.loaders_in(function) if not loading.chosen_otherwise(c)]
    training = [(n, c) for n, c in loaders if roles.is_training_name(n)]
    holding = [(n, c) for n, c in loaders if roles.is_held_out_name(n)] if training else []
    for call, whole in shared_rows.divisions(function) if holding else ():
        parts = targets_of(call, function.scope)
        if (
            not parts
            or not any(map(roles.is_held_out_name, parts))
            or any(usage.is_read(p, function.scope) for p in parts if roles.is_training_name(p))
        ):
            continue
        spared = [(n, c) for n, c in holding if place(shared_rows.rows_of(c)) in parts]
        for name, loader in training:
            rows = shared_rows.rows_of(loader)
            if spared and place(rows) == place(whole) and not built_alike.bound_anew(rows, whole, function.scope):
                other, second = spared[0]
                message = f"`{name}` reads all of `{text(function.module, rows)}`, including what `{other}` holds out"
                notes = [Note(Site(function.module, call), "split here"), Note(second, "held out")]
                said = (roles.parts_by_name(Site(function.module, rows), name, other),)
                yield Finding(Site(function.module, rows), message, "all rows", notes, _APART, _SHARED, evidence=said)
