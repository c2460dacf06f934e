"""The loader of a training loop walks through its dataset in stored order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.pattern import Pattern
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    Call,
    Flow,
    Frame,
    FunctionScope,
    LoopRun,
    Origin,
    Site,
    Value,
    ancestors,
    assigned,
    constructor_argument,
    drawn_by_hand,
    evaluate,
    last_name,
    loading,
    method,
    origins,
    place,
    roles,
    statements,
    text,
    turned,
    walk,
)
from mllint.semantics.api import seeds as seeds_domain

__all__: list[str] = []

_DATASET = "torch.utils.data.Dataset"
_SAMPLER_CLASS = "torch.utils.data.Sampler"
_LOADER = "torch.utils.data.DataLoader"
_STATE = Pattern("hid|state|mem|cell|^h$|^hx$|^hc$")
_MIXING = Pattern("shuffle|choice|^sample|permutation|randperm")
_DRAWING = Pattern("rand")


@check("unshuffled-training")
def unshuffled_training(flow: Flow) -> Iterator[Finding]:
    """The loader of a training loop walks through its dataset in stored order."""
    for step in flow.events(AppliesGrad):
        run = step.in_loop("batch")
        if run is None or _carries_state(run):
            continue
        source = drawn_by_hand(run)
        if source is None and run.iterates is None:
            continue
        source = source if source is not None else run.node.iter
        steps = [o for n in _sources(source, run.frame) for o in origins(n, run.frame, through=_before_loader)]
        drawn = evaluate(turned(source), run.frame)
        built = drawn.site.node if drawn.instance_of(_LOADER) and drawn.site is not None else None
        loaders = [o for o in steps if _is_loader(o)]
        loaders = [o for o in loaders if o.node is built] or loaders
        if drawn_by_hand(run) is not None and not run.certain and not any(map(_said_for_training, loaders)):
            continue  # of one sample, perhaps
        if not all(_in_stored_order(Call(o.node, o.frame)) for o in loaders):
            continue  # one of several that a function may give
        meant = loading.hands_back_rows(run) or any(loading.of_a_line(Call(o.node, o.frame)) for o in loaders)
        for origin in loaders:
            if seeds_domain.is_test_code(origin.frame.module):
                continue
            yield Finding(
                origin,
                f"`{text(origin.frame.module, origin.node.func)}` for training does not shuffle",
                "stored order in every epoch",
                [Note(Site(run.frame.module, source), "trained on here")],
                certain=not (meant or _meant_so(Call(origin.node, origin.frame))),
            )
    yield from _handed_to_framework(flow)
    project = flow.frame.project
    if project.reach.memo.setdefault("late shuffles", id(flow)) != id(flow):
        return  # told once
    for function in (f for m in project.modules if ".shuffle" in m.source.text for f in m.functions):
        for statement in statements(function) if not isinstance(function.node, ast.Lambda) else ():
            if _sets_shuffle(statement, project.frame(function)):
                site = Site(function.module, statement)
                yield Finding(site, "setting `shuffle` after the loader was built has no effect", "no effect")


def _before_loader(origin: Origin) -> bool:
    return not _is_loader(origin)


def _sources(source: Any, frame: Frame) -> list[Any]:
    """What a loop draws: of `zip(loader, answers)` not `answers = []`, which another loop has filled in its order."""
    inner = source
    while isinstance(inner, ast.Call) and last_name(inner.func) in ("enumerate", "tqdm") and inner.args:
        inner = inner.args[0]
    if not isinstance(inner, ast.Call) or last_name(inner.func) != "zip":
        return [source]
    bindings = frame.function.bindings
    filled = [n for n, found in bindings.items() if any(isinstance(b.value, ast.List) for b in found)]
    return [a for a in inner.args if place(a) not in filled]


def _handed_to_framework(flow: Flow) -> Iterator[Finding]:
    """The loaders that `train_dataloader` gives to the trainer of a `training_step`."""
    if "train_dataloader" not in flow.frame.project.reach.own_names() or next(flow.events("hands_loss"), None) is None:
        return
    for cls in (c for module in flow.frame.project.modules for c in module.classes):
        function = cls.methods.get("train_dataloader")
        if function is None or ancestors(cls).isdisjoint(_LIGHTNING) or seeds_domain.is_test_code(cls.module):
            continue
        frame = flow.frame.project.frame(function)
        given = [Origin(r.value, frame) for r in function.returns if r.value is not None]
        found = [o for g in given for o in origins(g.node, frame, through=lambda o: not _is_loader(o)) if _is_loader(o)]
        for origin in found if all(_in_stored_order(Call(o.node, o.frame)) for o in found) else ():
            named = text(origin.frame.module, origin.node.func)
            notes = [Note(next(flow.events("hands_loss")), "trained on here")]
            yield Finding(origin, f"`{named}` for training does not shuffle", "stored order in every epoch", notes)


_LIGHTNING = ("lightning.pytorch.LightningDataModule", "lightning.pytorch.LightningModule")


def _said_for_training(loader: Origin) -> bool:
    """Does a loader read the training part of a dataset, or does the name that it is bound to say so?"""
    call = loader.node
    dataset = Call(call, loader.frame).argument("dataset")
    if dataset is not None and dataset.value.comes_from("train"):
        return True
    bound = [s for s in statements(loader.frame.function) if any(n is call for n in walk(s))]
    return any(roles.is_training_name(place(t)) for s in bound for t, _ in assigned(s))


def _is_loader(origin: Origin) -> bool:
    return isinstance(origin.node, ast.Call) and Call(origin.node, origin.frame).callee.is_class(_LOADER)


def _sets_shuffle(statement: Any, frame: Any) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=base, attr="shuffle")], value=value):
            loader = Origin(base, frame).value
            if isinstance(base, ast.Name) and frame.function.owner is not None:
                return False  # of an own class of loaders, which reads it
            return (
                loader.instance_of(_LOADER)
                and Origin(value, frame).value.truth is not False
                and not any(_may_shuffle(v) for v in loader.alternatives)
            )
    return False


def _may_shuffle(loader: Any) -> bool:
    """Was the loader perhaps told when it was built, `DataLoader(data, **options)`? Then it is written down again."""
    built = loader.arguments
    return built is not None and built.node is not None and Call(built.node, built.frame).may_give("shuffle")


def _carries_state(run: LoopRun) -> bool:
    """Does a recurrent state go from one batch to the next, so that the order of batches is meant?"""
    for node in (n for s in run.node.body for n in walk(s)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            given = {place(a) for a in node.value.args}
            names = {place(n) for t in node.targets for n in walk(t)}
            if any(n and _STATE.search(n) for n in given & names):
                return True
    return False


def _in_stored_order(loader: Call) -> bool:
    """Does the loader keep the order, of a dataset in which it can matter?"""
    if loader.callee.kind != "class" or (loading.chosen_otherwise(loader) and not _sampled_in_order(loader)):
        return False
    if loader.argument("shuffle") is None and loader.may_give("shuffle"):
        return False
    shuffle, size, dataset = loader.argument("shuffle"), loader.argument("batch_size"), loader.argument("dataset")
    if (
        dataset is None
        or (shuffle is not None and shuffle.value.literal is not False)
        or (size is not None and any(word in size.text for word in ("len(", ".shape[0]", ".size(0)")))
    ):
        return False
    if all(_sorted_by_nature(v, said=shuffle is not None) for v in dataset.value.alternatives):
        return not any(map(loading.drawn_from_loader, dataset.value.alternatives))
    return bool(loader.project.calls_named("load_dataset")) and _as_loaded(Origin(dataset.node, loader.frame))


def _drawn_at_random(dataset: Value) -> bool:
    """Is it `TensorDataset(torch.randn(n, d), ...)`, of which no order is any other?"""
    rows = dataset.arguments.positional[0] if dataset.arguments is not None and dataset.arguments.positional else None
    if rows is None:
        return False
    found = origins(rows, dataset.arguments.frame, through=lambda o: isinstance(o.node, ast.Name))
    drawn = [o.node for o in found if not isinstance(o.node, ast.Name)]
    made = [last_name(n.func) for n in drawn if isinstance(n, ast.Call)]
    return bool(drawn) and len(made) == len(drawn) and all(name in _RANDOM or name in _FILLED for name in made)


_FILLED = ("zeros", "ones", "empty", "full")
_RANDOM = ("randn", "rand", "randint", "normal", "uniform", "random", "standard_normal")
_KEEPING = frozenset(
    """map with_format set_format with_transform rename_column rename_columns remove_columns cast_column cast
    select_columns class_encode_column""".split()
)


def _as_loaded(rows: Origin) -> bool:
    """Are they rows of `load_dataset("glue")["train"]` of Hugging Face that nothing has mixed, chosen or divided?"""
    loaded = False
    for origin in origins(rows.node, rows.frame, through=lambda o: not _loads(o)):
        if _loads(origin):
            if any(k.arg in ("streaming", None) for k in origin.node.keywords):
                return False
            loaded = True
        elif isinstance(origin.node, ast.Call) and last_name(origin.node.func) not in _KEEPING:
            callees = Call(origin.node, origin.frame).callees
            if not callees or any(f.stubbed for f in callees):
                return False
    return loaded


def _loads(origin: Origin) -> bool:
    node = origin.node
    return isinstance(node, ast.Call) and Call(node, origin.frame).callee.is_function("datasets.load_dataset")


def _sampled_in_order(loader: Call) -> bool:
    """Is the sampler one that certainly keeps the order: `DistributedSampler(rows, shuffle=False)`?"""
    sampler = loader.argument("sampler")
    if sampler is None or not sampler.value.instance_of(_SAMPLER_CLASS):
        return False
    given = [constructor_argument(v, "shuffle") for v in sampler.value.alternatives]
    ordered = all(g is not None and g.literal is False for g in given)
    return ordered or all(v.of.name == "SequentialSampler" for v in sampler.value.alternatives)


def _meant_so(loader: Call) -> bool:
    """Is the order perhaps meant: said twice, of whole batches, or of rows that were mixed once, for all epochs?"""
    dataset = loader.argument("dataset")
    return (
        _asked_for(loader) or loading.whole_batches(loader) or (dataset is not None and loading.arranged(dataset.value))
    )


def _asked_for(loader: Call) -> bool:
    """Is the order said twice, as by somebody who wants it: `shuffle=False, sampler=SequentialSampler(rows)`?"""
    said, sampler = loader.argument("shuffle"), loader.argument("sampler")
    if said is None or sampler is None or said.value.literal is not False:
        return False
    return sampler.value.instance_of("torch.utils.data.SequentialSampler")


def _sorted_by_nature(dataset: Value, *, said: bool) -> bool:
    """A map-style dataset whose rows nothing has mixed. `said`: the user wrote `shuffle=False`."""
    if dataset.kind in ("sequence", "many"):
        return True
    if (
        dataset.kind != "instance"
        or not dataset.instance_of(_DATASET)
        or dataset.instance_of("torch.utils.data.IterableDataset")
    ):
        return False
    if "Split" in dataset.traits or any(r.part in ("heldout", "test", "some") for r in dataset.roots):
        return False
    if dataset.of.module.is_stub and dataset.of.name == "Subset":
        return _first_rows(dataset, said=said)
    if dataset.of.module.is_stub:
        return dataset.of.module.name.startswith("torchvision") or (
            not said
            and dataset.of.name == "TensorDataset"
            and not dataset.comes_from("train")
            and not _drawn_at_random(dataset)
            and not loading.arranged(dataset)
        )
    own = method(dataset.of, "__getitem__")
    if own is None or own.stubbed:
        return False
    methods = (own, *dataset.of.methods.values())  # what gives a sample may stand in a base class
    mixed = any(_MIXING.search(last_name(c.func)) for m in methods for c in m.calls)
    return not mixed and not _chooses_itself(own) and _asks_for(own) and not _makes_up(own)


def _makes_up(getter: Any) -> bool:
    """Does `__getitem__` draw its samples, from a seed that the index says, so that no order is any other?"""
    index = getter.parameters[1].name if len(getter.parameters) > 1 else ""
    drawn = any(last_name(c.func) in _RANDOM for c in getter.calls)
    seeds = [c for c in getter.calls if last_name(c.func) in ("seed", "manual_seed", "default_rng", "RandomState")]
    return drawn and any(isinstance(n, ast.Name) and n.id == index for c in seeds for a in c.args for n in walk(a))


def _asks_for(function: FunctionScope) -> bool:
    """Does it read the index that it is given? One that does not gives the same whatever the order."""
    given = function.parameters[1].name if len(function.parameters) > 1 else ""
    return any(isinstance(n, ast.Name) and n.id == given for n in walk(function.node))


def _first_rows(subset: Value, *, said: bool) -> bool:
    """Is it `Subset(rows, range(n))` of rows that nothing has mixed?"""
    given: Any = subset.arguments.positional if subset.arguments is not None else ()
    rows = constructor_argument(subset, "dataset")
    counted = len(given) == 2 and isinstance(given[1], ast.Call) and last_name(given[1].func) in ("range", "arange")
    return counted and rows is not None and all(_sorted_by_nature(v, said=said) for v in rows.alternatives)


def _chooses_itself(getter: Any) -> bool:
    """Does `__getitem__` draw which sample it gives, or cut windows out of a series at its index?"""
    indices = {p.name for p in getter.parameters[1:2]}
    drawn: set[str] = set()
    nodes = [n for s in statements(getter) for n in walk(s)]
    for node in nodes:
        if isinstance(node, ast.Assign):
            targets = {n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)}
            read = {n.id for n in walk(node.value) if isinstance(n, ast.Name)}
            indices |= targets if read & indices and not _reads_item(node.value) else set()
            drawn |= targets if _draws(node.value) else set()
    samples = _samples(nodes)
    for node in (n for n in nodes if isinstance(n, ast.Subscript)):
        if isinstance(node.value, ast.Name) and node.value.id in samples:
            continue  # cropped, after it was read
        sliced = isinstance(node.slice, ast.Slice)
        read = {n.id for n in walk(node.slice) if isinstance(n, ast.Name)}
        if (sliced and read & indices) or read & drawn or _draws(node.slice):
            return True
    return False


def _samples(nodes: list[Any]) -> set[str]:
    """The names that are only ever bound to what calls give, of something read by `self`, or to parts of themselves."""
    bound: dict[str, list[Any]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
    opened = {name for name, values in bound.items() if any(_opens(v) for v in values)}
    return {name for name in opened if all(_opens(v) or name in _names(v) for v in bound[name])}


def _opens(node: Any) -> bool:
    """Does a call open a file, so that it gives one sample and no series?"""
    called = [last_name(n.func) for n in walk(node) if isinstance(n, ast.Call)]
    return any(name in _OPENING for name in called)


_OPENING = frozenset("imread open read_image load_img pil_loader default_loader load_image imdecode".split())


def _names(node: Any) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def _draws(node: Any) -> bool:
    return any(isinstance(n, ast.Call) and _DRAWING.search(last_name(n.func)) for n in walk(node))


def _reads_item(node: Any) -> bool:
    """Is something read by the index here, so that what comes back is a sample and no index?"""
    return any(isinstance(n, (ast.Subscript, ast.Call)) for n in walk(node))
