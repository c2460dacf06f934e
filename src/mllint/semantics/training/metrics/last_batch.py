"""Is what is read behind an evaluation of its last batch only?

    for x, y in val_loader:
        accuracy = (net(x).argmax(1) == y).float().mean()      # a score, assigned in each iteration
    return accuracy                                            # `find_last_batch_reads`

    for x, y in val_loader:
        predicted = net(x).argmax(1)                           # an answer of the model
    f1_score(y, predicted)                                     # compared behind the loop: `find_last_batch_reads`

A name counts if each iteration of the loop assigns it, and none reads it but to show it: it then holds what the last
one left. Behind
the loop a score may be read in any way; an answer has to be compared, or given to a metric, since a program may well
show the last batch. What a function of the user's gives is read in that function.

A loop over batches goes through something that holds more than one: not through numbers, unless it cuts slices of one
size at them, nor through a loader that puts the whole dataset into one batch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from mllint.semantics.flow.flow import Flow, LoopRun
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import LOADER
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, is_range_iterable, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.metrics.averages import without_number_conversion
from mllint.semantics.training.metrics.resets import answers_in, find_measuring_loops, is_computed_from_calls, is_length
from mllint.semantics.training.roles import Role, has_role_name
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bound_values, resolve_name

__all__ = ["LastBatch", "find_last_batch_reads"]

_SHOWING = frozenset("print set_postfix set_postfix_str set_description set_description_str".split())
"""The function, and the methods of a progress bar, that show something while a loop runs."""
_LIBRARIES = ("sklearn.metrics", "torchmetrics")


class LastBatch(NamedTuple):
    """What the last batch leaves.

    Attributes:
        name: its place.
        read: where it is read as if it were of all batches.
        started: where each batch sets it.
        kind: a loss, a share or number of correct predictions, or a score that is no mean over samples.
    """

    name: str
    read: Site
    started: Site
    kind: Literal["loss", "hits", "score"]


def find_last_batch_reads(flow: Flow) -> Iterator[LastBatch]:
    """What is read behind the loop over the batches of an evaluation as if it were of all of them, and is of one."""
    for run, _ in find_measuring_loops(flow):
        if not _draws_several(run):
            continue
        function, module = run.frame.function, run.frame.module
        turns = {id(value) for value in _assigned_in_each_turn(run.node.body)}
        bindings = [b for bs in function.bindings.values() for b in bs if id(b.value) in turns]
        answers = answers_in(run, flow) if bindings else set()
        for binding in bindings:
            read = _read_as_all(binding, run, answers)
            if read is not None and not _used_inside(binding, run.node, function):
                kind = _kind(list(bound_values(binding, run.frame)))
                yield LastBatch(binding.name, Site(module, read), Site(module, binding.node), kind)


def _read_as_all(binding: Binding, run: LoopRun, answers: set[int]) -> Node:
    """Where a binding of a loop is read behind it as what it is not."""
    function = run.frame.function
    readings = _readings_behind(binding, run.node, function)
    if not readings or _is_differentiated(binding.name, function):
        return None
    values = list(bound_values(binding, run.frame))
    if values and all(_is_score(v) or (_draws_from_loader(run) and _is_measure(v)) for v in values):
        return readings[0]
    if _draws_from_loader(run) and is_computed_from_calls(binding.value, answers, function):
        ids = {id(n) for n in readings}
        compared = (n for n in walk(function.node) if _compares(n, run.frame) and ids & {id(m) for m in walk(n)})
        return next(compared, None)
    return None


def _is_differentiated(name: str, function: FunctionScope) -> bool:
    """Is it the loss of a step behind the loop?"""
    return any(
        last_name(c.func) == "backward" and place(getattr(c.func, "value", None)) == name for c in function.calls
    )


def _draws_several(run: LoopRun) -> bool:
    """Does a loop go through batches: not through numbers, nor through one batch of everything?"""
    if is_range_iterable(run.node.iter):
        return _slices(run.node)
    built = evaluate(iterable_of(run.node.iter), run.frame).built_with
    if built is None:
        return True
    size = built.keywords.get("batch_size") or (built.positional[1] if len(built.positional) > 1 else None)
    return not is_length(resolve_name(size, built.frame.function))


def _slices(loop: Node) -> bool:
    """Does a loop go through rows by slices of one size: `for i in range(0, len(rows), size): rows[i : i + size]`?"""
    numbers, at = iterable_of(loop.iter), place(loop.target)
    size = place(numbers.args[2]) if len(numbers.args) == 3 else None
    if size is None:
        return False
    for node in walk(loop):
        match node:
            case ast.Slice(lower=lower, upper=ast.BinOp(left=left, op=ast.Add(), right=right)):
                if place(lower) == at == place(left) and place(right) == size:
                    return True
    return False


def _draws_from_loader(run: LoopRun) -> bool:
    if is_range_iterable(run.node.iter):
        return _slices(run.node)
    drawn = iterable_of(run.node.iter)
    return evaluate(drawn, run.frame).instance_of(LOADER) or has_role_name(place(drawn), Role.LOADER)


def _assigned_in_each_turn(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """What every iteration of a loop assigns: in its body, in the `with` blocks in it, and in what runs unless the loop
    ends."""
    for statement in body:
        if isinstance(statement, ast.With):
            yield from (item.context_expr for item in statement.items)
            yield from _assigned_in_each_turn(statement.body)
        elif isinstance(statement, ast.If) and [type(s) for s in statement.orelse] == [ast.Break]:
            yield from _assigned_in_each_turn(statement.body)
        elif isinstance(statement, ast.Assign):
            yield statement.value


def _is_score(value: Origin) -> bool:
    """Is it a share of hits: `(pred == y).float().mean()`?"""
    nodes = walk(value.node)
    means = any(isinstance(n, ast.Call) and last_name(n.func) == "mean" for n in nodes)
    return means and any(isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq) for n in nodes)


def _kind(values: list[Origin]) -> Literal["loss", "hits", "score"]:
    """What kind of number some values are."""
    if values and all(evaluate(without_number_conversion(value.node), value.frame).is_("Loss") for value in values):
        return "loss"
    return "hits" if values and all(_is_score(value) or _counts_hits(value) for value in values) else "score"


def _is_measure(value: Origin) -> bool:
    """Is it a loss, a number of hits, or what a metric of a library gives?"""
    node = value.node
    return (
        _counts_hits(value)
        or evaluate(without_number_conversion(node), value.frame).is_("Loss")
        or (isinstance(node, ast.Call) and _is_metric(node, value.frame))
    )


def _counts_hits(value: Origin) -> bool:
    """Is it a number of hits: `(pred == y).sum()`?"""
    nodes = walk(value.node)
    counts = any(isinstance(n, ast.Call) and last_name(n.func) == "sum" for n in nodes)
    return counts and any(isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq) for n in nodes)


def _is_metric(node: ast.Call, frame: Frame) -> bool:
    functions = Call(node, frame).callees
    return bool(functions) and all(f.module.name.startswith(_LIBRARIES) for f in functions)


def _compares(node: Node, frame: Frame) -> bool:
    """Is it a comparison for equality, or a call of a metric of a library?"""
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], ast.Eq)
    return isinstance(node, ast.Call) and _is_metric(node, frame)


def _used_inside(binding: Binding, loop: Node, function: FunctionScope) -> bool:
    """Is it read in the loop itself, or may the loop end after its first iteration, but for a limit of iterations?"""
    limited = {id(end) for end in _limits(loop)}
    if any(isinstance(n, (ast.Break, ast.Return)) and id(n) not in limited for n in walk(loop)):
        return True
    known, shown = reaching(function).at, {id(n) for statement in walk(loop) for n in _shown(statement)}
    reads = (n for n in walk(loop) if place(n) == binding.name and id(n) not in shown)
    return any(is_within(n, loop) and binding in known.get(id(n), ()) for n in reads)


def _shown(statement: Node) -> list[Node]:
    """What a statement only shows: `print(hits)`, `bar.set_postfix(acc=hits / count)`."""
    match statement:
        case ast.Expr(value=ast.Call(func=func) as call) if last_name(func) in _SHOWING:
            return walk(call)
    return []


def _limits(loop: Node) -> Iterator[ast.stmt]:
    """The `break` of `if i >= limit: break`, and that of the other branch, where the loop enumerates with `i`."""
    target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
    counter = place(target) if last_name(getattr(loop.iter, "func", None)) == "enumerate" else None
    for node in walk(loop):
        match node:
            case ast.If(test=ast.Compare(left=ast.Name(id=name), comparators=[limit])) if name == counter:
                ends = [n for block in (node.body, node.orelse) if len(block) == 1 for n in walk(block[0])]
                yield from (end for end in ends if isinstance(end, ast.Break) and not isinstance(limit, ast.Constant))


def _readings_behind(binding: Binding, loop: Node, function: FunctionScope) -> list[Node]:
    """Where a name is read behind the loop, if what the loop bound can reach it."""
    known, end = reaching(function).at, loop.end_lineno or 0
    kind = binding.node.__class__ if isinstance(binding.node, (ast.Attribute, ast.Subscript)) else ast.Name
    behind = (n for n in function.nodes_of(kind) if n.lineno > end and place(n) == binding.name)
    return [n for n in behind if binding in known.get(id(n), ())]
