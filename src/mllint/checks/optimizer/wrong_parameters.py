"""Does an optimizer hold the parameters that the backward before its step computes gradients for?

Two models side by side (a generator and a discriminator, a student and a teacher, a network and its target) are easily
mistaken for each other where their optimizers are built. It shows in the flow: the backward of a step reaches a module
that was built here and that no optimizer holds, while the optimizer holds a module that the loss does not depend on, or
that another optimizer holds already. Leaving a part of a model out is often meant: that is for `_partial`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.checks.optimizer._partial import left_beside, left_out, unread_groups
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    ClearsGrad,
    Event,
    Flow,
    Freezes,
    OwnsLoop,
    holding,
    lifetimes,
    overlap,
    reach,
    records,
    text,
)

__all__: list[str] = []


@check("wrong-parameters")
def wrong_parameters(flow: Flow) -> Iterator[Finding]:
    """The optimizer holds the parameters of another model than the one that is trained."""
    yield from collected(flow)
    if not flow.complete or any(True for _ in flow.events(OwnsLoop)):
        return
    built = lifetimes.constructions(flow)
    held = {number: holding.held_by(made, steps) for number, (made, steps) in built.items()}
    if not held or None in held.values():
        return  # an optimizer of which it is not known what it holds
    ids = {i for found in held.values() for i in found or ()}
    yield from left_out(flow, built, ids)
    yield from thawed(flow, holding.handed_over(steps for _, steps in built.values()))
    if any(map(holding.hands_gradients, flow.frame.project.modules)):
        return
    confused = list(mistaken(flow, built, held))
    yield from confused or left_beside(flow, built, ids)


def mistaken(
    flow: Flow, built: dict[int, tuple[records.Built, list[Event]]], held: dict[int, set[int] | None]
) -> Iterator[Finding]:
    """The optimizers that hold another model than the one that the backwards before their steps train."""
    for number, (made, steps) in built.items():
        mine = held[number] or set()
        backwards = holding.filled_for(flow, steps)
        name = lifetimes.parameters_of(made.call)
        twin = next((m for n, (m, _) in built.items() if n != number and held[n] == mine), None)
        if not name or not backwards:
            continue
        forgotten = (
            holding.untrained(made, backwards, held, flow) if not any(b.subject.is_unknown for b in backwards) else None
        )
        if forgotten is None:
            others = {i for found in held.values() for i in found or ()}
            if twin is not None and all(holding.passes_by(flow, b, mine, others) for b in backwards):
                yield missed(made, name, twin, backwards[-1])
            continue
        trained, backward = forgotten
        reached = any(overlap(mine, holding.graph_of(b), flow.frame) for b in backwards)
        if not reached:
            note, idle = Note(backward, f"computes gradients for `{trained}`"), holding.beside(made, backward, flow)
            if idle is None:
                yield finding(made, name, trained, note)
            elif not any(c.concerns(idle) for c in flow.events(ClearsGrad)):  # else `backward-without-step` says so
                yield unstepped(made, name, trained, note, idle)
        elif twin is not None and len(built) > 1:
            yield finding(made, name, trained, Note(twin, f"`{name}` is held here already"))


def thawed(flow: Flow, held: set[int]) -> Iterator[Finding]:
    """What was frozen is to be trained again, but it is in none of the optimizers that take a step after that."""
    if flow.frame.project.calls_named("add_param_group"):
        return
    switches = list(flow.events(Freezes))
    for thaw in (e for e in switches if e.option is False):
        ids, more = reach(thaw.subject, thaw.frame)
        if more or not ids or overlap(ids, held, flow.frame) or holding.frozen_for_a_moment(thaw, flow):
            continue
        if any(
            overlap(ids, reach(given, made.frame)[0], flow.frame) for made, given in holding.given_to_optimizers(flow)
        ):
            continue  # whoever that optimizer is handed to takes its steps
        frozen_before = any(
            e.option is True and overlap(reach(e.subject, e.frame)[0], ids, flow.frame) and flow.path(e, to=thaw)
            for e in switches
        )
        step = flow.path(thaw, to=AppliesGrad) if frozen_before else None
        if step is not None:
            what = text(thaw.site.module, thaw.site.node, 50)
            message = f"`{what}` is for parameters that no optimizer holds: they stay as they are"
            yield Finding(thaw, message, "to be trained again", [Note(step.end, "updates other parameters")])


def collected(flow: Flow) -> Iterator[Finding]:
    """What the lists of parameters say that a function fills: asked once, whatever flows there are."""
    project = flow.frame.project
    if project.reach.memo.setdefault("collected parameters", id(flow.root)) == id(flow.root):
        for module in project.modules:
            if not {"parameters", "named_parameters"}.isdisjoint(module.calls_by_name):
                for function in module.functions:
                    if not isinstance(function.node, ast.Lambda):
                        yield from unread_groups(function)


def finding(made: records.Built, name: str, trained: str, note: Note) -> Finding:
    """The finding at the construction of an optimizer."""
    message = f"the optimizer holds the parameters of `{name}`, and no optimizer those of `{trained}`"
    return Finding(made, message, "another model", [note])


def unstepped(made: records.Built, name: str, trained: str, note: Note, idle: Event) -> Finding:
    """The finding where there is an optimizer for what is trained, and the step of another one is called."""
    message = (
        f"the optimizer holds the parameters of `{name}`, and the one of `{trained}`, which is trained, takes no step"
    )
    steps = "call the step() of the optimizer that holds the parameters which the loss is computed with"
    return Finding(made, message, "another model", [note, Note(idle, "takes no step")], help=steps)


def missed(made: records.Built, name: str, twin: records.Built, backward: Event) -> Finding:
    """The finding for the second of two optimizers of one model, before whose step no backward reaches that model."""
    what = text(backward.site.module, backward.site.node, 50)
    message = (
        f"two optimizers hold the parameters of `{name}`: before the step of this one `{what}` reaches none of them"
    )
    return Finding(made, message, "another model", [Note(twin, "held here already"), Note(backward, "reaches others")])
