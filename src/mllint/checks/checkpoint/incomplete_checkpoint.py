"""A run goes on at an epoch that it reads back, without the state of its optimizer or its schedule."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    Module,
    Role,
    Site,
    Stateful,
    averaged_weights,
    checkpoints,
    constructions,
    last_name,
    place,
    restoring,
    roles,
    saving,
    stateful,
    targets_of,
    walk,
)

__all__: list[str] = []

_AVERAGE = "after a resume, the average starts over: training does not continue where it stopped"
_WEIGHTS = "save the averaged weights as well, and load them when training resumes"

_WORDS = {Stateful.OPTIMIZER: "optimizer", Stateful.SCHEDULE: "scheduler"}

_AS_WELL = "save {} as well, and load it when training resumes"
_EITHER = "load {} when training resumes, and save it with the model if it is not saved yet"
_LOAD = "load the saved state as well, with `load_state_dict`, before training continues"
_WHY = {
    Stateful.OPTIMIZER: "",
    Stateful.SCHEDULE: (
        "after a resume, the schedule counts from zero again: training does not continue where it stopped"
    ),
}


@check("incomplete-checkpoint", near="load_state_dict")
def incomplete_checkpoint(module: Module) -> Iterator[Finding]:
    """A run goes on at an epoch that it reads back, without the state of its optimizer or its schedule."""
    loads, start = checkpoints.find_resumption(module)
    if start is None:
        return
    loads = [call for call in loads if _around(call, start)] or loads
    yield from _schedule_alone(module, loads, start)
    for kind in (k for k in Stateful if not any(_takes_along(load, k) for load in loads)):
        found = next(_starts_afresh(module, loads, start, kind), None)
        if found is not None:
            yield found
            return
    for load in loads:
        unread = restoring.find_unread_optimizer(load)
        if unread is not None:
            message = f"`{load.text}` restores the model, but not `{unread.value}`, which is passed in as well"
            at, notes = f"the state of `{unread.value}` is not restored", [_resumed(start)]
            help = _EITHER.format(f"the state of `{unread.value}`")
            yield Finding(load, message, at, notes, help=help, evidence=(unread,))
            return
    yield from _without_average(module, start)


def _starts_afresh(module: Module, loads: list[Call], start: Site, kind: Stateful) -> Iterator[Finding]:
    """The optimizer, or the schedule, has a state worth keeping that nothing reads back."""
    made_here = [
        call for call in stateful.find_constructions(module, kind) if not stateful.is_run_by_other_scheduler(call, kind)
    ]
    built = [
        c for c in made_here or stateful.find_outer_constructions(module, kind) if constructions.counts_steps(c.value)
    ]
    beside = [call for call in built if _around(call, start)]  # where there is one, no other is meant
    own = [call for call in beside or built if not stateful.are_unrelated(call.function, loads[0].function)]
    found = [call for call in own if stateful.has_resumable_state(call, kind, module)]
    made = next((c for c in found if not restoring.is_restored(module, kind, c if len(built) > 1 else None)), None)
    if made is not None and any(
        stateful.is_later_replacement(made, c) and restoring.is_restored(module, kind, c) for c in built
    ):
        return
    if not own and (state := restoring.find_state_never_restored(module, kind)) is not None:
        message = f"`{loads[0].text}` restores the model, but the saved `{state.text}` is never loaded"
        notes = [_resumed(start), Note(state, "saved here")]
        at = f"the {_WORDS[kind]} is not restored"
        yield Finding(_reported_load(loads[0]), message, at, notes, help=_LOAD, why=_WHY[kind])
    elif made is not None and not restoring.may_be_restored_by_unknown(module, kind, made):
        yield _without_state(module, loads, start, kind, made, several=len(built) > 1)


def _without_state(
    module: Module, loads: list[Call], start: Site, kind: Stateful, made: Call, *, several: bool
) -> Finding:
    """The finding about an object whose state is not read back: at what saves, if that leaves the state out. Of several
    objects, it is named, and reported where the model is restored whose parameters it holds."""
    save = next((call for call in saving.find_saves(module) if saving.lacks_state_of_kind(call, kind)), None)
    lost = (restoring.is_lost(module, kind, made),)
    places = targets_of(made.node, made.function)
    name = places[0] if len(places) == 1 else None
    advice = _AS_WELL.format(f"`{name}.state_dict()`" if name else f"the state of the {_WORDS[kind]}")
    notes = [_resumed(start), Note(made, f"the {_WORDS[kind]}")]
    if save is not None:
        message = f"training resumes from this checkpoint, but it does not contain the {_WORDS[kind]} state"
        return Finding(save, message, f"no {_WORDS[kind]} state", notes, help=advice, why=_WHY[kind], evidence=lost)
    if several and name:
        trained = constructions.parameters_of(made)
        load = next((c for c in loads if trained and place(getattr(c.node.func, "value", None)) == trained), loads[0])
        message = f"`{load.text}` restores the model, but nothing restores `{name}`"
        at, help = f"`{name}` is not restored", _EITHER.format(f"the state of `{name}`")
        return Finding(_reported_load(load), message, at, notes, help=help, why=_WHY[kind], evidence=lost)
    message, at = (
        f"`{loads[0].text}` restores the model, but not the {_WORDS[kind]}",
        f"the {_WORDS[kind]} is not restored",
    )
    help = _LOAD if saving.may_save_state_of(made, kind) else advice
    return Finding(_reported_load(loads[0]), message, at, notes, help=help, why=_WHY[kind], evidence=lost)


def _resumed(start: Site) -> Note:
    """The label of where a run goes on: at the loop, or where it is set how far the run had come."""
    loops = isinstance(start.node, ast.Call) and last_name(start.node.func) == "range"
    return Note(start, "training continues here" if loops else "sets where training resumes")


def _takes_along(load: Call, kind: Stateful) -> bool:
    """Is what restores the model handed such an object as well, and does it load something into what it is handed:
    `load_network(path, self.net, optimizer=self.optimizer_G)`?"""
    if load.last_name == "load_state_dict":
        return False
    names = [a.parameter for a in load.arguments if a.parameter and roles.speaks_of(last_name(a.node) or "", kind.role)]
    places = {place(c.func) for f in load.callees for c in f.calls}
    return any(f"{name}.load_state_dict" in places for name in names)


def _without_average(module: Module, start: Site) -> Iterator[Finding]:
    """What is saved, and gone on from, lacks the average of the weights, which starts afresh from the model's."""
    average = next(averaged_weights.find_unsaved_averages(module), None)
    save = (
        next(
            (c for c in saving.find_saves(module) if saving.lacks_state_of_kind(c, Stateful.SCHEDULE, averages=True)),
            None,
        )
        if average is not None
        else None
    )
    if average is not None and save is not None:
        notes = [_resumed(start), Note(average, "the average")]
        message = "training resumes from this checkpoint, but the averaged weights are not saved in it"
        yield Finding(save, message, "no averaged weights", notes, help=_WEIGHTS, why=_AVERAGE)


