"""Where does a value that outlives the loop collect something on each iteration: `a += x`, `a.append(x)`, a meter?

Syntax of a loop, and of what a call in it enters: `meter.update(loss, n)` grows if `update` adds its parameter to an
attribute, `keep(losses, loss)` and `total = add(total, loss)` do if the function adds to what it is handed. What is
collected, and whether it hurts, is the rule's question.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AppliesGrad
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, may_enter, origins, part_at, statements
from mllint.semantics.values.sources import source
from mllint.semantics.values.values import UnknownValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding

__all__ = [
    "Collected", "Kept", "accumulations", "accumulations_in_callee", "accumulations_in_calls", "accumulations_in_step",
    "collecting_loop", "is_detached_in_place", "is_micro_batch_loop", "is_rebound_in_loop",
    "is_unknown_criterion_result", "lasting_accumulations", "lasting_accumulations_in_calls", "only_loop",
]  # fmt: skip

Collected = tuple[Node, str, Node]
_GROWING = frozenset((ast.AugAssign, ast.Assign, ast.Call, ast.Expr))


@cached()
def accumulations(run: LoopRun) -> list[Collected]:
    """(statement or call, place that grows, expression that is added) for `a += x`, `a = a + x`, `a.append(x)`, and for
    methods that do so with their parameter, in a loop."""
    return list(_collected(run.node.body, run.frame))


@cached()
def lasting_accumulations(run: LoopRun) -> list[Collected]:
    """Those accumulations of a loop that outlive its iterations, and are more than a short sum."""
    return [collected for collected in accumulations(run) if _outlives_iterations(collected, run)]


def _outlives_iterations(collected: Collected, run: LoopRun) -> bool:
    statement, target, _ = collected
    return not (
        is_rebound_in_loop(run, statement, target)
        or _is_cleared_in_loop(run, target)
        or _read_at_once(run, statement, target)
    )


def accumulations_in_callee(frame: Frame, run: LoopRun) -> Iterator[Collected]:
    """The same in a function that a loop calls, into what outlives the call: an attribute that no other method
    binds, or a list that the function is handed."""
    function = frame.function
    for statement, target, added in _collected(function.body, frame):
        name = target.partition("[")[0]
        if name.startswith("self."):
            owner = function.owner.methods.values() if function.owner is not None else ()
            bound = [m for m in owner if m.name != "__init__" and any(_binds_anew(b) for b in m.bindings.get(name, ()))]
            if all(m is run.frame.function for m in bound) and not is_rebound_in_loop(run, statement, name):
                yield statement, target, added
        elif function.parameter(name) is not None and isinstance(statement, ast.Call):
            if len(function.bindings.get(name, ())) == 1:
                yield statement, target, added


class Kept(NamedTuple):
    """What a function adds to what its caller holds."""

    frame: Frame
    """That of the function."""
    inside: Collected
    """What it adds to, by the names of the function."""
    outside: Collected
    """The statement of the caller, the place that grows there, and the call."""


@cached()
def lasting_accumulations_in_calls(run: LoopRun) -> list[Kept]:
    """The same in a function that a loop calls and that is handed what grows: a list, an object, or a number of which
    it gives back the sum."""
    return [kept for kept in accumulations_in_calls(run) if _outlives_iterations(kept.outside, run)]


def accumulations_in_calls(run: LoopRun) -> Iterator[Kept]:
    """The same, whether or not it outlives the iterations."""
    for statement in (n for s in run.node.body for n in walk(s)):
        call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        if not isinstance(call, ast.Call) or not may_enter(call, run.frame):
            continue
        for inner in inner_frames(call, run.frame):
            for inside in _collected(inner.function.body, inner):
                place_outside = _outside(inside, inner, statement, run.frame)
                if place_outside is not None:
                    yield Kept(inner, inside, (statement, place_outside, call))


def _outside(inside: Collected, inner: Frame, statement: Node, frame: Frame) -> str | None:
    """What the place that grows in a function is for its caller: the argument, or a part of it; None if nothing that
    outlives the call."""
    name, dot, rest = inside[1].partition("[")[0].partition(".")
    given = inner.bound.get(name) if inner.bound else None
    handed = place(given.node) if isinstance(given, Passed) and given.frame is frame else None
    if handed is None:
        return _seen_from_within(inside, inner.function, statement.value, frame)
    bound = [b.kind for b in inner.function.bindings.get(name, ())]
    if dot or isinstance(inside[0], ast.Call):
        return f"{handed}{dot}{rest}" if bound == ["param"] else None
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    parts = targets[0].elts if len(targets) == 1 and isinstance(targets[0], ast.Tuple) else targets
    results = inner.function.returns
    for at, target in enumerate(parts if len(results) == 1 else ()):
        result = results[0].value if parts is targets else part_at(results[0].value, (at,))
        if place(result) == name and place(target) == handed:
            return handed
    return None


def _seen_from_within(inside: Collected, function: FunctionScope, call: ast.Call, frame: Frame) -> str | None:
    """What a list that a function appends to is for its caller, where it is not handed over: a name of the caller, as
    in a closure, or what the caller has built the object of a method with; None if it is neither."""
    name = inside[1].partition("[")[0]
    if not isinstance(inside[0], ast.Call):
        return None
    if name.isidentifier() and name not in function.bindings:
        home = function.parent
        while home is not None and not (isinstance(home, FunctionScope) and name in home.bindings):
            home = home.parent
        return name if home is frame.function else None
    kept = source(inside[0].func.value, function) if isinstance(inside[0].func, ast.Attribute) else None
    if kept is None or kept.attribute or kept.function is function or not isinstance(call.func, ast.Attribute):
        return None
    built = evaluate(call.func.value, frame).built_with
    if built is None or not isinstance(built.node, ast.Call) or built.frame.function is not frame.function:
        return None
    thing = bind(kept.function, built.node, frame)[0].get(kept.parameter)
    return place(thing[0]) if isinstance(thing, tuple) else None


def accumulations_in_step(frame: Frame) -> Iterator[Collected]:
    """The same in a function that a framework calls with each batch, into attributes that the call does not bind."""
    for statement, target, added in _collected(frame.function.body, frame):
        name = target.partition("[")[0]
        if name.startswith("self.") and not any(_binds_anew(b) for b in frame.function.bindings.get(name, ())):
            yield statement, target, added


def _binds_anew(binding: Binding) -> bool:
    return bool(binding.kind == "assign")


def _collected(body: list[Node], frame: Frame) -> Iterator[Collected]:
    for statement in body:
        for node in (n for n in walk(statement) if n.__class__ in _GROWING):
            match node:
                case ast.AugAssign(target=target, op=ast.Add(), value=value):
                    yield from _find_added_tensors(node, place(target) or _table(target), value)
                case ast.Assign(targets=[target], value=value) if _averaging(value, place(target)):
                    yield from _find_added_tensors(node, place(target), _averaging(value, place(target)))
                case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
                    if place(target) is not None and place(target) in (place(left), place(right)):
                        yield from _find_added_tensors(
                            node, place(target), right if place(target) == place(left) else left
                        )
                case ast.Call(func=ast.Attribute(value=target, attr="append" | "appendleft"), args=[value]):
                    yield from _find_added_tensors(node, place(target), value)
                case ast.Call(
                    func=ast.Attribute(value=target, attr="extend"), args=[ast.List() | ast.Tuple() as value]
                ):
                    yield from _find_added_tensors(node, place(target), value)
                case ast.Call(func=ast.Attribute(value=target, attr="insert"), args=[ast.Constant(), value]):
                    yield from _find_added_tensors(node, place(target), value)
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=target), args=[_, *_]) as call):
                    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
                        yield from _arguments_added_by_method(call, frame)


def _table(target: Node) -> str | None:
    """The table that an entry belongs to, whichever it is: `meters` of `meters[name]`."""
    return (
        place(target.value) if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice) else None
    )


def _averaging(value: Node, target: str | None) -> Node:
    """What a moving average takes in, `x` of `0.9 * mean + 0.1 * x`, whatever it starts from, or None."""
    if target is None:
        return None
    if isinstance(value, ast.IfExp):
        return _averaging(value.body, target) or _averaging(value.orelse, target)
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


def _find_added_tensors(node: Node, target: str | None, value: Node) -> Iterator[Collected]:
    """The tensors inside what is added: `loss`, `loss / n`, `n * loss`, `loss - mean`, `[loss]`, `(loss, score)`."""
    if target is None:
        return
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div, ast.Sub)):
        yield from _find_added_tensors(node, target, value.left)
        if isinstance(value.op, ast.Mult):
            yield from _find_added_tensors(node, target, value.right)
    elif isinstance(value, (ast.List, ast.Tuple)):
        for part in value.elts:
            yield from _find_added_tensors(node, target, part)
    elif isinstance(value, ast.Dict):
        for part in value.values:
            yield from _find_added_tensors(node, target, part)
    elif isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        yield node, target, value


def _arguments_added_by_method(call: ast.Call, frame: Frame) -> Iterator[Collected]:
    """The arguments that a method of the user's adds to an attribute of its own."""
    for method in Call(call, frame).callees:
        if method.stubbed or method.owner is None:
            continue
        bound, _ = bind(method, call, frame)
        for target, name in _added(method):
            given = bound.get(name)
            if isinstance(given, Passed) and given.frame is frame:
                yield call, target, given.node


