"""Does an optimizer hold the parameters that the backward before its step computes gradients for?

Two models side by side (a generator and a discriminator, a student and a teacher, a network and its target) are easily
mistaken for each other where their optimizers are built. It shows in the flow: the backward of a step reaches a module
that was built here and that no optimizer holds, while the optimizer holds a module that the loss does not depend on, or
that another optimizer holds already. Leaving a part of a model out is often meant: it counts where that part is fresh.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    ClearsGrad,
    Event,
    Flow,
    FunctionScope,
    Identities,
    InstanceValue,
    Once,
    OwnsLoop,
    Site,
    Topic,
    Value,
    constructions,
    nodes_naming,
    parameters,
    parts,
    place,
    targets_of,
    tensor_methods,
    text,
    topics,
    walk,
)

__all__: list[str] = []

_ADD = "pass them to the optimizer as well, in a parameter group of their own if they need other settings"
_UNHELD = "parameters that no optimizer holds get gradients but never change"
_ONCE = Once()


@check("wrong-parameters")
def wrong_parameters(flow: Flow) -> Iterator[Finding]:
    """The optimizer holds the parameters of another model than the one that is trained."""
    yield from _collected(flow)
    if not flow.complete or any(True for _ in flow.events(OwnsLoop)):
        return
    built = constructions.constructions(flow)
    known = {number: parameters.identities_held_by(made, steps) for number, (made, steps) in built.items()}
    held = {number: found for number, found in known.items() if found is not None}
    if not held or len(held) < len(known):
        return  # an optimizer of which it is not known what it holds
    everything = Identities({i for found in held.values() for i in found}, flow.frame)
    yield from _missing_models(flow, built, everything)
    if any(map(parameters.transfers_gradients, flow.frame.project.modules)):
        return
    confused = list(_mistaken(flow, built, held, everything))
    yield from confused or _missing_siblings(flow, built, everything)


def _mistaken(
    flow: Flow, built: dict[int, constructions.Stepped], held: dict[int, set[int]], everything: Identities
) -> Iterator[Finding]:
    """The optimizers that hold another model than the one that the backwards before their steps train. Of two that hold
    the same one, the other is right where a backward for one of them does not even reach it."""
    doubled, certain = list[tuple[str, Finding]](), set[str]()
    twins, passing = parameters.twins(built, held), parameters.Passing(flow, everything)
    for number, (made, steps) in built.items():
        mine = held[number]
        name = constructions.parameters_of(made.call)
        twin = next((built[n][0] for n in twins[frozenset(mine)] if n != number), None)
        unheld = parameters.unheld_models(made, everything, flow)
        passed = passing.of(mine) if name and twin is not None else set()
        backwards = parameters.backwards_applied_by(flow, steps) if unheld or passed else []
        if not backwards:
            continue
        unknown = any(b.subject.is_unknown for b in backwards)
        forgotten = parameters.find_untrained_module(unheld, backwards, flow) if not unknown else None
        if forgotten is None:
            if twin is not None and passed.issuperset(backwards):
                yield _missed(made, name, twin, backwards[-1])
            continue
        trained, model, backward = forgotten
        instead = _held_instead(made, model, Identities(mine, flow.frame), backwards)
        if instead:
            certain.add(trained)
            note = Note(backward, f"computes gradients for `{trained}`")
            idle = parameters.other_optimizer(made, backward, flow)
            if idle is not None:
                if not any(c.concerns(idle) for c in flow.events(ClearsGrad)):  # else `backward-without-step` says so
                    yield _unstepped(made, instead, trained, note, idle)
            elif not parameters.has_optimizer(trained, made, flow):
                yield _finding(made, instead, trained, note)
            continue
        twin = twin or next((m for n, (m, _) in built.items() if n != number and held[n] >= mine), None)
        if name and twin is not None and not parameters.has_optimizer(trained, made, flow):
            doubled.append((trained, _finding(made, name, trained, Note(twin, f"`{name}` is held here already"))))
    yield from (double for trained, double in doubled if trained not in certain)


def _held_instead(made: constructions.Built, trained: Value, held: Identities, backwards: list[Event]) -> str:
    """What an optimizer holds, by name, if the backwards before its steps do not reach it, or not the copy of what is
    trained that is part of it; else nothing."""
    owners = constructions.owners_of_parameters(made.call)
    graphs = [Identities(parameters.graph_of(b), made.call.frame) for b in backwards]
    copy = parameters.find_copy(trained, owners, made)
    if copy is not None and not any(copy[1].identities & graph.ids for graph in graphs):
        return copy[0]
    name = constructions.parameters_of(made.call) or "` and `".join(owners)
    return name if not any(held.meets(graph) for graph in graphs) else ""


def _collected(flow: Flow) -> Iterator[Finding]:
    """What the lists of parameters say that a function fills: asked once, whatever flows there are."""
    project = flow.frame.project
    if _ONCE.is_of(flow.root, project):
        for module in project.modules:
            if not tensor_methods.LISTS_PARAMETERS.isdisjoint(module.calls_by_name):
                for function in module.functions:
                    if not isinstance(function.node, ast.Lambda):
                        yield from _unread_groups(function)


def _finding(made: constructions.Built, name: str, trained: str, note: Note) -> Finding:
    """The finding at the construction of an optimizer."""
    message = f"the optimizer holds the parameters of `{name}`, and no optimizer holds those of `{trained}`"
    return Finding(made, message, "another model", [note])


def _unstepped(made: constructions.Built, name: str, trained: str, note: Note, idle: Event) -> Finding:
    """The finding where there is an optimizer for what is trained, and the step of another one is called."""
    message = f"the optimizer holds the parameters of `{name}`, and the optimizer of `{trained}` never steps"
    targets = targets_of(idle.call, idle.function) if isinstance(idle.call, ast.Call) else []
    held_by = f"`{targets[0]}`, which" if len(targets) == 1 else "the optimizer that"
    steps = f"call `zero_grad()` and `step()` on {held_by} holds the parameters of `{trained}`"
    return Finding(made, message, "another model", [note, Note(idle, "never steps")], help=steps)


def _missed(made: constructions.Built, name: str, twin: constructions.Built, backward: Event) -> Finding:
    """The finding for the second of two optimizers of one model, before whose step no backward reaches that model."""
    what = text(backward.site.module, backward.site.node, 50)
    message = f"a second optimizer holds the parameters of `{name}`, but `{what}` does not reach them"
    return Finding(
        made, message, "another model", [Note(twin, "held here already"), Note(backward, "reaches other parameters")]
    )


def _missing_models(flow: Flow, built: dict[int, constructions.Stepped], held: Identities) -> Iterator[Finding]:
    """The fresh parts of a model that a loss depends on and no optimizer holds, though one holds another part of it.

    Args:
        flow: a flow of which all events are known.
        built: the optimizers that are built in it, with their steps.
        held: what all of them hold.
    """
    if not parts.has_nothing_frozen_or_loaded(flow, built):
        return
    for made, _ in built.values():
        for node, model in parts.owners_of_parts(made):
            for name, part in parts.parts_of(model, made.call.frame):
                backward = (
                    parts.find_backward_of_part(part, held, flow) if parts.is_fresh(part, made.call.frame) else None
                )
                if backward is not None:
                    owner = text(made.call.frame.module, node)
                    message = f"the optimizer holds only a part of `{owner}`: nothing trains `{owner}.{name}`"
                    yield Finding(
                        made,
                        message,
                        "a part is left out",
                        [Note(backward, f"computes gradients for `{owner}.{name}`")],
                        help=_ADD,
                        why=_UNHELD,
                    )
                    break


def _missing_siblings(flow: Flow, built: dict[int, constructions.Stepped], held: Identities) -> Iterator[Finding]:
    """A fresh model next to the one that an optimizer holds: a loss depends on it, and no optimizer holds it."""
    if not parts.has_nothing_frozen_or_loaded(flow, built):
        return
    for made, _ in built.values():
        for name, model, frame in parts.siblings(made):
            own = model if isinstance(model, InstanceValue) and not model.cls.module.is_stub else None
            fresh = own is not None and (parts.is_fresh(own, frame) or parts.has_weights(own, frame))
            backward = parts.find_backward_of_part(model, held, flow) if fresh else None
            if (
                backward is not None
                and not parts.receives_other_weights(name, made)
                and parts.has_gradient_in_layers(model, backward, frame)
            ):
                message = f"no optimizer holds the parameters of `{name}`, which the loss is computed with"
                notes = [Note(backward, f"computes gradients for `{name}`")]
                yield Finding(made, message, f"leaves out `{name}`", notes, help=_ADD, why=_UNHELD)
                return


# ------------------------------------------------------------------------------------------------------ two lists
def _unread_groups(function: FunctionScope) -> Iterator[Finding]:
    """Parameters of a model are sorted into two lists, and one of them is never read."""
    if function.called_names.isdisjoint(tensor_methods.LISTS_PARAMETERS):
        return
    loops = [r.node for r in function.loops if isinstance(r.node, ast.For)]
    sorted_by = [
        parts.filled_lists(loop, item)
        for loop in loops
        if (item := parts.parameter_of(loop)) and not parts.sets_requires_grad(loop)
    ]
    for filled in (*sorted_by, parts.find_conditional_lists(function)):
        unread = [name for name in filled if not parts.is_read(name, function)] if len(filled) > 1 else []
        if len(unread) == 1:
            other = next(name for name in filled if name != unread[0])
            message = f"the parameters in `{unread[0]}` are passed to no optimizer: only those in `{other}` are trained"
            yield Finding(
                Site(function.module, filled[unread[0]]), message, "collected, never used", help=_ADD, why=_UNHELD
            )
    yield from _without_rest(function)


def _without_rest(function: FunctionScope) -> Iterator[Finding]:
    """The group of the parameters that are to decay is written out, and none of those that are not to."""
    named = nodes_naming("weight_decay", function) if "any" in function.called_names else ()
    groups = [n for n in named if isinstance(n, ast.Dict) and any(_is_decay(key) for key in n.keys)]
    if not groups:
        return
    chosen = [
        n
        for s in function.body
        for n in walk(s)
        if isinstance(n, ast.ListComp) and parts.find_parameter_condition(n) is not None
    ]
    if len(chosen) != 1:
        return
    match parts.find_parameter_condition(chosen[0]):
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() as names])):
            among = names.generators[0].iter
            for group in groups:
                inside = any(v is chosen[0] for v in group.values)
                if inside and topics.is_about(place(among) or "", Topic.DECAYING):
                    message = (
                        f"the parameters that `{place(among)}` names are in no parameter group: nothing trains them"
                    )
                    yield Finding(
                        Site(function.module, chosen[0]), message, "without these parameters", help=_ADD, why=_UNHELD
                    )


def _is_decay(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "weight_decay"
