"""Are rows scaled or filled by statistics of their own, without an estimator?

    X = (X - X.mean(axis=0)) / X.std(axis=0)     # in one expression
    X -= mean                                    # in steps, with `mean = X.mean(0)` above, or by `X.sub_(mean)`
    df["age"] = df["age"].fillna(df["age"].mean())
    df = df.apply(zscore)                        # a function that does so, column by column

A scale needs both a location and a spread, `mean` and `std` or `min` and `max`: dividing by the maximum of all pixels
is taken for a constant. What is taken along each row (`axis=1`) is no statistic of all rows. Columns that are scaled
in a table count for rows only if these columns are among those that the rows are taken from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import FunctionView
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import Constant, Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, origins, part_at, results_of, statements
from mllint.semantics.values.values import SequenceValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["find_scalings_by_hand", "own_scale"]

_STATISTICS = ("mean", "std", "min", "max", "median", "mode", "var")
_SPREAD = ({"mean", "std"}, {"max", "min"})
_MODULES = ("np", "numpy", "torch", "tf")


def find_scalings_by_hand(rows: Node, function: FunctionView) -> Iterator[tuple[Origin, Node, str]]:
    """The expressions by which rows got a scale, or values for what is missing, from all of them.

    Args:
        rows: the rows.
        function: where they are used.

    Yields:
        The expression, the rows that its statistics are taken from, and "scale" or "fill".
    """
    columns = _values_of_columns(function.scope)
    steps = list(origins(rows, function.frame, through=lambda o: id(o.node) not in columns))
    ways = {(place(o.node), o.frame) for o in steps if isinstance(o.node, (ast.Name, ast.Attribute))}
    found: list[tuple[str, Origin, Node]] = []

    def take(origin: Origin, taken: Iterable[tuple[str, Node]]) -> None:
        for statistic, of in taken:
            if place(of) and (place(of), origin.frame) in ways and not _is_item(of, origin.frame, rows):
                found.append((statistic, origin, of))

    for origin in steps:
        if id(origin.node) not in columns:
            take(origin, _applied(origin.node, origin.frame))
    visited = {id(o.node) for o in steps}
    for statement in _in_place(function.scope):
        if isinstance(statement, ast.AugAssign) and id(statement.value) in visited:
            if isinstance(statement.op, (ast.Sub, ast.Div)):
                take(Origin(statement, function.frame), _statistics(statement.value, function.frame))
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr="sub_" | "div_"), args=[given])):
                if (place(base), function.frame) in ways and statement.lineno < rows.lineno:
                    take(Origin(statement, function.frame), _statistics(given, function.frame))
    yield from _scale_or_fill(found)
    yield from _columns(rows, function)


@cached_per_scope(local=True)
def _values_of_columns(function: FunctionScope) -> set[int]:
    """The ids of what a function assigns to columns and other items."""
    return {id(v) for s in statements(function) for t, v in assigned_pairs(s) if isinstance(t, ast.Subscript)}


@cached_per_scope(local=True)
def _in_place(function: FunctionScope) -> list[ast.stmt]:
    """The statements that may change rows where they are: `rows /= n`, `rows.div_(n)`."""
    return [s for s in statements(function) if isinstance(s, (ast.AugAssign, ast.Expr))]


def _scale_or_fill(found: list[tuple[str, Origin, Node]]) -> Iterator[tuple[Origin, Node, str]]:
    """What some statistics that are applied to rows amount to: a scale, where there is a spread among them."""
    used = {s for s, _, _ in found}
    filled = next(((origin, r) for s, origin, r in found if s == "fill"), None)
    if any(used >= pair for pair in _SPREAD):
        scales = (f for f in found if f[0] != "fill")
        _, first, taken_from = min(scales, key=lambda f: (f[1].node.lineno, f[1].node.col_offset))
        yield first, taken_from, "scale"
    elif filled is not None:
        yield *filled, "fill"


def _is_item(of: Node, frame: Frame, rows: Node) -> bool:
    """Whether a statistic is one of each row by itself: a loop over the rows binds what it is taken of, and the rows
    are divided outside of that loop."""
    bound = frame.function.bindings.get(_root(of), ())
    around = (run.node for run in frame.function.loops if any(n is rows for n in walk(run.node)))
    targets = {id(n) for loop in around if isinstance(loop, ast.For) for n in walk(loop.target)}
    return bool(bound) and all(b.kind == "for" and id(b.node) not in targets for b in bound)


def own_scale(statement: Node, frame: Frame) -> Iterator[Node]:
    """The rows that a statement gives a scale of their own: `x` of `x = (x - x.mean()) / x.std()`, or of a `return`."""
    if not any(frame.function.called_names >= pair for pair in _SPREAD):
        return
    values = (
        [statement.value] if isinstance(statement, ast.Return) else [value for _, value in assigned_pairs(statement)]
    )
    for value in (v for v in values if isinstance(v, ast.BinOp)):
        left = _leftmost(value)
        taken = [pair for n in walk(value) for pair in _applied(n, frame)]
        used = {s for s, r in taken if place(r) == place(left) is not None}
        if any(used >= pair for pair in _SPREAD):
            yield left


def _applied(node: Node, frame: Frame) -> list[tuple[str, Node]]:
    """The statistics that an expression applies to rows, and the rows that each is taken from; "fill" for `fillna`."""
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Div(), right=right):
            return list(_statistics(right, frame))
        case ast.Call(func=ast.Attribute(value=base, attr="fillna"), args=[given, *_]):
            return [("fill", base) for _, r in _statistics(given, frame) if _root(r) == _root(base)][:1]
        case ast.Call(func=ast.Attribute(value=base, attr="apply"), args=[given]) if _scales_columns(given, frame):
            return [(statistic, base) for statistic in _SPREAD[0]] if not _is_along_rows(node, []) else []
    return []


def _scales_columns(given: Node, frame: Frame) -> bool:
    """Does a function scale a column by its own statistics: `zscore`, or `lambda c: (c - c.mean()) / c.std()`?"""
    if isinstance(given, ast.Lambda):
        column = {a.arg for a in given.args.args}
        used = {s for n in walk(given.body) for s, rows in _applied(n, frame) if place(rows) in column}
        return any(used >= pair for pair in _SPREAD)
    function = evaluate(given, frame).function if isinstance(given, (ast.Name, ast.Attribute)) else None
    return function is not None and function.stubbed and effect_of(function, "statistics") is not None


def _leftmost(node: Node) -> Node:
    while isinstance(node, ast.BinOp):
        node = node.left
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr="apply")):
            return base
    return node


def _root(node: Node) -> str:
    """The name of the table that columns or rows are taken from."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return getattr(node, "id", "")


