"""Do training and evaluation read the same samples?

Two datasets are built alike, a loader takes the wrong one, or a measurement is given the training loader. That the
samples are the same is read from how they are built; where only names tell the parts apart, the held-out part has to
lie unused next to them (`wrong_part`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Function,
    Site,
    Topic,
    built_alike,
    classes,
    forwarded,
    loading,
    measured_rows,
    overlaps,
    place,
    roles,
    same_samples,
    seeds,
    shared_rows,
    text,
    topics,
    wrong_part,
)

__all__: list[str] = []

_REST = "take the second split from the rows that are not in the first"
_ONCE = "split once, and take both parts from the one result"
_APART = "train only on the rows that are not held out"
_TEST_SPLIT = {
    True: "load the test split in this branch: `train=False`",
    False: 'load the test split here: `split="test"`',
}
_SHARED = "the model is trained on rows that it is scored on: the score is too optimistic"
_UNUSED = "use `{}` here"


@check("same-data-for-both", words="train trn", calls="fit", has="speaks_of_training")
def same_data_for_both(function: Function) -> Iterator[Finding]:
    """Training and evaluation read the same samples."""
    if seeds.is_test_code(function.module):
        return  # the same made-up samples do for both
    yield from _measured_on_training(function)
    yield from _of_data_module(function)
    twins = [*_built_alike(function), *_overlapping(function), *_read_as_whole(function), *_sampled_twice(function)]
    twins = [*twins, *_in_test_branch(function)] or list(_test_set_of_training_part(function))
    yield from twins
    if twins or not same_samples.may_use_both_parts(function.module):
        return
    yield from _handed_twice(function)
    called = function.scope.called_names
    known = not called.isdisjoint(("DataLoader", "fit")) or any(n.endswith("Trainer") for n in called)
    if not known and not same_samples.may_build_both_parts(function):
        return
    for bound in same_samples.blocks(function):
        yield from _same_construction(function, bound)
        yield from _same_loaded(function, bound)
    yield from _crossed(function)
    for call in function.calls():
        train, evaluation = wrong_part.data_given_to_trainer(call)
        if train is None or evaluation is None or function.module.source.holds("train_mask"):
            continue  # by masks the nodes of one graph are divided
        is_evaluation = evaluation.parameter in ("validation_data", "eval_set")
        is_chosen = train.text != evaluation.text  # some of the same rows
        if is_evaluation or is_chosen or train.value.same_as(evaluation.value) is not False:
            yield Finding(
                evaluation,
                f"`{call.name}` trains on `{train.text}` and evaluates on it as well",
                "also trained on",
                [Note(train, "trained on")],
                help=f"pass held-out data as `{evaluation.parameter}`" if evaluation.parameter else "",
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


def _in_test_branch(function: Function) -> Iterator[Finding]:
    """The branch for the test split loads the training split, as the branch for training does."""
    for called, held, training in same_samples.find_same_flag_in_branches(function):
        message = f"`{called}(...)` loads the training split in the branch for the test split"
        notes = [Note(Site(function.module, training), "the training branch loads the same split")]
        help = _TEST_SPLIT[getattr(held, "value", None) is True]
        yield Finding(Site(function.module, held), message, "the training split", notes, help=help)


def _test_set_of_training_part(function: Function) -> Iterator[Finding]:
    """A test set that is built of the training part, where nothing is built of the other part."""
    for call, name, tells in same_samples.test_sets_of_training_part(function):
        message = f"`{name}` is for testing, but holds the training samples: no `{call.last_name}` has `train=False`"
        evidence = (roles.parts_by_name(call.site, tells),)
        yield Finding(call, message, "the samples that are trained on", evidence=evidence)


def _same_construction(function: Function, block: same_samples.Block) -> Iterator[Finding]:
    """Two datasets of one class with the same arguments, one named for training, the other for evaluation."""
    for name, first, other, second, answer in same_samples.find_equal_constructions(function, block):
        message = f"`{other}` is built like `{name}`: both hold the same samples"
        notes = [Note(first, "trained on")]
        yield Finding(second, message, "the same samples again", notes, evidence=(answer,))


def _same_loaded(function: Function, block: same_samples.Block) -> Iterator[Finding]:
    """An evaluation loader over the training data, while held-out data lies unused next to it."""
    bound = block.calls
    loaders = {n: c for n, c in bound.items() if c.value.instance_of(classes.LOADER)}
    loaded = {n: d for n, c in loaders.items() if (d := loading.dataset_of(c)) is not None}
    in_turn = [n for n in loaded if not loading.may_have_sampler(loaders[n])]
    training = same_samples.Loaded({n: loaded[n] for n in in_turn if roles.is_training_name(n)}, function)
    held_out = [(n, loaded[n]) for n in in_turn if roles.is_held_out_name(n)]
    found = [(n, given, training.loader_of(given)) for n, given in held_out if place(given.node) is not None]
    if not any(trains for _, _, trains in found):
        return
    line, spare = same_samples.first_spare(function, loaded.values(), bound)
    for name, given, trains in found:
        if trains is None or roles.is_held_out_name(place(given.node)) or line >= given.node.lineno:
            continue
        yield Finding(
            given,
            f"`{name}` reads `{given.text}`, the data that is trained on",
            "the training data",
            [Note(loaded[trains], "trained on")],
            help=_UNUSED.format(spare),
            evidence=(roles.parts_by_name(given.site, name, trains),),
        )


def _measured_on_training(function: Function) -> Iterator[Finding]:
    """An evaluation of the training loader, while the held-out loader lies unused next to it."""
    if isinstance(function.scope.node, ast.Lambda):
        return
    for given, doing, name, clause, other in measured_rows.find_measured_on_training(function.scope, function.frame):
        yield Finding(
            Site(function.module, given),
            f"{doing} on `{name}`, {clause}",
            "the training data",
            help=f"evaluate on the held-out rows instead, those of `{other}`"
            if other
            else "evaluate on the held-out data instead",
            evidence=(roles.parts_by_name(Site(function.module, given), name),),
        )


def _crossed(function: Function) -> Iterator[Finding]:
    """Held-out data that is built of training rows."""
    for node, name, used, spare in wrong_part.find_built_of_other_part(function.scope, holding=True):
        if topics.is_about(used, Topic.TRANSFORMS):
            continue
        message = f"`{name}` is built from `{used}`, which is trained on, and `{spare}` is never used"
        site = Site(function.module, node)
        evidence = (roles.parts_by_name(site, name, used, spare),)
        yield Finding(site, message, "the training data", help=_UNUSED.format(spare), evidence=evidence)


def _handed_twice(function: Function) -> Iterator[Finding]:
    """Training data that is given as held-out data as well."""
    for second, first, called, answer in wrong_part.find_parts_passed_twice(function):
        message = f"`{called}` trains on `{text(function.module, second)}` and evaluates on it as well"
        notes = [Note(Site(function.module, first), "trained on")]
        site = Site(function.module, second)
        yield Finding(site, message, "also trained on", notes, help="pass the held-out data here", evidence=(answer,))


def _built_alike(function: Function) -> Iterator[Finding]:
    """One thing, bound as training data and as held-out data."""
    for value, name, first, other in built_alike.find_data_built_twice(function.scope):
        message = f"`{name}` is built like `{other}`: both hold the same samples"
        notes = [Note(Site(function.module, first), "trained on")]
        site = Site(function.module, value)
        read = forwarded.is_any_read((name, other), function.scope)
        evidence = (roles.parts_by_name(site, name, other), read, forwarded.is_evaluated(name, function.scope))
        yield Finding(site, message, "the same samples again", notes, evidence=evidence)


def _sampled_twice(function: Function) -> Iterator[Finding]:
    """Two samples of one table, each drawn of all rows."""
    for first, name, second, other in shared_rows.find_independent_samples(function.scope):
        message = f"`{name}` and `{other}` are drawn independently, so they share samples"
        notes = [Note(Site(function.module, first), "trained on")]
        table = shared_rows.sampled_table(first)
        help = f"{_REST}: `{text(function.module, table, 30)}.drop({name}.index)`" if table is not None else _ONCE
        yield Finding(
            Site(function.module, second), message, "drawn from all rows again", notes, help=help, why=_SHARED
        )


def _overlapping(function: Function) -> Iterator[Finding]:
    """Training rows that include some of the rows that are held out."""
    for one in overlaps.find_shared_rows(function):
        message = f"`{one.name}` includes rows that `{one.other}` holds out"
        notes = [Note(Site(function.module, one.spared), "held out")]
        yield _overlap(function, one, message, "trained on", notes)


def _read_as_whole(function: Function) -> Iterator[Finding]:
    """Training data that reads all rows, although a split holds some of them out."""
    for one in overlaps.find_whole_reads(function):
        held = f"what `{one.other}` holds out" if one.other else "the rows that were held out"
        message = f"`{one.name}` reads all of `{text(function.module, one.whole)}`, including {held}"
        notes = [Note(Site(function.module, one.split), "split here")]
        if one.spared is not None:
            notes.append(Note(Site(function.module, one.spared), "held out"))
        yield _overlap(function, one, message, "all rows", notes)


def _overlap(function: Function, one: overlaps.Overlap, message: str, label: str, notes: list[Note]) -> Finding:
    site = Site(function.module, one.rows)
    evidence = (roles.parts_by_name(site, *one.told),) if one.told else ()
    return Finding(site, message, label, notes, help=_APART, why=_SHARED, evidence=evidence)
