"""Do training and evaluation read the same samples?

Two datasets are built alike, a loader takes the wrong one, or a measurement is given the training loader. That the
samples are the same is read from how they are built; where only names tell the parts apart, the held-out part has to
lie unused beside them (`unread`, `crossed`). What flows out of loaders is asked in `data`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.checks.data._branches import built_in_branches
from mllint.checks.data._overlap import divided_for_nothing, overlapping, split_for_nothing
from mllint.pattern import Pattern
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Argument,
    Call,
    Function,
    Site,
    alike,
    assigned,
    bindings_value,
    crossed,
    data_modules,
    last_name,
    loading,
    place,
    records,
    roles,
    seeds,
    text,
    unread,
    walk,
)

__all__: list[str] = []

_DATASET = "torch.utils.data.Dataset"
_LOADER = "torch.utils.data.DataLoader"


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
    if twins or not _pairs_up(function.module):
        return
    called = function.scope.called_names
    if called.isdisjoint(("DataLoader", "fit")) and not any(n.endswith("Trainer") for n in called):
        if not _constructs_twice(function):
            return
    for bound in _bound_together(function):
        yield from _same_construction(function, bound)
        yield from _same_loaded(function, bound)
    yield from _crossed(function)
    for call in function.calls():
        train, evaluation = _handed_to_trainer(call)
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
    if "train" not in function.module.calls_by_keyword or not any(_chooses(c) for c in scope.calls):
        return
    for name, bindings in scope.bindings.items():
        node = bindings[0].value
        if len(bindings) > 1 or bindings[0].kind != "assign" or not isinstance(node, ast.Call) or not _chooses(node):
            continue
        if not any(map(_says_test, (name, scope.name))) or _small(function, node):
            continue
        call = Call(node, function.frame)
        others = [c for c, _ in function.project.calls_named(call.last_name) if c is not node]
        if not others or not all(map(_chooses, others)) or not call.value.comes_from("train"):
            continue
        if call.value.instance_of(_DATASET) and not _cut_later(
            function, name, records.Bound({name: call}, (), frozenset())
        ):
            message = f"`{name}` is for testing and reads the training samples: nothing reads those of `train=False`"
            yield Finding(call, message, "the samples that are trained on")


def _small(function: Function, node: ast.Call) -> bool:
    """Does a branch or the function around a call say that it is for debugging?"""
    branches = [n for s in function.scope.body for n in walk(s) if isinstance(n, ast.If)]
    around = [b for b in branches if b.lineno <= node.lineno <= (b.end_lineno or 0)]
    said = [function.scope.name, *(text(function.module, b.test, 200) for b in around)]
    return any(_SMALL.search(s.lower()) for s in said)


def _says_test(name: str) -> bool:
    said = set(unread.words(name).lower().split("_"))
    return not said.isdisjoint(unread.TEST) and said.isdisjoint((*unread.TRAINING, *unread.VALIDATION))


def _chooses(call: ast.Call) -> bool:
    """Is it built with `train=True`, written out?"""
    return any(k.arg == "train" and isinstance(k.value, ast.Constant) and k.value.value is True for k in call.keywords)


def _pairs_up(module: Any) -> bool:
    """Is something in a file that takes data for training and data for evaluation? A cheap look."""
    known = module.effects.get("pairs up")
    if known is None:
        names = module.calls_by_name.keys()
        known = not names.isdisjoint(("DataLoader", "fit")) or any(name.endswith("Trainer") for name in names)
        known = module.effects["pairs up"] = known or not module.calls_by_keyword.keys().isdisjoint(("train", "split"))
    return known  # type: ignore[no-any-return]  # a memo of anything


def _constructs_twice(function: Function) -> bool:
    return any(k.arg in ("train", "split") for call in function.scope.calls for k in call.keywords)


_SMALL = Pattern("debug|overfit|over_fit|sanity|tiny|toy|dry|smoke")


def _bound_together(function: Function) -> Iterator[records.Bound]:
    """What the function itself binds, then what each branch binds, but for those on something like debugging."""
    always = _bound_calls(function, function.scope.body, function.scope.bindings)
    yield records.Bound(always, (), frozenset(always))
    loads = "DataLoader" in function.scope.called_names
    stack: list[tuple[Any, tuple[tuple[int, int], ...]]]
    stack = [(s, ()) for s in function.scope.body if loads and isinstance(s, ast.If)]
    while stack:
        branch, others = stack.pop()
        if not _SMALL.search(text(function.module, branch.test, 200).lower()):
            for block, other in ((branch.body, branch.orelse), (branch.orelse, branch.body)):
                apart = (*others, (other[0].lineno, other[-1].end_lineno or 0)) if other else others
                nested = [s for s in block if isinstance(s, ast.If)]
                if nested != block:
                    found = _bound_calls(function, block, None)
                    yield records.Bound({**always, **found} if found else found, apart, frozenset(found))
                stack += [(s, apart) for s in nested]


def _bound_calls(function: Function, body: list[Any], everywhere: Any) -> dict[str, Call]:
    """The places that a block binds to the result of a call, once: in the function, if its bindings are given."""
    found: dict[str, Call] = {}
    names = [(place(t), v) for statement in body for s in _unconditional(statement) for t, v in assigned(s)]
    for name, value in names:
        once = len(everywhere.get(name, ())) if everywhere is not None else sum(n == name for n, _ in names)
        if name is not None and once == 1 and isinstance(value, ast.Call):
            found[name] = Call(value, function.frame)
    return found


def _unconditional(statement: Any) -> Iterator[Any]:
    """A statement, and those that a `with` or the main guard always runs."""
    yield statement
    guarded = isinstance(statement, ast.If) and "__name__" in {last_name(n) for n in walk(statement.test)}
    if guarded or isinstance(statement, (ast.With, ast.Try)):
        for inner in statement.body:
            yield from _unconditional(inner)


def _dataset_of(call: Call) -> Call | None:
    """The dataset that is constructed here: by the call itself, or as the first argument of a loader."""
    if call.value.instance_of(_LOADER):
        given = call.argument("dataset")
        if given is None or not isinstance(given.node, ast.Call) or loading.chosen_otherwise(call):
            return None
        call = Call(given.node, call.frame)
    classes = all(v.kind == "class" for v in call.callee.alternatives)
    return call if classes and call.value.instance_of(_DATASET) else None


def _same_class(one: Call, other: Call) -> bool:
    """Are two datasets of one class, or of whichever of several classes one name stands for?"""
    if one.callee.kind == "class":
        return one.callee.of is other.callee.of
    return one.name == other.name and isinstance(one.node.func, ast.Name)


def _same_construction(function: Function, block: records.Bound) -> Iterator[Finding]:
    """Two datasets of one class with the same arguments, one named for training, the other for evaluation."""
    bound = block.calls
    made = [(name, dataset) for name, call in bound.items() if (dataset := _dataset_of(call)) is not None]
    for name, first in made:
        if not any(roles.is_training_name(n) for n in _names_of(name, bound)) or any(
            roles.is_held_out_name(n) for n in _names_of(name, bound)
        ):
            continue
        for other, second in made:
            if not _same_class(first, second) or first is second or _key(first) != _key(second):
                continue
            if block.own.isdisjoint((name, other)):
                continue  # of the function, which is asked by itself
            names = _names_of(other, bound)
            if not any(roles.is_held_out_name(n) for n in names) or any(roles.is_training_name(n) for n in names):
                continue
            if _cut_later(function, other, block):
                continue  # of the training data a part is enough: it is among what is evaluated
            yield Finding(
                second,
                f"`{other}` is built like `{name}`: both are the same samples",
                "the same samples again",
                [Note(first, "trained on")],
                certain=_key(first)[0] != "test" or any(w in function.module.calls_by_name for w in _TRAINING),
            )


_TRAINING = ("backward", "fit", "manual_backward", "train_step", "train_epoch", "train_one_epoch", "train")


def _names_of(dataset: str, bound: dict[str, Call]) -> list[str]:
    """The name of a dataset, and those of the loaders that read it."""
    readers = [n for n, c in bound.items() if c.node.args and place(c.node.args[0]) == dataset]
    return [dataset, *readers]


def _key(call: Call) -> tuple[str, Any]:
    """The arguments that choose the samples; None-like uniqueness for data that was handed in as values."""
    chosen = {
        a.parameter or str(i): repr(a.value.of) if a.value.kind == "literal" else a.text
        for i, a in enumerate(call.arguments)
        if "transform" not in a.parameter and not crossed.transforms(a.text)
    }
    chosen.pop("download", None)
    part = next((r.part for r in call.value.all_roots), "whole")
    folder = call.last_name in ("ImageFolder", "DatasetFolder")
    sliced = any(isinstance(a.node, ast.Subscript) and isinstance(a.node.slice, ast.Slice) for a in call.arguments)
    literal = [a for a in call.arguments if "transform" not in a.parameter and not crossed.transforms(a.text)]
    read = all(a.value.kind == "literal" for a in literal) and any("/" in str(a.value.of) for a in literal)
    same = part in ("train", "test", "heldout") or folder or sliced or read
    return (part, tuple(sorted(chosen.items()))) if same else ("", id(call.node))


def _cut_later(function: Function, name: str, block: records.Bound) -> bool:
    """Is a dataset changed, or handed to anything but a plain loader, so that its samples may differ after all?"""
    if any(b.startswith(f"{name}.") for b in function.scope.bindings):
        return True
    if block.calls[name].value.instance_of(_LOADER):
        return False  # whoever gets it reads the samples that it was built with
    bindings = ((other, b) for other, found in function.scope.bindings.items() for b in found)
    names = {name, *(other for other, b in bindings if b.kind == "assign" and place(b.value) == name)}
    returned = {place(n) for r in function.scope.returns if r.value is not None for n in walk(r.value)}
    local = not function.scope.is_body and "." not in name and names.isdisjoint(returned)
    for scope in (function.scope,) if local else function.module.functions:
        for call in (c for c in scope.calls if block.beside(c)):
            given = [*call.args, *(k.value for k in call.keywords)]
            used = any(place(n) in names for g in given for n in outside_of_loaders(g))
            if not used or last_name(call.func) in _LOOKING:
                continue
            if last_name(call.func) != "DataLoader" or not _reads_all(Call(call, function.project.frame(scope))):
                return True
    return False


_LOOKING = frozenset("len print str info debug DistributedSampler RandomSampler SequentialSampler".split())


def _reads_all(loader: Call) -> bool:
    """Does a loader read all samples of its dataset, in whatever order?"""
    sampler = loader.argument("sampler")
    whole = sampler is not None and sampler.value.instance_of(
        "torch.utils.data.distributed.DistributedSampler",
        "torch.utils.data.RandomSampler",
        "torch.utils.data.SequentialSampler",
    )
    return whole or not loading.chosen_otherwise(loader)


def outside_of_loaders(node: Any) -> Iterator[Any]:
    """The nodes of an argument, without what a loader in it is given: that call is looked at by itself."""
    calls = (n for n in walk(node) if isinstance(n, ast.Call))
    loaders = [n for n in calls if last_name(n.func) in ("DataLoader", "len")]
    read = [n.value for n in walk(node) if isinstance(n, ast.Attribute) and n.attr in _ROWS]
    inside = {id(n) for outer in (*loaders, *read) for n in walk(outer)}
    return (n for n in walk(node) if id(n) not in inside)


_ROWS = frozenset("data targets labels test_data test_labels train_data train_labels classes".split())


def _same_loaded(function: Function, block: records.Bound) -> Iterator[Finding]:
    """An evaluation loader over the training data, while held-out data lies unused beside it."""
    bound = block.calls
    loaders = {n: c for n, c in bound.items() if c.last_name == "DataLoader" and c.value.instance_of(_LOADER)}
    loaded = {n: d for n, c in loaders.items() if (d := c.argument("dataset")) is not None}
    for name, given in loaded.items():
        if not roles.is_held_out_name(name) or loading.chosen_otherwise(loaders[name]) or place(given.node) is None:
            continue
        same = (d for n, d in loaded.items() if roles.is_training_name(n) and not loading.chosen_otherwise(loaders[n]))
        first = next((d for d in same if d.value.same_as(given.value) or _same_place(d, given, function)), None)
        if (
            first is None
            or roles.is_held_out_name(place(given.node))
            or not _spare(function, given, loaded.values(), bound)
        ):
            continue
        yield Finding(
            given,
            f"`{name}` reads `{given.text}`, the data that is trained on",
            "the training data",
            [Note(first, "trained on")],
        )


def _same_place(one: Argument, other: Argument, function: Function) -> bool:
    """Are two arguments written alike, and is what they name not bound anew on the way?"""
    name = place(one.node)
    first, last = sorted((one.node.lineno, other.node.lineno))
    bound = function.scope.bindings.get(name, ()) if name is not None else ()
    return name == place(other.node) and not any(first < getattr(b.node, "lineno", 0) < last for b in bound)


def _spare(function: Function, given: Argument, loaded: Any, bound: dict[str, Call]) -> bool:
    """Is there a held-out dataset in the same function that no loader reads, made before this one was to be read?"""
    above = given.node.lineno
    used = {place(d.node) for d in loaded}
    for name, call in bound.items():
        before = call.node.lineno < above
        if (
            before
            and name not in used
            and not roles.is_training_name(name)
            and call.value.comes_from("heldout", "test")
        ):
            if not call.value.instance_of(_LOADER):
                return True
    for name, bindings in function.scope.bindings.items():
        before = any(getattr(b.node, "lineno", 0) < above for b in bindings)
        if (
            before
            and name not in used
            and not roles.is_training_name(name)
            and all(b.kind == "assign" for b in bindings)
        ):
            value = bindings_value(bindings, function.frame)
            if value.instance_of(_LOADER) or value.kind == "literal":
                continue
            if value.comes_from("heldout", "test") or (
                roles.is_held_out_name(name) and not unread.read(name, function.scope)
            ):
                return True
    return False


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


def _handed_to_trainer(call: Call) -> tuple[Any, Any]:
    """The training and the evaluation data that a framework's trainer is given."""
    if call.last_name != "fit" and not call.last_name.endswith("Trainer"):
        return None, None
    validation, rows = call.argument("validation_data"), call.argument("x")
    if validation is not None and rows is not None and isinstance(validation.node, ast.Tuple) and place(rows.node):
        if validation.node.elts and place(validation.node.elts[0]) == place(rows.node):
            return (None, None) if _refits(call) else (rows, validation)
    early, watched = _watched(call)
    if watched is not None:
        return early, watched
    pairs = (("train_dataset", "eval_dataset"), ("train_dataloaders", "val_dataloaders"))
    for first, second in pairs:
        train, evaluation = call.argument(first), call.argument(second)
        if train is not None and evaluation is not None and place(train.node) and train.text == evaluation.text:
            return train, evaluation
    return None, None


