"""Are the rows of a table divided by indices that a function is given, and what is the table that rows are all of?

`run_fold(train_idx, val_idx, table)` holds rows out as a splitter does; the names of the indices say which.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._records import Division
from mllint.checks._unread import indexed
from mllint.pattern import Pattern
from mllint.semantics import Function, text
from mllint.semantics.module import walk
from mllint.semantics.parts import held

__all__ = ["divided_by_index", "table_of"]

_COLUMNS = Pattern("col|feat")


def divided_by_index(function: Function) -> Iterator[Division]:
    """`x.loc[train_index]` and `x.loc[val_index]` of the same `x`, where the indices are handed in."""
    found: dict[str, dict[str, Any]] = {}
    if function.scope.is_body or not any(map(_index, function.scope.parameters)):
        return
    for node in (n for s in function.scope.body for n in walk(s) if isinstance(n, ast.Subscript)):
        index, base = indexed(node), table_of(node.value)
        if index is not None and function.scope.parameter(index) is not None and isinstance(base, ast.Name):
            found.setdefault(base.id, {}).setdefault("held" if held(index) else "trained", node)
    for parts in found.values():
        if len(parts) == 2:
            first = parts["held"]
            yield Division(first, text(function.module, first), [table_of(first.value)])


def _index(parameter: Any) -> bool:
    return held(parameter.name)


def table_of(rows: Any) -> Any:
    """The table that rows are all of: `df` of `df.values`, `df.iloc`, `df[["a", "b"]]`, `imputer.transform(df)`."""
    while True:
        match rows:
            case ast.Attribute(value=inner, attr="values" | "iloc" | "loc"):
                rows = inner
            case ast.Subscript(value=inner, slice=ast.List() | ast.Constant()):
                rows = inner
            case ast.Subscript(value=inner, slice=ast.Name(id=name)) if _COLUMNS.search(name.lower()):
                rows = inner
            case ast.Call(func=ast.Attribute(attr="transform"), args=[inner]):
                rows = inner
            case ast.Call(func=ast.Attribute(value=inner, attr="to_numpy"), args=[]):
                rows = inner
            case _:
                return rows
