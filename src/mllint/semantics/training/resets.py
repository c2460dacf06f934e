"""Does what is counted in an epoch begin anew in each, and does it count all batches?

    hits = 0                                    # `never_reset`: before the epochs
    for epoch in range(epochs):
        for x, y in val_loader:
            hits += (net(x).argmax(1) == y).sum().item()
        print(hits / len(val_loader.dataset))   # grows with the epochs

    for x, y in val_loader:
        accuracy = (net(x).argmax(1) == y).float().mean()
    return accuracy                             # `of_last_batch`

A sum counts if it is read as a ratio behind the loop over batches, inside the loop over epochs; a metric object if it
is asked for its value there. Loops that train may keep sums over the whole run on purpose, so that only loops that
measure are asked about. What is assigned anywhere inside the outer loop begins anew, as far as is known. Around a model
that does not change, over tasks or episodes, a mean of all so far is a mean like any other: either the outer loop
trains, or the divisor is a length that does not grow with it. And what is summed is computed from what the model gives:
a number of steps counts on through a run, as it should.

A loop over batches goes through something that holds more than one: not through numbers, nor through a loader that
puts the whole dataset into one batch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from mllint.semantics.flow.flow import Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Forward
from mllint.semantics.syntax.module import Binding, Function
from mllint.semantics.syntax.names import bound_expression, reaching
from mllint.semantics.syntax.nodes import iterable_of, last_name, place, ranged, walk, within
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.role_names import Activity
from mllint.semantics.training.roles import activity_by_name
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import bound_to

__all__ = ["Carried", "never_reset", "of_last_batch", "unreset_metrics"]

_METRICS = ("torchmetrics.Metric", "torchmetrics.MetricCollection")


class Carried(NamedTuple):
    """What goes from one epoch, or one batch, into the next.

    Attributes:
        name: its place.
        read: where it is read.
        started: where it was last begun, or set.
    """

    name: str
    read: Site
    started: Site


def _measuring(flow: Flow) -> Iterator[tuple[LoopRun, LoopRun | None]]:
    """The loops that run a model over batches and do not train, each with the loop around it."""
    trained = {id(run.node) for event in flow.events(AppliesGrad, AccumulatesGrad) for run in event.loops}
    seen: set[int] = set()
    for forward in flow.events(Forward):
        run = forward.loops[-1] if forward.loops else None
        if run is None or id(run.node) in trained | seen or run.node.__class__ is not ast.For:
            continue
        seen.add(id(run.node))
        outer = next((r for r in reversed(run.outer) if r.frame is run.frame), None)
        yield run, outer


def never_reset(flow: Flow) -> Iterator[Carried]:
    """The sums over the batches of an evaluation that go on in the next epoch."""
    for run, outer in _measuring(flow):
        if outer is None:
            continue
        function, module = run.frame.function, run.frame.module
        answers = _answers(run, flow)
        for name, bindings in function.bindings.items():
            starts = [b for b in bindings if b.kind == "assign"]
            inner = [b for b in bindings if b.kind == "aug" and within(b.node, run.node)]
            grows = [b for b in inner if _made_of(bound_expression(b), answers, function)]
            if (
                len(starts) != 1
                or not grows
                or within(starts[0].node, outer.node)
                or not _is_zero(bound_expression(starts[0]))
            ):
                continue
            ratios = _ratios(outer.node, run.node)
            changes = _trains(outer, flow)
            read = next((n for n in ratios if _reads(n.left, name) and (changes or _is_length(n.right))), None)
            if read is not None:
                yield Carried(name, Site(module, read), Site(module, starts[0].node))


def _answers(run: LoopRun, flow: Flow) -> set[int]:
    """The calls in a loop, by their identity, in which a model is run."""
    found: set[int] = set()
    for forward in flow.events(Forward):
        node, frame = forward.call, forward.frame
        while run in forward.loops and frame is not run.frame and frame.caller is not None:
            frame, node = frame.caller
        found.add(id(node))
    return found


def _made_of(node: Any, calls: set[int], function: Function, depth: int = 6) -> bool:
    """Is an expression computed from one of these calls, directly or through names?"""
    known = reaching(function).at
    for part in walk(node):
        if id(part) in calls:
            return True
        for binding in known.get(id(part), ()) if depth else ():
            if binding.kind != "aug" and _made_of(binding.value, calls, function, depth - 1):
                return True
    return False


def _trains(run: LoopRun, flow: Flow) -> bool:
    """Does the model change from turn to turn of a loop: it is trained there, or something is called that says so?"""
    if any(run in event.loops for event in flow.events(AppliesGrad)):
        return True
    calls = [c for c in run.frame.function.calls if within(c, run.node)]
    return any(activity_by_name(last_name(c.func) or "") is Activity.TRAINS for c in calls)


def _is_length(node: Any) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "len"


def _is_zero(node: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0)


def _ratios(outer: Any, inner: Any) -> list[ast.BinOp]:
    """The quotients in a loop, behind an inner one."""
    found = [n for n in walk(outer) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    return [n for n in found if n.lineno > (inner.end_lineno or 0)]


def _reads(node: Any, name: str) -> bool:
    return any(place(n) == name for n in walk(node))


def unreset_metrics(flow: Flow) -> Iterator[Carried]:
    """The metric objects that are asked for their value in each epoch, and never reset."""
    for run, outer in _measuring(flow):
        if outer is None or not _trains(outer, flow):
            continue
        function, module = run.frame.function, run.frame.module
        called = {(place(c.func.value), c.func.attr) for c in function.calls if isinstance(c.func, ast.Attribute)}
        for call in function.calls:
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "compute" or not within(call, outer.node):
                continue
            name, value = place(call.func.value), evaluate(call.func.value, run.frame)
            if name is None or not value.instance_of(*_METRICS) or value.site is None or (name, "reset") in called:
                continue
            if value.site.module is module and not within(value.site.node, outer.node) and not within(call, run.node):
                yield Carried(name, Site(module, call), value.site)


def of_last_batch(flow: Flow) -> Iterator[Carried]:
    """The scores of one batch that are read behind the loop over the batches, as if they were of all."""
    for run, _ in _measuring(flow):
        if not _draws_several(run):
            continue
        function, module = run.frame.function, run.frame.module
        body = [b for bs in function.bindings.values() for b in bs if _is_score(b, run.node)]
        for binding in body:
            if not _used_inside(binding, run.node, function):
                read = _read_behind(binding, run.node, function)
                if read is not None:
                    yield Carried(binding.name, Site(module, read), Site(module, binding.node))


def _draws_several(run: LoopRun) -> bool:
    """Does a loop go through batches: not through numbers, nor through one batch of everything?"""
    if ranged(run.node.iter):
        return False
    built = evaluate(iterable_of(run.node.iter), run.frame).built_with
    if built is None:
        return True
    size = built.keywords.get("batch_size") or (built.positional[1] if len(built.positional) > 1 else None)
    return not _is_length(bound_to(size, built.frame.function))


def _assignments_of_every_iteration(body: list[ast.stmt]) -> Iterator[ast.Assign]:
    """The assignments that every turn of a loop makes: those of its body, and of the `with` blocks in it."""
    for statement in body:
        if isinstance(statement, ast.With):
            yield from _assignments_of_every_iteration(statement.body)
        elif isinstance(statement, ast.Assign):
            yield statement


def _is_score(binding: Binding, loop: Any) -> bool:
    """Is it a mean of comparisons, computed once per turn: `(pred == y).float().mean()`?"""
    if (
        binding.kind != "assign"
        or binding.path
        or not any(s.value is binding.value for s in _assignments_of_every_iteration(loop.body))
    ):
        return False
    nodes = walk(binding.value)
    means = any(isinstance(n, ast.Call) and last_name(n.func) == "mean" for n in nodes)
    return means and any(isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq) for n in nodes)


def _used_inside(binding: Binding, loop: Any, function: Function) -> bool:
    """Is it read in the loop itself, or does the loop end after its first turn?"""
    if any(isinstance(n, (ast.Break, ast.Return)) for n in walk(loop)):
        return True
    known = reaching(function).at
    return any(within(n, loop) and binding in known.get(id(n), ()) for n in walk(loop) if place(n) == binding.name)


def _read_behind(binding: Binding, loop: Any, function: Function) -> Any:
    """Where a name is read behind the loop, if only what the loop bound can reach it, or what came before the loop."""
    known = reaching(function).at
    for node in walk(function.node):
        if place(node) == binding.name and getattr(node, "lineno", 0) > (loop.end_lineno or 0):
            if binding in known.get(id(node), ()):
                return node
    return None
