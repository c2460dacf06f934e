"""Is a tensor a column, one number for each sample in a dimension of its own, or is it flat?

    scores = nn.Linear(8, 1)(x)                       # a column: (N, 1)
    scores.squeeze(-1), scores[:, 0], y.view(-1)      # flat: (N,)
    y = torch.tensor(frame["price"].values)           # flat: a column of a table is one number a row
    scores - y                                        # (N, N)
    values = net(x).gather(1, action[:, None])        # a column: one of the numbers that a model gives for each sample
    best = net(x).max(1).values                       # flat: the dimension of these numbers is gone

The lattice is flat: COLUMN, FLAT, or None where it is not known. What is asked are the operations that made an
expression, through names, layers, `forward` methods and data loaders; arithmetic with numbers, activations and moves
change nothing. Whatever else changes a shape ends the claim, and so does a name that may hold two things.
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import NamedTuple

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import DATA_FRAME, DATASET, LOADER, MODULE
from mllint.semantics.libraries.tensor_methods import CASTS, MOVES, REDUCES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, iterable_of, last_name, place, written_integer
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.losses.outputs import SAME, has_one_output, holds_several, layers_of
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.heads import replaced_head
from mllint.semantics.values.lineage import Origin, origins, resolve_name
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["Form", "Layout", "find_column_against_flat", "find_column_minus_flat", "form_of"]

_DEPTH = 20
_REDUCING = REDUCES | {"item"}
_FLATTENING = frozenset("flatten ravel".split())
_FILLED = frozenset("randn rand zeros ones empty".split())
_MASKING = ("masked_fill", "masked_fill_")
_PICKING = REDUCES | {"gather"}
"""What leaves one of several numbers along a dimension."""
_JOINING = frozenset("min max minimum maximum".split())
_PAIRING = frozenset("mse_loss l1_loss smooth_l1_loss huber_loss MSELoss L1Loss SmoothL1Loss HuberLoss".split())
"""Losses that compare entry by entry, and broadcast."""
_TABLE = "torch.utils.data.TensorDataset"
_OF_ROWS = frozenset("shape index name array T dtype iloc loc".split())
_MAKING = ("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray")
_CONVERTING = frozenset((*_MAKING, "float32", "float64"))
_WITH_ONE_TARGET = frozenset(
    """fetch_california_housing fetch_covtype load_boston load_breast_cancer load_diabetes load_digits load_iris
    load_wine make_classification make_friedman1 make_friedman2 make_friedman3 make_regression""".split()
)
"""Data sets of scikit-learn that have one target for each sample, unless they are told another number."""
_OF_NUMBERS = _REDUCING | SAME | frozenset("sqrt square pow".split())


class Layout(Enum):
    """How one number for each sample is laid out."""

    COLUMN = "column"
    FLAT = "flat"


class Form(NamedTuple):
    """A layout, and where a tensor got it.

    Attributes:
        layout: the layout.
        site: where the tensor got it.
        is_output: is it what a model gives? Arithmetic with data keeps it flat, or combines each with each already.
    """

    layout: Layout
    site: Site
    is_output: bool = False


def form_of(node: Node, frame: Frame, depth: int = _DEPTH) -> Form | None:
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
            found = bound_at(node, frame.function)
            return _form_of_binding(found[0], frame, depth - 1) if len(found) == 1 else None
        case ast.Call():
            return _form_of_call(node, frame, depth - 1)
        case ast.Attribute(attr="target", value=owner) if _is_dataset_with_one_target(
            resolve_name(owner, frame.function), frame
        ):
            return Form(Layout.FLAT, Site(frame.module, node))
        case ast.Attribute(attr=attr, value=owner) if attr in SAME:
            return form_of(owner, frame, depth - 1)
        case ast.Subscript(value=owner, slice=index):
            return _form_of_indexed(node, owner, index, frame, depth - 1)
        case ast.BinOp(left=left, op=operation, right=right) if not isinstance(operation, ast.MatMult):
            return _form_of_arithmetic(left, right, frame, depth - 1)
    return None


def _form_of_attribute(node: Node, frame: Frame, depth: int) -> Form | None:
    """The form of all that is assigned to an attribute."""
    given = [o for o in origins(node, frame, through=lambda o: o.node is node) if o.node is not node]
    forms = [form_of(o.node, o.frame, depth) for o in given if not isinstance(o.node, ast.Name) or o.node.id != "self"]
    return _common(forms)


def _form_of_arithmetic(left: Node, right: Node, frame: Frame, depth: int) -> Form | None:
    """Arithmetic with numbers keeps a form, and so does that of two tensors of one form."""
    tensors = [side for side in (left, right) if not _is_number(resolve_name(side, frame.function))]
    forms = [form_of(side, frame, depth) for side in tensors]
    known = [form for form in forms if form is not None]
    if len(known) == 1 and known[0].is_output and known[0].layout is Layout.FLAT:
        return known[0]
    return _common(forms)


def _common(forms: list[Form | None]) -> Form | None:
    """The first of some forms, if all have its layout."""
    layouts = {form.layout if form is not None else None for form in forms}
    return forms[0] if len(layouts) == 1 else None


def _is_number(node: Node) -> bool:
    """Is it a number that is written out, or one that a tensor is reduced to, with a number added perhaps?"""
    match node:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]):
            return name in _REDUCING
    return False


def _form_of_binding(binding: Binding, frame: Frame, depth: int) -> Form | None:
    if binding.kind == "assign":
        return _form_of_part(binding.value, binding.path, frame, depth)
    if binding.kind == "for" and binding.path:
        return _form_of_batch(binding, frame, depth)
    return _form_passed_by_callers(binding, frame, depth) if binding.kind == "param" else None


def _form_of_part(node: Node, path: tuple[int | None, ...], frame: Frame, depth: int) -> Form | None:
    """The form of an expression, or of the part of it that is unpacked: `v` of `a, v = net.evaluate(x)`."""
    if not path:
        return form_of(node, frame, depth)
    if depth == 0 or len(path) > 1 or path[0] is None:
        return None
    match node:
        case ast.Call(args=arrays) if last_name(node.func) == "train_test_split" and path[0] // 2 < len(arrays):
            return form_of(arrays[path[0] // 2], frame, depth - 1)
        case ast.Tuple(elts=parts) if path[0] < len(parts):
            return form_of(parts[path[0]], frame, depth - 1)
        case ast.Call() if path[0] == 1 and _is_dataset_with_one_target(node, frame):
            return Form(Layout.FLAT, Site(frame.module, node))
        case ast.Call() if path[0] == 0 and last_name(node.func) in ("max", "min"):
            return form_of(node, frame, depth - 1)
        case ast.Call():
            return _form_of_result(Call(node, frame), path, depth - 1)
    return None


def _form_passed_by_callers(binding: Binding, frame: Frame, depth: int) -> Form | None:
    """What the call that the frame is of hands in for a parameter; without one, what all callers do."""
    if frame.bound is not None:
        given = frame.bound.get(binding.name)
        return form_of(given.node, given.frame, depth) if isinstance(given, Passed) else None
    found: list[Form | None] = []
    for call, caller in frame.project.callers(frame.function):
        bound, _ = bind(frame.function, call, caller)
        handed = bound.get(binding.name)
        found.append(form_of(handed.node, handed.frame, depth) if isinstance(handed, Passed) else None)
    return _common(found)


def _form_of_batch(binding: Binding, frame: Frame, depth: int) -> Form | None:
    """What a loop draws from a loader over tensors: batches of a column are columns, batches of numbers are flat."""
    loader = evaluate(iterable_of(binding.value), frame)
    dataset = constructor_argument(loader, "dataset") if loader.instance_of(LOADER) else None
    if not isinstance(dataset, InstanceValue) or dataset.built_with is None:
        return None
    if not dataset.instance_of(_TABLE):
        own = dataset.instance_of(DATASET) and constructor_argument(loader, "collate_fn") is None
        return _form_of_items(dataset, binding.path[-1], depth) if own else None
    tensors, place = dataset.built_with.positional, binding.path[-1]
    if place is None or place >= len(tensors) or isinstance(tensors[place], Value):
        return None
    return form_of(tensors[place], dataset.built_with.frame, depth)


def _form_of_items(dataset: InstanceValue, place: int | None, depth: int) -> Form | None:
    """What batches of one's own samples are: flat if each sample gives one number, a column if a list of one."""
    item = method(dataset.cls, "__getitem__")
    if item is None or item.stubbed or dataset.built_with is None or place is None:
        return None
    frame = dataset.built_with.frame.project.frame(item)
    found: list[Form | None] = []
    for returned in item.returns:
        parts = returned.value.elts if isinstance(returned.value, ast.Tuple) else []
        found.append(_form_of_item(parts[place], frame, depth) if place < len(parts) else None)
    return _common(found)


