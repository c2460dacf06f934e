"""Is a loss computed around a step, and is a call only part of computing one?

    out = net(x)                       # an unknown that only computes: its result is compared
    loss = criterion(out, y)           # a loss is computed here
    optimizer.zero_grad()
    optimizer.step()                   # and nothing was given it that could run its backward

What compares a prediction with a target is known by its stub, or by its form (`is_criterion_call`). An unknown that
gets something which carries gradients may run a backward, unless its result goes into what is differentiated or
compared afterwards, and its name is no verb of an update.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import is_inside
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, last_name, mentions_place, place, walk
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.gradients.branches import in_other_branches
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import has_role_name, is_looking_name, is_updating_name, name_evidence
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import bindings_of, origins
from mllint.semantics.values.values import PartialValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import Event
    from mllint.semantics.values.frames import Frame

__all__ = ["computes_loss", "computes_loss_term", "is_criterion_call"]


@cached()
def computes_loss_term(event: Event) -> bool:
    """Whether a call of something unknown only computes: its result goes into what the same function differentiates, or
    compares by a criterion, and its name is no verb of an update."""
    call = event.call
    if event.kind != "unknown" or not isinstance(call, ast.Call):
        return False
    gives_loss = has_role_name(last_name(call.func), Role.LOSS)
    computes = gives_loss or not is_updating_name(last_name(call.func))
    return computes and _is_compared(Call(call, event.frame), alone=gives_loss)


def _is_compared(call: Call, *, alone: bool = False) -> bool:
    """Does the result of a call go into what is differentiated, or given to a criterion, in its function?

    Args:
        call: the call.
        alone: may it be all that is differentiated, and not only a term or a factor of it?
    """
    for other in call.function.calls:
        if last_name(other.func) == "backward" and isinstance(other.func, ast.Attribute):
            if not alone and any(_leads_to(call, n, only_names=True) for n in (other.func.value, *other.args)):
                continue
            compared = [other.func.value, *other.args]
        else:
            compared = list(other.args) if is_criterion_call(Call(other, call.frame)) else []
        if other is not call.node and any(_leads_to(call, node) for node in compared):
            return True
    return False


def _leads_to(call: Call, node: Node, *, only_names: bool = False) -> bool:
    """Is an expression computed from a call; or, of `only_names`, is it the very same value?"""
    for origin in origins(
        node, call.frame, through=lambda o: o.node is not call.node and _goes_on(o.node, only_names=only_names)
    ):
        if origin.node is call.node:
            return True
    return False


def _goes_on(node: Node, *, only_names: bool) -> bool:
    return isinstance(node, ast.Name) if only_names else True


def is_criterion_call(call: Call) -> bool:
    """Whether a call compares a prediction with a target: by its stub, or what is called so and given two things, no
    optimizer, and bound as a loss."""
    if call.value.is_("Loss"):
        return True
    named = has_role_name(call.last_name, Role.CRITERION) or call.last_name == "loss"
    if len(call.node.args) < 2 or not named:
        return False
    bound = [b.name for b in bindings_of(call.node, call.function)]
    updates = any(has_role_name(place(a), Role.OPTIMIZER, Role.SCALER) for a in all_arguments(call.node))
    updates = updates or any(k.arg is None or is_updating_name(k.arg) for k in call.node.keywords)
    return any(has_role_name(name, Role.LOSS) for name in bound) and not updates


def computes_loss(step: Event, inside: list[Event], clear: Event) -> bool:
    """Whether a loss is computed around a step, and given to nothing that could run a backward of it.

    Args:
        step: the step.
        inside: the events of its innermost loop, or of its function if it has none.
        clear: what zeroes its gradients, be it in another function that calls that of the step, or is called there.
    """
    calls = [*_calls_around(step), *(_calls_between(step, clear) if not step.loops else ())]
    runs = [e.call for e in inside if e.kind == "forward"]
    hidden = clear.site.line if clear.frame is not step.frame and not step.loops else None  # of what runs behind it
    losses = (a.value.all_graph for c in calls if runs and is_criterion_call(c) for a in c.arguments)
    compared = frozenset[int]().union(*losses)  # without something that is computed of these, none runs its backward
    for call in calls:
        if call.node in runs or not call.callee.is_unknown or is_looking_name(call.last_name):
            continue
        if isinstance(call.value, PartialValue):
            continue  # a partial runs nothing by itself
        if hidden is not None and call.frame is clear.frame and call.site.line > hidden and _is_of_object(call):
            return False  # a method that is not seen, after the clear
        if is_criterion_call(call) or (not is_updating_name(call.last_name) and (_is_compared(call) or _is_term(call))):
            continue
        values = [a.value for a in call.arguments]
        given = frozenset[int]().union(*(v.all_graph for v in values if not v.has("Parameters")))  # these are no loss
        if given and (not compared or given & compared):
            return False
    if runs or any(_is_given_loss(function) for function in _functions_to(step)):
        return True
    return any(is_criterion_call(call) for call in calls) or _binds_loss(calls, step)


def _binds_loss(calls: list[Call], step: Event) -> bool:
    """Is a name for a loss bound to a tensor with a graph around a step, or to what a call for a loss gives?"""
    losses = {id(c.node) for c in calls if has_role_name(c.last_name, Role.LOSS) and not is_updating_name(c.last_name)}
    run = step.loops[-1] if step.loops else None
    for frame in {id(call.frame): call.frame for call in calls}.values():
        for value in _bound_as_loss(frame.function):
            if run is None or run.frame is not frame or is_within(value, run.node):
                known = evaluate(value, frame)
                computed = isinstance(known, TensorValue) or isinstance(value, (ast.BinOp, ast.UnaryOp))
                if id(value) in losses or (computed and known.is_attached):
                    return True
    return False


def _is_term(call: Call) -> bool:
    """Is a loss that carries gradients computed from the result of a call, and not that result itself? What runs a
    backward gives the whole loss, if any, and not what it is made of."""
    for value in _bound_as_loss(call.function):
        if _leads_to(call, value) and not _leads_to(call, value, only_names=True):
            return evaluate(value, call.frame).is_attached
    return False


def _bound_as_loss(function: FunctionScope) -> Iterator[Node]:
    """What names for a loss are bound to, but for sums that grow: `total_loss = total_loss + loss`."""
    for name, found in function.bindings.items():
        if not has_role_name(name, Role.LOSS):
            continue
        for binding in found:
            value = binding.value if binding.kind == "assign" else None
            if value is not None and not mentions_place(value, name):
                yield value


def _is_of_object(call: Call) -> bool:
    """Is it a method of the function's own object, and nothing that the object keeps: `self.run(x)`?"""
    name, owner = place(call.node.func) or "", call.function.owner
    kept = owner is not None and any(name in m.bindings for m in owner.methods.values())
    return name.startswith("self.") and name.count(".") == 1 and not kept


