"""Does an evaluation record a graph that nobody uses?"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks.evaluation._excused import called_without, costs_little, of_one_sample
from mllint.checks.evaluation._frozen import frozen
from mllint.checks.evaluation._measuring import (
    differentiates,
    in_eval_mode,
    innermost,
    is_statement,
    name,
    named,
    once,
    samples,
    trains_somewhere,
    unlooped,
)
from mllint.rule import Finding, Note, check
from mllint.semantics import Creates, Flow, Forward, Site

__all__: list[str] = []


@check("missing-no-grad")
def missing_no_grad(flow: Flow) -> Iterator[Finding]:
    """A loop over evaluation data builds a graph that nobody uses."""
    if any(named(e, "set_grad_enabled") for e in flow.events(Creates)) or called_without(flow):
        return
    told: set[int] = set()
    for run in flow.runs:
        if run.role == "epoch" or isinstance(run.node, ast.While) or once(run, told):
            continue
        if trains_somewhere(run, flow) or differentiates(run, flow):
            continue
        for forward in flow.events(Forward):
            if innermost(forward) is not run or forward.grad_off is not False or is_statement(forward):
                continue
            if not run.role and not samples(forward, flow):
                continue
            if any(innermost(e) is run and e.grad_off and e.concerns(forward) for e in flow.events(Forward)):
                continue  # `else: with torch.no_grad():`, so that this one is meant to have gradients
            if in_eval_mode(forward, flow) and not frozen(forward, flow):
                told.update((id(run.node), id(forward.call)))
                yield Finding(
                    run,
                    f"`{name(forward)}` is evaluated without `no_grad`: autograd records a graph that nobody uses",
                    primary="no `no_grad` around this loop",
                    labels=[Note(forward, "builds a graph")],
                    certain=not costs_little(forward),
                )
                break
    for forward in flow.events(Forward):
        if id(forward.call) in told:
            continue
        if forward.grad_off is False and unlooped(forward, flow) and not is_statement(forward):
            if in_eval_mode(forward, flow) and not frozen(forward, flow):
                again = bool(forward.loops) or not flow.root.is_body  # once, at the end, it costs little
                yield Finding(
                    Site(forward.frame.module, forward.call),
                    f"`{name(forward)}` is evaluated without `no_grad`: autograd records a graph that nobody uses",
                    primary="no `no_grad` around it",
                    certain=again and not (costs_little(forward) or of_one_sample(forward)),
                )
