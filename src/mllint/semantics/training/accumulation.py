"""Does the optimizer step only every k-th micro-batch, and how many are there before the first step?

    for i, (x, y) in enumerate(loader):
        (criterion(net(x), y) / k).backward()
        if (i + 1) % k == 0:           # the window: true at i = k - 1, after k micro-batches
            optimizer.step()

A step waits for a window when it stands in the same loop as the backward and a modulo test decides about it: by a
branch around it, by `if (i + 1) % k: continue` before it, or by a flag that was computed so. Or it stands below a loop
of its own that is counted in micro-batches: `for micro in range(accumulation_steps)`.

What is not known says nothing: a counter without a visible start has no first value, and an optimizer that divides each
gradient by its own size (`multiplies_the_step`) does not see how many were added.

What is deliberately not here: which gradients are added; that is `gradients`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mllint.semantics.flow.kinds import AppliesGrad, ClipsGrad, SetsGrad
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.module import Class, last_name, place, walk, within
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.gradients import changes_of
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import has_role_name
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Site, Value

__all__ = [
    "accumulates", "at_turn", "counted", "divides_itself", "first_value", "is_mean_of_terms", "left_over", "modulus",
    "multiplies_the_step", "runs_backward", "skips", "window",
]  # fmt: skip

_THROUGH = (ast.Name, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)


def window(step: Event, other: Event) -> Any:
    """The test that lets a step happen every k-th time only, while `other` happens each time; None if there is none.

    Args:
        step: the event that waits.
        other: an event in the same innermost loop.
    """
    if not other.loops or not step.loops:
        return None
    if other.loops[-1] is not step.loops[-1]:
        return micro_batches(other.loops[-1]) if other.loops[:-1] == step.loops else None
    if deciding := counting(step):
        shared = {id(test) for test, _, _ in other.conditions}
        for test in deciding:
            if id(test) not in shared:
                return test
    return next((test for test in skips(step, other) if counts(test, step.frame)), None)


def micro_batches(run: LoopRun) -> Any:
    """What a loop counts to, if it counts micro-batches by its name."""
    counts = run.node.iter if isinstance(run.node, ast.For) else None
    if not isinstance(counts, ast.Call) or last_name(counts.func) not in ("range", "trange") or len(counts.args) != 1:
        return None
    return counts if has_role_name(place(counts.args[0]), Role.ACCUMULATION) else None


def counted(event: Event) -> bool:
    """Does a modulo test decide about an event?"""
    return bool(counting(event))


@cached()
def counting(event: Event) -> list[Any]:
    """The modulo tests that decide about an event."""
    return [test for test, _, frame in event.conditions if counts(test, frame)]


def at_turn(event: Event) -> bool:
    """Does a comparison with the number of the turn decide about an event, as `j == 0` and `j + 1 == n` do?"""
    targets = {n.id for run in event.loops for n in walk(getattr(run.node, "target", None)) if isinstance(n, ast.Name)}
    tests = [t for t, _, _ in event.conditions if isinstance(t, ast.Compare) and isinstance(t.ops[0], ast.Eq)]
    return any(isinstance(n, ast.Name) and n.id in targets for t in tests for n in walk(t))


def counts(test: Any, frame: Any) -> bool:
    """Is it a modulo test, or a name for one?"""
    table, key = _COUNTS.of(frame.project), (test, frame)
    known = table.get(key)
    if known is None:
        found = origins(test, frame, through=lambda origin: isinstance(origin.node, _THROUGH))
        known = table[key] = any(modulo(origin) for origin in found)
    return known


_COUNTS: Cache[tuple[ast.AST, Frame], bool] = Cache()


def modulo(origin: Origin) -> bool:
    """Is it `a % b`, and not the formatting of a text?"""
    node = origin.node
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, (ast.Constant, ast.JoinedStr))
    )


def skips(step: Event, other: Event) -> list[Any]:
    """The tests of `if ...: continue` between two events of one function."""
    if step.function is not other.function:
        return []
    body = step.loops[-1].node.body
    return [
        s.test
        for s in body
        if isinstance(s, ast.If)
        and isinstance(s.body[-1], ast.Continue)
        and other.site.line < s.lineno < step.site.line
    ]


def accumulates(flow: Flow, backward: Event, step: Event) -> bool:
    """Whether a backward is repeated without a step or a clear in between, and its gradients go into a step."""
    others = changes_of(step)
    if flow.path(backward, to=backward, avoiding=(step, *others)) is None:
        return False
    return flow.path(backward, to=step, avoiding=others) is not None


# -------------------------------------------------------------------------------------------------------- first windows
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


def left_over(flow: Flow, step: Event, backward: Event, count: Any) -> Answer[Event] | None:
    """The step that leaves the last micro-batches of a loop unapplied, because its count starts anew in each epoch.

    Returns:
        The step; only possible, since nothing is left over where the number of micro-batches is a multiple. None where
        another step may take what is left, or the count goes on.
    """
    names = {n.id for n in walk(count) if isinstance(n, ast.Name)}
    targets = {n.id for n in walk(getattr(step.loops[-1].node, "target", None)) if isinstance(n, ast.Name)}
    if not names or not names <= targets:
        return None
    if any(s is not step and s.concerns(step) is not False for s in flow.events(AppliesGrad)):
        return None
    in_epochs = len(step.loops) > 1 and step.loops[-1].role == "batch" and backward.loops == step.loops
    return Answer(step, Evidence.POSSIBLE, (step.site, backward.site)) if in_epochs else None


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


# ---------------------------------------------------------------------------------------------------------------- sizes
_DECOUPLED = (
    "torch.optim.AdamW",
    "transformers.optimization.AdamW",
    "apex.optimizers.FusedAdam",
    "apex.optimizers.FusedLAMB",
)
_DIVIDING = tuple(f"torch.optim.{name}" for name in "Adam Adamax NAdam RAdam RMSprop Adagrad Adadelta Rprop".split())


def multiplies_the_step(flow: Flow, step: Event) -> Answer[bool]:
    """Whether a sum of gradients makes a larger step than their mean; perhaps not where the optimizer divides each
    gradient by its own size, and nothing else has depended on that size."""
    sized = any(e.concerns(step) is not False for e in flow.events(ClipsGrad, SetsGrad))
    return proven_unless(not sized and all(_divides(v) for v in step.subject.alternatives), True, step.site)


def _divides(optimizer: Value) -> bool:
    """Is it of the kin of Adam, without a penalty on the weights that is added to the gradient; or may it be, because
    the project has written it?"""
    if optimizer.instance_of(*_DECOUPLED) or _own(optimizer):
        return True
    penalty = constructor_argument(optimizer, "weight_decay")
    return optimizer.instance_of(*_DIVIDING) and (penalty is None or penalty.truth is False)


def _own(optimizer: Value) -> bool:
    """Is it of a class of the project that is told by none of the library's what to do with a gradient?"""
    if optimizer.kind != "instance" or not isinstance(optimizer.of, Class) or optimizer.of.module.is_stub:
        return False
    bases = [c for c in mro(optimizer.of)[1:] if isinstance(c, Class) and c.module.is_stub]
    return [c.name for c in bases if c.name != "object"][:1] == ["Optimizer"]


