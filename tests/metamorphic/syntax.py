"""Small questions about syntax trees that the transformations share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = [
    "FUNCTIONS",
    "Replace",
    "add_import",
    "bindings",
    "blocks",
    "fresh",
    "head",
    "imports",
    "last",
    "loads",
    "loops_jump",
    "nodes",
    "own_nodes",
    "parsed",
    "simple",
    "stores",
]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda)


def parsed(text: str) -> list[Any]:
    """Statements from text, without origin."""
    return ast.parse(text).body


def fresh(names: set[str], base: str) -> str:
    """A name that is not taken yet, and is from now on."""
    name, number = base, 1
    while name in names:
        number += 1
        name = f"{base}{number}"
    names.add(name)
    return name


def nodes(tree: ast.AST, *kinds: type) -> Iterator[Any]:
    """All nodes of some kinds, outer before inner."""
    return (node for node in ast.walk(tree) if isinstance(node, kinds))


def own_nodes(roots: Iterable[ast.AST]) -> Iterator[Any]:
    """Nodes at and below some statements without those of nested functions and classes, in source order."""
    for node in roots:
        yield node
        if not isinstance(node, SCOPES):
            yield from own_nodes(ast.iter_child_nodes(node))


def blocks(tree: ast.AST) -> Iterator[tuple[Any, list[ast.stmt]]]:
    """All lists of statements with the node that holds them."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield node, block


def head(body: list[ast.stmt]) -> int:
    """How many statements at the start have to stay there: a docstring and imports from `__future__`."""
    count = 0
    for statement in body:
        docstring = count == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not docstring and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        count += 1
    return count


def add_import(tree: ast.Module, text: str) -> None:
    """Put an import in front of everything else."""
    tree.body[head(tree.body) : head(tree.body)] = parsed(text)


def imports(tree: ast.Module) -> list[tuple[Any, ast.alias, str, str]]:
    """The imports at the top level of a file: (statement, alias, bound name, full name of what it binds)."""
    found = []
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.partition(".")[0]
                found.append((statement, alias, bound, alias.name if alias.asname else bound))
        elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module != "__future__":
            for alias in statement.names:
                if alias.name != "*":
                    found.append((statement, alias, alias.asname or alias.name, f"{statement.module}.{alias.name}"))
    return found


def bindings(tree: ast.AST) -> dict[str, int]:
    """How often each name is bound anywhere in a file, in whatever way."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        bound: list[str] = []
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound = [node.id]
        elif isinstance(node, ast.arg):
            bound = [node.arg]
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) or (
            isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name
        ):
            bound = [node.name]
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound = [node.rest]
        elif isinstance(node, ast.alias):
            bound = [node.asname or node.name.partition(".")[0]]
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound = node.names
        for name in bound:
            found[name] = found.get(name, 0) + 1
    return found


def loads(roots: Iterable[ast.AST]) -> set[str]:
    """Names that are read at or below some nodes, nested functions included."""
    return {n.id for root in roots for n in nodes(root, ast.Name) if isinstance(n.ctx, ast.Load)}


def stores(roots: Iterable[ast.AST]) -> set[str]:
    """Names that are bound at or below some nodes, those of nested functions not included."""
    found = {n.id for n in own_nodes(roots) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    found |= {n.name for n in own_nodes(roots) if isinstance(n, (*FUNCTIONS, ast.ClassDef))}
    found |= {n.name for n in own_nodes(roots) if isinstance(n, ast.ExceptHandler) and n.name}
    for node in own_nodes(roots):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return found


def last(node: Any) -> str:
    """`step` of `self.optimizer.step`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def simple(node: Any) -> bool:
    """A name, an attribute of one, or a constant: evaluating it does nothing."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))


def loops_jump(body: list[ast.stmt]) -> bool:
    """Does a loop's body leave it, or its function?"""
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            return True
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
            inner = [n for n in own_nodes(node.body) if isinstance(n, ast.Return)]
            if inner or loops_jump(node.orelse):
                return True
        elif not isinstance(node, SCOPES):
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                for part in getattr(node, field, None) or []:
                    if loops_jump([part] if isinstance(part, ast.stmt) else part.body):
                        return True
    return False


class Replace(ast.NodeTransformer):
    """Replace the names that a function gives something for, in all scopes."""

    def __init__(self, replacement: Callable[[ast.Name], ast.AST | None]) -> None:
        self.replacement = replacement

    def visit_Name(self, node: ast.Name) -> Any:
        new = self.replacement(node)
        if new is None:
            return node
        for part in ast.walk(new):
            part.origin = getattr(node, "origin", None)
        return new
