"""Does every step apply the gradients of as many micro-batches?

A step under `i % k == 0`, with `i` from 0 on, comes after the first micro-batch already: the first window has one. One
under `(i + 1) % k == 0` leaves over what is behind the last full window. What counts from where is read from the loop;
a counter of which the first value is not known says nothing.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._gradients import touching, uses
from mllint.checks._windows import skips, window
from mllint.checks.optimizer._protocol import accumulates
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, Event, Flow, LoopRun, Site, text
from mllint.semantics.evaluate import evaluate
from mllint.semantics.frames import Frame
from mllint.semantics.module import last_name, place, walk, within

__all__: list[str] = []


@check("uneven-accumulation")
def uneven_accumulation(flow: Flow) -> Iterator[Finding]:
    """The first step applies the gradient of one micro-batch, or the last micro-batches are left over."""
    for step in flow.events(AppliesGrad):
        found = next((b for b in flow.events(AccumulatesGrad) if waits(flow, step, b)), None)
        decided = deciding(step, found) if found is not None else None
        if found is None or decided is None or evaluate(decided[1][1], step.frame).literal == 1:
            continue
        test, every = decided
        first = first_value(every[0], step.loops[-1], step.frame, test.lineno)
        where, size = Site(step.frame.module, test), text(step.frame.module, every[1])
        if first == 0:
            yield Finding(
                where,
                f"the first step applies the gradient of one micro-batch, not of `{size}`: the count starts at 0",
                "true at the first micro-batch",
                [Note(found, "accumulated here"), Note(step, "applied here")],
            )
        elif first == 1 and isinstance(test, ast.Compare) and left_over(flow, step, found, every[0]):
            yield Finding(
                where,
                f"up to `{size}` - 1 micro-batches are left over behind the loop, and are no step of this epoch",
                "true for full windows only",
                [Note(found, "accumulated here"), Note(step, "applied here")],
                "step once more behind the loop, or at its last micro-batch",
                certain=False,  # nothing is left over where the length is a multiple
            )


def waits(flow: Flow, step: Event, backward: Event) -> bool:
    """Does a step wait for several rounds of a backward that comes before it in each round?"""
    if not uses(flow, backward, step) or window(step, backward) is None or step.frame is not backward.frame:
        return False
    below = flow.path(backward, to=step, avoiding=touching(step), back=False)
    return below is not None and accumulates(flow, backward, step)


def deciding(step: Event, backward: Event) -> tuple[Any, tuple[Any, Any]] | None:
    """The test that decides about a step and not about the backward, with the counter and the number in it."""
    shared = {id(test) for test, _, _ in backward.conditions}
    tests = [*step.conditions_in(step.loops[-1]), *((test, False, step.frame) for test in skips(step, backward))]
    for test, held, frame in tests:
        found = modulus(test, held) if id(test) not in shared and frame is step.frame else None
        if found is not None:
            return test, found
    return None


def modulus(test: Any, held: bool) -> tuple[Any, Any] | None:
    """The counter and the number of `counter % number == 0`, also beside a test for the last micro-batch; None if
    anything else decides as well, or if the test lets through what is no multiple."""
    match test:
        case ast.Compare(left=ast.BinOp(left=count, op=ast.Mod(), right=number), ops=[how], comparators=[zero]):
            multiple = isinstance(how, ast.Eq) if held else isinstance(how, (ast.NotEq, ast.Gt))
            return (count, number) if multiple and isinstance(zero, ast.Constant) and zero.value == 0 else None
        case ast.BinOp(left=count, op=ast.Mod(), right=number):
            return (count, number) if not held else None
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return modulus(inner, not held)
        case ast.BoolOp(op=ast.Or() | ast.And() as joint, values=parts) if isinstance(joint, ast.Or) is held:
            return next((found for part in parts if (found := modulus(part, held)) is not None), None)
    return None


def first_value(node: Any, run: LoopRun, frame: Frame, line: int = 0) -> int | None:
    """What an expression is in the first round of a loop, in its first epoch; None if that is not known."""
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
            return first_of_name(name, run, frame, line)
    return None


def first_of_name(name: str, run: LoopRun, frame: Frame, line: int) -> int | None:
    """The first value of a name: one that a loop counts in, or that is set before it and counted up in it."""
    found = frame.function.bindings.get(name, ())
    given = frame.bound.get(name) if frame.bound is not None else None
    if isinstance(given, tuple) and run.frame is not frame and all(b.kind == "param" for b in found):
        return first_value(given[0], run, given[1], given[0].lineno)
    loops = [r for r in (*run.outer, run) if r.frame is frame and isinstance(r.node, ast.For)]
    if len(found) == 1 and found[0].kind == "for":
        loop = next((r for r in loops if any(n is found[0].node for n in walk(r.node.target))), None)
        return counted_from(loop.node, name, frame) if loop is not None else None
    if len(found) == 1 and found[0].kind == "assign" and not found[0].path:
        return first_value(found[0].value, run, frame, line) if within(found[0].node, run.node) else None
    starts = [b for b in found if b.kind == "assign" and not b.path and not within(b.node, run.node)]
    grows = [b for b in found if b.kind == "aug" and within(b.node, run.node)]
    if len(starts) != 1 or len(grows) != 1 or len(found) != 2 or not in_each_round(grows[0].value, run.node.body):
        return None
    start, grown = first_value(starts[0].value, run, frame), grows[0].value
    if grown.lineno > line:
        return start
    more = first_value(grown.value, run, frame) if isinstance(grown.op, ast.Add) else None
    return start + more if start is not None and more is not None else None


def in_each_round(statement: Any, body: list[Any]) -> bool:
    """Is a statement one of a block, or in a `with`, a `try` or an `if True` of it?"""
    for other in body:
        if other is statement:
            return True
        plain = isinstance(other, (ast.With, ast.AsyncWith, ast.Try)) or (
            isinstance(other, ast.If) and getattr(other.test, "value", None) is True
        )
        if plain and in_each_round(statement, other.body):
            return True
    return False


def counted_from(loop: Any, name: str, frame: Frame) -> int | None:
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
                return whole([*source.args[1:2], *(k.value for k in source.keywords if k.arg == "start")], frame)
            pairs.append((target.elts[1], source.args[0]))
        elif word == "zip" and isinstance(target, ast.Tuple):
            pairs += zip(target.elts, source.args, strict=False)
        elif word in ("range", "trange") and place(target) == name:
            return whole(source.args[:1] if len(source.args) > 1 else [], frame)
        elif word == "count" and place(target) == name:
            return whole([*source.args[:1], *(k.value for k in source.keywords if k.arg == "start")], frame)
    return None


def whole(start: list[Any], frame: Frame) -> int | None:
    """The number that a count starts from, which is 0 where nothing says so."""
    value = evaluate(start[0], frame).literal if start else 0
    return value if value.__class__ is int else None


def left_over(flow: Flow, step: Event, backward: Event, count: Any) -> bool:
    """Does no other step take what a loop, that several epochs repeat and that counts anew in each, has accumulated?"""
    names = {n.id for n in walk(count) if isinstance(n, ast.Name)}
    targets = {n.id for n in walk(getattr(step.loops[-1].node, "target", None)) if isinstance(n, ast.Name)}
    if not names or not names <= targets:
        return False
    others = [s for s in flow.events(AppliesGrad) if s is not step and s.concerns(step) is not False]
    return not others and len(step.loops) > 1 and step.loops[-1].role == "batch" and backward.loops == step.loops
