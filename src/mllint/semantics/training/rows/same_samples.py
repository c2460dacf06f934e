"""Are two datasets, or two loaders, of one function the same samples?

    a = MNIST(root, train=True)                # the same class, and equal arguments that choose samples
    b = MNIST(root, train=True, transform=tf)  # a transform chooses no samples

Compared is how datasets are constructed, in the function and in each of its branches (`blocks`). Two test sets that are
the same samples do harm for certain only where the file trains on one of them.

Unknown: what is cut, filtered or handed to a sampler later (`may_change_later`) may be other samples after all, and
data that was handed in as values is equal to nothing but itself.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Argument, Call, FunctionView
from mllint.semantics.libraries.classes import DATASET, LOADER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.nodes import Node, all_arguments, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.rows import loading
from mllint.semantics.training.rows.forwarded import is_any_read
from mllint.semantics.training.rows.usage import is_read
from mllint.semantics.values.evaluate import bindings_value, evaluate
from mllint.semantics.values.lineage import resolve_name, results_of
from mllint.semantics.values.values import ClassValue, LiteralValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = [
    "Block", "Loaded", "blocks", "find_equal_constructions", "find_same_flag_in_branches",
    "first_spare", "may_build_both_parts", "may_use_both_parts", "test_sets_of_training_part",
]  # fmt: skip

_TRAINING = ("backward", "fit", "manual_backward", "train_step", "train_epoch", "train_one_epoch", "train")
_LOOKING = frozenset("len print str info debug DistributedSampler RandomSampler SequentialSampler".split())
_ROWS = frozenset("data targets labels test_data test_labels train_data train_labels classes".split())


def _is_small(function: FunctionView, node: ast.Call) -> bool:
    """Does a branch or the function around a call say that it is for debugging?"""
    branches = [n for s in function.scope.body for n in walk(s) if isinstance(n, ast.If)]
    around = [b for b in branches if b.lineno <= node.lineno <= (b.end_lineno or 0)]
    texts = [function.scope.name, *(text(function.module, b.test, 200) for b in around)]
    return any(topics.is_about(s, Topic.SMALL) for s in texts)


def _says_test(name: str) -> bool:
    """Does a name say test rows, and no other part?"""
    return roles.rows_by_name(name) is Role.TEST_ROWS


def _chooses_training(call: ast.Call) -> bool:
    """Is it built with `train=True`, written out?"""
    return any(k.arg == "train" and isinstance(k.value, ast.Constant) and k.value.value is True for k in call.keywords)


@cached()
def may_use_both_parts(module: ModuleScope) -> bool:
    """Is something in a file that takes data for training and data for evaluation? A cheap look."""
    names = module.calls_by_name.keys()
    known = not names.isdisjoint(("DataLoader", "fit")) or any(name.endswith("Trainer") for name in names)
    return known or not module.calls_by_keyword.keys().isdisjoint(("train", "split"))


def may_build_both_parts(function: FunctionView) -> bool:
    """May a function build datasets of two parts, by the keywords of its calls?"""
    return any(k.arg in ("train", "split") for call in function.scope.calls for k in call.keywords)


class Block(NamedTuple):
    """The places that are bound to the result of a call, once, in one block of a function.

    Args:
        calls: the calls, by place.
        apart: the lines, from first to last, that never run with the block: the other branches.
        own: what the block itself binds, and not the function around it.
    """

    calls: dict[str, Call]
    apart: tuple[tuple[int, int], ...] = ()
    own: frozenset[str] = frozenset()

    def may_run_with(self, node: Node) -> bool:
        """Whether a node may run after what the block binds."""
        return not any(first <= node.lineno <= last for first, last in self.apart)


def blocks(function: FunctionView) -> Iterator[Block]:
    """What the function itself binds, then what each branch binds, but for those on something like debugging."""
    always = _bound_calls(function, function.scope.body, function.scope.bindings)
    yield Block(always, (), frozenset(always))
    loads = "DataLoader" in function.scope.called_names or _is_of_data_module(function)
    stack: list[tuple[Node, tuple[tuple[int, int], ...]]]
    stack = [(s, ()) for s in function.scope.body if loads and isinstance(s, ast.If)]
    while stack:
        branch, others = stack.pop()
        if not topics.is_about(text(function.module, branch.test, 200), Topic.SMALL):
            for block, other in ((branch.body, branch.orelse), (branch.orelse, branch.body)):
                apart = (*others, (other[0].lineno, other[-1].end_lineno or 0)) if other else others
                nested = [s for s in block if isinstance(s, ast.If)]
                if nested != block:
                    found = _bound_calls(function, block, None)
                    yield Block({**always, **found} if found else found, apart, frozenset(found))
                stack += [(s, apart) for s in nested]


def _is_of_data_module(function: FunctionView) -> bool:
    """Is it a method of what hands out loaders, which builds what they read: `setup` beside `val_dataloader`?"""
    return function.owner is not None and "val_dataloader" in function.owner.methods


def _bound_calls(
    function: FunctionView, body: list[Node], everywhere: Mapping[str, list[Binding]] | None
) -> dict[str, Call]:
    """The places that a block binds to the result of a call, once: in the function, if its bindings are given."""
    found: dict[str, Call] = {}
    names = [(place(t), v) for statement in body for s in _unconditional(statement) for t, v in assigned_pairs(s)]
    here = Counter([name for name, _ in names])
    for name, value in names:
        if name is None or not isinstance(value, ast.Call):
            continue
        once = here[name] if everywhere is None else len(everywhere.get(name, ()))
        call = Call(value, function.frame)
        if once == 1 or (everywhere is not None and _is_loader_wrapped_later(name, call, everywhere.get(name, ()))):
            found[name] = call
    return found


def _is_loader_wrapped_later(name: str, call: Call, bindings: Sequence[Binding]) -> bool:
    """Is a place bound to a loader, and anew only to what a call makes of it: `loader = prepare(loader)`?"""
    others = [b.value for b in bindings if b.value is not call.node]
    if len(others) != len(bindings) - 1 or not all(isinstance(v, ast.Call) for v in others):
        return False
    given = [{place(a) for a in all_arguments(v)} for v in others if isinstance(v, ast.Call)]
    return all(name in places for places in given) and call.value.instance_of(LOADER)


def _unconditional(statement: Node) -> Iterator[Node]:
    """A statement, and those that a `with` or the main guard always runs."""
    yield statement
    guarded = isinstance(statement, ast.If) and "__name__" in {last_name(n) for n in walk(statement.test)}
    if guarded or isinstance(statement, (ast.With, ast.Try)):
        for inner in statement.body:
            yield from _unconditional(inner)


def _dataset_of(call: Call) -> Call | None:
    """The dataset that is constructed here: by the call itself, or as the first argument of a loader."""
    call = _construction_of(call)
    if call.value.instance_of(LOADER):
        given = call.argument("dataset")
        if given is None or not isinstance(given.node, ast.Call) or loading.may_have_sampler(call):
            return None
        call = Call(given.node, call.frame)
    classes = all(isinstance(v, ClassValue) for v in call.callee.alternatives)
    return call if classes and call.value.instance_of(DATASET) else None


def _construction_of(made: Call) -> Call:
    """The construction of a loader or a dataset: the call itself, or what a function of the user's returns that knows
    nothing but what the file does, but for how samples are transformed."""
    if isinstance(made.callee, ClassValue):
        return made
    own = (place(made.node.func) or "").startswith("self.")
    match list(results_of(made.node, made.frame)):
        case [(node, frame)]:
            built = resolve_name(node, frame.function)
            if isinstance(built, ast.Call) and made.value.instance_of(LOADER, DATASET):
                call = Call(built, frame)
                chosen = [a.node for a in call.arguments if not _transforms(a)]
                if not any(_is_of_function(n, frame, own) for node in chosen for n in walk(node)):
                    return call
    return made


def _is_of_function(node: Node, frame: Frame, own: bool) -> bool:
    """Is it a name that a function binds or is given, and whose value is not written out? With `own`, `self` is the
    caller's."""
    if not isinstance(node, ast.Name) or node.id not in frame.function.bindings or (own and node.id == "self"):
        return False
    return not isinstance(evaluate(node, frame), LiteralValue)


