"""Does an assignment freeze what it was meant to freeze?

`module.requires_grad = False` sets an attribute that is never read: PyTorch asks each parameter. Whether the object is
a module is read from what it is, or from how the same file uses it; a type test before the assignment is believed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Binding, Function, freezing, text

__all__: list[str] = []
_ATTRIBUTES = """requires_grad requires_grad_ require_grad require_grads requires_grads required_grad requires_gradient
    require_gradient requires_gradients trainable"""
_FREEZING = frozenset(_ATTRIBUTES.split())


def _assignment(binding: Binding, function: Function) -> str:
    """An assignment as it is written."""
    target = text(function.module, binding.node, 60)
    return f"{target} = {text(function.module, binding.value, 20)}" if binding.value is not None else target


@check("ineffective-freeze", names=_ATTRIBUTES)
def ineffective_freeze(function: Function) -> Iterator[Finding]:
    """An assignment is meant to freeze, but sets an attribute that PyTorch never reads."""
    for name, bindings in function.scope.bindings.items():
        attribute = name.rpartition(".")[2]
        if attribute not in _FREEZING or "." not in name or not freezing.are_attribute_assignments(bindings):
            continue
        for binding in bindings:
            if freezing.is_known_tensor(binding.node, function):
                continue
            unread = freezing.find_ineffective_attribute(binding, name, function)
            if unread is not None:
                value = bool(getattr(binding.value, "value", False))
                yield Finding(
                    function.at(binding.node),
                    f"`{_assignment(binding, function)}` only sets an attribute that PyTorch never reads",
                    "has no effect on the parameters",
                    help=f"call `requires_grad_({value})` on the module, or set `requires_grad` on each parameter",
                    evidence=(unread,),
                )
    for node in function.scope.expressions:
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq):
            continue
        if isinstance(node.left, ast.Attribute) and node.left.attr == "requires_grad":
            yield Finding(
                function.at(node),
                f"`{text(function.module, node)}` is a comparison whose result is discarded",
                "compares, assigns nothing",
                help="assign with one `=`",
                why="the comparison changes nothing: every parameter keeps its `requires_grad`",
            )
