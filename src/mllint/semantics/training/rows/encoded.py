"""Are groups of rows told apart by the mean of their answers, taken over all rows?

    means = df.groupby("city")["price"].mean()
    df["city_price"] = df["city"].map(means)            # `answers_of_groups`: a row's own answer is in its features
    train, test = train_test_split(df)
    model.fit(train[features], train["price"])          # `answers`: the column that is learned

What a statistic of groups is taken of has to be, by the name of the column, what the division or a fit behind it takes
for the answers: the mean of any other column says nothing of them. A statistic of the rows before, `shift`, or of what
only a function of one's own knows, is none of the group, and a table of the groups alone has no other rows. A column
that is only shown, and dropped again, tells nothing apart.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place, walk
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mllint.semantics.flow.views import FunctionView
    from mllint.semantics.training.rows.splits import Division
    from mllint.semantics.values.frames import Frame

__all__ = ["answers", "answers_of_groups"]

_OF_GROUPS = frozenset("mean median sum std var agg aggregate transform".split())
_LEARNING = frozenset("fit Dataset DMatrix Pool".split())
_PUTTING_BACK = frozenset(("map", "merge", "join"))
"""Methods that hand the value of a group to each of its rows; without one, the groups are the rows."""


def answers(division: Division, function: FunctionView) -> set[str]:
    """The columns that a division divides as answers, or that a fit behind it learns: `y = df["price"]`,
    `model.fit(train[names], train["price"])`.

    Args:
        division: where rows are divided.
        function: where that is written.
    """
    found = {key for rows in _answers_divided(division) if (key := _column_behind(rows, function)) is not None}
    parts = {place(t) for s in statements(function.scope) for t in _targets(s, division.node)} - {None}
    if not parts:
        return found
    for call in function.scope.calls:
        if last_name(call.func) in _LEARNING:
            for node in (*call.args[1:2], *(k.value for k in call.keywords if k.arg in ("y", "label"))):
                key = _key(node, function.frame)
                if key is not None and isinstance(node, ast.Subscript) and place(node.value) in parts:
                    found.add(key)
    return found


def _answers_divided(division: Division) -> list[Node]:
    """What a split is given behind the rows: `y` of `train_test_split(X, y)`."""
    node = division.node
    return node.args[1:2] if isinstance(node, ast.Call) and last_name(node.func) == "train_test_split" else []


def _targets(statement: ast.stmt, divided: Node) -> list[Node]:
    """The parts that a division is unpacked into."""
    whole = [t for t, value in assigned_pairs(statement) if value is divided]
    return [part for t in whole for part in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]


def _column_behind(node: Node, function: FunctionView) -> str | None:
    """The one named column that an expression is computed from: of `np.log(df["price"])`, and of `df.pop("price")`."""
    passed = origins(node, function.frame, through=lambda o: _key(o.node, o.frame) is None)
    keys = {key for o in passed if (key := _key(o.node, o.frame))}
    return keys.pop() if len(keys) == 1 else None


def _key(node: Node, frame: Frame) -> str | None:
    """The name of the one column that is read or taken out: written out, or a constant of the file's, `df[TARGET]`."""
    match node:
        case ast.Subscript(slice=key) | ast.Call(func=ast.Attribute(attr="pop"), args=[key]):
            if isinstance(key, (ast.Constant, ast.Name, ast.Attribute)):
                name = evaluate(key, frame).literal
                return name if isinstance(name, str) else None
    return None


def answers_of_groups(steps: list[Origin], columns: Callable[[], set[str]]) -> Iterator[tuple[Origin, Node]]:
    """The statistics of answers that tell apart the rows which some steps lead to, each with the table of the groups.

    Args:
        steps: what the rows were computed from, nearest first.
        columns: gives the columns of the answers.
    """
    put_back = any(isinstance(o.node, ast.Call) and last_name(o.node.func) in _PUTTING_BACK for o in steps)
    for origin in steps:
        found = _groups(origin.node)
        if found is not None and (put_back or origin.node.func.attr == "transform"):
            if evaluate(found[1], origin.frame).literal in columns() and not _is_dropped(origin):
                yield origin, found[0]


def _is_dropped(statistic: Origin) -> bool:
    """Is it kept in a column that is dropped again, and from which nothing is computed before?"""
    function = statistic.frame.function
    pairs = ((s, target, value) for s in statements(function) for target, value in assigned_pairs(s))
    kept = ((s, target) for s, target, value in pairs if any(n is statistic.node for n in walk(value)))
    own, target = next(kept, (None, None))
    column = _key(target, statistic.frame)
    if column is None:
        return False
    naming = [s for s in statements(function) if s is not own and _names_column(s, column)]
    return any(map(_drops_columns, naming)) and all(isinstance(s, ast.Expr) or _drops_columns(s) for s in naming)


def _names_column(statement: ast.stmt, column: str) -> bool:
    return any(isinstance(n, ast.Constant) and n.value == column for n in walk(statement))


def _drops_columns(statement: ast.stmt) -> bool:
    """Does a statement take columns out of a table?"""
    calls = (n for n in walk(statement) if isinstance(n, ast.Call))
    return isinstance(statement, ast.Delete) or any(last_name(c.func) in ("drop", "pop") for c in calls)


def _groups(statistic: Node) -> tuple[Node, Node] | None:
    """The table that is divided into groups, and the column of which a statistic is taken for each; None if none is."""
    match statistic:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Call(func=ast.Attribute(value=table, attr="groupby")), slice=key),
                attr=name,
            ),
            args=given,
        ) if name in _OF_GROUPS and (name != "transform" or [_name(a) in _OF_GROUPS for a in given[:1]] == [True]):
            return table, key
    return None


def _name(node: Node) -> str:
    """The name of a function that is given by name, `"mean"`, or as it is, `np.mean`."""
    return str(node.value) if isinstance(node, ast.Constant) else last_name(node)
