"""Are the calls of a gradient scaler complete, and in the right order: scale, (unscale,) step, update?"""

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
    Role,
    UnscalesGrad,
    UpdatesScale,
    classes,
    gradients,
    last_name,
    place,
    precision,
    receiver_text,
    roles,
    shown,
    sources,
    text,
)

__all__: list[str] = []

_TOO_LARGE = "the gradients are still multiplied by the loss scale (65536 at first)"
_THEN_RAISES = ", and `update()` raises if the scaler has not checked any"
_TOO_SMALL = "the step raises if no loss was ever scaled, and otherwise divides these gradients by the loss scale"
_RAISES = "a second `unscale_` before `update()` raises a RuntimeError wherever the scaler is enabled"
_INFINITE = "only the scaler's `step` skips updates whose gradients have overflowed"
_NEVER_ADAPTS = "the scale never adapts, and the second `step` raises a RuntimeError wherever the scaler is enabled"
_UNCHECKED = "`update()` raises, since the gradients have not been checked yet"
_TWICE = "`update()` forgets the unscaling: the step divides by the scale again, and the next `unscale_` raises"


@check("grad-scaler-protocol")
def grad_scaler_protocol(flow: Flow) -> Iterator[Finding]:
    """The scaler's calls are incomplete, or in the wrong order."""
    scaled = [b for b in flow.events(AccumulatesGrad) if precision.is_scaled(b)]
    for step in flow.events(AppliesGrad):
        scaler = precision.scaler_of(step)
        if precision.is_disabled(scaler):
            continue
        if scaler is None:
            yield from _plain_step(flow, step, scaled)
        elif scaled:
            yield from _without_update(flow, step)
            yield from _unscaled_branch(flow, step, scaled)
        else:
            yield from _unscaled_loss(flow, step)
    for update in flow.events(UpdatesScale):
        yield from _early_update(flow, update, scaled)
    for unscale in flow.events(UnscalesGrad):
        yield from _unscaled_twice(flow, unscale)


def _plain_step(flow: Flow, step: Event, scaled: list[Event]) -> Iterator[Finding]:
    """`optimizer.step()` on gradients that a scaled backward has filled."""
    if not scaled or step.call is None or step.call.args:
        return  # an optimizer is given: what steps it may be a scaler after all
    if not step.subject.instance_of(classes.OPTIMIZER):
        if not roles.has_role_name(place(getattr(step.call.func, "value", None)), Role.OPTIMIZER):
            return  # an engine, which knows about its scale
    if any(precision.scaler_of(s) is not None and s.concerns(step) is not False for s in flow.events(AppliesGrad)):
        return  # the other branch, without a scaler
    clears = ClearsGrad.concerning(step)
    for backward in scaled:
        if not gradients.is_for(flow, backward, step) or not flow.path(backward, to=step, avoiding=clears, back=False):
            continue
        unscaled = not flow.path(backward, to=step, avoiding=(UnscalesGrad.concerning(step), clears), back=False)
        if unscaled and not any(flow.events(UpdatesScale)):
            continue  # whoever unscales, and checks the gradients by hand
        what = "may apply gradients that are infinite" if unscaled else "applies gradients that are still scaled"
        notes = [Note(backward, "scaled here")]
        why = _INFINITE if unscaled else _TOO_LARGE
        if not unscaled and any(flow.path(backward, to=u, avoiding=UnscalesGrad) for u in flow.events(UpdatesScale)):
            why += _THEN_RAISES
        advice = f"replace it with `{_scaler_of(backward)}.step({receiver_text(step)})`"
        yield Finding(step, f"`{shown(step)}` {what}", "bypasses the scaler", notes, help=advice, why=why)
        return


def _scaler_of(backward: Event) -> str:
    """The scaler of `scaler.scale(loss).backward()`, in the user's words."""
    match backward.call:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=scaler, attr="scale")))):
            return text(backward.site.module, scaler, 40)
    return "scaler"


def _without_update(flow: Flow, step: Event) -> Iterator[Finding]:
    """`scaler.step(...)` again and again, and never `scaler.update()`."""
    if not precision.is_updated(flow, step) and (
        flow.path(step, to=step) or precision.is_scaler_built_outside(flow, step)
    ):
        message = f"`{shown(step)}` is repeated, but the scaler's `update()` is never called"
        advice = f"call `{receiver_text(step)}.update()` once, after the last `step` of the iteration"
        yield Finding(step, message, "the scale never adapts", help=advice, why=_NEVER_ADAPTS)