def _reported_load(load: Call) -> Call:
    """Where a load is reported: a helper that also says how far the run had come reads the checkpoint itself."""
    given = [n for f in load.callees for r in f.returns for n in walk(r) if isinstance(n, ast.Subscript)]
    tells = load.last_name != "load_state_dict" and any(checkpoints.is_progress_key(n.slice) for n in given)
    return checkpoints.find_inner_load_calls(load)[0] if tells else load


def _schedule_alone(module: Module, loads: list[Call], start: Site) -> Iterator[Finding]:
    """The state of the schedule is read back, and nothing in the project reads back that of the optimizer it is for."""
    schedule = next(
        (
            c
            for c in module.calls("load_state_dict")
            if roles.speaks_of(checkpoints.receiver_name(c.node), Role.SCHEDULE) and checkpoints.is_loaded_from_disk(c)
        ),
        None,
    )
    steps = [c for c in module.calls("step") if roles.speaks_of(checkpoints.receiver_name(c.node), Role.OPTIMIZER)]
    if schedule is None or not steps or restoring.is_restored(module, Stateful.OPTIMIZER, None):
        return
    if any(stateful.find_constructions(module, Stateful.OPTIMIZER)) or any(
        _handed_on_by_name(module, c) for c in steps
    ):
        return
    notes = [
        _resumed(start),
        Note(schedule, "the scheduler is restored"),
        Note(steps[0], "the optimizer"),
    ]
    message = f"`{loads[0].text}` restores the model, but not the optimizer"
    advice = _EITHER.format("the state of the optimizer")
    yield Finding(loads[0], message, "the optimizer is not restored", notes, help=advice)


def _handed_on_by_name(module: Module, step: Call) -> bool:
    """Does an unknown call get the optimizer of a step, and perhaps restore it?"""
    name = checkpoints.receiver_name(step.node)
    given = (
        c
        for c in module.calls()
        if any(last_name(a) == name for a in (*c.node.args, *(k.value for k in c.node.keywords)))
    )
    return any(c.callee.is_unknown for c in given)


def _around(call: Call, start: Site) -> bool:
    """Is an object built by the function in which the run goes on, or for the whole file?"""
    node = call.function.node
    return call.function.is_body or node.lineno <= start.line <= (node.end_lineno or 0)
