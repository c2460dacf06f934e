"""Fixes of the family `checkpoint`: what is saved of a run beside its weights, and read back.

torch.save({"model": net.state_dict(), ...})   one more entry behind the model's, named as that one is
net.load_state_dict(state["model"])            a line behind it that reads the new entry

All states that are missing are added at once: with one of them the run would still not be the one that was interrupted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from mllint.fixes.edits import Change, after, around_call, replaced, segment, spot, statement
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import (
    Call,
    Module,
    Site,
    Stateful,
    bindings_of,
    checkpoints,
    place,
    restoring,
    saving,
    stateful,
)

__all__: list[str] = []

_WORDS = {Stateful.OPTIMIZER: "optimizer", Stateful.SCHEDULE: "scheduler"}
_SUFFIXES = ("_state_dict", "_state")


class _Load(NamedTuple):
    """How a model is restored: the call, the checkpoint as it is written, the key, and how that is written."""

    call: Call
    state: str
    key: str
    written: str


class _Entry(NamedTuple):
    """Where a model is saved: the call that saves, the dictionary, and the place of the model in it."""

    save: Call
    saved: ast.Dict
    place: int


@fix("incomplete-checkpoint")
def keep_the_state(finding: Finding) -> Proposal:
    """The states of the optimizer and of the schedule are saved beside the model's, and read back behind it."""
    if not isinstance(finding.at, Call):
        raise Unsure
    body = finding.at.module.body
    module = Module(body.node, finding.at.project.frame(body))
    load = _load(module)
    if load.call.function in finding.at.callees:
        raise Unsure  # the helper would restore it, if it were given it
    entry = _entry(module, load)
    kept = {segment(Site(entry.save.module, v)): k for k, v in zip(entry.saved.keys, entry.saved.values, strict=True)}
    changes: list[Change] = []
    added, names = [], []
    for kind, word in _WORDS.items():
        for name, made in _forgotten(module, kind):
            if made is not None and not (_reaches(name, made, load.call) and _reaches(name, made, entry.save)):
                raise Unsure
            known = kept.get(f"{name}.state_dict()")
            key = segment(Site(entry.save.module, known)) if known is not None else _key(load, word)
            if known is None:
                added.append(f"{key}: {name}.state_dict()")
            changes += after(_target(load, made), f"{name}.load_state_dict({load.state}[{key}])")
            names.append(f"`{name}`")
    if not names:
        raise Unsure
    if added:
        changes.append(_inserted(entry, added))
    return Proposal(f"Save and restore the state of {' and '.join(names)}", changes)


def _load(module: Module) -> _Load:
    """The only load of a model, if it is `model.load_state_dict(state["model"])`."""
    loads, _ = checkpoints.find_resumption(module)
    if len(loads) != 1 or loads[0].last_name != "load_state_dict" or not loads[0].node.args:
        raise Unsure
    match loads[0].node.args[0]:
        case ast.Subscript(value=state, slice=ast.Constant(value=str() as key) as node) if place(state) is not None:
            written = [segment(Site(loads[0].module, part)) for part in (state, node)]
            return _Load(loads[0], written[0], key, written[1])
    raise Unsure


def _entry(module: Module, load: _Load) -> _Entry:
    """Where the model is saved under the key by which it is restored: one dictionary, however often it is saved."""
    found = []
    for save in saving.find_saves(module):
        saved: Any = save.node.args[0] if save.node.args else None
        if isinstance(saved, ast.Name):
            bound = save.function.bindings.get(saved.id, ())
            dicts = [b.value for b in bound if isinstance(b.value, ast.Dict)]
            saved = dicts[0] if len(dicts) == 1 else None
        if isinstance(saved, ast.Dict):
            keys = [getattr(key, "value", None) for key in saved.keys]
            if load.key in keys and save.module is load.call.module:
                found.append(_Entry(save, saved, keys.index(load.key)))
    if len({id(entry.saved) for entry in found}) != 1:
        raise Unsure
    return found[0]


def _forgotten(module: Module, kind: Stateful) -> Iterator[tuple[str, Call | None]]:
    """What has a state of a kind that nothing reads back, by its name, and where it is built, if that is known."""
    built = [c for c in stateful.find_constructions(module, kind) if not stateful.is_run_by_other_scheduler(c, kind)]
    for made in built:
        if stateful.has_resumable_state(made, kind, module):
            if not restoring.is_restored(module, kind, made if len(built) > 1 else None):
                names = [b.name for b in bindings_of(made.node, made.function)]
                if len(names) != 1 or len(made.function.bindings[names[0]]) != 1:
                    raise Unsure
                yield names[0], made
    state = restoring.find_state_never_restored(module, kind) if not built else None
    if state is not None:
        yield around_call(state.site), None


def _reaches(name: str, made: Call, use: Call) -> bool:
    """Does a name mean the same object where it is used: in the same function, or as an attribute of the same class?"""
    if made.function is use.function or made.function.is_body:
        return True
    owner = made.function.owner
    return name.startswith("self.") and owner is not None and owner is use.function.owner


def _target(load: _Load, made: Call | None) -> Site:
    """The statement behind which a state is read: that of the model's, or where the object is built if that is later.

    Raises:
        Unsure: it is built later, and perhaps not in each run that loads.
    """
    target = statement(load.call.site)
    here = spot(target)
    for following in here.block[here.place + 1 :]:
        if not _reads_state(following, load.state):
            break
        target = Site(target.module, following)
    if made is None or made.function is not load.call.function or made.node.lineno < load.call.node.lineno:
        return target
    later = statement(made.site)
    if spot(later).block is not spot(target).block:
        raise Unsure
    return later


def _reads_state(node: ast.stmt, state: str) -> bool:
    """Does a statement restore another part of the same checkpoint: `optimizer.load_state_dict(state["optimizer"])`?"""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="load_state_dict"), args=[ast.Subscript(value=of)])):
            return place(of) == state
    return False


def _key(load: _Load, word: str) -> str:
    """The key of a state, written as the model's is: `"optimizer"`, `'optimizer_state_dict'`."""
    suffix = next((s for s in _SUFFIXES if load.key.endswith(s)), "")
    return f"{load.written[0]}{word}{suffix}{load.written[-1]}"


def _inserted(entry: _Entry, added: list[str]) -> Change:
    """More entries behind that of the model, laid out as the entries are."""
    module, at = entry.save.module, entry.saved.values[entry.place]
    key: Any = entry.saved.keys[entry.place]
    begin, end = replaced(Site(module, key), "")[0].start, replaced(Site(module, at), "")[0].end
    text = module.source.text
    head = text[text.rfind("\n", 0, begin) + 1 : begin]
    if head.strip():
        return Change(module, end, end, "".join(f", {one}" for one in added))
    line_end = text.index("\n", end)
    if text[end:line_end].startswith(","):  # behind it, a comment may stand
        return Change(module, line_end, line_end, "".join(f"\n{head}{one}," for one in added))
    if text[end:line_end].strip():
        raise Unsure
    return Change(module, end, end, "".join(f",\n{head}{one}" for one in added))