def find_equal_constructions(
    function: FunctionView, block: Block
) -> Iterator[tuple[str, Call, str, Call, Answer[bool]]]:
    """Two datasets of one class with the same arguments, one named for training, the other for evaluation.

    Args:
        function: the function.
        block: what is bound in it, or in one of its branches.

    Yields:
        The name and the construction of the training data, those of the held-out data, and how well it is known that
        they do harm: two test sets in a file that trains nothing may only be looked at.
    """
    bound = block.calls
    made = [(name, dataset) for name, call in bound.items() if (dataset := _dataset_of(call)) is not None]
    named = [(name, dataset, _names_of(name, bound)) for name, dataset in made]
    training = [(n, d) for n, d, names in named if _says_only(names, roles.is_training_name, roles.is_held_out_name)]
    holding = [(n, d) for n, d, names in named if _says_only(names, roles.is_held_out_name, roles.is_training_name)]
    for name, first in training:
        for other, second in holding:
            if first is second or not _same_class(first, second) or _key(first) != _key(second):
                continue
            if block.own.isdisjoint((name, other)):
                continue  # of the function, which is asked by itself
            if not _may_change_later(
                function, other, block
            ):  # of training data a part is enough: it is among the other
                trains = any(word in function.module.calls_by_name for word in _TRAINING)
                looked_at = proven_unless(_key(first)[0] == "test" and not trains, True)
                difference = _are_different_parts(second, _names_of(name, bound), _names_of(other, bound))
                read = is_any_read((name, other), function.scope)
                places = [d if d.frame is bound[n].frame else bound[n] for n, d in ((name, first), (other, second))]
                yield name, places[0], other, places[1], min(looked_at, difference, read, key=_evidence)


