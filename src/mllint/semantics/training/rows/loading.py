"""What chooses the samples of a loader beside its dataset: for the rules that ask how loaders are built."""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.flow import LoopRun
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import last_name, place, turned, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.lineage import origins, statements
from mllint.semantics.values.values import Value

__all__ = ["arranged", "chosen_otherwise", "drawn_from_loader", "hands_back_rows", "of_a_line", "whole_batches"]

_SAMPLER = ("sampler'", 'sampler"', "sampler=", "sampler =")


def chosen_otherwise(loader: Call) -> bool:
    """Does a sampler choose the samples, or may one come in `**options`?"""
    if any(loader.argument(n) is not None for n in ("sampler", "batch_sampler")):
        return True
    given = any(loader.may_give(n) for n in ("sampler", "batch_sampler"))
    return given and any(said in getattr(loader.module.source, "text", "sampler=") for said in _SAMPLER)


def drawn_from_loader(dataset: Value) -> bool:
    """Are its rows gathered in a loop over batches, `TensorDataset(torch.cat(found))`, whose order they have?"""
    rows = dataset.arguments.positional if dataset.kind == "instance" and dataset.arguments is not None else ()
    if not rows or dataset.arguments is None:
        return False
    function = dataset.arguments.frame.function
    found = {place(o.node) for o in origins(rows[0], dataset.arguments.frame) if isinstance(o.node, ast.Name)}
    loops = [
        s
        for s in statements(function)
        if isinstance(s, ast.For) and topics.is_about(_called(turned(s.iter)), Topic.LOADING)
    ]
    return any(_grows(n, found) for s in loops for n in walk(s))


def arranged(dataset: Value) -> bool:
    """Were its rows put into an order before: shuffled once, or `x[order]` of a permutation or of how hard they are?"""
    built = dataset.arguments
    if built is None or not built.positional:
        return False
    steps = list(origins(built.positional[0], built.frame))
    indices = [o.node.slice for o in steps if isinstance(o.node, ast.Subscript) and isinstance(o.node.slice, ast.Name)]
    steps += [o for index in indices for o in origins(index, built.frame)]
    calls = [o.node for o in steps if isinstance(o.node, ast.Call)]
    if any(last_name(c.func) in _ARRANGING or _mixes(c) for c in calls):
        return True
    names = {place(o.node) for o in steps if isinstance(o.node, (ast.Name, ast.Attribute))} - {None}
    mixes = (c for c in built.frame.function.calls if last_name(c.func) == "shuffle")
    return any(place(a) in names for c in mixes for a in c.args)


def _mixes(call: ast.Call) -> bool:
    """Is it a split that shuffles before it divides?"""
    kept = any(k.arg == "shuffle" and getattr(k.value, "value", None) is False for k in call.keywords)
    return last_name(call.func) == "train_test_split" and not kept


_ARRANGING = frozenset("permutation permuted randperm shuffle sample argsort".split())


def _called(node: Any) -> str:
    """The name by which something goes."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def _grows(node: Any, names: set[str | None]) -> bool:
    """Is it `found.append(x)` of one of some lists?"""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("append", "extend") and place(func.value) in names


def whole_batches(loader: Call) -> bool:
    """Does the dataset hold batches that were made before, or the steps of an agent, whose order may be meant?"""
    dataset, collate = loader.argument("dataset"), loader.argument("collate_fn")
    function = collate.value.of if collate is not None and collate.value.kind == "function" else None
    if isinstance(function, FunctionScope) and _takes_first(function):
        return True
    stored = (n for n in walk(loader.function.node) if isinstance(n, (ast.Name, ast.Attribute)))
    named = {last_name(n) for n in stored if isinstance(n.ctx, ast.Store)}
    return dataset is not None and any(topics.is_about(name, Topic.ROLLOUT) for name in named)


def of_a_line(loader: Call) -> bool:
    """Are the rows points of a line, to try something: `TensorDataset(torch.linspace(-1, 1, 100), y)`?"""
    dataset = loader.argument("dataset")
    built = dataset.value.arguments if dataset is not None and dataset.value.kind == "instance" else None
    if built is None or not built.positional:
        return False
    found = [o.node for o in origins(built.positional[0], built.frame)]
    calls = [last_name(n.func) for n in found if isinstance(n, ast.Call)]
    return bool(calls) and any(c in ("linspace", "arange") for c in calls) and all(c in _LINED for c in calls)


_LINED = frozenset("linspace arange unsqueeze reshape view float to clone tensor from_numpy astype squeeze".split())


def _takes_first(collate: FunctionScope) -> bool:
    """Is it `lambda batch: batch[0]`, or a function that reads nothing but the first of what it is given?"""
    parameter = collate.parameters[-1].name if collate.parameters else None
    nodes = list(walk(collate.node))
    read = [n for n in nodes if isinstance(n, ast.Name) and n.id == parameter and isinstance(n.ctx, ast.Load)]
    first = [n.value for n in nodes if isinstance(n, ast.Subscript) and getattr(n.slice, "value", None) == 0]
    return bool(read) and all(any(n is f for f in first) for n in read)


def hands_back_rows(run: LoopRun) -> bool:
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


_GATHERING = frozenset("cat concat concatenate vstack append".split())
