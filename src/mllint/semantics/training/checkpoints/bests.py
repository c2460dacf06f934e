"""Does a run keep its best weights, or those of every epoch, or none?

    best = 0.0
    for epoch in range(epochs):
        score = train_and_measure(net)
        if score > best:                         # `guard`: the score, what it is compared with, "higher"
            torch.save(net.state_dict(), path)   # nothing assigns `best`: `is_record_never_updated`

    best = float("inf")
    if score > best: ...                         # no number is larger: `is_guard_never_true`

A record is a name, or an attribute of the object, that is compared with a score where weights are saved or read; one
that a function is handed, or finds in the function around it, is what its caller calls so. It counts as one if it
begins with a number that no score has outdone yet: an infinity, a zero, minus one. Any other number may be a threshold,
and what each epoch measures anew is a score, whatever it begins with.
    for epoch in range(epochs):
        best = 0.0                               # `find_resets`: each epoch begins a record of its own
        ...
        if score > best: ...

What may be assigned elsewhere (by another method, a nested function, something that is handed the object) is not known,
but for a method that restores the record of an earlier run.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AppliesGrad, ReadsState, Saves
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope
from mllint.semantics.syntax.names import bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, is_range_iterable, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.iterations import is_built_in
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import heirs
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import resolve_name

__all__ = ["Guard", "Reset", "find_resets", "guards", "is_guard_never_true", "is_record_never_updated"]

_STARTS = (0, -1)
_CALLS = 4


class Guard(NamedTuple):
    """A comparison that decides whether weights are kept.

    Attributes:
        test: the comparison.
        record: the expression of the best score so far.
        higher: whether a higher score is taken for a better one.
        start: the number that the record begins with.
        bindings: the assignments that the record can hold at the comparison.
        kept: what happens if the comparison holds: weights are saved, or read.
        frame: the context of the comparison.
        place: the name of the record where it is assigned.
        owner: the function in which it has this name.
    """

    test: ast.Compare
    record: Node
    higher: bool
    start: float
    bindings: tuple[Binding, ...]
    kept: Event
    frame: Frame
    place: str
    owner: FunctionScope


def guards(flow: Flow) -> Iterator[Guard]:
    """The comparisons with a record that weights are kept behind, in a loop that trains; each once."""
    seen: set[int] = set()
    for kept in flow.events(Saves, ReadsState):
        if not any(run in step.loops for step in flow.events(AppliesGrad) for run in kept.loops):
            continue
        for written, holds, frame in kept.conditions:
            for test, polarity in _parts(*_affirmed(written, holds), frame.function):
                if polarity and id(test) not in seen:
                    seen.add(id(test))
                    yield from _guards(test, frame, kept)


def _parts(test: Node, holds: bool, function: FunctionScope) -> Iterator[tuple[Node, bool]]:
    """The comparisons that a test is made of: what holds with others, or has a name, `is_best = score > best`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and holds:
        for value in test.values:
            yield from _parts(*_affirmed(value, holds), function)
    else:
        yield resolve_name(test, function), holds


