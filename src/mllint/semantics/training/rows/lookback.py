"""Do rows look at the rows before them, by a method of pandas or by a window that slides?

`df["lag"] = df["price"].shift(1)` does; `pd.Series(signal).diff()` of one signal among many does not, nor does a lag
within a group, one that nothing but a count of sessions is made of, or a column that is dropped before the split. But a
lag of the answers themselves does, within a group, too: `df.groupby("store")["sales"].shift(1)` of rows that are to
predict `sales` puts the answer of a held-out row into the next row.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Constant, Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import text
from mllint.semantics.training.rows import per_iteration
from mllint.semantics.values.classes import method
from mllint.semantics.values.lineage import Origin, origins, resolve_name, statements, targets_of
from mllint.semantics.values.values import (
    ModuleValue,
    Site,
    Value,
)

__all__ = [
    "aggregates_groups", "answer_columns", "is_dropped_before_split", "is_one_row_per_series", "lookback_method",
    "slices_single_row", "window_at",
]  # fmt: skip

_LOOKING_BACK = frozenset("shift rolling pct_change diff ewm".split())
_ROWWISE = frozenset(
    "transform apply shift diff pct_change rolling ewm expanding cumsum cumcount rank ffill bfill".split()
)
_ANSWERS = ("y", "label")
_NAMED = (ast.Constant, ast.Name, ast.Attribute)
_JOINING = frozenset("concat concatenate vstack extend".split())


def aggregates_groups(origin: Origin) -> bool:
    """Is it one row for each group: `df.groupby("session").agg("mean")`? What its columns were made of is behind."""
    match origin.node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(attr="groupby")), attr=word)):
            return word not in _ROWWISE
    return False


def is_one_row_per_series(origin: Origin, steps: list[Origin], split: Call) -> bool:
    """Is it one of many series, each of which becomes a row, and no rows are put below rows?"""
    match origin.node:
        case ast.Call(func=ast.Attribute(value=base)):
            joins = any(isinstance(o.node, ast.Call) and last_name(o.node.func) in _JOINING for o in steps)
            return not joins and per_iteration.is_of_one_iteration(
                Origin(base, origin.frame), split.node, split.function
            )
    return False


def slices_single_row(origin: Origin) -> bool:
    """Does the same slice cut what a loop goes through, one row of many, where the function is called elsewhere?"""
    base = origin.node.value if isinstance(origin.node, ast.Subscript) else None
    if not isinstance(base, ast.Name) or not any(b.kind == "param" for b in _bindings(base, origin)):
        return False
    found = origin.frame.project.callers(origin.frame.function)
    names = ((n, Origin(a, frame)) for call, frame in found for a in call.args for n in walk(a))
    return any(isinstance(n, ast.Name) and _is_bound_by_loop(n, outer) for n, outer in names)


def is_dropped_before_split(origin: Origin, word: str, split: Call) -> bool:
    """Is it a column that is dropped again before the split: `df.drop(columns=["gap"])`?"""
    scope = origin.frame.function
    if word == "window" or isinstance(scope.node, ast.Lambda):
        return False
    for statement in statements(scope):
        for target, value in assigned_pairs(statement):
            key = target.slice if isinstance(target, ast.Subscript) else None
            if isinstance(key, ast.Constant) and any(n is origin.node for n in walk(value)):
                return any(_drops(c, key.value) for c in (*scope.calls, *split.function.calls))
    return False


def _drops(call: ast.Call, column: Constant) -> bool:
    if last_name(call.func) not in ("drop", "pop"):
        return False
    given = (*call.args, *(k.value for k in call.keywords))
    return any(isinstance(n, ast.Constant) and n.value == column for a in given for n in walk(a))


def answer_columns(split: Call) -> frozenset[Constant]:
    """The columns of the answers that a split divides: what it is given behind the rows, `df["sales"]` or
    `df.pop("sales")`, or what a part that it gives is fitted to, `model.fit(train[features], train["sales"])`."""
    function, frame = split.function, split.frame
    answers = [Origin(node, frame) for node in split.node.args[1:] if not isinstance(node, ast.Starred)]
    loops = (run.node for run in function.loops if isinstance(run.node, ast.For))
    drawn = [place(n) for run in loops if any(n is split.node for n in walk(run.iter)) for n in walk(run.target)]
    parts = {*targets_of(split.node, function), *drawn} - {None}
    for node in function.calls if parts else ():
        named = [k.value for k in node.keywords if k.arg in _ANSWERS]
        for answer in (*node.args[1:2], *named):
            if any(place(n) in parts for n in walk(answer)):
                answers.append(Origin(answer, frame))
    found = (o for a in answers for o in origins(a.node, a.frame, through=lambda o: _column(o) is None))
    return frozenset(column for o in found if (column := _column(o)) is not None)


def _column(origin: Origin) -> Constant:
    """`"sales"` of `df["sales"]` and of `df.pop("sales")`, under a name of its own, too."""
    match origin.node:
        case ast.Subscript(slice=key) | ast.Call(func=ast.Attribute(attr="pop"), args=[key]):
            named = Origin(key, origin.frame).value.literal if isinstance(key, _NAMED) else None
            return named if isinstance(named, str) else None
    return None


def lookback_method(origin: Origin, answers: frozenset[Constant] = frozenset()) -> str:
    """The method by which rows look at other rows, "window" for a slice that slides by one, "" for neither.

    Args:
        origin: the call or the slice.
        answers: the columns of the answers, at which rows look back within a group, too.
    """
    match origin.node:
        case ast.Call(func=ast.Attribute(value=base, attr=word), keywords=keywords) if word in _LOOKING_BACK:
            if any(k.arg == "axis" and text(origin.frame.module, k.value) in ("1", "'columns'") for k in keywords):
                return ""  # along a row
            pandas = any(name.partition(".")[0] == "pandas" for name, _ in origin.frame.module.imports)
            if not pandas or _is_module(base, origin) or _is_negative_shift(origin.node) or len(origin.node.args) > 1:
                return ""  # `camera.shift(image, 3)`
            return "" if _is_grouped(base, origin) and _grouped_column(base, origin) not in answers else word
        case ast.Call(func=ast.Attribute(value=base, attr="transform" | "apply"), args=[ast.Lambda() as each]):
            word = next((word for n in walk(each.body) if (word := _looking_back(n))), "")
            return word if answers and _is_grouped(base, origin) and _grouped_column(base, origin) in answers else ""
        case ast.Subscript(value=ast.Name() as base, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            sliding = _slides(lower, upper, origin) or _slides(upper, lower, origin)
            return "window" if sliding and not _is_bound_by_loop(base, origin) else ""
        case ast.Call():
            return "window" if _unfolds(origin) else ""
    return ""


def _unfolds(origin: Origin) -> bool:
    """Does a call cut a series into all its windows: `series.unfold(0, 30, 1)`, `sliding_window_view(series, 30)`?"""
    match origin.node:
        case ast.Call(func=ast.Attribute(attr="unfold"), args=[ast.Constant(value=0), size, step], keywords=[]):
            stride, length = (Origin(n, origin.frame).value.literal for n in (step, size))
            return bool(stride == 1 and length != 1)
        case ast.Call(args=[_, size], keywords=[]):
            return last_name(origin.node.func) == "sliding_window_view" and not isinstance(size, ast.Tuple)
    return False


def window_at(dataset: Value) -> Site | None:
    """Where a dataset of the user's cuts the sample `i` out of one series: `self.series[i : i + length]`, if as many
    of them are counted as begin in the series, so that neighbours overlap."""
    for cls in dataset.classes:
        item, length = (None if cls.module.is_stub else method(cls, name) for name in ("__getitem__", "__len__"))
        if item is None or length is None or len(item.parameters) != 2:
            return None
        index = item.parameters[1].name
        counted = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for n in walk(length.node))
        if not counted or len(item.bindings.get(index, ())) != 1:
            return None
        for node in walk(item.node):
            match node:
                case ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id="self")), slice=ast.Slice(lower=start, upper=end, step=None)
                ) if _spans_window(start, end, index, item):
                    return Site(item.module, node)
    return None


def _spans_window(start: Node, end: Node, index: str, item: FunctionScope) -> bool:
    """Is it `i` and `i + length`, or `j - length` and `j` behind `j = i + length`; written out or under names?"""
    last = resolve_name(end, item)
    if not isinstance(last, ast.BinOp) or not isinstance(last.op, ast.Add) or not _begins_with(last, index):
        return False
    match start:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Sub()):
            return isinstance(end, ast.Name) and name == end.id
    return place(resolve_name(start, item)) == index


def _begins_with(end: ast.BinOp, index: str) -> bool:
    """Is it `i + length`, and not `i + 1`?"""
    while isinstance(end.left, ast.BinOp) and isinstance(end.left.op, ast.Add):
        end = end.left
    one = isinstance(end.right, ast.Constant) and end.right.value == 1
    return isinstance(end.left, ast.Name) and end.left.id == index and not one


def _is_grouped(base: Node, origin: Origin) -> bool:
    """Do rows look back within their own group only?"""
    steps = origins(base, origin.frame, through=lambda o: not isinstance(o.node, ast.Call) or o.node is base)
    return any(isinstance(n, ast.Attribute) and n.attr == "groupby" for o in steps for n in walk(o.node))


def _grouped_column(base: Node, origin: Origin) -> Constant:
    """`"sales"` of `df.groupby("store")["sales"]`, under a name, too."""
    steps = origins(base, origin.frame, through=lambda o: not isinstance(o.node, (ast.Call, ast.Subscript)))
    columns = (o for o in steps if isinstance(o.node, ast.Subscript) and _is_grouping(o.node.value, o))
    return next((_column(o) for o in columns), None)


def _is_grouping(node: Node, origin: Origin) -> bool:
    made = resolve_name(node, origin.frame.function)
    return isinstance(made, ast.Call) and last_name(made.func) == "groupby"


def _looking_back(node: Node) -> str:
    """The method of a call by which a series looks back: `s.shift(1)`."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKING_BACK
    return node.func.attr if called and not _is_negative_shift(node) else ""


