"""Does a call do nothing but compute, so that without its result it is for nothing?

    x.view(-1)                                 # computes: pure, on a tensor
    x.add_(1).view(-1)                         # changes `x` on the way
    df.dropna()                                # computes: a frame of pandas stays as it is without `inplace=True`
    F.batch_norm(x, mean, var, training=True)  # writes the running statistics

Only what is certainly pure counts, on what is certainly a tensor or a frame. What is run for its error, its time, or as
the last line of a notebook's cell is run for something; so may be what stands in a script that was a notebook, where
`df.shape` shows something.

A receiver is a tensor by its value, or by the place where it stands (`_is_tensor_by_place`): what `forward` reshapes is
one, and so is what a loop unpacks from its batches and moves. The name has to agree: a model can be moved in place, and
some tokenizers' batches can.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.stubs import effects
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.dead_lines import makes_no_difference
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import (
    FunctionValue,
    InstanceValue,
    LiteralValue,
    ModuleValue,
    TensorValue,
    Value,
)

__all__ = [
    "PURE", "contains_in_place_call", "has_in_place_form", "is_displayed_in_notebook", "is_of_frame", "is_pure_layer",
    "is_timed", "is_tried_or_timed", "is_unused", "is_warmup_call", "number", "only_computes",
]  # fmt: skip


_TIMERS = frozenset("perf_counter time synchronize timeit Timer profile process_time monotonic elapsed_time".split())
PURE = frozenset(
    """to cpu cuda float half bfloat16 double int long short bool type_as detach clone numpy item tolist view view_as
    reshape permute transpose swapaxes movedim squeeze unsqueeze flatten unflatten contiguous expand expand_as
    repeat tile flip roll clamp clip clamp_min clamp_max abs neg exp log log1p sqrt rsqrt pow square sign round
    floor ceil relu leaky_relu elu gelu silu tanh sigmoid softmax log_softmax softplus hardtanh normalize
    layer_norm batch_norm mul div true_divide floor_divide fmod remainder matmul mm bmm addmm einsum mean sum
    std argmax argmin norm cumsum cat stack masked_fill masked_select index_fill index_add index_copy scatter
    scatter_add gather topk nan_to_num lerp zeros_like ones_like full_like pad interpolate one_hot linear conv1d
    conv2d conv3d max_pool2d avg_pool2d mse_loss l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits apply_updates
    drop dropna fillna ffill bfill replace rename reset_index set_index astype drop_duplicates""".split()
)
_FRAME = "pandas.DataFrame"
_EXPECTING = frozenset(
    "raises assertRaises assertRaisesRegex warns assertWarns assertWarnsRegex suppress profile".split()
)
_LAYERS = frozenset(
    """ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Sigmoid Tanh Softplus Hardtanh Hardswish Softmax
    LogSoftmax Dropout Dropout1d Dropout2d Dropout3d AlphaDropout Flatten MaxPool1d MaxPool2d AvgPool2d
    AdaptiveAvgPool2d Linear Conv1d Conv2d Conv3d LayerNorm GroupNorm""".split()
)
_FILLED = frozenset("zeros ones rand randn empty full zeros_like ones_like rand_like randn_like".split())
_FEW = 8
_RESHAPES = frozenset(
    """view reshape permute transpose squeeze unsqueeze flatten contiguous view_as expand expand_as type_as sigmoid
    softmax log_softmax clamp clamp_min clamp_max masked_fill relu tanh""".split()
)
_DATA = frozenset("input inputs data sample samples".split())
_OF_TENSORS = frozenset(
    "to cuda cpu size shape float long dim ndim view reshape device dtype unsqueeze squeeze".split()
)
_ALONG = frozenset("squeeze unsqueeze softmax log_softmax sum mean argmax argmin cumsum std norm normalize".split())


def is_pure_layer(layer: Value) -> bool:
    """Is it a layer of `torch.nn` that neither changes its input nor remembers anything of it?"""
    if (
        not isinstance(layer, InstanceValue)
        or not layer.cls.module.is_stub
        or not layer.cls.fullname.startswith("torch.nn")
    ):
        return False
    if layer.cls.name not in _LAYERS or layer.arguments is None or layer.arguments.open:
        return False
    inplace = constructor_argument(layer, "inplace")
    return inplace is None or inplace.truth is False


def is_warmup_call(call: Call) -> bool:
    """Is it run on nothing but filled tensors, made in the call: `conv2d(torch.zeros(8, 8), torch.zeros(8, 8))`?"""
    given = [*call.node.args, *(k.value for k in call.node.keywords)]
    library = isinstance(call.receiver, ModuleValue)
    made = [isinstance(a, ast.Call) and last_name(a.func) in _FILLED for a in given]
    return library and bool(made) and all(made)


def is_unused(call: Call) -> Answer[bool]:
    """Whether a call that only computes, written as a statement, is for nothing.

    Returns:
        A proven answer, unless the call may be made for another reason: it shows that what it starts from runs, waits
        for a device, or its effect is there already, so that no line is missing.
    """
    doubt = _is_fresh(call.node.func) or _is_cut_otherwise(call) or _is_there(call) or _has_shape(call)
    doubt = doubt or (is_of_frame(call) and _shows_bare_expressions(call.function)) or makes_no_difference(call)
    return proven_unless(doubt or call.last_name == "item", True, call.site)


def _shows_bare_expressions(function: FunctionScope) -> bool:
    """Are values shown by naming them, `df.shape` as a statement, as in a notebook that was saved as a script?"""
    return function.is_body and any(
        isinstance(n, (ast.Name, ast.Attribute, ast.Subscript)) for n in function.expressions
    )


def _is_fresh(func: Node) -> bool:
    """Does a chain start at the result of a call that is no tensor's: `run(x).cpu().numpy()` asks whether it runs."""
    base = func.value if isinstance(func, ast.Attribute) else None
    while isinstance(base, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(base, ast.Call):
            if last_name(base.func) not in PURE:
                return True
            base = base.func
        else:
            base = base.value
    return False


def _is_cut_otherwise(call: Call) -> bool:
    """Is it `p.detach()` where the gradients of `p` are switched off in the same function, so that nothing lacks?"""
    base = call.node.func.value if isinstance(call.node.func, ast.Attribute) and call.last_name == "detach" else None
    name = place(base) if base is not None else None
    if name is None:
        return False
    switches = (n for n in walk(call.function.node) if isinstance(n, ast.Attribute))
    return any(n.attr in ("requires_grad", "requires_grad_") and place(n.value) == name for n in switches)


def _is_there(call: Call) -> bool:
    """Was it made, or moved already, where it is moved to: `x.to(device)` of `torch.arange(n, device=device)`? Or with
    the type that it is to have: `torch.zeros(n, dtype=query.dtype)`?"""
    base, given = getattr(call.node.func, "value", None), call.node.args
    if call.last_name not in ("to", "cuda") or not isinstance(base, ast.Name):
        return False
    where = _device_name(given[0]) if given else "cuda" if call.last_name == "cuda" else None
    reached = bound_at(base, call.function)
    found = [n for b in reached if b.value is not None for n in walk(b.value)]
    calls = [n for n in found if isinstance(n, ast.Call)]
    named = [k.value for n in calls for k in n.keywords if k.arg in ("device", "dtype")]
    named += [n.args[0] for n in calls if last_name(n.func) == "to" and n.args]
    return where is not None and any(_device_name(n) == where for n in named)


def _device_name(node: Node) -> str | None:
    """A place that names a device, or the text that does."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
    return place(node) if text is None else text


def _has_shape(call: Call) -> bool:
    """Is it asked to have the shape of what it is computed from: `y = f(x); y.view(x.shape)`? It has it already, or
    what follows fails."""
    base, given = getattr(call.node.func, "value", None), call.node.args[:1]
    if call.last_name not in ("view", "reshape") or not isinstance(base, ast.Name) or not given:
        return False
    tensor = given[0].value if isinstance(given[0], ast.Attribute) and given[0].attr == "shape" else None
    values = [b.value for b in call.function.bindings.get(base.id, ()) if b.value is not None]
    name = place(tensor) if tensor is not None else None
    return name is not None and any(place(n) == name for v in values for n in walk(v))


def is_timed(call: Call) -> bool:
    """Whether a call may be made for the time that it takes: its function measures time, and does not train."""
    scope = call.function
    trains = not scope.called_names.isdisjoint(("backward", "zero_grad"))
    return not trains and not scope.called_names.isdisjoint(_TIMERS)


def only_computes(call: Call) -> bool:
    """Is it a pure function of the library, on tensors, that writes into none of its arguments?"""
    if any(
        k.arg == "out" or (k.arg == "inplace" and getattr(k.value, "value", True) is not False)
        for k in call.node.keywords
    ):
        return False
    if writes_into_own_argument(call.node) or is_plot_call(call.node) or updates_running_stats(call):
        return False
    callee = unique_callee(call)
    if not isinstance(callee, FunctionScope) or "pure" not in effects(callee):
        return callee is None and (_is_tensor_by_form(call) or (call.callee.is_unknown and _is_tensor_by_place(call)))
    if callee.owner is None:
        return True
    receiver = call.receiver
    if callee.owner.module.name == "pandas":
        return is_of_frame(call)
    if receiver is not None and (receiver.has("Inputs") or receiver.has("Labels")) and _has_own_in_place_method(call):
        return False
    plain = receiver is not None and all(
        isinstance(v, TensorValue) and "Batch" not in v.traits for v in receiver.alternatives
    )
    return plain or _is_tensor_by_place(call) or _is_tensor_by_form(call)


def has_in_place_form(call: Call) -> bool:
    """Has a method a form that ends in an underscore, `x.clamp_()`, or a function the option `inplace`?"""
    callee = unique_callee(call)
    if not isinstance(callee, FunctionScope):
        return False
    if callee.owner is not None:
        return f"{callee.name}_" in callee.owner.methods
    return any(parameter.name == "inplace" for parameter in callee.parameters)


def is_of_frame(call: Call) -> bool:
    """Is it a method of what is certainly a frame of pandas?"""
    return call.receiver is not None and call.receiver.instance_of(_FRAME)


def updates_running_stats(call: Call) -> bool:
    """Is it `F.batch_norm(x, mean, var, training=True)`, which writes the running statistics into what it is given?"""
    if call.last_name != "batch_norm":
        return False
    mean, mode = call.argument("running_mean"), call.argument("training")
    given = mean is not None and not (isinstance(mean.value, LiteralValue) and mean.value.literal is None)
    return given and mode is not None and mode.value.truth is not False


def unique_callee(call: Call) -> FunctionScope | None:
    """The one function that is called, be it of one of several tensors; None if there is no such function."""
    alternatives = call.callee.alternatives
    same = all(isinstance(v, FunctionValue) and v.function is alternatives[0].function for v in alternatives)
    return alternatives[0].function if same else None


def writes_into_own_argument(node: Node) -> bool:
    """Is one place given twice, the second time to hold the result: `a.clip(0, 1, a)`, `np.exp(a, a)` of numpy?"""
    if last_name(node.func) in ("view", "reshape", "expand", "repeat"):
        return False  # sizes, of which two may be one
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    places = [place(n) for n in (receiver, *node.args) if n is not None]
    named = [p for p in places if p]
    return len(named) != len(set(named))


def is_plot_call(node: Node) -> bool:
    """Is it `ax.scatter(x, y)`? That of a tensor is told the dimension first. An array may hold axes to draw on."""
    if last_name(node.func) != "scatter" or any(k.arg in ("dim", "index", "src") for k in node.keywords):
        return False
    first = node.args[0] if node.args else None
    return first is None or (number(first) is None and not topics.is_about(last_name(first), Topic.DIMENSIONS))


def contains_in_place_call(node: Node) -> bool:
    """Is an in-place operation part of the chain: `p.data.add_(x).to(dtype)`?"""
    inner = (n for n in walk(node) if isinstance(n, ast.Call) and n is not node)
    return any(last_name(n.func).endswith("_") for n in inner)


def is_tried_or_timed(call: Call) -> bool:
    """Is it tried for its error, timed, or inside a `with` that expects something of it? A `try` around all of the
    work is about no line of it."""
    for statement, _ in call.function.handlers:
        if any(is_within(call.node, s) for s in statement.body) and not _is_long_block(statement.body):
            return True
    block = call.module.within.get(id(call.node))
    while block is not None:
        if any(
            isinstance(i.context_expr, ast.Call) and last_name(i.context_expr.func) in _EXPECTING for i in block.items
        ):
            return True
        block = call.module.outer.get(id(block))
    return False


def _is_long_block(body: list[ast.stmt]) -> bool:
    """Are there more than a few statements, those in blocks included?"""
    return sum(isinstance(n, ast.stmt) for s in body for n in walk(s)) > _FEW


def is_displayed_in_notebook(call: Call) -> bool:
    """Is it at the top level of a notebook, where the value of a cell is shown?"""
    return call.function.is_body and getattr(call.module.source, "cells", None) is not None


# -------------------------------------------------------------------------------------------- tensors by place and form
def _is_tensor_by_place(call: Call) -> bool:
    """Is the receiver a tensor by what it is: reshaped in the `forward` of a module, or an item of a loop's batches?"""
    func, scope = call.node.func, call.function
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    named = topics.is_about(func.value.id, Topic.TENSORS)
    if func.attr in _RESHAPES:
        owner = scope.owner
        return (
            scope.name == "forward"
            and bool(named or topics.is_about(func.value.id, Topic.RESHAPED) or _only_calculates(call, func.value.id))
            and owner is not None
            and any(not isinstance(c, str) and c.qualname == "Module" for c in mro(owner))
        )
    name = func.value.id
    given = named or (name in _DATA and not is_read_by_key(scope, name))
    if not given or func.attr not in ("to", "cuda", "long", "float"):
        return False
    if is_type_tested(call, name) or _has_own_in_place_method(call):
        return False
    reached = bindings_at(func.value, scope)  # another branch may have made something else of it
    found = scope.bindings.get(name, ()) if reached is None else reached
    bindings = [b for b in found if b.kind != "assign" or not is_same_value_moved(b.value, name)]
    unpacked = all((b.path and (b.kind == "for" or is_drawn_by_next(b))) or is_unpacked(b, scope) for b in bindings)
    return bool(bindings) and unpacked and bool(named or all(b.path for b in bindings))


def _only_calculates(call: Call, name: str) -> bool:
    """Is it a parameter of which nothing is told, by a method that no class of the project has: `x.squeeze()`?"""
    bindings = bound_at(call.node.func.value, call.function)
    given = bool(bindings) and all(b.kind == "param" for b in bindings)
    told = any(p.name == name and p.annotation is not None for p in call.function.parameters)
    named = (f for m in call.project.modules for f in m.functions if f.name == call.last_name)
    return given and not told and name not in ("self", "cls") and not any(f.owner is not None for f in named)


def is_read_by_key(scope: FunctionScope, name: str) -> bool:
    """Is it read as what a tokenizer gives, which moves in place: `model(**inputs)`, `inputs["ids"]`, `inputs.ids`?"""
    for node in walk(scope.node):
        if isinstance(node, ast.keyword):
            read = node.arg is None and last_name(node.value) == name
        elif isinstance(node, ast.Subscript):
            read = last_name(node.value) == name and isinstance(getattr(node.slice, "value", None), str)
        else:
            read = isinstance(node, ast.Attribute) and node.attr not in _OF_TENSORS and last_name(node.value) == name
        if read:
            return True
    return False


def _has_own_in_place_method(call: Call) -> bool:
    """Has the project a class of its own whose method gives nothing back: `def to(self, device): self.at = device`?"""
    named = (f for m in call.project.modules for f in m.functions if f.name == call.last_name and f.owner is not None)
    return any(f.bindings and not any(r.value is not None for r in f.returns) for f in named)


def is_type_tested(call: Call, name: str) -> bool:
    """Does a test around the call say that it is something else: `elif isinstance(value, Module): value.to(device)`?"""
    for node in (n for n in walk(call.function.node) if isinstance(n, ast.If)):
        match node.test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kind]) if asked == name:
                if not any(last_name(k).endswith("Tensor") for k in getattr(kind, "elts", [kind])):
                    if any(n is call.node for s in node.body for n in walk(s)):
                        return True
    return False


