"""Are gradients computed for an optimizer that nothing ever steps?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    ClearsGrad,
    Event,
    Flow,
    FunctionScope,
    Kind,
    OwnsLoop,
    Role,
    Site,
    UpdatesScale,
    gradients,
    inherits,
    last_name,
    roles,
    shown,
    stepping,
    unapplied,
    walk,
)

__all__: list[str] = []

_OF_ONE = "gradients are computed and never applied: the weights of this optimizer keep their initial values"
_IN_BRANCH = "this branch computes gradients and never applies them: the weights change only when the other branch runs"


@check("backward-without-step")
def backward_without_step(flow: Flow) -> Iterator[Finding]:
    """An optimizer clears gradients that a backward fills again, and nothing ever steps it."""
    steps = [*flow.events(AppliesGrad), *flow.events(OwnsLoop)]
    reported = set[str]()
    yield from _left_unapplied(flow)
    for clear in flow.events(ClearsGrad):
        optimizer = stepping.find_cleared_optimizer(flow, clear)
        repeated = (
            clear.loops
            or unapplied.is_update(clear, flow)
            or _handed_over(clear)
            or stepping.is_of_its_class(clear, optimizer)
        )
        if _in_optimizer(clear) or not repeated:
            continue
        if any(owner.concerns(clear) is not False for owner in flow.events(OwnsLoop)):
            continue  # an engine was built around it
        if optimizer is None:
            yield from _unstepped(flow, clear)
            continue
        if any(s.subject.same_as(optimizer) is not False for s in steps) or stepping.may_be_stepped_elsewhere(
            flow, clear
        ):
            continue
        steppers = (Call(*c) for c in stepping.calls_of_step(flow, "")) if optimizer is not clear.subject else ()
        if any(stepping.may_step_optimizer(c) and stepping.may_be(c, "", clear, optimizer) for c in steppers):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if _is_unapplied(flow, b, clear, steps)), None)
        if backward is not None and not _names_step(backward):
            name = shown(clear).partition(".zero_grad")[0]
            reported.add(name)
            yield _unapplied(backward, clear, name, of_model=optimizer is not clear.subject)
    for wasted, site, name, why in _never_stepped(flow, reported, steps):
        message = f"gradients are computed for `{name}`, but its `step()` is never called"
        notes, help = [Note(site, f"built here, {why}")], f"call `{name}.step()` after `backward()`"
        yield Finding(wasted, message, "never applied", notes, help=help, why=_OF_ONE)


def _left_unapplied(flow: Flow) -> Iterator[Finding]:
    """The gradients of a function for one batch that are applied nowhere, or in another branch only."""
    for wasted, again, name in unapplied.find_unapplied_backwards(flow):
        message = f"gradients are computed for `{name}`, but its `step()` is never called"
        yield Finding(wasted, message, "never applied", [Note(again, "zeroed here")])
    for wasted, again, step, name in unapplied.find_steps_in_other_branch(flow):
        message = f"gradients are computed for `{name}`, but its `step()` is called in the other branch only"
        notes = [Note(again, "zeroed here"), Note(step, "`step()` runs only here")]
        help = f"call `{name}.step()` in this branch too"
        yield Finding(wasted, message, "not applied in this branch", notes, help=help, why=_IN_BRANCH)


def _never_stepped(flow: Flow, reported: set[str], steps: list[Event]) -> Iterator[tuple[Event, Site, str, str]]:
    """A backward, where an optimizer for it was built, its name, and what was asked of it instead of steps."""
    for made, name in stepping.find_only_cleared_optimizers(flow):
        if name in reported or any(flow.events(OwnsLoop)) or gradients.is_read_elsewhere(made.function):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops and b.function is made.function), None)
        if backward is not None:
            yield backward, made.site, name, "only ever zeroed"
    for made, name in stepping.find_unread_optimizers(flow):
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops and b.concerns(made) is True), None)
        if backward is not None and not any(s.concerns(made) is not False for s in steps):
            yield backward, made.site, name, "and never used"
    for wasted, site, name in unapplied.find_unread_class_optimizers(flow):
        yield wasted, site, f"self.{name}", "and never used"


def _handed_over(clear: Event) -> bool:
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


def _in_optimizer(event: Event) -> bool:
    """Is it written in a method of an optimizer of the project's own, whose step may be in pieces?"""
    owner = event.function.owner
    return owner is not None and inherits(owner, "torch.optim.Optimizer")


def _is_unapplied(flow: Flow, backward: Event, clear: Event, steps: list[Event]) -> bool:
    """Is the backward for the optimizer that is cleared, and applied by no other?"""
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
    applied = [s for s in steps if s.concerns(backward) is not False and not (mine and _is_another(s, clear))]
    if any(flow.path(backward, to=s, back=False, avoiding=(clear, ClearsGrad.concerning(s))) for s in applied):
        return False
    below = not clear.loops and flow.path(backward, to=clear, back=False) is not None
    return below or flow.path(clear, to=backward) is not None


def _names_step(backward: Event) -> bool:
    """Does `optimizer.step` stand next to a backward, without its parentheses? Another rule says so."""
    return any(isinstance(e, ast.Attribute) and e.attr == "step" for e in backward.function.expressions)


def _is_another(step: Event, clear: Event) -> bool:
    """Is it the step of an optimizer, and no engine, that is known to hold other parameters than those cleared?"""
    return step.subject.instance_of("torch.optim.Optimizer") and step.concerns(clear) is False


def _unstepped(flow: Flow, clear: Event) -> Iterator[Finding]:
    """The same for an optimizer that is known by its name only."""
    backward, name = stepping.find_never_stepped_backward(flow, clear), shown(clear).partition(".zero_grad")[0]
    of_model = backward is not None and clear.subject.instance_of("torch.nn.Module")
    if backward is None:
        backward, name = stepping.find_forgotten_optimizer(flow, clear)
    if backward is None or any(isinstance(e, ast.Attribute) and e.attr == "step" for e in clear.function.expressions):
        return  # `optimizer.step` without its parentheses: another rule says so
    if not gradients.is_read_elsewhere(backward.function):
        yield _unapplied(backward, clear, name, of_model=of_model)


def _unapplied(backward: Event, clear: Event, name: str, *, of_model: bool) -> Finding:
    """The finding for gradients that are cleared, by their optimizer or through their model, and never applied."""
    whose = "the `step()` of its optimizer" if of_model else "its `step()`"
    message = f"gradients are computed for `{name}`, but {whose} is never called"
    return Finding(backward, message, "never applied", [Note(clear, "zeroed here")])
