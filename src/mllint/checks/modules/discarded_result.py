"""Is what is computed kept?

Operations on tensors give a new one; written as a statement they do nothing. Only what is certainly pure counts, on
what is certainly a tensor: by its value, or by the place and the form of the call (`layers.pieces`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Call,
    Function,
    last_name,
    origins,
    place,
    purity,
)

__all__: list[str] = []

_ASSIGN = "assign the result"
_IN_PLACE = "assign the result, or use `{}_`, which changes the tensor in place"
_OPTION = "assign the result, or pass `inplace=True`"
_NEW_ARRAYS = "NumPy operations return a new array, and leave their input unchanged"
_ARRAYS = "JAX arrays never change: an update returns a new array, and leaves the old one unchanged"
_FRAMES = "DataFrame methods return a new DataFrame, and leave the old one unchanged"
_VALUES = "the call only returns a value, and changes nothing in place"
_GIVES = {
    "item": "a number",
    "tolist": "a list",
    "numpy": "an array",
    "apply_updates": "new parameters",
    "incremental_update": "new parameters",
}
_UPDATES = frozenset("set add subtract multiply mul divide power min max apply".split())


@check("discarded-result", has="expressions")
def discarded_result(function: Function) -> Iterator[Finding]:
    """An operation that only computes is written as a statement."""
    scope = function.scope
    if scope.owner is not None and scope.name == "forward":
        yield from _skipped_layers(function)
    yield from _updated_copies(function)
    nodes = [n for n in scope.expressions if isinstance(n, ast.Call) and last_name(n.func) in purity.PURE]
    if not nodes or scope.name.startswith("test"):
        return
    for node in nodes:
        call = Call(node, function.frame)
        if (
            purity.only_computes(call)
            and not purity.is_timed(call)
            and not purity.contains_in_place_call(node)
            and not purity.is_tried_or_timed(call)
            and not purity.is_displayed_in_notebook(call)
            and not purity.is_warmup_call(call)
        ):
            given, help, why = _words(call)
            yield Finding(
                call,
                f"`{call.text}` returns {given}, but the result is discarded: the line does nothing",
                "result not used",
                help=help,
                why=why,
                evidence=(purity.is_unused(call),),
            )


def _words(call: Call) -> tuple[str, str, str]:
    """What a call returns, what to do with it, and why; no reason where the page gives it."""
    if purity.is_of_frame(call):
        return "a new DataFrame", _ASSIGN, _FRAMES
    if call.last_name in _GIVES:
        return _GIVES[call.last_name], _ASSIGN, _VALUES
    if _is_of_array(call):
        return "a new array", _ASSIGN, _NEW_ARRAYS
    help = _IN_PLACE.format(call.last_name) if any(f.owner is not None for f in call.callees) else _OPTION
    return "a new tensor", help if purity.has_in_place_form(call) else _ASSIGN, ""


def _is_of_array(call: Call) -> bool:
    """Is it a method of what NumPy has made?"""
    base = call.node.func.value if isinstance(call.node.func, ast.Attribute) else call.node
    made = next((Call(o.node, o.frame) for o in origins(base, call.frame) if isinstance(o.node, ast.Call)), None)
    return made is not None and any(f.module.name.partition(".")[0] == "numpy" for f in made.callees)


def _updated_copies(function: Function) -> Iterator[Finding]:
    """What is written for nothing in a file that imports JAX, whose arrays never change: `x.at[i].set(0)`."""
    for node in function.scope.expressions:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")), attr=word)):
                if word in _UPDATES and any(name.partition(".")[0] == "jax" for name, _ in function.module.imports):
                    call = Call(node, function.frame)
                    if (
                        not purity.is_tried_or_timed(call)
                        and not purity.is_displayed_in_notebook(call)
                        and not purity.is_timed(call)
                    ):
                        message = (
                            f"`{call.text}` returns a new array, but the result is discarded: the line does nothing"
                        )
                        yield Finding(call, message, "result not used", help=_ASSIGN, why=_ARRAYS)


def _skipped_layers(function: Function) -> Iterator[Finding]:
    """The layers of `torch.nn` that `forward` runs for nothing: `self.dropout(x)` as a statement."""
    for node in function.scope.expressions:
        if not isinstance(node, ast.Call) or len(node.args) != 1 or not (place(node.func) or "").startswith("self."):
            continue
        call = Call(node, function.frame)
        if all(purity.is_pure_layer(v) for v in call.callee.alternatives) and not purity.is_tried_or_timed(call):
            message = f"`{call.text}` is computed and discarded: the layer is skipped"
            why = "a layer returns its output: unless it is assigned, the network runs without the layer"
            yield Finding(call, message, "result not used", help=_ASSIGN, why=why)
