"""Is one thing built twice, under the name of training data and under that of held-out data?

    train_set = Rows("train.txt")
    valid_set = Rows("train.txt")              # the same samples: equal in all that chooses them

Two expressions side by side are built alike where their names differ only in the part that they say, and their values
choose the same rows, by words for training or by one slice. How rows are read (shuffling, batch size, transforms)
chooses none.

Unknown: where either is cut, filtered or indexed afterwards (`may_rows_change`), or a name in it is bound again in
between (`has_name_rebound_between`), the rows may differ after all. Of which of them a part is trained on is no matter:
all are held out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.rows.loading import dataset_in
from mllint.semantics.training.rows.usage import HELD_OUT, TEST, TRAINING, unread_counterparts
from mllint.semantics.values.lineage import statements, targets_of

__all__ = [
    "find_data_built_twice", "has_name_rebound_between", "is_data", "may_rows_change", "normalised_text", "values_of",
]  # fmt: skip

_ABOUT = frozenset(
    "classes class_to_idx shape columns data targets labels num_classes n_classes vocab features tolist".split()
)


_NUMBERS = ("len", "int", "min", "max", "next", "range", "sum")
_HELD_WORDS = ("val", "test", "dev", "eval")


def find_data_built_twice(function: FunctionScope) -> Iterator[tuple[Node, str, Node, str]]:
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
            for called in _unpacked_names(function, len(returned.value.elts)):
                yield from _twins(list(zip(called, returned.value.elts, strict=True)), function)


@cached(local=True)
def _speaks_of_both(module: ModuleScope) -> bool:
    """May a file bind both parts, by its text? Asked before anything else is looked at."""
    text = "" if module.source is None else module.source.text
    return _speaks_of_training(text) and any(word in text for word in _HELD_WORDS)


def _speaks_of_training(text: str) -> bool:
    """Is `train` a word of some name or path in a text: `train_`, `_train`, `"train"`, `.train =`?"""
    at = text.find("train")
    while at >= 0:
        end = at + 5
        follows = text[end : end + 1]
        if follows in ("_", ",", "'", '"', ".") or (follows in (" ", ")") and text[at - 1 : at] == "_"):
            return True
        if text.startswith(" =", end):
            return True
        at = text.find("train", end)
    return "trn" in text


def _twins(pairs: list[tuple[str, Node]], function: FunctionScope) -> Iterator[tuple[Node, str, Node, str]]:
    """Those of some names and values that are built built_twice, and not cut afterwards."""
    training = [(name, value) for name, value in pairs if roles.is_training_name(name)]
    if not training:
        return
    for name, value in pairs:
        if not roles.is_held_out_name(name):
            continue
        for other, first in training:
            if _differ_only_in_part(name, other) and is_data(name, value) and _choose_same_rows(value, first, function):
                if _selects_training_rows(first, function) and not may_rows_change(name, function):
                    if not may_rows_change(other, function, dividing=True):
                        yield value, name, first, other


def _repeats(elements: list[Node]) -> bool:
    """May two of some expressions be built_twice, by what they call or take a part of?"""
    calls = [last_name(e.func) for e in elements if isinstance(e, ast.Call)]
    parts = [place(e.value) for e in elements if isinstance(e, ast.Subscript)]
    return len(set(calls)) < len(calls) or len(set(parts)) < len(parts)


def _blocks(function: FunctionScope) -> Iterator[list[Node]]:
    yield function.body
    for statement in statements(function):
        test = getattr(statement, "test", None)
        if test is not None and any(topics.is_about((place(n) or ""), Topic.SMALL) for n in walk(test)):
            continue
        for field in ("body", "orelse"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and inner:
                yield inner


def values_of(statement: Node) -> Iterator[tuple[str, Node]]:
    """(name, value) of the places that a statement binds."""
    for target, value in assigned_pairs(statement):
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        names = [place(part) or "" for part in parts]
        if isinstance(value, ast.Tuple) and len(value.elts) == len(names) and len(parts) > 1:
            yield from zip(names, value.elts, strict=True)
        elif names and (all(map(roles.is_held_out_name, names)) or all(map(roles.is_training_name, names))):
            yield names[-1], value  # of `() = value` there is none


def _unpacked_names(function: FunctionScope, count: int) -> list[list[str]]:
    """What the callers of a function unpack its results into, if they agree."""
    project = function.module.project
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


def _differ_only_in_part(name: str, other: str) -> bool:
    """Do two names differ in the part that they say, and in nothing else?"""
    rest = rest_of_name(name, *HELD_OUT)
    return rest is not None and rest == rest_of_name(other, *TRAINING)


def is_data(name: str, value: Node) -> bool:
    """Is it rows, by its name or by what builds it, and neither a number nor a transform nor a folder?"""
    called = last_name(value.func).lower() if isinstance(value, ast.Call) else ""
    last = name.rpartition(".")[2].lower()
    if called in _NUMBERS or called.startswith("count") or topics.is_count_name(last):
        return False
    if topics.is_about(last, Topic.TRANSFORMS, Topic.FOLDERS) or topics.is_about(called, Topic.TRANSFORMS):
        return False
    if called.endswith("writer") or (topics.is_about(called, Topic.MADE_UP) and called != "random_split"):
        return False
    return (
        bool(topics.is_about(last, Topic.DATA) or topics.is_about(called, Topic.DATA))
        or rest_of_name(last, *HELD_OUT) == ""
    )


def _choose_same_rows(value: Node, first: Node, function: FunctionScope) -> bool:
    """Do two expressions choose the same rows?"""
    if has_name_rebound_between(value, first, function):
        return False
    value, first = _resolved(value, function), _resolved(first, function)
    if isinstance(value, ast.Call) and isinstance(first, ast.Call):
        if normalised_text(value.func) != normalised_text(first.func) or not (value.args or value.keywords):
            return False
        if last_name(value.func) == "DataLoader":
            rows, other = dataset_in(value), dataset_in(first)
            chosen = any(k.arg is None or "sampler" in k.arg for k in (*value.keywords, *first.keywords))
            return rows is not None and other is not None and not chosen and _same_rows(rows, other, function)
        return _same_arguments(value, first, function)
    return isinstance(value, ast.Subscript) and isinstance(first, ast.Subscript) and _same_part(value, first)


def has_name_rebound_between(value: Node, first: Node, function: FunctionScope) -> bool:
    """Does a name in two expressions stand for two things, because it was bound again between them?"""
    at = reaching(function).at
    before = {n.id: at.get(id(n)) for n in walk(first) if isinstance(n, ast.Name)}
    names = (n for n in walk(value) if isinstance(n, ast.Name) and n.id in before)
    return any(at.get(id(n)) != before[n.id] for n in names)


def _same_rows(rows: Node, other: Node, function: FunctionScope) -> bool:
    """The datasets of two loaders, built where they are loaded; those with names are compared where they are built."""
    return isinstance(rows, (ast.Call, ast.Subscript)) and _choose_same_rows(rows, other, function)


def _same_part(value: ast.Subscript, first: ast.Subscript) -> bool:
    """`rows["train"]` twice, or `rows[:a]` and `rows[:b]`."""
    if normalised_text(value.value) != normalised_text(first.value):
        return False
    one, two = value.slice, first.slice
    if isinstance(one, ast.Slice) and isinstance(two, ast.Slice):
        if normalised_text(one) == normalised_text(two):
            return True
        starts = all(s.lower is None and s.upper is not None and s.step is None for s in (one, two))
        return starts and not any(isinstance(s.upper, ast.UnaryOp) for s in (one, two))
    return isinstance(one, ast.Constant) and isinstance(one.value, str) and normalised_text(one) == normalised_text(two)


def _same_arguments(value: ast.Call, first: ast.Call, function: FunctionScope) -> bool:
    """Are the arguments that choose the rows the same?"""
    if len(value.args) != len(first.args):
        return False
    pairs: list[tuple[str, Node, Node]] = [("", a, b) for a, b in zip(value.args, first.args, strict=True)]
    mine = {k.arg: k.value for k in value.keywords}
    theirs = {k.arg: k.value for k in first.keywords}
    pairs += [(name or "", mine.get(name), theirs.get(name)) for name in {*mine, *theirs}]
    for name, given, other in pairs:
        one, two = _resolved(given, function), _resolved(other, function)
        if one is not None and two is not None and not has_name_rebound_between(one, two, function):
            if normalised_text(one) == normalised_text(two) and not isinstance(one, ast.Starred):
                continue
            if isinstance(one, ast.Subscript) and isinstance(two, ast.Subscript) and _same_part(one, two):
                continue
            if (
                isinstance(one, ast.Call)
                and isinstance(two, ast.Call)
                and one.args
                and normalised_text(one.func) == normalised_text(two.func)
            ):
                if _same_arguments(one, two, function):
                    continue
        if name and topics.is_about(name, Topic.READING_OPTIONS) and not topics.is_about(name, Topic.TRAINING_FLAG):
            continue
        if not name and all(_is_option(n) for n in (one, two)):
            continue
        return False
    return True


def _is_option(node: Node) -> bool:
    """Is a positional argument one that says how rows are read, by its name? A slice says which rows they are."""
    if any(isinstance(n, ast.Slice) for n in walk(node)):
        return False
    names = [place(n) or "" for n in walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
    texts = [n.value for n in walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if any(map(roles.is_training_name, (*names, *texts))) or any(map(roles.is_held_out_name, texts)):
        return False
    if any(topics.is_about(t, Topic.TRAINING_PATH) for t in texts):
        return False
    calling = {id(n) for call in walk(node) if isinstance(call, ast.Call) for n in walk(call.func)}
    passed = [place(n) or "" for n in walk(node) if isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in calling]
    lowered = [n.rpartition(".")[2].lower() for n in names]
    return any(topics.is_about(n, Topic.TRANSFORMS) for n in lowered) or any(
        topics.is_about(n.rpartition(".")[2].lower(), Topic.READING_OPTIONS) for n in passed
    )


def _resolved(node: Node, function: FunctionScope) -> Node:
    """What a name stands for, where it is bound once, to a call, a slice or a constant."""
    if isinstance(node, ast.Name):
        bindings = function.bindings.get(node.id, [])
        if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path:
            if isinstance(bindings[0].value, (ast.Call, ast.Subscript, ast.Constant)):
                return bindings[0].value
    return node


def _selects_training_rows(value: Node, function: FunctionScope) -> bool:
    """Does an expression choose training rows by a word, or a part of rows by a slice?"""
    for outer in walk(value):
        for node in walk(_resolved(outer, function)) if isinstance(outer, ast.Name) else (outer,):
            if isinstance(node, ast.Slice):
                return True
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if topics.is_about(node.value, Topic.TRAINING_PATH) and not topics.is_count_name(node.value.lower()):
                    return True
            elif isinstance(node, (ast.Name, ast.Attribute)) and roles.is_training_name(place(node)):
                if not topics.is_count_name(last_name(node).lower()) and _other_unread(node, function):
                    return True
    return False


def _other_unread(node: Node, function: FunctionScope) -> bool:
    """Is the counterpart for held-out rows of a place for training rows bound and unread, or an unread setting?"""
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


def normalised_text(node: Node) -> str:
    """An expression with its layout left out."""
    kind = node.__class__
    if kind is ast.Name:
        return str(node.id)
    if kind is ast.Constant:
        return repr(node.value)
    if kind is ast.Attribute:
        return f"{normalised_text(node.value)}.{node.attr}"
    return f"{kind.__name__}({', '.join(_field(getattr(node, f, None)) for f in kind._fields)})"


def _field(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_field(v) for v in value) + "]"
    return normalised_text(value) if isinstance(value, ast.AST) else repr(value)


def may_rows_change(name: str, function: FunctionScope, *, dividing: bool = False) -> bool:
    """May the rows of a place be others than those that it was built with, by what is done with it?

    Args:
        name: the place.
        function: where it is bound.
        dividing: whether parts may be taken of it, which are still some of these rows: `random_split(rows, [9, 1])`.
    """
    last = name.rpartition(".")[2]
    if name in function.bindings and len(function.bindings[name]) > 1:
        return True
    scopes = function.module.functions if "." in name or function.is_body else [function]
    if any(b.startswith((f"{name}.", f"{name}[")) for scope in scopes for b in scope.bindings):
        return True
    for scope in scopes:
        if isinstance(scope.node, ast.Lambda):
            continue
        for statement in scope.body:
            for node in walk(statement):
                if _may_cut_rows(node, name if "." not in name else last) and not (dividing and _divides(node)):
                    return True
    return False


def _divides(node: Node) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("random_split", "Subset")


def _may_cut_rows(node: Node, last: str) -> bool:
    """Does an expression index, filter or divide the place of that name?"""
    if isinstance(node, ast.Subscript):
        return _is_place_named(node.value, last)
    if isinstance(node, ast.Attribute):
        return _is_place_named(node.value, last) and node.attr not in _ABOUT
    if isinstance(node, ast.Call):
        args = node.args[:1] if last_name(node.func) == "Subset" else node.args  # whose second one is an index
        given = any(_is_place_named(a, last) for a in (*args, *(k.value for k in node.keywords)))
        chosen = any(k.arg is None or "sampler" in k.arg for k in node.keywords)
        return given and (topics.is_about(last_name(node.func), Topic.CHOOSING) or chosen)
    return False


def _is_place_named(node: Node, last: str) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and (place(node) or "").rpartition(".")[2] == last
