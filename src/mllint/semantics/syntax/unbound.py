"""Which names does a file read that it binds nowhere: what a fragment of a program leaves to the reader?

A fragment is all there is: no other file says what `test_loader` is, so its name is the only evidence, and nothing can
contradict it. A file that imports `*`, or runs what it reads, may bind anything, and has no such names.
"""

from __future__ import annotations

import ast
import builtins

from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.nodes import Node, walk

__all__ = ["is_unbound"]

_BUILTIN = frozenset((*dir(builtins), "__file__", "__class__"))
_RUNS = ("exec", "globals", "locals", "vars", "get_ipython", "setattr")


def is_unbound(node: Node, module: ModuleScope) -> bool:
    """Whether it is a name that nothing in its file binds."""
    return isinstance(node, ast.Name) and node.id in _free(module)


@cached()
def _free(module: ModuleScope) -> set[str]:
    """The names that a file reads and never binds, found once."""
    return set() if _may_bind_unseen_names(module) else _read(module) - _bound(module)


def _may_bind_unseen_names(module: ModuleScope) -> bool:
    """May something bind names that are not seen, or is it a notebook, of which cells may be missing?"""
    cells = getattr(module.source, "cells", None) is not None
    return cells or bool(module.stars) or any(name in module.calls_by_name for name in _RUNS)


def _read(module: ModuleScope) -> set[str]:
    return {n.id for n in module.body.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load)}


def _bound(module: ModuleScope) -> set[str]:
    found = {name for function in module.functions for name in function.bindings}
    for node in walk(module.body.node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found | _BUILTIN
