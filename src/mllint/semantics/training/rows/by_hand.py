"""Are rows scaled or filled by statistics of their own, without an estimator?

    X = (X - X.mean(axis=0)) / X.std(axis=0)     # in one expression
    X -= mean                                    # in steps, with `mean = X.mean(0)` above, or by `X.sub_(mean)`
    df["age"] = df["age"].fillna(df["age"].mean())

A scale needs both a location and a spread, `mean` and `std` or `min` and `max`: dividing by the maximum of all pixels
is taken for a constant. What is taken along each row (`axis=1`) is no statistic of all rows. Columns that are scaled
in a table count for rows only if these columns are among those that the rows are taken from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import assigned, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins, part_at, statements
from mllint.semantics.values.values import SequenceValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mllint.semantics.flow.views import FunctionView
    from mllint.semantics.values.frames import Frame

__all__ = ["own_scale", "scaled_by_hand"]

_STATISTICS = ("mean", "std", "min", "max", "median", "mode", "var")
_SPREAD = ({"mean", "std"}, {"max", "min"})
_MODULES = ("np", "numpy", "torch", "tf")


def scaled_by_hand(rows: Any, function: FunctionView) -> Iterator[tuple[Origin, Any, str]]:
    """The expressions by which rows got a scale, or values for what is missing, from all of them.

    Args:
        rows: the rows.
        function: where they are used.

    Yields:
        The expression, the rows that its statistics are taken from, and "scale" or "fill".
    """
    columns = {id(v) for s in statements(function.scope) for t, v in assigned(s) if isinstance(t, ast.Subscript)}
    steps = list(origins(rows, function.frame, through=lambda o: id(o.node) not in columns))
    ways = {(place(o.node), o.frame) for o in steps if isinstance(o.node, (ast.Name, ast.Attribute))}
    found: list[tuple[str, Origin, Any]] = []

    def take(origin: Origin, taken: Iterable[tuple[str, Any]]) -> None:
        for statistic, of in taken:
            if place(of) and (place(of), origin.frame) in ways and not _is_item(of, origin.frame, rows):
                found.append((statistic, origin, of))

    for origin in steps:
        if id(origin.node) not in columns:
            take(origin, _applied(origin.node, origin.frame))
    visited = {id(o.node) for o in steps}
    for statement in statements(function.scope):
        if isinstance(statement, ast.AugAssign) and id(statement.value) in visited:
            if isinstance(statement.op, (ast.Sub, ast.Div)):
                take(Origin(statement, function.frame), _statistics(statement.value, function.frame))
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr="sub_" | "div_"), args=[given])):
                if (place(base), function.frame) in ways and statement.lineno < rows.lineno:
                    take(Origin(statement, function.frame), _statistics(given, function.frame))
    yield from _scale_or_fill(found)
    yield from _columns(rows, function)


def _scale_or_fill(found: list[tuple[str, Origin, Any]]) -> Iterator[tuple[Origin, Any, str]]:
    """What some statistics that are applied to rows amount to: a scale, where there is a spread among them."""
    used = {s for s, _, _ in found}
    filled = next(((origin, r) for s, origin, r in found if s == "fill"), None)
    if any(used >= pair for pair in _SPREAD):
        scales = (f for f in found if f[0] != "fill")
        _, first, taken_from = min(scales, key=lambda f: (f[1].node.lineno, f[1].node.col_offset))
        yield first, taken_from, "scale"
    elif filled is not None:
        yield *filled, "fill"


def _is_item(of: Any, frame: Frame, rows: Any) -> bool:
    """Whether a statistic is one of each row by itself: a loop over the rows binds what it is taken of, and the rows
    are divided outside of that loop."""
    bound = frame.function.bindings.get(_root(of), ())
    around = (run.node for run in frame.function.loops if any(n is rows for n in walk(run.node)))
    targets = {id(n) for loop in around if isinstance(loop, ast.For) for n in walk(loop.target)}
    return bool(bound) and all(b.kind == "for" and id(b.node) not in targets for b in bound)


def own_scale(statement: Any, frame: Frame) -> Iterator[Any]:
    """The rows that a statement gives a scale of their own: `x` of `x = (x - x.mean()) / x.std()`, or of a `return`."""
    if not any(frame.function.called_names >= pair for pair in _SPREAD):
        return
    values = [statement.value] if isinstance(statement, ast.Return) else [value for _, value in assigned(statement)]
    for value in (v for v in values if isinstance(v, ast.BinOp)):
        left = _leftmost(value)
        taken = [pair for n in walk(value) for pair in _applied(n, frame)]
        used = {s for s, r in taken if place(r) == place(left) is not None}
        if any(used >= pair for pair in _SPREAD):
            yield left


def _applied(node: Any, frame: Frame) -> list[tuple[str, Any]]:
    """The statistics that an expression applies to rows, and the rows that each is taken from; "fill" for `fillna`."""
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Div(), right=right):
            return list(_statistics(right, frame))
        case ast.Call(func=ast.Attribute(value=base, attr="fillna"), args=[given, *_]):
            return [("fill", base) for _, r in _statistics(given, frame) if _root(r) == _root(base)][:1]
    return []


def _leftmost(node: Any) -> Any:
    while isinstance(node, ast.BinOp):
        node = node.left
    return node


def _root(node: Any) -> str:
    """The name of the table that columns or rows are taken from."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return getattr(node, "id", "")


