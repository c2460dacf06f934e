"""Does an optimizer hold the parameters that the backward before its step computes gradients for?

    opt_d = Adam(generator.parameters())       # HOLDS_ANOTHER: the loss depends on the discriminator alone
    loss_d(discriminator(x)).backward()
    opt_d.step()

Two models side by side (a generator and a discriminator, a student and a teacher, a network and its target) are easily
mistaken for each other where their optimizers are built. It shows in the flow: the backward of a step reaches a module
that was built here and that no optimizer holds, while the optimizer holds a module that the loss does not depend on, or
that another optimizer holds already. Of two that hold the same one, the other is right where a backward for one of them
does not even reach it.

Leaving a part of a model out is often meant: it counts where that part is fresh (`parts`). Where an engine owns the
loop, where it is not known what an optimizer holds, or where gradients are copied from model to model, nothing is sure.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.flow import Identities
from mllint.semantics.flow.kinds import ClearsGrad, OwnsLoop
from mllint.semantics.syntax.sites import text
from mllint.semantics.training.optimizers import constructions, parameters, parts
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = ["Mismatch", "Wrong", "find_mismatches"]

_All = dict[int, constructions.Stepped]
"""All optimizers that a flow steps, by identity."""


class Wrong(Enum):
    """What is wrong with what an optimizer holds."""

    HOLDS_ANOTHER = "another model than is trained"
    HELD_TWICE = "a model that another optimizer holds already"
    OTHER_NEVER_STEPS = "another model than is trained, whose optimizer never steps"
    NOT_REACHED = "a model that another optimizer holds already, and that no backward before its steps reaches"
    LEAVES_OUT_PART = "not a part of its model that a loss depends on"
    LEAVES_OUT_MODEL = "not a model next to its own that a loss depends on"


class Mismatch(NamedTuple):
    """An optimizer that holds other parameters than gradients are computed for."""

    made: constructions.Built
    wrong: Wrong
    held: str
    """What it holds, by name; the whole model where a part is left out, empty where a model is."""
    trained: str
    """What gets gradients, by name; empty for `NOT_REACHED`."""
    backward: Event
    """What computes these gradients."""
    twin: constructions.Built | None = None
    """Another optimizer that holds the same."""
    idle: Event | None = None
    """The construction of the right optimizer, which never steps."""


def find_mismatches(flow: Flow) -> Iterator[Mismatch]:
    """The optimizers of a flow that hold other parameters than gradients are computed for."""
    if not flow.complete or any(True for _ in flow.events(OwnsLoop)):
        return
    built = constructions.constructions(flow)
    known = {number: parameters.identities_held_by(made, steps) for number, (made, steps) in built.items()}
    held = {number: found for number, found in known.items() if found is not None}
    if not held or len(held) < len(known):
        return  # an optimizer of which it is not known what it holds
    everything = Identities({i for found in held.values() for i in found}, flow.frame)
    yield from _parts_left_out(flow, built, everything)
    if any(map(parameters.transfers_gradients, flow.frame.project.modules)):
        return
    written = {number: (constructions.as_written(made), steps) for number, (made, steps) in built.items()}
    confused = list(_mistaken(flow, written, held, everything))
    yield from confused or _models_left_out(flow, built, everything)


# ---------------------------------------------------------------------------------------- one model in place of another
def _mistaken(flow: Flow, built: _All, held: dict[int, set[int]], everything: Identities) -> Iterator[Mismatch]:
    """The optimizers that hold another model than the one that the backwards before their steps train.

    Args:
        flow: a flow of which all events are known.
        built: the optimizers that are built in it, with their steps.
        held: what each of them holds.
        everything: what all of them hold.
    """
    doubled, certain = list[Mismatch](), set[str]()
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
                yield Mismatch(made, Wrong.NOT_REACHED, name, "", backwards[-1], twin)
            continue
        trained, model, backward = forgotten
        instead = _held_instead(made, model, Identities(mine, flow.frame), backwards)
        if instead:
            certain.add(trained)
            found = _with_its_optimizer(flow, Mismatch(made, Wrong.HOLDS_ANOTHER, instead, trained, backward))
            if found is not None:
                yield found
            continue
        twin = twin or next((m for n, (m, _) in built.items() if n != number and held[n] >= mine), None)
        if name and twin is not None and not parameters.has_optimizer(trained, made, flow):
            doubled.append(Mismatch(made, Wrong.HELD_TWICE, name, trained, backward, twin))
    yield from (double for double in doubled if double.trained not in certain)


def _held_instead(made: constructions.Built, trained: Value, held: Identities, backwards: list[Event]) -> str:
    """What an optimizer holds, by name, if the backwards before its steps do not reach it, or not the copy of what is
    trained that is part of it; else nothing.

    Args:
        made: the optimizer.
        trained: the model that they reach, and that no optimizer holds.
        held: what the optimizer holds.
        backwards: those whose gradients it applies.
    """
    owners = constructions.owners_of_parameters(made.call)
    graphs = [Identities(parameters.graph_of(b), made.call.frame) for b in backwards]
    copy = parameters.find_copy(trained, owners, made)
    if copy is not None and not any(copy[1].identities & graph.ids for graph in graphs):
        return copy[0]
    name = constructions.parameters_of(made.call) or "` and `".join(owners)
    return name if not any(held.meets(graph) for graph in graphs) else ""


def _with_its_optimizer(flow: Flow, found: Mismatch) -> Mismatch | None:
    """A mismatch with what is known of the right optimizer: that it never steps. None if that one is out of sight, so
    that it may step, or if it is cleared and never stepped, which is a question of `unstepped`."""
    idle = parameters.other_optimizer(found.made, found.backward, flow)
    if idle is None:
        return None if parameters.has_optimizer(found.trained, found.made, flow) else found
    if any(c.concerns(idle) for c in flow.events(ClearsGrad)):
        return None
    return found._replace(wrong=Wrong.OTHER_NEVER_STEPS, idle=idle)


# ------------------------------------------------------------------------------------------------------------- left out
def _parts_left_out(flow: Flow, built: _All, held: Identities) -> Iterator[Mismatch]:
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
            frame = made.call.frame
            fresh = ((name, part) for name, part in parts.parts_of(model, frame) if parts.is_fresh(part, frame))
            found = ((name, parts.find_backward_of_part(part, held, flow)) for name, part in fresh)
            left_out = next(((name, backward) for name, backward in found if backward is not None), None)
            if left_out is not None:
                owner = text(frame.module, node)
                yield Mismatch(made, Wrong.LEAVES_OUT_PART, owner, f"{owner}.{left_out[0]}", left_out[1])


def _models_left_out(flow: Flow, built: _All, held: Identities) -> Iterator[Mismatch]:
    """The first fresh model next to the one that an optimizer holds: a loss depends on it, and no optimizer holds it.

    Args:
        flow: a flow of which all events are known.
        built: the optimizers that are built in it, with their steps.
        held: what all of them hold.
    """
    if not parts.has_nothing_frozen_or_loaded(flow, built):
        return
    for made, _ in built.values():
        for name, model, frame in parts.siblings(made):
            backward = parts.find_backward_of_part(model, held, flow) if _is_fresh_model(model, frame) else None
            if (
                backward is not None
                and not parts.receives_other_weights(name, made)
                and parts.has_gradient_in_layers(model, backward, frame)
            ):
                yield Mismatch(made, Wrong.LEAVES_OUT_MODEL, "", name, backward)
                return


def _is_fresh_model(model: Value, frame: Frame) -> bool:
    """Is it of a class of the project, made of fresh layers or with weights of its own?"""
    if not isinstance(model, InstanceValue) or model.cls.module.is_stub:
        return False
    return parts.is_fresh(model, frame) or parts.has_weights(model, frame)
