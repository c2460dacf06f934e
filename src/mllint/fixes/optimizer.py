"""Fixes of the family `optimizer`: the order of clear, backward, unscale, clip and step."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import (
    Change,
    after,
    around,
    around_call,
    before,
    blocks_around,
    moved,
    removed,
    replaced,
    segment,
    spot,
    statement,
)
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import (
    Call,
    ClipsGrad,
    Event,
    Flow,
    LoopRun,
    Site,
    UnscalesGrad,
    evaluate,
    last_name,
    place,
    walk,
)

__all__: list[str] = []


@fix("missing-zero-grad")
def clear_before_backward(finding: Finding) -> Proposal:
    """`optimizer.zero_grad()` before the backward; one that runs too rarely moves there."""
    at, step = finding.at, finding.labels[-1].at
    if not isinstance(at, Event) or not isinstance(step, Event):
        raise Unsure
    if at.kind == "clears_grad":
        backward = finding.labels[0].at
        if not isinstance(backward, Event) or not _run_equally_often(backward, step):
            raise Unsure
        if at.loops and at.loops[-1].frame.function is not at.function:
            raise Unsure
        moving = statement(at.site)
        return Proposal("Zero the gradients before each `backward()`", moved(moving, ahead_of=_first(backward, step)))
    if not _run_equally_often(at, step):
        raise Unsure
    line = f"{_optimizer(step)}.zero_grad()"
    return Proposal(f"Call `{line}` before each `backward()`", before(_first(at, step), line))


def _run_equally_often(backward: Event, step: Event) -> bool:
    """Do a backward and a step run equally often, in one function?"""
    return backward.function is step.function and bool(step.loops) and _alike(backward, step)


def _alike(one: Event, other: Event) -> bool:
    """Do two things happen equally often: in the same loops, under the same conditions?"""
    conditions = [[(id(test), holds) for test, holds, _ in event.conditions] for event in (one, other)]
    return one.loops == other.loops and conditions[0] == conditions[1]


def _first(backward: Event, step: Event) -> Site:
    """The statement of the loop that computes the first gradients for a step."""
    body = step.loops[-1].node.body
    calls = [n for s in body for n in walk(s) if isinstance(n, ast.Call) and last_name(n.func) == "backward"]
    if len(calls) != 1 or calls[0] is not backward.call:
        raise Unsure
    found = statement(backward.site)
    if not isinstance(found.node, ast.Expr):
        raise Unsure
    return found


def _optimizer(step: Event) -> str:
    """The optimizer of a step, as written: also of `scaler.step(optimizer)`."""
    if not isinstance(step.call, ast.Call) or last_name(step.call.func) != "step":
        raise Unsure
    if not step.call.args and not step.call.keywords:
        return around_call(step.site)
    if len(step.call.args) == 1 and not step.call.keywords and place(step.call.args[0]) is not None:
        receiver = Call(step.call, step.frame).receiver
        if receiver is not None and any("Scaler" in v.class_name for v in receiver.alternatives):
            return segment(Site(step.site.module, step.call.args[0]))
    raise Unsure


@fix("step-before-backward")
def step_behind_backward(finding: Finding) -> Proposal:
    """The step moves behind the backward."""
    step = finding.at
    later = next((n.at for n in finding.labels if isinstance(n.at, Event) and n.at.kind == "accumulates_grad"), None)
    if not isinstance(step, Event) or later is None or later.function is not step.function:
        raise Unsure
    own, target = statement(step.site), spot(statement(later.site))
    if spot(own).block is not target.block or not isinstance(own.node, ast.Expr):
        raise Unsure
    last = _last_before_step(later, finding)
    target = spot(Site(step.site.module, last)) if last is not None and last in target.block else target
    return Proposal("Step after `backward()`", moved(own, behind=Site(step.site.module, target.statement)))


def _last_before_step(backward: Event, finding: Finding) -> Any:
    """The last statement behind a backward that unscales or clips what it computed; None if there is none."""
    flow = next(iter(finding.about), None)
    events = flow.events(ClipsGrad, UnscalesGrad) if isinstance(flow, Flow) else ()
    beside = [e for e in events if e.function is backward.function and e.loops == backward.loops]
    block = spot(statement(backward.site)).block
    lines = [e.site.line for e in beside if e.site.line > backward.site.line]
    behind = [s for s in block if any(s.lineno <= line <= (s.end_lineno or 0) for line in lines)]
    return behind[-1] if behind else None


@fix("step-before-backward")
def run_backward(finding: Finding) -> Proposal:
    """A backward that is missing runs where the loss is computed and the gradients are cleared."""
    step, clear = finding.at, next((n.at for n in finding.labels if isinstance(n.at, Event)), None)
    if not isinstance(step, Event) or clear is None or len(finding.labels) != 1 or clear.kind != "clears_grad":
        raise Unsure
    here = spot(statement(step.site))
    losses: list[Any] = [s for s in here.block[: here.place] if _is_loss(s, step)]
    if len(losses) != 1 or clear.function is not step.function:
        raise Unsure
    cleared = spot(statement(clear.site))
    late = cleared.block is here.block and cleared.statement.lineno > losses[0].lineno
    line = f"{losses[0].targets[0].id}.backward()"
    behind = Site(step.site.module, cleared.statement if late else losses[0])
    return Proposal(f"Call `{line}` before the step", after(behind, line))


def _is_loss(node: Any, step: Event) -> bool:
    """Does a statement give a loss with its graph a name?"""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return False
    value = evaluate(node.value, step.frame)
    return value.is_("Loss") and value.is_attached


@fix("clip-before-unscale")
def unscale_first(finding: Finding) -> Proposal:
    """`scaler.unscale_(optimizer)` before the clip."""
    clip, step = finding.at, finding.labels[-1].at
    if not isinstance(clip, Event) or not isinstance(step, Event) or clip.function is not step.function:
        raise Unsure
    if not _alike(clip, step):
        raise Unsure  # gradients may be unscaled once before a step
    optimizer = _optimizer(step)
    scaler = around_call(step.site)
    if optimizer == scaler:
        raise Unsure
    line = f"{scaler}.unscale_({optimizer})"
    here = spot(statement(clip.site))
    late = [s for s in here.block[here.place :] if segment(Site(clip.site.module, s)) == line]
    if late:
        moving = moved(Site(clip.site.module, late[0]), ahead_of=Site(clip.site.module, here.statement))
        return Proposal(f"Call `{line}` before the clip", moving)
    return Proposal(f"Call `{line}` before the clip", before(statement(clip.site), line))


@fix("unnormalized-accumulation")
def divide_the_loss(finding: Finding) -> Proposal:
    """The loss is divided by the number of micro-batches."""
    if len(finding.about) != 1 or not isinstance(finding.at, Event):
        raise Unsure
    count, call = _divisor(finding.about[0]), finding.at.call
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        raise Unsure
    module = finding.at.site.module
    number = segment(Site(module, count))
    loss: Any = call.func.value
    if isinstance(loss, ast.Call) and last_name(loss.func) == "scale" and len(loss.args) == 1:
        loss = loss.args[0]
        changes: list[Change] = around(Site(module, loss), "", f" / {number}")
    else:
        changes = around(Site(module, loss), "(", f" / {number})")
    if place(loss) is None and not isinstance(loss, ast.Call):
        raise Unsure
    return Proposal(f"Divide the loss by `{number}`", changes)


def _divisor(test: Any) -> Any:
    """`k` of `(i + 1) % k == 0`.

    Raises:
        Unsure: there is none, or more than one.
    """
    found = [n.right for n in walk(test) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)]
    if len(found) != 1 or (place(found[0]) is None and not isinstance(found[0], ast.Constant)):
        raise Unsure
    return found[0]


@fix("gradients-discarded")
def clear_ahead_of_backward(finding: Finding) -> Proposal:
    """The clear moves ahead of the only backward, where all three happen equally often."""
    clear, step = finding.at, finding.labels[-1].at
    backward = next((n.at for n in finding.labels if isinstance(n.at, Event) and n.at.kind == "accumulates_grad"), None)
    if not isinstance(clear, Event) or not isinstance(step, Event) or backward is None or step.kind != "applies_grad":
        raise Unsure
    if not _run_equally_often(backward, step) or not _alike(clear, step) or clear.function is not step.function:
        raise Unsure
    own, first = _alone(clear), _first(backward, step)
    if _is_cleared_before(first, step):
        return Proposal("Zero the gradients once, before `backward()`", removed(own))
    return Proposal("Zero the gradients before `backward()`", moved(own, ahead_of=first))


def _is_cleared_before(backward: Site, step: Event) -> bool:
    """Does the block of a backward clear the gradients of what steps before it?"""
    clear, here = f"{_optimizer(step)}.zero_grad", spot(backward)
    values = (s.value for s in here.block[: here.place] if isinstance(s, ast.Expr))
    return any(isinstance(v, ast.Call) and place(v.func) == clear for v in values)


@fix("gradients-discarded")
@fix("accumulation-reset")
def clear_behind_step(finding: Finding) -> Proposal:
    """The clear moves behind the step, under the condition of the step."""
    clear, step = finding.at, finding.labels[-1].at
    if not isinstance(clear, Event) or not isinstance(step, Event) or clear.function is not step.function:
        raise Unsure
    own, target = _alone(clear), _alone(step)
    if not _within(target, spot(own).block):
        raise Unsure
    return Proposal("Zero the gradients after the step", moved(own, behind=target))


@fix("ineffective-clipping")
def clip_before_step(finding: Finding) -> Proposal:
    """The clip moves before the step."""
    step, own = finding.labels[0].at, statement(finding.at.site)
    if not isinstance(step, Event) or finding.help or not isinstance(own.node, ast.Expr):
        raise Unsure
    target = _alone(step)
    if target.module is not own.module or spot(target).block is not spot(own).block:
        raise Unsure
    return Proposal("Clip before the step", moved(own, ahead_of=target))


@fix("grad-scaler-protocol")
def update_the_scale(finding: Finding) -> Proposal:
    """`scaler.update()` behind the only step of the scaler."""
    step = finding.at
    if not isinstance(step, Event) or finding.primary != "the scale never adapts":
        raise Unsure
    scaler = around_call(step.site)
    steps = [c for c in step.function.calls if place(c.func) == f"{scaler}.step"]
    if len(steps) != 1:
        raise Unsure
    line = f"{scaler}.update()"
    return Proposal(f"Call `{line}` after the step", after(statement(step.site), line))


@fix("optimizer-recreated")
def build_once(finding: Finding) -> Proposal:
    """What is built in each iteration is built before the loop; if it is built there already, once is enough."""
    run, own = finding.labels[0].at, statement(finding.at.site)
    if not isinstance(run, LoopRun) or not isinstance(own.node, ast.Assign):
        raise Unsure
    if _is_built_before(own, run):
        return Proposal("Keep the one that is built before the loop", removed(own))
    if own.node not in run.node.body:
        raise Unsure
    read = {n.id for n in walk(own.node.value) if isinstance(n, ast.Name)}
    inside = {n.id for n in walk(run.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if read & inside:
        raise Unsure  # what it is built of is another one in each iteration
    return Proposal("Build it once, before the loop", moved(own, ahead_of=Site(run.frame.module, run.node)))


def _is_built_before(own: Site, run: LoopRun) -> bool:
    """Does a block around a loop build the same, of the same, under the same name, before the loop?"""
    written = ast.dump(own.node)
    around_it = Site(run.frame.module, run.node)
    if own.module is not around_it.module or not any(n is own.node for n in walk(run.node)):
        return False
    read = {n.id for n in walk(own.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for block in blocks_around(around_it):
        for earlier in reversed(block):
            if ast.dump(earlier) == written:
                return True
            if read & {n.id for n in walk(earlier) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}:
                return False  # what it is built of is another one by now
    return False


@fix("ineffective-freeze")
def freeze_it(finding: Finding) -> Proposal:
    """`requires_grad_` is called on the module; a comparison becomes the assignment that was meant."""
    node, module = finding.at.site.node, finding.at.site.module
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = (segment(Site(module, side)) for side in (node.left, node.comparators[0]))
        return Proposal("Assign with one `=`", replaced(finding.at.site, f"{left} = {right}"))
    own = statement(finding.at.site)
    match own.node:
        case ast.Assign(
            targets=[ast.Attribute(value=owner, attr="requires_grad")], value=ast.Constant(value=bool() as value)
        ):
            line = f"{segment(Site(module, owner))}.requires_grad_({value})"
            return Proposal("Call `requires_grad_`", replaced(own, line))
    raise Unsure


def _alone(event: Event) -> Site:
    """The statement that is nothing but the call of an event."""
    own = statement(event.site)
    if not isinstance(own.node, ast.Expr) or own.node.value is not event.call:
        raise Unsure
    return own


def _within(site: Site, block: list[ast.stmt]) -> bool:
    """Is a statement in a block, at any depth?"""
    return any(s is site.node or (s.lineno <= site.line <= (s.end_lineno or 0)) for s in block)
