"""Are gradients cleared for each micro-batch, though a step applies them only every k-th time?

Then all but the last micro-batch are computed for nothing. The step waits in one of two ways: for a window
(`accumulation.window`), or below a loop that it does not share with the backwards, so that it sees what the last
iteration has left.

A clear that is meant is none of these: it is counted itself; it leaves the iteration, because the loss is not finite;
it stands in the other branch of a test that never changes; or something sets the gradients by hand in the same loop,
and may have kept what is cleared.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, SetsGrad
from mllint.semantics.flow.subjects import reach
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, is_in_block, walk
from mllint.semantics.training.gradients import accumulation
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.gradients.branches import branches_around

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["Discarded", "find_discarded"]


class Discarded(NamedTuple):
    """Gradients that are cleared before the step that is to apply them."""

    clear: Event
    """What clears them in each iteration."""
    step: Event
    """What would have applied them."""
    backward: Event
    """What has computed them."""
    below_loop: bool
    """Whether the step stands below the loop of both, and does not wait for a window in it."""


def find_discarded(flow: Flow) -> Iterator[Discarded]:
    """The first clear for each step that discards what the micro-batches before the step have accumulated."""
    for step in flow.events(AppliesGrad):
        clears = (c for c in accumulation.repeated_around(flow, step, ClearsGrad) if _clears_for(flow, c, step))
        discarded = (_discarded_by(flow, c, step) for c in clears if not _is_meant(c, step))
        found = next((d for d in discarded if d is not None and not _are_set_by_hand(flow, d)), None)
        if found is not None:
            yield found


def _clears_for(flow: Flow, clear: Event, step: Event) -> bool:
    """Does it certainly clear what the step applies?"""
    known = clear.concerns(step)
    return known is True or (known is None and gradients.is_alone(flow) and _clears_all(flow, clear))


def _clears_all(flow: Flow, clear: Event) -> bool:
    """Is all that every backward computes gradients for cleared through the model, whatever the optimizer holds?"""
    held = reach(clear.subject, clear.frame)[0]
    graphs = [b.subject.all_graph for b in flow.events(AccumulatesGrad)]
    return bool(graphs) and all(graph and graph <= held for graph in graphs)


def _discarded_by(flow: Flow, clear: Event, step: Event) -> Discarded | None:
    """What a clear in each iteration discards, if anything."""
    below_loop = accumulation.window(step, clear) is None
    if below_loop:
        backward = _backward_before_clear_in_loop(flow, clear, step)
    else:
        repeated = accumulation.find_events_while_waiting(flow, step, AccumulatesGrad)
        found = (b for b, _ in repeated if gradients.is_for(flow, b, step))
        backward = next((b for b in found if accumulation.is_lost_to(flow, b, clear)), None)
    return Discarded(clear, step, backward, below_loop) if backward is not None else None


def _backward_before_clear_in_loop(flow: Flow, clear: Event, step: Event) -> Event | None:
    """A backward that a loop repeats after a clear, where the step stands below the loop and uses nothing else."""
    run = clear.loops[-1] if clear.loops and clear.loops[:-1] == step.loops else None
    if run is None or not isinstance(run.node, ast.For) or clear.conditions[run.decided :]:
        return None
    fill = [f for f in gradients.fills_of(flow, step) if flow.path(f, to=step, avoiding=ClearsGrad.concerning(step))]
    inside = [b for b in fill if b.kind == "accumulates_grad" and run in b.loops and gradients.is_for(flow, b, step)]
    if fill != inside or any(run in e.loops for e in flow.events(AppliesGrad)):
        return None
    return next((b for b in inside if flow.path(b, to=clear, avoiding=AppliesGrad, within=run)), None)


def _are_set_by_hand(flow: Flow, found: Discarded) -> bool:
    """Does something set gradients in the loop, which may have kept those that are cleared?"""
    around: tuple[LoopRun, ...] = (found.step.loops or found.clear.loops)[-1:]
    return any(run in e.loops for e in flow.events(SetsGrad) for run in around)


# ------------------------------------------------------------------------------------------------ clears that are meant
def _is_meant(clear: Event, step: Event) -> bool:
    """Is a clear counted as the step is, does it give an iteration up, or belong to another setting than the step?"""
    return accumulation.is_counted(clear) or _gives_up(clear) or _are_apart_for_good(clear, step)


@cached()
def _gives_up(clear: Event) -> bool:
    """Does a branch that clears leave the iteration, or the loop: `if isnan(loss): optimizer.zero_grad(); continue`?"""
    branches = branches_around(clear.site.node, clear.function)
    return any(_abandons(branch, inner=i == 0) for i, branch in enumerate(branches))


def _abandons(branch: list[Node], *, inner: bool) -> bool:
    """Does a branch end the iteration: by `continue`, or by a `return` of a branch in which nothing is trained?"""
    if inner and isinstance(branch[-1], (ast.Continue, ast.Break)):
        return True
    trained = (n for s in branch for n in walk(s) if isinstance(n, ast.Attribute) and n.attr in ("backward", "step"))
    return isinstance(branch[-1], (ast.Return, ast.Continue, ast.Break)) and next(trained, None) is None


def _are_apart_for_good(clear: Event, step: Event) -> bool:
    """Do both stand in branches of one `if` whose test never changes: `if config.steps > 1: ... else: ...`?"""
    for test, holds, _ in clear.conditions:
        if any(other is test and so != holds for other, so, _ in step.conditions):
            bound = {name for run in step.loops for name in _bound_in(run.node, step.function)}
            return not any(isinstance(n, ast.Name) and n.id in bound for n in walk(test))
    return False


def _bound_in(loop: Node, function: FunctionScope) -> set[str]:
    """The names that a loop binds."""
    bindings = ((name, b) for name, found in function.bindings.items() for b in found if b.kind != "param")
    return {name for name, b in bindings if is_in_block(b.node, [loop])}
