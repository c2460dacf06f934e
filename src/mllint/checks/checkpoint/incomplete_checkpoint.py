"""A run goes on at an epoch that it reads back, without the state of its optimizer or its schedule."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Module, Site, Stateful, last_name, unrestored

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
    for found in unrestored.find_unrestored(module):
        word, name, load = _WORDS[found.kind], found.name, found.load.text
        primary, why = f"the {word} is not restored", _WHY[found.kind]
        help = _AS_WELL.format(f"`{name}.state_dict()`" if name else f"the state of the {word}")
        match found.lost:
            case unrestored.Lost.OPTIMIZER_OF_SCHEDULE:
                message = f"`{load}` restores the model, but not the optimizer"
                help = _EITHER.format("the state of the optimizer")
            case unrestored.Lost.NEVER_LOADED:
                saved = found.about.text if found.about is not None else ""
                message, help = f"`{load}` restores the model, but the saved `{saved}` is never loaded", _LOAD
            case unrestored.Lost.NOT_SAVED:
                message = f"training resumes from this checkpoint, but it does not contain the {word} state"
                primary = f"no {word} state"
            case unrestored.Lost.NOT_RESTORED:
                message = f"`{load}` restores the model, but not the {word}"
                help = _LOAD if found.may_be_saved else help
            case unrestored.Lost.ONE_NOT_RESTORED:
                message = f"`{load}` restores the model, but nothing restores `{name}`"
                primary, help = f"`{name}` is not restored", _EITHER.format(f"the state of `{name}`")
            case unrestored.Lost.NOT_GIVEN:
                message = f"`{load}` restores the model, but not the {word}, which it is not given"
                help = f"pass {f'`{name}`' if name else f'the {word}'} as well when training resumes"
            case unrestored.Lost.GIVEN_NOT_RESTORED:
                message = f"`{load}` restores the model, but not `{name}`, which is passed in as well"
                primary, help = f"the state of `{name}` is not restored", _EITHER.format(f"the state of `{name}`")
            case unrestored.Lost.AVERAGE_NOT_SAVED:
                message = "training resumes from this checkpoint, but the averaged weights are not saved in it"
                primary, help, why = "no averaged weights", _WEIGHTS, _AVERAGE
        yield Finding(found.at, message, primary, _notes(found), help=help, why=why, evidence=found.evidence)


def _notes(found: unrestored.Unrestored) -> list[Note]:
    """Where the run goes on, and what it is about."""
    notes = [_resumed(found.start)]
    if found.about is not None:
        match found.lost:
            case unrestored.Lost.OPTIMIZER_OF_SCHEDULE:
                notes.append(Note(found.about, "the scheduler is restored"))
            case unrestored.Lost.NEVER_LOADED:
                notes.append(Note(found.about, "saved here"))
            case unrestored.Lost.AVERAGE_NOT_SAVED:
                notes.append(Note(found.about, "the average"))
            case _:
                notes.append(Note(found.about, f"the {_WORDS[found.kind]}"))
    return [*notes, Note(found.step, "the optimizer")] if found.step is not None else notes


def _resumed(start: Site) -> Note:
    """The label of where a run goes on: at the loop, or where it is set how far the run had come."""
    loops = isinstance(start.node, ast.Call) and last_name(start.node.func) == "range"
    return Note(start, "training continues here" if loops else "sets where training resumes")
