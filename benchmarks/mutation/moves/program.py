"""A program as trees, with the statements that may be blamed for its bug: what a move changes.

Moves work on trees and not on text, so that a statement stays the same object wherever it goes; where it stands in the
new text is asked at the end, by parsing that text and going through both trees side by side. Files that no move touched
keep their text.
"""

from __future__ import annotations

import ast
import os
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

__all__ = ["MOVES", "Declined", "Move", "Moved", "Places", "Program", "move", "moved"]

Places = dict[str, list[tuple[int, int]]]
"""The lines of statements, in each file."""


class Declined(Exception):
    """A move cannot be made here without a doubt about its meaning."""


class Program:
    """One program before and while it is moved."""

    def __init__(self, texts: dict[str, str], path: str, edited: Places, marked: Places, chance: random.Random) -> None:
        """Read a program.

        Args:
            texts: All files, path -> text.
            path: The file to move something in.
            edited: The statements that the bug was put into.
            marked: Others that may be blamed for it.
            chance: What chooses where there is a choice.
        """
        self.texts, self.path, self.chance = dict(texts), path, chance
        self.trees = {path: ast.parse(texts[path])}
        self.tree = self.trees[path]
        self.places = {p: [*edited.get(p, ()), *marked.get(p, ())] for p in {*edited, *marked}}
        self.edited = {n for n in heads(self.tree) if top(n) in {a for a, _ in edited.get(path, ())}}
        marks = {a for a, _ in self.places.get(path, ())}
        self.blamed = {n for n in heads(self.tree) if top(n) in marks}
        self.index()

    def index(self) -> None:
        """Work out again what encloses what."""
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    # ------------------------------------------------------------------------------------------------------- structure
    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """What encloses a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def owner(self, node: ast.AST) -> ast.AST:
        """The function, class or module whose scope a statement is in."""
        scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
        return next(n for n in self.up(node) if isinstance(n, scopes))

    def block(self, statement: ast.AST) -> list[ast.stmt]:
        """The statements that one stands among."""
        for _, value in ast.iter_fields(self.parents[statement]):
            if isinstance(value, list) and any(s is statement for s in value):
                return value
        raise Declined("no statement of a block")

    def outermost(self, node: ast.AST, above: ast.AST) -> ast.stmt:
        """The statement in the body of `above` that a node stands in, or is."""
        chain = [node, *self.up(node)]
        return chain[chain.index(above) - 1]

    # ------------------------------------------------------------------------------------------------------------ names
    @property
    def words(self) -> set[str]:
        """Everything that looks like an identifier in any file."""
        return set(re.findall(r"\w+", "\n".join(self.texts.values())))

    def fresh(self, *wanted: str) -> str:
        """One of some names, by chance, with a number if it is in use anywhere."""
        name = self.chance.choice(wanted)
        return (
            name if name not in self.words else next(n for i in range(2, 99) if (n := f"{name}{i}") not in self.words)
        )

    # --------------------------------------------------------------------------------------------------------- changes
    def put(self, statement: ast.stmt, code: str | list[ast.stmt]) -> list[ast.stmt]:
        """Put new statements in front of one, and give them."""
        block, new = self.block(statement), parsed(code) if isinstance(code, str) else code
        at = next(i for i, s in enumerate(block) if s is statement)
        block[at:at] = new
        self.index()
        return new

    def add(self, path: str, tree: ast.Module) -> None:
        """Add a file."""
        if path in self.texts:
            raise Declined("the file is there already")
        self.trees[path] = tree

    def beside(self, name: str) -> tuple[str, str]:
        """The path of a new file in the same folder, and how it is imported."""
        folder = os.path.dirname(self.path)
        inside = any(isinstance(n, ast.ImportFrom) and n.level for n in self.tree.body)
        inside = inside or os.path.join(folder, "__init__.py") in self.texts
        return os.path.join(folder, f"{name}.py"), f".{name}" if inside else name


class Moved(NamedTuple):
    """A program that was moved: its files, and the lines of the statements that may be blamed."""

    texts: dict[str, str]
    places: Places


class Move(NamedTuple):
    """A way to write a program otherwise."""

    name: str
    function: Callable[[Program], None]


MOVES: list[Move] = []


def move(function: Callable[[Program], None]) -> Callable[[Program], None]:
    """Register a move, which changes a program in place."""
    MOVES.append(Move(function.__name__.replace("_", "-"), function))
    return function


def moved(program: Program, by: Move) -> Moved | None:
    """The program after a move, None where the move declines."""
    try:
        by.function(program)
        return rendered(program)
    except (Declined, RecursionError):
        return None


def rendered(program: Program) -> Moved:
    """The new text, and where the statements stand in it."""
    texts, places = dict(program.texts), {p: list(of) for p, of in program.places.items() if p not in program.trees}
    for path, tree in program.trees.items():
        texts[path] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        again = list(heads(ast.parse(texts[path])))
        before = list(heads(tree))
        if [type(n) for n in before] != [type(n) for n in again]:
            raise Declined("it does not read as it was written")
        places[path] = [
            (top(new), bottom(new)) for old, new in zip(before, again, strict=True) if old in program.blamed
        ]
    return Moved(texts, places)


def heads(tree: ast.AST) -> Iterator[ast.stmt | ast.ExceptHandler]:
    """All statements of a tree, in an order that rests on its form only."""
    return (n for n in ast.walk(tree) if isinstance(n, (ast.stmt, ast.ExceptHandler)))


def top(node: ast.stmt | ast.ExceptHandler) -> int:
    """The first line of a statement, decorators included."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def bottom(node: ast.stmt | ast.ExceptHandler) -> int:
    """The last line of a statement, of a compound one that of its head."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return node.end_lineno
    first = body[0]
    return max(top(node), (first.pattern.lineno if isinstance(first, ast.match_case) else top(first)) - 1)


def parsed(code: str) -> list[ast.stmt]:
    """The statements of some text."""
    return ast.parse(code).body
