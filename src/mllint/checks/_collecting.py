"""Where does a value that lives longer than the loop collect something in each turn: `a += x`, `a.append(x)`, a meter?

Syntax of a loop, and of the method of the user's that a call in it enters: `meter.update(loss, n)` grows if `update`
adds its parameter to an attribute. What is collected, and whether it hurts, is the rule's question.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import Any
from mllint.semantics import Call, LoopRun
from mllint.semantics.calls import bind
from mllint.semantics.lineage import statements
from mllint.semantics.module import Function, place, walk

__all__ = ["accumulations", "bound_inside"]

Collected = tuple[Any, str, Any]


def accumulations(run: LoopRun) -> Iterator[Collected]:
    """(statement or call, place that grows, expression that is added) for `a += x`, `a = a + x`, `a.append(x)`, and for
    methods that do so with their parameter, in a loop."""
    for statement in run.node.body:
        for node in walk(statement):
            match node:
                case ast.AugAssign(target=target, op=ast.Add(), value=value):
                    yield from grown(node, place(target), value)
                case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
                    if place(target) is not None and place(target) in (place(left), place(right)):
                        yield from grown(node, place(target), right if place(target) == place(left) else left)
                case ast.Call(func=ast.Attribute(value=target, attr="append"), args=[value]):
                    yield from grown(node, place(target), value)
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=target), args=[_, *_]) as call):
                    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
                        yield from metered(call, run)


def grown(node: Any, target: str | None, value: Any) -> Iterator[Collected]:
    """The tensors inside what is added: `loss`, `loss / n`, `n * loss`, `loss - mean`, `[loss]`."""
    if target is None:
        return
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div, ast.Sub)):
        yield from grown(node, target, value.left)
        if isinstance(value.op, ast.Mult):
            yield from grown(node, target, value.right)
    elif isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1:
        yield from grown(node, target, value.elts[0])
    elif isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        yield node, target, value


def metered(call: ast.Call, run: LoopRun) -> Iterator[Collected]:
    """The arguments that a method of the user's adds to an attribute of its own."""
    for method in Call(call, run.frame).callees:
        if method.stubbed or method.owner is None:
            continue
        bound, _ = bind(method, call, run.frame)
        for target, name in _added(method):
            given = bound.get(name)
            if isinstance(given, tuple) and given[1] is run.frame:
                yield call, target, given[0]


def _added(method: Function) -> Iterator[tuple[str, str]]:
    """The attributes of `self` that a method adds a parameter to, as it was given."""
    own = {p.name for p in method.parameters if len(method.bindings.get(p.name, ())) == 1}
    for statement in statements(method):
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            for _, target, value in grown(statement, place(statement.target), statement.value):
                if target.startswith("self.") and isinstance(value, ast.Name) and value.id in own:
                    yield target, value.id


def bound_inside(run: LoopRun, statement: Any) -> set[str]:
    """The places that the loop's body binds anew in each turn, other than by the statement itself."""
    found = set()
    for outer in run.node.body:
        for node in walk(outer):
            if isinstance(node, ast.Assign) and node is not statement:
                found |= {place(t) or "" for t in node.targets}
    return found