def _form_of_item(node: Node, frame: Frame, depth: int) -> Form | None:
    """The form of batches of what a sample is: of a number, or of a list of one number."""
    made, listed = resolve_name(node, frame.function), False
    while isinstance(made, ast.Call) and last_name(made.func) in _CONVERTING and made.args:
        inner = resolve_name(made.args[0], frame.function)
        listed = isinstance(inner, ast.List) and len(inner.elts) == 1
        made = inner.elts[0] if isinstance(inner, ast.List) and listed else inner
    if isinstance(made, ast.BinOp):  # with numbers that are written out
        parts = [side for side in (made.left, made.right) if not isinstance(side, ast.Constant)]
        made = resolve_name(parts[0], frame.function) if len(parts) == 1 else made
    number = isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in ("float", "int")
    number = number or _is_cell(made, frame.function)
    if isinstance(made, ast.Subscript) and isinstance(made.slice, ast.Name):
        stored = isinstance(made.value, ast.Attribute) and made.value.attr not in SAME
        whole = _form_of_attribute(made.value, frame, depth) if stored else form_of(made.value, frame, depth)
        number = whole is not None and whole.layout is Layout.FLAT
    return Form(Layout.COLUMN if listed else Layout.FLAT, Site(frame.module, node)) if number else None


def _is_cell(node: Node, function: FunctionScope) -> bool:
    """Is it one entry of one row of a table: `table.iloc[i]["age"]`, `row.age` of `row = table.iloc[i]`?"""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str()), value=row):
            return _is_row(resolve_name(row, function))
        case ast.Attribute(attr=attr, value=row) if attr not in SAME and attr not in _OF_ROWS:
            return _is_row(resolve_name(row, function))
        case ast.Subscript(
            value=ast.Attribute(attr="iloc" | "loc" | "iat" | "at"), slice=ast.Tuple(elts=[row, column])
        ):
            return isinstance(row, ast.Name) and isinstance(column, ast.Constant)
    return False


