"""Are the gradients of a backward cleared before the step can use them?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import AccumulatesGrad, AppliesGrad, ClearsGrad, Event, Flow, gradients, shown, sources

__all__: list[str] = []

_TOO_EARLY = (
    "the step runs before `backward()`, and the gradients are zeroed right after it: they never reach the weights"
)


@check("gradients-discarded")
def gradients_discarded(flow: Flow) -> Iterator[Finding]:
    """The gradients of a backward are cleared before the step can use them."""
    for clear in flow.events(ClearsGrad):
        near = [
            b for b in sources(flow, clear, AccumulatesGrad, avoiding=AppliesGrad, back=False) if b.site != clear.site
        ]
        steps = [s for s in flow.events(AppliesGrad) if gradients.is_for(flow, clear, s)] if near else []
        steps = [s for s in steps if not gradients.clears_part_only(clear, s)]
        for backward in sorted(near, key=lambda event: event.index) if steps else ():
            if not flow.path(backward, to=clear, avoiding=(AppliesGrad, _clears_any(steps)), back=False):
                continue
            step = next((s for s in steps if gradients.is_wasted(flow, backward, clear, s)), None)
            if step is not None:
                yield Finding(
                    clear,
                    f"`{shown(clear)}` zeroes the new gradients before `{shown(step)}` applies them",
                    "zeroed here",
                    [Note(backward, "gradients computed here"), Note(step, "nothing left to apply")],
                    evidence=(gradients.optimizer_of(step, clear),),
                )
                break
        else:
            yield from _stepped_too_early(flow, clear, near, steps) if steps and not clear.loops else ()


def _stepped_too_early(flow: Flow, clear: Event, near: list[Event], steps: list[Event]) -> Iterator[Finding]:
    """A function for one batch that steps, runs backward and clears, in this order: whoever calls it again finds no
    gradients to step on."""
    for backward in near:
        one = (s for s in steps if gradients.is_one_update(s, backward, clear))
        step = next((s for s in one if gradients.is_for(flow, backward, s)), None)
        if step is None or flow.path(backward, to=AppliesGrad) is not None:
            continue  # another optimizer's, perhaps
        if not gradients.is_read_elsewhere(backward.function):
            message = f"`{shown(clear)}` zeroes the new gradients, and `{shown(step)}` ran before they were computed"
            notes = [Note(backward, "gradients computed here"), Note(step, "runs too early")]
            help = f"call `{shown(step)}` after `backward()` and before `{shown(clear)}`"
            evidence = (gradients.optimizer_of(step, clear),)
            yield Finding(clear, message, "zeroed here", notes, help=help, why=_TOO_EARLY, evidence=evidence)
            return


def _clears_any(steps: list[Event]) -> Callable[[Event], bool]:
    """Whether an event clears the gradients, or may, that one of some steps applies."""
    return lambda e: e.kind == "clears_grad" and any(e.concerns(s) is not False for s in steps)
