"""Is the gradient scaler used as a whole: scale, (unscale,) step, update?

Each function here looks for one fault of the protocol around one event, for the rule `grad-scaler-protocol`.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks._gradients import shown, uses
from mllint.rule import Finding, Note
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    ClearsGrad,
    Event,
    Flow,
    Unknown,
    UnscalesGrad,
    UpdatesScale,
    Value,
)
from mllint.semantics.calls import constructor_argument
from mllint.semantics.module import last_name

__all__ = [
    "disabled", "early_update", "is_scaled", "plain_step", "scaler_of", "unscaled_beside", "unscaled_loss",
    "unscaled_once", "without_update",
]  # fmt: skip


def scaler_of(step: Event) -> Value | None:
    """The gradient scaler through which a step is made; a step by hand, `p -= lr * p.grad`, is no call."""
    if step.call is None:
        return None
    call = Call(step.call, step.frame)
    receiver = call.receiver
    known = receiver is not None and (
        receiver.instance_of("torch.amp.GradScaler")
        or call.callee.is_function("torch.amp.GradScaler.step")
        or has_stand_in(receiver)
    )
    return receiver if known else None


_PROTOCOL = frozenset(("scale", "step", "update"))


def has_stand_in(scaler: Value) -> bool:
    """Is it a gradient scaler, or else an object of the project's that only stands in for one, with its methods?"""
    others = [v for v in scaler.alternatives if not v.instance_of("torch.amp.GradScaler")]
    own = all(v.kind == "instance" and not v.of.module.is_stub and v.of.methods.keys() >= _PROTOCOL for v in others)
    return own and 0 < len(others) < len(scaler.alternatives)


def is_scaled(backward: Event) -> bool:
    """Does a backward start from a loss that a gradient scaler, or what stands in for one, has scaled?"""
    if backward.subject.is_("Scaled"):
        return True
    func = backward.call.func if isinstance(backward.call, ast.Call) else None
    inner = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(inner, ast.Call) or last_name(inner.func) != "scale":
        return False
    receiver = Call(inner, backward.frame).receiver
    return receiver is not None and has_stand_in(receiver)


def disabled(scaler: Value | None) -> bool:
    """Is the scaler switched off by a constant?"""
    given = constructor_argument(scaler, "enabled") if scaler is not None else None
    return given is not None and given.truth is False


def plain_step(flow: Flow, step: Event, scaled: list[Event]) -> Iterator[Finding]:
    """`optimizer.step()` on gradients that a scaled backward has filled."""
    if step.call is None or step.call.args:
        return  # an optimizer is given: what steps it may be a scaler after all
    if not step.subject.instance_of("torch.optim.Optimizer") and "opt" not in shown(step).lower():
        return  # an engine, which knows about its scale
    for backward in scaled:
        if not uses(flow, backward, step) or fits_scaler(flow, step):
            continue
        clears = ClearsGrad.concerning(step)
        if not flow.path(backward, to=step, avoiding=clears, back=False):
            continue
        unscaled = not flow.path(backward, to=step, avoiding=(UnscalesGrad.concerning(step), clears), back=False)
        if unscaled and not list(flow.events(UpdatesScale)):
            continue  # whoever unscales, and checks the gradients by hand
        what = "may apply gradients that are infinite" if unscaled else "applies gradients that are still scaled"
        notes = [Note(backward, "scaled here")]
        yield Finding(step, f"`{shown(step)}` {what}", "steps past the scaler", notes, "call `scaler.step(optimizer)`")
        return


def fits_scaler(flow: Flow, step: Event) -> bool:
    """Is the same optimizer stepped through a scaler as well, so that this step is the other branch?"""
    return any(scaler_of(s) is not None and s.concerns(step) is not False for s in flow.events(AppliesGrad))


