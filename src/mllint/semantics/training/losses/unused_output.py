"""Is the loss computed without what the model gave, which nothing reads?

    output = model(image)
    loss = criterion(image, target)
    loss.backward()

The model runs, its output is bound and never read, and the loss is made of the batch alone. Two things must be certain:
nobody reads the output anywhere in the function, and nothing in the loss can come from the model on another way. So
every name in the loss leads to the batch, through criteria of a library, functions of the project that give no graph,
or what a function is handed under the name of a criterion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES, TRANSPOSES
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.training.gradients.computing import is_criterion_call
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import has_role_name
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.settings import is_settings_name
from mllint.semantics.values.values import (
    GraphBreak,
    InstanceValue,
    TensorValue,
    UnknownValue,
)

__all__ = ["data_for_criterion", "unread_output"]

_ASKED = ("parameters", "train", "zero_grad")
_METHODS = SAME_ENTRIES | TRANSPOSES | {"norm", "mean", "sum", "backward"}


def unread_output(backward: Event, loss: Node) -> ast.Call | None:
    """The call of a model next to a backward whose output nothing reads, where the loss is made of the batch alone.

    Args:
        backward: the backward.
        loss: the expression that it starts from, or what computed it.
    """
    function = backward.function
    if isinstance(function.node, ast.Lambda):
        return None
    unread = [c for c in _unread(function) if _is_before_backward(c, backward) and _is_called_in_loop(c, backward)]
    if not any(_is_model(c, backward) for c in unread):
        return None
    runs = [c for c in function.calls if _is_before_backward(c, backward) and _is_called_in_loop(c, backward)]
    unread = [c for c in runs if _is_model(c, backward)]
    if not all(any(c is other for other in _unread(function)) for c in unread):
        return None
    given = {n.id for c in unread for a in c.args for n in walk(a) if isinstance(n, ast.Name)}
    return unread[-1] if _is_from_batch(loss, backward, given, 8) else None


def data_for_criterion(backward: Event, loss: Node) -> GraphBreak | None:
    """The `.data` of the prediction that an unknown criterion is given with the batch, `criterion(out.data, y)`. Such a
    criterion may have parameters of its own; who trains these alone says `detach()`."""
    if not isinstance(loss, ast.Call) or not is_criterion_call(Call(loss, backward.frame)):
        return None
    first, *others = loss.args
    value = evaluate(first, backward.frame)
    if not value.is_detached or value.all_breaks[0].how != "data" or not Call(loss, backward.frame).callee.is_unknown:
        return None
    return value.all_breaks[0] if all(_is_from_batch(other, backward, set(), 8) for other in others) else None


def _is_before_backward(call: ast.Call, backward: Event) -> bool:
    """Does a call stand before a backward, be it on the same line?"""
    return bool((call.lineno, call.col_offset) < (backward.call.lineno, backward.call.col_offset))


def _is_called_in_loop(call: ast.Call, backward: Event) -> bool:
    """Does a call stand in the innermost loop of a backward, or in its function if that one has no loop?"""
    run = backward.loops[-1] if backward.loops else None
    return run is None or run.frame is not backward.frame or is_within(call, run.node)


def _is_model(call: ast.Call, backward: Event) -> bool:
    """Is a module with parameters called, or something unknown by the name of a model, with something in hand?"""
    callee = evaluate(call.func, backward.frame)
    if isinstance(callee, UnknownValue):
        named = has_role_name(place(call.func), Role.MODEL)
        return bool(call.args) and (named or _used_as_model(call.func, backward.function))
    return callee.instance_of(MODULE) and any(v.graph for v in evaluate(call, backward.frame).alternatives)


def _used_as_model(func: Node, function: FunctionScope) -> bool:
    """Is what is called asked for its parameters, or told its mode, in the same file?"""
    name = place(func)
    calls = (c.func for word in _ASKED for c, _ in function.module.calls_by_name.get(word, ()))
    return name is not None and any(isinstance(f, ast.Attribute) and place(f.value) == name for f in calls)


@cached_per_scope(local=True)
def _unread(function: FunctionScope) -> list[ast.Call]:
    """The calls whose results are bound to names that a function never reads."""
    bound: dict[int, list[str]] = {}
    calls: list[ast.Call] = []
    for name, found in function.bindings.items():
        for binding in found:
            if binding.kind == "assign" and isinstance(binding.value, ast.Call):
                bound.setdefault(id(binding.value), []).append(name)
                calls.append(binding.value)
    if not calls or {"locals", "vars"} & function.called_names:
        return []
    read = {n.id for n in function.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load)}
    return [c for c in calls if not any(n in read or "." in n or "[" in n for n in bound[id(c)])]


def _is_from_batch(node: Node, backward: Event, given: set[str], depth: int) -> bool:
    """Does everything in an expression come from the batch, or from what the model was given as well?"""
    frame = backward.frame
    if depth == 0:
        return False
    if isinstance(node, ast.Name):
        return _is_name_from_batch(node, backward, given, depth)
    if isinstance(node, (ast.Constant, ast.Attribute)) and evaluate(node, frame).literal is not None:
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return is_settings_name(node.value) or _is_from_batch(node.value, backward, given, depth - 1)
    if isinstance(node, ast.Call):
        return _is_loss_of_batch(Call(node, frame), backward, given, depth)
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List)):
        parts = list(_parts(node))  # an empty list is filled by somebody: a hook
        return bool(parts) and all(_is_from_batch(part, backward, given, depth - 1) for part in parts)
    return isinstance(node, ast.Constant)


def _parts(node: Node) -> Iterator[Node]:
    match node:
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            yield from elts


def _is_name_from_batch(node: ast.Name, backward: Event, given: set[str], depth: int) -> bool:
    """Is a name bound by a loop around the backward, computed from the batch, or a parameter that the model is given
    too, or that is called a target?"""
    found = bound_at(node, backward.function)
    if not found and backward.function.is_body:
        return _is_data(node.id, given)
    loops = [r.node for r in backward.loops if r.frame is backward.frame and isinstance(r.node, ast.For)]
    for binding in found:
        if binding.kind == "for" and any(is_within(binding.node, loop) for loop in loops):
            continue
        if binding.kind == "param" and _is_data(node.id, given):
            continue
        if binding.kind != "assign" or binding.value is None:
            return False
        if not _is_from_batch(binding.value, backward, given, depth - 1):
            return False
    return bool(found)


def _is_data(name: str, given: set[str]) -> bool:
    """Is it something that the model is given as well, or by its name the truth?"""
    return name in given or has_role_name(name, Role.TARGET)


def _is_loss_of_batch(call: Call, backward: Event, given: set[str], depth: int) -> bool:
    """Is it a criterion of the batch, a method of a tensor of it, or a function that adds no graph to it?"""
    func, result = call.node.func, call.value
    if isinstance(func, ast.Name) and func.id == "next":
        return True  # the next batch
    arguments = [*call.node.args, *(k.value for k in call.node.keywords if k.arg != "reduction")]
    if isinstance(func, ast.Attribute) and last_name(func) in _METHODS and not isinstance(call.callee, InstanceValue):
        if _is_from_batch(func.value, backward, given, depth - 1):
            return True
    known = bool(call.callees) and isinstance(result, TensorValue) and not (result.graph or result.breaks)
    known = known and (not result.opaque or all(f.stubbed for f in call.callees))  # then what is given decides
    handed = isinstance(func, ast.Name) or last_name(getattr(func, "value", None)) == "self"
    named = has_role_name(last_name(func), Role.CRITERION, Role.LOSS) and len(call.node.args) > 1
    if not known and not (handed and call.callee.is_unknown and named):
        return False
    if isinstance(func, ast.Attribute) and _is_tensor(func.value, call.frame):
        return _is_from_batch(func.value, backward, given, depth - 1)
    return all(_is_from_batch(a, backward, given, depth - 1) or _is_constant_or_option(a) for a in arguments)


def _is_tensor(node: Node, frame: Frame) -> bool:
    """Is a method of a tensor called, and not a function of a module?"""
    return isinstance(evaluate(node, frame), TensorValue)


def _is_constant_or_option(node: Node) -> bool:
    """Is it a constant, a flag, or an option of a run?"""
    return isinstance(node, ast.Constant) or is_settings_name(getattr(node, "value", None))
