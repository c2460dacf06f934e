"""Is a training loop copied onto held-out data: the same step, over a loader that is called so?

Names alone accuse nobody. Beside the name stands a second fact: the model was put into eval mode for this loop, and
the same optimizer trains on the loader of the training data. In a fragment, which binds the loader nowhere, the name
and the labels that the loss is given are all that can be known.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._unbound import unbound
from mllint.pattern import Pattern
from mllint.semantics import AppliesGrad, Event, Flow, LoopRun, SetsMode
from mllint.semantics.module import place, turned, walk
from mllint.semantics.parts import held, trained

__all__ = ["copied_onto_held_out"]

_LOADER = Pattern("load|iter|dl$|set$|data$|ds$|batches$")


def copied_onto_held_out(flow: Flow) -> Iterator[tuple[Event, Any, str]]:
    """The steps over held-out data, the loader, and its name."""
    steps = [(step, *_source(step)) for step in flow.events(AppliesGrad)]
    for step, run, name in steps:
        if run is None or not held(name) or not _LOADER.search(name.lower()) or not _labelled(run):
            continue
        beside = [t for t, _, other in steps if trained(other) and t.subject.same_as(step.subject) is True]
        alone = unbound(turned(run.node.iter), run.frame.module) and not _speaks_of_training(run)
        if _in_eval_mode(step, flow) if beside else alone:
            yield step, run, name


def _source(step: Event) -> tuple[LoopRun | None, str]:
    """The innermost loop around a step that draws from something with a name, and the name."""
    for run in reversed(step.loops):
        if isinstance(run.node, ast.For) and (name := place(turned(run.node.iter))):
            return run, name
    return None, ""


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
    return any(isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in called and trained(place(n)) for n in nodes)


def _in_eval_mode(step: Event, flow: Flow) -> bool:
    """Is something put into eval mode on a way to the step, on which nothing is put back?"""
    back = tuple(e for e in flow.events(SetsMode) if e.option != "eval")
    modes = (e for e in flow.events(SetsMode) if e.option == "eval")
    return any(flow.path(mode, to=step, avoiding=back, back=False) for mode in modes)
