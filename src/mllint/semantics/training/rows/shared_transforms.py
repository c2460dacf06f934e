"""Is a transform replaced for one part of a dataset, and so for the other part as well?

    train_set, val_set = random_split(full, [900, 100])
    val_set.dataset.transform = plain       # `val_set.dataset` and `train_set.dataset` are both `full`

A part keeps indices, and the one dataset that was divided. Two things show that only one part was meant: another
transform was written through another part before, or the dataset was built with one that is random, or named for
training, and a part that is held out by name gets another. That a training part gets a random transform shows the same.

Each part has a dataset of its own after a copy (`val_set.dataset = copy(full)`); a part that is bound again, or read
before the write or never after it, says nothing. The parts are looked for in the function that divides, and in those
that it returns them to, the writes there and in functions of the user's that only write, or give the part back as well.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.training import roles
from mllint.semantics.training.rows.augmentation import is_named_for_held_out, last_word, random_step
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import part_at, statements, targets_of
from mllint.semantics.values.values import InstanceValue, Site, Value

__all__ = ["Replaced", "Write", "replaced"]

_ATTRIBUTES = ("transform", "transforms", "target_transform")
_PASSIVE = frozenset("DataLoader len print type".split())
_SUBSET = "torch.utils.data.Subset"


class Write(NamedTuple):
    """A transform is written through a part: the node of the function that does it, the part, the attribute, the new
    value with its frame, and the place to report, in a helper perhaps."""

    node: Node
    part: str
    attribute: str
    value: Node
    frame: Frame
    site: Site


class Replaced(NamedTuple):
    """A write that replaces the transform of two parts: its place, the part it is written through, the part that did
    not mean it, and the place where the transform before it was given, None if that is not seen."""

    site: Site
    part: str
    other: str
    before: Site | None


def replaced(split: Call) -> Replaced | None:
    """The write that gives both parts of a dataset the transform of one.

    Args:
        split: a call of `random_split` or `Subset`.

    Returns:
        The first one; None if each part keeps the transform that was meant for it, or nobody can tell.
    """
    for parts, function, made in _divided(split):
        writes = _writes(parts, function)
        if writes and _keep_one_dataset(parts, function, made) and _is_split(split):
            found = (_shared(write, writes, parts, split, function, made[0].end_lineno or 0) for write in writes)
            first = next((f for f in found if f is not None), None)
            if first is not None:
                return first
    return None


def _is_split(call: Call) -> bool:
    return call.callee.is_class(_SUBSET) or call.callee.is_function("torch.utils.data.random_split")


def _divided(split: Call) -> Iterator[tuple[list[str], FunctionScope, list[ast.Call]]]:
    """The names of the parts of one dataset, where it is divided and where they are returned to, with the calls that
    they are bound to there."""
    function, made = split.function, [split.node]
    if split.last_name == "random_split":
        parts = targets_of(split.node, function)
        direct = any(r.value is split.node for r in function.returns)
    else:
        siblings, direct = _siblings(split), False
        parts, made = [target for target, _ in siblings], [node for _, node in siblings]
    if len(parts) > 1:
        yield parts, function, made
    if not direct and len(parts) < 2:
        return
    returned = function.returns[0].value if len(function.returns) == 1 else None
    given = [place(e) for e in returned.elts] if isinstance(returned, ast.Tuple) else []
    if not direct and not given:
        return
    for call, frame in split.project.callers(function):
        targets = targets_of(call, frame.function)
        named = targets if direct else [t for g, t in zip(given, targets, strict=False) if g in parts]
        if len(named) > 1 and (direct or len(targets) == len(given)):
            yield named, frame.function, [call]


def _siblings(subset: Call) -> list[tuple[str, ast.Call]]:
    """The subsets of one dataset and what they are bound to, if this one is the first of them in its function."""
    whole = subset.node.args[0] if subset.node.args else None
    name = place(whole)
    alike = _subsets(subset.function).get((name, _binding(whole, subset.function)), []) if name else []
    if len(alike) < 2 or alike[0][1] is not subset.node:
        return []
    return alike


@cached_per_scope()
def _subsets(function: FunctionScope) -> dict[Hashable, list[tuple[str, Node]]]:
    """The subsets that a function binds to a place each, by the dataset and where that was bound."""
    found: dict[Hashable, list[tuple[str, Node]]] = {}
    for node in function.calls_to(("Subset",)):
        targets = targets_of(node, function)
        if node.args and len(targets) == 1 and targets[0]:
            key = place(node.args[0]), _binding(node.args[0], function)
            found.setdefault(key, []).append((targets[0], node))
    return found


def _binding(node: Node, function: FunctionScope) -> tuple[int, ...]:
    return tuple(id(binding) for binding in bound_at(node, function))


# ------------------------------------------------------------------------------------------------------- the writes
def _writes(parts: list[str], function: FunctionScope) -> list[Write]:
    """What is written to the dataset behind some parts, in the order of the text."""
    tables = (_written(function), _written_by_helpers(function))
    found = [write for table in tables for part in parts for write in table.get(part, ())]
    return sorted(found, key=lambda write: (write.node.lineno, write.site.line))


@cached_per_scope()
def _written(function: FunctionScope) -> dict[str, list[Write]]:
    """What a function itself writes to the dataset behind each place."""
    found: dict[str, list[Write]] = {}
    project = function.module.project
    written: list[tuple[Node, str, str, Node]] = []
    for name, bindings in function.bindings.items():
        part, _, attribute = name.rpartition(".dataset.")
        if part and attribute in _ATTRIBUTES:
            written += [(b.node, part, attribute, b.value) for b in bindings if b.kind == "assign" and not b.path]
    for node in function.calls_to(("setattr",)):
        match node.args:
            case [ast.Attribute(attr="dataset", value=base), ast.Constant(value=str(attribute)), value]:
                if attribute in _ATTRIBUTES:
                    written.append((node, place(base) or "", attribute, value))
    for node, part, attribute, value in written:
        write = Write(node, part, attribute, value, project.frame(function), Site(function.module, node))
        found.setdefault(part, []).append(write)
    return found


@cached_per_scope()
def _written_by_helpers(function: FunctionScope) -> dict[str, list[Write]]:
    """What functions of the user's write behind each place that they are handed: to be reported where they are called,
    unless they are handed the other part as well."""
    found: dict[str, list[Write]] = {}
    for call, helper in _helper_calls(function):
        node, frame, written = call.node, call.frame, _written(helper)
        given = _given(call, helper) if written else {}
        for name, part in ((n, place(a)) for n, a in given.items() if n in written and _only_writes(helper, n)):
            if part is None:
                continue
            for write in written[name]:
                passed = given.get(write.value.id) if isinstance(write.value, ast.Name) else None
                site = write.site if len(written) > 1 else Site(function.module, node)
                value, inner = (write.value, write.frame) if passed is None else (passed, frame)
                found.setdefault(part or "", []).append(Write(node, part or "", write.attribute, value, inner, site))
    return found


@cached_per_scope()
def _helper_calls(function: FunctionScope) -> list[tuple[Call, FunctionScope]]:
    """The calls in a function that certainly enter one function of the user's, and that function."""
    project = function.module.project
    own, found = project.reach.own_names(), []
    for node in function.calls:
        call = Call(node, project.frame(function))
        callees = call.callees if call.last_name in own and (node.args or node.keywords) else []
        if len(callees) == 1 and not callees[0].stubbed:
            found.append((call, callees[0]))
    return found


