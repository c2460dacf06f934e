"""Does a call do nothing but compute, so that without its result it is for nothing?

    x.view(-1)                                 # computes: pure, on a tensor
    x.add_(1).view(-1)                         # changes `x` on the way
    df.dropna()                                # computes: a frame of pandas stays as it is without `inplace=True`
    F.batch_norm(x, mean, var, training=True)  # writes the running statistics

Only what is certainly pure counts, on what is certainly a tensor or a frame. What is run for its error, its time, or as
the last line of a notebook's cell is run for something; so may be what stands in a script that was a notebook, where
`df.shape` shows something.

A receiver is a tensor by its value, or by where it stands and how it is asked (`tensor_receivers`).
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import DATA_FRAME
from mllint.semantics.libraries.stubs import effects
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, is_within, last_name, mentions_place, place, walk, written_integer
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.dead_lines import makes_no_difference
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.tensor_receivers import has_own_in_place_method, is_tensor_by_form, is_tensor_by_place
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.values import FunctionValue, InstanceValue, LiteralValue, ModuleValue, TensorValue, Value

__all__ = [
    "PURE", "TIMERS", "contains_in_place_call", "has_in_place_form", "is_displayed_in_notebook", "is_of_frame",
    "is_pure_layer", "is_timed", "is_tried_or_timed", "is_unused", "is_value_read", "is_warmup_call", "only_computes",
]  # fmt: skip


TIMERS = frozenset("perf_counter time synchronize timeit Timer profile process_time monotonic elapsed_time".split())
"""What is called around code whose time is measured: clocks, timers, and what waits for a device."""
PURE = frozenset(
    """to cpu cuda float half bfloat16 double int long short bool type_as detach clone numpy item tolist view view_as
    reshape permute transpose swapaxes movedim squeeze unsqueeze flatten unflatten contiguous expand expand_as
    repeat tile flip roll clamp clip clamp_min clamp_max abs neg exp log log1p sqrt rsqrt pow square sign round
    floor ceil relu leaky_relu elu gelu silu tanh sigmoid softmax log_softmax softplus hardtanh normalize
    layer_norm batch_norm mul div true_divide floor_divide fmod remainder matmul mm bmm addmm einsum mean sum
    std argmax argmin norm cumsum cat stack masked_fill masked_select index_fill index_add index_copy scatter
    scatter_add gather topk nan_to_num lerp zeros_like ones_like full_like pad interpolate one_hot linear conv1d
    conv2d conv3d max_pool2d avg_pool2d mse_loss l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits apply_updates incremental_update
    drop dropna fillna ffill bfill replace rename reset_index set_index astype drop_duplicates""".split()
)
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
        A proven answer, unless the call may be made for another reason: its effect is there already (the graph is cut,
        the tensor moved or shaped), it shows that what it starts from runs, waits for a device (`item`) or shows a
        frame, or nothing that follows would be another.
    """
    done_already = _is_cut_otherwise(call) or _is_moved_already(call) or _has_shape_already(call)
    shown = call.last_name == "item" or _starts_at_other_call(call.node.func)
    shown = shown or (is_of_frame(call) and _shows_bare_expressions(call.function))
    return proven_unless(done_already or shown or makes_no_difference(call), True, call.site)


def is_value_read(call: Call) -> Answer[bool]:
    """How well it is known that what a call gives is read: POSSIBLE where a statement drops it, in a script that shows
    no values. A method may keep what it computes, as `metric.update(scores, y)` does."""
    keeps = any(f.owner is not None for f in call.callees)
    dropped = not keeps and any(call.node is n for n in call.function.expressions)
    shown = is_displayed_in_notebook(call) or _shows_bare_expressions(call.function)
    return proven_unless(dropped and not shown, True, call.site)


def _shows_bare_expressions(function: FunctionScope) -> bool:
    """Are values shown by naming them, `df.shape` as a statement, as in a notebook that was saved as a script?"""
    return function.is_body and any(
        isinstance(n, (ast.Name, ast.Attribute, ast.Subscript)) for n in function.expressions
    )


def _starts_at_other_call(func: Node) -> bool:
    """True if a chain starts at the result of a call that is no tensor's: `run(x).cpu().numpy()` asks whether it
    runs."""
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
    switches = call.function.nodes_of(ast.Attribute)
    return any(n.attr in ("requires_grad", "requires_grad_") and place(n.value) == name for n in switches)


