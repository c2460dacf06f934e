"""Does a convolution give one channel, and is a softmax taken over the channels, which gives 1 whatever it is?

    torch.softmax(nn.Conv2d(16, 1, 1)(x), dim=1)        # `single_channel`: the convolution
    self.act = nn.Softmax(dim=1)                        # `applications`: `self.act(scores)`

A convolution gives (samples, channels, positions ...), and what treats each position alike leaves the channels where
they are: an activation, a normalisation, resizing, arithmetic with numbers. A view, a squeeze, an exchange of
dimensions or anything unknown ends the claim, for another dimension may be meant then. So does a convolution over one
sample whose dimensions were exchanged before: its positions are in dimension 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.tensor_methods import CASTS, COPIES, DETACHES, ELEMENTWISE, MOVES, TRANSPOSES
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import results_of, targets_of
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["applications", "single_channel", "single_channel_of"]

_CHANNELS = {
    "Conv1d": -2, "ConvTranspose1d": -2, "Conv2d": -3, "ConvTranspose2d": -3, "Conv3d": -4, "ConvTranspose3d": -4,
}  # fmt: skip
"""In which dimension, from the last one, a convolution gives its channels; from the first one it is dimension 1."""
_SAME = MOVES | CASTS | COPIES | DETACHES | ELEMENTWISE | {"interpolate", "upsample", "masked_fill", "requires_grad_"}
"""Functions and methods that leave the channels where they are."""
_SAME_LAYERS = frozenset(
    """ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Sigmoid Tanh Softplus Hardtanh Hardswish Identity Dropout
    Dropout1d Dropout2d Dropout3d BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d
    GroupNorm Upsample UpsamplingBilinear2d UpsamplingNearest2d""".split()
)
"""The same as layers."""
_MOVED = TRANSPOSES | {"T", "mT", "squeeze"}


def applications(layer: Call) -> Iterator[Call]:
    """Where a layer that is kept in an attribute is applied, in the methods of the class that keeps it."""
    names = {name for name in targets_of(layer.node, layer.function) if name.startswith("self.")}
    owner = layer.function.owner
    for method in owner.methods.values() if owner is not None and names else ():
        for node in method.calls:
            if place(node.func) in names and len(node.args) == 1:
                yield Call(node, layer.project.frame(method))


def single_channel(node: Node, frame: Frame, dimension: int) -> Site | None:
    """The convolution with one channel whose channels are in a dimension of an expression.

    Args:
        node: the expression.
        frame: its context.
        dimension: the dimension that a softmax runs over.
    """
    return _if_single(_convolution_of(node, frame, 10), dimension)


def single_channel_of(layers: list[Value], dimension: int) -> Site | None:
    """The same of what some layers give, one after the other."""
    for layer in reversed([inner for v in layers for inner in _parts(v)]):
        name = layer.cls.name if isinstance(layer, InstanceValue) else ""
        if isinstance(layer, InstanceValue) and name in _CHANNELS:
            return _if_single(layer, dimension)
        if name not in _SAME_LAYERS:
            return None
    return None


def _if_single(convolution: InstanceValue | None, dimension: int) -> Site | None:
    """A convolution, if it gives one channel in a dimension."""
    if convolution is None or dimension not in (1, _CHANNELS[convolution.cls.name]):
        return None
    channels = constructor_argument(convolution, "out_channels")
    return convolution.site if channels is not None and channels.literal == 1 else None


def _convolution_of(node: Node, frame: Frame, depth: int) -> InstanceValue | None:
    """The convolution that has given an expression its channels."""
    if depth == 0:
        return None
    match node:
        case ast.Name():
            found = bound_at(node, frame.function)
            whole = len(found) == 1 and found[0].kind == "assign" and not found[0].path
            return _convolution_of(found[0].value, frame, depth - 1) if whole else None
        case ast.BinOp(left=inner, right=other) | ast.BinOp(left=other, right=inner) if _is_number(other, frame):
            return _convolution_of(inner, frame, depth - 1)
        case ast.Call():
            return _convolution_called(node, frame, depth - 1)
    return None


def _is_number(node: Node, frame: Frame) -> bool:
    value = evaluate(node, frame)
    return value.is_number or isinstance(value.literal, (int, float))


def _convolution_called(node: ast.Call, frame: Frame, depth: int) -> InstanceValue | None:
    """The convolution behind a call of a layer, of a model of the user's, or of a function that keeps the channels."""
    call = Call(node, frame)
    layers = call.callee.alternatives
    if len(layers) == 1 and isinstance(layers[0], InstanceValue):
        if layers[0].cls.module.is_stub:
            return _convolution_in(layers[0], node, frame, depth)
        results = [_convolution_of(returned, inner, depth) for returned, inner in results_of(node, frame)]
        first = results[0] if results else None
        return first if first is not None and all(r is not None and r.same_as(first) for r in results) else None
    function = call.callee.function
    if function is None or not function.stubbed or call.last_name not in _SAME:
        return None
    method = function.owner is not None and isinstance(node.func, ast.Attribute)
    given = node.func.value if method and isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    return _convolution_of(given, frame, depth) if given is not None else None


def _convolution_in(layer: InstanceValue, node: ast.Call, frame: Frame, depth: int) -> InstanceValue | None:
    """The last convolution of a layer, or of a sequence of such, that is applied by a call."""
    given = node.args[0] if len(node.args) == 1 else None
    for part in reversed(_parts(layer)):
        name = part.cls.name if isinstance(part, InstanceValue) else ""
        if isinstance(part, InstanceValue) and name in _CHANNELS:
            return None if part is layer and name == "Conv1d" and _is_moved(given) else part
        if name not in _SAME_LAYERS:
            return None
    return _convolution_of(given, frame, depth) if given is not None else None


def _parts(layer: Value) -> list[Value]:
    """The layers of a sequence, in order; of any other, itself."""
    if not isinstance(layer, InstanceValue) or layer.cls.name != "Sequential":
        return [layer]
    return [inner for part in layer.contents for inner in _parts(part)]


def _is_moved(node: Node) -> bool:
    """Is it `x.t()`, `x.T` or `x.squeeze(0)`?"""
    func = node.func if isinstance(node, ast.Call) else node
    return isinstance(func, ast.Attribute) and last_name(func) in _MOVED
