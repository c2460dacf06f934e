"""Is one dataset built twice, under the name of training data and under that of held-out data?

    train_set = Rows("train.txt")
    valid_set = Rows("train.txt")              # the same samples: equal in all that chooses them
    test_set = MNIST(root, train=True)         # the same as another `MNIST(root, train=True, transform=tf)`

Two things are built alike where their names differ only in the part that they say, or where class and arguments that
choose samples are equal. How rows are read (shuffling, batch size, transforms) chooses none.

Unknown: where either is cut, filtered, indexed or handed to a sampler afterwards, the samples may differ after all;
data that was handed in as values is equal to nothing but itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import Module, assigned, last_name, place, walk
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import records, roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.rows import loading
from mllint.semantics.training.rows.usage import HELD_OUT, TEST, TRAINING, is_read, unread_counterparts
from mllint.semantics.values.evaluate import bindings_value
from mllint.semantics.values.lineage import statements, targets_of

__all__ = [
    "DATASET",
    "LOADER",
    "bound_anew",
    "bound_together",
    "built_twice",
    "changed",
    "chooses",
    "constructs_twice",
    "cut_later",
    "dataset_of",
    "is_data",
    "key",
    "names_of",
    "pairs_up",
    "same_class",
    "says_test",
    "small",
    "spare",
    "values_of",
    "written",
    "written_alike",
]

_ABOUT = frozenset(
    "classes class_to_idx shape columns data targets labels num_classes n_classes vocab features tolist".split()
)


_NUMBERS = ("len", "int", "min", "max", "next", "range", "sum")


def built_twice(function: FunctionScope) -> Iterator[tuple[Any, str, Any, str]]:
    """The value that is bound as held-out data, its name, the equal one bound as training data, and its name."""
    if isinstance(function.node, ast.Lambda) or not _speaks_of_both(function.module):
        return
    if len(function.calls) <= len(function.called_names):
        return  # nothing is called twice
    names = function.bindings
    if (
        any(map(roles.is_training_name, names))
        and any(map(roles.is_held_out_name, names))
        and not topics.is_about(function.name, Topic.SMALL)
    ):
        for block in _blocks(function):
            pairs = [pair for s in block if isinstance(s, (ast.Assign, ast.AnnAssign)) for pair in values_of(s)]
            yield from _twins(pairs, function)
    for returned in function.returns:
        if isinstance(returned.value, ast.Tuple) and _repeats(returned.value.elts):
            for called in _called(function, len(returned.value.elts)):
                yield from _twins(list(zip(called, returned.value.elts, strict=True)), function)


_HELD_WORDS = ("val", "test", "dev", "eval")


@cached(local=True)
def _speaks_of_both(module: Module) -> bool:
    """May a file bind both parts, by its text? Asked before anything else is looked at."""
    said = "" if module.source is None else module.source.text
    return _speaks_of_training(said) and any(word in said for word in _HELD_WORDS)


def _speaks_of_training(said: str) -> bool:
    """Is `train` a word of some name or path in a text: `train_`, `_train`, `"train"`, `.train =`?"""
    at = said.find("train")
    while at >= 0:
        end = at + 5
        follows = said[end : end + 1]
        if follows in ("_", ",", "'", '"', ".") or (follows in (" ", ")") and said[at - 1 : at] == "_"):
            return True
        if said.startswith(" =", end):
            return True
        at = said.find("train", end)
    return "trn" in said


def _twins(pairs: list[tuple[str, Any]], function: FunctionScope) -> Iterator[tuple[Any, str, Any, str]]:
    """Those of some names and values that are built built_twice, and not cut afterwards."""
    training = [(name, value) for name, value in pairs if roles.is_training_name(name)]
    for name, value in pairs if training else ():
        for other, first in training if roles.is_held_out_name(name) else ():
            if _one_name(name, other) and is_data(name, value) and _same(value, first, function):
                if says_training(first, function) and not any(changed(n, function) for n in (name, other)):
                    yield value, name, first, other


def _repeats(elements: list[Any]) -> bool:
    """May two of some expressions be built_twice, by what they call or take a part of?"""
    calls = [last_name(e.func) for e in elements if isinstance(e, ast.Call)]
    parts = [place(e.value) for e in elements if isinstance(e, ast.Subscript)]
    return len(set(calls)) < len(calls) or len(set(parts)) < len(parts)


def _blocks(function: FunctionScope) -> Iterator[list[Any]]:
    yield function.body
    for statement in statements(function):
        test = getattr(statement, "test", None)
        if test is not None and any(topics.is_about((place(n) or ""), Topic.SMALL) for n in walk(test)):
            continue
        for field in ("body", "orelse"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and inner:
                yield inner


def values_of(statement: Any) -> Iterator[tuple[str, Any]]:
    """(name, value) of the places that a statement binds."""
    for target, value in assigned(statement):
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        names = [place(part) or "" for part in parts]
        if isinstance(value, ast.Tuple) and len(value.elts) == len(names) and len(parts) > 1:
            yield from zip(names, value.elts, strict=True)
        elif all(map(roles.is_held_out_name, names)) or all(map(roles.is_training_name, names)):
            yield names[-1], value


def _called(function: FunctionScope, count: int) -> list[list[str]]:
    """What the callers of a function unpack its results into, if they agree."""
    project = function.module.project
    assert project is not None
    calls = project.calls_named(function.name)
    written = [list(targets_of(call, scope)) for call, scope in calls if isinstance(scope, FunctionScope)]
    if not any(
        any(map(roles.is_training_name, names)) and any(map(roles.is_held_out_name, names)) for names in written
    ):
        return []  # before anybody asks which function is called
    found = []
    for call, frame in project.callers(function):
        found.append([name.rpartition(".")[2] for name in targets_of(call, frame.function)])
    return [found[0]] if found and len(found[0]) == count and all(names == found[0] for names in found) else []


def _one_name(name: str, other: str) -> bool:
    """Do two names differ in the part that they say, and in nothing else?"""
    rest = rest_of_name(name, *HELD_OUT)
    return rest is not None and rest == rest_of_name(other, *TRAINING)


def is_data(name: str, value: Any) -> bool:
    """Is it rows, by its name or by what builds it, and neither a number nor a transform nor a folder?"""
    called = last_name(value.func).lower() if isinstance(value, ast.Call) else ""
    last = name.rpartition(".")[2].lower()
    if (
        called in _NUMBERS
        or topics.counts_something(last)
        or called.startswith("count")
        or called.endswith("writer")
        or topics.is_about(last, Topic.TRANSFORMS)
        or topics.is_about(called, Topic.TRANSFORMS)
        or (topics.is_about(called, Topic.MADE_UP) and called != "random_split")
        or topics.is_about(last, Topic.FOLDERS)
    ):
        return False
    return (
        bool(topics.is_about(last, Topic.DATA) or topics.is_about(called, Topic.DATA))
        or rest_of_name(last, *HELD_OUT) == ""
    )


def _same(value: Any, first: Any, function: FunctionScope) -> bool:
    """Do two expressions choose the same rows?"""
    if bound_anew(value, first, function):
        return False
    value, first = _resolved(value, function), _resolved(first, function)
    if isinstance(value, ast.Call) and isinstance(first, ast.Call):
        if written(value.func) != written(first.func) or not (value.args or value.keywords):
            return False
        if last_name(value.func) == "DataLoader":
            rows, other = _rows(value), _rows(first)
            chosen = any(k.arg is None or "sampler" in k.arg for k in (*value.keywords, *first.keywords))
            return rows is not None and other is not None and not chosen and _same_rows(rows, other, function)
        return _same_arguments(value, first, function)
    return isinstance(value, ast.Subscript) and isinstance(first, ast.Subscript) and _same_part(value, first)


def bound_anew(value: Any, first: Any, function: FunctionScope) -> bool:
    """Does a name in two expressions stand for two things, because it was bound again between them?"""
    at = reaching(function).at
    before = {n.id: at.get(id(n)) for n in walk(first) if isinstance(n, ast.Name)}
    names = (n for n in walk(value) if isinstance(n, ast.Name) and n.id in before)
    return any(at.get(id(n)) != before[n.id] for n in names)


def _same_rows(rows: Any, other: Any, function: FunctionScope) -> bool:
    """The datasets of two loaders, built where they are loaded; those with names are compared where they are built."""
    return isinstance(rows, (ast.Call, ast.Subscript)) and _same(rows, other, function)


def _same_part(value: ast.Subscript, first: ast.Subscript) -> bool:
    """`rows["train"]` twice, or `rows[:a]` and `rows[:b]`."""
    if written(value.value) != written(first.value):
        return False
    one, two = value.slice, first.slice
    if isinstance(one, ast.Slice) and isinstance(two, ast.Slice):
        if written(one) == written(two):
            return True
        starts = all(s.lower is None and s.upper is not None and s.step is None for s in (one, two))
        return starts and not any(isinstance(s.upper, ast.UnaryOp) for s in (one, two))
    return isinstance(one, ast.Constant) and isinstance(one.value, str) and written(one) == written(two)


def _same_arguments(value: ast.Call, first: ast.Call, function: FunctionScope) -> bool:
    """Are the arguments that choose the rows the same?"""
    if len(value.args) != len(first.args):
        return False
    pairs: list[tuple[str, Any, Any]] = [("", a, b) for a, b in zip(value.args, first.args, strict=True)]
    mine = {k.arg: k.value for k in value.keywords}
    theirs = {k.arg: k.value for k in first.keywords}
    pairs += [(name or "", mine.get(name), theirs.get(name)) for name in {*mine, *theirs}]
    for name, given, other in pairs:
        one, two = _resolved(given, function), _resolved(other, function)
        if one is not None and two is not None and not bound_anew(one, two, function):
            if written(one) == written(two) and not isinstance(one, ast.Starred):
                continue
            if isinstance(one, ast.Subscript) and isinstance(two, ast.Subscript) and _same_part(one, two):
                continue
            if (
                isinstance(one, ast.Call)
                and isinstance(two, ast.Call)
                and one.args
                and written(one.func) == written(two.func)
            ):
                if _same_arguments(one, two, function):
                    continue
        if name and topics.is_about(name, Topic.READING_OPTIONS) and not topics.is_about(name, Topic.TRAINING_FLAG):
            continue
        if not name and all(_option(n) for n in (one, two)):
            continue
        return False
    return True


def _option(node: Any) -> bool:
    """Is a positional argument one that says how rows are read, by its name?"""
    names = [place(n) or "" for n in walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
    said = [n.rpartition(".")[2].lower() for n in names]
    texts = [n.value for n in walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if any(map(roles.is_training_name, (*names, *texts))) or any(map(roles.is_held_out_name, texts)):
        return False
    return any(topics.is_about(n, Topic.READING_OPTIONS) or topics.is_about(n, Topic.TRANSFORMS) for n in said)


def _rows(loader: ast.Call) -> Any:
    return loader.args[0] if loader.args else next((k.value for k in loader.keywords if k.arg == "dataset"), None)


def _resolved(node: Any, function: FunctionScope) -> Any:
    """What a name stands for, where it is bound once, to a call, a slice or a constant."""
    if isinstance(node, ast.Name):
        bindings = function.bindings.get(node.id, [])
        if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path:
            if isinstance(bindings[0].value, (ast.Call, ast.Subscript, ast.Constant)):
                return bindings[0].value
    return node


def says_training(value: Any, function: FunctionScope) -> bool:
    """Does an expression choose training rows by a word, or a part of rows by a slice?"""
    for outer in walk(value):
        for node in walk(_resolved(outer, function)) if isinstance(outer, ast.Name) else (outer,):
            if isinstance(node, ast.Slice):
                return True
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if topics.is_about(node.value, Topic.TRAINING_PATH) and not topics.counts_something(node.value.lower()):
                    return True
            elif isinstance(node, (ast.Name, ast.Attribute)) and roles.is_training_name(place(node)):
                if not topics.counts_something(last_name(node).lower()) and _other_unread(node, function):
                    return True
    return False


def _other_unread(node: Any, function: FunctionScope) -> bool:
    """Is the place for held-out rows beside one for training rows bound and unread, or a setting that nobody reads?"""
    name = place(node) or ""
    if isinstance(node, ast.Name) or name.startswith("self."):
        return next(unread_counterparts(name, TRAINING, function, HELD_OUT), None) is not None
    wanted = rest_of_name(name, *TRAINING)
    read = (n for s in function.body for n in walk(s) if isinstance(n, ast.Attribute))
    beside = [n for n in read if place(n.value) == place(node.value) and not _is_test(n.attr)]
    return not any(rest_of_name(place(n), *HELD_OUT) == wanted for n in beside)


def _is_test(name: str) -> bool:
    """Does a name say test data, which validation data does not replace?"""
    return roles.has_role_name(name, *TEST)


def written(node: Any) -> str:
    """An expression with its layout left out."""
    kind = node.__class__
    if kind is ast.Name:
        return str(node.id)
    if kind is ast.Constant:
        return repr(node.value)
    if kind is ast.Attribute:
        return f"{written(node.value)}.{node.attr}"
    return f"{kind.__name__}({', '.join(_field(getattr(node, f, None)) for f in kind._fields)})"


def _field(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_field(v) for v in value) + "]"
    return written(value) if isinstance(value, ast.AST) else repr(value)


def changed(name: str, function: FunctionScope) -> bool:
    """May the rows of a place be others than those that it was built with, by what is done with it?"""
    last = name.rpartition(".")[2]
    if name in function.bindings and len(function.bindings[name]) > 1:
        return True
    scopes = function.module.functions if "." in name or function.is_body else [function]
    if any(b.startswith((f"{name}.", f"{name}[")) for scope in scopes for b in scope.bindings):
        return True
    for scope in scopes:
        for statement in scope.body if not isinstance(scope.node, ast.Lambda) else ():
            for node in walk(statement):
                if _cutting(node, name if "." not in name else last):
                    return True
    return False


def _cutting(node: Any, last: str) -> bool:
    """Does an expression index, filter or divide the place of that name?"""
    if isinstance(node, ast.Subscript):
        return _named(node.value, last)
    if isinstance(node, ast.Attribute):
        return _named(node.value, last) and node.attr not in _ABOUT
    if isinstance(node, ast.Call):
        args = node.args[:1] if last_name(node.func) == "Subset" else node.args  # whose second one is an index
        given = any(_named(a, last) for a in (*args, *(k.value for k in node.keywords)))
        chosen = any(k.arg is None or "sampler" in k.arg for k in node.keywords)
        return given and (topics.is_about(last_name(node.func), Topic.CHOOSING) or chosen)
    return False


def _named(node: Any, last: str) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and (place(node) or "").rpartition(".")[2] == last


DATASET = "torch.utils.data.Dataset"


LOADER = "torch.utils.data.DataLoader"


def small(function: Function, node: ast.Call) -> bool:
    """Does a branch or the function around a call say that it is for debugging?"""
    branches = [n for s in function.scope.body for n in walk(s) if isinstance(n, ast.If)]
    around = [b for b in branches if b.lineno <= node.lineno <= (b.end_lineno or 0)]
    said = [function.scope.name, *(text(function.module, b.test, 200) for b in around)]
    return any(topics.is_about(s, Topic.SMALL) for s in said)


def says_test(name: str) -> bool:
    """Does a name say test rows, and no other part?"""
    return roles.rows_by_name(name) is Role.TEST_ROWS


def chooses(call: ast.Call) -> bool:
    """Is it built with `train=True`, written out?"""
    return any(k.arg == "train" and isinstance(k.value, ast.Constant) and k.value.value is True for k in call.keywords)


@cached()
def pairs_up(module: Module) -> bool:
    """Is something in a file that takes data for training and data for evaluation? A cheap look."""
    names = module.calls_by_name.keys()
    known = not names.isdisjoint(("DataLoader", "fit")) or any(name.endswith("Trainer") for name in names)
    return known or not module.calls_by_keyword.keys().isdisjoint(("train", "split"))


def constructs_twice(function: Function) -> bool:
    """May a function build datasets of two parts, by the keywords of its calls?"""
    return any(k.arg in ("train", "split") for call in function.scope.calls for k in call.keywords)


def bound_together(function: Function) -> Iterator[records.Bound]:
    """What the function itself binds, then what each branch binds, but for those on something like debugging."""
    always = _bound_calls(function, function.scope.body, function.scope.bindings)
    yield records.Bound(always, (), frozenset(always))
    loads = "DataLoader" in function.scope.called_names
    stack: list[tuple[Any, tuple[tuple[int, int], ...]]]
    stack = [(s, ()) for s in function.scope.body if loads and isinstance(s, ast.If)]
    while stack:
        branch, others = stack.pop()
        if not topics.is_about(text(function.module, branch.test, 200), Topic.SMALL):
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


def dataset_of(call: Call) -> Call | None:
    """The dataset that is constructed here: by the call itself, or as the first argument of a loader."""
    if call.value.instance_of(LOADER):
        given = call.argument("dataset")
        if given is None or not isinstance(given.node, ast.Call) or loading.chosen_otherwise(call):
            return None
        call = Call(given.node, call.frame)
    classes = all(v.kind == "class" for v in call.callee.alternatives)
    return call if classes and call.value.instance_of(DATASET) else None


def same_class(one: Call, other: Call) -> bool:
    """Are two datasets of one class, or of whichever of several classes one name stands for?"""
    if one.callee.kind == "class":
        return one.callee.of is other.callee.of
    return one.name == other.name and isinstance(one.node.func, ast.Name)


def names_of(dataset: str, bound: dict[str, Call]) -> list[str]:
    """The name of a dataset, and those of the loaders that read it."""
    readers = [n for n, c in bound.items() if c.node.args and place(c.node.args[0]) == dataset]
    return [dataset, *readers]


def key(call: Call) -> tuple[str, Any]:
    """The arguments that choose the samples; None-like uniqueness for data that was handed in as values."""
    chosen = {
        a.parameter or str(i): repr(a.value.of) if a.value.kind == "literal" else a.text
        for i, a in enumerate(call.arguments)
        if "transform" not in a.parameter and not topics.is_about(a.text, Topic.TRANSFORMS)
    }
    chosen.pop("download", None)
    part = next((r.part for r in call.value.all_roots), "whole")
    folder = call.last_name in ("ImageFolder", "DatasetFolder")
    sliced = any(isinstance(a.node, ast.Subscript) and isinstance(a.node.slice, ast.Slice) for a in call.arguments)
    literal = [
        a for a in call.arguments if "transform" not in a.parameter and not topics.is_about(a.text, Topic.TRANSFORMS)
    ]
    read = all(a.value.kind == "literal" for a in literal) and any("/" in str(a.value.of) for a in literal)
    same = part in ("train", "test", "heldout") or folder or sliced or read
    return (part, tuple(sorted(chosen.items()))) if same else ("", id(call.node))


def cut_later(function: Function, name: str, block: records.Bound) -> bool:
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


def written_alike(one: Argument, other: Argument, function: Function) -> bool:
    """Are two arguments written alike, and is what they name not bound anew on the way?"""
    name = place(one.node)
    first, last = sorted((one.node.lineno, other.node.lineno))
    bound = function.scope.bindings.get(name, ()) if name is not None else ()
    return name == place(other.node) and not any(first < getattr(b.node, "lineno", 0) < last for b in bound)


def spare(function: Function, given: Argument, loaded: Any, bound: dict[str, Call]) -> bool:
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
            if not call.value.instance_of(LOADER):
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
            if value.instance_of(LOADER) or value.kind == "literal":
                continue
            if value.comes_from("heldout", "test") or (
                roles.is_held_out_name(name) and not is_read(name, function.scope)
            ):
                return True
    return False
