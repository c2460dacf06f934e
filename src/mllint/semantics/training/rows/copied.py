"""Is a training loop copied onto held-out data: the same step, over a loader that is called so?

Names alone accuse nobody. Beside the name stands a second fact: the same optimizer trains on the loader of the training
data, and the model was put into eval mode for this loop, or the loader keeps the rows in order and another loop goes
through it without training anything. In a fragment, which binds the loader nowhere, the name
and the labels that the loss is given are all that can be known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Forward, SetsMode
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import place, turned, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import fragments, roles
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate

__all__ = ["copied_onto_held_out"]


def copied_onto_held_out(flow: Flow) -> Iterator[tuple[Event, Any, str]]:
    """The steps over held-out data, the loader, and its name."""
    steps = [(step, *_source(step)) for step in flow.events(AppliesGrad)]
    for step, run, name in steps:
        if run is None or not roles.is_held_out_name(name) or not topics.is_about(name, Topic.HOLDING_ROWS):
            continue
        beside = [
            t for t, _, other in steps if roles.is_training_name(other) and t.subject.same_as(step.subject) is True
        ]
        if beside and _in_order(run) and _measured(run, name, flow):
            yield step, run, name
            continue
        alone = fragments.is_unbound(turned(run.node.iter), run.frame.module) and not _speaks_of_training(run)
        if _labelled(run) and (_in_eval_mode(step, flow) if beside else alone):
            yield step, run, name


def _source(step: Event) -> tuple[LoopRun | None, str]:
    """The innermost loop around a step that draws from something with a name, and the name."""
    for run in reversed(step.loops):
        if isinstance(run.node, ast.For) and (name := place(turned(run.node.iter))):
            return run, name
    return None, ""


def _in_order(run: LoopRun) -> bool:
    """Is it a loader that is seen not to shuffle, as those of held-out data are built?"""
    loader = evaluate(turned(run.node.iter), run.frame)
    built = [constructor_argument(v, "shuffle") for v in loader.alternatives]
    return loader.instance_of("torch.utils.data.DataLoader") and all(s is None or s.truth is False for s in built)


def _measured(run: LoopRun, name: str, flow: Flow) -> bool:
    """Does another loop of the same function go through it, and train nothing?"""
    others = (r for r in flow.runs if r.node is not run.node and r.frame.function is run.frame.function)
    same = [r for r in others if isinstance(r.node, ast.For) and place(turned(r.node.iter)) == name]
    trains = list(flow.events(AppliesGrad, AccumulatesGrad))
    return any(not any(r in e.loops for e in trains) and any(r in f.loops for f in flow.events(Forward)) for r in same)


def _labelled(run: LoopRun) -> bool:
    """Does the loop unpack inputs and labels, and give the labels to some call, as a loss is given them?"""
    target = run.node.target
    pairs = [n for n in walk(target) if isinstance(n, ast.Tuple)]
    names = [e.id for e in (pairs[-1].elts if pairs else ()) if isinstance(e, ast.Name)]
    calls = [n for s in run.node.body for n in walk(s) if isinstance(n, ast.Call)]
    given = {n.id for c in calls for a in c.args[1:] for n in walk(a) if isinstance(n, ast.Name)}
    return len(names) > 1 and names[-1] in given


def _speaks_of_training(run: LoopRun) -> bool:
    """Does the file name anything for training data, and not only a call of `train`?"""
    nodes = list(walk(run.frame.module.body.node))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in called and roles.is_training_name(place(n))
        for n in nodes
    )


def _in_eval_mode(step: Event, flow: Flow) -> bool:
    """Is something put into eval mode on a way to the step, on which nothing is put back?"""
    back = tuple(e for e in flow.events(SetsMode) if e.option != "eval")
    modes = (e for e in flow.events(SetsMode) if e.option == "eval")
    return any(flow.path(mode, to=step, avoiding=back, back=False) for mode in modes)
