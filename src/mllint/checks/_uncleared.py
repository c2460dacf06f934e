"""Is a training step, written as a method that others call for each batch, one that nobody ever clears for?

There is no loop to be seen: `agent.update(batch)` is called from a place where `agent` is not known, or by a framework
(`training_step`). That it runs more than once is taken for granted if the optimizer was built elsewhere, so that it
outlives the call. The caller may clear; so nothing is said if any call in the project may clear this optimizer.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    ClearsGrad,
    Creates,
    Event,
    Flow,
    OwnsLoop,
    SetsGrad,
    Unknown,
)
from mllint.semantics.module import Function, place

__all__ = ["never_cleared"]


def never_cleared(flow: Flow) -> Iterator[tuple[Event, Event]]:
    """The steps of a method whose gradients nothing in the project clears, each with a backward that fills them."""
    if flow.root.owner is None or flow.root.name == "__init__":
        return
    for step in flow.events(AppliesGrad):
        if step.loops or not _lasting(flow, step):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if _fills(flow, b, step)), None)
        if backward is not None and not _touched(flow, step) and not _cleared_elsewhere(flow, step):
            yield step, backward


def _lasting(flow: Flow, step: Event) -> bool:
    """Is it a known optimizer that was built outside of this flow?"""
    known = step.subject.kind == "instance" and step.subject.instance_of("torch.optim.Optimizer")
    built = step.subject.arguments
    if not known or built is None or built.node is None or step.subject.of.name == "LBFGS":
        return False
    return not any(e.subject.same_as(step.subject) is not False for e in flow.events(Creates))


def _fills(flow: Flow, backward: Event, step: Event) -> bool:
    """Does a backward certainly fill the gradients that the step applies?"""
    if backward.loops or backward.concerns(step) is not True:
        return False
    return flow.path(backward, to=step, back=False) is not None


def _touched(flow: Flow, step: Event) -> bool:
    """May anything in the flow clear or replace the gradients, or get hold of the optimizer?"""
    if any(e.concerns(step) is not False for e in flow.events(ClearsGrad, SetsGrad, OwnsLoop)):
        return True
    return any(e.holds(step) for e in flow.events(Unknown))


def _cleared_elsewhere(flow: Flow, step: Event) -> bool:
    """May any call, or assignment, in the project clear them?"""
    project = flow.frame.project
    for node, scope in project.calls_named("zero_grad"):
        if not isinstance(scope, Function):
            return True
        receiver = Call(node, project.frame(scope)).receiver
        if receiver is None or not receiver.instance_of("torch.optim.Optimizer"):
            return True
        if receiver.same_as(step.subject) is not False:
            return True
    functions = [f for module in project.modules for f in (module.body, *module.functions)]
    if any(name.endswith((".grad", "._grad")) for f in functions for name in f.bindings):
        return True
    zeroed = (c.func for module in project.modules for c, _ in module.calls_by_name.get("zero_", ()))
    return any(isinstance(f, ast.Attribute) and ".grad" in (place(f.value) or ".grad") for f in zeroed)
