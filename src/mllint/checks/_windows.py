"""Does the optimizer step only every k-th micro-batch? What the optimizer and the scheduler rules share.

A step waits for a window when it stands in the same loop as the backward and a modulo test decides about it: by a
branch around it, by `if (i + 1) % k: continue` before it, or by a flag that was computed so. Or it stands below a loop
of its own that is counted in micro-batches: `for micro in range(accumulation_steps)`.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.pattern import Pattern
from mllint.semantics import Event, LoopRun
from mllint.semantics.lineage import Origin, origins
from mllint.semantics.module import last_name, walk

__all__ = ["at_turn", "counted", "skips", "window"]

_THROUGH = (ast.Name, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)


def window(step: Event, other: Event) -> Any:
    """The test that lets a step happen every k-th time only, while `other` happens each time; None if there is none.

    Args:
        step: the event that waits.
        other: an event in the same innermost loop.
    """
    if not other.loops or not step.loops:
        return None
    if other.loops[-1] is not step.loops[-1]:
        return micro_batches(other.loops[-1]) if other.loops[:-1] == step.loops else None
    if deciding := counting(step):
        shared = {id(test) for test, _, _ in other.conditions}
        for test in deciding:
            if id(test) not in shared:
                return test
    return next((test for test in skips(step, other) if counts(test, step.frame)), None)


_MICRO = Pattern("accum|micro|^iter_?size$")


def micro_batches(run: LoopRun) -> Any:
    """What a loop counts to, if it counts micro-batches by its name."""
    counts = run.node.iter if isinstance(run.node, ast.For) else None
    if not isinstance(counts, ast.Call) or last_name(counts.func) not in ("range", "trange") or len(counts.args) != 1:
        return None
    return counts if _MICRO.search(last_name(counts.args[0]).lower()) else None


def counted(event: Event) -> bool:
    """Does a modulo test decide about an event?"""
    return bool(counting(event))


def counting(event: Event) -> list[Any]:
    """The modulo tests that decide about an event."""
    known: list[Any] | None = event.memo.get("counting")
    if known is None:
        known = event.memo["counting"] = [test for test, _, frame in event.conditions if counts(test, frame)]
    return known


def at_turn(event: Event) -> bool:
    """Does a comparison with the number of the turn decide about an event, as `j == 0` and `j + 1 == n` do?"""
    targets = {n.id for run in event.loops for n in walk(getattr(run.node, "target", None)) if isinstance(n, ast.Name)}
    tests = [t for t, _, _ in event.conditions if isinstance(t, ast.Compare) and isinstance(t.ops[0], ast.Eq)]
    return any(isinstance(n, ast.Name) and n.id in targets for t in tests for n in walk(t))


def counts(test: Any, frame: Any) -> bool:
    """Is it a modulo test, or a name for one?"""
    memo, key = frame.project.reach.memo, ("counts", id(test), id(frame))
    known: bool | None = memo.get(key)
    if known is None:
        found = origins(test, frame, through=lambda origin: isinstance(origin.node, _THROUGH))
        known = memo[key] = any(modulo(origin) for origin in found)
    return known


def modulo(origin: Origin) -> bool:
    """Is it `a % b`, and not the formatting of a text?"""
    node = origin.node
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, (ast.Constant, ast.JoinedStr))
    )


def skips(step: Event, other: Event) -> list[Any]:
    """The tests of `if ...: continue` between two events of one function."""
    if step.function is not other.function:
        return []
    body = step.loops[-1].node.body
    return [
        s.test
        for s in body
        if isinstance(s, ast.If)
        and isinstance(s.body[-1], ast.Continue)
        and other.site.line < s.lineno < step.site.line
    ]
