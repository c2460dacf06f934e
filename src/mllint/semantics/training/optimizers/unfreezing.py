"""Is what is unfrozen trained by an optimizer from then on?

    for p in net.body.parameters(): p.requires_grad = False
    optimizer = Adam(p for p in net.parameters() if p.requires_grad)  # `_takes_trainable`: without the body
    ...
    for p in net.body.parameters(): p.requires_grad = True            # `find_untrained_unfrozen`: no steps

An optimizer holds what it was given when it was built. One that was given everything holds the frozen part, too, and
trains it as soon as it has gradients; one that was given what was trainable then, or another part, never does. Where
parameters are handed over later (`add_param_group`), or an optimizer is built again, nothing is wrong. A part of an
unknown whole, as one that a loop over `children()` draws, may be in any of them; what a loop draws from a part that has
a name, or from a slice of it, belongs to that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.flow import Event, Flow, share_identities
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Creates, Freezes
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.training.optimizers import constructions
from mllint.semantics.training.optimizers.parameters import (
    graph_of,
    is_frozen_temporarily,
    may_train,
    parameters_of_optimizers,
)
from mllint.semantics.values.classes import was_built_with
from mllint.semantics.values.lineage import Origin, origins

__all__ = ["find_untrained_unfrozen"]


def find_untrained_unfrozen(flow: Flow, held: set[int]) -> Iterator[tuple[Event, Event, constructions.Built | None]]:
    """What is unfrozen for good, and trained by none of the optimizers that step after that.

    Args:
        flow: the flow.
        held: the identities of what the optimizers that step were given.

    Yields:
        The thaw, a step after it, and the optimizer that was built without what was frozen; None for that where no
        optimizer was ever given the parameters.
    """
    if flow.frame.project.calls_named("add_param_group"):
        return
    for thaw in (e for e in flow.events(Freezes) if e.option is False and _is_certain(e)):
        ids, more = reach(thaw.subject, thaw.frame)
        if more or not ids or is_frozen_temporarily(thaw, flow) or not _was_frozen(thaw, ids, thaw, flow):
            continue
        if _is_given(ids, held, flow):
            yield from _passed_by(thaw, ids, flow)
            continue
        trained = any(
            share_identities(ids, graph_of(backward), flow.frame) for backward in flow.events(AccumulatesGrad)
        )
        step = flow.path(thaw, to=[s for s in flow.events(AppliesGrad) if may_train(s)]) if trained else None
        if step is not None:
            yield thaw, step.end, None


def _is_certain(thaw: Event) -> bool:
    """Is it `requires_grad_()` or `requires_grad = True`, and not a setting that is only known when it runs?"""
    given = thaw.argument("requires_grad")
    return given is None or given.truth is True


def _is_given(ids: set[int], held: set[int], flow: Flow) -> bool:
    """Was an optimizer given these parameters, whoever takes its steps: as they are, or in a module that was built with
    what owns them?"""
    given = [reach(params, made.frame) for made, params in parameters_of_optimizers(flow)]
    known = held.union(*(one for one, _ in given))
    if any(more for _, more in given) or share_identities(ids, known, flow.frame):
        return True
    return any(was_built_with(made.subject, ids) for made in flow.events(Creates) if made.subject.identities & known)


def _was_frozen(at: Event, ids: set[int], thaw: Event, flow: Flow) -> bool:
    """Have parameters been frozen when something happens, and not been unfrozen in between?"""
    others = [e for e in flow.events(Freezes) if e.option is False and (at is not thaw or e is not thaw)]
    frozen = (e for e in flow.events(Freezes) if e.option is True)
    frozen = (e for e in frozen if share_identities(reach(e.subject, e.frame)[0], ids, flow.frame))
    return any(flow.path(e, to=at, avoiding=None if at is thaw else others) for e in frozen)


def _passed_by(thaw: Event, ids: set[int], flow: Flow) -> Iterator[tuple[Event, Event, constructions.Built | None]]:
    """The one optimizer of the parameters, if it was built of what was trainable while they were frozen."""
    made = [
        m
        for m, params in parameters_of_optimizers(flow)
        if share_identities(ids, reach(params, m.frame)[0], flow.frame)
    ]
    built = [(b, steps) for b, steps in constructions.constructions(flow).values() if b.event in made]
    if len(made) != 1 or len(built) != 1:
        return  # another one may train them
    (one, steps), event = built[0], made[0]
    if _takes_trainable(one.call) and _was_frozen(event, ids, thaw, flow) and flow.path(event, to=thaw):
        others = [e for e in flow.events(Creates) if e.subject.instance_of(OPTIMIZER)]
        step = flow.path(thaw, to=steps, avoiding=others)
        if step is not None:
            yield thaw, step.end, one


def _takes_trainable(made: Call) -> bool:
    """Is an optimizer built of those parameters alone that ask for gradients at that time?"""
    given = made.argument("params")
    nodes = [o.node for o in origins(given.node, given.frame, through=_is_passed_on)] if given is not None else []
    chosen = {id(n) for node in nodes if _filters_by_requires_grad(node) for n in walk(node)}
    filters = [n for node in nodes for n in walk(node) if _is_parameters_call(n)]
    return bool(filters) and all(id(n) in chosen for n in filters)


def _is_passed_on(origin: Origin) -> bool:
    return isinstance(origin.node, (ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.Dict)) or (
        isinstance(origin.node, ast.Call) and isinstance(origin.node.func, ast.Name) and origin.node.func.id == "list"
    )


def _is_parameters_call(node: Node) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="parameters" | "named_parameters")):
            return True
    return False


def _filters_by_requires_grad(node: Node) -> bool:
    """Is it `filter(lambda p: p.requires_grad, ...)`, `[p for p in ... if p.requires_grad]`?"""
    match node:
        case ast.Call(func=ast.Name(id="filter"), args=[ast.Lambda(body=test), _]):
            return _is_tested(test)
        case ast.ListComp(generators=[turn]) | ast.GeneratorExp(generators=[turn]):
            return any(_is_tested(part) for test in turn.ifs for part in _conjuncts(test))
    return False


def _conjuncts(test: Node) -> list[Node]:
    return list(test.values) if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _is_tested(test: Node) -> bool:
    return (place(test) or "").endswith(".requires_grad")
