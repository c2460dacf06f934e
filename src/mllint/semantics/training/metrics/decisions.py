"""Were scores made into decisions by hand, entry by entry?

    decided = np.where(scores > 0.5, 1, 0)                     # `find_decision_by_hand`: a choice between two constants
    decided = [1 if score > 0.5 else 0 for score in scores]
    scores[scores > 0.5], scores[scores <= 0.5] = 1, 0         # stored into the scores themselves

What a comparison, `argmax` or a classifier gives is known of the value (`Decided`) and asked for by `expectations`.
Here the statements of one function are read, through what only shapes, moves or picks a part. A name that may hold two
things is not followed, and a threshold in one direction alone may clip.
"""

from __future__ import annotations

import ast

from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import statements

__all__ = ["find_decision_by_hand"]

_ORDERED = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
_COPYING = frozenset("array asarray tensor squeeze ravel Series".split())


def find_decision_by_hand(node: Node, frame: Frame, depth: int = 6) -> Site | None:
    """Where the entries of an expression were decided, for certain; None if perhaps nowhere.

    Args:
        node: the expression.
        frame: its context.
        depth: how many names are followed at most.
    """
    node = _bare(node)
    if isinstance(node, ast.Name):
        found = bound_at(node, frame.function)
        if depth == 0 or len(found) != 1 or found[0].kind != "assign" or found[0].path:
            return None
        stored = _in_place(node, found[0].node.lineno, frame.function)
        return (
            Site(frame.module, stored)
            if stored is not None
            else find_decision_by_hand(found[0].value, frame, depth - 1)
        )
    return Site(frame.module, node) if _chooses(node) else None


def _bare(node: Node) -> Node:
    """`scores` of `np.array(scores).astype(int)` and of `scores[:, 1]`."""
    while True:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Compare):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAME_ENTRIES:
            node = node.func.value if not _is_of_library(node) else node.args[0]
        elif isinstance(node, ast.Call) and last_name(node.func) in _COPYING and len(node.args) == 1:
            node = node.args[0]
        else:
            return node


def _is_of_library(node: ast.Call) -> bool:
    """Is it `np.squeeze(scores)`, a function and no method?"""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in ("np", "numpy", "torch") and bool(node.args)


def _chooses(node: Node) -> bool:
    """Is an expression a choice between two constants by a threshold, entry by entry?"""
    match node:
        case ast.Call(args=[test, yes, no]) if last_name(node.func) == "where":
            return _is_threshold(test) and isinstance(yes, ast.Constant) and isinstance(no, ast.Constant)
        case ast.ListComp(elt=ast.IfExp(test=test, body=ast.Constant(), orelse=ast.Constant())):
            return _is_threshold(test)
        case ast.ListComp(elt=ast.Call(func=ast.Name(id="int" | "bool"), args=[test])):
            return _is_threshold(test)
    return _is_threshold(node)


def _is_threshold(node: Node) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _ORDERED)


def _in_place(name: ast.Name, since: int, function: FunctionScope) -> Node:
    """The first of the statements between two lines that decide all entries of what a name holds, each by itself or two
    on both sides of one threshold: `scores[:] = scores > 0.5`, `scores[scores > 0.5] = 1`; None if they do not."""
    sides: dict[bool, tuple[str, Node]] = {}
    for statement in statements(function):
        index = _stored_at(statement, name.id) if since < statement.lineno < name.lineno else None
        match index:
            case None:
                continue
            case ast.Slice(lower=None, upper=None) if isinstance(statement, ast.Assign):
                return statement if _is_threshold(statement.value) else None
            case ast.Compare(ops=[operator], comparators=[threshold]) if _is_threshold(index):
                sides[isinstance(operator, (ast.Gt, ast.GtE))] = (ast.dump(threshold), statement)
            case _:
                return None
    found = list(sides.values())
    return found[0][1] if len(found) == 2 and found[0][0] == found[1][0] else None


def _stored_at(statement: Node, name: str) -> Node:
    """The index under which a statement stores into what a name holds, a constant where it is a comparison."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=stored), slice=index)], value=value) if stored == name:
            return index if isinstance(value, ast.Constant) or not isinstance(index, ast.Compare) else value
    return None
