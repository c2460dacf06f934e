"""In which iterations of a loop does something happen?

    for i, batch in enumerate(loader):
        ...
        if i == len(loader) - 1:      # in the last iteration only: what it leaves behind meets the next epoch,
            validate(model)           # and no other batch of this one

Answers with plain truths, read off the tests around an event and the iterable of the loop. A test that cannot be read
says nothing: the event may happen in any iteration. What a counter is in the first iteration (`first_value`) is read
off where it starts: `enumerate`, `range`, or a name that is set before the loop and counted up in it. Two places of one
`if` (`are_in_different_branches`) never meet in one iteration.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import is_inside
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, is_within, iterable_of, last_name, mentions_place, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.classes import method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.sources import source

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, LoopRun
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = [
    "allocations", "are_in_different_branches", "first_value", "is_bound_anew", "is_built_in", "is_last_iteration",
]  # fmt: skip


def allocations(value: Value, project: Project) -> set[int]:
    """The expressions that build an object, by their ids."""
    keys = [project.keys[i] for i in value.identities]
    return {key[2] for key in keys if isinstance(key, tuple) and key[0] == "new"}


def is_built_in(value: Value, run: LoopRun) -> bool:
    """Whether an object is built anew in each iteration of a loop."""
    built = allocations(value, run.frame.project)
    return bool(built) and any(id(n) in built for n in walk(run.node))


def is_bound_anew(event: Event, run: LoopRun) -> bool:
    """Whether each iteration of a loop has another object, as far as is known, where an event calls a method of one.

    It is another one where the loop, or a function that it calls, binds a name to what a call gives, or draws it from
    an iterable: `net = make(c)`, `for net in nets`; and what belongs to another one is another one as well.

    Args:
        event: what happens in the loop, a call of a method.
        run: the loop.
    """
    if not isinstance(event.call, ast.Call) or not isinstance(event.call.func, ast.Attribute):
        return False
    if is_built_in(event.subject, run):
        return True
    return not _is_built_around(event.subject, run) and _is_bound_anew(event.call.func.value, event.frame, run, 8)


def _is_built_around(value: Value, run: LoopRun) -> bool:
    """True if `value` is built in the function of a loop, or in the body of its file, and not in the loop."""
    built = allocations(value, run.frame.project)
    around = (*run.frame.function.calls, *run.frame.module.body.calls) if built else ()
    return any(id(call) in built for call in around)


def _is_bound_anew(node: Node, frame: Frame, run: LoopRun, depth: int) -> bool:
    """True if `node`, read in `frame`, is another object in each iteration of `run`."""
    inside = frame is not run.frame
    if not depth or not (is_inside(frame, run.frame) if inside else is_within(node, run.node)):
        return False
    if isinstance(node, ast.Call):
        return True
    if isinstance(node, ast.Subscript):
        chosen = (b for n in walk(node.slice) if isinstance(n, ast.Name) for b in bound_at(n, frame.function))
        if any(inside or is_within(b.node, run.node) for b in chosen):
            return True
        return _is_bound_anew(node.value, frame, run, depth - 1)
    bindings = bound_at(node, frame.function)
    if isinstance(node, ast.Attribute) and not bindings:
        if _is_bound_by_method(node, frame.function, frame.function.body if inside else run.node.body):
            return True
        return _is_bound_anew(node.value, frame, run, depth - 1)
    if len(bindings) == 1 and bindings[0].kind == "param":
        given = _given(bindings[0].name, frame)
        return given is not None and _is_bound_anew(given.node, given.frame, run, depth - 1)
    own = place(node)
    for binding in bindings:
        if not inside and not is_within(binding.node, run.node):
            return False
        if any(part is binding.node for part in walk(getattr(run.node, "target", None))):
            continue  # drawn by the loop itself
        if binding.kind not in ("assign", "for", "comp") or mentions_place(binding.value, own):
            return False
        if not _is_bound_anew(binding.value, frame, run, depth - 1):
            return False
    return bool(bindings)


def _is_bound_by_method(attribute: ast.Attribute, function: FunctionScope, block: list[ast.stmt]) -> bool:
    """True if a statement of `block` above `attribute` calls a method of the same object that binds it to what a call
    gives: `self.reset()`, where that does `self.net = make()`."""
    owner, own = function.owner, function.parameters[0].name if function.parameters else ""
    if owner is None or place(attribute.value) != own:
        return False
    for statement in block:
        call = statement.value if isinstance(statement, ast.Expr) else None
        func = call.func if isinstance(call, ast.Call) and statement.lineno < attribute.lineno else None
        binder = method(owner, func.attr) if isinstance(func, ast.Attribute) and place(func.value) == own else None
        if binder is not None and binder.parameters:
            at = f"{binder.parameters[0].name}.{attribute.attr}"
            bound = [b.value for b in binder.bindings.get(at, ())]
            if bound and all(isinstance(v, ast.Call) and at not in map(place, walk(v)) for v in bound):
                return True
    return False


def _given(name: str, frame: Frame) -> Passed | None:
    """What the caller of `frame` gives for the parameter `name`; for the object of a method what it is called on, or
    the call that builds it."""
    function = frame.function
    if function.owner is None or not function.parameters or function.parameters[0].name != name:
        given = frame.bound.get(name) if frame.bound else None
        return given if isinstance(given, Passed) else None
    if frame.caller is None or not isinstance(frame.caller[1], ast.Call):
        return None
    outer, call = frame.caller
    return Passed(call if function.name == "__init__" else getattr(call.func, "value", None), outer)


def is_last_iteration(event: Event, run: LoopRun) -> bool:
    """Whether a test around an event holds in the last iteration of a loop only: `i == len(loader) - 1`."""
    index = _index(run.node)
    if not index:
        return False
    for test, holds, frame in event.conditions:
        if frame is run.frame and any(_is_last(part, index, equal, run) for part, equal in _parts(test, holds)):
            return True
    return False


def _index(loop: Node) -> str:
    """`i` of `for i, batch in enumerate(loader)`, or of `for i in range(n)`."""
    match loop:
        case ast.For(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range" | "trange"))):
            return index
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=index), _]), iter=given):
            called = [last_name(n.func) for n in walk(given) if isinstance(n, ast.Call)]
            return index if "enumerate" in called else ""
    return ""


def _parts(test: Node, holds: bool) -> list[tuple[Node, bool]]:
    """What surely holds, or surely does not, where a test does or does not: `i == n` of `not (i != n or quiet)`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _parts(test.operand, not holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        return [part for value in test.values for part in _parts(value, holds)]
    return [(test, holds)]


def _is_last(test: Node, index: str, holds: bool, run: LoopRun) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if not isinstance(test.ops[0], ast.Eq if holds else ast.NotEq):
        return False
    sides = (test.left, test.comparators[0])
    counted = [any(isinstance(n, ast.Name) and n.id == index for n in walk(side)) for side in sides]
    return counted[0] != counted[1] and _is_length(sides[counted[0]], run)


def _is_length(node: Node, run: LoopRun) -> bool:
    """Is it the number of iterations: `len(loader)`, `len(loader) - 1`, or a name for one of these?"""
    given = run.node.iter
    if isinstance(given, ast.Call) and last_name(given.func) in ("range", "trange"):
        ends = {place(n) for a in given.args[:2] for n in walk(a)} - {None}
        return any(place(n) in ends for n in walk(node))
    looped = place(iterable_of(given))
    nodes = [node]
    if isinstance(node, ast.Name):
        nodes = [b.value for b in run.frame.function.bindings.get(node.id, ()) if b.value is not None]
    lengths = [n for outer in nodes for n in walk(outer) if isinstance(n, ast.Call) and last_name(n.func) == "len"]
    if not lengths or looped is None:
        return False
    return all(len(n.args) == 1 and _is_iterated(n.args[0], looped, run) for n in lengths)


def _is_iterated(node: Node, looped: str, run: LoopRun) -> bool:
    """Is it what the loop goes through, or what `with tqdm(loader) as bar:` has made a bar of?"""
    if place(node) == looped:
        return True
    values = [b.value for b in run.frame.function.bindings.get(looped, ()) if b.value is not None]
    return any(place(iterable_of(v)) == place(node) is not None for v in values)


# ------------------------------------------------------------------------------------------------------------- counters
def first_value(node: Node, run: LoopRun, frame: Frame, line: int = 0) -> int | None:
    """What an expression is in the first iteration of a loop, in its first epoch; None if that is not known."""
    match node:
        case ast.Constant(value=value):
            return value if value.__class__ is int else None
        case ast.BinOp(left=left, op=op, right=right):
            one, other = first_value(left, run, frame, line), first_value(right, run, frame, line)
            if isinstance(op, ast.Mult) and 0 in (one, other):
                return 0
            if one is None or other is None:
                return None
            return one + other if isinstance(op, ast.Add) else one - other if isinstance(op, ast.Sub) else None
        case ast.Name(id=name):
            return _first_of_name(name, run, frame, line)
        case ast.Attribute():
            return _first_of_kept(node, run, frame)
    return None


def _first_of_kept(node: ast.Attribute, run: LoopRun, frame: Frame) -> int | None:
    """The first value of what the object of a method was made with: `self.index` of `Step(index, model)`."""
    kept, made = source(node, frame.function), frame.receiver.built_with if frame.receiver is not None else None
    if kept is None or kept.function.name != "__init__" or made is None or not isinstance(made.node, ast.Call):
        return None
    given = Call(made.node, made.frame).argument(kept.parameter)
    return first_value(given.node, run, given.frame, given.node.lineno) if given is not None else None


def _first_of_name(name: str, run: LoopRun, frame: Frame, line: int) -> int | None:
    """The first value of a name: one that a loop counts in, or that is set before it and counted up in it."""
    found = frame.function.bindings.get(name, ())
    if not found and frame.parent is not None:
        return _first_of_name(name, run, frame.parent, line)  # a closure
    if not found and run.frame.function is frame.module.body and run.frame is not frame:
        counted = all(b.kind == "for" for b in run.frame.function.bindings.get(name, ()))
        return _first_of_name(name, run, run.frame, line) if counted else None  # what a function of the file reads
    given = frame.bound.get(name) if frame.bound is not None else None
    if isinstance(given, Passed) and run.frame is not frame and all(b.kind == "param" for b in found):
        return first_value(given.node, run, given.frame, given.node.lineno)
    loops = [r for r in (*run.outer, run) if r.frame is frame and isinstance(r.node, ast.For)]
    if len(found) == 1 and found[0].kind == "for":
        loop = next((r for r in loops if any(n is found[0].node for n in walk(r.node.target))), None)
        return _counted_from(loop.node, name, frame) if loop is not None else None
    if len(found) == 1 and found[0].kind == "assign" and not found[0].path:
        return first_value(found[0].value, run, frame, line) if is_within(found[0].node, run.node) else None
    starts = [b for b in found if b.kind == "assign" and not b.path and not is_within(b.node, run.node)]
    grows = [b for b in found if b.kind == "aug" and is_within(b.node, run.node)]
    if (
        len(starts) != 1
        or len(grows) != 1
        or len(found) != 2
        or not _is_in_each_iteration(grows[0].value, run.node.body)
    ):
        return None
    start, grown = first_value(starts[0].value, run, frame), grows[0].value
    if grown.lineno > line:
        return start
    more = first_value(grown.value, run, frame) if isinstance(grown.op, ast.Add) else None
    return start + more if start is not None and more is not None else None


def _is_in_each_iteration(statement: Node, body: list[Node]) -> bool:
    """Is a statement one of a block, or in a `with`, a `try` or an `if True` of it?"""
    for other in body:
        if other is statement:
            return True
        plain = isinstance(other, (ast.With, ast.AsyncWith, ast.Try)) or (
            isinstance(other, ast.If) and getattr(other.test, "value", None) is True
        )
        if plain and _is_in_each_iteration(statement, other.body):
            return True
    return False


def _counted_from(loop: Node, name: str, frame: Frame) -> int | None:
    """Where the count of a name starts: `for name, ... in enumerate(...)`, `for name in range(...)`, and these inside
    of `zip`, `enumerate` and progress bars."""
    pairs = [(loop.target, loop.iter)]
    while pairs:
        target, source = pairs.pop()
        word = last_name(source.func) if isinstance(source, ast.Call) else ""
        if word in ("tqdm", "track") and source.args:
            pairs.append((target, source.args[0]))
        elif word == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2 and source.args:
            if place(target.elts[0]) == name:
                return _whole([*source.args[1:2], *(k.value for k in source.keywords if k.arg == "start")], frame)
            pairs.append((target.elts[1], source.args[0]))
        elif word == "zip" and isinstance(target, ast.Tuple):
            pairs += zip(target.elts, source.args, strict=False)
        elif word in ("range", "trange") and place(target) == name:
            return _whole(source.args[:1] if len(source.args) > 1 else [], frame)
        elif word == "count" and place(target) == name:
            return _whole([*source.args[:1], *(k.value for k in source.keywords if k.arg == "start")], frame)
    return None


def _whole(start: list[Node], frame: Frame) -> int | None:
    """The number that a count starts from, which is 0 where nothing says so."""
    value = evaluate(start[0], frame).literal if start else 0
    return value if value.__class__ is int else None


# ------------------------------------------------------------------------------------------------------------- branches
def are_in_different_branches(function: FunctionScope, one: ast.AST | None, other: ast.AST | None) -> bool:
    """Do two places of a function lie in the two branches of one `if`, so that only one of them ever runs?"""
    for statement in (n for s in function.body for n in walk(s) if isinstance(n, ast.If)):
        sides = [{id(n) for s in branch for n in walk(s)} for branch in (statement.body, statement.orelse)]
        if any(id(one) in first and id(other) in second for first, second in (sides, sides[::-1])):
            return True
    return False