def _statistics(node: Any, frame: Frame, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """The statistics over all rows in an expression, written out or behind names, with the rows they are taken from."""
    for inner in walk(node):
        match inner:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[rows, *more]) if (
                module in _MODULES and name in _STATISTICS
            ):
                if not _along_rows(inner, more):
                    yield name, rows
            case ast.Call(func=ast.Attribute(value=rows, attr=name), args=more) if name in _STATISTICS:
                if place(rows) not in _MODULES and not _along_rows(inner, more):
                    yield name, rows
            case ast.Name() if depth:
                bound = reaching(frame.function).at.get(id(inner), ())
                if len(bound) == 1 and bound[0].kind == "assign":
                    value = part_at(bound[0].value, bound[0].path)
                    if isinstance(value, (ast.Call, ast.BinOp, ast.Subscript)):
                        yield from _statistics(value, frame, depth - 1)


def _along_rows(call: ast.Call, given: list[Any]) -> bool:
    """Whether a statistic is taken within each row, `x.mean(axis=1)`, or over more than the rows."""
    axes = [*given[:1], *(k.value for k in call.keywords if k.arg in ("axis", "dim"))]
    return any(getattr(a, "value", None) not in (0, "index") for a in axes)


# ------------------------------------------------------------------------------------------------------- columns
def _columns(rows: Any, function: FunctionView) -> Iterator[tuple[Origin, Any, str]]:
    """`df[names] = (df[names] - df[names].mean()) / df[names].std()`: columns of a table that rows are taken from."""
    at, module = reaching(function.scope).at, function.module
    if function.scope.called_names.isdisjoint(("std", "max", "fillna")):
        return
    tables = list(_tables(rows, function))
    base: Any
    for statement in statements(function.scope):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name() as base) as target], value=new):
                written = text(module, target)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="fillna"), keywords=[*_, _]) as new):
                base, written = target.value if isinstance(target, ast.Subscript) else target, text(module, target)
            case _:
                continue
        if statement.lineno >= rows.lineno or not isinstance(base, ast.Name) or not _by_own(new, written, function):
            continue
        key = target.slice if isinstance(target, ast.Subscript) else None
        for table, chosen in tables:
            same = base.id == table.id and at.get(id(base)) == at.get(id(table))
            if same and (chosen is None or key is None or _among(key, chosen, function)):
                yield Origin(statement, function.frame), target, "fill" if _is_fill(new) else "scale"
                break


def _by_own(new: Any, written: str, function: FunctionView) -> bool:
    """Whether a value is a place, of this text, that is scaled or filled by statistics of its own rows."""
    module, frame = function.module, function.frame
    taken = [pair for n in walk(new) for pair in _applied(n, frame)]
    if any(s == "fill" and text(module, r) == written for s, r in taken):
        return _is_fill(new)
    used = {s for s, r in taken if text(module, r) == written}
    return text(module, _leftmost(new)) == written and any(used >= pair for pair in _SPREAD)


def _is_fill(new: Any) -> bool:
    return isinstance(new, ast.Call) and last_name(new.func) == "fillna"


def _tables(rows: Any, function: FunctionView) -> Iterator[tuple[ast.Name, Any]]:
    """The names of tables that all columns, or some, of rows were taken from, and which: `df` of
    `x = df.drop(columns="y")`, and of `x = df[names]`."""
    inner, chosen = rows, None
    for _ in range(5):
        while True:
            match inner:
                case ast.Call(func=ast.Attribute(value=below, attr="drop" | "to_numpy" | "copy" | "astype")):
                    inner = below
                case ast.Attribute(value=below, attr="values"):
                    inner = below
                case ast.Subscript(value=below, slice=which) if chosen is None:
                    inner, chosen = below, which
                case _:
                    break
        if not isinstance(inner, ast.Name):
            return
        yield inner, chosen
        bound = reaching(function.scope).at.get(id(inner), ())
        if len(bound) != 1 or bound[0].kind != "assign" or bound[0].path:
            return
        inner = bound[0].value


def _among(column: Any, chosen: Any, function: FunctionView) -> bool:
    """Whether a column, or those that a loop takes one by one, are certainly among chosen ones."""
    for run in function.scope.loops:
        loop = run.node
        if isinstance(loop, ast.For) and isinstance(column, ast.Name) and place(loop.target) == column.id:
            if loop.lineno <= column.lineno <= (loop.end_lineno or 0):
                column = loop.iter
    if text(function.module, column) == text(function.module, chosen):
        return True
    listed = {v.literal for v in evaluate(chosen, function.frame).contents} if _is_list(chosen, function) else set()
    return isinstance(column, ast.Constant) and column.value in listed


def _is_list(node: Any, function: FunctionView) -> bool:
    return isinstance(evaluate(node, function.frame), SequenceValue)
