"""The files of a program as trees that are edited in place, and what is asked of them.

A notebook becomes the script that its cells are. The text is written from the tree: comments and layout are gone.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator, Mapping
from functools import lru_cache

__all__ = ["Program", "header", "lines_of", "statements", "unbound"]

_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_BUILTIN = frozenset((*dir(builtins), "__file__", "__name__", "__doc__", "__builtins__", "__spec__", "__package__"))


class Program:
    """Some files.

    Args:
        trees: their trees, by path.

    Attributes:
        kept: statements that stay as they are; a compound one stays with its first line.
    """

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.trees = dict(trees)
        self.kept: set[ast.AST] = set()
        self._edited = ""
        self._texts: dict[str, str] = {}

    def edit(self, path: str) -> None:
        """Say which file is edited from now on, so that the text of the others is known; empty for any of them."""
        self._edited, self._texts = path, {}

    def texts(self) -> dict[str, str]:
        """The text of each file, by path.

        Raises:
            RecursionError: a tree is too deep to be written.
        """
        known = self._texts if self._edited else {}
        known.pop(self._edited, None)
        self._texts = {path: known.get(path) or f"{ast.unparse(tree)}\n" for path, tree in self.trees.items()}
        return self._texts

    def holds(self, wanted: set[ast.AST]) -> bool:
        """Whether these statements are still there."""
        return wanted <= {node for tree in self.trees.values() for node in statements(tree)}


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Statements, handlers and cases below a node, in no particular order."""
    todo = [tree]
    while todo:
        for child in ast.iter_child_nodes(todo.pop()):
            if isinstance(child, _STATEMENTS):
                yield child
                todo.append(child)


def lines_of(statement: ast.AST) -> range:
    """The lines of a statement itself: of a compound one those before its body."""
    first, last = statement.lineno, statement.end_lineno  # type: ignore[attr-defined]  # a statement has a place
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(first, body[0].lineno - 1)
    return range(first, last + 1)


def header(statement: ast.AST) -> str:
    """The first line of a statement as it is written anew, without decorators."""
    lines = ast.unparse(statement).strip().split("\n")
    return next((line for line in lines if not line.startswith("@")), "")


@lru_cache(maxsize=1_000)
def unbound(text: str) -> frozenset[str]:
    """Names that a file reads and does not bind, and attributes of `self` that it reads and never sets (`self.net`).

    Names that are only ever added to are among them: nothing says what they were before.

    Raises:
        SyntaxError: the text is no Python.
    """
    table = symtable.symtable(text, "<reduced>", "exec")
    bound = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    read: set[str] = set()
    todo = [table]
    while todo:
        scope = todo.pop()
        read |= {s.get_name() for s in scope.get_symbols() if s.is_global() and s.is_referenced()}
        if scope is table:
            read |= {s.get_name() for s in scope.get_symbols() if s.is_referenced()}
        bound |= {s.get_name() for s in scope.get_symbols() if s.is_declared_global() and s.is_assigned()}
        todo += scope.get_children()
    tree = ast.parse(text)
    return frozenset(read - bound - _BUILTIN) | _missing_attributes(tree) | _only_added_to(tree)


def _only_added_to(tree: ast.Module) -> set[str]:
    """Names that have a value only by `+=`."""
    added = {node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in added]
    given = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return {node.id for node in added if isinstance(node, ast.Name) and node.id not in given}


def _missing_attributes(tree: ast.Module) -> set[str]:
    read: set[str] = set()
    known: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("self"), attr, ast.Load()):
                read.add(attr)
            case ast.Attribute(_, attr, ast.Store()):
                known.add(attr)
            case ast.ClassDef(body=body):
                known.update(getattr(one, "name", "") for one in body)
                known.update(n.id for one in body for n in ast.walk(one) if isinstance(n, ast.Name))
    return {f"self.{name}" for name in read - known}
