"""Does the forward pass of a training step run where no graph is built?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    Call,
    Creates,
    Event,
    Flow,
    FunctionScope,
    HandsLoss,
    Node,
    Site,
    bound_at,
    evaluate,
    grad_off,
    grad_switch,
    graphs,
    statements,
    walk,
)

__all__: list[str] = []

_OUTSIDE = "run the training forward pass outside of `{0}`, and use `{0}` for evaluation only"
_FIXED = "compute this term with gradients; to keep a network fixed, call `requires_grad_(False)` on it instead"
_TERM = "no graph is recorded for this term: the others train and the loss falls, but this one gives no gradient"


@check("no-grad-training")
def no_grad_training(flow: Flow) -> Iterator[Finding]:
    """The forward pass of a training step runs where no graph is built."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        if any(getattr(n, "attr", "") == "training" for test, _, _ in backward.conditions for n in walk(test)):
            continue  # `if self.training: loss.backward()`: an evaluation comes by here as well
        cut = graphs.loss_break(backward, flow)
        site = cut.site if cut is not None and cut.how == "no_grad" else _added_up(backward) if cut is None else None
        if site is not None and not _also_records_gradients(backward, flow):
            yield Finding(
                site,
                f"{_unrecorded(backward)} under `{_switch_name(site)}`, so `backward()` finds no graph",
                primary="no graph is built here",
                labels=[Note(backward, "`backward()` starts from this loss")],
                help=_OUTSIDE.format(_switch_name(site)),
            )
        partly = graphs.lost_term(backward, flow, "PartlyUnrecorded") if cut is None and site is None else None
        if partly is not None:
            yield Finding(
                partly,
                f"a term of the loss is computed under `{_switch_name(partly)}`, so it trains nothing",
                primary="no graph is built here",
                labels=[Note(backward, "`backward()` starts from the sum")],
                help=_FIXED,
                why=_TERM,
            )
    yield from _switched_off(flow)


def _unrecorded(backward: Event) -> str:
    """What runs where gradients are off, in words: what computes the loss, or only the forward pass before it."""
    loss, frame = graphs.origin(backward), backward.frame
    before = loss.module is frame.module and grad_switch(loss.node, frame)[0] is False
    return "the forward pass runs" if before else "the loss is computed"


def _also_records_gradients(backward: Event, flow: Flow) -> bool:
    """Does the same backward run with gradients as well, below something that decides whether it runs at all?"""
    if not backward.grad_off:
        return False
    decided, frame, node = False, backward.frame, backward.site.node
    recorded = any(b.site == backward.site and b.grad_off is False for b in flow.events(backward.kind))
    while frame.caller is not None:
        if grad_off(node, frame.project.frame(frame.function)):
            return False  # whoever calls
        decided = decided or any(f is frame for _, _, f in backward.conditions) or _leaves_before(frame.function, node)
        if decided and not recorded:
            callers = frame.project.callers(frame.function)
            recorded = any(grad_off(call, where) is False for call, where in callers)
        if decided and recorded:
            return True
        frame, node = frame.caller
    return False


def _leaves_before(function: FunctionScope, node: Node) -> bool:
    """Does a test make a function, or an iteration of its loop, end before some place in it?"""
    tests = (s for s in statements(function) if isinstance(s, ast.If) and (s.end_lineno or 0) < node.lineno)
    return any(isinstance(test.body[-1], (ast.Return, ast.Continue)) for test in tests)


def _added_up(backward: Event) -> Site | None:
    """What switches gradients off where the terms of the loss are added, or it is read off what a model gives, of which
    nothing is known, or where a function of the project computes it."""
    func = getattr(backward.call, "func", None)
    loss = func.value if isinstance(func, ast.Attribute) and not backward.call.args else None
    found = bound_at(loss, backward.function) if backward.grad_off and isinstance(loss, ast.Name) else ()
    added = any(b.kind == "aug" for b in found)
    terms = [b for b in found if not (added and isinstance(b.value, ast.Constant))]  # `loss = 0` before a loop
    sums = [b for b in terms if b.kind == "aug" or (b.kind == "assign" and not b.path and _computed(b.value, backward))]
    nodes = [b.value.value if b.kind == "aug" else b.value for b in sums]
    sites = [grad_switch(node, backward.frame) for node in nodes]
    return sites[0][1] if sites and len(sums) == len(terms) and all(off for off, _ in sites) else None


def _computed(node: Node, backward: Event) -> bool:
    """Is it a sum, `model(batch).loss`, `model(batch)[0]`, or what a method of the project makes of what it is given,
    where nothing in the project switches gradients on?"""
    if isinstance(node, ast.BinOp):
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.value, ast.Call)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    callees = Call(node, backward.frame).callees
    project = backward.frame.project
    on = any(project.calls_named(word) for word in ("enable_grad", "set_grad_enabled", "inference_mode"))
    return bool(callees) and not on and not any(f.stubbed or f.is_generator for f in callees)


def _switched_off(flow: Flow) -> Iterator[Finding]:
    """`set_grad_enabled(False)` as a statement, and a backward after it."""
    switches = [
        e
        for e in flow.events(Creates)
        if e.call is not None and graphs.is_call_named(e, "set_grad_enabled", "enable_grad")
    ]
    for switch in switches:
        if not graphs.is_call_named(switch, "set_grad_enabled") or not switch.call.args:
            continue
        off = evaluate(switch.call.args[0], switch.frame).truth is False
        if off and Call(switch.call, switch.frame).is_statement:
            way = flow.path(switch, to=AccumulatesGrad, avoiding=tuple(e for e in switches if e is not switch))
            if way is not None:
                yield Finding(
                    switch,
                    f"gradients are switched off by `{switch.site.text}` and still off when `backward()` runs",
                    primary="no graph is built from here on",
                    labels=[Note(way.end, "`backward()` finds no graph")],
                    help="switch gradients on again before training, or use `with torch.no_grad():` for the evaluation",
                )


def _switch_name(site: Site) -> str:
    """The name of the context or decorator that switches gradients off."""
    node = site.node.func if isinstance(site.node, ast.Call) else site.node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "no_grad")
