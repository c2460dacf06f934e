"""How many numbers does a model give for each sample: one, or several?

    nn.Linear(8, 1)(x)                                # one (`has_one_output`): a column, for `columns`
    nn.Linear(8, 4)(x).clamp(0)                       # several (`holds_several`): one of them may be chosen

What is asked is the last layer that changes how many they are, through names, moves, activations, arithmetic, parts of
a tuple, functions and `forward` methods. Whatever else stands on the way ends the claim.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.tensor_methods import CASTS, COPIES, DETACHES, ELEMENTWISE, MAKES, MOVES
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Constant, Node, last_name, place
from mllint.semantics.training.schedules.units import built_by
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins, resolve_name
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["SAME", "has_one_output", "holds_several", "layers_of"]

SAME = MOVES | CASTS | COPIES | DETACHES | ELEMENTWISE | MAKES
SAME |= frozenset("requires_grad_ values to_numpy apply map masked_fill masked_fill_".split())
"""What keeps the form of a tensor: methods, functions of its first argument, attributes of a table's column."""
_SAME_LAYERS = frozenset("ReLU LeakyReLU ELU GELU SiLU Sigmoid Tanh Softplus Dropout Identity Hardtanh".split())


def layers_of(module: Value) -> list[Value]:
    """The layers that run one after the other in a module, up to the last that may change the form of a tensor."""
    parts = [module]
    while parts and isinstance(parts[-1], InstanceValue):
        if parts[-1].cls.name == "Sequential" and parts[-1].cls.module.is_stub:
            parts[-1:] = parts[-1].contents
        elif parts[-1].cls.name in _SAME_LAYERS:
            parts.pop()
        else:
            break
    return parts


def has_one_output(layer: InstanceValue, frame: Frame) -> bool:
    """Is it a linear layer with one output, perhaps the last of a loop, or a model of a library with one class?"""
    if layer.cls.name == "Linear":
        features = constructor_argument(layer, "out_features")
        return features is not None and (features.literal == 1 or _last_turn(layer) == 1)
    built = built_by(layer, frame) if layer.cls.module.name.partition(".")[0] in ("torchvision", "timm") else None
    classes = built.argument("num_classes") if built is not None else None
    return classes is not None and classes.value.literal == 1


def _last_turn(layer: InstanceValue) -> Constant:
    """The outputs of the layer that the last turn of a loop makes: the last of `sizes` in `nn.Linear(a, b)` of
    `for a, b in zip(sizes[:-1], sizes[1:])`, and in `nn.Linear(sizes[i], sizes[i + 1])`."""
    given = layer.built_with
    node = given.node.args[1] if given is not None and given.node is not None and len(given.node.args) > 1 else None
    if given is None:
        return None
    match node:
        case ast.Name():
            sizes = _zipped_second(node, given.frame.function)
        case ast.Subscript(
            value=whole, slice=ast.BinOp(left=ast.Name() as turn, op=ast.Add(), right=ast.Constant(value=1))
        ) if _counts_all_but_one(turn, whole, given.frame.function):
            return _last_of(whole, given.frame)
        case _:
            return None
    match sizes:
        case ast.Subscript(value=whole, slice=ast.Slice(lower=ast.Constant(value=1), upper=None, step=None)):
            return _last_of(whole, given.frame)
    return None


def _zipped_second(node: ast.Name, function: FunctionScope) -> Node:
    """`y` of `for a, b in zip(x, y)`, perhaps numbered by `enumerate`, for the name `b`; None of any other name."""
    found = bound_at(node, function)
    binding = found[0] if len(found) == 1 and found[0].kind in ("for", "comp") else None
    if binding is None:
        return None
    zipped, path = binding.value, binding.path
    if isinstance(zipped, ast.Call) and last_name(zipped.func) == "enumerate" and path[:1] == (1,):
        zipped, path = next(iter(zipped.args), None), path[1:]
    if path != (1,) or not isinstance(zipped, ast.Call) or last_name(zipped.func) != "zip" or len(zipped.args) != 2:
        return None
    return zipped.args[1]


def _counts_all_but_one(node: ast.Name, of: Node, function: FunctionScope) -> bool:
    """Is it `i` of `for i in range(len(sizes) - 1)`?"""
    found = bound_at(node, function)
    counted = found[0].value if len(found) == 1 and found[0].kind in ("for", "comp") else None
    match counted:
        case ast.Call(
            func=ast.Name(id="range"),
            args=[
                ast.BinOp(
                    left=ast.Call(func=ast.Name(id="len"), args=[inner]), op=ast.Sub(), right=ast.Constant(value=1)
                )
            ],
        ):
            return place(inner) == place(of) is not None
    return False


def _last_of(sizes: Node, frame: Frame) -> Constant:
    """The last entry of all lists that sizes may be, if they are written out."""
    lists = [o.node for o in origins(sizes, frame, through=lambda o: isinstance(o.node, (ast.Name, ast.Attribute)))]
    shown = [n for n in lists if not isinstance(n, (ast.Name, ast.Attribute))]
    if not shown or not all(isinstance(n, (ast.List, ast.Tuple)) and n.elts for n in shown):
        return None
    ends = {n.elts[-1].value if isinstance(n.elts[-1], ast.Constant) else None for n in shown}
    return ends.pop() if len(ends) == 1 else None


def holds_several(node: Node, frame: Frame, depth: int, path: tuple[int | None, ...] = ()) -> bool:
    """Does an expression, or a part of it, hold several numbers for each sample, as a last layer with several outputs
    gives them?"""
    if depth == 0 or len(path) > 1:
        return False
    match node:
        case ast.Name():
            found = bound_at(node, frame.function)
            binding = found[0] if len(found) == 1 and found[0].kind == "assign" else None
            return binding is not None and holds_several(binding.value, frame, depth - 1, binding.path)
        case ast.BinOp(left=left, right=right) if not path:
            return any(holds_several(side, frame, depth - 1) for side in (left, right))
        case ast.Tuple(elts=parts) if path and path[0] is not None and path[0] < len(parts):
            return holds_several(parts[path[0]], frame, depth - 1)
        case ast.Call(func=ast.Attribute(value=whole, attr="chunk" | "split")) if path:
            return holds_several(whole, frame, depth - 1)
        case ast.Call(func=ast.Attribute(value=whole, attr=word)) if not path and word in SAME:
            return holds_several(whole, frame, depth - 1)
        case ast.Call(func=ast.Attribute(value=drawn, attr="log_prob" | "rsample")) if not path:
            made = resolve_name(drawn, frame.function)
            normal = isinstance(made, ast.Call) and last_name(made.func) == "Normal" and made.args
            return bool(normal) and holds_several(made.args[0], frame, depth - 1)
        case ast.Call():
            return _gives_several(Call(node, frame), depth - 1, path)
    return False


def _gives_several(call: Call, depth: int, path: tuple[int | None, ...]) -> bool:
    """The same of what a layer, or a function of the user's, gives."""
    layers = call.callee.alternatives
    layer = layers[0] if len(layers) == 1 else None
    if isinstance(layer, InstanceValue) and layer.cls.module.is_stub:
        last = next(iter(layers_of(layer)[-1:]), None)
        return isinstance(last, InstanceValue) and last.cls.name == "Linear" and not has_one_output(last, call.frame)
    results = [(r.value, call.project.frame(f)) for f in call.callees if not f.stubbed for r in f.returns]
    return bool(results) and all(holds_several(node, frame, depth, path) for node, frame in results)