def _given(call: Call, helper: FunctionScope) -> dict[str, Node]:
    """What a call gives the parameters of a function."""
    names = call.parameter_names(helper)
    given = (*call.node.args, *(k.value for k in call.node.keywords))
    return {name: a for a in given if (name := names.get(id(a)))}


@cached_per_scope()
def _given_back(function: FunctionScope) -> dict[str, list[Binding]]:
    """The bindings in a function of what gives back each place as it is: `part = with_view(part, plain)`."""
    calls: dict[int, str] = {}
    for call, helper in _helper_calls(function):
        returned = {place(r.value) for r in helper.returns} if not helper.is_generator else set()
        name = returned.pop() if len(returned) == 1 else None
        passed = _given(call, helper).get(name or "")
        if name and len(helper.bindings.get(name, ())) == 1 and place(passed):
            calls[id(call.node)] = place(passed) or ""
    found: dict[str, list[Binding]] = {}
    for binding in (b for bindings in function.bindings.values() for b in bindings if calls):
        part = calls.get(id(part_at(binding.value, binding.path)))
        if part is not None:
            found.setdefault(part, []).append(binding)
    return found


def _only_writes(helper: FunctionScope, name: str) -> bool:
    """Does a function neither read the samples of a part nor copy its dataset?"""
    if len(helper.bindings.get(name, ())) != 1 or f"{name}.dataset" in helper.bindings or name in _loaders(helper):
        return False
    back = {r.lineno for r in helper.returns if place(r.value) == name}
    return all(passive or line in back for line, passive in _reads(helper).get(name, ()))