def _added(method: FunctionScope) -> Iterator[tuple[str, str]]:
    """The attributes of `self` that a method adds a parameter to, as it was given."""
    own = {p.name for p in method.parameters if len(method.bindings.get(p.name, ())) == 1}
    for statement in statements(method):
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            for _, target, value in _find_added_tensors(statement, place(statement.target), statement.value):
                if target.startswith("self.") and isinstance(value, ast.Name) and value.id in own:
                    yield target, value.id


def is_rebound_in_loop(run: LoopRun, statement: Node, target: str) -> bool:
    """Does the loop's body bind a place anew in each iteration, other than by the statement itself, or in its stead
    (`if mean is None: mean = loss`)?"""
    bound = run.frame.function.bindings.get(target, ())
    own = getattr(statement, "value", None)
    again = [b for b in bound if b.kind == "assign" and not b.path and b.value is not own]
    first_line, last_line = run.node.body[0].lineno, run.node.body[-1].end_lineno
    again = [b for b in again if first_line <= getattr(b.node, "lineno", 0) <= last_line]
    if not again:
        return False
    first = {id(getattr(s, "value", None)) for s in _begun(statement, run.frame.function)}
    return any(id(b.value) not in first for b in again)


def _begun(statement: Node, function: FunctionScope) -> list[ast.stmt]:
    """The first value of what is None so far, in a branch whose other branch is the statement."""
    branch = _where_none(function).get(id(statement))
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    if branch is None or place(branch.test.left) is None or place(branch.test.left) != place(targets[0]):
        return []
    body: list[ast.stmt] = branch.body
    return body


