"""What several rules about the order of backward, step and clear ask."""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._gradients import (
    compared,
    given_losses,
    gives_loss,
    handles_gradients,
    only_computes,
    reworks,
    same_call,
    touching,
    uses,
)
from mllint.checks.optimizer._uncleared import clears_of, hides_backward
from mllint.semantics import AccumulatesGrad, AppliesGrad, Call, ClearsGrad, Event, Flow, SetsGrad

__all__ = ["accumulates", "clears_for_another", "feeds_loss", "fillers", "starved", "wasted"]


def wasted(flow: Flow, backward: Event, clear: Event, step: Event) -> bool:
    """Does the step always follow the clear, and is there nothing else that could fill the gradients?"""
    if not uses(flow, backward, step) and not (backward.concerns(step) is None and starved(flow, step)):
        return False
    filled = (AccumulatesGrad, SetsGrad, AccumulatesGrad.concerning(step))  # or unknown calls with its parameters
    if hides_backward(clear) or handles_gradients(clear):
        return False
    if flow.path(clear, to=step, avoiding=filled, back=False) is None:
        return False
    return flow.path(backward, to=step, avoiding=same_call(clear), back=False) is None


def starved(flow: Flow, step: Event) -> bool:
    """Are the gradients of a step cleared on every way from what may fill them, in every round?"""
    clears = clears_of(step)
    theirs = [c for c in flow.events(ClearsGrad) if c.concerns(step) is None and clears_for_another(flow, c, step)]

    def cleared(event: Event) -> bool:
        return clears(event) and event not in theirs

    return not any(flow.path(f, to=step, avoiding=cleared) for f in fillers(flow, step))


def clears_for_another(flow: Flow, clear: Event, step: Event) -> bool:
    """Does it clear what certainly another call steps, of which nobody knows whether it is the optimizer of a step?"""
    return any(s.concerns(clear) is True and s.concerns(step) is not True for s in flow.events(AppliesGrad))


def fillers(flow: Flow, step: Event) -> Iterator[Event]:
    """What may fill the gradients of a step: backwards, assignments to `.grad`, unknown calls with the parameters."""
    for event in flow.events():
        if event.kind in ("accumulates_grad", "sets_grad", "owns_loop") and not reworks(event.site.node):
            if event.concerns(step) is not False or not any(event.concerns(s) for s in flow.events(AppliesGrad)):
                yield event  # gradients that no optimizer is known to want may be for this one after all
        elif event.kind == "applies_grad":
            if event is not step and given_losses(event):
                yield event
        elif (
            event.kind == "unknown"
            and event.loops[: len(step.loops)] == step.loops
            and not gives_loss(event)
            and (event.holds(step) or event.option == "backward")
            and not feeds_loss(event)
        ):
            yield event


def feeds_loss(event: Event) -> bool:
    """Is it an unknown method, by no name of an update, whose result goes into what is called a loss: `pred =
    model.predict_on(x)` above `criterion(pred, y)`?"""
    if not only_computes(event):
        return False
    calls = [Call(node, event.frame) for node in event.function.calls]
    return compared(Call(event.call, event.frame), calls)


def accumulates(flow: Flow, backward: Event, step: Event) -> bool:
    """Is there a way from the backward to itself that neither steps nor clears, and one to the step?"""
    others = touching(step)
    if flow.path(backward, to=backward, avoiding=(step, *others)) is None:
        return False
    return flow.path(backward, to=step, avoiding=others) is not None