def _keep_one_dataset(parts: list[str], function: FunctionScope, made: list[ast.Call]) -> bool:
    """Is each part what was divided from then on, and does it keep the dataset?"""
    bound, nodes = function.bindings, {id(node) for node in made}
    if any(f"{part}.dataset" in bound for part in parts):
        return False
    same = [b for part in parts for b in _given_back(function).get(part, ()) if b.name == part]
    since = [b for part in parts for b in bound.get(part, ()) if getattr(b.node, "lineno", 0) > made[0].lineno]
    since = [b for b in since if b not in same]
    return all(id(b.value) in nodes or _in_other_branch(made[0], b.node, function) for b in since)


def _in_other_branch(one: Node, other: Node, function: FunctionScope) -> bool:
    """Do two places lie in the two branches of one `if`, so that only one of them runs?"""
    first, second = (_branches(function).get(node.lineno, {}) for node in (one, other))
    return any(second.get(fork, side) is not side for fork, side in first.items())


@cached_per_scope()
def _branches(function: FunctionScope) -> dict[int, dict[int, bool]]:
    """The branches around the lines of a function: by the id of each `if`, whether it is that for a true test."""
    found: dict[int, dict[int, bool]] = {}
    waiting: list[tuple[Node, dict[int, bool]]] = [(statement, {}) for statement in function.body]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, ast.If):
            waiting += [(s, {**around, id(node): True}) for s in node.body]
            waiting += [(s, {**around, id(node): False}) for s in node.orelse]
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try)):
            inner = (*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ()))
            waiting += [(s, around) for s in inner]
        elif around:
            found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), around))
    return found


def _shared(
    write: Write, writes: list[Write], parts: list[str], split: Call, function: FunctionScope, since: int
) -> Replaced | None:
    """Whether a write replaces what another part was to be read with."""
    others = [part for part in parts if part != write.part]
    frame = split.project.frame(function)
    for other in others:
        before: tuple[Site | None] | None = _written_before(write, other, writes, function)
        if before is None and not any(w.part == other for w in writes):
            before = _meant_for(write, other, split, frame)
        lines = {line for w in writes for line in range(w.node.lineno, (w.node.end_lineno or 0) + 1)}
        both = (other, write.part)
        read = before is not None and all(_is_read_after(write, part, function, since, lines) for part in both)
        if before is not None and read:
            return Replaced(write.site, write.part, other, before[0])
    return None


def _written_before(
    write: Write, other: str, writes: list[Write], function: FunctionScope
) -> tuple[Site | None] | None:
    """Where another transform was written through another part, before anything read it."""
    for earlier in writes:
        if earlier is write:
            return None
        new, old = (text(w.frame.module, w.value) for w in (write, earlier))
        if earlier.part == other and earlier.attribute == write.attribute and new != old:
            if not _in_other_branch(earlier.node, write.node, function):
                return (earlier.site,)
    return None


