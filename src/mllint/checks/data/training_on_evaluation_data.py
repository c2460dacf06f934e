"""The optimizer steps on batches of held-out data, or an estimator is fitted on them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.checks.data._nodes import masked
from mllint.checks.data._refitted import fitted
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Flow,
    Frame,
    HandsLoss,
    Origin,
    Site,
    copied,
    crossed,
    effect_of,
    last_name,
    origins,
    refitted,
    roles,
    splits,
    text,
    training_parts,
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
        made_here = any(run in e.loops and training_parts.starts_anew(e.subject) for e in flow.events("creates"))
        if (
            made_here
            or not training_parts.trains_a_model(step)
            or not training_parts.has_training_part(flow, batches[0])
        ):
            continue
        if not refitted.called_held_out(run.node.iter, run.frame, batches[0]):
            continue
        loader = training_parts.where_chosen(Origin(run.node.iter, run.frame))
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
        if (
            not step.loops
            or any(splits.batches_of(run) for run in step.loops)
            or not training_parts.trains_a_model(step)
        ):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops == step.loops and b.concerns(step)), None)
        roots = backward.subject.all_roots if backward is not None else frozenset()
        if backward is None or not roots or not backward.subject.comes_from("heldout", "test"):
            continue
        sites = [r.site for r in roots if r.site is not None and isinstance(r.site.node, ast.Call)]
        split = next((s for s in sites if any(effect_of(f, "splits") for f in training_parts.callees(s, flow))), None)
        if split is not None and flow.path(backward, to=step, back=False):
            message = f"`{text(step.site.module, step.site.node)}` trains on rows that were held out"
            labels = [Note(split, "held out here"), Note(backward, "this loss is computed from them")]
            yield Finding(step, message, "learns from held-out data", labels)


def _each_phase(flow: Flow) -> Iterator[Finding]:
    """`for phase in ("train", "val")`: the optimizer steps in both, on what `loaders[phase]` gives."""
    steps = [(step, training_parts.phase(step)) for step in flow.events(AppliesGrad)]
    trains = [step for step, phase in steps if phase and roles.is_training_name(phase)]
    for step, phase in steps:
        if phase and roles.is_held_out_name(phase) and any(t.call is step.call for t in trains):
            message = f"`{text(step.site.module, step.site.node)}` trains in the phase {phase!r} as well"
            run = next(r for r in reversed(step.loops) if r.iterates is not None)
            notes = [Note(Site(run.frame.module, run.node.iter), "held-out data, in that phase")]
            yield Finding(step, message, "learns from held-out data", notes)


def _crossed(flow: Flow) -> Iterator[Finding]:
    """Training data that is built of held-out rows, in a file that trains."""
    if next(flow.events(AppliesGrad, HandsLoss), None) is None:
        return
    for function in flow.root.module.functions:
        for node, name, used, spare in crossed.crossed(function, holding=False):
            message = f"`{name}` is built of the held-out `{used}`, and nobody reads `{spare}`"
            yield Finding(Site(function.module, node), message, "held-out data")


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
