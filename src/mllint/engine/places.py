"""What is underlined for a finding, and in which function or class is it?"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope, Scope

__all__ = ["head", "symbol_at"]


def head(node: Any) -> Any:
    """What is underlined for a compound statement: its header expression, not its body."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return node.iter
    if isinstance(node, (ast.While, ast.If)):
        return node.test
    return node


def symbol_at(module: ModuleScope, node: Any) -> str:
    """Qualified name of the innermost function or class around a node, "" at module level."""
    line = getattr(node, "lineno", 0)
    best: Scope | None = None
    for scope in module.scopes:
        inner = scope.node
        if isinstance(inner, ast.Module) or not isinstance(scope, (FunctionScope, ClassScope)):
            continue
        if inner.lineno <= line <= (inner.end_lineno or 0) and (best is None or inner.lineno >= best.node.lineno):
            best = scope
    return best.qualname if best is not None else ""