def _meant_for(write: Write, other: str, split: Call, frame: Frame) -> tuple[Site | None] | None:
    """Where the transform was given that the other part was to keep: by what it draws, or what it is called, it is for
    training. Of a random transform that is written through a training part, the other is held out, whatever it had."""
    if write.attribute == "target_transform":
        return None
    new = random_step(evaluate(write.value, write.frame)) is not None
    if roles.is_training_name(write.part) and roles.is_held_out_name(other):
        return (None,) if new else None
    if new or not roles.is_held_out_name(write.part) or roles.is_held_out_name(other):
        return None
    rows = split.argument("dataset")
    if rows is not None and f"{place(rows.node)}.{write.attribute}" in frame.function.bindings:
        return None  # it is set for all parts, too
    found = [_given_transform(value, write.attribute) for value in rows.value.alternatives] if rows else []
    if not found or None in found:
        return None
    old = found[0]
    named = is_named_for_held_out(last_word(write.value))
    return (old.site,) if old and (named or all(o and _is_for_training(o) for o in found)) else None


def _given_transform(dataset: Value, attribute: str) -> Argument | None:
    """The argument by which a dataset was built with a transform; None if it has none, or copies are made of it."""
    built = dataset.built_with if isinstance(dataset, InstanceValue) else None
    if built is None or not isinstance(built.node, ast.Call) or dataset.instance_of(_SUBSET):
        return None
    given = Call(built.node, built.frame).argument(attribute)
    return None if given is None or given.value.literal is not None else given


def _is_for_training(given: Argument) -> bool:
    return random_step(given.value) is not None or roles.is_training_name(last_word(given.node))


# -------------------------------------------------------------------------------------------------------- the readers
def _is_read_after(write: Write, part: str, function: FunctionScope, since: int, writing: set[int]) -> bool:
    """Is a part, or a loader of it, read after a write, and not before it, once it was divided on a line? What is on
    the lines that write is no reader."""
    known = {part, *(b.name for b in _given_back(function).get(part, ()))}
    names, line = {*known, *(n for name in known for n in _loaders(function).get(name, ()))}, write.node.lineno
    reads = [read for name in names for read in _reads(function).get(name, ()) if read[0] not in writing]
    if any(since < at < line and not passive for at, passive in reads):
        return False
    kept = any(name.startswith("self.") for name in names)
    return kept or any(at > line for at, _ in reads)


@cached_per_scope()
def _loaders(function: FunctionScope) -> dict[str, list[str]]:
    """What the loaders are called that read a place."""
    found: dict[str, list[str]] = {}
    for call in function.calls_to(("DataLoader",)):
        name = place(call.args[0]) if call.args else None
        if name is not None:
            found.setdefault(name, []).extend(targets_of(call, function))
    return found


@cached_per_scope()
def _reads(function: FunctionScope) -> dict[str, list[tuple[int, bool]]]:
    """The lines on which a function reads each place, and whether that leaves the samples alone: a loader is built of
    it, or its length or dataset asked for."""
    found: dict[str, list[tuple[int, bool]]] = {}
    for part in _expressions(function):
        nodes = walk(part)
        passive = {id(a) for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in _PASSIVE for a in n.args}
        passive |= {id(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr in ("dataset", "indices")}
        for node in nodes:
            name = place(node) if isinstance(getattr(node, "ctx", None), ast.Load) else None
            if name is not None and not isinstance(node, ast.Tuple):
                found.setdefault(name, []).append((node.lineno, id(node) in passive))
    return found


def _expressions(function: FunctionScope) -> Iterator[Node]:
    """The statements of a function without blocks, and what stands in the heads of the others."""
    for statement in statements(function):
        if not hasattr(statement, "body") and not hasattr(statement, "cases"):
            yield statement
            continue
        for field in ("test", "iter", "items", "subject"):
            inner = getattr(statement, field, None)
            yield from inner if isinstance(inner, list) else [inner] if inner is not None else []