def _affirmed(test: Node, holds: bool) -> tuple[Node, bool]:
    """A test without the `not` before it, and whether it holds."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    return test, holds


def _guards(test: Node, frame: Frame, kept: Event) -> Iterator[Guard]:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return
    larger = isinstance(test.ops[0], (ast.Gt, ast.GtE))
    first, second = test.left, test.comparators[0]
    for record, other, higher in ((second, first, larger), (first, second, not larger)):
        name, bindings, holder = _held(record, frame)
        begun = [b for b in bindings if any(_is_behind(b, run) for run in kept.loops)]  # else it is the score
        starts = [b for b in begun if _number(b, holder) is not None]
        if len(starts) == 1 and not isinstance(other, ast.Constant) and not _is_counter(other, frame.function):
            start = _number(starts[0], holder)
            if start is not None:
                yield Guard(test, record, higher, start, bindings, kept, frame, name, holder.function)


def _is_counter(node: Node, function: FunctionScope) -> bool:
    """Is it the number of an epoch or a step: what a loop over numbers goes through, or counts up, `i += 1`?"""
    name = place(node) or ""
    found = function.bindings.get(name, ()) if "." in name else bound_at(node, function)
    return any(
        (b.kind == "for" and (is_range_iterable(b.value) or last_name(getattr(b.value, "func", None)) == "enumerate"))
        or (isinstance(b.value, ast.AugAssign) and isinstance(b.value.value, ast.Constant))
        for b in found
    )


def _held(record: Node, frame: Frame) -> tuple[str, tuple[Binding, ...], Frame]:
    """The name of a record where it is assigned, the assignments that it can hold, and the context of these."""
    name, node = place(record) or "", record
    if isinstance(record, ast.Subscript):
        return name, (), frame
    for _ in range(_CALLS):
        bindings = _bindings(name, node, frame)
        base, _, rest = name.partition(".")
        given = _given(base, bindings, frame)
        if given is None:
            return name, bindings, frame
        node, frame = given
        name = ".".join(filter(None, (place(node), rest)))
        node = None if rest else node
    return name, (), frame


def _given(base: str, bindings: tuple[Binding, ...], frame: Frame) -> tuple[Node, Frame] | None:
    """What a function is handed under a name, or the name itself in the function around it; None if it is its own."""
    function = frame.function
    own = function.bindings.get(base, ())
    if not own and not function.is_body:
        around = frame.parent if base not in function.globals else None
        return ast.Name(base, ast.Load()), around or frame.project.frame(function.module.body)
    param = (bindings or own)[:1]
    if not param or param[0].kind != "param" or len(bindings) > 1 or frame.bound is None or base == "self":
        return None
    found = frame.bound.get(base)
    return found if isinstance(found, Passed) and place(found.node) is not None else None


def _bindings(name: str, node: Node, frame: Frame) -> tuple[Binding, ...]:
    """The assignments that a name, or an attribute of the object, can hold; all of the function where no node of it is
    known."""
    function = frame.function
    if not name.startswith("self.") or function.owner is None:
        found = bound_at(node, function) if node is not None else ()
        return found or tuple(function.bindings.get(name, ()))
    family = [*mro(function.owner), *heirs(function.owner, frame.project)]
    methods = (m for c in family if isinstance(c, ClassScope) and not c.module.is_stub for m in c.methods.values())
    bound = [b for method in methods for b in method.bindings.get(name, ())]
    return tuple(b for b in bound if b.scope is function or not _is_resumed(b))


def _is_resumed(binding: Binding) -> bool:
    """Does it get the record of an earlier run, in a function that restores it: `self.best = saved["best"]`?"""
    resumes = isinstance(binding.scope, FunctionScope) and "load_state_dict" in binding.scope.called_names
    match binding.value:
        case ast.Subscript(slice=ast.Constant()) | ast.Call(func=ast.Attribute(attr="get" | "pop")):
            return resumes and binding.kind == "assign"
    return False


def _number(binding: Binding, frame: Frame) -> float | None:
    node = bound_expression(binding)
    if binding.kind != "assign" or node is None or not isinstance(binding.scope, FunctionScope):
        return None
    value = evaluate(node, frame.project.frame(binding.scope)).literal
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class Reset(NamedTuple):
    """A comparison with a record that the loop around it sets back before.

    Attributes:
        test: the comparison.
        record: the expression of the best score so far.
        start: the assignment that sets it back in each iteration.
        frame: the context of both.
    """

    test: ast.Compare
    record: Node
    start: Binding
    frame: Frame


def find_resets(flow: Flow) -> Iterator[Reset]:
    """The comparisons that weights are kept behind with a record that each epoch sets back to where it begins.

    A record is one that is updated behind the comparison. Of a loop over folds or models each has a record of its own:
    the batches of training have to lie right in the loop, and it builds no model that is kept.
    """
    seen: set[int] = set()
    for kept in flow.events(Saves, ReadsState):
        run = kept.loops[-1] if kept.loops else None
        if run is None or run.role != "epoch" or is_built_in(kept.subject, run):
            continue
        if not any(step.loops[:-1] == kept.loops for step in flow.events(AppliesGrad)):
            continue
        for written, holds, frame in kept.conditions:
            for test, polarity in _parts(*_affirmed(written, holds), frame.function):
                if polarity and id(test) not in seen and frame.function is run.frame.function:
                    seen.add(id(test))
                    yield from _resets(test, frame, run)


def _resets(test: Node, frame: Frame, run: LoopRun) -> Iterator[Reset]:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return
    for record, other in ((test.comparators[0], test.left), (test.left, test.comparators[0])):
        name = place(record) or ""
        bindings = bound_at(record, frame.function) if name.isidentifier() else ()
        start = _number(bindings[0], frame) if len(bindings) == 1 else None
        if start is None or not (math.isinf(start) or start in _STARTS) or isinstance(other, ast.Constant):
            continue
        updates = [b for b in frame.function.bindings[name] if b is not bindings[0] and _number(b, frame) is None]
        is_reset = any(bindings[0].value is getattr(s, "value", None) for s in run.node.body)
        if is_reset and any(not _is_behind(b, run) and b.node.lineno > test.lineno for b in updates):
            yield Reset(test, record, bindings[0], frame)


def is_record_never_updated(guard: Guard) -> bool:
    """Whether every score that outdoes the start counts as the best: nothing assigns the record any more."""
    start = guard.start
    if not (math.isinf(start) or start in _STARTS) or len(guard.bindings) != 1 or is_guard_never_true(guard):
        return False
    return not _assigned_elsewhere(guard) and any(_is_behind(guard.bindings[0], run) for run in guard.kept.loops)


def _is_behind(binding: Binding, run: LoopRun) -> bool:
    """Does a loop lie behind an assignment, or in another function than it?"""
    line = getattr(binding.node, "lineno", 0)
    loop = run.node
    return binding.scope.module is not run.frame.module or not loop.lineno <= line <= (loop.end_lineno or 0)


def _assigned_elsewhere(guard: Guard) -> bool:
    """May something else assign the record: a nested function, a global, another object's method?"""
    name, function = guard.place, guard.owner
    if name.startswith("self."):
        attribute = name.removeprefix("self.")
        return any(
            _may_assign_attribute(f, attribute)
            for m in guard.frame.project.modules
            for f in m.functions
            if f.owner is not function.owner
        )
    others = (f for f in function.module.functions if name in f.globals and name in f.bindings and f is not function)
    return any(function is function.module.body or _is_within(f, function) for f in others)