def is_same_value_moved(value: Node, name: str) -> bool:
    """Is it the same thing moved or converted: `x` of `x = x.to(device)`?"""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == name


def is_drawn_by_next(binding: Binding) -> bool:
    """Is it unpacked from a batch that is drawn by hand: `x, y = next(batches)`?"""
    value = binding.value
    return binding.kind == "assign" and isinstance(value, ast.Call) and last_name(value.func) == "next"


def is_unpacked(binding: Binding, scope: FunctionScope) -> bool:
    """Is it taken by its place out of what a loop gives: `x, y = batch`, `y = batch[1]`, `x, y = b[0], b[1]`?"""
    value, path = binding.value, binding.path
    if binding.kind != "assign" or value is None:
        return False
    if isinstance(value, ast.Tuple) and len(path) == 1 and path[0] is not None and path[0] < len(value.elts):
        value, path = value.elts[path[0]], ()
    if isinstance(value, ast.Subscript) and number(value.slice) is not None:
        value, path = value.value, (0,)
    found = scope.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    return bool(path) and bool(found) and all(b.kind == "for" for b in found)


def _is_tensor_by_form(call: Call) -> bool:
    """Is it what only tensors have: a change of shape, by its arguments (`out.view(-1, 1)`), `hidden.detach()`?"""
    func, given = call.node.func, [*call.node.args, *(k.value for k in call.node.keywords)]
    name = place(func.value) if isinstance(func, ast.Attribute) else None
    if name is None or name in ("self", "cls") or not uses_torch(call.frame):
        return False
    if any(isinstance(v.function, FunctionScope) and not v.function.stubbed for v in call.callee.alternatives):
        return False
    if any(k.arg != "dim" or func.attr not in _ALONG for k in call.node.keywords):
        return False
    if func.attr in ("detach", "contiguous"):
        return not given and topics.is_about(last_name(func.value), Topic.CALCULATED)
    numbers = [number(a) for a in given]
    if func.attr in ("float", "double", "half", "long", "int", "bool"):
        return not given and topics.is_about(last_name(func.value), Topic.NUMBERS)
    if func.attr == "transpose":
        return len(given) == 2 and None not in numbers and numbers[0] != numbers[1]
    if func.attr == "view":
        if len(given) > 2 or numbers == [-1]:
            return True
        return len(given) > 1 and (-1 in numbers or all(n is not None or is_own_size(a, name) for n, a in
                                                        zip(numbers, given, strict=True)))  # fmt: skip
    if func.attr == "permute":
        return len(given) > 2 and sorted(n for n in numbers if n is not None) == list(range(len(given)))
    along = func.attr in ("unsqueeze", "squeeze") or (func.attr in _ALONG and bool(call.node.keywords))
    return along and len(given) == 1 and numbers[0] is not None


def number(node: Node) -> int | None:
    """A whole number that is written out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def is_own_size(node: Node, name: str) -> bool:
    """Is it a size of the tensor itself: `x.size(0)`, `x.shape[1]`?"""
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("size", "shape") and place(n.value) == name for n in walk(node)
    )
