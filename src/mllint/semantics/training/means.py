"""Is a loss the mean over a batch, whoever computed it?

What PyTorch's losses give is known by their stubs. Here the expression is followed to where it comes from, through
names, sums and functions of the user's, and each end has to be a mean: `.mean()`, a mean loss, or the `loss` that a
model of transformers gives. A division on the way, or an end that is anything else, is no mean for certain.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import last_name
from mllint.semantics.training.gradients import is_criterion_call, is_given_from_outside
from mllint.semantics.values.lineage import Origin, origins

__all__ = ["is_mean"]

_SUMS = (ast.Add, ast.Sub, ast.Mult)


def is_mean(backward: Event) -> bool:
    """Whether the loss that a backward starts from is a mean, or a sum of means."""
    return _is_averaged(backward) or _is_called_mean(backward)


def _is_averaged(backward: Event) -> bool:
    node = _loss(backward.call)
    if node is None:
        return False
    found = False
    for origin in origins(node, backward.frame, through=_passes):
        match origin.node:
            case ast.BinOp(op=op):
                if not isinstance(op, _SUMS):
                    return False
            case ast.Call():
                if not _passes(origin):
                    if not _is_mean(origin):
                        return False
                    found = True
            case ast.Attribute() | ast.Subscript():
                found = found or _from_transformers(origin)
    return found


def _loss(call: Any) -> Any:
    """The expression that backward starts from."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    given = call.args[0] if call.args else call.func.value
    if isinstance(given, ast.Call) and last_name(given.func) == "scale" and len(given.args) == 1:
        given = given.args[0]
    return given


def _passes(origin: Origin) -> bool:
    """Is an expression the same number as what it is made of, or a sum of such?"""
    match origin.node:
        case ast.Name() | ast.UnaryOp():
            return True
        case ast.BinOp(op=op):
            return isinstance(op, _SUMS)
        case ast.Attribute():
            return isinstance(origin.node.value, ast.Name) and origin.node.value.id == "self"
        case ast.Call():
            callees = Call(origin.node, origin.frame).callees
            return bool(callees) and all(not f.stubbed and f.name != "__init__" for f in callees)
    return False


def _is_mean(origin: Origin) -> bool:
    if last_name(origin.node.func) == "mean" and len(origin.node.args) < 2 and not origin.node.keywords:
        return not _of_quotient(origin)
    value = origin.value
    return value.is_("Loss") and not value.is_unknown and not value.has("SumLoss") and not value.has("Divided")


def _of_quotient(origin: Origin) -> bool:
    """Is the mean taken of what was divided before: `loss = loss / steps; loss = loss.mean()`?"""
    func = origin.node.func
    node = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(node, ast.Name):
        return False
    found = (o.node for o in origins(node, origin.frame, through=_passes))
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in found)


def _from_transformers(origin: Origin) -> bool:
    """`outputs.loss`, `outputs[0]` of what a model of transformers gives."""
    node = origin.node
    named = isinstance(node, ast.Attribute) and node.attr == "loss"
    first = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 0
    if not named and not first:
        return False
    calls = [o for o in origins(node.value, origin.frame, through=_is_name) if isinstance(o.node, ast.Call)]
    return bool(calls) and all(_of_transformers(o) for o in calls)


def _of_transformers(origin: Origin) -> bool:
    """Is a model of transformers called, or something unknown that takes `labels=`, in a file that imports them?"""
    model = Origin(origin.node.func, origin.frame).value
    if model.instance_of("transformers.PreTrainedModel"):
        return True
    named = any(k.arg == "labels" for k in origin.node.keywords)
    imported = any(name.partition(".")[0] == "transformers" for name, _ in origin.frame.module.imports)
    return named and imported and all(v.kind == "unknown" for v in model.alternatives)


def _is_called_mean(backward: Event) -> bool:
    """Is it what a criterion gives that a function is handed, if nobody is seen to call it, or a script leaves out?"""
    node = _loss(backward.call)
    bound = backward.function.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    call = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    return is_criterion_call(Call(call, backward.frame)) and is_given_from_outside(call.func.id, backward)


def _is_name(origin: Origin) -> bool:
    return isinstance(origin.node, ast.Name)
