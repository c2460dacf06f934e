"""Does a running value collect the loss, or a sum another result of a model, with its graph in every iteration?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    Creates,
    Event,
    Flow,
    Forward,
    Frame,
    Freezes,
    HandsLoss,
    LoopRun,
    MappingValue,
    Node,
    SetsMode,
    Site,
    TensorValue,
    Value,
    collecting,
    evaluate,
    graphs,
    is_within,
    origins,
    phases,
    place,
    reaching,
    recording,
    text,
    walk,
    with_statements,
)
from mllint.semantics.api import switch as effect_on_graph

__all__: list[str] = []

_NUMBER = "call `.item()` on it before storing or adding it, or `.detach()` to stay on the device"
_NUMBERS = "call `.item()` on each of its tensors before storing it, or `.detach()` to stay on the device"
_NO_LOSS = "a tensor that is not detached keeps its graph alive: memory grows with every iteration"
_NODES = "`backward()` frees the activations, but each kept tensor still holds the nodes of its graph: memory grows"


@check("loss-keeps-graph")
def loss_keeps_graph(flow: Flow) -> Iterator[Finding]:
    """A running value collects the loss with its graph in every iteration."""
    for backward in flow.events(AccumulatesGrad):
        run = collecting.collecting_loop(backward.loops) or collecting.only_loop(backward, flow)
        if run is None or _retains(backward.call) or collecting.is_micro_batch_loop(run, flow):
            continue
        frame = backward.frame
        found = [(run.frame, *c) for c in collecting.lasting_accumulations(run)]
        found += [(frame, *c) for c in collecting.accumulations_in_callee(frame, run)] if frame is not run.frame else []
        found += [
            (kept.frame, *kept.inside)
            for kept in collecting.lasting_accumulations_in_calls(run)
            if not _is_backwarded(flow, kept.outside[1]) and not _feeds(kept.outside[1], backward)
        ]
        for where, statement, target, added in found:
            value = evaluate(added, where)
            of_loss = (
                graphs.is_same_tensor(value, graphs.unscaled_loss(backward))
                or _part_of_loss(value)
                or _same_name(added, backward, where)
            )
            if (
                not _added_without_graph(statement, run)
                and (of_loss or _is_sum_of_results(statement, value))
                and not _is_backwarded(flow, target)
                and not _feeds(target, backward)
                and not collecting.is_detached_in_place(added, where.function)
            ):
                notes = [Note(backward, "the graph is not needed after this")] if of_loss else []
                yield _keeps(where, statement, target, added, notes, _NODES if of_loss else _NO_LOSS)
    yield from _kept_by_steps(flow)
    yield from _kept_in_evaluation(flow)


def _kept_by_steps(flow: Flow) -> Iterator[Finding]:
    """The loss that a step hands to a framework, which calls `backward()`, is kept on an object as well."""
    for handed in flow.events(HandsLoss):
        frame = handed.frame
        if frame.function is not flow.root:
            continue
        for statement, target, added in collecting.accumulations_in_step(frame):
            value = evaluate(added, frame)
            kept = value.is_attached and graphs.is_same_tensor(value, graphs.unscaled_loss(handed))
            if kept and not collecting.is_detached_in_place(added, frame.function):
                yield _keeps(
                    frame, statement, target, added, [Note(handed, "gradients are computed from this")], _NODES
                )


def _keeps(where: Frame, statement: Node, target: str, added: Node, notes: list[Note], why: str = "") -> Finding:
    site = Site(where.module, statement)
    return Finding(
        site,
        f"`{target}` keeps the graph of every batch alive: `{text(site.module, added)}` is not detached",
        primary="kept with its graph",
        labels=notes,
        help=_number(added, where),
        why=why,
        about=(where, target, added),
    )


def _number(added: Node, where: Frame) -> str:
    """What to keep instead of a tensor, or of a dictionary of them."""
    if isinstance(evaluate(added, where), MappingValue):
        return _NUMBERS
    name = place(added)
    return f"store or add `{name}.item()` instead, or `{name}.detach()` to stay on the device" if name else _NUMBER


def _same_name(added: Node, backward: Event, where: Frame) -> bool:
    """Is it the name that the backward before it started from, not bound again? It has a graph, or that would fail."""
    loss = graphs.start_of_backward(backward)
    if not isinstance(added, ast.Name) or not isinstance(loss, ast.Name) or backward.function is not where.function:
        return False
    at = reaching(backward.function).at
    bound = at.get(id(added), ())
    return bool(bound) and added.id == loss.id and bound == at.get(id(loss), ()) and loss.lineno < added.lineno


def _part_of_loss(value: Value) -> bool:
    """Is it certainly an attached loss, or a dictionary with one: a term of what the backward starts from?"""
    if isinstance(value, MappingValue):
        return any(_part_of_loss(part) for part in value.entries.values())
    return value.is_("Loss") and _has_graph(value)


def _is_sum_of_results(statement: Node, value: Value) -> bool:
    """Does a sum grow by something else that is computed with a model, `total += distance.mean()`? Of a list it is not
    known what becomes of it, nor of what something unknown has computed whether it is detached there."""
    known = not any(v.opaque for v in value.alternatives)
    return isinstance(statement, ast.AugAssign) and known and _has_graph(value)


def _has_graph(value: Value) -> bool:
    """Is it certainly a tensor with a graph that nothing has cut?"""
    return all(isinstance(v, TensorValue) and v.graph and not v.breaks for v in value.alternatives)


def _added_without_graph(statement: Node, run: LoopRun) -> bool:
    """Is it a sum that is computed where no graph is built? A list keeps the tensor that it is given, as it is."""
    if isinstance(statement, ast.Call):
        return False
    around = (n for n in with_statements(run.frame.function) if is_within(n, run.node))
    inner = (w for w in around if any(n is statement for n in walk(w)))
    return any(effect_on_graph(item.context_expr, run.frame) in (False, None) for w in inner for item in w.items)


def _feeds(target: str, backward: Event) -> bool:
    """Is what a backward starts from computed from what is collected, in whatever function?"""
    return any(place(o.node) == target for o in origins(graphs.start_of_backward(backward), backward.frame))


def _kept_in_evaluation(flow: Flow) -> Iterator[Finding]:
    """The same while nothing is trained: the whole graph of the evaluation data stays alive."""
    modes = [e for e in flow.events(SetsMode) if e.option == "eval"]
    if not modes or any(
        graphs.is_call_named(e, "set_grad_enabled") for e in flow.events(Creates) if e.call is not None
    ):
        return
    for run in flow.runs:
        if run.role == "epoch" or any(r.node is run.node for e in flow.events(AccumulatesGrad) for r in e.loops):
            continue
        if run.role != "batch" and not any(mode.frame is run.frame for mode in modes):
            continue
        frozen = [e for e in flow.events(Freezes) if e.option is not False]
        forwards = [f for f in flow.events(Forward) if f.loops and f.loops[-1] is run and f.grad_off is False]
        forwards = [f for f in forwards if not any(e.concerns(f) is not False for e in frozen)]
        forwards = [f for f in forwards if not recording.has_no_grad_setting(f)]
        train = [e for e in flow.events(SetsMode) if e.option != "eval"]
        if not any(
            flow.path(mode, to=f, avoiding=tuple(train)) for f in forwards for mode in modes if f.concerns(mode)
        ):
            continue
        for statement, target, added in collecting.accumulations(run):
            value = evaluate(added, run.frame)
            kept = not collecting.is_rebound_in_loop(run, statement, target) and not _is_backwarded(flow, target)
            kept = kept and not (
                _added_without_graph(statement, run) or phases.is_differentiated_by_caller(run.frame, flow)
            )
            kept = kept and not collecting.is_detached_in_place(added, run.frame.function)
            kept = kept and not any(_feeds(target, backward) for backward in flow.events(AccumulatesGrad))
            if kept and (
                (value.is_attached and value.is_("Loss"))
                or collecting.is_unknown_criterion_result(added, forwards, run)
            ):
                yield _keeps(run.frame, statement, target, added, [])


def _is_backwarded(flow: Flow, target: str) -> bool:
    """Does some backward start from this place?"""
    return any(
        place(node) == target
        for event in flow.events(AccumulatesGrad)
        for node in walk(event.call)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    )


def _retains(call: Node) -> bool:
    """Does the backward keep its graph for another one?"""
    return any(k.arg in ("retain_graph", "create_graph") for k in getattr(call, "keywords", ()))