_ENGINES = ("accelerate.Accelerator", "lightning.fabric.Fabric")


def runs_backward(backward: Event) -> Value | None:
    """The accelerator, or the Fabric, that runs a backward of the loss that it is given; None for any other."""
    receiver = Call(backward.call, backward.frame).receiver
    return receiver if receiver is not None and receiver.instance_of(*_ENGINES) else None


def divides_itself(backward: Event) -> bool:
    """Whether a backward is one of accelerate, which divides by the number of accumulation steps itself."""
    receiver = runs_backward(backward)
    if receiver is None or not receiver.instance_of(_ENGINES[0]):
        return False
    given = [constructor_argument(receiver, f"gradient_accumulation_{word}") for word in ("steps", "plugin")]
    return any(value is not None and value.literal != 1 for value in given)


def is_mean_of_terms(site: Site) -> bool:
    """Whether it is the mean of the terms that are added in it: `(fake + real) * 0.5`, `(a + b + c) / 3`?"""
    match site.node:
        case ast.BinOp(left=terms, op=ast.Mult(), right=ast.Constant(value=float() | int() as factor)):
            return factor * _terms(terms) == 1
        case ast.BinOp(left=ast.Constant(value=float() | int() as factor), op=ast.Mult(), right=terms):
            return factor * _terms(terms) == 1
        case ast.BinOp(left=terms, op=ast.Div(), right=ast.Constant(value=float() | int() as count)):
            return 1 < _terms(terms) == count
    return False


def _terms(node: Any) -> int:
    """How many terms are added."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) + _terms(node.right)
    return 1
