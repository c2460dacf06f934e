"""Which parameter is an expression: one of its function, of one around it, or of the constructor of the object?

    def loss(out, target): return criterion(out.view(-1), target)     # `out` of `loss`
    def loss(self): return criterion(self.out, self.target)           # `out` of `__init__`, which keeps it

Who calls that function then tells what the expression is. Read from the form alone: no value is asked for.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.values.classes import method

__all__ = ["Source", "source"]


class Source(NamedTuple):
    """Where an expression comes from: a parameter of a function, or an attribute of it."""

    function: FunctionScope
    parameter: str
    attribute: str = ""


def source(node: Node, function: FunctionScope) -> Source | None:
    """The parameter that an expression is, moved or reshaped perhaps.

    Args:
        node: the expression.
        function: the function that it stands in.

    Returns:
        The parameter of this function, of one around it, or of the constructor of its object; None where it is none,
        or bound anew.
    """
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAME_ENTRIES:
        node = node.func.value
    name, dot, attribute = (place(node) or "").partition(".")
    while name and name not in function.bindings and isinstance(function.parent, FunctionScope):
        function = function.parent  # a closure: what it was made with
    bound = function.bindings.get(name, ())
    if len(bound) != 1 or bound[0].kind != "param" or "." in attribute:
        return None
    if function.owner is None or name != function.parameters[0].name or not dot:
        return Source(function, name, attribute)
    init = method(function.owner, "__init__")
    kept = init.bindings.get(f"{init.parameters[0].name}.{attribute}", ()) if init is not None else ()
    value = bound_expression(kept[0]) if len(kept) == 1 and kept[0].kind == "assign" else None
    if init is None or not isinstance(value, ast.Name) or init.parameter(value.id) is None:
        return None
    return Source(init, value.id)
