"""Fixes of the family `scheduler`: `scheduler.step()` in the loop that the schedule counts, behind the optimizer's."""

from __future__ import annotations

import ast

from mllint.fixes.edits import ancestor, moved, spot, statement
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import AppliesGrad, Event, Flow, LoopRun, Site

__all__: list[str] = []


@fix("epoch-scheduler-per-batch")
def tick_per_epoch(finding: Finding) -> Proposal:
    """The tick moves behind the loop over batches."""
    tick = _tick(finding.at)
    run = next((n.at for n in finding.labels if isinstance(n.at, LoopRun)), None)
    if run is None or run.frame.function is not tick.function or statement(tick.site).node not in run.node.body:
        raise Unsure
    if not run.outer:
        raise Unsure  # the loop over epochs is elsewhere, or there is none
    target = Site(run.frame.module, run.node)
    return Proposal("Step the scheduler once per epoch", moved(statement(tick.site), behind=target))


@fix("batch-scheduler-per-epoch")
def tick_per_batch(finding: Finding) -> Proposal:
    """The tick moves into the loop over batches, behind the step."""
    tick = _tick(finding.at)
    run = next((n.at for n in finding.labels if isinstance(n.at, LoopRun)), None)
    flow = next(iter(finding.about), None)
    if run is None or not isinstance(flow, Flow) or run.frame.function is not tick.function:
        raise Unsure
    steps = [e for e in flow.events(AppliesGrad) if run in e.loops and e.function is tick.function]
    if len(steps) != 1:
        raise Unsure
    step = ancestor(steps[0].site, run.node.body)
    return Proposal("Step the scheduler after every batch", moved(statement(tick.site), behind=step))


@fix("scheduler-before-optimizer")
def tick_behind_step(finding: Finding) -> Proposal:
    """The tick moves behind the statement in which the optimizer steps."""
    tick, step = _tick(finding.at), finding.labels[0].at
    if not isinstance(step, Event) or step.function is not tick.function:
        raise Unsure
    own = statement(tick.site)
    behind = ancestor(step.site, spot(own).block)
    return Proposal("Step the scheduler after the optimizer", moved(own, behind=behind))


@fix("scheduler-per-microbatch")
def tick_with_step(finding: Finding) -> Proposal:
    """The tick moves behind the step of the optimizer, under its condition."""
    tick, step = _tick(finding.at), finding.labels[-1].at
    if not isinstance(step, Event) or step.function is not tick.function:
        raise Unsure
    return Proposal(
        "Step the scheduler where the optimizer steps", moved(statement(tick.site), behind=statement(step.site))
    )


def _tick(at: object) -> Event:
    """The event, if it is a statement of its own.

    Raises:
        Unsure: it is not.
    """
    if not isinstance(at, Event) or not isinstance(at.call, ast.Call):
        raise Unsure
    own = statement(at.site).node
    if not isinstance(own, ast.Expr) or own.value is not at.call:
        raise Unsure
    return at
