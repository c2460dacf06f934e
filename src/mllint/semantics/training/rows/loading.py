"""How does a loader choose its samples, in which order does it give them, and can the order matter?

    DataLoader(rows, shuffle=False)            # stored order
    DataLoader(TensorDataset(torch.randn(9)))  # rows drawn at random: any order is as good

The order may be intended: it is stated twice, a recurrent state goes from batch to batch (`carried_state`), the rows
were shuffled once before, the dataset draws its samples itself, what is computed of each batch is gathered for the
caller.

Unknown: a sampler, or `**options` that may hold one, of a kind that is not known to keep the order.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mllint.semantics.flow.flow import LoopRun
from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import DATASET, ITERABLE_DATASET, LOADER
from mllint.semantics.libraries.tensor_methods import DRAWS, MAKES, SAME_ENTRIES
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, assigned_pairs, called_name, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.rows.item_getters import (
    chooses_sample_itself,
    generates_seeded_samples,
    gives_drawn_rows,
    reads_index,
)
from mllint.semantics.values.arguments import Given, bind
from mllint.semantics.values.classes import constructor_argument, init_frame, method
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, statements
from mllint.semantics.values.sources import source
from mllint.semantics.values.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    ManyValue,
    SequenceValue,
    Value,
)

__all__ = [
    "dataset_in", "dataset_of", "is_held_out_loader", "is_in_stored_order", "is_loader",
    "is_training_loader", "keeps_stored_order", "may_have_sampler", "may_lead_to_loader", "sets_shuffle", "sources",
]  # fmt: skip

_SAMPLER = ("sampler'", 'sampler"', "sampler=", "sampler =")
_ARRANGING = frozenset("permutation permuted randperm shuffle sample argsort".split())
_LINED = SAME_ENTRIES | MAKES | {"linspace", "arange"}
_GATHERING = frozenset("cat concat concatenate vstack append".split())
_SAMPLER_CLASS = "torch.utils.data.Sampler"
_FILLED = ("zeros", "ones", "empty", "full")
_KEEPING = frozenset(
    """map with_format set_format with_transform rename_column rename_columns remove_columns cast_column cast
    select_columns class_encode_column""".split()
)


def dataset_of(call: Call) -> Argument | None:
    """The rows that a loader is given where it is built; or where a function is called that builds it of them, or an
    object is made whose method does; or the variable of this function that a closure builds it of."""
    if call.last_name == "DataLoader":
        return call.argument("dataset")
    built = call.value.built_with
    given = Call(built.node, built.frame).argument("dataset") if built and isinstance(built.node, ast.Call) else None
    if given is None or _is_of(given, call.function):
        return Argument(given.node, call, "dataset") if given is not None else None
    rows = source(given.node, given.function)
    if rows is None or rows.attribute:
        return None
    if rows.function in call.callees:
        bound = bind(rows.function, call.node, call.frame)[0].get(rows.parameter)  # by a partial, perhaps
        early = bound.node if isinstance(bound, Passed) and bound.frame is call.frame else None
        return call.argument(rows.parameter) or (Argument(early, call, rows.parameter) if early else None)
    maker = Call(call.node.func, call.frame) if isinstance(call.node.func, ast.Call) else None
    if maker is not None and rows.function in maker.callees:
        return maker.argument(rows.parameter)
    made = call.receiver.built_with if call.receiver is not None else None
    if made is None or made.frame is not call.frame or not isinstance(made.node, ast.Call):
        return None
    return Call(made.node, made.frame).argument(rows.parameter) if rows.function.name == "__init__" else None


def _is_of(given: Argument, function: FunctionScope) -> bool:
    """Does a closure of a function read a variable of it?"""
    name, inner = place(given.node) or "", given.function
    while inner is not function and name not in inner.bindings and isinstance(inner.parent, FunctionScope):
        inner = inner.parent
    return inner is function and inner is not given.function and name in function.bindings


def dataset_in(loader: Node) -> Node:
    """The dataset that is written in the construction of a loader; None of anything else."""
    if not isinstance(loader, ast.Call) or last_name(loader.func) != "DataLoader":
        return None
    return next((a for a in (*loader.args[:1], *(k.value for k in loader.keywords if k.arg == "dataset"))), None)


def may_have_sampler(loader: Call) -> bool:
    """Does a sampler choose the samples, or may one come in `**options`?"""
    if any(loader.argument(n) is not None for n in ("sampler", "batch_sampler")):
        return True
    given = any(loader.may_give(n) for n in ("sampler", "batch_sampler"))
    return given and any(word in getattr(loader.module.source, "text", "sampler=") for word in _SAMPLER)


def _is_gathered_from_loader(dataset: Value) -> bool:
    """Are its rows gathered in a loop over batches, `TensorDataset(torch.cat(found))`, whose order they have?"""
    rows = dataset.arguments.positional if isinstance(dataset, InstanceValue) and dataset.arguments is not None else ()
    if not rows or dataset.built_with is None:
        return False
    function = dataset.built_with.frame.function
    found = {place(o.node) for o in origins(rows[0], dataset.built_with.frame) if isinstance(o.node, ast.Name)}
    loops = [
        s
        for s in statements(function)
        if isinstance(s, ast.For) and topics.is_about(called_name(iterable_of(s.iter)), Topic.LOADING)
    ]
    return any(_is_append_to_any(n, found) for s in loops for n in walk(s))


def _has_rearranged_rows(dataset: Value) -> bool:
    """Were its rows put into an order before: shuffled once, or `x[order]` of a permutation or of how hard they are?"""
    built = dataset.built_with
    return built is not None and bool(built.positional) and _are_rearranged(built.positional[0], built.frame)


def _are_rearranged(rows: Node, frame: Frame) -> bool:
    """Were some rows put into an order, as far as one sees where they come from?"""
    steps = list(origins(rows, frame))
    indices = [o.node.slice for o in steps if isinstance(o.node, ast.Subscript) and isinstance(o.node.slice, ast.Name)]
    steps += [o for index in indices for o in origins(index, frame)]
    calls = [o.node for o in steps if isinstance(o.node, ast.Call)]
    if any(last_name(c.func) in _ARRANGING or _is_shuffled_split(c) for c in calls):
        return True
    names = {place(o.node) for o in steps if isinstance(o.node, (ast.Name, ast.Attribute))} - {None}
    mixes = (c for c in frame.function.calls if last_name(c.func) == "shuffle")
    return any(place(a) in names for c in mixes for a in c.args)


def _is_shuffled_split(call: ast.Call) -> bool:
    """Is it a split that shuffles before it divides?"""
    kept = any(k.arg == "shuffle" and getattr(k.value, "value", None) is False for k in call.keywords)
    return last_name(call.func) == "train_test_split" and not kept


def _is_append_to_any(node: Node, names: set[str | None]) -> bool:
    """Is it `found.append(x)` of one of some lists?"""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("append", "extend") and place(func.value) in names


def _holds_prebuilt_batches(loader: Call) -> bool:
    """Does the dataset hold batches that were made before, or the steps of an agent, whose order may be meant?"""
    dataset, collate = loader.argument("dataset"), loader.argument("collate_fn")
    function = collate.value.target if collate is not None and isinstance(collate.value, FunctionValue) else None
    if isinstance(function, FunctionScope) and _takes_only_first(function):
        return True
    stored = (n for n in walk(loader.function.node) if isinstance(n, (ast.Name, ast.Attribute)))
    named = {last_name(n) for n in stored if isinstance(n.ctx, ast.Store)}
    return dataset is not None and any(topics.is_about(name, Topic.ROLLOUT) for name in named)


def _is_sampled_grid(loader: Call) -> bool:
    """Are the rows points of a line, to try something: `TensorDataset(torch.linspace(-1, 1, 100), y)`?"""
    dataset = loader.argument("dataset")
    built = dataset.value.arguments if dataset is not None and isinstance(dataset.value, InstanceValue) else None
    if built is None or not built.positional:
        return False
    found = [o.node for o in origins(built.positional[0], built.frame)]
    calls = [last_name(n.func) for n in found if isinstance(n, ast.Call)]
    return bool(calls) and any(c in ("linspace", "arange") for c in calls) and all(c in _LINED for c in calls)


def _takes_only_first(collate: FunctionScope) -> bool:
    """Is it `lambda batch: batch[0]`, or a function that reads nothing but the first of what it is given?"""
    parameter = collate.parameters[-1].name if collate.parameters else None
    nodes = list(walk(collate.node))
    read = [n for n in nodes if isinstance(n, ast.Name) and n.id == parameter and isinstance(n.ctx, ast.Load)]
    first = [n.value for n in nodes if isinstance(n, ast.Subscript) and getattr(n.slice, "value", None) == 0]
    return bool(read) and all(any(n is f for f in first) for n in read)


def _returns_gathered_rows(run: LoopRun) -> bool:
    """Does a loop gather what it computes of each batch, `found = torch.cat((found, z))`, for whoever called the
    function? Its rows are to have the order of the data."""
    function = run.frame.function
    back = {place(n) for r in function.returns if r.value is not None for n in walk(r.value)} - {None}
    for node in (n for s in run.node.body for n in walk(s)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = {place(t) for t in node.targets} & back
            gathers = last_name(node.value.func) in _GATHERING
            if names and gathers and any(place(n) in names for a in node.value.args for n in walk(a)):
                return True
    return False


def may_lead_to_loader(origin: Origin) -> bool:
    """May what lies behind an origin still lead to a loader?"""
    return not is_loader(origin)


def sources(source: Node, frame: Frame) -> list[Node]:
    """What a loop draws: of `zip(loader, answers)` not `answers = []`, which another loop has filled in its order."""
    inner = source
    while isinstance(inner, ast.Call) and last_name(inner.func) in ("enumerate", "tqdm") and inner.args:
        inner = inner.args[0]
    if not isinstance(inner, ast.Call) or last_name(inner.func) != "zip":
        return [source]
    bindings = frame.function.bindings
    filled = [n for n, found in bindings.items() if any(isinstance(b.value, ast.List) for b in found)]
    return [a for a in inner.args if place(a) not in filled]


def is_training_loader(loader: Origin) -> bool:
    """Does a loader read the training part of a dataset, or does the name that it is bound to say so?"""
    call = loader.node
    dataset = Call(call, loader.frame).argument("dataset")
    if dataset is not None and dataset.value.comes_from("train"):
        return True
    return any(map(roles.is_training_name, _names_of(loader)))


def is_held_out_loader(loader: Origin) -> bool:
    """Is a loader bound to a name for held-out data? That a loop trains on it at all is another matter."""
    return any(map(roles.is_held_out_name, _names_of(loader)))


def _names_of(loader: Origin) -> list[str | None]:
    """The places to which the construction of a loader is bound."""
    call = loader.node
    bound = [s for s in statements(loader.frame.function) if any(n is call for n in walk(s))]
    return [place(t) for s in bound for t, v in assigned_pairs(s) if any(n is call for n in walk(v))]


def is_loader(origin: Origin) -> bool:
    """Is an origin the construction of a loader of PyTorch?"""
    return isinstance(origin.node, ast.Call) and Call(origin.node, origin.frame).callee.is_class(LOADER)


def sets_shuffle(statement: Node, frame: Frame) -> bool:
    """Does a statement set `shuffle` of a loader that is built already?"""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=base, attr="shuffle")], value=value):
            loader = Origin(base, frame).value
            if isinstance(base, ast.Name) and frame.function.owner is not None:
                return False  # of an own class of loaders, which reads it
            return (
                loader.instance_of(LOADER)
                and Origin(value, frame).value.truth is not False
                and not any(_may_shuffle(v) for v in loader.alternatives)
            )
    return False


def _may_shuffle(loader: Value) -> bool:
    """Was the loader perhaps told when it was built, `DataLoader(data, **options)`? Then it is written down again."""
    built = loader.built_with
    return built is not None and built.node is not None and Call(built.node, built.frame).may_give("shuffle")


def is_in_stored_order(loader: Call) -> bool:
    """Does the loader keep the order, of a dataset in which it can matter?"""
    if not isinstance(loader.callee, ClassValue):
        return False
    told = _told_by_own_class(loader)
    return told is not None and _keeps_order_as_told(told)


def _told_by_own_class(loader: Call) -> Call | None:
    """The call that tells the loader of PyTorch what to do: that of `super().__init__`, in an own class of loaders;
    None where such a class may arrange the samples itself, by an `__iter__` that takes them from elsewhere."""
    built = loader.value
    if not isinstance(built, InstanceValue) or built.cls.module.is_stub:
        return loader
    init, gives = method(built.cls, "__init__"), method(built.cls, "__iter__")
    if gives is not None and not gives.stubbed and not _hands_on_batches(gives):
        return None
    if init is None or init.stubbed:
        return loader
    calls = [c for c in init.calls if last_name(c.func) == "__init__"]
    inner = init_frame(built, init, loader.frame)
    told = Call(calls[0], inner) if len(calls) == 1 else None
    return told if told is not None and any(f.stubbed for f in told.callees) else None


def _hands_on_batches(gives: FunctionScope) -> bool:
    """Does an `__iter__` give what `super().__iter__()` does, in its order?"""
    inherited = any(last_name(c.func) == "__iter__" for c in gives.calls)
    return inherited and not any(topics.is_about(last_name(c.func), Topic.MIXING) for c in gives.calls)


def _keeps_order_as_told(loader: Call) -> bool:
    """Does the loader of PyTorch keep the order, by what it is given?"""
    if may_have_sampler(loader) and not _has_ordered_sampler(loader):
        return False
    shuffle, size, dataset = loader.given_value("shuffle"), loader.argument("batch_size"), loader.argument("dataset")
    if shuffle is None and loader.may_give("shuffle"):
        return False
    if (
        dataset is None
        or (shuffle is not None and shuffle.literal is not False)
        or (size is not None and any(map(_is_number_of_rows, walk(size.node))))
    ):
        return False
    stored = [v for v in dataset.value.alternatives if not _is_made_up(v)] or dataset.value.alternatives
    if all(_keeps_stored_order_by_type(v, explicit=shuffle is not None) for v in stored):
        return not any(map(_is_gathered_from_loader, stored))
    return bool(loader.project.calls_named("load_dataset")) and _has_rows_as_loaded(Origin(dataset.node, loader.frame))


def _is_number_of_rows(node: Node) -> bool:
    """True if `node` counts rows: `len(x)`, `x.shape[0]`, `x.size(0)`."""
    match node:
        case (
            ast.Call(func=ast.Name(id="len")) | ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)])
        ):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
    return False


def _is_drawn_at_random(dataset: Value) -> bool:
    """Is it `TensorDataset(torch.randn(n, d), ...)`, of which no order is any other?"""
    built = dataset.built_with
    rows = built.positional[0] if built is not None and built.positional else None
    if built is None or rows is None:
        return False
    found = origins(rows, built.frame, through=lambda o: isinstance(o.node, ast.Name))
    drawn = [o.node for o in found if not isinstance(o.node, ast.Name)]
    made = [last_name(n.func) for n in drawn if isinstance(n, ast.Call)]
    return bool(drawn) and len(made) == len(drawn) and all(name in DRAWS or name in _FILLED for name in made)


def _has_rows_as_loaded(rows: Origin) -> bool:
    """Are they rows of `load_dataset("glue")["train"]` of Hugging Face that nothing has mixed, chosen or divided?"""
    loaded = False
    for origin in origins(rows.node, rows.frame, through=lambda o: not _is_load_dataset_call(o)):
        if _is_load_dataset_call(origin):
            if any(k.arg in ("streaming", None) for k in origin.node.keywords):
                return False
            loaded = True
        elif isinstance(origin.node, ast.Call) and last_name(origin.node.func) not in _KEEPING:
            callees = Call(origin.node, origin.frame).callees
            if not callees or any(f.stubbed for f in callees):
                return False
    return loaded


def _is_load_dataset_call(origin: Origin) -> bool:
    node = origin.node
    return isinstance(node, ast.Call) and Call(node, origin.frame).callee.is_function("datasets.load_dataset")


def _has_ordered_sampler(loader: Call) -> bool:
    """Is the sampler one that certainly keeps the order: `DistributedSampler(rows, shuffle=False)`?"""
    sampler = loader.argument("sampler")
    if sampler is None or not sampler.value.instance_of(_SAMPLER_CLASS):
        return False
    given = [constructor_argument(v, "shuffle") for v in sampler.value.alternatives]
    ordered = all(g is not None and g.literal is False for g in given)
    return ordered or all(v.class_name == "SequentialSampler" for v in sampler.value.alternatives)


def keeps_stored_order(loader: Call, run: LoopRun | None, others: list[Origin]) -> Answer[bool] | None:
    """Whether a loader gives the samples of a training loop in stored order.

    Args:
        loader: the construction of the loader.
        run: the loop; None for that of a framework.
        others: all loaders that the loop may draw from.

    Returns:
        PROVEN; POSSIBLE where the order is likely intended: stated twice, of whole batches, of rows that were shuffled
        once for all epochs or are points of a line, or wanted by the caller; None where the loader may shuffle.
    """
    if not is_in_stored_order(loader):
        return None
    dataset = loader.argument("dataset")
    intended = (
        (run is not None and _returns_gathered_rows(run))
        or any(_is_sampled_grid(Call(o.node, o.frame)) for o in others)
        or _has_redundant_order(loader)
        or _holds_prebuilt_batches(loader)
        or (dataset is not None and _has_rearranged_rows(dataset.value))
        or (dataset is not None and _are_rearranged(dataset.node, dataset.frame))
    )
    return proven_unless(intended, True, loader.site)


def _has_redundant_order(loader: Call) -> bool:
    """Is the order said twice, as by somebody who wants it: `shuffle=False, sampler=SequentialSampler(rows)`?"""
    shuffle, sampler = loader.argument("shuffle"), loader.argument("sampler")
    if shuffle is None or sampler is None or shuffle.value.literal is not False:
        return False
    return sampler.value.instance_of("torch.utils.data.SequentialSampler")


def _keeps_stored_order_by_type(dataset: Value, *, explicit: bool) -> bool:
    """Whether it is a map-style dataset whose rows nothing has mixed.

    Args:
        dataset: what a loader reads.
        explicit: whether the user wrote `shuffle=False`.
    """
    if isinstance(dataset, (SequenceValue, ManyValue)):
        return True
    if (
        not isinstance(dataset, InstanceValue)
        or not dataset.instance_of(DATASET)
        or dataset.instance_of(ITERABLE_DATASET)
    ):
        return False
    if "Split" in dataset.traits or any(r.part in ("heldout", "test", "some") for r in dataset.provenance):
        return False
    if dataset.cls.module.is_stub and dataset.cls.name == "Subset":
        return _is_subset_of_first_rows(dataset, explicit=explicit)
    if dataset.cls.module.is_stub:
        return dataset.cls.module.name.startswith("torchvision") or (
            not explicit and _is_unshuffled_tensor_dataset(dataset)
        )
    own = method(dataset.cls, "__getitem__")
    if own is None or own.stubbed:
        return False
    methods = (own, *dataset.cls.methods.values())  # what gives a sample may stand in a base class
    mixed = any(topics.is_about(last_name(c.func), Topic.MIXING) for m in methods for c in m.calls)
    drawn = chooses_sample_itself(own) or generates_seeded_samples(own) or gives_drawn_rows(own, methods)
    return not mixed and not drawn and reads_index(own)


def _is_made_up(dataset: Value) -> bool:
    """Is it a dataset of the user's that never reads the index it is given: samples for a try, without an order?"""
    getter = method(dataset.cls, "__getitem__") if isinstance(dataset, InstanceValue) else None
    return getter is not None and not getter.stubbed and dataset.instance_of(DATASET) and not reads_index(getter)


def _is_unshuffled_tensor_dataset(dataset: InstanceValue) -> bool:
    """True if `dataset` is a `TensorDataset` of rows that nothing has mixed, and no split has drawn."""
    return (
        dataset.cls.name == "TensorDataset"
        and not dataset.comes_from("train")
        and not _is_drawn_at_random(dataset)
        and not _has_rearranged_rows(dataset)
    )


def _is_subset_of_first_rows(subset: Value, *, explicit: bool) -> bool:
    """Is it `Subset(rows, range(n))` of rows that nothing has mixed?"""
    given: Sequence[Given] = subset.built_with.positional if subset.built_with is not None else ()
    rows = constructor_argument(subset, "dataset")
    counted = len(given) == 2 and isinstance(given[1], ast.Call) and last_name(given[1].func) in ("range", "arange")
    return (
        counted
        and rows is not None
        and all(_keeps_stored_order_by_type(v, explicit=explicit) for v in rows.alternatives)
    )
