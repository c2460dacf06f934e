"""Are gradients that were applied used again, because nothing cleared them?

Asked from the harm: not "is there a `zero_grad()`?" but "is there a way from a step back to a step on which gradients
that were already used are used again?". So accumulation, several optimizers, GANs and closures need no special cases.
An unknown call that is given the optimizer or the model may do anything to the gradients: a way that meets one accuses
nobody.
"""

from __future__ import annotations

from mllint._typing import Iterator
from mllint.checks._gradients import alone, another, shown, touching, uses
from mllint.checks._windows import at_turn, counted
from mllint.checks.optimizer._conditions import cleared_under_same_test
from mllint.checks.optimizer._uncleared import (
    beside_cleared,
    by_the_book,
    cleared_with_loss,
    hooked,
    never_cleared,
    nobody_clears,
)
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, ClearsGrad, Event, Flow, Site
from mllint.semantics.seeding import is_test_code

__all__: list[str] = []


@check("missing-zero-grad")
def missing_zero_grad(flow: Flow) -> Iterator[Finding]:
    """Gradients are applied, then accumulated again, and never cleared in between."""
    reported: set[Site] = set()
    for step in sorted(flow.events(AppliesGrad), key=lambda s: s.option == "named"):  # the known ones first
        backward = used_again(flow, step) if not in_step(flow, step) else None
        if backward is None or backward.site in reported or cleared_with_loss(flow, step, backward) or hooked(flow):
            continue
        reported.add(backward.site)
        outside = rarely_cleared(flow, step, backward)
        applied = Note(step, "gradients applied here")
        certain = step.option != "named" or by_the_book(step, backward) or nobody_clears(step, backward)
        certain = certain and not is_test_code(step.site.module)
        if outside is not None:
            message = f"`{shown(outside)}` runs once per epoch, but `{shown(step)}` runs for every batch"
            if step.loops[-1].role != "batch" or not outside.loops:
                message = f"`{shown(outside)}` runs before the loop in which `{shown(step)}` is repeated"
            adds = Note(backward, "adds to the gradients of the previous step")
            yield Finding(outside, message, "clears too rarely", [adds, applied], certain=certain)
        else:
            message = f"gradients of the previous step are still in `.grad` when `{shown(backward)}` adds to them"
            yield Finding(backward, message, "adds to used gradients", [applied], certain=certain)
    for step, backward in (*never_cleared(flow), *beside_cleared(flow)):
        message = f"nothing clears the gradients that `{shown(step)}` has applied before this is called again"
        yield Finding(backward, message, "adds to used gradients", [Note(step, "gradients applied here")])


def used_again(flow: Flow, step: Event) -> Event | None:
    """A backward that adds to gradients which the step has applied, and which a step applies again."""
    cleared = touching(step)
    left = [b for b in flow.events(AccumulatesGrad) if uses(flow, b, step)]
    for own in left:  # rather the one that the step belongs to than that of another network before it
        if flow.path(own, to=step, avoiding=(*cleared, AppliesGrad), back=False):
            way = flow.path(step, to=own, avoiding=cleared)
            if way is not None and not another(way, step, flow):
                return own
    while left:
        again = flow.path(step, to=lambda event: event in left, avoiding=cleared)
        if again is None:
            return None
        if not another(again, step, flow) and flow.path(again.end, to=step, avoiding=cleared):
            return again.end
        left.remove(again.end)
    return None


def in_step(flow: Flow, step: Event) -> bool:
    """Are step and clear both counted by a modulo test, so that only arithmetic could tell whether they meet?"""
    clears = [clear for clear in flow.events(ClearsGrad) if clear.concerns(step)]
    steps = [step]
    if getattr(step.call, "args", ()):  # handed a closure, beside a step without one: which of them depends on its kind
        steps += [s for s in flow.events(AppliesGrad) if s.concerns(step) and not getattr(s.call, "args", True)]
    met = any(any(map(waits, steps)) and any(map(waits, clears)) for waits in (counted, at_turn))
    return met or cleared_under_same_test(flow, step)


def rarely_cleared(flow: Flow, step: Event, backward: Event) -> Event | None:
    """A clear of the same optimizer around the loop of the step and the backward: in an outer loop, or above it."""
    for clear in flow.events(ClearsGrad):
        depth = len(clear.loops)
        meant = clear.concerns(step) or (clear.concerns(step) is None and alone(flow))
        if clear.loops == step.loops[:depth] and meant and (depth or clear.function is step.function):
            if step.loops[depth:] and step.loops[depth] in backward.loops:
                return clear
    return None