def _is_moved_already(call: Call) -> bool:
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


def _has_shape_already(call: Call) -> bool:
    """Is it asked to have the shape of what it is computed from: `y = f(x); y.view(x.shape)`? It has it already, or
    what follows fails."""
    base, given = getattr(call.node.func, "value", None), call.node.args[:1]
    if call.last_name not in ("view", "reshape") or not isinstance(base, ast.Name) or not given:
        return False
    tensor = given[0].value if isinstance(given[0], ast.Attribute) and given[0].attr == "shape" else None
    values = [b.value for b in call.function.bindings.get(base.id, ()) if b.value is not None]
    name = place(tensor) if tensor is not None else None
    return name is not None and any(mentions_place(v, name) for v in values)


def is_timed(call: Call) -> bool:
    """Whether a call may be made for the time that it takes: its function measures time, and does not train."""
    scope = call.function
    trains = not scope.called_names.isdisjoint(("backward", "zero_grad"))
    return not trains and not scope.called_names.isdisjoint(TIMERS)


def only_computes(call: Call) -> bool:
    """Is it a pure function of the library, on tensors, that writes into none of its arguments?"""
    if any(
        k.arg == "out" or (k.arg == "inplace" and getattr(k.value, "value", True) is not False)
        for k in call.node.keywords
    ):
        return False
    if _writes_into_own_argument(call.node) or _is_plot_call(call.node) or _updates_running_stats(call):
        return False
    callee = _unique_callee(call)
    if not isinstance(callee, FunctionScope) or "pure" not in effects(callee):
        return callee is None and (is_tensor_by_form(call) or (call.callee.is_unknown and is_tensor_by_place(call)))
    if callee.owner is None:
        return True
    receiver = call.receiver
    if callee.owner.module.name == "pandas":
        return is_of_frame(call)
    if receiver is not None and (receiver.has("Inputs") or receiver.has("Labels")) and has_own_in_place_method(call):
        return False
    plain = receiver is not None and all(
        isinstance(v, TensorValue) and "Batch" not in v.traits for v in receiver.alternatives
    )
    return plain or is_tensor_by_place(call) or is_tensor_by_form(call)


def has_in_place_form(call: Call) -> bool:
    """Has a method a form that ends in an underscore, `x.clamp_()`, or a function the option `inplace`?"""
    callee = _unique_callee(call)
    if not isinstance(callee, FunctionScope):
        return False
    if callee.owner is not None:
        return f"{callee.name}_" in callee.owner.methods
    return any(parameter.name == "inplace" for parameter in callee.parameters)


def is_of_frame(call: Call) -> bool:
    """Is it a method of what is certainly a frame of pandas?"""
    return call.receiver is not None and call.receiver.instance_of(DATA_FRAME)


def _updates_running_stats(call: Call) -> bool:
    """Is it `F.batch_norm(x, mean, var, training=True)`, which writes the running statistics into what it is given?"""
    if call.last_name != "batch_norm":
        return False
    mean, mode = call.argument("running_mean"), call.argument("training")
    given = mean is not None and not (isinstance(mean.value, LiteralValue) and mean.value.literal is None)
    return given and mode is not None and mode.value.truth is not False


def _unique_callee(call: Call) -> FunctionScope | None:
    """The one function that is called, be it of one of several tensors; None if there is no such function."""
    alternatives = call.callee.alternatives
    same = all(isinstance(v, FunctionValue) and v.function is alternatives[0].function for v in alternatives)
    return alternatives[0].function if same else None


def _writes_into_own_argument(node: Node) -> bool:
    """Is one place given twice, the second time to hold the result: `a.clip(0, 1, a)`, `np.exp(a, a)` of numpy?"""
    if last_name(node.func) in ("view", "reshape", "expand", "repeat"):
        return False  # sizes, of which two may be one
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    places = [place(n) for n in (receiver, *node.args) if n is not None]
    named = [p for p in places if p]
    return len(named) != len(set(named))


def _is_plot_call(node: Node) -> bool:
    """Is it `ax.scatter(x, y)`? That of a tensor is told the dimension first. An array may hold axes to draw on."""
    if last_name(node.func) != "scatter" or any(k.arg in ("dim", "index", "src") for k in node.keywords):
        return False
    first = node.args[0] if node.args else None
    return first is None or (written_integer(first) is None and not topics.is_about(last_name(first), Topic.DIMENSIONS))


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
