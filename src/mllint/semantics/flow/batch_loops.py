"""Which loops draw batches, which of them enclose those, and of which can nobody tell?

A loop over a loader draws batches, and so does one that takes each of them from an iterator by hand. Names of loaders
and of what a loop binds say it where the values are unknown; that is uncertain, and marked so.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, find_range_len_operand, iterable_of, last_name, place, walk
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values.evaluate import element_of, evaluate
from mllint.semantics.values.values import (
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Flow, LoopRole, LoopRun
    from mllint.semantics.values.frames import Frame

__all__ = ["find_batch_iterator", "give_roles"]


def give_roles(flow: Flow) -> None:
    """Say of each loop of a flow which draw batches, and which enclose those."""
    inside: dict[int, list[LoopRun]] = {}
    for run in flow.runs:
        for outer in run.outer:
            inside.setdefault(id(outer), []).append(run)
    computing, stepping = (
        {id(e.loops[-1]) for e in flow.by_kind.get(kind, ()) if e.loops}
        for kind in ("accumulates_grad", "applies_grad")
    )
    running = [e.loops for e in flow.by_kind.get("forward", ()) if e.loops]
    directly, within = {id(loops[-1]) for loops in running}, {id(run) for loops in running for run in loops}
    for run in reversed(flow.runs):
        trains = id(run) in computing and id(run) in stepping
        inner = inside.get(id(run), [])
        if id(run) in directly:  # what it draws, the model gets: what no model gets are rows of that
            inner = [i for i in inner if i.certain or id(i) in within]
        run.role, run.certain = _role(run, inner, trains)


def _role(run: LoopRun, inner: list[LoopRun], trains: bool) -> tuple[LoopRole, bool]:
    """The role of a loop.

    Args:
        run: the loop.
        inner: the loops inside of it that may draw batches.
        trains: whether it computes gradients and steps in each iteration, in none of those.

    Returns:
        "batch", "epoch" or "", and whether that is certain.
    """
    if run.iterates is not None and _draws_batches(run.iterates, run.frame):
        return "batch", True
    batches = [i for i in inner if i.role == "batch" and find_batch_iterator(i) is None]
    if batches:
        if isinstance(run.node, ast.For) and _evaluates_at_times(run, batches):
            return "batch", False
        return "epoch", all(i.certain for i in batches)
    if find_batch_iterator(run) is not None and not (isinstance(run.node, ast.For) and _is_epoch(run)):
        return "batch", _counts_batches(run)
    if isinstance(run.node, ast.While):
        return "", False
    if _is_epoch(run):
        return "epoch", False
    if _is_strided_range(iterable_of(run.node.iter)):
        return "batch", False
    drawn = find_range_len_operand(run.node.iter) or run.node.iter  # `x` of `for i in range(len(x))`
    if _counts_batches(run):
        return "batch", True
    iterates = evaluate(drawn, run.frame)
    if _may_give_rows(iterates, run.frame):
        drawn_from = _text(drawn, run.frame)
        if is_about(drawn_from, Topic.ITERATED) or any(
            is_about(place(n) or "", Topic.BATCHES) for n in walk(run.node.target)
        ):
            return "batch", False
        if _is_pair(run.node.target) or (trains and _reads_all_it_gives(run.node)):
            return "batch", False
    return "", False


def _evaluates_at_times(run: LoopRun, inner: list[LoopRun]) -> bool:
    """Is it a loop over one loader, by its name, in which another is walked through at times, under a condition?"""
    drawn = place(find_range_len_operand(run.node.iter) or iterable_of(run.node.iter)) or ""
    return is_about(drawn, Topic.LOADERS) and not _is_epoch(run) and all(i.decided > run.decided for i in inner)


def _counts_batches(run: LoopRun) -> bool:
    """Is it `for i in range(len(loader))`, so that each iteration is one batch?"""
    drawn = find_range_len_operand(run.node.iter) if isinstance(run.node, ast.For) else None
    return drawn is not None and _draws_batches(evaluate(drawn, run.frame), run.frame)


def _is_epoch(run: LoopRun) -> bool:
    """Does the variable of a loop say that it counts epochs?"""
    return is_about(" ".join(place(n) or "" for n in walk(run.node.target)), Topic.EPOCHS)


def find_batch_iterator(run: LoopRun) -> Node:
    """The iterator, made before the loop, that each iteration draws a batch from: `batch = next(batches)`; or None."""
    queue = list(run.node.body)
    while queue:
        statement = queue.pop()
        if isinstance(statement, (ast.With, ast.Try, ast.If)):
            queue += statement.body
        elif isinstance(statement, ast.Assign):
            match statement.value:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name() | ast.Attribute(), *_]):
                    return statement.value.args[0]
    return None


def _is_pair(target: Node) -> bool:
    """Does a loop bind inputs and their truth, by name: `for x, y in part`, `for i, (images, labels) in ...`?"""
    match target:
        case ast.Tuple(elts=[ast.Name(), ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)])]):
            return bool(is_about(one, Topic.INPUTS) and is_about(other, Topic.ANSWERS))
        case ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)]):
            return bool(is_about(one, Topic.INPUTS) and is_about(other, Topic.ANSWERS))
    return False


def _reads_all_it_gives(loop: ast.For) -> bool:
    """Does a loop read everything that it unpacks in each iteration?"""
    unpacked = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    read = {n.id for s in loop.body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return len(unpacked) > 1 and unpacked <= read


def _is_strided_range(node: Node) -> bool:
    """Is it `range(0, n, batch_size)`?"""
    if not isinstance(node, ast.Call) or last_name(node.func) not in ("range", "trange") or len(node.args) != 3:
        return False
    return is_about(last_name(node.args[2]), Topic.SIZES)


def _draws_batches(value: Value, frame: Frame) -> bool:
    """Does iterating over the value (or what it wraps) give batches of a loader?"""
    element = element_of(value, frame)
    found = [v for w in element.alternatives for v in ((w,) if not isinstance(w, SequenceValue) else w.parts)]
    return any("Batch" in v.traits for part in found for v in part.alternatives)


def _may_give_rows(value: Value, frame: Frame) -> bool:
    """Does iterating over it give something unknown, also with a counter (`enumerate(loader)`), or pairs of tensors?"""
    element = element_of(value, frame)
    parts = [part for v in element.alternatives for part in (v.parts if isinstance(v, SequenceValue) else (v,))]
    if any(isinstance(v, UnknownValue) and v.name is None for part in parts for v in part.alternatives):
        return True
    return len(parts) > len(element.alternatives) and all(isinstance(part, TensorValue) for part in parts)


def _text(node: Node, frame: Frame, depth: int = 3) -> str:
    """The names that an iterable is made of; behind a name (`bar = tqdm(train_loader)`) those of its value."""
    match node:
        case ast.Call():
            return " ".join(_text(a, frame, depth) for a in node.args)
        case ast.IfExp():
            return f"{_text(node.body, frame, depth)} {_text(node.orelse, frame, depth)}"
        case ast.Subscript():
            return _text(node.value, frame, depth)
        case ast.Name() if depth:
            values = [b.value for b in frame.function.bindings.get(node.id, ()) if b.kind == "assign" and not b.path]
            shown = (
                _text(v, frame, depth - 1)
                for v in values
                if isinstance(v, (ast.Call, ast.IfExp)) and _is_iteration_wrapper(v)
            )
            return " ".join((node.id, *shown))
    return place(node) or ""


def _is_iteration_wrapper(node: Node) -> bool:
    """Is it the same iterable with a bar, or with numbers?"""
    if isinstance(node, ast.IfExp):
        return _is_iteration_wrapper(node.body) or _is_iteration_wrapper(node.orelse)
    return isinstance(node, ast.Call) and last_name(node.func) in ("tqdm", "enumerate", "iter", "track", "cycle", "zip")
