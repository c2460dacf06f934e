"""Does a closure clear the gradients of its own earlier calls?

    def closure():                          # L-BFGS calls it up to `max_iter` times in each step
        loss = criterion(net(x), y)
        loss.backward()                     # `find_uncleared_closures`: adds to those of the call before
        return loss

    optimizer.zero_grad()                   # once per step
    optimizer.step(closure)

Other optimizers of PyTorch call a closure once, so that a clear before each step is enough for them. What makes it
unknown: how often the optimizer calls it, or anything unknown in the closure, which may clear. A closure whose
gradients nothing clears at all is for `reused`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad
from mllint.semantics.flow.views import Call
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["Uncleared", "find_uncleared_closures", "runs_in_closure"]

_REPEATING = "torch.optim.LBFGS"
_MAY_CLEAR = frozenset(("clears_grad", "sets_grad", "unknown", "owns_loop"))


class Uncleared(NamedTuple):
    """A closure that is called several times in a step, and clears nothing.

    Attributes:
        clear: what clears its gradients, once per step.
        backward: the backward in the closure.
        step: the step that it is handed to.
    """

    clear: Event
    backward: Event
    step: Event


def find_uncleared_closures(flow: Flow) -> Iterator[Uncleared]:
    """The closures of a flow whose gradients are cleared once per step, although the step calls them several times."""
    for step in flow.events(AppliesGrad):
        if not _repeats_closure(step):
            continue
        for backward in flow.events(AccumulatesGrad):
            if not runs_in_closure(backward, step) or backward.concerns(step) is not True:
                continue
            if any(e.kind in _MAY_CLEAR and _is_in(e, backward.function) for e in flow.events()):
                continue
            clears = (c for c in flow.events(ClearsGrad) if c.concerns(step) is True and c.loops == step.loops)
            clear = next((c for c in clears if flow.path(c, to=step, back=False)), None)
            if clear is not None:
                yield Uncleared(clear, backward, step)


def runs_in_closure(backward: Event, step: Event) -> bool:
    """Does a backward stand in a function that a step is given, and may call several times: `step(closure)`?"""
    given = Call(step.call, step.frame).arguments if step.call is not None else ()
    return any(v.function is backward.function for a in given for v in a.value.alternatives)


def _repeats_closure(step: Event) -> bool:
    """Is it known that a step calls its closure several times: one of L-BFGS, with more than one iteration?"""
    optimizer = step.subject
    if not isinstance(optimizer, InstanceValue) or not optimizer.instance_of(_REPEATING):
        return False
    if not optimizer.cls.module.is_stub or optimizer.built_with is None or optimizer.built_with.open:
        return False
    count = constructor_argument(optimizer, "max_iter")
    return count is None or (isinstance(count.literal, int) and count.literal > 1)


def _is_in(event: Event, function: FunctionScope) -> bool:
    """Does an event happen in a function, or in what that calls?"""
    frame = event.frame
    while frame.function is not function:
        if frame.caller is None:
            return False
        frame = frame.caller[0]
    return True
