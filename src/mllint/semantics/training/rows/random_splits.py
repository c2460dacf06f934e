"""Does a draw decide which rows are held out?

A shuffled list that is cut in two, a sample and the rest, a mask of random numbers and its opposite. What is drawn for
anything else, and what is written to a file, from which later runs read it, decides no such thing.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import assigned, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.lifetimes import in_other_branch
from mllint.semantics.training.rows import splits
from mllint.semantics.values.lineage import statements

__all__ = ["decides_parts", "windows"]

_MASKING = ("rand", "random", "uniform")


def decides_parts(call: Call) -> bool:
    """Is what was shuffled or drawn here cut into two complementary parts, once?"""
    function = call.function
    if any(r.node.lineno <= call.node.lineno <= (r.node.end_lineno or 0) for r in function.loops):
        return False
    names = _drawn_names(call)
    kept = [c for c in function.calls if topics.is_about(last_name(c.func), Topic.WRITING)] if names else []
    if not names or any(place(n) in names for c in kept for a in c.args for n in walk(a)):
        return False
    if call.last_name in ("sample", "choice"):
        return any(_dropped(name, function) or _left_out(name, function) for name in names)
    if call.last_name in _MASKING:
        return any(_opposed(name, function) for name in names)
    ordered = names | _arranged(names, function)
    return any(
        place(first.value) in ordered
        and first.lineno >= call.node.lineno
        and not windows(first, rest, call)
        and not in_other_branch(function, call.node, first)
        for first, rest in splits.complementary_slices(function)
    )


def windows(first: Any, rest: Any, call: Call) -> bool:
    """`[:n]` and `[n : 2 * n]`: are they two windows of one size, and no partition?"""
    upper = getattr(rest.slice, "upper", None)
    if not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Mult):
        return False
    sides = {text(call.module, side) for side in (upper.left, upper.right)}
    return text(call.module, first.slice.upper) in sides


def _drawn_names(call: Call) -> set[str]:
    """The places whose order is drawn, or that hold what was drawn: what a call is bound to, else what it shuffles."""
    node, masks = call.node, call.last_name in _MASKING
    for statement in statements(call.function):
        if isinstance(statement, ast.Assign) and any(n is node for n in walk(statement.value)):
            if masks and not (isinstance(statement.value, ast.Compare) and statement.value.left is node):
                return set()
            first = statement.targets[0]
            parts = first.elts if isinstance(first, ast.Tuple) and statement.value is node else [first]
            return {name for part in parts if (name := place(part))}
    shuffled = place(node.args[0]) if call.last_name == "shuffle" and node.args else None
    return {shuffled} if shuffled else set()


def _arranged(names: set[str], function: FunctionScope) -> set[str]:
    """What is bound to `rows[order]` or `[rows[i] for i in order]`, where `order` is one of some names."""
    found = set()
    for statement in statements(function):
        for target, value in assigned(statement):
            listed = isinstance(value, ast.ListComp) and place(value.generators[0].iter) in names
            if listed or (isinstance(value, ast.Subscript) and place(value.slice) in names):
                found.add(place(target) or "")
    return found - {""}


def _dropped(name: str, function: FunctionScope) -> bool:
    """Is the rest `frame.drop(name.index)`?"""
    drops = (c for c in function.calls if last_name(c.func) == "drop")
    return any(f"{name}.index" in {place(n) for n in walk(c)} for c in drops)


_REMOVING = ("setdiff1d", "difference", "delete", "isin")


def _left_out(name: str, function: FunctionScope) -> bool:
    """Is the rest what is not among those that were drawn, and does a name say that one of the two is held out?"""
    for statement in statements(function):
        for target, value in assigned(statement):
            if any(_leaves_out(n, name) for n in walk(value)):
                names = [name, *(place(n) or "" for n in walk(target))]
                if any(roles.is_held_out_name(n) or roles.is_training_name(n) for n in names):
                    return True
    return False


def _leaves_out(node: Any, name: str) -> bool:
    """`x not in name`, `setdiff1d(rows, name)`, `rows - set(name)`."""
    match node:
        case ast.Compare(ops=[ast.NotIn()], comparators=[other]):
            return name in {place(n) for n in walk(other)}
        case ast.BinOp(op=ast.Sub(), right=ast.Call(func=ast.Name(id="set"), args=[other])):
            return place(other) == name
        case ast.Call():
            return last_name(node.func) in _REMOVING and name in {place(n) for a in node.args for n in walk(a)}
    return False


def _opposed(name: str, function: FunctionScope) -> bool:
    """`rows[mask]` and `rows[~mask]`, of which a name says that one is held out?"""
    parts: dict[bool, list[str]] = {True: [], False: []}
    for statement in statements(function):
        for target, value in assigned(statement):
            picked = [n.slice for n in walk(value) if isinstance(n, ast.Subscript)]
            turned = any(
                isinstance(s, ast.UnaryOp) and isinstance(s.op, ast.Invert) and place(s.operand) == name for s in picked
            )
            if turned or any(place(s) == name for s in picked):
                parts[turned] += [place(n) or "" for n in walk(target)]
    names = [*parts[True], *parts[False]]
    return all(parts.values()) and any(roles.is_held_out_name(n) or roles.is_training_name(n) for n in names)
