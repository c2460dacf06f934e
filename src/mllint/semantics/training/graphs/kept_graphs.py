"""Is the graph of each iteration kept alive, by a tensor that is collected as it is?

    for x, y in loader:
        loss = criterion(net(x), y)
        loss.backward()
        total += loss                  # each term holds the nodes of its graph

Where something grows is asked in `collecting`. It keeps a graph if what is added is surely a tensor with one: the loss
that the backward starts from, or a term of it, or, in a sum, any other result of a model. It is meant where a backward
starts from what grows, or retains its graph, or where the loop is one of micro-batches whose loss is added up.

While a model is measured, nothing frees the activations either, so that whole graphs stay alive.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AccumulatesGrad, Creates, Forward, Freezes, HandsLoss, SetsMode
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, is_within, place, walk
from mllint.semantics.training import phases
from mllint.semantics.training.graphs import breaks, collecting, recording
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.gradmode import switch
from mllint.semantics.values.lineage import origins, with_statements
from mllint.semantics.values.values import MappingValue, TensorValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = ["KeptGraph", "find_kept_graphs"]


class KeptGraph(NamedTuple):
    """A tensor that is collected with its graph."""

    frame: Frame
    """That of the function in which it is collected."""
    statement: Node
    target: str
    """The place that grows."""
    added: Node
    """The tensor."""
    backward: Event | None = None
    """What starts from the tensor, or from what is computed of it, or gets it handed, and frees its activations; None
    if nothing surely does."""


def find_kept_graphs(flow: Flow) -> Iterator[KeptGraph]:
    """The tensors of a flow that are collected with their graphs in each iteration."""
    for backward in flow.events(AccumulatesGrad):
        yield from _kept_in_training(flow, backward)
    for handed in flow.events(HandsLoss):
        if handed.frame.function is flow.root:
            yield from _kept_in_step(handed)
    yield from _kept_in_evaluation(flow)


# ------------------------------------------------------------------------------------------------------------- training
def _kept_in_training(flow: Flow, backward: Event) -> Iterator[KeptGraph]:
    """What the loop around a backward collects, itself or in the functions that it calls."""
    run = collecting.collecting_loop(backward.loops) or collecting.only_loop(backward, flow)
    if run is None or _retains_graph(backward.call) or collecting.is_micro_batch_loop(run, flow):
        return
    for frame, (statement, target, added) in _collected_around(flow, backward, run):
        value = evaluate(added, frame)
        starts = breaks.is_same_tensor(value, breaks.unscaled_loss(backward))
        starts = starts or _is_start_of_backward(added, backward, frame)
        if (
            not _is_added_without_graph(statement, run)
            and (starts or _is_term_of_loss(value) or _is_sum_of_results(statement, value))
            and not _starts_backward(target, flow)
            and not _feeds(target, backward)
            and not collecting.is_detached_in_place(added, frame.function)
        ):
            reached = starts or _feeds(place(added), backward)
            yield KeptGraph(frame, statement, target, added, backward if reached else None)


def _collected_around(flow: Flow, backward: Event, run: LoopRun) -> Iterator[tuple[Frame, collecting.Collected]]:
    """What a loop around a backward collects, with the frame in which it is written."""
    frame = backward.frame
    yield from ((run.frame, collected) for collected in collecting.lasting_accumulations(run))
    if frame is not run.frame:
        yield from ((frame, collected) for collected in collecting.accumulations_in_callee(frame, run))
    for kept in collecting.lasting_accumulations_in_calls(run):
        target = kept.outside[1]
        if not _starts_backward(target, flow) and not _feeds(target, backward):
            yield kept.frame, kept.inside


def _kept_in_step(handed: Event) -> Iterator[KeptGraph]:
    """The loss that a step hands to a framework, which calls `backward()`, where an object keeps it as well."""
    frame = handed.frame
    for statement, target, added in collecting.accumulations_in_step(frame):
        value = evaluate(added, frame)
        kept = value.is_attached and breaks.is_same_tensor(value, breaks.unscaled_loss(handed))
        if kept and not collecting.is_detached_in_place(added, frame.function):
            yield KeptGraph(frame, statement, target, added, handed)


def _is_start_of_backward(added: Node, backward: Event, frame: Frame) -> bool:
    """Is it the name that the backward before it started from, not bound again? It has a graph, or that would fail."""
    loss = breaks.start_of_backward(backward)
    if not isinstance(added, ast.Name) or not isinstance(loss, ast.Name) or backward.function is not frame.function:
        return False
    at = reaching(backward.function).at
    bound = at.get(id(added), ())
    return bool(bound) and added.id == loss.id and bound == at.get(id(loss), ()) and loss.lineno < added.lineno


def _is_term_of_loss(value: Value) -> bool:
    """Is it certainly an attached loss, or a dictionary with one: a term of what the backward starts from?"""
    if isinstance(value, MappingValue):
        return any(_is_term_of_loss(part) for part in value.entries.values())
    return value.is_("Loss") and _has_graph(value)


def _is_sum_of_results(statement: Node, value: Value) -> bool:
    """Does a sum grow by something else that is computed with a model, `total += distance.mean()`? Of a list it is not
    known what becomes of it, nor of what something unknown has computed whether it is detached there."""
    known = not any(v.opaque for v in value.alternatives)
    return isinstance(statement, ast.AugAssign) and known and _has_graph(value)


def _has_graph(value: Value) -> bool:
    """Is it certainly a tensor with a graph that nothing has cut?"""
    return all(isinstance(v, TensorValue) and v.graph and not v.breaks for v in value.alternatives)


def _retains_graph(call: Node) -> bool:
    """Does a backward keep its graph for another one?"""
    return any(k.arg in ("retain_graph", "create_graph") for k in getattr(call, "keywords", ()))


# ----------------------------------------------------------------------------------------------------------- evaluation
def _kept_in_evaluation(flow: Flow) -> Iterator[KeptGraph]:
    """What a loop collects in which a model in eval mode is measured with gradients, and nothing is trained."""
    modes = [e for e in flow.events(SetsMode) if e.option == "eval"]
    created = (e for e in flow.events(Creates) if e.call is not None)
    if not modes or any(breaks.is_call_named(e, "set_grad_enabled") for e in created):
        return
    for run in flow.runs:
        if run.role == "epoch" or any(r.node is run.node for e in flow.events(AccumulatesGrad) for r in e.loops):
            continue
        if run.role != "batch" and not any(mode.frame is run.frame for mode in modes):
            continue
        forwards = _recorded_forwards(flow, run)
        if not _is_in_eval_mode(flow, modes, forwards):
            continue
        for statement, target, added in collecting.accumulations(run):
            if _outlives_evaluation(flow, run, (statement, target, added)) and _is_loss(added, forwards, run):
                yield KeptGraph(run.frame, statement, target, added)


def _recorded_forwards(flow: Flow, run: LoopRun) -> list[Event]:
    """The runs of models right in a loop that record a graph for certain."""
    frozen = [e for e in flow.events(Freezes) if e.option is not False]
    forwards = [f for f in flow.events(Forward) if f.loops and f.loops[-1] is run and f.grad_off is False]
    forwards = [f for f in forwards if not any(e.concerns(f) is not False for e in frozen)]
    return [f for f in forwards if not recording.has_no_grad_setting(f)]


def _is_in_eval_mode(flow: Flow, modes: list[Event], forwards: list[Event]) -> bool:
    """Does one of some calls of `eval()` lead to one of the forwards of its model?"""
    train = tuple(e for e in flow.events(SetsMode) if e.option != "eval")
    return any(flow.path(mode, to=f, avoiding=train) for f in forwards for mode in modes if f.concerns(mode))


def _outlives_evaluation(flow: Flow, run: LoopRun, collected: collecting.Collected) -> bool:
    """Does what a loop collects outlive its iterations with the graphs, and does no backward ever need them?"""
    statement, target, added = collected
    return not (
        collecting.is_rebound_in_loop(run, statement, target)
        or _starts_backward(target, flow)
        or _is_added_without_graph(statement, run)
        or phases.is_differentiated_by_caller(run.frame, flow)
        or collecting.is_detached_in_place(added, run.frame.function)
        or any(_feeds(target, backward) for backward in flow.events(AccumulatesGrad))
    )


def _is_loss(added: Node, forwards: list[Event], run: LoopRun) -> bool:
    """Is it a loss with a graph, or what an unknown criterion gives for what some forwards gave?"""
    value = evaluate(added, run.frame)
    return (value.is_attached and value.is_("Loss")) or collecting.is_unknown_criterion_result(added, forwards, run)


# -------------------------------------------------------------------------------------------------------- what is meant
def _is_added_without_graph(statement: Node, run: LoopRun) -> bool:
    """Is it a sum that is computed where no graph is built? A list keeps the tensor that it is given, as it is."""
    if isinstance(statement, ast.Call):
        return False
    around = (n for n in with_statements(run.frame.function) if is_within(n, run.node))
    inner = (w for w in around if any(n is statement for n in walk(w)))
    return any(switch(item.context_expr, run.frame) in (False, None) for w in inner for item in w.items)


def _starts_backward(target: str, flow: Flow) -> bool:
    """Does some backward start from a place?"""
    return any(
        place(node) == target
        for event in flow.events(AccumulatesGrad)
        for node in walk(event.call)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    )


def _feeds(target: str | None, backward: Event) -> bool:
    """Is what a backward starts from computed from a place, in whatever function?"""
    return target is not None and any(
        place(o.node) == target for o in origins(breaks.start_of_backward(backward), backward.frame)
    )