def _unscaled_loss(flow: Flow, step: Event) -> Iterator[Finding]:
    """`scaler.step(...)` although no loss was scaled."""
    backwards = [b for b in flow.events(AccumulatesGrad) if b.concerns(step) is not False]
    if any(map(precision.may_be_scaled, backwards)):
        return  # in another branch, or by something that is not known
    plain = next((b for b in backwards if flow.path(b, to=step, avoiding=ClearsGrad.concerning(step))), None)
    computed = all(b.subject.has("Loss") or b.subject.has("Divided") or b.concerns(step) for b in backwards)
    if plain is not None and (computed or precision.never_scales_loss(step)):
        yield _unscaled(step, plain)


def _unscaled_branch(flow: Flow, step: Event, scaled: list[Event]) -> Iterator[Finding]:
    """`scaler.step(...)` in the branch of a plain `loss.backward()`, where another branch scales its loss."""
    for plain in (b for b in flow.events(AccumulatesGrad) if b not in scaled and b.concerns(step) is True):
        if plain.function is not step.function or not plain.conditions:
            continue  # of what is under no test, the tests of the step know more
        inner = [b for b in scaled if b.function is step.function and _tests_of(b) <= _tests_of(step)]
        if inner or not _tests_of(plain) <= _tests_of(step):
            continue  # scaled before the same step, or plain where it is perhaps not reached
        if flow.path(plain, to=step, avoiding=ClearsGrad.concerning(step), back=False):
            yield _unscaled(step, plain)
            return


def _unscaled(step: Event, plain: Event) -> Finding:
    """The finding for a step of the scaler after a backward of a loss that was not scaled."""
    message = f"`{shown(step)}` unscales the gradients, but `{shown(plain)}` ran on a loss that was not scaled"
    notes = [Note(plain, "`backward()` of a loss that is not scaled")]
    advice = f"scale the loss: `{receiver_text(step)}.scale(loss).backward()`"
    if isinstance(plain.call, ast.Call) and last_name(plain.call.func) == "backward" and not plain.call.args:
        given = "..." if plain.call.keywords else ""
        advice = (
            f"replace `{shown(plain)}` with `{receiver_text(step)}.scale({receiver_text(plain)}).backward({given})`"
        )
    return Finding(step, message, "the loss was not scaled", notes, help=advice, why=_TOO_SMALL)


def _tests_of(event: Event) -> set[tuple[int, bool]]:
    """The tests that an event stands under, each with its side."""
    return {(id(test), bool(side)) for test, side, _ in event.conditions}


def _early_update(flow: Flow, update: Event, scaled: list[Event]) -> Iterator[Finding]:
    """`scaler.update()` between the backward and the step."""
    for backward in scaled:
        if flow.path(backward, to=update, avoiding=(AppliesGrad, UpdatesScale), back=False):
            steps = [s for s in flow.events(AppliesGrad) if precision.scaler_of(s) is not None]
            late = flow.path(update, to=steps, avoiding=AccumulatesGrad, back=False)
            if late is not None:
                step = shown(late.end)
                message = f"`{shown(update)}` runs before `{step}`, which unscales the gradients and checks them"
                labels = [Note(backward, "scaled here"), Note(late.end, "unscaled here")]
                why = _UNCHECKED
                unscale = next(sources(flow, update, UnscalesGrad, avoiding=AccumulatesGrad, back=False), None)
                if unscale is not None:
                    between = f"runs between `{shown(unscale)}` and `{step}`"
                    message = f"`{shown(update)}` {between}, which then unscales the gradients again"
                    labels = [Note(unscale, "unscaled here"), Note(late.end, "unscaled again here")]
                    why = _TWICE
                yield Finding(
                    update, message, "too early", labels, help=f"call `{shown(update)}` after the step", why=why
                )
                return


def _unscaled_twice(flow: Flow, unscale: Event) -> Iterator[Finding]:
    """`scaler.unscale_(...)` of gradients that were unscaled already."""
    others = [e for e in flow.events(UnscalesGrad) if e.concerns(unscale) is True]
    again = flow.path(unscale, to=others, avoiding=(UpdatesScale, AppliesGrad, AccumulatesGrad), back=False)
    if again is not None and again.end.site != unscale.site:
        message = f"`{shown(again.end)}` unscales gradients that are already unscaled"
        notes = [Note(unscale, "unscaled here")]
        yield Finding(
            again.end,
            message,
            "unscaled twice",
            notes,
            help=f"remove this call: `{receiver_text(unscale)}.step` does not unscale gradients again",
            why=_RAISES,
        )
