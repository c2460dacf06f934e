"""Are gradients that were applied used again, because nothing cleared them?

Asked from the harm: not "is there a `zero_grad()`?" but "is there a way from a step back to a step on which gradients
that were already used are used again?" (`semantics.training.gradients.state`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    ClearsGrad,
    Event,
    Flow,
    FunctionScope,
    Node,
    Site,
    Unknown,
    accumulation,
    call_text,
    clearing,
    gradients,
    is_within,
    mixing,
    place,
    roles,
    shown,
    statements,
)

__all__: list[str] = []

_RARELY = "`backward()` adds to `.grad`: each step follows the sum of all gradients since they were last zeroed"
_AGAIN = "zero the gradients again before the `backward()` of the other loss, or detach what this loss should not train"
_STEP_HOOKS = ("step_post", "step_pre", "optimizer_step_post", "optimizer_step_pre")


@check("missing-zero-grad")
def missing_zero_grad(flow: Flow) -> Iterator[Finding]:
    """Gradients are applied, then accumulated again, and never cleared in between."""
    reported: set[Site] = set()
    for step in sorted(flow.events(AppliesGrad), key=lambda s: s.option == "named"):  # the known ones first
        backward = gradients.find_backward_used_again(flow, step) if not _in_step(flow, step) else None
        if backward is None or backward.site in reported or _cleared_with_loss(flow, step, backward) or _hooked(flow):
            continue
        if clearing.zeroes_grad_in_forward(flow, backward):
            continue
        reported.add(backward.site)
        outside = _rarely_cleared(flow, step, backward)
        applied = Note(step, "gradients applied here")
        evidence = (clearing.is_left_uncleared(step, backward, outside),)
        if outside is not None:
            message = f"`{shown(outside)}` runs outside the batch loop, but `{shown(step)}` runs for every batch"
            if step.loops[-1].role != "batch" or not outside.loops:
                message = f"`{shown(outside)}` runs before the loop in which `{shown(step)}` is repeated"
            adds = Note(backward, "adds to the gradients of the previous step")
            yield Finding(outside, message, "zeroes too rarely", [adds, applied], why=_RARELY, evidence=evidence)
        else:
            message = f"gradients are not zeroed: `{shown(backward)}` adds to those of the previous step"
            yield Finding(
                backward, message, "adds to gradients that were already applied", [applied], evidence=evidence
            )
    yield from _of_two_losses(flow) if not reported else ()
    for step, backward in (*clearing.find_never_cleared_steps(flow), *clearing.find_uncleared_next_to_other(flow)):
        message = f"gradients are not zeroed between calls: this adds to those that `{shown(step)}` applied"
        yield Finding(
            backward, message, "adds to gradients that were already applied", [Note(step, "gradients applied here")]
        )


def _of_two_losses(flow: Flow) -> Iterator[Finding]:
    """The gradients of one loss reach the weights of an optimizer that another loss is meant for."""
    for mixed in mixing.find_mixed_gradients(flow):
        backward, other = mixing.told_apart(mixed.backward, mixed.other)
        step, applies = mixing.told_apart(mixed.own, mixed.step)
        own, applied_by = call_text(backward.module, backward.node), call_text(applies.module, applies.node)
        notes = [
            Note(step, "the step for this loss"),
            Note(other, "the `backward()` of the other loss"),
            Note(applies, "applies the gradients of both losses"),
        ]
        yield Finding(
            backward,
            f"`{own}` also adds to the gradients that `{applied_by}` applies: nothing zeroes them in between",
            "reaches the weights of both optimizers",
            [note for note in notes if note.at != backward],
            help=_AGAIN,
            why=f"the weights that `{applied_by}` updates follow the sum of two losses, and only one is meant for them",
        )


def _in_step(flow: Flow, step: Event) -> bool:
    """Are step and clear both counted by a modulo test, so that only arithmetic could tell whether they meet?"""
    steps = [step]
    if getattr(step.call, "args", ()):  # handed a closure, and another step is not: which of them depends on its kind
        steps += [s for s in flow.events(AppliesGrad) if s.concerns(step) and not getattr(s.call, "args", True)]
    return any(
        any(map(waits, steps)) and any(waits(clear) for clear in flow.events(ClearsGrad) if clear.concerns(step))
        for waits in (accumulation.is_counted, accumulation.is_at_iteration)
    )


def _rarely_cleared(flow: Flow, step: Event, backward: Event) -> Event | None:
    """A clear of the same optimizer around the loop of the step and the backward: in an outer loop, or above it."""
    for clear in flow.events(ClearsGrad):
        depth = len(clear.loops)
        meant = clear.concerns(step) or (clear.concerns(step) is None and gradients.is_alone(flow))
        if clear.loops == step.loops[:depth] and meant and (depth or gradients.is_called_with(clear, step)):
            if step.loops[depth:] and step.loops[depth] in backward.loops:
                return clear
    return None


def _cleared_with_loss(flow: Flow, step: Event, backward: Event) -> bool:
    """Does each branch that computes the loss clear as well, so that a way around all of them has no loss at all?"""
    call = backward.call
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not backward.loops:
        return False
    function, name = backward.function, place(call.func.value) or ""
    loop = backward.loops[-1].node
    clears = [e for e in flow.events(ClearsGrad) if e.function is function and e.concerns(step) is not False]
    blocks = [_branch(function, clear.site.node) for clear in clears if is_within(clear.site.node, loop)]
    bound = [b.node for b in function.bindings.get(name, ()) if b.kind == "assign"]
    inside = [node for node in bound if is_within(node, loop)]
    return bool(inside) and all(any(s is node or is_within(node, s) for b in blocks for s in b) for node in inside)


def _branch(function: FunctionScope, node: Node) -> list[Node]:
    """The smallest branch of an `if` that something is written in, as its statements; none if there is none."""
    tests = [s for s in statements(function) if isinstance(s, ast.If)]
    branches = [b for test in tests for b in (test.body, test.orelse) if any(is_within(node, s) for s in b)]
    return max(branches, key=lambda block: block[0].lineno, default=[])


def _hooked(flow: Flow) -> bool:
    """Does a hook run around each step of an optimizer, or something unknown clear gradients, whosever they are?"""
    if any(roles.is_clearing_name(str(e.option)) for e in flow.events(Unknown)):
        return True
    return any(flow.frame.project.calls_named(f"register_{name}_hook") for name in _STEP_HOOKS)
