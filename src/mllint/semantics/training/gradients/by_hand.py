"""What does a function do with gradients itself, beside their backward and their step?

p.grad = scaled(p.grad)                    # made of themselves: there have to be some
p.grad.data.clamp_(-1, 1)                  # limited in place
norms.append(p.grad.norm())                # read for something else
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, last_name, place, walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["is_gradient", "is_read_elsewhere", "rewrites_gradient"]


def rewrites_gradient(statement: Node) -> bool:
    """Whether it is `p.grad = scaled(p.grad)`: a gradient made of itself, so that there has to be one."""
    match statement:
        case ast.Assign(
            targets=[
                (ast.Attribute(attr="grad") | ast.Attribute(attr="data", value=ast.Attribute(attr="grad"))) as target
            ],
            value=value,
        ):
            return any(isinstance(n, ast.Attribute) and place(n) == place(target) for n in walk(value))
    return False


def is_read_elsewhere(function: FunctionScope) -> bool:
    """Whether a function reads gradients for something else than to write them back, to limit them in place, to see
    whether there are any or whether they are finite, or to clear them."""
    nodes = list(walk(function.node))
    aside = (rewrites_gradient, _limits_gradient, _clears_gradient, _tests_gradient)
    back = {id(n) for s in nodes if any(is_aside(s) for is_aside in aside) for n in walk(s)}
    return any(is_gradient(n) and id(n) not in back for n in nodes)


def is_gradient(node: Node) -> bool:
    """Is it `x.grad`, and not `torch.autograd.grad`?"""
    return (
        isinstance(node, ast.Attribute) and node.attr == "grad" and last_name(node.value) not in ("autograd", "torch")
    )


def _limits_gradient(node: Node) -> bool:
    """Is it `p.grad.data.clamp_(-1, 1)`, or the test for `None` that stands before it?"""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name, value=value))):
            return name.endswith("_") and (place(value) or "").endswith((".grad", ".grad.data"))
        case ast.Compare(left=ast.Attribute(attr="grad"), comparators=[ast.Constant(value=None)]):
            return True
    return False


def _tests_gradient(node: Node) -> bool:
    """Is it `torch.isfinite(p.grad)`, which asks whether a step may be taken?"""
    return isinstance(node, ast.Call) and last_name(node.func) in ("isfinite", "isnan", "isinf")


def _clears_gradient(node: Node) -> bool:
    """Is it `p.grad = None`?"""
    match node:
        case ast.Assign(targets=[ast.Attribute(attr="grad")], value=ast.Constant(value=None)):
            return True
    return False
