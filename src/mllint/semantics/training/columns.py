"""Is a tensor a column, one number for each sample in a dimension of its own, or is it flat?

    scores = nn.Linear(8, 1)(x)                       # a column: (N, 1)
    scores.squeeze(-1), scores[:, 0], y.view(-1)      # flat: (N,)
    y = torch.tensor(frame["price"].values)           # flat: a column of a table is one number a row
    scores - y                                        # (N, N)

The lattice is flat: COLUMN, FLAT, or None where it is not known. What is asked are the operations that made an
expression, through names, layers, `forward` methods and data loaders; arithmetic with numbers, activations and moves
change nothing. Whatever else changes a shape ends the claim, and so does a name that may hold two things.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import iterable_of, last_name, place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["COLUMN", "FLAT", "crossed", "form_of", "is_softmax_of_one", "single_output"]

COLUMN, FLAT = "column", "flat"
_DEPTH = 12
_SAME = frozenset(
    """to cpu cuda float double half type detach clone contiguous numpy sigmoid tanh relu leaky_relu softplus dropout
    exp log abs clamp requires_grad_ astype tensor from_numpy as_tensor FloatTensor Tensor array asarray values
    to_numpy""".split()
)
"""What keeps the form of a tensor: methods, functions of its first argument, attributes of a table's column."""
_SAME_LAYERS = frozenset("ReLU LeakyReLU ELU GELU SiLU Sigmoid Tanh Softplus Dropout Identity Hardtanh".split())
_REDUCING = frozenset("mean std sum max min item norm".split())
_FLATTENING = frozenset("flatten ravel".split())
_PAIRING = frozenset("mse_loss l1_loss smooth_l1_loss huber_loss MSELoss L1Loss SmoothL1Loss HuberLoss".split())
"""Losses that compare entry by entry, and broadcast."""
_LOADER = "torch.utils.data.DataLoader"
_TABLE = "torch.utils.data.TensorDataset"


def form_of(node: Any, frame: Frame, depth: int = _DEPTH) -> tuple[str, Site] | None:
    """Whether an expression is a column or flat, and where it became so; None if it is not known.

    Args:
        node: the expression.
        frame: its context.
        depth: how many operations are followed at most.
    """
    if depth == 0:
        return None
    match node:
        case ast.Name():
            found = reaching(frame.function).at.get(id(node), ())
            return _bound(found[0], frame, depth - 1) if len(found) == 1 else None
        case ast.Call():
            return _column_of_call(node, frame, depth - 1)
        case ast.Attribute(attr=attr, value=owner) if attr in _SAME:
            return form_of(owner, frame, depth - 1)
        case ast.Subscript(value=owner, slice=index):
            return _indexed(node, owner, index, frame, depth - 1)
        case ast.BinOp(left=left, right=right):
            return _combined(left, right, frame, depth - 1)
    return None


def _combined(left: Any, right: Any, frame: Frame, depth: int) -> tuple[str, Site] | None:
    """Arithmetic with numbers keeps a form, and so does that of two tensors of one form."""
    tensors = [side for side in (left, right) if not _is_number(side)]
    forms = [form_of(side, frame, depth) for side in tensors]
    return forms[0] if forms and len({f[0] if f is not None else "" for f in forms}) == 1 else None


def _is_number(node: Any) -> bool:
    """Is it a number that is written out, or one that a tensor is reduced to, with a number added perhaps?"""
    match node:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]):
            return name in _REDUCING
    return False


def _bound(binding: Binding, frame: Frame, depth: int) -> tuple[str, Site] | None:
    if binding.kind == "assign":
        return _part(binding.value, binding.path, frame, depth)
    if binding.kind == "for" and binding.path:
        return _drawn(binding, frame, depth)
    return _handed_in(binding, frame, depth) if binding.kind == "param" else None


def _part(node: Any, path: tuple[int | None, ...], frame: Frame, depth: int) -> tuple[str, Site] | None:
    """The form of an expression, or of the part of it that is unpacked: `v` of `a, v = net.evaluate(x)`."""
    if not path:
        return form_of(node, frame, depth)
    if depth == 0 or len(path) > 1 or path[0] is None:
        return None
    match node:
        case ast.Tuple(elts=parts) if path[0] < len(parts):
            return form_of(parts[path[0]], frame, depth - 1)
        case ast.Call():
            return _returned(Call(node, frame), path, depth - 1)
    return None