def _is_within(inner: FunctionScope, function: FunctionScope) -> bool:
    """Is a function written in another one?"""
    scope = inner.parent
    while scope is not None and scope is not function:
        scope = scope.parent
    return scope is not None


def _may_assign_attribute(function: FunctionScope, attribute: str) -> bool:
    """Does a function assign an attribute, of what need not be an object of its own class?"""
    own = "self" if function.owner is not None else ""
    return any(
        name.rpartition(".")[2] == attribute and "." in name and name.partition(".")[0] != own
        for name, bindings in function.bindings.items()
    )


def is_guard_never_true(guard: Guard) -> bool:
    """Whether no score is better than the number that the record begins with: the wrong infinity."""
    return math.isinf(guard.start) and (guard.start > 0) is guard.higher and not _is_measured_each_epoch(guard)


def _is_measured_each_epoch(guard: Guard) -> bool:
    """Does each epoch assign what is compared, before the comparison or whatever its outcome? Then it is a score, or
    that of the last epoch. A record is assigned where the comparison holds, or made of itself, `max(best, score)`."""
    loops = [run.node for run in guard.kept.loops]
    inside = [b for b in guard.bindings if b.kind == "assign" and not all(_is_behind(b, r) for r in guard.kept.loops)]
    always = {id(getattr(s, "value", None)) for loop in loops for s in takewhile(_goes_on, loop.body)}
    own = (b for b in inside if guard.place not in map(place, walk(b.value)))
    return any(_is_before(b, guard) or id(b.value) in always for b in own)


def _goes_on(statement: ast.stmt) -> bool:
    """Does an iteration go on behind a statement on all ways, without a `continue`?"""
    return not any(isinstance(n, (ast.Continue, ast.Break, ast.Return)) for n in walk(statement))


def _is_before(binding: Binding, guard: Guard) -> bool:
    """Does an assignment lie before the comparison, in the same function?"""
    line = getattr(binding.node, "lineno", 0)
    return binding.scope is guard.frame.function and line < guard.test.lineno