def _is_row(node: Node) -> bool:
    match node:
        case ast.Subscript(value=ast.Attribute(attr="iloc" | "loc"), slice=ast.Name()):
            return True
    return False


def _form_of_call(node: ast.Call, frame: Frame, depth: int) -> Form | None:
    call = Call(node, frame)
    name, here = call.last_name, Site(frame.module, node)
    operand = node.func.value if isinstance(node.func, ast.Attribute) and not _is_module_function(call) else None
    operand = operand if operand is not None else node.args[0] if node.args else None
    layers = call.callee.alternatives
    if len(layers) == 1 and isinstance(layers[0], InstanceValue):
        return _form_behind_layer(layers[0], call, depth)
    if call.callees and not any(f.stubbed for f in call.callees):
        return _form_of_result(call, (), depth)
    if name == "pop" and node.args and operand is not None:
        return _form_of_table(node, operand, frame)
    if name in _MAKING and node.args and _is_list_of_numbers(node.args[0], frame):
        return Form(Layout.FLAT, here)
    sizes = node.args if operand not in node.args else node.args[1:]
    if name in ("view", "reshape"):
        return _form_of_view(sizes, here)
    if name == "unsqueeze" and _is_last(sizes):
        inner = form_of(operand, frame, depth)
        return Form(Layout.COLUMN, here) if inner is not None and inner.layout is Layout.FLAT else None
    if name == "squeeze":
        inner = form_of(operand, frame, depth)
        if sizes and (written_integer(sizes[0]) or 0) > 1:
            return None  # the last dimension of what has more of them, or another one
        return (
            Form(Layout.FLAT, here, inner.is_output)
            if inner is not None and inner.layout is Layout.COLUMN and (not sizes or _is_last(sizes))
            else inner
        )
    joined = _form_of_joined(node, frame, depth) if name in _JOINING else None
    if joined is not None or name in _PICKING:
        return joined or (_form_of_picked(call, operand, sizes, depth) if operand is not None else None)
    if name in _FLATTENING and not sizes:
        return Form(Layout.FLAT, here)
    if name in _FILLED:
        return _form_by_sizes(node.args, here) if _is_module_function(call) else None
    if name in _MASKING and not (sizes and _ends_in_one(sizes[0], frame)):
        return None
    return form_of(operand, frame, depth) if name in SAME and operand is not None else None


