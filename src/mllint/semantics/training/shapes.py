"""How many dimensions has a tensor, and what does each of them count?

    x.view(-1, 320)                       # (samples, 320)
    self.fc(x.view(-1, 320))              # (samples, features), where `self.fc` is `nn.Linear(320, 10)`

`shape_of` gives the dimensions of an expression, where the operations that made it say how many there are: `view` and
`flatten` begin one, layers, reductions and indices change it. `class_dimensions` says in which the classes are.

The lattice of a dimension is flat (`Dim`); a shape is a tuple of them, or `None` where the rank is not known. What the
program is given has no known rank, so neither has what a linear layer makes of it: `nn.Linear` takes any number of
leading dimensions, also one sample alone. A function or a layer that is not listed here ends the claim.

Deliberately not done: sizes are not computed and not compared, and nothing is claimed about sequences, which may come
first or second.
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import (
    CASTS,
    COPIES,
    DETACHES,
    ELEMENTWISE,
    MOVES,
    NORMALIZES,
    REDUCES,
    TRANSPOSES,
)
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at, bound_expression, reaching
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import (
    InstanceValue,
    Value,
)

__all__ = [
    "Dim", "Shape", "dimension_of", "is_left_matmul_factor", "is_product_of_batches",
    "is_transposed", "may_normalise_samples", "permuted_sizes", "returns_transposed", "runs_over_dimension", "shape_of",
]  # fmt: skip

_MULTIPLYING = frozenset(("bmm", "matmul"))
_PARTED = MOVES | CASTS | COPIES | {"chunk", "split", "tensor_split"}
_READ_AS_SIZES = (ast.Name, ast.Call, ast.Subscript)


class Dim(Enum):
    """What a dimension counts."""

    SAMPLES = "samples"
    FEATURES = "features"
    ONE = "one"
    UNKNOWN = "?"


Shape = tuple[Dim, ...]

_SAME = MOVES | CASTS | COPIES | DETACHES | ELEMENTWISE | NORMALIZES | {"requires_grad_"}
"""Functions and methods that keep the shape of their (first) tensor."""
_SAME_LAYERS = frozenset(
    """ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Sigmoid Tanh Softplus Hardtanh Hardswish Dropout
    AlphaDropout BatchNorm1d LayerNorm Identity Softmax LogSoftmax""".split()
)
"""Layers of torch.nn that keep the shape of their input."""
_PAIRS = frozenset(("max", "min"))
"""Those that give the values and their indices where they are told a dimension."""
_LAYERS = ("Softmax", "LogSoftmax", "Softmin")
_TRANSPOSING = TRANSPOSES | {"T", "mT"}

_LENGTHENING = frozenset("pad cat concat concatenate".split())


# ------------------------------------------------------------------------------------------------------------- shapes
def shape_of(node: Node, frame: Frame, depth: int = 12) -> Shape | None:
    """The dimensions of an expression; None where their number is not known.

    Args:
        node: the expression.
        frame: its context.
        depth: how many operations are followed at most.
    """
    if depth == 0:
        return None
    match node:
        case ast.Name():
            binding = _single(node, frame)
            return shape_of(binding.value, frame, depth - 1) if binding is not None else None
        case ast.Call():
            return _shape_of_call(node, frame, depth - 1) if last_name(node.func) not in _PAIRS else None
        case ast.Subscript(value=ast.Call(func=func) as pair, slice=ast.Constant(value=0 | 1)) if (
            last_name(func) in _PAIRS
        ):
            return _shape_of_call(pair, frame, depth - 1)
        case ast.BinOp(left=inner, right=ast.Constant()) | ast.BinOp(left=ast.Constant(), right=inner):
            return shape_of(inner, frame, depth - 1)
        case ast.Subscript(value=inner, slice=index):
            shape = shape_of(inner, frame, depth - 1)
            return _indexed(shape, index) if shape is not None else None
    return None


def _single(node: ast.Name, frame: Frame) -> Binding | None:
    """The only assignment that a name may stand for."""
    found = bound_at(node, frame.function)
    return found[0] if len(found) == 1 and found[0].kind == "assign" and not found[0].path else None


def _shape_of_call(node: ast.Call, frame: Frame, depth: int) -> Shape | None:
    call = Call(node, frame)
    layers = call.callee.alternatives
    if all(isinstance(v, InstanceValue) for v in layers):
        given = shape_of(node.args[0], frame, depth) if len(node.args) == 1 else None
        return _through(layers[0], given) if len(layers) == 1 else None
    function = call.callee.function
    if function is None or not function.stubbed or function.module.name.partition(".")[0] != "torch":
        return None
    operand = _operand(call)
    name, rest = call.last_name, node.args if operand is not None and operand not in node.args else node.args[1:]
    if operand is None:
        return None
    if name in ("view", "reshape"):
        return _viewed(rest, frame)
    shape = shape_of(operand, frame, depth)
    if name == "flatten" and _number(rest[0] if rest else call.node, frame) == 1 and len(rest) == 1:
        return (shape[0] if shape else Dim.SAMPLES, Dim.FEATURES)
    if name in _SAME or shape is None:
        return shape if name in _SAME else None
    if name in REDUCES:
        return _reduced(shape, call)
    if name == "unsqueeze" and rest and (at := _number(rest[0], frame)) is not None:
        at += len(shape) + 1 if at < 0 else 0
        return (*shape[:at], Dim.ONE, *shape[at:])
    return None


def _operand(call: Call) -> Node:
    """The tensor that a function or a method of torch is applied to."""
    function = call.callee.function
    if function is not None and function.owner is not None and isinstance(call.node.func, ast.Attribute):
        return call.node.func.value
    return call.node.args[0] if call.node.args else None


def _through(layer: Value, shape: Shape | None) -> Shape | None:
    """What a layer makes of a shape."""
    if not isinstance(layer, InstanceValue) or not layer.instance_of(MODULE) or not layer.cls.module.is_stub:
        return None
    name = layer.cls.name
    if name == "Sequential":
        for part in layer.contents:
            shape = _through(part, shape)
        return shape
    if name == "Linear":
        features = constructor_argument(layer, "out_features")
        last = Dim.ONE if features is not None and features.literal == 1 else Dim.FEATURES
        return (*shape[:-1], last) if shape else None
    if name == "Flatten" and layer.arguments is not None and not layer.arguments.positional:
        return (Dim.SAMPLES, Dim.FEATURES)
    return shape if name in _SAME_LAYERS else None


def _viewed(sizes: list[Node], frame: Frame) -> Shape | None:
    """The shape that `view` is asked for: what is left open, or taken from the first dimension, counts samples."""
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    if len(sizes) < 2 or any(isinstance(s, ast.Starred) for s in sizes):
        return None
    numbers = [_number(s, frame) for s in sizes]
    first = numbers[0] == -1 or (numbers[0] is None and _is_length(sizes[0]))
    rest = [Dim.ONE if n == 1 else Dim.FEATURES if n is not None else Dim.UNKNOWN for n in numbers[1:]]
    return (Dim.SAMPLES if first else Dim.UNKNOWN, *rest)


def _is_length(node: Node) -> bool:
    """Whether it is `x.size(0)`, `x.shape[0]` or `len(x)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
        case ast.Call(func=ast.Name(id="len")):
            return True
    return False


def _number(node: Node, frame: Frame) -> int | None:
    value = evaluate(node, frame).literal
    return value if type(value) is int else None


def _reduced(shape: Shape, call: Call) -> Shape | None:
    dim, keeps = dimension_of(call), call.argument("keepdim")
    if dim is None or not -len(shape) <= dim < len(shape):
        return None
    dim %= len(shape)
    kept = (Dim.ONE,) if keeps is not None and keeps.value.truth is True else ()
    return (*shape[:dim], *kept, *shape[dim + 1 :])


def _indexed(shape: Shape, index: Node) -> Shape | None:
    """The shape that an index leaves: `[0]` and `[:, 0]` take a dimension away, `[:, None]` puts one in."""
    left, found = list(shape), []
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if isinstance(part, ast.Constant) and part.value is None:
            found.append(Dim.ONE)
        elif isinstance(part, ast.Slice) and left:
            found.append(left.pop(0))
        elif isinstance(part, (ast.Constant, ast.UnaryOp)) and getattr(part, "value", 0) is not ... and left:
            left.pop(0)
        else:
            return None
    return (*found, *left)


# ------------------------------------------------------------------------------------------------------ the dimension
def dimension_of(call: Call) -> int | None:
    """The dimension that a call is given as a constant."""
    given = call.argument("dim") or call.argument("axis")
    value = given.value.literal if given is not None else None
    match call.node:
        case ast.Call(func=ast.Attribute(attr="take_along_axis"), args=[_, _, last]) if given is None:
            value = call.value_of(last).literal
        case ast.Call(func=ast.Attribute(attr="sum"), args=[last], keywords=[]) if given is None:
            value = call.value_of(last).literal
    return value if type(value) is int else None


def runs_over_dimension(call: Call, dimension: int) -> bool:
    """Whether a call is given a certain dimension as a constant.

    What is written decides first: nearly every call names another dimension, or none, and what it calls need not be
    known then.
    """
    named = [k.value for k in call.node.keywords if k.arg in ("dim", "axis")]
    return any(_may_be(node, dimension) for node in named or call.node.args) and dimension_of(call) == dimension


@cached()
def may_normalise_samples(project: Project) -> bool:
    """A cheap look: may a layer that is built somewhere in a project run over dimension 0, by the form of the call?"""
    calls = (call for name in _LAYERS for call, _ in project.calls_named(name))
    return any(_may_be(node, 0) for call in calls for node in (*call.args, *(k.value for k in call.keywords)))


def _may_be(node: Node, number: int) -> bool:
    """Whether an expression may have a number from zero on as its value, by its form."""
    if isinstance(node, ast.Constant):
        return bool(node.value == number)
    return not isinstance(node, (ast.UnaryOp, ast.Tuple, ast.List, ast.Compare, ast.GeneratorExp, ast.ListComp))


def is_transposed(node: Node, frame: Frame) -> bool:
    """Whether it is `x.t()`, `x.T` or the like of a tensor; `self.T` is an attribute of an object."""
    if not isinstance(node, ast.Attribute) or node.attr not in _TRANSPOSING:
        return False
    return not all(isinstance(v, InstanceValue) for v in evaluate(node.value, frame).alternatives)


def is_product_of_batches(node: Node, frame: Frame, depth: int = 8) -> bool:
    """Whether it is a product of a pair of matrices for each sample, scaled or masked perhaps: `bmm`, or of a factor
    whose dimensions 1 and 2 are exchanged, so that it certainly has a third one.

    Args:
        node: the expression.
        frame: its context.
        depth: how many operations are followed at most.
    """
    if depth == 0:
        return False
    match node:
        case ast.Name():
            binding = _single(node, frame)
            return binding is not None and is_product_of_batches(binding.value, frame, depth - 1)
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            return _exchanges_inner(left) or _exchanges_inner(right)
        case ast.BinOp(left=inner):
            return is_product_of_batches(inner, frame, depth - 1)
        case ast.Call(func=ast.Attribute(value=inner, attr="masked_fill" | "masked_fill_" | "div" | "mul")):
            return is_product_of_batches(inner, frame, depth - 1)
        case ast.Call() if last_name(node.func) in _MULTIPLYING:
            function = Call(node, frame).callee.function
            known = function is not None and function.stubbed and function.module.name.partition(".")[0] == "torch"
            factors = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            return known and (last_name(node.func) == "bmm" or any(map(_exchanges_inner, factors)))
    return False


def _exchanges_inner(node: Node) -> bool:
    """Whether it is `x.transpose(1, 2)`, or of dimensions behind these."""
    match node:
        case ast.Call(func=ast.Attribute(attr="transpose" | "swapaxes" | "swapdims"), args=[*given]):
            numbers = [a.value for a in given if isinstance(a, ast.Constant)]
            return sorted(n for n in numbers[-2:] if isinstance(n, int)) in ([1, 2], [2, 3])
    return False


def is_left_matmul_factor(call: Call) -> bool:
    """Whether the result of a call, through dropout perhaps, is the left factor of a product of the same function."""
    at = reaching(call.function).at

    def is_result(node: Node, depth: int = 3) -> bool:
        if isinstance(node, ast.Name):
            found = at.get(id(node), ())
            node = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
        if isinstance(node, ast.Call) and node is not call.node and len(node.args) == 1 and depth:
            dropped = Call(node, call.frame).callee.instance_of("torch.nn._DropoutNd")
            return dropped and is_result(node.args[0], depth - 1)
        return node is call.node

    for node in walk(call.function.node):
        match node:
            case ast.BinOp(op=ast.MatMult(), left=left):
                found = is_result(left)
            case ast.Call(args=[first, *_]) if last_name(node.func) in _MULTIPLYING:
                found = is_result(first) or (isinstance(node.func, ast.Attribute) and is_result(node.func.value))
            case _:
                found = False
        if found:
            return True
    return False


def returns_transposed(made: Site, project: Project) -> bool:
    """Does the function that makes something return it, or anything else, with other dimensions first?"""
    makers = (f for f in made.module.functions if any(c is made.node for c in f.calls))
    returned = ((r.value, project.frame(f)) for f in makers for r in f.returns if r.value is not None)
    return any(is_transposed(n, frame) for value, frame in returned for n in walk(value))


# ---------------------------------------------------------------------------------------------------- sizes of a tensor
def permuted_sizes(call: Call) -> Site | None:
    """Where the sizes of a tensor are read that `view` or `reshape` puts into another order; None if it does not.

    Args:
        call: `x.view(b, c, t)`, behind `b, t, c = x.shape` of the same `x`; also `x.view(x.size(0), c, x.size(1))`.
    """
    func = call.node.func
    if not isinstance(func, ast.Attribute):
        return None
    given = call.node.args[0].elts if len(call.node.args) == 1 and _is_listed(call.node.args[0]) else call.node.args
    if len(given) == 4 and (found := _split_apart(call, given)) is not None:
        return found
    if len(given) < 2 or place(func.value) is None:
        return None
    if not all(isinstance(factor, _READ_AS_SIZES) for node in given for factor in _factors(node)):
        return None  # as nearly always, by its form: `x.view(b, -1)`
    found = _in_other_order(given, func.value, call.frame)
    return found if found is not None else _by_callers(call, given, func.value)


def _by_callers(call: Call, given: list[Node], viewed: Node) -> Site | None:
    """Where the sizes of a tensor are read that all callers of a function hand over with it, if the tensor and the
    sizes are its parameters."""
    function, names = call.function, [n.id for n in (*given, viewed) if isinstance(n, ast.Name)]
    parameters = {p.name for p in function.parameters}
    if len(names) <= len(given) or not parameters.issuperset(names) or call.project.has_more_callers(function):
        return None
    if any([b.kind for b in bound_at(n, function)] != ["param"] for n in (*given, viewed)):
        return None
    found: list[Site | None] = []
    for node, frame in call.project.callers(function):
        bound, _ = bind(function, node, frame)
        handed = [bound.get(name) for name in names]
        nodes = [h.node for h in handed if isinstance(h, Passed) and isinstance(h.node, _READ_AS_SIZES)]
        found.append(_in_other_order(nodes[:-1], nodes[-1], frame) if len(nodes) == len(names) else None)
    return found[0] if found and None not in found else None


def _in_other_order(given: list[Node], viewed: Node, frame: Frame) -> Site | None:
    """Where the sizes of a tensor are read, if some sizes are all of its own, in another order: `(b, h * w, c)` of
    `(b, c, h, w)`. The order of the factors of one size makes no difference."""
    known = reaching(frame.function).at
    read, order = list[_Size](), list[int]()
    for node in given:
        joined = [_size(factor, frame.function, known) for factor in _factors(node)]
        read += [size for size in joined if size is not None]
        if None in joined:
            return None
        order += sorted(size.position for size in joined if size is not None)
    if len(read) < 2 or sorted(order) == order:
        return None
    rank = max(size.rank or len(read) for size in read)
    if sorted(order) != list(range(rank)) or not all(_is_bound_alike(s.tensor, viewed, known) for s in read):
        return None
    others = [position for position in order if position != rank - 1]
    if others == sorted(others) and _ends_in_one(viewed, frame):
        return None  # only a one has moved: no number has another place
    return Site(frame.module, read[0].source) if not _is_padded(known.get(id(viewed), ())) else None


def _ends_in_one(node: Node, frame: Frame, depth: int = 6) -> bool:
    """Is the last dimension of an expression a one, as a layer with one output gives it: `softmax(score(h), dim=1)`?"""
    if isinstance(node, ast.Name):
        binding = _single(node, frame)
        return binding is not None and depth > 0 and _ends_in_one(binding.value, frame, depth - 1)
    if not isinstance(node, ast.Call) or not depth:
        return False
    call = Call(node, frame)
    made = _through(call.callee, (Dim.UNKNOWN,)) if isinstance(call.callee, InstanceValue) else None
    if made is not None and made != (Dim.UNKNOWN,):
        return made == (Dim.ONE,)
    operand = _operand(call) if made is not None or call.last_name in _SAME else None
    return operand is not None and _ends_in_one(operand, frame, depth - 1)


def _factors(node: Node) -> list[Node]:
    """The factors of the product `node`, itself if it is none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _split_apart(call: Call, given: list[Node]) -> Site | None:
    """Where the sizes of `x` are read, `b, t, c = x.shape`, if `x.view(b, heads, t, c // heads)` puts a part of its
    last dimension before the whole of another one. Of `x` is also what a linear layer, or a part of it, makes of it.
    """
    first, part, whole, rest = given
    if not isinstance(part, (ast.Name, ast.Attribute, ast.BinOp)):
        return None
    if not all(_may_be_size(node, call.function) for node in (first, whole)):
        return None  # by its form
    known = reaching(call.function).at
    sizes = [_size(first, call.function, known), _size(whole, call.function, known)]
    if None in sizes:
        return None
    read = [size for size in sizes if size is not None]
    if [size.position for size in read] != [0, 1] or {size.rank for size in read} != {3}:
        return None
    if any(_size(node, call.function, known) is not None for node in (part, rest)):
        return None
    if evaluate(part, call.frame).literal == 1 or not isinstance(call.node.func, ast.Attribute):
        return None
    viewed = _same_rows(call.node.func.value, call.frame)
    alike = all(_is_bound_alike(size.tensor, viewed, known) for size in read)
    return Site(call.module, read[0].source) if alike and viewed is not None else None


def _same_rows(node: Node, frame: Frame) -> Node:
    """The tensor whose rows an expression has, with other features perhaps: what linear layers are given, through names
    and parts; the expression itself where nothing is known of it."""
    for _ in range(6):
        match node:
            case ast.Name():
                found = bound_at(node, frame.function)
                made = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
                if not isinstance(made, ast.Call):
                    return node
                inner = _given_rows(made, frame)
                if inner is None:
                    return node
                node = inner
            case ast.Call():
                node = _given_rows(node, frame)
            case _:
                return node
    return None


def _given_rows(made: ast.Call, frame: Frame) -> Node:
    """What a linear layer is given, or what a method takes parts of; None for any other call."""
    if isinstance(made.func, ast.Attribute) and made.func.attr in _PARTED:
        along = [*made.args[1:2], *(k.value for k in made.keywords if k.arg == "dim")]
        parted = made.func.attr in ("chunk", "split", "tensor_split")
        last = not parted or (len(along) == 1 and evaluate(along[0], frame).literal in (-1, 2))
        return made.func.value if last else None
    linear = Call(made, frame).callee.instance_of("torch.nn.Linear") and len(made.args) == 1
    return made.args[0] if linear else None


class _Size(NamedTuple):
    """The size of one dimension of a tensor, as it is read: `rank` is 0 where that does not say how many there are."""

    tensor: Node
    position: int
    rank: int
    source: Node


def _size(node: Node, function: FunctionScope, known: dict[int, tuple[Binding, ...]]) -> _Size | None:
    """Which size of which tensor an expression is: `x.size(1)`, `x.shape[1]`, or a name for one."""
    match node:
        case ast.Name():
            bound = known.get(id(node), ())
            if len(bound) != 1 or bound[0].kind != "assign":
                return None
            shown = bound_expression(bound[0])
            if shown is not None:
                return _size(shown, function, known) if not isinstance(shown, ast.Name) else None
            tensor, path = _shaped(bound[0].value), bound[0].path
            if tensor is None or len(path) != 1 or path[0] is None:
                return None
            rank = sum(b.value is bound[0].value for bound_here in function.bindings.values() for b in bound_here)
            return _Size(tensor, path[0], rank, bound[0].value)
        case ast.Call(func=ast.Attribute(value=tensor, attr="size"), args=[ast.Constant(value=int(at))]):
            return _Size(tensor, at, 0, node)
        case ast.Subscript(value=ast.Attribute(value=tensor, attr="shape"), slice=ast.Constant(value=int(at))):
            return _Size(tensor, at, 0, node)
    return None


def _may_be_size(node: Node, function: FunctionScope) -> bool:
    """A cheap look: is it a name that the function assigns to, or read off a tensor on the spot?"""
    if isinstance(node, ast.Name):
        return any(b.kind == "assign" for b in function.bindings.get(node.id, ()))
    return isinstance(node, _READ_AS_SIZES)


def _shaped(source: Node) -> Node:
    """The tensor of which `x.shape` or `x.size()` is the shape; None for anything else."""
    if isinstance(source, ast.Call) and not source.args and last_name(source.func) == "size":
        source = source.func
    return source.value if isinstance(source, ast.Attribute) and source.attr in ("shape", "size") else None


def _is_padded(bindings: tuple[Binding, ...]) -> bool:
    """Was the tensor lengthened just now? Its rows then differ in length from what follows: read with the sizes
    exchanged, each row is shifted by one more, as attention with relative positions wants it."""
    return any(isinstance(b.value, ast.Call) and last_name(b.value.func) in _LENGTHENING for b in bindings)


def _is_listed(node: Node) -> bool:
    return isinstance(node, (ast.Tuple, ast.List))


def _is_bound_alike(one: Node, other: Node, known: dict[int, tuple[Binding, ...]]) -> bool:
    """Are they one tensor, bound at the one as at the other?"""
    return place(one) == place(other) and known.get(id(one)) == known.get(id(other))