def _statistics(node: Node, frame: Frame, depth: int = 2) -> Iterator[tuple[str, Node]]:
    """The statistics over all rows in an expression, written out or behind names, with the rows they are taken from."""
    for inner in walk(node):
        match inner:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[rows, *more]) if (
                module in _MODULES and name in _STATISTICS
            ):
                if not _is_along_rows(inner, more):
                    yield name, rows
            case ast.Call(func=ast.Attribute(value=rows, attr=name), args=more) if name in _STATISTICS:
                if place(rows) not in _MODULES and not _is_along_rows(inner, more):
                    yield name, rows
            case ast.Name() if depth:
                bound = bound_at(inner, frame.function)
                if len(bound) == 1 and bound[0].kind == "assign":
                    value = part_at(bound[0].value, bound[0].path)
                    if isinstance(value, (ast.Call, ast.BinOp, ast.Subscript)):
                        yield from _statistics(value, frame, depth - 1)


def _is_along_rows(call: ast.Call, given: list[Node]) -> bool:
    """Whether a statistic is taken within each row, `x.mean(axis=1)`, or over more than the rows."""
    axes = [*given[:1], *(k.value for k in call.keywords if k.arg in ("axis", "dim"))]
    return any(getattr(a, "value", None) not in (0, "index") for a in axes)


# ------------------------------------------------------------------------------------------------------- columns
def _columns(rows: Node, function: FunctionView) -> Iterator[tuple[Origin, Node, str]]:
    """`df[names] = (df[names] - df[names].mean()) / df[names].std()`: columns of a table that rows are taken from,
    here, in a function that gives the table back, or in the caller that hands it over. The first of several columns
    stands for all."""
    tables = list(_tables(rows, function))
    yielded: set[str] = set()
    for where in dict.fromkeys(t.where for t in tables):
        at, own = reaching(where.scope).at, [t for t in tables if t.where is where]
        if where.scope.called_names.isdisjoint(("std", "max", "fillna", "apply")):
            continue
        for statement in statements(where.scope):
            written = _written_column(statement, where) if statement.lineno < own[0].until else None
            if written is None:
                continue
            target, new, base = written
            key = target.slice if isinstance(target, ast.Subscript) else None
            for table in own:
                same = base.id == table.name.id and at.get(id(base)) == at.get(id(table.name))
                how = "fill" if _is_fill(new) else "scale"
                if (
                    same
                    and how not in yielded
                    and (not table.chosen or not key or _is_among_chosen(key, table.chosen, where))
                ):
                    yielded.add(how)
                    yield Origin(statement, where.frame), target, how


def _written_column(statement: Node, function: FunctionView) -> tuple[Node, Node, ast.Name] | None:
    """The place of a table that a statement scales or fills by statistics of its own rows, the value, and the table."""
    base: Node
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name() as base) as target], value=new):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="fillna"), keywords=[*_, _]) as new):
            base = target.value if isinstance(target, ast.Subscript) else target
        case _:
            return None
    if not isinstance(base, ast.Name) or not _is_scaled_by_own_rows(new, text(function.module, target), function):
        return None
    return target, new, base