def _is_module_function(call: Call) -> bool:
    """Is it a function of a module, as in `torch.sigmoid(x)`, and not a method?"""
    function = call.callee.function
    return function is not None and function.owner is None


def _is_list_of_numbers(node: Node, frame: Frame) -> bool:
    """Is it a list that begins empty, and that numbers are put into: names that are bound to a number somewhere?"""
    if not isinstance(node, ast.Name):
        return False
    bound = frame.function.bindings.get(node.id, ())
    empty = [b for b in bound if isinstance(bound_expression(b), ast.List) and not bound_expression(b).elts]
    put = [c for c in frame.function.calls if last_name(c.func) in ("append", "insert") and c.args]
    items = [c.args[-1] for c in put if isinstance(c.func, ast.Attribute) and place(c.func.value) == node.id]
    return bool(empty and items) and all(_is_bound_to_number(item, frame) for item in items)


def _is_bound_to_number(node: Node, frame: Frame) -> bool:
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
    values = (bound_expression(b) for b in frame.function.bindings.get(node.id, ()))
    return any(isinstance(v, ast.Constant) and isinstance(v.value, (int, float)) for v in values)


def _form_of_view(sizes: list[Node], here: Site) -> Form | None:
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    numbers = [written_integer(s) for s in sizes]
    if numbers == [-1]:
        return Form(Layout.FLAT, here)
    return Form(Layout.COLUMN, here) if len(numbers) == 2 and numbers[1] == 1 else None


def _form_by_sizes(sizes: list[Node], here: Site) -> Form | None:
    """What `torch.zeros(64)` and `torch.zeros(n, 1)` are; one entry is neither, since it goes with any form."""
    numbers = [written_integer(size) for size in sizes]
    if len(numbers) == 1 and numbers[0] is not None and numbers[0] > 1:
        return Form(Layout.FLAT, here)
    return Form(Layout.COLUMN, here) if len(numbers) == 2 and numbers[1] == 1 else None


def _ends_in_one(mask: Node, frame: Frame) -> bool:
    """Whether a mask has one entry in its last dimension, as it stands: `valid.unsqueeze(-1)`, also negated."""
    match resolve_name(mask, frame.function):
        case ast.UnaryOp(operand=inner) | ast.Compare(left=inner, comparators=[ast.Constant()]):
            return _ends_in_one(inner, frame)
        case ast.Call(func=ast.Attribute(attr="unsqueeze"), args=[size]):
            return written_integer(size) == -1
        case ast.Subscript(slice=ast.Tuple(elts=[*_, ast.Constant(value=None)])):
            return True
    return False


def _is_last(sizes: list[Node]) -> bool:
    return len(sizes) == 1 and written_integer(sizes[0]) in (1, -1)


