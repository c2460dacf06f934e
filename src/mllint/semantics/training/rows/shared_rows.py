"""Which rows does an expression choose, and do two choices share some?

    rows[:800], rows[700:]                     # share 100 rows: constant bounds
    rows[:n], rows[n:]                         # share none: one ends where the other begins
    df.sample(frac=0.8), df.sample(frac=0.2)   # share some by chance: each is drawn of all rows

Two slices of one sequence overlap for certain where they begin or end together, or by their numbers; a slice lies in
the whole. How far two computed bounds are apart nobody can tell: of those nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.rows import built_alike
from mllint.semantics.training.rows.splits import rows_taken_by_range
from mllint.semantics.training.rows.usage import HELD_OUT
from mllint.semantics.values.lineage import statements

__all__ = ["BY_INDEX", "choice", "find_independent_samples", "sampled_table", "share_rows"]

BY_INDEX = ("Subset", "SubsetRandomSampler")
_SMALL_PART = 0.05  # of the training rows: as much may lie before a test part on purpose, as a window does
_OPEN = 1 << 60
_SPLIT = "train_test_split"
_FROM_FOLDERS = (
    "audio_dataset_from_directory", "image_dataset_from_directory", "text_dataset_from_directory"
)  # fmt: skip


def choice(value: Node) -> Node:
    """The expression that chooses rows in what is bound: a slice, or the name of all of them; None without one."""
    if isinstance(value, (ast.Name, ast.Attribute)):
        return value
    slices = [n for n in walk(value) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)]
    if slices:
        return (
            slices[0]
            if all(built_alike.normalised_text(n.slice) == built_alike.normalised_text(slices[0].slice) for n in slices)
            else None
        )
    if isinstance(value, ast.Call) and last_name(value.func) in BY_INDEX and value.args:
        if _bounds(value) is not None:
            return value
        return value.args[-1] if isinstance(value.args[-1], (ast.Name, ast.Attribute)) else None
    return None


def share_rows(rows: Node, spared: Node) -> bool:
    """Do rows that are trained on and a slice of held-out rows share some for certain?"""
    first, second = _bounds(rows), _bounds(spared)
    if first is not None and second is not None:
        low, high, second_low, second_high = (_number(b) for b in (*first[1:], *second[1:]))
        if first[0] != second[0] or low is None or high is None or second_low is None or second_high is None:
            return False
        return _numbers_overlap(low, high, second_low, second_high)
    if not isinstance(spared, ast.Subscript):
        return False
    if not isinstance(rows, ast.Subscript):
        return place(rows) is not None and place(rows) == place(spared.value)
    one: Node = rows.slice
    two: Node = spared.slice
    if built_alike.normalised_text(rows.value) != built_alike.normalised_text(
        spared.value
    ) or built_alike.normalised_text(one) == built_alike.normalised_text(two):
        return False
    if not isinstance(one, ast.Slice) or not isinstance(two, ast.Slice) or one.step or two.step:
        return False
    numbers = [_number(b) for b in (one.lower, one.upper, two.lower, two.upper)]
    if all(n is not None for n in numbers):
        return _numbers_overlap(*numbers)  # type: ignore[arg-type]  # none of them is None
    if (
        one.lower is not None
        and two.lower is not None
        and built_alike.normalised_text(one.lower) == built_alike.normalised_text(two.lower)
    ):
        return True
    ends = [b.upper for b in (one, two)]
    if one.lower is None and two.lower is None and ends[0] is not None and ends[1] is not None:
        return True  # both begin with the first row
    if ends[0] is None or ends[1] is None:
        return ends[0] is ends[1]
    return built_alike.normalised_text(ends[0]) == built_alike.normalised_text(ends[1]) and not (
        one.lower is None and two.lower is None
    )


def _bounds(value: Node) -> tuple[str, Node, Node] | None:
    """What is cut, and from where to where, in `Subset(rows, range(0, 800))`; None of anything else."""
    taken = rows_taken_by_range(value) if last_name(getattr(value, "func", None)) in BY_INDEX else None
    return (built_alike.normalised_text(taken[0]), *taken[1:]) if taken is not None else None


def _number(bound: Node) -> float | None:
    """A constant bound; an absent one is open, one that is computed None."""
    if bound is None:
        return _OPEN
    if isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub):
        bound, sign = bound.operand, -1
    else:
        sign = 1
    known = isinstance(bound, ast.Constant) and isinstance(bound.value, int)
    return sign * bound.value if known else None


def _numbers_overlap(low: float, high: float, second_low: float, second_high: float) -> bool:
    """Do two slices with constant bounds overlap by more than a window?"""
    low, second_low = (0 if n == _OPEN else n for n in (low, second_low))
    if all(n >= 0 for n in (low, high, second_low, second_high)):
        shared = min(high, second_high) - max(low, second_low)
        return shared > _SMALL_PART * (min(high, second_high) - low)
    if low == 0 and high < 0 and second_low < 0 and second_high == _OPEN:
        return second_low < high
    return False


# ------------------------------------------------------------------------------------------------------- by chance
def find_independent_samples(function: FunctionScope) -> Iterator[tuple[Node, str, Node, str]]:
    """Two samples that are drawn of one table independently, one for training and one that is held out.

    Yields:
        The sample for training, its name, the held-out one, and its name.
    """
    if function.called_names.isdisjoint(("sample", _SPLIT, *_FROM_FOLDERS)) or isinstance(function.node, ast.Lambda):
        return
    yield from _read_by_two_seeds(function)
    drawn = [
        (name, node) for s in statements(function) for name, node in _bound_samples(s) if _sampled(node) is not None
    ]
    for name, first in (pair for pair in drawn if roles.is_training_name(pair[0])):
        for other, second in drawn:
            if roles.rest_of_name(other, *HELD_OUT) != roles.rest_of_name(name, Role.TRAINING_ROWS):
                continue
            rows, spared = _sampled(first), _sampled(second)
            at = reaching(function).at
            same = place(rows) == place(spared) is not None and at.get(id(rows)) == at.get(id(spared))
            if (
                same
                and not _is_one_split(first, second)
                and not any(_may_be_separated(n, function) for n in (name, other))
            ):
                yield first, name, second, other


def sampled_table(sample: Node) -> Node:
    """The table of `df.sample(frac=0.2)`, which can be asked for its other rows; None of another sample."""
    match sample:
        case ast.Call(func=ast.Attribute(value=table, attr="sample")) if _sampled(sample) is table:
            return table
    return None


def _read_by_two_seeds(function: FunctionScope) -> Iterator[tuple[Node, str, Node, str]]:
    """The two parts of one folder that Keras shuffles by two seeds before it cuts each of them off."""
    parts: dict[str, list[tuple[str, ast.Call, dict[str | None, Node]]]] = {"training": [], "validation": []}
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            if isinstance(value, ast.Call) and last_name(value.func) in _FROM_FOLDERS and place(target):
                given = {k.arg: k.value for k in value.keywords}
                part = getattr(given.get("subset"), "value", None)
                parts.get(part if isinstance(part, str) else "", []).append((place(target) or "", value, given))
    for name, first, given in parts["training"]:
        for other, second, also in parts["validation"]:
            seeds = [getattr(words.get("seed"), "value", None) for words in (given, also)]
            same = [ast.dump(a) for a in first.args] == [ast.dump(a) for a in second.args]
            if same and None not in seeds and seeds[0] != seeds[1] and None not in given and None not in also:
                if not any("shuffle" in words for words in (given, also)):
                    yield first, name, second, other


def _may_be_separated(name: str, function: FunctionScope) -> bool:
    """May rows of a sample be taken out again: is it bound anew, its index read, anything but columns taken, or asked
    what is in it?"""
    if len(function.bindings.get(name, ())) != 1:
        return True
    for node in (n for s in function.body for n in walk(s)):
        match node:
            case ast.Attribute(value=base, attr="index" | "isin" | "merge" | "drop_duplicates" | "query" | "loc"):
                pass
            case ast.Subscript(value=base, slice=key) if not isinstance(key, (ast.Constant, ast.List)):
                pass
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[base]):
                pass
            case ast.Call(func=ast.Name(id="set" | "frozenset"), args=[base]):
                pass
            case _:
                continue
        if place(base) == name:
            return True
    return False


def _bound_samples(statement: Node) -> Iterator[tuple[str, Node]]:
    return ((place(target) or "", value) for target, value in assigned_pairs(statement))


def _sampled(node: Node) -> Node:
    """The table of `df.sample(frac=0.2)`, of `random.sample(rows, 100)`, and of `rows.train_test_split(0.1)["test"]`;
    None of anything else."""
    match node:
        case ast.Call(func=ast.Attribute(attr="sample"), args=[rows, _]):
            return rows
        case ast.Call(func=ast.Attribute(attr="sample"), args=[rows], keywords=[ast.keyword(arg="k")]):
            return rows
        case ast.Call(func=ast.Attribute(value=rows, attr="sample"), args=args, keywords=keywords):
            sized = bool(args) or any(k.arg in ("n", "frac") for k in keywords)
            return rows if sized else None
        case ast.Subscript(value=ast.Call(func=ast.Attribute(value=rows, attr=name)), slice=ast.Constant()):
            return rows if name == _SPLIT else None
    return None


def _is_one_split(first: Node, second: Node) -> bool:
    """Do two calls split alike, by one seed, or one of them at all in the order of the rows?"""
    calls = [node.value for node in (first, second) if isinstance(node, ast.Subscript)]
    options = [
        {k.arg: built_alike.normalised_text(k.value) for k in c.keywords} for c in calls if isinstance(c, ast.Call)
    ]
    if len(options) < 2:
        return False
    return (
        None in options[0]
        or None in options[1]
        or any("shuffle" in words for words in options)
        or ("seed" in options[0] and options[0].get("seed") == options[1].get("seed"))
    )
