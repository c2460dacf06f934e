"""Does every step apply the gradients of as many micro-batches?

A step under `i % k == 0`, with `i` from 0 on, comes after the first micro-batch already: the first window has one. One
under `(i + 1) % k == 0` leaves over what is behind the last full window.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Event,
    Flow,
    Frame,
    Node,
    Site,
    accumulation,
    evaluate,
    gradients,
    iterations,
    text,
)

__all__: list[str] = []

_ONCE_MORE = "and call `step()` and `zero_grad()` once more after the loop"
_LEFT = (
    "what is left over joins the first step of the next epoch, which is then too large; after the last epoch it is lost"
)


@check("uneven-accumulation")
def uneven_accumulation(flow: Flow) -> Iterator[Finding]:
    """The first step applies the gradient of one micro-batch, or the last micro-batches are left over."""
    for step in flow.events(AppliesGrad):
        repeated = accumulation.find_events_while_waiting(flow, step, AccumulatesGrad)
        found = next((b for b, _ in repeated if _waits(flow, step, b)), None)
        decided = _deciding(step, found) if found is not None else None
        if found is None or decided is None:
            continue
        test, every, frame = decided
        if evaluate(every[1], frame).literal == 1:
            continue
        first = iterations.first_value(every[0], step.loops[-1], frame, test.lineno)
        where, size = Site(frame.module, test), text(frame.module, every[1])
        size = size if isinstance(every[1], ast.Constant) else f"`{size}`"
        labels = [Note(found, "accumulated here"), Note(step, "applied here")]
        if first == 0:
            message = f"the first step applies one micro-batch instead of {size}: the counter starts at 0"
            counter, number = text(frame.module, every[0], 30), text(frame.module, every[1], 30)
            advice = f"test `({counter} + 1) % {number} == 0`, {_ONCE_MORE}"
            yield Finding(where, message, "true at the first micro-batch", labels, help=advice)
        counted_here = first == 1 and frame is step.loops[-1].frame
        left = accumulation.find_unapplied_remainder(flow, step, found, every[0]) if counted_here else None
        if left is not None and isinstance(test, ast.Compare):
            message = f"an epoch can end with fewer than {size} micro-batches, and these wait for the next epoch's step"
            advice = "call `step()` and `zero_grad()` once more after the loop, or at its last micro-batch"
            yield Finding(
                where, message, "true for full windows only", labels, help=advice, why=_LEFT, evidence=(left,)
            )


def _waits(flow: Flow, step: Event, backward: Event) -> bool:
    """Does a step in a loop, which waits for several iterations of a backward, come after it in each of them?"""
    if not step.loops or not gradients.is_for(flow, backward, step):
        return False
    if backward.frame not in (step.frame, step.loops[-1].frame):
        return False  # who wraps a backward may count as well
    below = flow.path(backward, to=step, avoiding=gradients.changes_of(step), back=False)
    return below is not None and accumulation.accumulates_into_step(flow, backward, step)


def _deciding(step: Event, backward: Event) -> tuple[Node, tuple[Node, Node], Frame] | None:
    """The test next to the loop's counter, or in the function that the loop hands it to, that decides about a step,
    perhaps in a helper, and not about the backward; with the counter, the number in it, and its context."""
    around = step.loops[-1].frame
    handed = step.frame.caller is not None and step.frame.caller[0] is around
    shared = {id(test) for test, _, _ in backward.conditions}
    tests = [
        *step.conditions_in(step.loops[-1]),
        *((test, False, step.frame) for test in accumulation.continue_tests_between(step, backward)),
    ]
    for test, held, frame in tests:
        near = frame is around or (handed and frame is step.frame)
        found = accumulation.modulus(test, held) if id(test) not in shared and near else None
        if found is not None:
            return test, found, frame
    return None