def _form_of_indexed(node: Node, tensor: Node, index: Node, frame: Frame, depth: int) -> Form | None:
    match index:
        case ast.Constant(value=str()):
            return _form_of_table(node, tensor, frame)
        case ast.Constant(value=0) if isinstance(tensor, ast.Call) and last_name(tensor.func) in ("max", "min"):
            return form_of(tensor, frame, depth)
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None), ast.Constant(value=0) | ast.UnaryOp()]):
            inner = form_of(tensor, frame, depth)
            return (
                Form(Layout.FLAT, Site(frame.module, node))
                if inner is not None and inner.layout is Layout.COLUMN
                else None
            )
    return None


def _form_of_table(node: Node, table: Node, frame: Frame) -> Form | None:
    """One named column of a table of pandas."""
    return Form(Layout.FLAT, Site(frame.module, node)) if evaluate(table, frame).instance_of(DATA_FRAME) else None


def _is_dataset_with_one_target(node: Node, frame: Frame) -> bool:
    """True if `node` is `load_diabetes()`, or another call of scikit-learn that gives one target for each sample."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in _WITH_ONE_TARGET:
        return False
    function = Call(node, frame).callee.function
    return (
        function is not None
        and function.module.name == "sklearn.datasets"
        and not any(keyword.arg == "n_targets" for keyword in node.keywords)
    )


# -------------------------------------------------------------------------------------------------------------- layers
def _form_behind_layer(layer: InstanceValue, call: Call, depth: int) -> Form | None:
    """What a layer, or a model of one's own, gives."""
    if not layer.instance_of(MODULE):
        return None
    if layer.cls.module.is_stub:
        return _form_of_layer(layer, call, depth)
    return _form_of_result(call, (), depth)


def _form_of_result(call: Call, path: tuple[int | None, ...], depth: int) -> Form | None:
    """What all functions of the project that a call enters return, or a part of it."""
    found = None
    for function in call.callees:
        frame = call.project.frame(function)
        for returned in function.returns:
            form = _form_of_part(returned.value, path, frame, depth)
            if function.stubbed or form is None or (found is not None and found.layout is not form.layout):
                return None
            found = form
    return found


def _form_of_layer(layer: InstanceValue, call: Call, depth: int) -> Form | None:
    parts = layers_of(layer if layer.cls.name == "Sequential" else replaced_head(layer, call.frame) or layer)
    last = parts[-1] if parts else None
    if isinstance(last, InstanceValue) and last.cls.module.is_stub and has_one_output(last, call.frame):
        return Form(Layout.COLUMN, last.site or call.site, is_output=True)
    given = call.node.args[0] if call.node.args and not parts else None
    return form_of(given, call.frame, depth) if given is not None else None


# ------------------------------------------------------------------------------ several numbers of a model for a sample
def _form_of_picked(call: Call, of: Node, sizes: list[Node], depth: int) -> Form | None:
    """What is left of several numbers for each sample where one is chosen, or computed, of them."""
    given = {k.arg: k.value for k in call.node.keywords}
    dimension = given.get("dim") or given.get("axis") or (sizes[0] if sizes else None)
    if dimension is None or written_integer(dimension) not in (1, -1) or not holds_several(of, call.frame, depth):
        return None
    if call.last_name != "gather":
        kept = getattr(given.get("keepdim"), "value", False)
        return Form(Layout.COLUMN if kept is True else Layout.FLAT, call.site, is_output=True)
    index = given.get("index") or next(iter(sizes[1:2]), None)
    return Form(Layout.COLUMN, call.site, is_output=True) if _is_column_of_indices(index, call.frame) else None


def _is_column_of_indices(index: Node, frame: Frame) -> bool:
    """Is it one index for each sample, in a dimension of its own: `action[:, None]`, `best.unsqueeze(1)`?"""
    match resolve_name(index, frame.function):
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), ast.Constant(value=None)])):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr=word), args=args, keywords=keywords):
            if word in CASTS or word in MOVES:
                return _is_column_of_indices(inner, frame)
            kept = any(k.arg == "keepdim" and getattr(k.value, "value", False) is True for k in keywords)
            shape = _form_of_view(args, Site(frame.module, index)) if word in ("view", "reshape") else None
            return (
                kept
                or (word == "unsqueeze" and _is_last(args))
                or (shape is not None and shape.layout.value == "column")
            )
    return False