def _handed_in(binding: Binding, frame: Frame, depth: int) -> tuple[str, Site] | None:
    """What all callers hand in for a parameter."""
    found: list[tuple[str, Site] | None] = []
    for call, caller in frame.project.callers(frame.function):
        bound, _ = bind(frame.function, call, caller)
        node, context = bound.get(binding.name, (None, caller)) if binding.name in bound else (None, caller)
        found.append(form_of(node, context, depth) if node is not None else None)
    return found[0] if found and len({form[0] if form is not None else "" for form in found}) == 1 else None


def _drawn(binding: Binding, frame: Frame, depth: int) -> tuple[str, Site] | None:
    """What a loop draws from a loader over tensors: batches of a column are columns, batches of numbers are flat."""
    loader = evaluate(iterable_of(binding.value), frame)
    dataset = constructor_argument(loader, "dataset") if loader.instance_of(_LOADER) else None
    if not isinstance(dataset, InstanceValue) or not dataset.instance_of(_TABLE) or dataset.built_with is None:
        return None
    tensors, place = dataset.built_with.positional, binding.path[-1]
    if place is None or place >= len(tensors) or isinstance(tensors[place], Value):
        return None
    return form_of(tensors[place], dataset.built_with.frame, depth)


def _column_of_call(node: ast.Call, frame: Frame, depth: int) -> tuple[str, Site] | None:
    call = Call(node, frame)
    name, here = call.last_name, Site(frame.module, node)
    operand = node.func.value if isinstance(node.func, ast.Attribute) and not _of_library(call) else None
    operand = operand if operand is not None else node.args[0] if node.args else None
    layers = call.callee.alternatives
    if len(layers) == 1 and isinstance(layers[0], InstanceValue):
        return _through(layers[0], call, depth)
    if call.callees and not any(f.stubbed for f in call.callees):
        return _returned(call, (), depth)
    if name in _MAKING and node.args and _lists_numbers(node.args[0], frame):
        return FLAT, here
    sizes = node.args if operand not in node.args else node.args[1:]
    if name in ("view", "reshape"):
        return _viewed(sizes, here)
    if name == "unsqueeze" and _is_last(sizes):
        inner = form_of(operand, frame, depth)
        return (COLUMN, here) if inner is not None and inner[0] == FLAT else None
    if name == "squeeze":
        inner = form_of(operand, frame, depth)
        return (FLAT, here) if inner is not None and inner[0] == COLUMN and (not sizes or _is_last(sizes)) else inner
    if name in _FLATTENING and not sizes:
        return FLAT, here
    return form_of(operand, frame, depth) if name in _SAME and operand is not None else None


def _of_library(call: Call) -> bool:
    """Is it a function of a module, as in `torch.sigmoid(x)`, and not a method?"""
    function = call.callee.function
    return function is not None and function.owner is None


_MAKING = ("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray")


def _lists_numbers(node: Any, frame: Frame) -> bool:
    """Is it a list that begins empty, and that numbers are put into: names that are bound to a number somewhere?"""
    if not isinstance(node, ast.Name):
        return False
    bound = frame.function.bindings.get(node.id, ())
    empty = [b for b in bound if isinstance(_bound_value(b), ast.List) and not _bound_value(b).elts]
    put = [c for c in frame.function.calls if last_name(c.func) in ("append", "insert") and c.args]
    items = [c.args[-1] for c in put if isinstance(c.func, ast.Attribute) and place(c.func.value) == node.id]
    return bool(empty and items) and all(_is_bound_to_number(item, frame) for item in items)


def _is_bound_to_number(node: Any, frame: Frame) -> bool:
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
    values = (_bound_value(b) for b in frame.function.bindings.get(node.id, ()))
    return any(isinstance(v, ast.Constant) and isinstance(v.value, (int, float)) for v in values)


def _bound_value(binding: Binding) -> Any:
    """What a name is bound to, be it one of several."""
    value, path = binding.value, binding.path
    if isinstance(value, ast.Tuple) and len(path) == 1 and path[0] is not None and path[0] < len(value.elts):
        return value.elts[path[0]]
    return value if not path else None


