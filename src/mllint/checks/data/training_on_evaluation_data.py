"""The optimizer steps on batches of held-out data, or an estimator is fitted on them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.checks.data._nodes import masked
from mllint.checks.data._refitted import called_held_out, fitted
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    Event,
    Flow,
    Frame,
    HandsLoss,
    Origin,
    Site,
    Value,
    assigned,
    constructor_argument,
    copied,
    crossed,
    effect_of,
    evaluate,
    last_name,
    origins,
    place,
    roles,
    splits,
    statements,
    text,
    turned,
    unread,
    walk,
)

__all__: list[str] = []


@check("training-on-evaluation-data")
def training_on_evaluation_data(flow: Flow) -> Iterator[Finding]:
    """The optimizer steps on batches of held-out data, or an estimator is fitted on them."""
    found = False
    for step in flow.events(AppliesGrad):
        run = next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)
        batches = splits.batches_of(run) if run is not None else []
        if run is None or not batches or not all(b.comes_from("heldout", "test") for b in batches):
            continue
        made_here = any(run in e.loops and _starts_anew(e.subject) for e in flow.events("creates"))
        if made_here or not _trains_a_model(step) or not _has_training_part(flow, batches[0]):
            continue
        if not called_held_out(run.node.iter, run.frame, batches[0]):
            continue
        loader = _where_chosen(Origin(run.node.iter, run.frame))
        shown = text(loader.frame.module, turned(loader.node), 40)
        found = True
        yield Finding(
            step,
            f"`{text(step.site.module, step.site.node)}` trains on `{shown}`, which is held-out data",
            "learns from held-out data",
            [Note(loader, "held-out data")],
        )
    for step, run, name in copied.copied_onto_held_out(flow) if not found else ():
        message = f"`{text(step.site.module, step.site.node)}` trains on `{name}`"
        yield Finding(
            step, message, "learns from held-out data", [Note(Site(run.frame.module, run.node.iter), "drawn")]
        )
    yield from _at_once(flow)
    yield from _each_phase(flow)
    yield from masked(flow)
    yield from _took_held_out(flow)
    yield from _crossed(flow) if not found else ()
    yield from fitted(flow)


def _at_once(flow: Flow) -> Iterator[Finding]:
    """All the held-out rows of a split, in one step, in each round of a loop: what was split off is not trained on."""
    for step in flow.events(AppliesGrad):
        if not step.loops or any(splits.batches_of(run) for run in step.loops) or not _trains_a_model(step):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops == step.loops and b.concerns(step)), None)
        roots = backward.subject.all_roots if backward is not None else frozenset()
        if backward is None or not roots or not backward.subject.comes_from("heldout", "test"):
            continue
        sites = [r.site for r in roots if r.site is not None and isinstance(r.site.node, ast.Call)]
        split = next((s for s in sites if any(effect_of(f, "splits") for f in _callees(s, flow))), None)
        if split is not None and flow.path(backward, to=step, back=False):
            message = f"`{text(step.site.module, step.site.node)}` trains on rows that were held out"
            labels = [Note(split, "held out here"), Note(backward, "this loss is computed from them")]
            yield Finding(step, message, "learns from held-out data", labels)


def _each_phase(flow: Flow) -> Iterator[Finding]:
    """`for phase in ("train", "val")`: the optimizer steps in both, on what `loaders[phase]` gives."""
    steps = [(step, _phase(step)) for step in flow.events(AppliesGrad)]
    trains = [step for step, phase in steps if phase and roles.is_training_name(phase)]
    for step, phase in steps:
        if phase and roles.is_held_out_name(phase) and any(t.call is step.call for t in trains):
            message = f"`{text(step.site.module, step.site.node)}` trains in the phase {phase!r} as well"
            run = next(r for r in reversed(step.loops) if r.iterates is not None)
            notes = [Note(Site(run.frame.module, run.node.iter), "held-out data, in that phase")]
            yield Finding(step, message, "learns from held-out data", notes)


def _phase(step: Event) -> str | None:
    """The word by which the batch loop around a step chooses its loader."""
    run = next((r for r in reversed(step.loops) if r.iterates is not None), None)
    node = turned(run.node.iter) if run is not None else None
    if run is None or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant):
        return None
    word = evaluate(node.slice, run.frame).literal
    return word if isinstance(word, str) else None


def _crossed(flow: Flow) -> Iterator[Finding]:
    """Training data that is built of held-out rows, in a file that trains."""
    if next(flow.events(AppliesGrad, HandsLoss), None) is None:
        return
    for function in flow.root.module.functions:
        for node, name, used, spare in crossed.crossed(function, holding=False):
            message = f"`{name}` is built of the held-out `{used}`, and nobody reads `{spare}`"
            yield Finding(Site(function.module, node), message, "held-out data")


def _where_chosen(loop: Origin) -> Origin:
    """The loader as the outermost caller names it: where the choice was made."""
    named = [
        o
        for o in origins(loop.node, loop.frame)
        if isinstance(o.node, (ast.Name, ast.Attribute)) and o.frame is not loop.frame
    ]
    loaders = [o for o in named if o.value.instance_of("torch.utils.data.DataLoader")]
    return loaders[-1] if loaders and loop.frame.bound else loop


def _starts_anew(made: Value) -> bool:
    """Is it a model or an optimizer, or may it be one, and no context or meter of a library?"""
    known = bool(made.classes) and all(cls.module.is_stub for cls in made.classes)
    return not known or made.may_be_instance_of("torch.nn.Module", "torch.optim.Optimizer")


def _trains_a_model(step: Event) -> bool:
    """Does the optimizer hold the parameters of a module, and not a tensor or two that are fitted to a finished one?"""
    for optimizer in step.subject.alternatives:
        params = constructor_argument(optimizer, "params")
        if params is not None and not any(_may_be_parameters(v) for v in params.alternatives):
            return False
    return True


def _may_be_parameters(value: Value, depth: int = 3) -> bool:
    """Is something parameters of a module, or unknown: itself, or a part of the list or the group that it is? A list
    in which nothing is seen was filled where nobody looks."""
    if value.is_unknown or value.has("Parameters"):
        return True
    if not depth or value.kind not in ("mapping", "sequence", "many"):
        return False
    parts = [p for k, p in value.parts.items() if k == "params"] if value.kind == "mapping" else value.parts
    return not parts or any(_may_be_parameters(v, depth - 1) for part in parts for v in part.alternatives)


def _has_training_part(flow: Flow, loader: Value) -> bool:
    """Is there a training part that this loop could have read instead: a split gave one, or another dataset is one, or
    the held-out data goes by the name of training data?"""
    sites = [r.site for r in loader.all_roots if r.site is not None]
    if any(effect_of(f, "splits") for s in sites if isinstance(s.node, ast.Call) for f in _callees(s, flow)):
        return True
    if sites and all(_called_training(s) for s in sites):
        return True
    modules = {id(m): m for m in (flow.root.module, *(s.module for s in sites))}
    calls = [node for m in modules.values() for found in m.calls_by_name.values() for node, _ in found]
    return any(_chooses_training(k) for node in calls for k in node.keywords)


def _called_training(site: Site) -> bool:
    """Is what is built there bound to a name that says that it is trained on?"""
    for function in site.module.functions:
        for statement in statements(function) if not isinstance(function.node, ast.Lambda) else ():
            pairs = [(t, v) for t, v in assigned(statement) if any(n is site.node for n in walk(v))]
            if pairs:
                return all(roles.is_training_name(place(t)) for t, _ in pairs)
    return False


def _chooses_training(keyword: ast.keyword) -> bool:
    if not isinstance(keyword.value, ast.Constant):
        return False
    value = keyword.value.value
    return value is True if keyword.arg == "train" else keyword.arg == "split" and value == "train"


def _callees(site: Site, flow: Flow) -> list[Any]:
    return list(Call(site.node, flow.frame.project.frame(site.module.body)).callees)


def _took_held_out(flow: Flow) -> Iterator[Finding]:
    """A training loop over the held-out loader, while the training loader lies unused beside it."""
    loops = [r.node.iter for s in flow.events(AppliesGrad) for r in s.loops if r.iterates is not None]
    looped = {last_name(n) for iterated in loops for n in walk(iterated)}
    for step in flow.events(AppliesGrad):
        run = next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)
        if run is None:
            continue
        frame: Frame | None = run.frame
        other = unread.untrained(run.node.iter, run.frame, looped)
        if other is not None:
            message = f"`{text(step.site.module, step.site.node)}` trains on `{other[0]}`, and nothing on `{other[1]}`"
            note = Note(Site(run.frame.module, run.node.iter), "the held-out data")
            yield Finding(step, message, "learns from held-out data", [note])
            continue
        nodes, behind = [run.node.iter], {id(o.node) for o in origins(run.node.iter, run.frame)}
        while frame is not None:
            found = next((f for n in nodes if (f := unread.trained_on_held(n, frame)) is not None), None)
            if found is not None:
                message = (
                    f"`{text(step.site.module, step.site.node)}` trains on `{found[0]}`; nobody reads `{found[1]}`"
                )
                note = Note(Site(frame.module, nodes[0]), "the held-out data")
                yield Finding(step, message, "learns from held-out data", [note])
                break
            given = list(frame.caller[1].args) if frame.caller is not None else []
            nodes = [n for n in given if any(id(inner) in behind for inner in walk(n))]
            frame = frame.caller[0] if frame.caller is not None else None
