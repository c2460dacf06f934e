"""Are gradients that a step has applied used again, because nothing cleared them in between?

    for x, y in loader:
        criterion(net(x), y).backward()    # from the second iteration on, adds to what the step has applied
        optimizer.step()

Asked from the harm: not "is there a `zero_grad()`?" but "is there a way from a step back to a step on which gradients
that were already used are used again?" (`state.find_backward_used_again`). Here stands what makes such a way one that
no run takes, or that nobody knows: step and clear are both counted, so that only arithmetic could tell whether they
meet; each branch that computes the loss clears as well; a hook runs around each step, or something unknown clears; the
model zeroes its gradients in its own `forward`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AppliesGrad, ClearsGrad, Unknown
from mllint.semantics.syntax.nodes import is_within, place
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer
from mllint.semantics.training.gradients import accumulation, clearing
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.gradients.branches import branches_around

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.values import Site

__all__ = ["Reused", "find_reused_gradients"]

_STEP_HOOKS = ("step_post", "step_pre", "optimizer_step_post", "optimizer_step_pre")


class Reused(NamedTuple):
    """Gradients that are applied again."""

    step: Event
    """What has applied them."""
    backward: Event
    """What adds to them."""
    too_rare: Event | None
    """What clears them around the loop of both, too rarely."""
    evidence: Answer[bool]


def find_reused_gradients(flow: Flow) -> Iterator[Reused]:
    """The backwards of a flow, once each, that add to gradients which a step has applied already."""
    reported: set[Site] = set()
    for step in sorted(flow.events(AppliesGrad), key=lambda s: s.option == "named"):  # the known ones first
        backward = gradients.find_backward_used_again(flow, step) if not _meets_by_count(flow, step) else None
        if backward is None or backward.site in reported or _may_be_cleared(flow, step, backward):
            continue
        reported.add(backward.site)
        too_rare = _cleared_too_rarely(flow, step, backward)
        yield Reused(step, backward, too_rare, clearing.is_left_uncleared(step, backward, too_rare))


def _meets_by_count(flow: Flow, step: Event) -> bool:
    """Are step and clear both counted by a modulo test, so that only arithmetic could tell whether they meet?"""
    steps = [step]
    if getattr(step.call, "args", ()):  # handed a closure, and another step is not: which of them depends on its kind
        steps += [s for s in flow.events(AppliesGrad) if s.concerns(step) and not getattr(s.call, "args", True)]
    return any(
        any(map(waits, steps)) and any(waits(clear) for clear in flow.events(ClearsGrad) if clear.concerns(step))
        for waits in (accumulation.is_counted, accumulation.is_at_iteration)
    )


def _cleared_too_rarely(flow: Flow, step: Event, backward: Event) -> Event | None:
    """A clear of the same optimizer around the loop of the step and the backward: in an outer loop, or above it."""
    for clear in flow.events(ClearsGrad):
        depth = len(clear.loops)
        meant = clear.concerns(step) or (clear.concerns(step) is None and gradients.is_alone(flow))
        if clear.loops == step.loops[:depth] and meant and (depth or gradients.is_called_with(clear, step)):
            if step.loops[depth:] and step.loops[depth] in backward.loops:
                return clear
    return None


# ----------------------------------------------------------------------------------------------------- may be cleared
def _may_be_cleared(flow: Flow, step: Event, backward: Event) -> bool:
    """May something clear the gradients where the way from the step to the backward shows no clear?"""
    return (
        _is_cleared_with_loss(flow, step, backward)
        or _is_hooked(flow)
        or clearing.zeroes_grad_in_forward(flow, backward)
    )


def _is_cleared_with_loss(flow: Flow, step: Event, backward: Event) -> bool:
    """Does each branch that computes the loss clear as well, so that a way around all of them has no loss at all?"""
    call = backward.call
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not backward.loops:
        return False
    function, name = backward.function, place(call.func.value) or ""
    loop = backward.loops[-1].node
    clears = [e for e in flow.events(ClearsGrad) if e.function is function and e.concerns(step) is not False]
    inner = (branches_around(clear.site.node, function) for clear in clears if is_within(clear.site.node, loop))
    blocks = [branches[0] for branches in inner if branches]
    bound = [b.node for b in function.bindings.get(name, ()) if b.kind == "assign"]
    inside = [node for node in bound if is_within(node, loop)]
    return bool(inside) and all(any(s is node or is_within(node, s) for b in blocks for s in b) for node in inside)


def _is_hooked(flow: Flow) -> bool:
    """Does a hook run around each step of an optimizer, or something unknown clear gradients, whosever they are?"""
    if any(roles.is_clearing_name(str(e.option)) for e in flow.events(Unknown)):
        return True
    return any(flow.frame.project.calls_named(f"register_{name}_hook") for name in _STEP_HOOKS)
