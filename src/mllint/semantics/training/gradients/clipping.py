"""Does any step use the gradients that a clip leaves?

    optimizer.step()
    clip_grad_norm_(net.parameters(), 1.0)     # after the step: the next backward comes before any other step
    optimizer.zero_grad()

A clip changes what the backward before it has filled. Nothing uses that where the step came before, where the backward
comes after (it fills what was clipped anew), or where the generator of parameters that the clip is given has been read
by an optimizer, so that nothing is clipped at all.

A call of something unknown that gets hold of the parameters, or of their optimizer, may take the step; if it gets the
model alone, only a first one. A clip whose bound is infinite only measures the norm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, ClipsGrad, OwnsLoop, Unknown
from mllint.semantics.syntax.nodes import Constant, Node, place
from mllint.semantics.training.gradients import computing, stepping
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.optimizers.exhausted import find_reader_of_clipped

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.values import Site

__all__ = ["IneffectiveClip", "Reason", "find_ineffective_clips"]


class Reason(Enum):
    """Why no step uses what is clipped."""

    EXHAUSTED = "an exhausted generator"
    AFTER_STEP = "after the step"
    BEFORE_BACKWARD = "before the backward"


class IneffectiveClip(NamedTuple):
    """A clip that changes no step."""

    clip: Event
    reason: Reason
    cause: Event
    """The step on gradients that are not clipped, or the optimizer that has read the generator."""


def find_ineffective_clips(flow: Flow) -> Iterator[IneffectiveClip]:
    """The clips of a flow that change no step, one for each place: none of its events may be of use."""
    by_site: dict[Site, list[Event]] = {}
    for clip in flow.events(ClipsGrad):
        by_site.setdefault(clip.site, []).append(clip)
    for clips in by_site.values():
        first = clips[0]
        reader = find_reader_of_clipped(first, flow)
        if reader is not None:
            yield IneffectiveClip(first, Reason.EXHAUSTED, reader)
            continue
        steps = [_unclipped_step(flow, clip) for clip in clips]
        if steps[0] is None or None in steps or gradients.is_endless(first):
            continue
        if flow.path(steps[0], to=first, avoiding=AccumulatesGrad, back=False):
            yield IneffectiveClip(first, Reason.AFTER_STEP, steps[0])
        elif not _is_filled_before(flow, first):
            yield IneffectiveClip(first, Reason.BEFORE_BACKWARD, steps[0])


def _is_filled_before(flow: Flow, clip: Event) -> bool:
    """Does a backward come before a clip, in the same iteration?"""
    filled = (b for b in flow.events(AccumulatesGrad) if gradients.is_for(flow, b, clip))
    return any(flow.path(b, to=clip, back=False) for b in filled)


def _unclipped_step(flow: Flow, clip: Event) -> Event | None:
    """A step of the same parameters, if no step uses what the clip leaves; else None."""
    steps = [s for s in flow.events(AppliesGrad) if s.concerns(clip) is not False and not _are_exclusive(s, clip)]
    spoiled = [e for e in flow.events(AccumulatesGrad, ClearsGrad) if gradients.is_for(flow, e, clip)]
    if any(flow.path(clip, to=s, avoiding=spoiled) for s in steps):
        return None
    sure = [s for s in steps if gradients.is_for(flow, s, clip)]
    others = (e for e in flow.events(Unknown, OwnsLoop) if not computing.computes_loss_term(e))
    unclear = [e for e in others if _may_step(e, clip, sure) and flow.path(clip, to=e, avoiding=spoiled)]
    if not any(flow.events(AccumulatesGrad)):
        return None
    just = (s for s in sure if flow.path(s, to=clip, avoiding=AccumulatesGrad, back=False))
    before = next(just, None)
    if before is not None and before.subject.identities:  # what gets the model alone takes no second step
        unclear = [e for e in unclear if stepping.receives_optimizer(e, before.subject)]
    return None if unclear else before or next(iter(sure), None)


def _may_step(event: Event, clip: Event, steps: list[Event]) -> bool:
    """May something unknown apply what is clipped: does it get hold of the parameters, or of an optimizer of theirs?"""
    return event.holds(clip) or any(stepping.receives_optimizer(event, step.subject) for step in steps)


def _are_exclusive(one: Event, other: Event) -> bool:
    """Do they stand where one place is equal to different constants: `if kind == "ddp"` and `if kind == "single"`?"""
    if one.frame is not other.frame:
        return False
    required = dict(_equality(t) for t, polarity, _ in one.conditions if polarity and _equality(t)[0])
    found = [_equality(t) for t, polarity, _ in other.conditions if polarity]
    return any(at in required and required[at] != value for at, value in found)


def _equality(test: Node) -> tuple[str, Constant]:
    """The place and the constant of `place == constant`, else an empty place."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]):
            return place(left) or "", value
    return "", None