@cached_per_scope(local=True)
def _where_none(function: FunctionScope) -> dict[int, Node]:
    """The branches of a function on `x is None`, by the ids of the statements of the other side."""
    tests = (n for outer in function.body for n in walk(outer) if isinstance(n, ast.If))
    return {id(s): n for n in tests if _is_none(n.test) for s in n.orelse}


def _is_none(test: Node) -> bool:
    match test:
        case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return True
    return False


def is_detached_in_place(added: Node, function: FunctionScope) -> bool:
    """Is `loss.detach_()` called above `total += loss`, and `loss` bound only above both?"""
    name = place(added)
    if name is None or "detach_" not in function.called_names:
        return False
    bound = [b.node.lineno for b in function.bindings.get(name, ()) if b.kind == "assign"]
    calls = [c.lineno for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "detach_"
             and place(c.func.value) == name]  # fmt: skip
    return any(line < added.lineno and not any(line < b < added.lineno for b in bound) for line in calls)


def _read_at_once(run: LoopRun, statement: Node, target: str) -> bool:
    """Is it the sum over a few iterations on the same rows, `for _ in range(5):`, that is read as a number below the
    loop, and by nothing else?"""
    loop, function = run.node, run.frame.function
    match loop:
        case ast.For(target=ast.Name(id=counter), iter=ast.Call(func=ast.Name(id="range"))):
            pass
        case _:
            return False
    inside = [n for s in loop.body for n in walk(s)]
    if isinstance(statement, ast.Call) or any(isinstance(n, ast.Name) and n.id == counter for n in inside):
        return False
    if any(isinstance(n, ast.Call) and last_name(n.func) == "next" for n in inside):
        return False
    reads = [
        n for s in function.body for n in walk(s) if isinstance(n, (ast.Name, ast.Attribute)) and place(n) == target
    ]
    reads = [n for n in reads if isinstance(n.ctx, ast.Load) and not any(n is m for m in inside)]
    calls = (n for s in function.body for n in walk(s) if isinstance(n, ast.Call))
    turned_to_number = [n for c in calls if _reads_number(c) for n in walk(c)]
    return bool(reads) and all(any(n is m for m in turned_to_number) for n in reads) and bool(function.parameters)