def _watched(call: Call) -> tuple[Any, Any]:
    """The rows that boosting is fitted on, if they alone are watched to stop early."""
    watched, rows = call.argument("eval_set"), call.argument("X")
    if watched is not None and rows is not None and _stops_early(call):
        pair = watched.node.elts[0] if isinstance(watched.node, ast.List) and len(watched.node.elts) == 1 else None
        if isinstance(pair, ast.Tuple) and pair.elts and text(call.module, pair.elts[0]) == rows.text:
            return rows, watched
    return None, None


def _stops_early(call: Call) -> bool:
    """Is the fit told to stop early, here or where the estimator was built?"""
    if "early_stopping" not in getattr(call.module.source, "text", ""):
        return False
    receiver = call.receiver
    if call.is_open or receiver is None or receiver.arguments is None or receiver.arguments.open:
        return True
    words = [k.arg or "" for c in call.function.calls for k in c.keywords]
    words += [k.arg or "" for k in getattr(receiver.arguments.node, "keywords", ())]
    return any("early_stopping" in word for word in words)


def _refits(call: Call) -> bool:
    """Is it the last fit, on all rows, after one that was validated on others? Nobody reads what it says of itself."""
    if not call.is_statement or call.is_open or call.argument("callbacks") is not None:
        return False
    for node, _ in call.module.calls_by_name.get("fit", ()):
        given = {k.arg: k.value for k in node.keywords}.get("validation_data")
        if isinstance(given, ast.Tuple) and given.elts and node.args and node is not call.node:
            if text(call.module, given.elts[0]) != text(call.module, node.args[0]):
                return True
    return False


def _built_alike(function: Function) -> Iterator[Finding]:
    """One thing, bound as training data and as held-out data."""
    for value, name, first, other in alike.alike(function.scope):
        message = f"`{name}` is built like `{other}`: both are the same samples"
        notes = [Note(Site(function.module, first), "trained on")]
        yield Finding(Site(function.module, value), message, "the same samples again", notes)
