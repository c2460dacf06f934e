"""Do held-out rows take part in what the others are prepared with, where no estimator is fitted on all of them?

`x = (x - x.mean()) / x.std()` above the split of `x`, and a scaler that is fitted on both parts of a split, joined
again. By form, in one function.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._unread import HELD_OUT, stem
from mllint.semantics import Function, text
from mllint.semantics.evaluate import evaluate
from mllint.semantics.lineage import statements
from mllint.semantics.module import last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.parts import held, own_statistics, trained

__all__ = ["joined_parts", "on_request", "scaled_by_themselves", "scaled_in_fragment"]

_JOINS = ("concat", "concatenate", "vstack", "append", "r_")
_TABLES = ("", "x", "data", "df", "set", "features", "inputs")
_SPREAD = (("mean", "std"), ("max", "min"))


def scaled_by_themselves(rows: Any, function: Function) -> Iterator[tuple[Any, str]]:
    """The statement by which rows got a new scale from all of them, and their name, where they are divided later."""
    at = reaching(function.scope).at
    bound = at.get(id(rows), ())
    if not isinstance(rows, ast.Name) or len(bound) != 1 or bound[0].kind != "assign" or bound[0].path:
        return
    yield from _columns(rows, function)
    for statement in statements(function.scope):
        if getattr(statement, "value", None) is not bound[0].value:
            continue
        for name, used in own_statistics(statement):
            if used in _SPREAD and not any(of_each_row(n, name) for n in walk(bound[0].value)):
                yield statement, name


def _columns(rows: ast.Name, function: Function) -> Iterator[tuple[Any, str]]:
    """`df[names] = (df[names] - df[names].mean()) / df[names].std()`: columns of a table that is divided later."""
    called = function.scope.called_names
    if not (called >= {"mean", "std"} or called >= {"min", "max"}):
        return
    module, at = function.module, reaching(function.scope).at
    tables = list(_tables(rows, function))
    for statement in statements(function.scope):
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=name) as base) as target], value=ast.BinOp() as new
            ):
                columns, written = _turned_over(target.slice, function), text(module, target)
                for table, chosen in tables:
                    known = at.get(id(base)) == at.get(id(table)) and chosen in (None, columns)
                    if name == table.id and known and statement.lineno < rows.lineno and _spread(new, written, module):
                        yield statement, written
                        break


def _tables(rows: ast.Name, function: Function) -> Iterator[tuple[ast.Name, str | None]]:
    """The names of tables that all columns, or some, of rows were taken from, and the text of which: `df` of
    `x = df.drop(columns="y")`, and of `x = df[names]`."""
    node, chosen = rows, None
    for _ in range(4):
        yield node, chosen
        bound = reaching(function.scope).at.get(id(node), ())
        if len(bound) != 1 or bound[0].kind != "assign" or bound[0].path:
            return
        inner = bound[0].value
        while True:
            match inner:
                case ast.Call(func=ast.Attribute(value=below, attr="drop" | "to_numpy" | "copy" | "astype")):
                    inner = below
                case ast.Attribute(value=below, attr="values"):
                    inner = below
                case ast.Subscript(value=below, slice=which) if chosen is None:
                    inner, chosen = below, text(function.module, which)
                case _:
                    break
        if not isinstance(inner, ast.Name):
            return
        node = inner


def _turned_over(which: Any, function: Function) -> str:
    """The text of the columns that a subscript means: of what a loop takes them from, if it takes them one by one."""
    for run in function.scope.loops:
        loop = run.node
        if isinstance(loop, ast.For) and isinstance(which, ast.Name) and place(loop.target) == which.id:
            if loop.lineno <= which.lineno <= (loop.end_lineno or 0):
                return text(function.module, loop.iter)
    return text(function.module, which)


def _spread(new: ast.BinOp, written: str, module: Any) -> bool:
    """Is it a place, of this text, that is moved and divided by statistics of its own rows, and by nothing else's?"""
    left: ast.expr = new
    while isinstance(left, ast.BinOp):
        left = left.left
    asked = [n for n in walk(new) if isinstance(n, ast.Call)]
    own = [n for n in asked if isinstance(n.func, ast.Attribute) and text(module, n.func.value) == written]
    if len(own) < len(asked) or any(n.args or n.keywords for n in own) or text(module, left) != written:
        return False
    used = tuple(sorted({last_name(n.func) for n in own}))
    return used in _SPREAD or used == ("max", "mean", "min")


