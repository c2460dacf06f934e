"""At which scale are these gradients, and who takes the scale out of them again?

    scaler.scale(loss).backward()      # SCALED: the gradients are 65536 times too large
    scaler.unscale_(optimizer)         # UNSCALED: divided, the scaler remembers that it was
    clip_grad_norm_(...)               # sees the gradients as they are
    scaler.step(optimizer)             # divides if nobody has, skips the step if one of them is infinite
    scaler.update()                    # adapts the scale, and is ready to divide again

The lattice is PLAIN, SCALED, UNSCALED and unknown. `backward()` of a scaled loss makes gradients SCALED, `unscale_`
UNSCALED; a step uses them, a clear ends the question. An `unscale_` under a test of its own makes them UNSCALED where
that test follows: from the tests that the later event stands under, from there being a scaler at all, or because the
test asks for the scaler's own stage (`if pending: scaler.unscale_(opt); pending = False`).

A scaler is an instance of `GradScaler`, what the core takes for one because it scales losses and steps optimizers, or
an object of the project that stands in for one in another branch. One that is switched off by a constant scales
nothing.

What is deliberately not here: dtypes. Nothing asks for them yet; autocast changes no gradient's scale.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import (
    AccumulatesGrad,
    AppliesGrad,
    ClearsGrad,
    Creates,
    Unknown,
    UnscalesGrad,
    UpdatesScale,
)
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import GRAD_SCALER
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = [
    "find_still_scaled_backward", "has_scaled_bound", "is_disabled", "is_scaled", "is_scaler_built_outside",
    "is_updated", "may_be_scaled", "never_scales_loss", "scaler_of",
]  # fmt: skip

_PROTOCOL = frozenset(("scale", "step", "update"))


def scaler_of(step: Event) -> Value | None:
    """The gradient scaler through which a step is made; None for a step of the optimizer itself, or by hand."""
    if step.call is None:
        return None
    call = Call(step.call, step.frame)
    receiver = call.receiver
    if receiver is None:
        return None
    known = (
        receiver.instance_of(GRAD_SCALER) or call.callee.is_function(f"{GRAD_SCALER}.step") or _has_stand_in(receiver)
    )
    return receiver if known else None


def is_scaled(backward: Event) -> bool:
    """Whether a backward certainly starts from a loss that a scaler, or what stands in for one, has scaled."""
    if backward.subject.is_("Scaled"):
        return True
    func = backward.call.func if isinstance(backward.call, ast.Call) else None
    inner = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(inner, ast.Call) or last_name(inner.func) != "scale":
        return False
    receiver = Call(inner, backward.frame).receiver
    return receiver is not None and _has_stand_in(receiver)


def may_be_scaled(backward: Event) -> bool:
    """Whether anything called `scale` runs in the function of a backward, so that its loss may be scaled after all."""
    return "scale" in backward.function.called_names


def is_disabled(scaler: Value | None) -> bool:
    """Whether a scaler is switched off by a constant."""
    given = constructor_argument(scaler, "enabled") if scaler is not None else None
    return given is not None and given.truth is False


def _has_stand_in(scaler: Value) -> bool:
    """Is it a gradient scaler in one branch, and an object of the project with the same methods in another?"""
    others = [v for v in scaler.alternatives if not v.instance_of(GRAD_SCALER)]
    own = all(
        isinstance(v, InstanceValue) and not v.cls.module.is_stub and v.cls.methods.keys() >= _PROTOCOL for v in others
    )
    return own and 0 < len(others) < len(scaler.alternatives)


# -------------------------------------------------------------------------------------------------------------- states
def find_still_scaled_backward(flow: Flow, event: Event) -> tuple[Event, Event] | None:
    """The scaled backward whose gradients an event sees before anything has divided them, and the scaler's step after.

    Args:
        flow: the flow.
        event: what looks at the gradients, such as a clip.

    Returns:
        (backward, step), or None where they are plain, unscaled, or where it is unknown.
    """
    spoiled = (UnscalesGrad.concerning(event), AppliesGrad, ClearsGrad.concerning(event))
    for backward in flow.events(AccumulatesGrad):
        if not is_scaled(backward) or backward.concerns(event) is False:
            continue
        if not flow.path(backward, to=event, avoiding=spoiled, back=False) or _is_unscaled_between(flow, event):
            continue
        if not backward.subject.is_("Scaled") and _may_be_unscaled_between(flow, backward, event):
            continue  # what stands in for a scaler has nothing to undo
        steps = (s for s in flow.events(AppliesGrad) if s.concerns(event) is not False and scaler_of(s) is not None)
        step = next((s for s in steps if flow.path(event, to=s, avoiding=AccumulatesGrad)), None)
        if step is None or is_disabled(scaler_of(step)):
            continue
        above = [u for u in flow.events(UnscalesGrad) if u.index < event.index and u.concerns(event) is not False]
        if flow.path(backward, to=step, avoiding=(*above, ClearsGrad.concerning(event))):
            return backward, step  # and the tests on both ways agree: `if fp16: unscale_`, the clip, `if fp16: step`
    return None


def has_scaled_bound(clip: Event) -> bool:
    """Whether the bound of a clip is multiplied by the scale itself: `max_norm * scaler.get_scale()`."""
    bounds = [o.node for a in Call(clip.call, clip.frame).arguments[1:] for o in origins(a.node, a.frame)]
    return any(isinstance(n, ast.Call) and last_name(n.func) == "get_scale" for n in bounds)


def _is_unscaled_between(flow: Flow, event: Event) -> bool:
    """Whether an `unscale_` above an event stands under tests that follow wherever the event is reached."""
    for unscale in flow.events(UnscalesGrad):
        if unscale.frame is not event.frame or unscale.call is None or unscale.concerns(event) is False:
            continue
        shared = [test for test, _, _ in event.conditions]
        own = [(t, holds, f) for t, holds, f in unscale.conditions if not any(t is other for other in shared)]
        if unscale.index < event.index and own and all(_follows(*test, unscale, event) for test in own):
            return True
    return False


def _may_be_unscaled_between(flow: Flow, backward: Event, event: Event) -> bool:
    """Whether any way from a backward to an event passes an `unscale_`."""
    between = (u for u in flow.events(UnscalesGrad) if flow.path(backward, to=u, back=False))
    return any(flow.path(u, to=event, back=False) for u in between)


def _follows(test: Node, holds: bool, frame: Frame, unscale: Event, event: Event) -> bool:
    """Does the test of an `unscale_` hold wherever there is a scaler and a later event is reached?"""
    if isinstance(test, ast.BoolOp) and holds:
        each = [_follows(value, holds, frame, unscale, event) for value in test.values]
        return all(each) if isinstance(test.op, ast.And) else any(each)
    wanted = {(text(f.module, t), so) for t, so, f in event.conditions}
    return (text(frame.module, test), holds) in wanted or _asks_for_stage(test, unscale)


def _asks_for_stage(test: Node, unscale: Event) -> bool:
    """Does a test ask for the scaler, for something of it, or for a place that is written below the same test?"""
    scaler = place(getattr(unscale.call.func, "value", None))
    tested = {place(n) for n in walk(test)} - {None}
    if scaler in tested:
        return True
    branches = [n.body for n in unscale.function.nodes_of(ast.If) if n.test is test]
    written = (
        n for body in branches for s in body for n in walk(s) if isinstance(n, (ast.Name, ast.Attribute, ast.Subscript))
    )
    return any(place(n) in tested for n in written if not isinstance(n.ctx, ast.Load))


# ------------------------------------------------------------------------------------------------------------- updates
def is_updated(flow: Flow, step: Event) -> bool:
    """Whether anything may call `update()` on the scaler of a step: in the flow, in something unknown that gets the
    scaler, or anywhere in the project."""
    scaler = scaler_of(step)
    if scaler is None or any(True for _ in flow.events(UpdatesScale)):
        return True
    if any(scaler.identities & v.identities for e in flow.events(Unknown) for v in (e.subject, *e.others)):
        return True
    return any(_may_be(call, scaler, step) for call in _calls(step, "update"))


def is_scaler_built_outside(flow: Flow, step: Event) -> bool:
    """Whether the scaler of a step was built outside of its flow, by the class whose method steps it: it is a wrapper,
    which others call for each batch."""
    scaler = scaler_of(step)
    if scaler is None or step.function.owner is None or not scaler.instance_of(GRAD_SCALER):
        return False
    return not any(e.subject.same_as(scaler) is not False for e in flow.events(Creates))


def never_scales_loss(step: Event) -> bool:
    """Whether the scaler of a step certainly scales no loss: nothing in the project calls `scale` on what may be it."""
    scaler = scaler_of(step)
    if scaler is None or not scaler.instance_of(GRAD_SCALER):
        return False
    return not any(_may_be(call, scaler, step) for call in _calls(step, "scale"))


def _calls(step: Event, name: str) -> Iterator[Call]:
    for node, scope in step.frame.project.calls_named(name):
        if isinstance(scope, FunctionScope) and isinstance(node.func, ast.Attribute):
            yield Call(node, step.frame.project.frame(scope))


def _may_be(call: Call, scaler: Value, step: Event) -> bool:
    """May a method be called on the scaler of a step: is it the same object, or is the place called alike, as where a
    base class or a caller keeps it? What another function has built for itself is not, whatever it is called."""
    receiver, kept = call.receiver, call.node.func.value
    alike = last_name(kept) == last_name(getattr(step.call.func, "value", None))
    own = call.function.bindings.get(kept.id, ()) if isinstance(kept, ast.Name) else ()
    if receiver is not None and own and call.function is not step.function and all(b.kind == "assign" for b in own):
        alike = alike and receiver.same_as(scaler) is not False
    return receiver is None or alike or receiver.same_as(scaler) is True
