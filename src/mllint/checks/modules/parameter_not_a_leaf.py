"""Is a parameter still one when it becomes an attribute?

`nn.Module` registers what is an `nn.Parameter`. What a parameter was moved to, or multiplied into, is a tensor that
was computed: it is an attribute, and nothing else. A call that gives the same object back (`requires_grad_()`) is left
alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Class, computed, last_name, tensor_methods, text

__all__: list[str] = []

_MOVE = "keep the parameter itself, and move the module that holds it: `model.to(device)`"
_COPY = (
    "where it has to copy, `.{}()` returns a plain tensor, which `parameters()` does not list: no optimizer changes it"
)


@check("parameter-not-a-leaf", near="Parameter")
def parameter_not_a_leaf(cls: Class) -> Iterator[Finding]:
    """An attribute of a module holds what was computed of a parameter, not the parameter."""
    for binding, kept, parameter in computed.find_computed_attributes(cls):
        move = last_name(kept.node.func) if isinstance(kept.node, ast.Call) else ""
        moved = move in tensor_methods.MOVES
        what = "a copy of a parameter, not a parameter" if moved else "computed from a parameter and is not one itself"
        yield Finding(
            kept,
            f"`{binding.name}` is {what}: no optimizer will hold it",
            "a tensor, not a parameter",
            [Note(parameter, f"`{text(parameter.module, parameter.node, 40)}` is the parameter")],
            help=_MOVE if moved else "",
            why=_COPY.format(move) if moved else "",
        )
