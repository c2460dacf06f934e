"""Is what a backward starts from computed where no graph is recorded?

    with torch.no_grad():
        output = net(x)                # FORWARD
    criterion(output, y).backward()    # finds no graph

Gradients may be off for the whole loss, for the forward pass before it, for one term of it, which then trains nothing,
or from a statement `set_grad_enabled(False)` on. Which switch is in force is a fact of `values.gradmode`, where the
graph of a loss ends one of `breaks`.

A backward that runs with gradients as well, below something that decides whether it runs at all, is meant for those
passes; so is one that stands in `if self.training:`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, Creates, HandsLoss
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, walk
from mllint.semantics.training.graphs import breaks
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.gradmode import grad_off, grad_switch
from mllint.semantics.values.lineage import statements

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.values import Site

__all__ = ["Part", "Unrecorded", "find_unrecorded_losses"]

_SWITCH = "set_grad_enabled"


class Part(Enum):
    """What is computed without a graph."""

    FORWARD = "the forward pass"
    LOSS = "the loss"
    TERM = "a term of the loss"
    REST = "all from here on"


class Unrecorded(NamedTuple):
    """A backward that finds no graph."""

    switch: Site
    """The context, the decorator or the statement that switches gradients off."""
    backward: Event
    part: Part


def find_unrecorded_losses(flow: Flow) -> Iterator[Unrecorded]:
    """The backwards of a flow that find no graph of their loss, or of a term of it."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        if any(getattr(n, "attr", "") == "training" for test, _, _ in backward.conditions for n in walk(test)):
            continue  # `if self.training: loss.backward()`: an evaluation comes by here as well
        cut = breaks.loss_break(backward, flow)
        if cut is not None:
            switch = cut.site if cut.how == "no_grad" else None
        else:
            switch = _switch_at_sums(backward)
        if switch is not None and not _also_records_gradients(backward, flow):
            yield Unrecorded(switch, backward, Part.FORWARD if _is_recorded_below(backward) else Part.LOSS)
        term = breaks.lost_term(backward, flow, "PartlyUnrecorded") if cut is None and switch is None else None
        if term is not None:
            yield Unrecorded(term, backward, Part.TERM)
    yield from _switched_off(flow)


def _is_recorded_below(backward: Event) -> bool:
    """Is the loss itself computed with gradients on, so that only what it is computed from has no graph?"""
    loss, frame = breaks.origin(backward), backward.frame
    return loss.module is frame.module and grad_switch(loss.node, frame)[0] is False


def _also_records_gradients(backward: Event, flow: Flow) -> bool:
    """Does the same backward run with gradients as well, below something that decides whether it runs at all?"""
    if not backward.grad_off:
        return False
    decided, frame, node = False, backward.frame, backward.site.node
    recorded = any(b.site == backward.site and b.grad_off is False for b in flow.events(backward.kind))
    while frame.caller is not None:
        if grad_off(node, frame.project.frame(frame.function)):
            return False  # whoever calls
        decided = decided or any(f is frame for _, _, f in backward.conditions) or _may_end_before(frame.function, node)
        if decided and not recorded:
            callers = frame.project.callers(frame.function)
            recorded = any(grad_off(call, where) is False for call, where in callers)
        if decided and recorded:
            return True
        frame, node = frame.caller
    return False


def _may_end_before(function: FunctionScope, node: Node) -> bool:
    """Does a test make a function, or an iteration of its loop, end before some place in it?"""
    tests = (s for s in statements(function) if isinstance(s, ast.If) and (s.end_lineno or 0) < node.lineno)
    return any(isinstance(test.body[-1], (ast.Return, ast.Continue)) for test in tests)


def _switch_at_sums(backward: Event) -> Site | None:
    """What switches gradients off where the terms of the loss are added, or it is read off what a model gives, of which
    nothing is known, or where a function of the project computes it."""
    func = getattr(backward.call, "func", None)
    loss = func.value if isinstance(func, ast.Attribute) and not backward.call.args else None
    found = bound_at(loss, backward.function) if backward.grad_off and isinstance(loss, ast.Name) else ()
    added = any(b.kind == "aug" for b in found)
    terms = [b for b in found if not (added and isinstance(b.value, ast.Constant))]  # `loss = 0` before a loop
    sums = [b for b in terms if b.kind == "aug" or (b.kind == "assign" and not b.path and _computed(b.value, backward))]
    nodes = [b.value.value if b.kind == "aug" else b.value for b in sums]
    sites = [grad_switch(node, backward.frame) for node in nodes]
    return sites[0][1] if sites and len(sums) == len(terms) and all(off for off, _ in sites) else None


def _computed(node: Node, backward: Event) -> bool:
    """Is it a sum, `model(batch).loss`, `model(batch)[0]`, or what a method of the project makes of what it is given,
    where nothing in the project switches gradients on?"""
    if isinstance(node, ast.BinOp):
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.value, ast.Call)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    callees = Call(node, backward.frame).callees
    project = backward.frame.project
    on = any(project.calls_named(word) for word in ("enable_grad", _SWITCH, "inference_mode"))
    return bool(callees) and not on and not any(f.stubbed or f.is_generator for f in callees)


def _switched_off(flow: Flow) -> Iterator[Unrecorded]:
    """`set_grad_enabled(False)` as a statement, and a backward after it."""
    calls = (e for e in flow.events(Creates) if e.call is not None)
    switches = [e for e in calls if breaks.is_call_named(e, _SWITCH, "enable_grad")]
    for switch in switches:
        if not breaks.is_call_named(switch, _SWITCH) or not switch.call.args:
            continue
        off = evaluate(switch.call.args[0], switch.frame).truth is False
        if off and Call(switch.call, switch.frame).is_statement:
            way = flow.path(switch, to=AccumulatesGrad, avoiding=tuple(e for e in switches if e is not switch))
            if way is not None:
                yield Unrecorded(switch.site, way.end, Part.REST)
