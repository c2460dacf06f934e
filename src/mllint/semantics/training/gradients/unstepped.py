"""For which optimizer are gradients computed, and no step ever applies them?

Sure signs are: each iteration clears the gradients, through the optimizer or its model, and a backward fills them again
(`unapplied` reads the form of one loop, this module the flow), or an optimizer was built and is only ever zeroed, or
not used at all.

A step may be out of sight: in an engine that owns the loop, in what the optimizer or the function is handed to, in a
method that another object calls (`stepping` answers that), or in the optimizer itself, where the project has written
one. Whoever reads the gradients wants them for something else than a step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, OwnsLoop, UpdatesScale
from mllint.semantics.flow.views import Call, shown
from mllint.semantics.libraries.classes import MODULE, OPTIMIZER
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import last_name, walk
from mllint.semantics.training import roles
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.gradients import stepping, unapplied
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.values import inherits

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, Kind
    from mllint.semantics.values.values import Site, Value

__all__ = ["How", "Unstepped", "find_unstepped"]


class How(Enum):
    """What is done with an optimizer in place of steps."""

    CLEARED = "cleared"
    CLEARED_BY_MODEL = "cleared by its model"
    STEPPED_IN_OTHER_BRANCH = "stepped in the other branch"
    ONLY_CLEARED = "only ever cleared"
    UNUSED = "never used"


class Unstepped(NamedTuple):
    """Gradients that are computed and never applied."""

    backward: Event
    name: str
    """What the optimizer, or the model, is called."""
    how: How
    at: Event | Site
    """Where its gradients are cleared, or where it was built if that is all that is known of it."""
    step: Event | None = None
    """Where it is stepped, in the other branch."""


def find_unstepped(flow: Flow) -> Iterator[Unstepped]:
    """The gradients of a flow that no step ever applies."""
    for backward, clear, name in unapplied.find_unapplied_backwards(flow):
        yield Unstepped(backward, name, How.CLEARED, clear)
    for backward, clear, step, name in unapplied.find_steps_in_other_branch(flow):
        yield Unstepped(backward, name, How.STEPPED_IN_OTHER_BRANCH, clear, step)
    steps = [*flow.events(AppliesGrad), *flow.events(OwnsLoop)]
    reported = set[str]()
    for clear in flow.events(ClearsGrad):
        optimizer = stepping.find_cleared_optimizer(flow, clear)
        if not _is_repeated(flow, clear, optimizer) or any(o.concerns(clear) is not False for o in _owners(flow)):
            continue
        if optimizer is None:
            found = _cleared_by_name(flow, clear)
        elif found := _cleared(flow, clear, optimizer, steps):
            reported.add(found.name)
        if found is not None:
            yield found
    yield from _never_read(flow, reported, steps)


def _owners(flow: Flow) -> Iterator[Event]:
    """The engines that were built around something, and call its steps themselves."""
    return flow.events(OwnsLoop)


# --------------------------------------------------------------------------------------------- cleared, and not stepped
def _is_repeated(flow: Flow, clear: Event, optimizer: Value | None) -> bool:
    """Is a clear part of an update that is repeated, and not one of an optimizer of the project's own, whose step may
    be in pieces?"""
    owner = clear.function.owner
    if owner is not None and inherits(owner, OPTIMIZER):
        return False
    return (
        bool(clear.loops)
        or unapplied.is_update(clear, flow)
        or _is_step_of_engine(clear)
        or stepping.is_of_its_class(clear, optimizer)
    )


def _is_step_of_engine(clear: Event) -> bool:
    """Is it a function that the one around it, or the script, hands on, as the step of an engine: `cls(step=step)`?"""
    function = unapplied.step_function(clear)
    home = function.parent
    if not isinstance(home, FunctionScope) or function.owner is not None:
        return False
    others = [
        c
        for c in home.calls
        if last_name(c.func) != "step" and not roles.has_role_name(last_name(c.func), Role.SCHEDULE)
    ]
    given = [a for c in others for a in (*c.args, *(k.value for k in c.keywords))]
    optimizer = shown(clear).partition(".")[0]
    if home.is_body and any(isinstance(n, ast.Name) and n.id == optimizer for a in given for n in walk(a)):
        return False  # whoever gets it may step
    return any(isinstance(a, ast.Name) and a.id == function.name for a in given)


def _cleared(flow: Flow, clear: Event, optimizer: Value, steps: list[Event]) -> Unstepped | None:
    """What is cleared, and filled again, of an optimizer whose construction is known."""
    if any(s.subject.same_as(optimizer) is not False for s in steps):
        return None
    if stepping.may_be_stepped_elsewhere(flow, clear):
        return None
    of_model = optimizer is not clear.subject
    steppers = (Call(*c) for c in stepping.calls_of_step(flow, "")) if of_model else ()
    if any(stepping.may_step_optimizer(c) and stepping.may_be(c, "", clear, optimizer) for c in steppers):
        return None
    backward = next((b for b in flow.events(AccumulatesGrad) if _is_unapplied(flow, b, clear, steps)), None)
    if backward is None or _names_step(backward.function):
        return None
    return Unstepped(backward, _cleared_name(clear), How.CLEARED_BY_MODEL if of_model else How.CLEARED, clear)


def _cleared_by_name(flow: Flow, clear: Event) -> Unstepped | None:
    """The same for an optimizer that is known by its name only."""
    backward, name = stepping.find_never_stepped_backward(flow, clear), _cleared_name(clear)
    of_model = backward is not None and clear.subject.instance_of(MODULE)
    if backward is None:
        backward, name = stepping.find_forgotten_optimizer(flow, clear)
    if backward is None or _names_step(clear.function) or gradients.is_read_elsewhere(backward.function):
        return None
    return Unstepped(backward, name, How.CLEARED_BY_MODEL if of_model else How.CLEARED, clear)


def _cleared_name(clear: Event) -> str:
    """What is written before `.zero_grad()`."""
    return shown(clear).partition(".zero_grad")[0]


def _names_step(function: FunctionScope) -> bool:
    """Does `optimizer.step` stand in a function without its parentheses? That is a question of `uncalled`."""
    return any(isinstance(e, ast.Attribute) and e.attr == "step" for e in function.expressions)


def _is_unapplied(flow: Flow, backward: Event, clear: Event, steps: list[Event]) -> bool:
    """Is a backward for the optimizer that is cleared, and applied by no other?

    Args:
        flow: what both are part of.
        backward: what may fill its gradients.
        clear: what clears them.
        steps: all steps of the flow, and the engines that may take some.
    """
    others = [c for c in flow.events(ClearsGrad) if not c.subject.same_as(clear.subject)]
    if (clear.loops and clear.loops[-1] not in backward.loops) or backward.concerns(clear) is False:
        return False
    between: tuple[Event | Kind, ...] = (*others, AppliesGrad)
    if others and backward.concerns(clear) is None and not flow.path(clear, to=backward, avoiding=between):
        return False  # it may be for another, which was cleared in between
    scaled = any(e.loops == backward.loops for e in flow.events(UpdatesScale))
    if not scaled and gradients.is_read_elsewhere(backward.function):
        return False  # whoever reads gradients wants them for something else
    mine = backward.concerns(clear) is True
    applied = [s for s in steps if s.concerns(backward) is not False and not (mine and _holds_others(s, clear))]
    if any(flow.path(backward, to=s, back=False, avoiding=(clear, ClearsGrad.concerning(s))) for s in applied):
        return False
    below = not clear.loops and flow.path(backward, to=clear, back=False) is not None
    return below or flow.path(clear, to=backward) is not None


def _holds_others(step: Event, clear: Event) -> bool:
    """Is it the step of an optimizer, and no engine, that is known to hold other parameters than those cleared?"""
    return step.subject.instance_of(OPTIMIZER) and step.concerns(clear) is False


# ------------------------------------------------------------------------------------------------ built, and never read
def _never_read(flow: Flow, reported: set[str], steps: list[Event]) -> Iterator[Unstepped]:
    """The optimizers that were built and are only cleared, or not used at all, where a loop has a backward for them.

    Args:
        flow: where they were built.
        reported: the names of those of which it is known already.
        steps: all steps of the flow, and the engines that may take some.
    """
    for made, name in stepping.find_only_cleared_optimizers(flow):
        if name in reported or any(_owners(flow)) or gradients.is_read_elsewhere(made.function):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops and b.function is made.function), None)
        if backward is not None:
            yield Unstepped(backward, name, How.ONLY_CLEARED, made.site)
    for made, name in stepping.find_unread_optimizers(flow):
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops and b.concerns(made) is True), None)
        if backward is not None and not any(s.concerns(made) is not False for s in steps):
            yield Unstepped(backward, name, How.UNUSED, made.site)
    for backward, built, name in unapplied.find_unread_class_optimizers(flow):
        yield Unstepped(backward, f"self.{name}", How.UNUSED, built)