def _form_of_joined(node: ast.Call, frame: Frame, depth: int) -> Form | None:
    """What `torch.min(q1, q2)` gives, and `torch.min(*critics(s, a))`: the smaller of two, entry by entry."""
    match node.args:
        case [ast.Starred(value=ast.Call() as pair)]:
            return _common([_form_of_part(pair, (i,), frame, depth) for i in (0, 1)])
        case [one, other] if not isinstance(other, ast.Constant):
            return _common([form_of(side, frame, depth) for side in (one, other)])
    return None


def find_column_against_flat(call: Call) -> tuple[tuple[Argument, Site], tuple[Argument, Site]] | None:
    """The two sides of a loss, a column and what is flat, each with the place where it became so."""
    names = {f.owner.name if f.owner is not None else f.name for f in call.callees}
    sides = [call.argument("input"), call.argument("target")]
    if not names or not names <= _PAIRING or None in sides:
        return None
    found = {}
    for side in sides:
        form = form_of(side.node, side.frame) if side is not None else None
        if side is not None and form is not None:
            found[form.layout] = (side, form.site)
    return (found[Layout.COLUMN], found[Layout.FLAT]) if len(found) == 2 else None


def find_column_minus_flat(backward: Call) -> tuple[Node, Frame, Site, Site] | None:
    """The difference of a column that a layer gives and flat data, in the loss that a backward starts from.

    Returns:
        The difference, its context, and where the column and the flat side became so; None if there is none.
    """
    func = backward.node.func
    crosses = isinstance(func, ast.Attribute) and not backward.node.args and _may_cross(backward.project)
    loss = func.value if crosses and isinstance(func, ast.Attribute) else None
    if loss is None:
        return None
    for origin in origins(loss, backward.frame, through=_may_hold_difference):
        node = origin.node
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            continue
        forms, outputs = {}, set[Layout]()
        for side in (node.left, node.right):
            form = form_of(side, origin.frame)
            if form is not None:
                forms[form.layout] = (form.site, side)
                outputs |= {form.layout} if form.is_output else set()
        if len(forms) == 2 and Layout.COLUMN in outputs and not evaluate(forms[Layout.FLAT][1], origin.frame).graph:
            return node, origin.frame, forms[Layout.COLUMN][0], forms[Layout.FLAT][0]
    return None


def _may_hold_difference(origin: Origin) -> bool:
    """May a difference be found in what an expression is computed from: is it no item of a loop, no part of anything,
    and no call with one argument, as that of a model, but for a function of the numbers of a tensor?"""
    match origin.node:
        case ast.Name():
            found = bound_at(origin.node, origin.frame.function)
            return all(binding.kind in ("assign", "param") for binding in found)
        case ast.Call(args=args, keywords=keywords):
            return len(args) + len(keywords) != 1 or last_name(origin.node.func) in _OF_NUMBERS
        case ast.Attribute() | ast.Subscript():
            return False
    return True


@cached()
def _may_cross(project: Project) -> bool:
    """A cheap look: does a file of a project make tensors of tables, whose columns are flat, or data sets of tensors,
    and are there layers with one output?"""
    roots = ({name.partition(".")[0] for name, _ in m.imports} for m in project.modules if not m.is_stub)
    tables = any({"pandas", "torch"} <= names for names in roots) or project.calls_named("TensorDataset")
    return bool(tables) and any(_may_have_one_output(call) for call, _ in project.calls_named("Linear"))


def _may_have_one_output(linear: ast.Call) -> bool:
    """Is the number of outputs one, or not written out?"""
    given = [*linear.args[1:2], *(k.value for k in linear.keywords if k.arg == "out_features")]
    return any(not isinstance(node, ast.Constant) or node.value == 1 for node in given)