def without_update(flow: Flow, step: Event) -> Iterator[Finding]:
    """`scaler.step(...)` again and again, and never `scaler.update()`."""
    scaler = scaler_of(step)
    given = (
        any(scaler.identities & v.identities for e in flow.events(Unknown) for v in (e.subject, *e.others))
        if scaler
        else True
    )
    if scaler is not None and not scaler.instance_of("torch.amp.GradScaler"):
        given = given or updated_elsewhere(step)
    if not given and not list(flow.events(UpdatesScale)) and flow.path(step, to=step):
        message = f"`{shown(step)}` is repeated, but the scaler's `update()` is never called"
        yield Finding(
            step,
            message,
            "the scale never adapts",
            [],
            "call `scaler.update()` once, after the last `step` of the iteration",
        )


def updated_elsewhere(step: Event) -> bool:
    """Does anything in the project update what has the name of the scaler of a step, which nothing is known of?"""
    name = last_name(getattr(step.call.func, "value", None))
    updates = (c.func for c, _ in step.frame.project.calls_named("update"))
    return any(isinstance(f, ast.Attribute) and last_name(f.value) == name for f in updates)


def unscaled_loss(flow: Flow, step: Event) -> Iterator[Finding]:
    """`scaler.step(...)` although no loss was scaled."""
    backwards = [b for b in flow.events(AccumulatesGrad) if b.concerns(step) is not False]
    if any("scale" in b.function.called_names for b in backwards):
        return  # scaled on another branch, by something that is not known
    plain = next((b for b in backwards if flow.path(b, to=step, avoiding=ClearsGrad.concerning(step))), None)
    if plain is not None and all(
        b.subject.has("Loss") or b.subject.has("Divided") or b.concerns(step) for b in backwards
    ):
        message = f"`{shown(step)}` divides the gradients by a scale that `{shown(plain)}` did not multiply in"
        yield Finding(step, message, "the loss was not scaled", [Note(plain, "backward without `scaler.scale`")])


def unscaled_beside(flow: Flow, step: Event, scaled: list[Event]) -> Iterator[Finding]:
    """`scaler.step(...)` in the branch of a plain `loss.backward()`, where another branch scales its loss."""
    for plain in (b for b in flow.events(AccumulatesGrad) if b not in scaled and b.concerns(step) is True):
        if plain.function is not step.function or not plain.conditions:
            continue  # of what is under no test, the tests of the step know more
        inner = [b for b in scaled if b.function is step.function and conditions_of(b) <= conditions_of(step)]
        if inner or not conditions_of(plain) <= conditions_of(step):
            continue  # scaled before the same step, or plain where it is perhaps not reached
        if flow.path(plain, to=step, avoiding=ClearsGrad.concerning(step), back=False):
            message = f"`{shown(step)}` divides the gradients by a scale that `{shown(plain)}` did not multiply in"
            yield Finding(step, message, "the loss was not scaled", [Note(plain, "backward without `scaler.scale`")])
            return


def conditions_of(event: Event) -> set[tuple[int, bool]]:
    """The tests that an event stands under, each with its side."""
    return {(id(test), bool(side)) for test, side, _ in event.conditions}


def unscaled_once(flow: Flow, clip: Event) -> bool:
    """Does the first round unscale, under a flag that is then put down: `if scaled: unscale_(opt); scaled = False`?"""
    for event in flow.events(UnscalesGrad):
        if event.function is not clip.function or event.loops != clip.loops or event.concerns(clip) is False:
            continue
        tests = [t for t, _, _ in event.conditions if not any(t is other for other, _, _ in clip.conditions)]
        flags = [event.function.bindings.get(t.id, ()) if isinstance(t, ast.Name) else () for t in tests]
        if tests and all(any(getattr(b.value, "value", None) is False for b in bound) for bound in flags):
            return True
    return False


def early_update(flow: Flow, update: Event, scaled: list[Event]) -> Iterator[Finding]:
    """`scaler.update()` between the backward and the step."""
    for backward in scaled:
        if not flow.path(backward, to=update, avoiding=(AppliesGrad, UpdatesScale), back=False):
            continue
        late = flow.path(
            update,
            to=lambda e: e.kind == "applies_grad" and scaler_of(e) is not None,
            avoiding=AccumulatesGrad,
            back=False,
        )
        if late is not None:
            message = f"`{shown(update)}` runs before `{shown(late.end)}`: the step divides by another scale"
            yield Finding(
                update, message, "too early", [Note(backward, "scaled here"), Note(late.end, "unscaled here")]
            )
            return
