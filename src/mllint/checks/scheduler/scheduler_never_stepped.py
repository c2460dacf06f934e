"""Is a schedule that was built ever advanced?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, bindings_of, classes, has_unknown_ancestor, last_name, schedules, seeds, uses

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_ASSIGN = "assign it to a variable and call its `step()` in the training loop, or remove it"
_BY_HAND = "call `step()` on what `self.lr_schedulers()` returns, for example at the end of each epoch"
_WARM_UP = "the schedule stays at its first value: with a warm-up, that is zero or a small part of the peak"
_PLATEAU = "this scheduler never reduces the learning rate, even when the metric stops improving"

_CLASSES = """StepLR MultiStepLR ExponentialLR CosineAnnealingLR CosineAnnealingWarmRestarts LambdaLR MultiplicativeLR
OneCycleLR CyclicLR PolynomialLR LinearLR ConstantLR ReduceLROnPlateau SequentialLR ChainedScheduler get_scheduler
get_linear_schedule_with_warmup get_cosine_schedule_with_warmup get_constant_schedule_with_warmup
get_polynomial_decay_schedule_with_warmup get_cosine_with_hard_restarts_schedule_with_warmup"""
_WITH_WARM_UP = {name for name in _CLASSES.split() if name.endswith("_with_warmup")} | {"get_scheduler", "OneCycleLR"}


@check("scheduler-never-stepped", calls=_CLASSES)
def scheduler_never_stepped(call: Call) -> Iterator[Finding]:
    """A scheduler is built, and nothing ever advances it."""
    cls = call.value.classes[0] if call.value.instance_of(classes.SCHEDULER) else None
    if cls is None or not (cls.module.is_stub or "step" not in cls.methods) or not _trains(call):
        return
    if seeds.is_test_code(call.module):
        return  # a test of how it is prepared, saved ...
    by_hand = uses.find_manual_optimization(call)
    if by_hand is not None:
        message = f"`{call.name}(...)` is never advanced: with manual optimization, Lightning does not step it"
        notes = [Note(by_hand, "manual optimization from here on")]
        yield Finding(call, message, "its `step()` is never called", notes, help=_BY_HAND, why=_why(call))
        return
    if call.is_statement:
        message = f"the scheduler `{call.name}(...)` is created and discarded"
        yield Finding(call, message, "never advanced", help=_ASSIGN, why=_why(call))
        return
    bound = bindings_of(call.node, call.function)
    if not bound and (name := uses.left_unread_as(call)):
        yield Finding(
            call,
            f"`{name}` is built, but its `step()` is never called",
            "never advanced",
            help=_advance(name, call),
            why=_why(call),
        )
    if len(bound) != 1 or bound[0].path or bound[0].kind != "assign":
        return
    name = bound[0].name
    owner = call.function.owner
    if "." in name and owner is not None and has_unknown_ancestor(owner):
        return  # a base that is not seen may advance it: a framework's trainer
    if uses.is_used(call, name) or not _stepping(call):
        return
    message = f"`{name}` is built, but its `step()` is never called"
    forgotten = (uses.is_forgotten(call),)
    yield Finding(call, message, "never advanced", help=_advance(name, call), why=_why(call), evidence=forgotten)


def _advance(name: str, call: Call) -> str:
    if call.value.instance_of(schedules.PLATEAU):
        return (
            f"call `{name}.step(metric)` once per epoch, for example with the validation loss, or remove the scheduler"
        )
    return f"call `{name}.step()` in the training loop, or remove the scheduler"


def _why(call: Call) -> str:
    """What the learning rate stays at, where it is not just the first value of the schedule, as the page says."""
    if call.value.instance_of(schedules.PLATEAU):
        return _PLATEAU
    return _WARM_UP if last_name(call.node.func) in _WITH_WARM_UP else ""


def _trains(call: Call) -> bool:
    """Does the project train at all, or may what is given the optimizer in a loop?"""
    if call.function.name == "configure_optimizers":
        return True  # Lightning's, which trains by itself
    seen = call.project.calls_named("backward") or call.project.calls_named("step")
    return bool(seen) or uses.is_optimizer_given_in_loop(call)


def _stepping(call: Call) -> bool:
    """Is the optimizer used for anything but its schedules, and their preparation? One that is not trains nothing."""
    given = uses.optimizer_expression(call.node)
    if not isinstance(given, ast.Name) or given.id not in call.function.bindings:
        return True
    if any(b.kind != "assign" for b in call.function.bindings[given.id]):
        return True
    if call.function.is_body and any(
        uses.imports_name(m, given.id, call.module) for m in call.project.modules if m is not call.module
    ):
        return True
    return uses.is_read_in(call.function.node, given.id, attribute=False, call=call)
