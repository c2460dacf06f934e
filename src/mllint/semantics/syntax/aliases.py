"""What is a library's function called where it is imported under another name?

    from torch import softmax as soft
    loss = F.cross_entropy(soft(x, 1), y)

Rules and filters ask for the last name of a call first, because most calls are settled by it. So a function or class
that is imported under another name is read under its own: the names in the tree are changed back, places stay. Only
names that are called, bound once in the file, and free under their own name are; a module's alias (`np`) is resolved by
its binding like any other name, and stays. Messages quote the text, which is never changed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope

__all__ = ["own_names", "rename"]


def own_names(module: ModuleScope) -> dict[str, str]:
    """The aliases of an indexed file that can be read under their own name: alias -> own name."""
    scopes = [*module.scopes, *module.lambdas.values()]
    found: dict[str, str] = {}
    for node in module.renamed:
        alias, name = str(node.asname), node.name
        called = any(isinstance(call.func, ast.Name) for call, _ in module.calls_by_name.get(alias, ()))
        bound = sum(len(scope.bindings.get(alias, ())) + (alias in scope.globals) for scope in scopes)
        taken = any(name in scope.bindings or name in scope.globals for scope in scopes) or name in found.values()
        if called and bound == 1 and not taken:
            found[alias] = name
    return found


def rename(module: ModuleScope, names: dict[str, str]) -> None:
    """Change the names of a tree back; a name that the file uses for something else already is left alone."""
    nodes: dict[str, list[ast.Name]] = {}
    for node in walk(module.tree):
        if isinstance(node, ast.Name):
            nodes.setdefault(node.id, []).append(node)
    for alias in module.renamed:
        if names.get(alias.asname or "") == alias.name and alias.name not in nodes:
            for name in nodes.get(alias.asname or "", ()):
                name.id = alias.name
            alias.asname = None
