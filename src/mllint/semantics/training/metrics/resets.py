"""Does what is counted in an epoch begin anew in each?

    hits = 0                                    # `find_sums_never_reset`: before the epochs, or once for the object
    for epoch in range(epochs):
        for x, y in val_loader:
            hits += (net(x).argmax(1) == y).sum().item()
        print(hits / len(val_loader.dataset))   # grows with the epochs

    accuracy = torchmetrics.Accuracy(...)       # `unreset_metrics`: built once
    for epoch in range(epochs):
        print(evaluate(net, val_loader, accuracy))      # updates it, and asks for `accuracy.compute()`

A sum counts if it is read as a ratio behind the loop over batches, inside the loop over epochs, which may stand in the
caller; a metric object if it is asked for its value there, or in a hook of Lightning that runs after each epoch, and if
nothing in the program resets what may be this object. Loops that train may keep sums over the whole run on purpose, so
that only loops that measure are asked about. What is assigned anywhere inside the outer loop begins anew, as far as is
known. Around a model that does not change, over tasks or episodes, a mean of all so far is a mean like any other:
either the outer loop trains, or the divisor is a length that does not grow with it. And what is summed is computed from
what the model gives: a number of steps counts on through a run, as it should.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.flow import Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Forward
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import METRIC, METRIC_COLLECTION
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at, bound_expression, reaching
from mllint.semantics.syntax.nodes import Node, is_within, last_name, mentions_place, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.role_names import Activity
from mllint.semantics.training.roles import activity_by_name
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import Value

__all__ = [
    "Carried", "answers_in", "find_measuring_loops", "find_sums_never_reset", "is_computed_from_calls", "is_length",
    "unreset_metrics",
]  # fmt: skip

_METRICS = (METRIC, METRIC_COLLECTION)
_HOOKS = ("on_validation_epoch_end", "validation_epoch_end", "on_train_epoch_end", "training_epoch_end")


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


def find_measuring_loops(flow: Flow) -> Iterator[tuple[LoopRun, LoopRun | None]]:
    """The loops that run a model over batches and do not train, each with the loop around it, in a caller perhaps."""
    trained = {id(run.node) for event in flow.events(AppliesGrad, AccumulatesGrad) for run in event.loops}
    seen: set[int] = set()
    for forward in flow.events(Forward):
        run = forward.loops[-1] if forward.loops else None
        if run is None or id(run.node) in trained | seen or run.node.__class__ is not ast.For:
            continue
        seen.add(id(run.node))
        yield run, run.outer[-1] if run.outer else None


def find_sums_never_reset(flow: Flow) -> Iterator[Carried]:
    """The sums over the batches of an evaluation that go on in the next epoch."""
    for run, outer in find_measuring_loops(flow):
        if outer is None:
            continue
        function, module = run.frame.function, run.frame.module
        answers, changes = answers_in(run, flow), _is_training_loop(outer, flow)
        for name, bindings in function.bindings.items():
            start = _only_start(name, function)
            inner = [b for b in bindings if b.kind == "aug" and is_within(b.node, run.node)]
            grows = [b for b in inner if is_computed_from_calls(bound_expression(b), answers, function)]
            if start is None or not grows or _starts_inside(start, run, outer):
                continue
            ratios = _ratios(outer.node if outer.frame is run.frame else function.node, run.node)
            found = (n for n in ratios if mentions_place(n.left, name) and (changes or is_length(n.right)))
            read = next((n for n in found if not _is_divided_by_same_count(n.right, start, run)), None)
            if read is not None:
                yield Carried(name, Site(module, read), Site(start.scope.module, start.node))


def _only_start(name: str, function: FunctionScope) -> Binding | None:
    """The only assignment of a sum, a zero: in the function, or in the constructor of the object that it belongs to."""
    starts = [b for b in function.bindings.get(name, ()) if b.kind == "assign"]
    if name.startswith("self.") and function.owner is not None:
        methods = function.owner.methods.values()
        starts = [b for m in methods for b in m.bindings.get(name, ()) if b.kind == "assign"]
        attribute = name.removeprefix("self")
        others = [b for m in _own(function) for b, bound in m.bindings.items() if b.endswith(attribute) and b != name]
        if others or not all(getattr(b.scope, "name", "") == "__init__" for b in starts):
            return None
    return starts[0] if len(starts) == 1 and _is_zero(starts[0]) else None


def _own(function: FunctionScope) -> list[FunctionScope]:
    project = function.module.project
    return [f for m in project.modules if not m.is_stub for f in m.functions]


def _starts_inside(start: Binding, run: LoopRun, outer: LoopRun) -> bool:
    """Does a sum begin in the outer loop, or in each call of the function that the outer loop calls?"""
    if outer.frame is run.frame:
        return start.scope is run.frame.function and is_within(start.node, outer.node)
    return start.scope is run.frame.function


def answers_in(run: LoopRun, flow: Flow) -> set[int]:
    """The calls in a loop, by their identity, in which a model is run."""
    found: set[int] = set()
    for forward in flow.events(Forward):
        node, frame = forward.call, forward.frame
        while run in forward.loops and frame is not run.frame and frame.caller is not None:
            frame, node = frame.caller
        found.add(id(node))
    return found


def is_computed_from_calls(node: Node, calls: set[int], function: FunctionScope, depth: int = 6) -> bool:
    """Is an expression computed from one of these calls, directly or through names?"""
    known = reaching(function).at
    for part in walk(node):
        if id(part) in calls:
            return True
        if not depth:
            continue
        for binding in known.get(id(part), ()):
            if binding.kind != "aug" and is_computed_from_calls(binding.value, calls, function, depth - 1):
                return True
    return False


def _is_divided_by_same_count(divisor: Node, start: Binding, run: LoopRun) -> bool:
    """Is a sum that a loop further out begins divided by a count of the same batches, which begins there too? So the
    folds of one epoch have one mean."""
    function = run.frame.function
    counter = _only_start(place(divisor) or "", function)
    grows = [
        b for b in function.bindings.get(place(divisor) or "", ()) if b.kind == "aug" and is_within(b.node, run.node)
    ]
    around = [
        loop.node for loop in function.loops if is_within(start.node, loop.node) and is_within(run.node, loop.node)
    ]
    return counter is not None and bool(grows) and any(is_within(counter.node, loop) for loop in around)


def _is_training_loop(run: LoopRun, flow: Flow) -> bool:
    """Does a loop change the model on each iteration: is it trained there, or is something called that says so?"""
    if any(run in event.loops for event in flow.events(AppliesGrad)):
        return True
    calls = [c for c in run.frame.function.calls if is_within(c, run.node)]
    return any(activity_by_name(last_name(c.func) or "") is Activity.TRAINS for c in calls)


def is_length(node: Node) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "len"


def _is_zero(start: Binding) -> bool:
    """Does it set a zero, written there or given by a function?"""
    node, scope = bound_expression(start), start.scope
    project = scope.module.project
    if isinstance(node, ast.Call) and isinstance(scope, FunctionScope):
        return evaluate(node, project.frame(scope)).literal in (0, 0.0)
    return isinstance(node, ast.Constant) and node.value in (0, 0.0)


def _ratios(outer: Node, inner: Node) -> list[ast.BinOp]:
    """The quotients in a loop, behind an inner one."""
    found = [n for n in walk(outer) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    return [n for n in found if n.lineno > (inner.end_lineno or 0)]


def unreset_metrics(flow: Flow) -> Iterator[Carried]:
    """The metric objects that are asked for their value in each epoch, and never reset."""
    for run, outer in find_measuring_loops(flow):
        if outer is not None and _is_training_loop(outer, flow):
            for computing in _asked(run.frame):
                behind = outer.frame is not run.frame or (
                    is_within(computing.node, outer.node) and not is_within(computing.node, run.node)
                )
                if behind and _is_built_before_loop(computing, outer):
                    yield from _unreset(computing)
    if flow.frame.function.name == "training_step" and flow.frame.function.owner is not None:
        methods = flow.frame.function.owner.methods
        for hook in (methods[name] for name in _HOOKS if name in methods):
            yield from (c for computing in _asked(flow.frame.project.frame(hook)) for c in _unreset(computing))


def _asked(frame: Frame) -> Iterator[Call]:
    """The calls in a function that ask a metric for its value."""
    for node in frame.function.calls:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "compute" and place(node.func.value) is not None:
            call = Call(node, frame)
            if call.receiver is not None and call.receiver.instance_of(*_METRICS):
                yield call


def _is_built_before_loop(computing: Call, outer: LoopRun) -> bool:
    """Is a metric built before the outer loop, and is the place that holds it bound there, too?"""
    holder = computing.node.func.value
    bound = computing.function.bindings.get(place(holder) or "", ())
    built = computing.receiver.site if computing.receiver is not None else None
    if built is None or (built.module is outer.frame.module and is_within(built.node, outer.node)):
        return False
    if outer.frame is computing.frame:
        return not any(is_within(b.node, outer.node) for b in bound)
    if any(b.kind == "assign" for b in bound):
        return False
    return not any(_is_bound_inside(o, outer) for o in origins(holder, computing.frame))


def _is_bound_inside(origin: Origin, outer: LoopRun) -> bool:
    """Does an expression stand in the function of a loop, and in that loop, by a name that is bound there?"""
    if origin.frame.function is not outer.frame.function or not is_within(origin.node, outer.node):
        return False
    found = bound_at(origin.node, outer.frame.function)
    return not isinstance(origin.node, ast.Name) or any(is_within(b.node, outer.node) for b in found)


def _unreset(computing: Call) -> Iterator[Carried]:
    """The metric that is asked for its value, if nothing in the program resets what may be this one."""
    name, metric = place(computing.node.func.value) or "", computing.receiver
    if metric is None or metric.site is None:
        return
    for node, scope in computing.project.calls_named("reset"):
        function = function_of(scope)
        if function is None or _may_reset(Call(node, computing.project.frame(function)), computing, metric):
            return
    yield Carried(name, computing.site, metric.site)


def _may_reset(reset: Call, computing: Call, metric: Value) -> bool:
    """May a call reset a metric? Another attribute of the same object holds another one: a clone has its own counts."""
    name, other = (place(getattr(call.node.func, "value", None)) or "" for call in (computing, reset))
    own = computing.function.owner is reset.function.owner is not None
    if own and name.startswith("self.") and other.startswith("self.") and name != other:
        return False
    held = reset.receiver
    if held is None or held.is_unknown or (held.instance_of(*_METRICS) and held.site is None):
        return True
    return held.site == metric.site
