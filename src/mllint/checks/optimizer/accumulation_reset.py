"""Are gradients cleared for every micro-batch, and applied every k-th time only?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    ClearsGrad,
    Event,
    Flow,
    FunctionScope,
    Node,
    SetsGrad,
    accumulation,
    cached,
    gradients,
    is_in_block,
    reach,
    shown,
    statements,
    walk,
)

__all__: list[str] = []

_AFTER = "after the loop"
_LATE = "the step sees only the last batch: the gradients of the others are computed and discarded"


@check("accumulation-reset")
def accumulation_reset(flow: Flow) -> Iterator[Finding]:
    """Gradients are cleared for every micro-batch while the optimizer steps every k-th time."""
    for step in flow.events(AppliesGrad):
        for clear in accumulation.repeated_around(flow, step, ClearsGrad):
            meant = clear.concerns(step) or (
                clear.concerns(step) is None and gradients.is_alone(flow) and _clears_all(flow, clear)
            )
            if not meant or accumulation.is_counted(clear) or _gives_up(clear) or _kept_apart(clear, step):
                continue
            if accumulation.window(step, clear) is None:
                backward, when = _lost_in_loop(flow, step, clear), _AFTER
            else:
                repeated = accumulation.find_events_while_waiting(flow, step, AccumulatesGrad)
                found = (b for b, _ in repeated if gradients.is_for(flow, b, step))
                lost = (b for b in found if accumulation.is_lost_to(flow, b, clear))
                backward, when = next(lost, None), "every k-th time"
            around = (step.loops or clear.loops)[-1:]
            if backward is not None and not any(set(around) & set(e.loops) for e in flow.events(SetsGrad)):
                yield _finding(clear, step, backward, when)
                break


def _finding(clear: Event, step: Event, backward: Event, when: str) -> Finding:
    """The finding at a clear: below the loop, a step has slipped out of it, or is meant to apply all of its batches."""
    labels = [Note(backward, "accumulated here"), Note(step, f"applied {when} only")]
    message, at = f"but `{shown(step)}` only {when}", "discards what was accumulated"
    if when != _AFTER:
        return Finding(clear, f"`{shown(clear)}` runs for every micro-batch, {message}", at, labels)
    help = f"move `{shown(step)}` into the loop; or, to apply all batches at once, move `{shown(clear)}` below the step"
    return Finding(clear, f"`{shown(clear)}` runs for every batch, {message}", at, labels, help=help, why=_LATE)


def _lost_in_loop(flow: Flow, step: Event, clear: Event) -> Event | None:
    """A backward that a loop repeats after a clear, where the step stands below the loop and uses nothing else."""
    run = clear.loops[-1] if clear.loops and clear.loops[:-1] == step.loops else None
    if run is None or not isinstance(run.node, ast.For) or clear.conditions[run.decided :]:
        return None
    fill = [f for f in gradients.fills_of(flow, step) if flow.path(f, to=step, avoiding=ClearsGrad.concerning(step))]
    inside = [b for b in fill if b.kind == "accumulates_grad" and run in b.loops and gradients.is_for(flow, b, step)]
    if fill != inside or any(run in e.loops for e in flow.events(AppliesGrad)):
        return None
    again = (b for b in inside if flow.path(b, to=clear, avoiding=AppliesGrad, within=run))
    return next(again, None)


def _clears_all(flow: Flow, clear: Event) -> bool:
    """Is all that every backward computes gradients for cleared through the model, whatever the optimizer holds?"""
    held = reach(clear.subject, clear.frame)[0]
    graphs = [b.subject.all_graph for b in flow.events(AccumulatesGrad)]
    return bool(graphs) and all(graph and graph <= held for graph in graphs)


@cached()
def _gives_up(clear: Event) -> bool:
    """Does a branch that clears leave the iteration, or the loop: `if isnan(loss): optimizer.zero_grad(); continue`?"""
    branches = _branches(clear.function, clear.site.node)
    return any(_abandons(b, inner=i == 0) for i, b in enumerate(branches))


def _abandons(branch: list[Node], *, inner: bool) -> bool:
    """Does a branch end the iteration: by `continue`, or by a `return` of a branch in which nothing is trained?"""
    if inner and isinstance(branch[-1], (ast.Continue, ast.Break)):
        return True
    trained = (n for s in branch for n in walk(s) if isinstance(n, ast.Attribute) and n.attr in ("backward", "step"))
    return isinstance(branch[-1], (ast.Return, ast.Continue, ast.Break)) and next(trained, None) is None


def _kept_apart(clear: Event, step: Event) -> bool:
    """Do both stand in branches of one `if` whose test never changes: `if config.steps > 1: ... else: ...`?"""
    for test, holds, _ in clear.conditions:
        if any(other is test and so != holds for other, so, _ in step.conditions):
            bound = {name for run in step.loops for name in _bound_in(step.function, run.node)}
            return not any(isinstance(n, ast.Name) and n.id in bound for n in walk(test))
    return False


def _bound_in(function: FunctionScope, loop: Node) -> list[str]:
    bindings = ((name, b) for name, found in function.bindings.items() for b in found if b.kind != "param")
    return list(dict.fromkeys(name for name, b in bindings if is_in_block(b.node, [loop])))


def _branches(function: FunctionScope, node: Node) -> list[list[Node]]:
    """The branches of `if` that something is written in, innermost first."""
    tests = [s for s in statements(function) if isinstance(s, ast.If)]
    branches = [b for test in tests for b in (test.body, test.orelse) if is_in_block(node, b)]
    return sorted(branches, key=lambda block: -block[0].lineno)
