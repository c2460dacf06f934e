"""Where does a value that lives longer than the loop collect something in each turn: `a += x`, `a.append(x)`, a meter?

Syntax of a loop, and of the method of the user's that a call in it enters: `meter.update(loss, n)` grows if `update`
adds its parameter to an attribute. What is collected, and whether it hurts, is the rule's question.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.semantics import Call, LoopRun
from mllint.semantics.calls import bind
from mllint.semantics.lineage import statements
from mllint.semantics.module import Function, place, walk, within

__all__ = ["accumulations", "bound_inside"]

Collected = tuple[Any, str, Any]


def accumulations(run: LoopRun) -> Iterator[Collected]:
    """(statement or call, place that grows, expression that is added) for `a += x`, `a = a + x`, `a.append(x)`, and for
    methods that do so with their parameter, in a loop."""
    for statement in run.node.body:
        for node in walk(statement):
            match node:
                case ast.AugAssign(target=target, op=ast.Add(), value=value):
                    yield from grown(node, place(target) or table(target), value)
                case ast.Assign(targets=[target], value=value) if averaging(value, place(target)):
                    yield from grown(node, place(target), averaging(value, place(target)))
                case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
                    if place(target) is not None and place(target) in (place(left), place(right)):
                        yield from grown(node, place(target), right if place(target) == place(left) else left)
                case ast.Call(func=ast.Attribute(value=target, attr="append"), args=[value]):
                    yield from grown(node, place(target), value)
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=target), args=[_, *_]) as call):
                    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
                        yield from metered(call, run)


def table(target: Any) -> str | None:
    """The table that an entry belongs to, whichever it is: `meters` of `meters[name]`."""
    return (
        place(target.value) if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice) else None
    )


def averaging(value: Any, target: str | None) -> Any:
    """What a moving average takes in, `x` of `0.9 * mean + 0.1 * x`, whatever it starts from, or None."""
    if target is None:
        return None
    if isinstance(value, ast.IfExp):
        return averaging(value.body, target) or averaging(value.orelse, target)
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    for kept, other in ((value.left, value.right), (value.right, value.left)):
        if (
            isinstance(kept, ast.BinOp)
            and isinstance(kept.op, ast.Mult)
            and target in (place(kept.left), place(kept.right))
        ):
            return other
    return None


def grown(node: Any, target: str | None, value: Any) -> Iterator[Collected]:
    """The tensors inside what is added: `loss`, `loss / n`, `n * loss`, `loss - mean`, `[loss]`, `(loss, score)`."""
    if target is None:
        return
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div, ast.Sub)):
        yield from grown(node, target, value.left)
        if isinstance(value.op, ast.Mult):
            yield from grown(node, target, value.right)
    elif isinstance(value, (ast.List, ast.Tuple)):
        for part in value.elts:
            yield from grown(node, target, part)
    elif isinstance(value, ast.Dict):
        for part in value.values:
            yield from grown(node, target, part)
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


def bound_inside(run: LoopRun, statement: Any, target: str) -> bool:
    """Does the loop's body bind a place anew in each turn, other than by the statement itself, or in its stead
    (`if mean is None: mean = loss`)?"""
    bound = run.frame.function.bindings.get(target, ())
    own = getattr(statement, "value", None)
    again = [b for b in bound if b.kind == "assign" and not b.path and b.value is not own]
    again = [b for b in again if any(within(b.node, outer) for outer in run.node.body)]
    if not again:
        return False
    branches = (n for outer in run.node.body for n in walk(outer) if isinstance(n, ast.If))
    first = {id(getattr(s, "value", None)) for branch in branches for s in begun(branch, statement)}
    return any(id(b.value) not in first for b in again)


def begun(branch: ast.If, statement: Any) -> list[ast.stmt]:
    """The first value of what is None so far, in a branch whose other branch is the statement."""
    match branch.test:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            if place(left) is not None and place(left) == place(targets[0]) and statement in branch.orelse:
                return branch.body
    return []