def scaled_in_fragment(function: Function) -> Iterator[tuple[Any, str]]:
    """`x_test = (x_test - x_test.min()) / ...` in a fragment, which bound it nowhere so far and names no training
    rows: the statement and the name."""
    if not function.scope.is_body or function.module.stars:
        return
    for statement in statements(function.scope):
        for name, used in own_statistics(statement):
            read = [n for n in walk(statement.value) if isinstance(n, ast.Name) and n.id == name]  # type: ignore[attr-defined]  # it is an assignment
            if (
                used not in _SPREAD
                or stem(name, HELD_OUT) not in _TABLES
                or any(reaching(function.scope).at.get(id(n)) for n in read)
            ):
                continue
            names = (n for n in walk(function.scope.node) if isinstance(n, ast.Name))
            if not any(trained(n.id) for n in names) and not any(of_each_row(n, name) for n in walk(statement)):
                yield statement, name


def of_each_row(node: Any, name: str) -> bool:
    """Is it a statistic of each row by itself, `x.mean(axis=1)`, or one that is told anything else than rows?"""
    if not isinstance(node, ast.Call) or place(getattr(node.func, "value", None)) != name:
        return False
    given = [*node.args, *(k.value for k in node.keywords if k.arg in ("axis", "dim"))]
    return any(getattr(a, "value", None) != 0 for a in given)


def joined_parts(node: Any, function: Function) -> Any:
    """The held-out part of what a call joins rows of both parts of one split into, be it behind a name."""
    if isinstance(node, ast.Name):
        bound = reaching(function.scope).at.get(id(node), ())
        node = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else node
    if not isinstance(node, ast.Call) or last_name(node.func) not in _JOINS:
        return None
    axis = next((getattr(k.value, "value", None) for k in node.keywords if k.arg == "axis"), 0)
    listed = node.args[0] if node.args else None
    if axis not in (0, "index") or not isinstance(listed, (ast.List, ast.Tuple)) or len(listed.elts) != 2:
        return None
    found = {}
    for part in listed.elts:
        kinds = {root.part for root in evaluate(part, function.frame).all_roots} or _said(part, function)
        if len(kinds) == 1:
            found[kinds.pop()] = part
    rest = next((found[kind] for kind in ("heldout", "test") if kind in found), None)
    return rest if "train" in found else None


def _said(part: Any, function: Function) -> set[str]:
    """What a name says of rows that a fragment has bound nowhere so far."""
    at, name = reaching(function.scope).at, place(part)
    if not isinstance(part, ast.Name) or not function.scope.is_body or function.module.stars or at.get(id(part)):
        return set()
    return {"heldout"} if held(name) else {"train"} if trained(name) else set()


def on_request(fit: Any, function: Function) -> bool:
    """Does a flag choose `s.fit_transform(x) if apart else s.transform(x)`?"""
    for node in (n for n in walk(function.scope.node) if isinstance(n, (ast.IfExp, ast.If))):
        sides = [side if isinstance(side, list) else [side] for side in (node.body, node.orelse)]
        calls = [[n for s in side for n in walk(s) if isinstance(n, ast.Call)] for side in sides]
        for mine, other in (calls, calls[::-1]):
            if any(c is fit for c in mine) and any(_transforms(c, fit) for c in other):
                return True
    return False


def _transforms(call: Any, fit: Any) -> bool:
    """Is it `s.transform(x)` beside `s.fit_transform(x)`?"""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "transform" or not call.args or not fit.args:
        return False
    return place(func.value) == place(fit.func.value) and place(call.args[0]) == place(fit.args[0])
