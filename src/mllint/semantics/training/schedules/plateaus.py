"""Which metric is a plateau schedule given?

    for epoch in range(9):
        for x, y in loader:
            loss = criterion(net(x), y)
            ...
        plateau.step(epoch)      # `is_counter`: no metric, it only grows
        plateau.step(loss)       # `find_loop_of_last_value`: the loss of the last batch
        plateau.step()           # none, unless the other branch of an `if` gives it: `has_metric_otherwise`

A schedule is one of plateaus where all that may stand there is built so, or where a branch that is taken for such a
schedule alone stands around its step (`find_plateau_ticks`): by its class, or by the word that chose it. A sum over the
batches and the average that a meter keeps are metrics, whatever computed their parts.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import AppliesGrad, Ticks
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, mentions_place, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.gradients import computing
from mllint.semantics.training.schedules.ticks import ticks
from mllint.semantics.training.schedules.units import PLATEAU
from mllint.semantics.values.lineage import origins

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["find_loop_of_last_value", "find_plateau_ticks", "has_metric_otherwise", "is_counter"]


def find_plateau_ticks(flow: Flow) -> list[Event]:
    """The steps of a flow that advance a schedule of plateaus, those first of which nothing else may stand there."""
    plain = [tick for tick, values in ticks(flow) if all(value.instance_of(PLATEAU) for value in values)]
    chosen = [t for t in flow.events(Ticks) if t not in plain and _is_chosen_plateau(t)]
    return [t for t in (*plain, *chosen) if not _is_excluded(t)]


def _is_excluded(tick: Event) -> bool:
    """Does a branch stand around it that is taken for schedules of another class?"""
    return any(_chooses_plateau(test) is not polarity and _asks_class(test) for test, polarity, _ in tick.conditions)


def _is_chosen_plateau(tick: Event) -> bool:
    """May it be a plateau schedule, and does a branch that is taken for it only, by its name, stand around it?"""
    receiver = Call(tick.call, tick.frame).receiver if tick.call is not None else None
    if receiver is None or not any(v.instance_of(PLATEAU) for v in receiver.alternatives):
        return False
    taken = [test for test, polarity, _ in tick.conditions if polarity]
    return any(map(_chooses_plateau, taken)) and not any(map(_chooses_another, taken))


def _asks_class(test: Node) -> bool:
    """Does a test ask whether a schedule is one of plateaus, be it denied: `not isinstance(s, ReduceLROnPlateau)`?"""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return isinstance(test, ast.Call) and _chooses_plateau(test)


def _chooses_another(test: Node) -> bool:
    """Is it `name == "step"` or `name in ["one_cycle", "onecycle"]`?"""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Eq, ast.In)):
        return False
    other = test.comparators[0]
    words = [getattr(n, "value", None) for n in getattr(other, "elts", (other,))]
    return all(isinstance(word, str) and not topics.is_about(word, Topic.PLATEAU) for word in words)


def _chooses_plateau(test: Node) -> bool:
    """Is it `name == "plateau"` or `isinstance(schedule, ReduceLROnPlateau)`, perhaps with more conditions?"""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            return any(_chooses_plateau(part) for part in parts)
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
            return topics.is_about(word, Topic.PLATEAU)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, cls]):
            return last_name(cls) == "ReduceLROnPlateau"
    return False


# ------------------------------------------------------------------------------------------------ what it is given
def has_metric_otherwise(tick: Event, flow: Flow) -> bool:
    """Does the other branch of an `if` around it give the metric: `step(loss) if self.by_metric else step()`?"""
    for other in flow.events(Ticks):
        if other.call is not None and (other.call.args or other.call.keywords) and other.concerns(tick) is not False:
            if any(a is b and x != y for a, x, _ in other.conditions for b, y, _ in tick.conditions):
                return True
    return False


def is_counter(node: Node, tick: Event) -> bool:
    """Is it the variable of an enclosing `range` loop, plus a constant perhaps?"""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        node = node.left
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    if place(node) == "epoch":
        return True
    loops = [(run.node.target, run.node.iter) for run in tick.loops if isinstance(run.node, ast.For)]
    ranges = [target for target, source in loops if last_name(getattr(source, "func", None)) in ("range", "trange")]
    if any(place(target) == place(node) for target in ranges):
        return True
    handed = origins(node, tick.frame, through=lambda o: isinstance(o.node, (ast.Name, ast.Attribute)))
    counted = {place(target) for target in ranges}
    return any(isinstance(o.node, ast.Name) and o.node.id in counted and o.frame is not tick.frame for o in handed)


def find_loop_of_last_value(node: Node, tick: Event, flow: Flow) -> LoopRun | None:
    """The batch loop, already left, in whose last iteration the value was computed; None if it was not. In one that
    trains nothing a loss counts alone: a score may be of all that the loop has seen."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "detach"):
        node = node.func.value
    function, line = tick.function, tick.site.line
    found = bound_at(node, function) if isinstance(node, ast.Name) else ()
    if not found and isinstance(node, ast.Name) and tick.frame.caller is not None:
        around, call = tick.frame.caller
        if around.function in (tick.function.parent, tick.function.module.body):  # whose names it reads
            function, line = around.function, call.lineno
            found = tuple(function.bindings.get(node.id, ()))
    inside = [b for b in found if getattr(b.value, "__class__", None) is not ast.Constant]
    if not inside or any(
        b.kind != "assign" or mentions_place(b.value, b.name) or _is_running(b.value, function) for b in inside
    ):
        return None
    lines = {b.node.lineno for b in inside}
    for run in flow.runs:
        first, last = run.node.lineno, run.node.end_lineno
        same = run.frame.function is function and run not in tick.loops and last < line
        if same and all(first <= line <= last for line in lines):
            if any(run in e.loops for e in flow.events(AppliesGrad)):
                return run
            if run.role == "batch" and all(_is_criterion(b.value, run) for b in inside):
                return run
    return None


def _is_criterion(value: Node, run: LoopRun) -> bool:
    """Is it a call of a loss function?"""
    return isinstance(value, ast.Call) and computing.is_criterion_call(Call(value, run.frame))


def _is_running(value: Node, function: FunctionScope) -> bool:
    """Is it made of a sum over the batches (`total / (step + 1)`), or the average that a meter keeps?"""
    names = {place(n) for n in walk(value) if isinstance(n, (ast.Name, ast.Attribute))}
    summed = {n for n in names if n and any(b.kind == "aug" for b in function.bindings.get(n, ()))}
    return bool(summed) or any((n or "").endswith((".avg", ".average", ".value", ".global_avg")) for n in names)