def _viewed(sizes: list[Any], here: Site) -> tuple[str, Site] | None:
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    numbers = [_number(s) for s in sizes]
    if numbers == [-1]:
        return FLAT, here
    return (COLUMN, here) if len(numbers) == 2 and numbers[1] == 1 else None


def _number(node: Any) -> int | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))):
            return -n
        case ast.Constant(value=int(n)):
            return n
    return None


def _is_last(sizes: list[Any]) -> bool:
    return len(sizes) == 1 and _number(sizes[0]) in (1, -1)


def _indexed(node: Any, tensor: Any, index: Any, frame: Frame, depth: int) -> tuple[str, Site] | None:
    match index:
        case ast.Constant(value=str()):
            return _of_table(node, tensor, frame)
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None), ast.Constant(value=0) | ast.UnaryOp()]):
            inner = form_of(tensor, frame, depth)
            return (FLAT, Site(frame.module, node)) if inner is not None and inner[0] == COLUMN else None
    return None


def _of_table(node: Any, table: Any, frame: Frame) -> tuple[str, Site] | None:
    """One named column of a table of pandas."""
    return (FLAT, Site(frame.module, node)) if evaluate(table, frame).instance_of("pandas.DataFrame") else None


# -------------------------------------------------------------------------------------------------------------- layers
def _through(layer: InstanceValue, call: Call, depth: int) -> tuple[str, Site] | None:
    """What a layer, or a model of one's own, gives."""
    if not layer.instance_of("torch.nn.Module"):
        return None
    if layer.cls.module.is_stub:
        return _of_layer(layer, call, depth)
    return _returned(call, (), depth)


def _returned(call: Call, path: tuple[int | None, ...], depth: int) -> tuple[str, Site] | None:
    """What all functions of the project that a call enters return, or a part of it."""
    found = None
    for function in call.callees:
        frame = call.project.frame(function)
        for returned in function.returns:
            form = _part(returned.value, path, frame, depth)
            if function.stubbed or form is None or (found is not None and found[0] != form[0]):
                return None
            found = form
    return found


def _of_layer(layer: InstanceValue, call: Call, depth: int) -> tuple[str, Site] | None:
    name = layer.cls.name
    parts = list(layer.contents) if name == "Sequential" else [layer]
    while parts and isinstance(parts[-1], InstanceValue) and parts[-1].cls.name in _SAME_LAYERS:
        parts.pop()
    last = parts[-1] if parts else None
    if isinstance(last, InstanceValue) and last.cls.name == "Linear" and last.cls.module.is_stub:
        features = constructor_argument(last, "out_features")
        one = features is not None and features.literal == 1
        return (COLUMN, last.site or call.site) if one else None
    given = call.node.args[0] if call.node.args and not parts else None
    return form_of(given, call.frame, depth) if given is not None else None


def single_output(argument: Argument) -> Site | None:
    """The layer with one output that gave an argument as it is; None if it may be something else."""
    form = form_of(argument.node, argument.frame)
    if form is None or form[0] != COLUMN or not isinstance(form[1].node, ast.Call):
        return None
    return form[1] if last_name(form[1].node.func) == "Linear" else None


def crossed(call: Call) -> tuple[tuple[Argument, Site], tuple[Argument, Site]] | None:
    """The two sides of a loss, a column and what is flat, each with the place where it became so."""
    names = {f.owner.name if f.owner is not None else f.name for f in call.callees}
    sides = [call.argument("input"), call.argument("target")]
    if not names or not names <= _PAIRING or None in sides:
        return None
    found = {}
    for side in sides:
        form = form_of(side.node, side.frame) if side is not None else None
        if side is not None and form is not None:
            found[form[0]] = (side, form[1])
    return (found[COLUMN], found[FLAT]) if len(found) == 2 else None


def is_softmax_of_one(call: Call) -> bool:
    """Whether a layer of Keras takes a softmax over its only unit: `Dense(1, activation="softmax")`."""
    units, activation = call.argument("units"), call.argument("activation")
    if units is None or activation is None or not call.value.instance_of("keras.layers.Dense"):
        return False
    return bool(units.value.literal == 1 and activation.value.literal == "softmax")
