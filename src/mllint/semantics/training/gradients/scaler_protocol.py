"""Are the calls of a gradient scaler complete, and in the right order: scale, (unscale,) step, update?

    scaler.scale(loss).backward()
    optimizer.step()               # STILL_SCALED: it bypasses the scaler
    scaler.step(optimizer)         # NEVER_UPDATED, if it is repeated without `scaler.update()`

Which gradients are scaled, and by which scaler, is asked in `precision`. Where a scaler is disabled, or where the step
may be that of an engine, which knows about its scale, nothing is wrong. Nor is it where the same gradients are stepped
on through a scaler as well: that is another branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, UnscalesGrad, UpdatesScale
from mllint.semantics.flow.searches import sources
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.nodes import place
from mllint.semantics.training import roles
from mllint.semantics.training.gradients import precision
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.role_names import Role

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow

__all__ = ["Fault", "ProtocolFault", "find_protocol_faults"]


class Fault(Enum):
    """What is missing, or out of order."""

    STILL_SCALED = "the optimizer steps on gradients that are still scaled"
    UNCHECKED = "the optimizer steps on gradients that nothing has checked for overflow"
    NEVER_UPDATED = "the scale is never updated"
    NOT_SCALED = "the loss was not scaled"
    UPDATED_EARLY = "the scale is updated before the step"
    UPDATED_AFTER_UNSCALE = "the scale is updated between an unscale and the step"
    UNSCALED_TWICE = "gradients are unscaled twice"


class ProtocolFault(NamedTuple):
    """A call that is out of order, or that another one should follow."""

    at: Event
    """The step, the update or the unscale."""
    fault: Fault
    before: Event
    """What comes before it: the backward or the unscale; the step itself where an update is missing."""
    after: Event | None = None
    """The step that comes after an early update."""
    is_updated: bool = False
    """Whether an update follows a step that bypasses the scaler: it raises, since no step has checked the gradients."""


def find_protocol_faults(flow: Flow) -> Iterator[ProtocolFault]:
    """The calls of scalers, and the steps past them, that are incomplete or in the wrong order."""
    scaled = [b for b in flow.events(AccumulatesGrad) if precision.is_scaled(b)]
    for step in flow.events(AppliesGrad):
        scaler = precision.scaler_of(step)
        if precision.is_disabled(scaler):
            continue
        if scaler is None:
            yield from _bypassed(flow, step, scaled)
        elif scaled:
            if _is_never_updated(flow, step):
                yield ProtocolFault(step, Fault.NEVER_UPDATED, step)
            yield from _of_unscaled_branch(flow, step, scaled)
        else:
            yield from _of_unscaled_loss(flow, step)
    for update in flow.events(UpdatesScale):
        yield from _updated_early(flow, update, scaled)
    for unscale in flow.events(UnscalesGrad):
        yield from _unscaled_twice(flow, unscale)


# ---------------------------------------------------------------------------------------------------------- plain steps
def _bypassed(flow: Flow, step: Event, scaled: list[Event]) -> Iterator[ProtocolFault]:
    """`optimizer.step()` on gradients that a scaled backward has filled."""
    if not scaled or not _is_step_of_optimizer(step):
        return
    if any(precision.scaler_of(s) is not None and s.concerns(step) is not False for s in flow.events(AppliesGrad)):
        return  # the other branch, without a scaler
    clears = ClearsGrad.concerning(step)
    for backward in scaled:
        if not gradients.is_for(flow, backward, step) or not flow.path(backward, to=step, avoiding=clears, back=False):
            continue
        if flow.path(backward, to=step, avoiding=(UnscalesGrad.concerning(step), clears), back=False):
            updates = flow.events(UpdatesScale)
            raises = any(flow.path(backward, to=update, avoiding=UnscalesGrad) for update in updates)
            yield ProtocolFault(step, Fault.STILL_SCALED, backward, is_updated=raises)
            return
        if any(flow.events(UpdatesScale)):  # else whoever unscales checks the gradients by hand as well
            yield ProtocolFault(step, Fault.UNCHECKED, backward)
            return


def _is_step_of_optimizer(step: Event) -> bool:
    """Is it `optimizer.step()`? What is given an optimizer may be a scaler, anything else an engine, which knows about
    its scale."""
    if step.call is None or step.call.args:
        return False
    if step.subject.instance_of(OPTIMIZER):
        return True
    return roles.has_role_name(place(getattr(step.call.func, "value", None)), Role.OPTIMIZER)


# -------------------------------------------------------------------------------------------------- steps of the scaler
def _is_never_updated(flow: Flow, step: Event) -> bool:
    """Is `scaler.step(...)` called again and again, and never `scaler.update()`?"""
    if precision.is_updated(flow, step):
        return False
    return flow.path(step, to=step) is not None or precision.is_scaler_built_outside(flow, step)


def _of_unscaled_loss(flow: Flow, step: Event) -> Iterator[ProtocolFault]:
    """`scaler.step(...)` although no loss was scaled."""
    backwards = [b for b in flow.events(AccumulatesGrad) if b.concerns(step) is not False]
    if any(map(precision.may_be_scaled, backwards)):
        return  # in another branch, or by something that is not known
    plain = next((b for b in backwards if flow.path(b, to=step, avoiding=ClearsGrad.concerning(step))), None)
    computed = all(b.subject.has("Loss") or b.subject.has("Divided") or b.concerns(step) for b in backwards)
    if plain is not None and (computed or precision.never_scales_loss(step)):
        yield ProtocolFault(step, Fault.NOT_SCALED, plain)


def _of_unscaled_branch(flow: Flow, step: Event, scaled: list[Event]) -> Iterator[ProtocolFault]:
    """`scaler.step(...)` in the branch of a plain `loss.backward()`, where another branch scales its loss."""
    for plain in (b for b in flow.events(AccumulatesGrad) if b not in scaled and b.concerns(step) is True):
        if plain.function is not step.function or not plain.conditions:
            continue  # of what is under no test, the tests of the step know more
        inner = [b for b in scaled if b.function is step.function and _tests_of(b) <= _tests_of(step)]
        if inner or not _tests_of(plain) <= _tests_of(step):
            continue  # scaled before the same step, or plain where it is perhaps not reached
        if flow.path(plain, to=step, avoiding=ClearsGrad.concerning(step), back=False):
            yield ProtocolFault(step, Fault.NOT_SCALED, plain)
            return


def _tests_of(event: Event) -> set[tuple[int, bool]]:
    """The tests that an event stands under, each with its side."""
    return {(id(test), bool(side)) for test, side, _ in event.conditions}


# ------------------------------------------------------------------------------------------------- updates and unscales
def _updated_early(flow: Flow, update: Event, scaled: list[Event]) -> Iterator[ProtocolFault]:
    """`scaler.update()` between the backward and the step."""
    for backward in scaled:
        if flow.path(backward, to=update, avoiding=(AppliesGrad, UpdatesScale), back=False):
            steps = [s for s in flow.events(AppliesGrad) if precision.scaler_of(s) is not None]
            late = flow.path(update, to=steps, avoiding=AccumulatesGrad, back=False)
            if late is not None:
                unscale = next(sources(flow, update, UnscalesGrad, avoiding=AccumulatesGrad, back=False), None)
                if unscale is not None:
                    yield ProtocolFault(update, Fault.UPDATED_AFTER_UNSCALE, unscale, late.end)
                else:
                    yield ProtocolFault(update, Fault.UPDATED_EARLY, backward, late.end)
                return


def _unscaled_twice(flow: Flow, unscale: Event) -> Iterator[ProtocolFault]:
    """`scaler.unscale_(...)` of gradients that were unscaled already."""
    others = [e for e in flow.events(UnscalesGrad) if e.concerns(unscale) is True]
    again = flow.path(unscale, to=others, avoiding=(UpdatesScale, AppliesGrad, AccumulatesGrad), back=False)
    if again is not None and again.end.site != unscale.site:
        yield ProtocolFault(again.end, Fault.UNSCALED_TWICE, unscale)
