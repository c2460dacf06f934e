"""Do the gradients of one loss reach the step that another loss is meant for?

    opt_g.zero_grad()
    opt_d.zero_grad()
    loss_d(net_d(real), net_d(net_g(z))).backward()    # nothing is detached: the generator has gradients as well
    opt_d.step()
    loss_g(net_d(net_g(z))).backward()
    opt_g.step()                                       # `find_mixed_gradients`: applies those of both losses

One loss goes through two networks, and another one through one of them at least; each is followed by the step of one
of two optimizers, so each is meant for one of them. The gradients of the first stay until the second steps, in the next
iteration at the latest, where nothing clears them. Losses whose gradients are added up on purpose have one step, or a
step of each optimizer behind both. Nothing is said of networks that are frozen in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Freezes
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.gradients.state import changes_of

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, Matching

__all__ = ["Mixed", "find_mixed_gradients", "told_apart"]

_MOST = 12
"""Steps of a flow; of more of them, each pair would be asked about."""


class Mixed(NamedTuple):
    """A loss whose gradients are applied with those of another one.

    Attributes:
        backward: that of the loss.
        own: the step that it is meant for.
        other: the backward of the other loss.
        step: the step that applies the gradients of both.
    """

    backward: Event
    own: Event
    other: Event
    step: Event


def find_mixed_gradients(flow: Flow) -> Iterator[Mixed]:
    """The losses whose gradients are applied with those of another one, which is meant for another optimizer.

    Args:
        flow: the flow.
    """
    steps = list(flow.events(AppliesGrad))
    if len(steps) > _MOST or all(step.subject.same_as(steps[0].subject) is not False for step in steps):
        return
    backwards = list(flow.events(AccumulatesGrad))
    pairs = [(own, step) for own in steps for step in steps if own.concerns(step) is False]
    for own, step in pairs:
        reaching = [b for b in backwards if b.concerns(step) is True]
        if any(freeze.concerns(step) is not False for freeze in flow.events(Freezes)):
            continue
        meant = [b for b in reaching if b.concerns(own) is True and _is_next(flow, b, own)]
        others = [b for b in reaching if _is_next(flow, b, step)] if meant else []
        for backward, other in ((a, b) for a in meant for b in others if (a.site, a.frame) != (b.site, b.frame)):
            kept: tuple[Matching, ...] = (*changes_of(step), [s for s in steps if s.concerns(step) is not False])
            ways = ((backward, own), (other, step))
            if not all(flow.path(one, to=end, avoiding=changes_of(step), back=False) for one, end in ways):
                continue
            if flow.path(own, to=other, avoiding=kept) and not _is_stepped_too(flow, other, own):
                yield Mixed(backward, own, other, step)
                return


def told_apart(one: Event, other: Event) -> tuple[Site, Site]:
    """Where two events are written; where that is one line of a helper, the calls that lead to it.

    Args:
        one: an event.
        other: one that happens at another time.

    Returns:
        The place of each.
    """
    sites, frames = (one.site, other.site), (one.frame, other.frame)
    while sites[0] == sites[1] and frames[0].caller is not None and frames[1].caller is not None:
        callers = frames[0].caller, frames[1].caller
        frames = callers[0][0], callers[1][0]
        sites = Site(frames[0].module, callers[0][1]), Site(frames[1].module, callers[1][1])
    return sites


def _is_next(flow: Flow, backward: Event, step: Event) -> bool:
    """Is a step the next one after a backward, before any other backward?"""

    def between(event: Event) -> bool:
        return event.kind in ("accumulates_grad", "applies_grad") and event is not step

    return flow.path(backward, to=step, avoiding=between, back=False) is not None


def _is_stepped_too(flow: Flow, backward: Event, step: Event) -> bool:
    """Are the gradients of a backward applied by a step as well, in the same iteration?"""
    if backward.concerns(step) is False:
        return False
    steps = [s for s in flow.events(AppliesGrad) if s.concerns(step) is not False]
    return flow.path(backward, to=steps, avoiding=changes_of(step), back=False) is not None
