"""Does a cosine that ends with the first epoch go on, and up again, through all that follow?

`CosineAnnealingLR(optimizer, T_max=len(loader))` falls to its minimum within one epoch. Advanced for every batch of
several epochs it rises for the second one, up to where it began. Whoever wants a new cosine in each epoch builds one
there, or takes `CosineAnnealingWarmRestarts`.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint.checks.scheduler._horizons import horizon
from mllint.semantics import Call, Event, LoopRun, Value
from mllint.semantics.evaluate import evaluate
from mllint.semantics.module import last_name, place, turned, within

__all__ = ["rises_again"]


def rises_again(tick: Event, schedule: Value, built: Call) -> LoopRun | None:
    """The loop over epochs around the batch loop of a tick, where the batches of one epoch are the whole cosine.

    Args:
        tick: what advances the schedule, in a batch loop.
        schedule: what is advanced.
        built: the call that built it.
    """
    found = horizon(built, schedule.of.name) if schedule.of.name == "CosineAnnealingLR" else None
    run, outer = tick.loops[-1], tick.loops[-2] if len(tick.loops) > 1 else None
    if found is None or len(found.lengths) != 1 or found.multiplied or found.divided or found.numbers or outer is None:
        return None
    if not isinstance(run.node, ast.For) or not _same_loader(found.lengths[0], built, run):
        return None
    if _once(outer) or any(_in_turn(built, r) for r in tick.loops):
        return None
    return outer if outer.role == "epoch" or _counted(outer) else None


def _same_loader(length: str, built: Call, run: LoopRun) -> bool:
    """Is it the length of what the batch loop goes through: the same object, or a place of the same name?"""
    iterated = turned(run.node.iter)
    given = built.argument("T_max")
    measured = given.node.args[0] if given is not None and _is_length(given.node) else None
    if measured is not None:
        same = evaluate(measured, built.frame).same_as(evaluate(iterated, run.frame))
        if same is not None:
            return same
    return length.rpartition(".")[2] == last_name(iterated) and bool(place(iterated))


def _is_length(node: object) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1


def _counted(run: LoopRun) -> bool:
    """Does a loop count to something, `for _ in range(n)`?"""
    source = run.node.iter if isinstance(run.node, ast.For) else None
    return isinstance(source, ast.Call) and last_name(source.func) in ("range", "trange")


def _in_turn(built: Call, run: LoopRun) -> bool:
    """Is it built anew in each turn of a loop, there or in a function that is called there?"""
    node, frame = built.node, built.frame
    while frame.function is not run.frame.function or not within(node, run.node):
        if frame.caller is None:
            return False
        frame, node = frame.caller
    return True


def _once(run: LoopRun) -> bool:
    """Does a loop over epochs have one round, as far as that is written?"""
    source = run.node.iter if isinstance(run.node, ast.For) else None
    last = source.args[-1] if isinstance(source, ast.Call) and len(source.args) == 1 else None
    return last is not None and evaluate(last, run.frame).literal == 1