def _are_different_parts(second: Call, training: list[str], holding: list[str]) -> Answer[bool]:
    """That one is trained on and the other held out: as well known as by the most telling name of each."""
    telling = [n for n in training if roles.is_training_name(n)], [n for n in holding if roles.is_held_out_name(n)]
    answers = [[roles.parts_by_name(second.site, name) for name in names] for names in telling]
    return min((max(each, key=_evidence) for each in answers), key=_evidence)


def _evidence(answer: Answer[bool]) -> Evidence:
    return answer.evidence


def _says_only(names: list[str], own: Callable[[str], bool], against: Callable[[str], bool]) -> bool:
    """Whether some of the names of one thing say one part, and none says another."""
    return any(map(own, names)) and not any(map(against, names))


def _same_class(one: Call, other: Call) -> bool:
    """Are two datasets of one class, or of whichever of several classes one name stands for?"""
    if isinstance(one.callee, ClassValue):
        return isinstance(other.callee, ClassValue) and one.callee.cls is other.callee.cls
    return one.name == other.name and isinstance(one.node.func, ast.Name)


def _names_of(dataset: str, bound: dict[str, Call]) -> list[str]:
    """The name of a dataset, and those of the loaders that read it."""
    readers = [n for n, c in bound.items() if c.node.args and place(c.node.args[0]) == dataset]
    return [dataset, *readers]


def _key(call: Call) -> tuple[str, Hashable]:
    """The arguments that choose the samples; None-like uniqueness for data that was handed in as values."""
    chosen = {
        a.parameter or str(i): repr(a.value.value) if isinstance(a.value, LiteralValue) else a.text
        for i, a in enumerate(call.arguments)
        if not _transforms(a)
    }
    chosen.pop("download", None)
    part = next((r.part for r in call.value.all_provenance), "whole")
    folder = call.last_name in ("ImageFolder", "DatasetFolder")
    sliced = any(isinstance(a.node, ast.Subscript) and isinstance(a.node.slice, ast.Slice) for a in call.arguments)
    literal = [a for a in call.arguments if not _transforms(a)]
    read = all(isinstance(a.value, LiteralValue) for a in literal) and any("/" in str(a.value.literal) for a in literal)
    same = part in ("train", "test", "heldout") or folder or sliced or read
    return (part, tuple(sorted(chosen.items()))) if same else ("", id(call.node))


def _transforms(argument: Argument) -> bool:
    """Does an argument say how samples are transformed, and not which ones they are?"""
    return topics.is_about(argument.parameter, Topic.TRANSFORMS) or topics.is_about(argument.text, Topic.TRANSFORMS)


