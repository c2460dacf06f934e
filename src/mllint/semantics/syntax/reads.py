"""What does a file read without calling it: `opt.zero_grad` that is handed on, `torch.manual_seed` in a tuple?

What is read may be called by whoever gets it. A statement that is nothing but a name, `opt.zero_grad`, gives it to
nobody.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.nodes import Node, chosen_from, last_name, walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope, ModuleScope

__all__ = ["names_read", "reads"]

_READS: Cache[frozenset[str], list[tuple[ast.expr, FunctionScope]]] = Cache(local=True)


@cached(local=True)
def names_read(module: ModuleScope) -> frozenset[str]:
    """The last names of what `module` reads and does not call. What is bound to another name, `train = first if small
    else second`, is read where that name is: who calls `train` calls it."""
    bound: dict[str, set[str]] = {}
    given: set[int] = set()
    for node in walk(module.tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                parts = [part for part in chosen_from(value) if isinstance(part, ast.Name)]
                given.update(map(id, parts))
                bound.setdefault(name, set()).update(part.id for part in parts)
    read = {last_name(node) for node in _all_reads(module) if id(node) not in given}
    pending = [name for name in bound if name in read]
    while pending:
        more = bound[pending.pop()] - read
        read |= more
        pending += [name for name in more if name in bound]
    return frozenset(read)


def reads(module: ModuleScope, words: frozenset[str]) -> list[tuple[ast.expr, FunctionScope]]:
    """What `module` reads, and does not call, under one of some last names, each with the function that does.

    Args:
        module: the file.
        words: the last names.
    """
    words &= names_read(module)
    if not words:
        return []
    return _READS.answer(module, words, lambda: _reads(module, words), meanwhile=[])


def _reads(module: ModuleScope, words: frozenset[str]) -> list[tuple[ast.expr, FunctionScope]]:
    wanted = {id(node) for node in _all_reads(module) if last_name(node) in words}
    found: dict[int, tuple[ast.expr, FunctionScope]] = {}
    for function in (*module.functions, *module.lambdas.values()):  # those inside of others come later
        found.update((id(node), (node, function)) for node in walk(function.node) if id(node) in wanted)
    return list(found.values())


def _all_reads(module: ModuleScope) -> list[Node]:
    """The names and attributes that are read, neither called nor statements of their own."""
    nodes = walk(module.tree)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    dropped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    read = (node for node in nodes if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load))
    return [node for node in read if id(node) not in called and id(node) not in dropped]