def _is_module(node: Node, origin: Origin) -> bool:
    return isinstance(node, ast.Name) and isinstance(Origin(node, origin.frame).value, ModuleValue)


def _is_negative_shift(call: ast.Call) -> bool:
    """`shift(-1)` makes a label out of the next row."""
    return bool(call.args) and isinstance(call.args[0], ast.UnaryOp)


def _slides(start: Node, end: Node, origin: Origin) -> bool:
    """`i` and `i + k`, where `i` counts by one."""
    if not isinstance(start, ast.Name) or not isinstance(end, ast.BinOp) or not isinstance(end.op, (ast.Add, ast.Sub)):
        return False
    if not isinstance(end.left, ast.Name) or end.left.id != start.id:
        return False
    counted = [b.value for b in _bindings(start, origin) if b.kind in ("for", "comp")]
    return bool(counted) and all(
        isinstance(v, ast.Call) and last_name(v.func) in ("range", "trange") and len(v.args) < 3 for v in counted
    )


def _bindings(node: ast.Name, origin: Origin) -> tuple[Binding, ...]:
    return bound_at(node, origin.frame.function)


def _is_bound_by_loop(base: ast.Name, origin: Origin) -> bool:
    """Is what is sliced itself one of many: a row of a loop, directly or as an argument?"""
    for binding in _bindings(base, origin):
        if binding.kind in ("for", "comp"):
            return True
        if binding.kind == "param":
            bound = origin.frame.bound or {}
            given = bound.get(base.id)
            if isinstance(given, Passed):
                outer = Origin(*given)
                if any(_is_bound_by_loop(n, outer) for n in walk(given.node) if isinstance(n, ast.Name)):
                    return True
    return False