def _may_change_later(function: FunctionView, name: str, block: Block) -> bool:
    """Is a dataset changed, or handed to anything but a plain loader, so that its samples may differ after all?"""
    if any(b.startswith(f"{name}.") for b in function.scope.bindings):
        return True
    if block.calls[name].value.instance_of(LOADER):
        return False  # whoever gets it reads the samples that it was built with
    bindings = ((other, b) for other, found in function.scope.bindings.items() for b in found)
    names = {name, *(other for other, b in bindings if b.kind == "assign" and place(b.value) == name)}
    returned = {place(n) for r in function.scope.returns if r.value is not None for n in walk(r.value)}
    local = not function.scope.is_body and "." not in name and names.isdisjoint(returned)
    for scope in (function.scope,) if local else function.module.functions:
        for call in (c for c in scope.calls if block.may_run_with(c)):
            given = [*call.args, *(k.value for k in call.keywords)]
            used = any(place(n) in names for g in given for n in _outside_of_loaders(g))
            if not used or last_name(call.func) in _LOOKING:
                continue
            if last_name(call.func) != "DataLoader" or not _reads_all(Call(call, function.project.frame(scope))):
                return True
    return False


def _reads_all(loader: Call) -> bool:
    """Does a loader read all samples of its dataset, in whatever order?"""
    sampler = loader.argument("sampler")
    whole = sampler is not None and sampler.value.instance_of(
        "torch.utils.data.distributed.DistributedSampler",
        "torch.utils.data.RandomSampler",
        "torch.utils.data.SequentialSampler",
    )
    return whole or not loading.may_have_sampler(loader)


def _outside_of_loaders(node: Node) -> Iterator[Node]:
    """The nodes of an argument, without what a loader in it is given: that call is looked at by itself."""
    calls = (n for n in walk(node) if isinstance(n, ast.Call))
    loaders = [n for n in calls if last_name(n.func) in ("DataLoader", "len")]
    read = [n.value for n in walk(node) if isinstance(n, ast.Attribute) and n.attr in _ROWS]
    inside = {id(n) for outer in (*loaders, *read) for n in walk(outer)}
    return (n for n in walk(node) if id(n) not in inside)


def first_spare(function: FunctionView, loaded: Iterable[Argument], bound: Mapping[str, Call]) -> tuple[float, str]:
    """Where is the first held-out dataset of a function that none of its loaders reads?

    Args:
        function: the function.
        loaded: the datasets that its loaders read.
        bound: what it binds to the result of a call, by place.

    Returns:
        The line (from 1) on which it is made, and its name; infinity where there is none.
    """
    used = {place(d.node) for d in loaded}
    made = [(call.node.lineno, name) for name, call in bound.items() if name not in used and _is_held_out(name, call)]
    for line, name, bindings in _assigned_beside(function.scope):
        if name not in used:
            value = bindings_value(bindings, function.frame)
            if value.instance_of(LOADER) or isinstance(value, LiteralValue):
                continue
            if value.comes_from("heldout", "test") or (
                roles.is_held_out_name(name) and not is_read(name, function.scope)
            ):
                made.append((line, name))
    return min(made, default=(float("inf"), ""))


def _is_held_out(name: str, call: Call) -> bool:
    """Is the result of a call, bound to a name, held-out rows, and no loader of them?"""
    held_out = not roles.is_training_name(name) and call.value.comes_from("heldout", "test")
    return bool(held_out and not call.value.instance_of(LOADER))