def _reads_number(call: ast.Call) -> bool:
    """`x.item()` or `float(x)`."""
    return last_name(call.func) == ("item" if isinstance(call.func, ast.Attribute) else "float")


def _is_cleared_in_loop(run: LoopRun, target: str) -> bool:
    """Is the list cleared somewhere in the loop, as after a backward from its sum?"""
    clears = [call for call, _ in run.frame.module.calls_by_name.get("clear", ()) if is_within(call, run.node)]
    return any(isinstance(call.func, ast.Attribute) and place(call.func.value) == target for call in clears)


def is_unknown_criterion_result(added: Node, forwards: list[Event], run: LoopRun) -> bool:
    """Is it what an unknown criterion gives for what the model has given, with its graph? A number it can't be without
    a detach: of a tensor with a graph, NumPy takes none."""
    steps = [o.node for o in origins(added, run.frame, through=lambda o: not isinstance(o.node, ast.Call))]
    calls = [n for n in (added, *steps) if isinstance(n, ast.Call)]
    if len({id(c) for c in calls}) != 1 or not roles.has_role_name(last_name(calls[0].func), Role.CRITERION):
        return False
    call = Call(calls[0], run.frame)
    given = [
        n for a in call.node.args for n in (a, *(o.node for o in origins(a, run.frame, through=_is_name_or_reshaped)))
    ]
    return isinstance(call.callee, UnknownValue) and any(f.call is n for f in forwards for n in given)


def _is_name_or_reshaped(origin: Origin) -> bool:
    """Is it a name, or another shape of one: `out.squeeze(1)`, `out["logits"]`?"""
    match origin.node:
        case ast.Name() | ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in ("squeeze", "view", "reshape", "flatten", "float")
    return False


def collecting_loop(loops: tuple[LoopRun, ...]) -> LoopRun | None:
    """The loop in which a sum over iterations grows: the innermost, unless it is a short loop inside a batch."""
    if not loops or any(run.role == "batch" for run in loops[:-1]):
        return None
    return loops[-1] if loops[-1].role in ("batch", "epoch") else None


def only_loop(backward: Event, flow: Flow) -> LoopRun | None:
    """The one loop around a backward, if the optimizer steps in it too: it draws its batches in some way of its own."""
    if len(backward.loops) != 1 or backward.loops[0].role:
        return None
    steps = any(step.loops == backward.loops for step in flow.events(AppliesGrad))
    return backward.loops[0] if steps else None


def is_micro_batch_loop(run: LoopRun, flow: Flow) -> bool:
    """Is it the short loop of one step, `for _ in range(accumulation):`, after which the optimizer steps?"""
    counted = isinstance(run.node, ast.For) and last_name(getattr(run.node.iter, "func", None)) in ("range", "trange")
    steps = [s for s in flow.events(AppliesGrad) if s.frame is run.frame] if counted else []
    return any(run not in s.loops for s in steps) and not any(run in s.loops for s in steps)
