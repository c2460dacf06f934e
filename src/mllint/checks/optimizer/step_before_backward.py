"""Does a step run on gradients that no backward has filled since they were cleared?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    ClearsGrad,
    Event,
    Flow,
    InstanceValue,
    SequenceValue,
    Site,
    TensorValue,
    branches,
    computing,
    constructor_argument,
    gradients,
    graphs,
    precision,
    shown,
    stepping,
)

__all__: list[str] = []

_NONE = "no gradients are computed for this step: the optimizer's parameters never learn from the loss"

_OF_ITS_OWN = (
    "call `backward()` in between, on a loss that depends on this optimizer's parameters; "
    "or give the optimizer those that the loss uses"
)


@check("step-before-backward")
def step_before_backward(flow: Flow) -> Iterator[Finding]:
    """A step runs on gradients that no backward has filled since they were cleared."""
    for step in flow.events(AppliesGrad):
        closed = gradients.takes_closure(step) and precision.scaler_of(step) is None
        handled = closed or stepping.is_in_custom_optimizer(step) or stepping.is_in_error_handler(step)
        if handled or not gradients.is_starved(flow, step):
            continue
        if graphs.break_before_model(flow, step) is not None:
            continue  # a backward runs, and does not reach this optimizer: another rule says why
        clear = next(
            (c for c in flow.events(ClearsGrad) if gradients.is_cleared_for(flow, c, step) and flow.path(c, to=step)),
            None,
        )
        if clear is None:
            continue
        inside = [e for e in flow.events() if e.loops[: len(step.loops)] == step.loops]
        around = [b for b in inside if _may_fill(flow, b, step)]
        before = [b for b in around if flow.path(b, to=step, back=False)]
        if len(before) == len(around) > 0 or not all(stepping.serves_other_optimizer(flow, b, step) for b in before):
            continue
        later = next((b for b in around if b not in before), None)
        if later is not None and not step.loops and flow.path(later, to=AppliesGrad.concerning(step)):
            continue
        if later is None and _moves_rows(step) and any(b.kind == "accumulates_grad" for b in inside):
            continue
        if later is not None:
            why = help = ""
            message = f"`{shown(step)}` runs before `{shown(later)}`: it applies gradients that were just zeroed"
            labels = [Note(clear, "gradients zeroed here"), Note(later, "computed here, never applied")]
        elif _lacks_backward(step, clear, inside) and not _may_be_discarded(flow, step):
            others = any(flow.path(b, to=step, back=False) for b in flow.events(AccumulatesGrad))  # for another one
            what = "no `backward()` for it runs in between" if others else "no `backward()` runs before it"
            message = f"`{shown(step)}` applies gradients that were just zeroed: {what}"
            why, help = _NONE, _OF_ITS_OWN if others else ""
            labels = [Note(clear, "gradients zeroed here")]
        else:
            continue
        labels += _calls_of_wrapper(step)
        yield Finding(step, message, "nothing to apply", labels, help=help, why=why, about=(flow,))


def _may_fill(flow: Flow, event: Event, step: Event) -> bool:
    """Is it a backward for a step, and not one in another branch?"""
    filling = event.kind == "accumulates_grad" and gradients.is_for(flow, event, step)
    return filling and not branches.are_in_different_branches(event, step)


def _lacks_backward(step: Event, clear: Event, inside: list[Event]) -> bool:
    """Is a loss computed around a step, or between the clear and the step of a function for one batch, and nothing else
    that may run a backward?"""
    if (
        gradients.may_be_set_by_sibling(step)
        or gradients.may_be_set_by_sibling(clear)
        or not computing.computes_loss(step, inside, clear)
    ):
        return False
    if step.loops:
        return True
    near = branches.share_a_pass(clear, step) and not step.function.is_body and not clear.function.is_body
    return near and (clear.site.line < step.site.line if clear.frame is step.frame else clear.index < step.index)


def _may_be_discarded(flow: Flow, step: Event) -> bool:
    """Does a backward that may be for the step run before it, and no other step in between? `gradients-discarded` asks
    whether the clear throws its gradients away."""
    near = (b for b in flow.events(AccumulatesGrad) if b.concerns(step) is not False)
    return any(flow.path(b, to=step, avoiding=AppliesGrad, back=False) for b in near)


def _moves_rows(step: Event) -> bool:
    """Is its optimizer given tensors that were made to require grad in place, `z.requires_grad_()`? What is computed of
    such is not followed back to them."""
    params = constructor_argument(step.subject, "params") if isinstance(step.subject, InstanceValue) else None
    plain = (
        params is not None
        and isinstance(params, SequenceValue)
        and all(isinstance(p, TensorValue) for p in params.parts)
    )
    return plain and "requires_grad_" in step.function.called_names


def _calls_of_wrapper(step: Event) -> list[Note]:
    """The call of the training loop, for a step that stands in a method of a wrapper of an optimizer."""
    caller = step.frame.caller
    wrapped = step.function.name == "step" and caller is not None and isinstance(caller[1], ast.Call)
    return [Note(Site(caller[0].module, caller[1]), "called here")] if wrapped and caller is not None else []