class Loaded:
    """The datasets that the loaders of some names read, to be asked for the same one.

    Args:
        datasets: by the name of the loader, in the order in which they are preferred.
        function: the function of all of them.
    """

    def __init__(self, datasets: Mapping[str, Argument], function: FunctionView) -> None:
        self._datasets, self._function = datasets, function
        self._names: dict[str | int, dict[str, None]] = {}  # the loaders, by a name or an identity of their datasets
        for name, data in datasets.items():
            for key in self._keys(data):
                self._names.setdefault(key, {})[name] = None

    def loader_of(self, given: Argument) -> str | None:
        """The first loader that reads the same dataset, known as one object or written alike."""
        alike = {name for key in self._keys(given) for name in self._names.get(key, ())}
        for name in self._datasets if len(alike) > 1 else alike:
            if name in alike and self._is_same(self._datasets[name], given):
                return name
        return None

    def _is_same(self, one: Argument, other: Argument) -> bool:
        """Are two arguments one object, or written alike, with what they name not bound anew on the way?"""
        if one.value.same_as(other.value):
            return True
        name = place(one.node)
        first, last = sorted((one.node.lineno, other.node.lineno))
        bound = self._function.scope.bindings.get(name, ()) if name is not None else ()
        return name == place(other.node) and not any(first < getattr(b.node, "lineno", 0) < last for b in bound)

    @staticmethod
    def _keys(data: Argument) -> set[str | int]:
        name, identity = place(data.node), data.value.identity
        return {*data.value.identities, *((name,) if name else ()), *((identity,) if identity else ())}


@cached_per_scope(local=True)
def _assigned_beside(function: FunctionScope) -> list[tuple[int, str, list[Binding]]]:
    """The places that are only assigned, and not named for training, each with the line on which it is first."""
    return [
        (min(getattr(b.node, "lineno", 0) for b in bindings), name, bindings)
        for name, bindings in function.bindings.items()
        if bindings and not roles.is_training_name(name) and all(b.kind == "assign" for b in bindings)
    ]


# ------------------------------------------------------------------------------------------------- flags for a part
def test_sets_of_training_part(function: FunctionView) -> Iterator[tuple[Call, str, str]]:
    """`test_set = MNIST(root, train=True)` next to another training set, where nothing is built with `train=False`.

    Yields:
        The call, the place that it is bound to, and the name that says that it is for testing.
    """
    scope = function.scope
    if "train" not in function.module.calls_by_keyword or not any(map(_chooses_training, scope.calls)):
        return
    for name, bindings in scope.bindings.items():
        node = bindings[0].value
        if len(bindings) > 1 or bindings[0].kind != "assign" or not isinstance(node, ast.Call):
            continue
        if not _chooses_training(node) or not any(map(_says_test, (name, scope.name))) or _is_small(function, node):
            continue
        call = Call(node, function.frame)
        others = [c for c, _ in function.project.calls_named(call.last_name) if c is not node]
        if not others or not all(map(_chooses_training, others)) or not call.value.comes_from("train"):
            continue
        if call.value.instance_of(DATASET) and not _may_change_later(function, name, Block({name: call})):
            yield call, name, name if _says_test(name) else scope.name


def find_same_flag_in_branches(function: FunctionView) -> Iterator[tuple[str, Node, Node]]:
    """The flags `train=True` below `split == "test"`, where the branch for "train" builds the same with the same flag;
    none where rows are chosen in the function as well.

    Yields:
        What is called, the flag in the branch for the test part, and the one in the branch for training.
    """
    given = function.module.calls_by_keyword
    if "train" not in given and "split" not in given:
        return
    if any(topics.is_about(name, Topic.SUBSETS) for name in function.scope.called_names):
        return
    for node in every_statement(function.node):
        branches = dict(_branches(node)) if isinstance(node, ast.If) else {}
        for training, flag in _training_flags(branches.get("train", [])):
            for held, own in _training_flags(branches.get("test", [])):
                if place(held.func) == place(training.func) and own.arg == flag.arg:
                    yield place(held.func) or "", own.value, flag.value


def _branches(node: Node) -> Iterator[tuple[str, list[Node]]]:
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


def _compared_part(test: Node) -> tuple[str, str] | None:
    """The place and the word of `split == "test"`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
            name = place(left)
            return (name, word.lower()) if name else None
    return None


def _training_flags(body: list[Node]) -> Iterator[tuple[Node, Node]]:
    """The calls in a branch that are told `train=True` or `split="train"`, with that keyword."""
    for call in (n for s in body for n in walk(s) if isinstance(n, ast.Call)):
        for keyword in call.keywords:
            value = getattr(keyword.value, "value", None) if isinstance(keyword.value, ast.Constant) else None
            if (keyword.arg == "train" and value is True) or (keyword.arg == "split" and value == "train"):
                yield call, keyword