def _calls_between(step: Event, clear: Event) -> Iterator[Call]:
    """The calls in the functions by which a step is reached from where its gradients are zeroed, or the other way."""
    inner, outer = (step, clear) if is_inside(step.frame, clear.frame) else (clear, step)
    frame: Frame | None = inner.frame
    while frame is not None and frame is not outer.frame:
        frame = frame.caller[0] if frame.caller is not None else None
        if frame is not None and not frame.function.is_body:
            yield from (Call(c, frame) for c in frame.function.calls)


def _calls_around(step: Event) -> Iterator[Call]:
    """The calls in the innermost loop of a step, and in the functions through which it is reached from there; those of
    its function if it has no loop."""
    run, frame = step.loops[-1] if step.loops else None, step.frame
    while True:
        own = run if run is not None and run.frame is frame else None
        calls = [c for c in frame.function.calls if own is None or is_within(c, own.node)]
        skipped = in_other_branches(step, [frame.function.node]) if step.conditions and calls else ()
        yield from (Call(c, frame) for c in calls if id(c) not in skipped)
        if run is None or own is not None or frame.caller is None:
            return
        frame = frame.caller[0]


def _functions_to(step: Event) -> Iterator[FunctionScope]:
    """The function of a step, and those through which it is reached, inside of the innermost loop."""
    frame: Frame | None = step.frame
    while frame is not None and not frame.function.is_body:
        yield frame.function
        inside = step.loops and step.loops[-1].frame is frame
        frame = frame.caller[0] if frame.caller is not None and not inside else None


def _is_given_loss(function: FunctionScope) -> bool:
    """Is a function given a loss, by its name, and does it at most look at it?"""
    names = [p.name for p in function.parameters if name_evidence(p.name, Role.LOSS) is Evidence.CONVENTIONAL]
    handed = (c for c in function.calls if not is_looking_name(last_name(c.func)))
    used = {
        n.id
        for c in handed
        for a in (*c.args, *(k.value for k in c.keywords))
        for n in walk(a)
        if isinstance(n, ast.Name)
    }
    return bool(names) and used.isdisjoint(names)
