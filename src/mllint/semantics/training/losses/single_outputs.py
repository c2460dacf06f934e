"""Does a layer give one number for each sample, and is a softmax taken over that one, which gives 1 whatever it is?

    torch.softmax(nn.Linear(8, 1)(x), dim=-1)            # `find_softmax_over_one`
    nn.Sequential(nn.Conv2d(8, 1, 1), nn.Softmax(dim=1)) # the same
    CrossEntropyLoss()(nn.Linear(8, 1)(x), y)            # `single_output`
    keras.layers.Dense(1, activation="softmax")          # `is_softmax_of_one`

That a tensor is a column, and which layer made it one, is asked of `columns`; about channels, `single_channels`.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.tensor_methods import CASTS, COPIES, FLATTENS, TRANSPOSES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, last_name, walk, written_integer
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.losses.columns import Layout, form_of
from mllint.semantics.training.losses.outputs import has_one_output
from mllint.semantics.training.losses.single_channels import applications, single_channel, single_channel_of
from mllint.semantics.training.shapes import dimension_of
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import resolve_name
from mllint.semantics.values.values import InstanceValue

__all__ = ["OverOne", "find_softmax_over_one", "is_softmax_of_one", "single_output"]

_RESHAPING = CASTS | COPIES | FLATTENS | TRANSPOSES | {"masked_fill", "masked_fill_"}
_LAYERS = ("Softmax", "LogSoftmax", "Softmax2d")
_PRODUCTS = frozenset("matmul bmm einsum mm baddbmm cat stack".split())


def single_output(argument: Argument) -> Site | None:
    """The layer with one output that gave an argument as it is; None if it may be something else."""
    form = form_of(argument.node, argument.frame)
    if form is None or form.layout is not Layout.COLUMN or not isinstance(form.site.node, ast.Call):
        return None
    made = form.site
    return made if last_name(made.node.func) in ("Linear", "LazyLinear") or _is_library_model(made) else None


def _is_library_model(made: Site) -> bool:
    """Is it where a model of a library is made, with the number of its classes?"""
    return any(k.arg == "num_classes" for k in made.node.keywords)


@cached(local=True)
def _has_layer_with_one_output(module: ModuleScope) -> bool:
    """A cheap look: is a linear layer with one output written in a file?"""
    layers = [c for name in ("Linear", "LazyLinear") for c, _ in module.calls_by_name.get(name, ())]
    outputs = (n for c in layers for n in (*c.args[:2], *(k.value for k in c.keywords)))
    return any(isinstance(n, ast.Constant) and n.value == 1 for n in outputs)


class OverOne(NamedTuple):
    """A softmax over a dimension of one entry.

    Attributes:
        softmax: where it is taken.
        layer: the layer with one output, or with one channel.
        dimension: the dimension, from the last one or from the first.
    """

    softmax: Site
    layer: Site
    dimension: int


def find_softmax_over_one(call: Call) -> OverOne | None:
    """Where a softmax is taken over the only output of a layer, `torch.softmax(score(h), dim=-1)`, or over the only
    channel of a convolution; also by a layer, `nn.Softmax(dim=-1)`, right behind another one or in an attribute."""
    if call.last_name in _LAYERS:
        return _over_one_by_layer(call) if call.value.instance_of(*(f"torch.nn.{name}" for name in _LAYERS)) else None
    written = [k.value for k in call.node.keywords if k.arg in ("dim", "axis")] or call.node.args
    if not any(not isinstance(node, ast.Constant) or node.value == 1 for node in written):
        return None
    if any(written_integer(node) == -1 for node in written) and not _may_be_over_output(call):
        return None
    function = call.callee.function
    if function is None or not function.stubbed:
        return None
    method_of = function.owner is not None and isinstance(call.node.func, ast.Attribute)
    scores = call.node.func.value if method_of else call.node.args[0] if call.node.args else None
    return _over_one(call, scores, dimension_of(call)) if scores is not None else None


def _may_be_over_output(call: Call) -> bool:
    """A cheap look, before it is asked what is called: may a layer with one output have given what a softmax over the
    last dimension is taken of, a method of it or a function that is given it?"""
    scores = [call.node.func.value] if isinstance(call.node.func, ast.Attribute) else []
    scores += call.node.args[:1]
    return _has_layer_with_one_output(call.module) and any(_may_be_output(node, call.function) for node in scores)


def _is_chosen(call: Call) -> bool:
    """Does a test decide whether a call is reached in its function? It may ask how many outputs there are, and take
    another way for one: `sigmoid(x) if n == 1 else softmax(x)`."""
    for node in walk(call.function.node):
        if isinstance(node, (ast.If, ast.IfExp)) and node.lineno <= call.node.lineno:
            inside = list(walk(node))
            leaves = any(isinstance(n, (ast.Return, ast.Raise)) for n in inside)
            if leaves or any(n is call.node for n in inside):
                return True
    return False


def _over_one(softmax: Call, scores: Node, dimension: int | None) -> OverOne | None:
    """The same for a softmax of some scores over a dimension."""
    found = None
    if dimension == -1 and _has_layer_with_one_output(softmax.module) and _may_be_output(scores, softmax.function):
        found = single_output(Argument(scores, softmax, ""))
    elif dimension is not None and dimension != -1:
        found = single_channel(scores, softmax.frame, dimension)
    if found is None or dimension is None or _is_chosen(softmax):
        return None
    return OverOne(softmax.site, found, dimension)


def _over_one_by_layer(layer: Call) -> OverOne | None:
    dimension = 1 if layer.last_name == "Softmax2d" else dimension_of(layer)
    if dimension is None:
        return None
    before = _layer_before(layer, dimension)
    if before is not None:
        return OverOne(layer.site, before, dimension) if not _is_chosen(layer) else None
    found = (_over_one(applied, applied.node.args[0], dimension) for applied in applications(layer))
    first = next((each for each in found if each is not None), None)
    return first if first is not None and not _is_chosen(layer) else None


def _may_be_output(node: Node, function: FunctionScope) -> bool:
    """A cheap look: may a layer have given it, perhaps scaled, masked or reshaped? A product of tensors, as in most
    attention, is none."""
    for _ in range(6):
        node = resolve_name(node, function)
        match node:
            case ast.BinOp(op=ast.Div() | ast.Mult() | ast.Add() | ast.Sub(), left=left):
                node = left
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _RESHAPING:
                node = inner
            case _:
                return isinstance(node, ast.Call) and last_name(node.func) not in _PRODUCTS
    return False


def _layer_before(layer: Call, dimension: int) -> Site | None:
    """The linear layer with one output, or the convolution with one channel, that a layer follows in an
    `nn.Sequential`."""
    for other in layer.function.calls:
        if last_name(other.func) == "Sequential" and layer.node in other.args[1:]:
            given = other.args[: other.args.index(layer.node)]
            if dimension != -1:
                return single_channel_of([evaluate(node, layer.frame) for node in given], dimension)
            before = evaluate(given[-1], layer.frame)
            one = isinstance(before, InstanceValue) and before.instance_of("torch.nn.Linear")
            if one and isinstance(before, InstanceValue) and has_one_output(before, layer.frame):
                return before.site
    return None


def is_softmax_of_one(call: Call) -> bool:
    """Whether a layer of Keras takes a softmax over its only unit: `Dense(1, activation="softmax")`."""
    units, activation = call.argument("units"), call.argument("activation")
    if units is None or activation is None or not call.value.instance_of("keras.layers.Dense"):
        return False
    return bool(units.value.literal == 1 and activation.value.literal == "softmax")
