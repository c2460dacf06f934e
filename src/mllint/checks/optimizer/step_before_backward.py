"""Does a step run on gradients that no backward has filled since they were cleared?"""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._gradients import (
    alone,
    closures,
    computes_loss,
    cut_off,
    forgets_backward,
    handles_gradients,
    shown,
    uses,
)
from mllint.checks._lifetimes import constructions, replacements, used_after
from mllint.checks.optimizer._protocol import starved
from mllint.checks.optimizer._scaling import scaler_of
from mllint.checks.optimizer._stepping import alone_in, called_from, in_pieces, perhaps_later, serves_another
from mllint.checks.optimizer._uncleared import hides_backward
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, ClearsGrad, Event, Flow
from mllint.semantics.calls import constructor_argument

__all__: list[str] = []


@check("step-before-backward")
def step_before_backward(flow: Flow) -> Iterator[Finding]:
    """A step runs on gradients that no backward has filled since they were cleared."""
    for step in flow.events(AppliesGrad):
        if (closures(step) and scaler_of(step) is None) or in_pieces(step) or not starved(flow, step):
            continue
        if cut_off(flow, step) is not None or replaced(flow, step):
            continue  # a backward runs, and does not reach this optimizer: another rule says why
        clear = next((c for c in flow.events(ClearsGrad) if clears_for(flow, c, step) and flow.path(c, to=step)), None)
        inside = [e for e in flow.events() if e.loops[: len(step.loops)] == step.loops]
        around = [b for b in inside if b.kind == "accumulates_grad" and uses(flow, b, step)]
        around = around or [b for b in inside if b.kind == "accumulates_grad" and perhaps_later(flow, b, step, inside)]
        before = [b for b in around if flow.path(b, to=step, back=False)]
        if clear is None or len(before) == len(around) > 0 or not all(serves_another(flow, b, step) for b in before):
            continue
        around = [b for b in around if b not in before]
        later = next(iter(around), None)
        if later is not None and not step.loops and flow.path(later, to=AppliesGrad.concerning(step)):
            continue
        if later is None and moves_rows(step):
            continue
        if later is not None:
            what = f"`{shown(step)}` runs before `{shown(later)}`"
            labels = [Note(clear, "gradients cleared here"), Note(later, "computed here, never applied")]
        elif (
            (step.loops and computes_loss(step, inside)) or (alone_in(step) and forgets_backward(clear, step))
        ) and not (hides_backward(step) or hides_backward(clear) or handles_gradients(step)):
            what = f"no `backward()` runs before `{shown(step)}`"
            if any(flow.path(b, to=step, back=False) for b in flow.events(AccumulatesGrad)):  # for another one
                what = f"no `backward()` between `{shown(clear)}` and `{shown(step)}` fills its gradients"
            labels = [Note(clear, "gradients cleared here")]
        else:
            continue
        labels += called_from(step)
        yield Finding(step, f"{what}: it applies gradients that were just cleared", "nothing to apply", labels)


def moves_rows(step: Event) -> bool:
    """Is its optimizer given tensors that were made to require grad in place, `z.requires_grad_()`? What is computed of
    such is not followed back to them."""
    params = constructor_argument(step.subject, "params") if step.subject.kind == "instance" else None
    plain = params is not None and params.kind == "sequence" and all(p.kind == "tensor" for p in params.parts)
    return plain and "requires_grad_" in step.function.called_names


def clears_for(flow: Flow, clear: Event, step: Event) -> bool:
    """Is a clear for a step: of what it moves, or of the model itself beside the step of the only optimizer?"""
    concerned = clear.concerns(step)
    beside = clear.frame is step.frame and clear.conditions == step.conditions and clear.loops == step.loops
    return concerned or (concerned is None and beside and alone(flow))


def replaced(flow: Flow, step: Event) -> bool:
    """Is the model of a step built again after its optimizer?"""
    made = (found for found in constructions(flow).values() if step in found[1])
    return any(used_after(flow, built, steps, b) for built, steps in made for _, b in replacements(built))
