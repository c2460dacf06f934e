"""Which steps of an optimizer train on held-out rows, where more than a copied loop says so?

    for x, y in test_loader: ...; optimizer.step()             # `find_loops`: held out by provenance
    out = net(X_test); criterion(out, y_test).backward()       # `find_steps_on_split`: all at once, in each epoch
    for phase in ("train", "val"): ...; optimizer.step()       # `find_steps_in_phase`: in both phases
    for x, y in val_loader: ...                                # `find_unused_counterparts`: `train_loader` lies unused

A loop over held-out rows may be right, so that a training part has to exist, the optimizer has to hold a model, and
neither may be made anew in the loop. What only the name of a loop says is asked in `trained_on`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad
from mllint.semantics.syntax.nodes import Node, last_name, walk
from mllint.semantics.training import roles
from mllint.semantics.training.rows import splits, trained_on, wrong_part
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.values.frames import Frame

__all__ = [
    "UnusedCounterpart", "find_loops_over_held_out", "find_steps_in_held_out_phase", "find_steps_on_split",
    "find_unused_counterparts",
]  # fmt: skip

_HELD_OUT = ("heldout", "test")
"""The parts that nothing is trained on."""


# -------------------------------------------------------------------------------------------------------- by provenance
def find_loops_over_held_out(flow: Flow) -> Iterator[tuple[Event, Origin]]:
    """The steps in loops over batches of held-out rows, and the loader, where it was chosen."""
    for step in flow.events(AppliesGrad):
        run = _batch_loop(step)
        batches = splits.batches_of(run) if run is not None else []
        if run is None or not batches or not all(b.comes_from(*_HELD_OUT) for b in batches):
            continue
        made_here = any(
            run in e.loops and trained_on.may_be_model_or_optimizer(e.subject) for e in flow.events("creates")
        )
        if made_here or not trained_on.trains_a_model(step) or not trained_on.has_training_part(flow, batches[0]):
            continue
        if trained_on.is_named_held_out(run.node.iter, run.frame, batches[0]):
            yield step, trained_on.where_chosen(Origin(run.node.iter, run.frame))


def _batch_loop(step: Event) -> LoopRun | None:
    """The innermost loop over batches around a step."""
    return next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)


def find_steps_on_split(flow: Flow) -> Iterator[tuple[Event, Site, Event]]:
    """The steps on all the held-out rows of a split at once, on each iteration of a loop; with the call that splits,
    and the backward that they apply. Rows that were split off are not for training."""
    for step in flow.events(AppliesGrad):
        if not step.loops or any(splits.batches_of(run) for run in step.loops) or not trained_on.trains_a_model(step):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops == step.loops and b.concerns(step)), None)
        provenance = backward.subject.all_provenance if backward is not None else frozenset()
        if backward is None or not provenance or not backward.subject.comes_from(*_HELD_OUT):
            continue
        calls = [r.site for r in provenance if r.site is not None and isinstance(r.site.node, ast.Call)]
        split = next((s for s in calls if any(effect_of(f, "splits") for f in trained_on.callees(s, flow))), None)
        if split is not None and flow.path(backward, to=step, back=False):
            yield step, split, backward


# ------------------------------------------------------------------------------------------------------------ by phases
def find_steps_in_held_out_phase(flow: Flow) -> Iterator[tuple[Event, str, Site]]:
    """The steps of `for phase in ("train", "val")` in the phase of held-out rows, where the same call steps in that of
    training as well; with the word for the phase, and what the loop goes through, `loaders[phase]`."""
    steps = [(step, trained_on.phase(step)) for step in flow.events(AppliesGrad)]
    trains = [step for step, phase in steps if phase and roles.is_training_name(phase)]
    for step, phase in steps:
        if phase and roles.is_held_out_name(phase) and any(t.call is step.call for t in trains):
            run = next(r for r in reversed(step.loops) if r.iterates is not None)
            yield step, phase, Site(run.frame.module, run.node.iter)


# ----------------------------------------------------------------------------------------------- by unused counterparts
class UnusedCounterpart(NamedTuple):
    """A training loop over held-out data, while the training data lies unused next to it."""

    step: Event
    held_out: str
    """The name of the held-out data."""
    training: str
    """That of the training data."""
    is_read: bool
    """Whether the training data is read at all, though nothing trains on it."""
    given: Site
    """Where the held-out data is given to the loop."""


def find_unused_counterparts(flow: Flow) -> Iterator[UnusedCounterpart]:
    """The training loops over held-out data whose training data lies unused next to it."""
    loops = [r.node.iter for s in flow.events(AppliesGrad) for r in s.loops if r.iterates is not None]
    looped = {last_name(n) for iterated in loops for n in walk(iterated)}
    behind: dict[LoopRun, set[int]] = {}
    for step in flow.events(AppliesGrad):
        run = _batch_loop(step)
        if run is None:
            continue
        names = wrong_part.find_unused_training_loader(run.node.iter, run.frame, looped)
        if names is not None:
            yield UnusedCounterpart(step, *names, True, Site(run.frame.module, run.node.iter))
            continue
        for frame, nodes in _handed_down(run, behind):
            found = next((f for n in nodes if (f := wrong_part.find_training_on_held_out(n, frame)) is not None), None)
            if found is not None:
                yield UnusedCounterpart(step, *found, False, Site(frame.module, nodes[0]))
                break


def _handed_down(run: LoopRun, behind: dict[LoopRun, set[int]]) -> Iterator[tuple[Frame, list[Node]]]:
    """What a loop goes through, and the arguments that it comes from in each caller, with their frames.

    Args:
        run: the loop.
        behind: what each loop goes through was computed from, by identity: filled for those that are asked for.
    """
    frame, nodes = run.frame, [run.node.iter]
    yield frame, nodes
    while frame.caller is not None:
        given = list(frame.caller[1].args)
        if given and run not in behind:
            behind[run] = {id(o.node) for o in origins(run.node.iter, run.frame)}
        nodes = [n for n in given if any(id(inner) in behind[run] for inner in walk(n))]
        frame = frame.caller[0]
        yield frame, nodes
