"""What does a run go on without: which state is not read back where the epoch and the model are?

    state = torch.load(path)
    net.load_state_dict(state["net"])
    for epoch in range(state["epoch"], 90): ...        # and the momentum of the optimizer?

Where a run goes on is asked in `resuming`, what has a state worth keeping in `stateful`, what is saved in `saving`, and
what is read back in `restoring`. Here these answers meet: an optimizer or a schedule is built where the run goes on,
and nothing reads its state back; or that of the schedule is read and that of its optimizer is not; or a helper is given
the optimizer and restores the model alone; or nothing saves an average of the weights.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.nodes import last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.checkpoints import averaged_weights, restoring, resuming, saving, stateful
from mllint.semantics.training.checkpoints.resuming import Stateful
from mllint.semantics.training.evidence import Answer
from mllint.semantics.training.optimizers import constructions
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.lineage import targets_of

if TYPE_CHECKING:
    from mllint.semantics.flow.views import ModuleView
    from mllint.semantics.values.values import Site

__all__ = ["Lost", "Unrestored", "find_unrestored"]


class Lost(Enum):
    """How a state is lost."""

    OPTIMIZER_OF_SCHEDULE = "the schedule is restored, and its optimizer is not"
    NEVER_LOADED = "saved, and never loaded"
    NOT_SAVED = "not in the checkpoint"
    NOT_RESTORED = "not restored"
    ONE_NOT_RESTORED = "one of several is not restored"
    NOT_GIVEN = "a helper would restore it, and is not given it"
    GIVEN_NOT_RESTORED = "given to what restores the model, and not restored"
    AVERAGE_NOT_SAVED = "the average of the weights is not in the checkpoint"


class Unrestored(NamedTuple):
    """A state that a run goes on without."""

    lost: Lost
    kind: Stateful
    load: Call
    """What restores the model."""
    at: Call
    """Where to say so: what saves if it leaves the state out, else what reads the checkpoint."""
    start: Site
    """Where the run goes on."""
    about: Call | None = None
    """The construction of what has the state; what saves it; for `OPTIMIZER_OF_SCHEDULE` the load of the schedule."""
    name: str = ""
    """What the object is called, if it is known."""
    step: Call | None = None
    """For `OPTIMIZER_OF_SCHEDULE`: a step of the optimizer."""
    may_be_saved: bool = False
    """Whether something may save the state."""
    evidence: tuple[Answer[bool] | Answer[str], ...] = ()


def find_unrestored(module: ModuleView) -> Iterator[Unrestored]:
    """The states that the run of a file goes on without: the first optimizer, schedule or average, and what a schedule
    is for."""
    loads, start = resuming.find_resumption(module)
    if start is None:
        return
    loads = [call for call in loads if _is_around(call, start)] or loads
    yield from _optimizer_of_schedule(module, loads, start)
    for kind in (k for k in Stateful if not any(_restores_as_well(load, k) for load in loads)):
        found = _unrestored_of_kind(module, loads, start, kind)
        if found is not None:
            yield found
            return
    for load in loads:
        unread = restoring.find_unread_optimizer(load)
        if unread is not None:
            lost = Lost.GIVEN_NOT_RESTORED
            yield Unrestored(lost, Stateful.OPTIMIZER, load, load, start, name=unread.value, evidence=(unread,))
            return
    yield from _unsaved_average(module, loads, start)


# ------------------------------------------------------------------------------------------- an optimizer or a schedule
def _unrestored_of_kind(module: ModuleView, loads: list[Call], start: Site, kind: Stateful) -> Unrestored | None:
    """The optimizer, or the schedule, with a state worth keeping that nothing reads back."""
    made_here = [
        c for c in stateful.find_constructions(module, kind) if not stateful.is_run_by_other_scheduler(c, kind)
    ]
    candidates = made_here or stateful.find_outer_constructions(module, kind)
    built = [c for c in candidates if constructions.counts_steps(c.value)]
    around = [call for call in built if _is_around(call, start)]  # where there is one, no other is meant
    own = [call for call in around or built if not stateful.are_unrelated(call.function, loads[0].function)]
    found = [call for call in own if stateful.has_resumable_state(call, kind, module)]
    several = len(built) > 1
    made = next((c for c in found if not restoring.is_restored(module, kind, c if several else None)), None)
    if made is not None and any(
        stateful.is_later_replacement(made, c) and restoring.is_restored(module, kind, c) for c in built
    ):
        return None
    if not own and (state := restoring.find_state_never_restored(module, kind)) is not None:
        return Unrestored(Lost.NEVER_LOADED, kind, loads[0], _read_of(loads[0]), start, state)
    if made is None or restoring.may_be_restored_by_unknown(module, kind, made):
        return None
    return _without_state(module, loads, start, kind, made, several=several)


def _without_state(
    module: ModuleView, loads: list[Call], start: Site, kind: Stateful, made: Call, *, several: bool
) -> Unrestored:
    """What is lost of an object whose state is not read back: at what saves, if that leaves the state out. Of several
    objects, it is named, and reported where the model is restored whose parameters it holds.

    Args:
        module: the file in which the run goes on.
        loads: what restores its models.
        start: where it goes on.
        kind: what the object is.
        made: its construction.
        several: whether there are others of its kind.
    """
    evidence = (restoring.is_lost(module, kind, made),)
    places = targets_of(made.node, made.function)
    name = places[0] if len(places) == 1 else ""
    save = next((call for call in saving.find_saves(module) if saving.lacks_state_of_kind(call, kind)), None)
    if save is not None:
        return Unrestored(Lost.NOT_SAVED, kind, loads[0], save, start, made, name, evidence=evidence)
    if several and name:
        trained = constructions.parameters_of(made)
        own = (c for c in loads if trained and place(getattr(c.node.func, "value", None)) == trained)
        load = next(own, loads[0])
        return Unrestored(Lost.ONE_NOT_RESTORED, kind, load, _read_of(load), start, made, name, evidence=evidence)
    helped = next(filter(None, (_call_without(load, kind) for load in loads)), None)
    if helped is not None:
        return Unrestored(Lost.NOT_GIVEN, kind, helped, helped, start, made, name, evidence=evidence)
    saved = saving.may_save_state_of(made, kind)
    at = _read_of(loads[0])
    return Unrestored(Lost.NOT_RESTORED, kind, loads[0], at, start, made, name, may_be_saved=saved, evidence=evidence)


def _restores_as_well(load: Call, kind: Stateful) -> bool:
    """Is what restores the model handed such an object as well, and does it load something into what it is handed:
    `load_network(path, self.net, optimizer=self.optimizer_G)`?"""
    if load.last_name == "load_state_dict":
        return False
    names = [a.parameter for a in load.arguments if a.parameter and roles.speaks_of(last_name(a.node) or "", kind.role)]
    places = {place(c.func) for f in load.callees for c in f.calls}
    return any(f"{name}.load_state_dict" in places for name in names)


def _call_without(load: Call, kind: Stateful) -> Call | None:
    """The call of a helper that restores a model, and an object of a kind only if it is given one, which it is not."""
    helpers = [load.function] if load.last_name == "load_state_dict" else load.callees
    inner = (Call(n, load.project.frame(f)) for f in helpers for n in f.calls if last_name(n.func) == "load_state_dict")
    offered = (c for c in inner if roles.speaks_of(resuming.receiver_name(c.node), kind.role))
    if not any(map(restoring.is_passed_over, offered)):
        return None
    return load if load.last_name != "load_state_dict" else Call(*load.project.callers(load.function)[0])


def _read_of(load: Call) -> Call:
    """What reads the checkpoint for a load: a helper that also says how far the run had come reads it itself."""
    given = [n for f in load.callees for r in f.returns for n in walk(r) if isinstance(n, ast.Subscript)]
    tells = load.last_name != "load_state_dict" and any(resuming.is_progress_key(n.slice) for n in given)
    return resuming.find_inner_load_calls(load)[0] if tells else load


def _is_around(call: Call, start: Site) -> bool:
    """Does a call stand in the function in which the run goes on, or in the body of the file?"""
    node = call.function.node
    return call.function.is_body or node.lineno <= start.line <= (node.end_lineno or 0)


# --------------------------------------------------------------------------------- the optimizer of a restored schedule
def _optimizer_of_schedule(module: ModuleView, loads: list[Call], start: Site) -> Iterator[Unrestored]:
    """The state of the schedule is read back, and nothing in the project reads back that of the optimizer it is for."""
    restored = module.calls("load_state_dict")
    of_schedules = (c for c in restored if roles.speaks_of(resuming.receiver_name(c.node), Role.SCHEDULE))
    schedule = next((c for c in of_schedules if resuming.is_loaded_from_disk(c)), None)
    steps = [c for c in module.calls("step") if roles.speaks_of(resuming.receiver_name(c.node), Role.OPTIMIZER)]
    if schedule is None or not steps or restoring.is_restored(module, Stateful.OPTIMIZER, None):
        return
    built_here = any(stateful.find_constructions(module, Stateful.OPTIMIZER))
    if not built_here and not any(_is_given_to_unknown(module, c) for c in steps):
        lost = Lost.OPTIMIZER_OF_SCHEDULE
        yield Unrestored(lost, Stateful.OPTIMIZER, loads[0], loads[0], start, schedule, step=steps[0])


def _is_given_to_unknown(module: ModuleView, step: Call) -> bool:
    """Does an unknown call get the optimizer of a step, and perhaps restore it?"""
    name = resuming.receiver_name(step.node)
    given = (
        c
        for c in module.calls()
        if any(last_name(a) == name for a in (*c.node.args, *(k.value for k in c.node.keywords)))
    )
    return any(c.callee.is_unknown for c in given)


# ------------------------------------------------------------------------------------------------------------- averages
def _unsaved_average(module: ModuleView, loads: list[Call], start: Site) -> Iterator[Unrestored]:
    """What is saved, and gone on from, lacks the average of the weights, which starts afresh from the model's."""
    average = next(averaged_weights.find_unsaved_averages(module), None)
    saves = saving.find_saves(module) if average is not None else ()
    save = next((c for c in saves if saving.lacks_state_of_kind(c, Stateful.SCHEDULE, averages=True)), None)
    if average is not None and save is not None:
        yield Unrestored(Lost.AVERAGE_NOT_SAVED, Stateful.SCHEDULE, loads[0], save, start, average)