def _is_scaled_by_own_rows(new: Node, written: str, function: FunctionView) -> bool:
    """Whether a value is a place, of this text, that is scaled or filled by statistics of its own rows."""
    module, frame = function.module, function.frame
    taken = [pair for n in walk(new) for pair in _applied(n, frame)]
    if any(s == "fill" and text(module, r) == written for s, r in taken):
        return _is_fill(new)
    used = {s for s, r in taken if text(module, r) == written}
    return text(module, _leftmost(new)) == written and any(used >= pair for pair in _SPREAD)


def _is_fill(new: Node) -> bool:
    return isinstance(new, ast.Call) and last_name(new.func) == "fillna"


class _Table(NamedTuple):
    """A table that rows are taken from.

    Attributes:
        where: the function that its name stands in.
        name: its name.
        chosen: the columns that are taken, None for all.
        until: the line at which they are taken.
    """

    where: FunctionView
    name: ast.Name
    chosen: Origin | None
    until: int


def _tables(rows: Node, function: FunctionView) -> Iterator[_Table]:
    """The tables that all columns, or some, of rows were taken from: `df` of `x = df.drop(columns="y")`, and of
    `x = df[names]`; those of a function that gives the table back, and of the only caller that hands it over, too."""
    inner: Node = rows
    chosen: Origin | None = None
    until = rows.lineno
    for _ in range(6):
        inner, chosen = _whole_table(inner, chosen, function.frame)
        if isinstance(inner, ast.Call):
            inner, function, until = _returned_table(inner, function)
        if not isinstance(inner, ast.Name):
            return
        yield _Table(function, inner, chosen, until)
        bound = bound_at(inner, function.scope)
        if len(bound) != 1:
            return
        if bound[0].kind == "param":
            inner, function, until = _passed_by_only_caller(inner, function)
        else:
            inner = part_at(bound[0].value, bound[0].path) if bound[0].kind == "assign" else None


def _whole_table(inner: Node, chosen: Origin | None, frame: Frame) -> tuple[Node, Origin | None]:
    """What columns are taken from, `df` of `df.iloc[:, :-1].values`, and which, where that is known."""
    while True:
        match inner:
            case ast.Call(func=ast.Attribute(value=below, attr="drop" | "to_numpy" | "copy" | "astype")):
                inner = below
            case ast.Attribute(value=below, attr="values"):
                inner = below
            case ast.Subscript(
                value=ast.Attribute(value=below, attr="iloc"),
                slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), ast.Slice() as columns]),
            ) if _is_all_but_one(columns):
                inner = below
            case ast.Subscript(value=below, slice=which) if chosen is None:
                inner, chosen = below, Origin(which, frame)
            case _:
                return inner, chosen


def _is_all_but_one(columns: ast.Slice) -> bool:
    """Is it `:-1` or `1:`, all columns but the last or the first, which is the target?"""
    match columns:
        case ast.Slice(lower=None, upper=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), step=None):
            return True
        case ast.Slice(lower=ast.Constant(value=1), upper=None, step=None):
            return True
    return False


def _returned_table(call: ast.Call, function: FunctionView) -> tuple[Node, FunctionView, int]:
    """The table that a function of the project gives back, the function, and the line; None where that is no name."""
    given = list(results_of(call, function.frame))
    if len(given) != 1 or not isinstance(given[0][0], ast.Name):
        return None, function, 0
    node, frame = given[0]
    return node, FunctionView(frame.function, frame), node.lineno


def _passed_by_only_caller(parameter: ast.Name, function: FunctionView) -> tuple[Node, FunctionView, int]:
    """What the only caller of a function hands it for a parameter, the caller, and the line of the call."""
    steps = origins(parameter, function.frame, through=lambda o: o.node is parameter)
    given = [o for o in steps if o.node is not parameter]
    if len(given) != 1:
        return None, function, 0
    return given[0].node, FunctionView(given[0].frame.function, given[0].frame), given[0].node.lineno


def _is_among_chosen(column: Node, chosen: Origin, function: FunctionView) -> bool:
    """Whether a column, or one of those that a loop takes one by one, is certainly among chosen ones."""
    for run in function.scope.loops:
        loop = run.node
        if isinstance(loop, ast.For) and isinstance(column, ast.Name) and place(loop.target) == column.id:
            if loop.lineno <= column.lineno <= (loop.end_lineno or 0):
                column = loop.iter
    if text(function.module, column) == text(chosen.frame.module, chosen.node):
        return True
    if isinstance(column, ast.Attribute) and column.attr == "columns":
        return True  # all of them
    return not _listed(Origin(column, function.frame)).isdisjoint(_listed(chosen))


def _listed(columns: Origin) -> set[Constant]:
    """The names of columns that are written out, one or a list of them."""
    if isinstance(columns.node, ast.Constant):
        return {columns.node.value}
    value = columns.value
    return {v.literal for v in value.contents} - {None} if isinstance(value, SequenceValue) else set()
