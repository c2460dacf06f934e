"""Are gradients that were applied used again, because nothing cleared them?

Asked from the harm: not "is there a `zero_grad()`?" but "is there a way from a step back to a step on which gradients
that were already used are used again?" (`semantics.training.gradients.reused`).
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, call_text, clearing, closures, mixing, reused, shown

__all__: list[str] = []

_ADDS = "adds to gradients that were already applied"
_RARELY = "`backward()` adds to `.grad`: each step follows the sum of all gradients since they were last zeroed"
_CALLS = (
    "`backward()` adds to `.grad`: after each call, the optimizer gets the sum of the gradients of all calls so far"
)
_IN_CLOSURE = "call `zero_grad()` at the start of the closure: the optimizer may call it several times per step"
_AGAIN = "zero the gradients again before the `backward()` of the other loss, or detach what this loss should not train"


@check("missing-zero-grad")
def missing_zero_grad(flow: Flow) -> Iterator[Finding]:
    """Gradients are applied, then accumulated again, and never cleared in between."""
    found = list(reused.find_reused_gradients(flow))
    for step, backward, too_rare, evidence in found:
        applied = Note(step, "gradients applied here")
        if too_rare is not None:
            message = f"`{shown(too_rare)}` runs outside the batch loop, but `{shown(step)}` runs for every batch"
            if step.loops[-1].role != "batch" or not too_rare.loops:
                message = f"`{shown(too_rare)}` runs before the loop in which `{shown(step)}` is repeated"
            notes = [Note(backward, "adds to the gradients of the previous step"), applied]
            yield Finding(too_rare, message, "zeroes too rarely", notes, why=_RARELY, evidence=(evidence,))
        else:
            message = f"gradients are not zeroed: `{shown(backward)}` adds to those of the previous step"
            help = _IN_CLOSURE if closures.runs_in_closure(backward, step) else ""
            yield Finding(backward, message, _ADDS, [applied], help=help, evidence=(evidence,))
    yield from _of_two_losses(flow) if not found else ()
    for clear, backward, step in closures.find_uncleared_closures(flow) if not found else ():
        message = f"`{shown(clear)}` runs once per step, but `{shown(step)}` calls the closure several times"
        notes = [Note(backward, "adds to the gradients of the previous calls"), Note(step, "calls the closure")]
        yield Finding(clear, message, "zeroes too rarely", notes, help=_IN_CLOSURE, why=_CALLS)
    for step, backward in (*clearing.find_never_cleared_steps(flow), *clearing.find_uncleared_next_to_other(flow)):
        message = f"gradients are not zeroed between calls: this adds to those that `{shown(step)}` applied"
        yield Finding(backward, message, _ADDS, [Note(step, "gradients applied here")])


def _of_two_losses(flow: Flow) -> Iterator[Finding]:
    """The gradients of one loss reach the weights of an optimizer that another loss is meant for."""
    for mixed in mixing.find_mixed_gradients(flow):
        backward, other = mixing.told_apart(mixed.backward, mixed.other)
        step, applies = mixing.told_apart(mixed.own, mixed.step)
        own, applied_by = call_text(backward.module, backward.node), call_text(applies.module, applies.node)
        notes = [
            Note(step, "the step for this loss"),
            Note(other, "the `backward()` of the other loss"),
            Note(applies, "applies the gradients of both losses"),
        ]
        yield Finding(
            backward,
            f"`{own}` also adds to the gradients that `{applied_by}` applies: nothing zeroes them in between",
            "reaches the weights of both optimizers",
            [note for note in notes if note.at != backward],
            help=_AGAIN,
            why=f"the weights that `{applied_by}` updates follow the sum of two losses, and only one is meant for them",
        )
