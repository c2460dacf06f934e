"""Which term of a loss trains nothing that a step updates, although the rest of the loss does?

    fake = generator(z)
    loss = adversarial(discriminator(fake.detach())) + l1(fake, real)      # the first term reaches the critic alone
    loss.backward()
    generator_step()                                                       # ... whose gradients are discarded

The whole loss is attached, so that `breaks` finds nothing wrong with it. A term is lost where a `detach` keeps it from
all that the step updates, and what it reaches in its place is another optimizer's, which clears those gradients before
it steps; or where it is itself something of the stepped model that was detached.

What makes it unknown: a term of which the graph is not known. What is meant: the values of a term that stands attached
beside it (`loss - loss.detach()`), and a difference that is detached as a whole, as a straight-through estimate does.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad
from mllint.semantics.flow.searches import concerning
from mllint.semantics.flow.subjects import reach
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.graphs.breaks import find_detached_operand, graphs_of, start_of_backward
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins, results_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.frames import Frame

__all__ = ["lost_terms"]

_TERMS = 12
_DEEP = 12


def lost_terms(flow: Flow) -> Iterator[tuple[Site, Event, Event]]:
    """The terms of losses that reach nothing that the step after them updates.

    Args:
        flow: the flow.

    Yields:
        The `detach` that keeps the term from that, the backward of the loss, and the step.
    """
    if not flow.frame.project.calls_named("detach"):
        return
    for backward in flow.events(AccumulatesGrad):
        terms = list(_terms(Origin(start_of_backward(backward), backward.frame), _DEEP)) if backward.loops else []
        if not 1 < len(terms) <= _TERMS:
            continue
        for step in concerning(flow, backward, AppliesGrad):
            held = reach(step.subject, step.frame)[0] if step.loops == backward.loops else set()
            found = ((term, cut) for term in terms if (cut := _cut_before(term, held, terms)) is not None)
            term, cut = next(found, (None, None))
            if term is None or cut is None or not _is_discarded(term, backward, step, flow):
                continue
            if flow.path(backward, to=step, avoiding=(AppliesGrad, ClearsGrad.concerning(step)), back=False):
                yield cut.site, backward, step


def _terms(whole: Origin, depth: int) -> Iterator[Origin]:
    """The terms of a sum, also of one that is reduced, weighted by a number, summed step by step, or a function's."""
    node, frame = whole.node, whole.frame
    parts: list[Origin] = []
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            parts = [Origin(left, frame), Origin(right, frame)]
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            parts = [Origin(a, frame) for a, b in ((left, right), (right, left)) if _is_weight(b, frame)]
        case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.Call(func=ast.Attribute(value=inner, attr="mean" | "sum")):
            parts = [Origin(inner, frame)]
        case ast.Call():
            parts = [Origin(value, inner) for value, inner in results_of(node, frame)]
        case ast.Name() | ast.Attribute():
            bound = bound_at(node, frame.function)
            made = bound[0].value if len(bound) == 1 and not bound[0].path else None
            if made is not None and bound[0].kind == "assign":
                parts = [Origin(made, frame)]
            elif isinstance(made, ast.AugAssign) and isinstance(made.op, (ast.Add, ast.Sub)):
                parts = [Origin(made.target, frame), Origin(made.value, frame)]
    single = len(parts) == 1 or isinstance(node, (ast.BinOp, ast.Name, ast.Attribute))
    if not depth or not parts or not single:
        yield whole
        return
    for part in parts:
        yield from _terms(part, depth - 1)


def _is_weight(node: Node, frame: Frame) -> bool:
    """Is it a number, a setting among them?"""
    value = evaluate(node, frame)
    return value.is_number or isinstance(value.literal, (int, float)) or "Given" in value.traits


def _cut_before(term: Origin, held: set[int], terms: list[Origin]) -> Origin | None:
    """The `detach` that keeps a term from some parameters; None where it reaches them, or reaches unknown ones."""
    reached, kept = term.value.all_graph, {place(t.node) for t in terms} - {None}
    if not held or any(v.opaque for v in term.value.alternatives) or not reached.isdisjoint(held):
        return None
    for origin in origins(term.node, term.frame, through=lambda o: bool(reached) or o.node is term.node):
        given = find_detached_operand(origin.node) if isinstance(origin.node, ast.Call) else None
        if given is None or isinstance(given, ast.BinOp) or place(given) in kept:
            continue
        if any(not held.isdisjoint(ids) for ids in graphs_of(given, origin.frame)):
            return origin
    return None


def _is_discarded(term: Origin, backward: Event, step: Event, flow: Flow) -> bool:
    """Do the optimizers of all that a term reaches clear its gradients before they step, or step with those of another
    loss, in the next iteration at the earliest?"""
    reached = term.value.all_graph
    others = [s for s in flow.events(AppliesGrad) if s.concerns(step) is not True] if reached else []
    reaching = [s for s in others if not reached.isdisjoint(reach(s.subject, s.frame)[0])]
    return (not reached or bool(reaching)) and not any(
        flow.path(backward, to=s, avoiding=ClearsGrad.concerning(s), back=False)
        or flow.path(backward, to=s, avoiding=(ClearsGrad.concerning(s), AccumulatesGrad.concerning(s)))
        for s in reaching
    )
