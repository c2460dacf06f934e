"""Which statement of the original is this finding about, after everything was rewritten?

A `Program` is a project as syntax trees in which every node remembers the statement of the original that it comes from
(`origin`). Transformations move, copy and wrap nodes; what they add has no origin and takes that of what surrounds it.
When a program is written out, the new text is parsed again and the two trees are walked side by side, so that a finding
at a place of the new text leads back to a statement of the old one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from mllint.diagnostic import Diagnostic, Span

__all__ = ["Origin", "Place", "Program", "Written"]

Origin = tuple[str, int]
"""Path and line of a statement of the original."""


class Place(NamedTuple):
    """A finding in terms of the original."""

    rule: str
    origin: Origin | None

    def __str__(self) -> str:
        path, line = self.origin or ("nowhere", 0)
        return f"[{self.rule}] at {path}:{line}"


class Program:
    """A project as trees that may be changed.

    Attributes:
        trees: path -> tree; a transformation may add files.
        layout: path -> text, for files that a transformation has written itself without changing their tree.
        merged: statements of the original that have become part of another one.
    """

    def __init__(self, files: dict[str, str]) -> None:
        self.trees = {path: ast.parse(text) for path, text in files.items()}
        self.layout: dict[str, str] = {}
        self.merged: dict[Origin, Origin] = {}
        self.originals = files
        for path, tree in self.trees.items():
            _tag(tree, None, path)

    def names(self) -> set[str]:
        """Every identifier of the program, attributes and keywords included."""
        found: set[str] = set()
        for tree in self.trees.values():
            for node in ast.walk(tree):
                for field in ("id", "arg", "attr", "name", "asname", "rest"):
                    value = getattr(node, field, None)
                    if isinstance(value, str):
                        found |= set(value.split("."))
                if isinstance(node, (ast.Global, ast.Nonlocal)):
                    found |= set(node.names)
        return found

    def write(self) -> Written:
        """The program as text."""
        texts, trees = {}, {}
        for path, tree in self.trees.items():
            ast.fix_missing_locations(tree)
            text = self.layout.get(path)
            texts[path] = ast.unparse(tree) + "\n" if text is None else text
            trees[path] = ast.parse(texts[path])
            _pair(tree, trees[path], None)
        return Written(texts, trees, self.merged)

    def as_it_stands(self, rewritten: Program) -> Written:
        """The original text, with the statements merged that are merged in a rewritten version."""
        return Written(self.originals, self.trees, rewritten.merged)


class Written:
    """A program as text, with the way back to the original."""

    def __init__(self, texts: dict[str, str], trees: dict[str, ast.Module], merged: dict[Origin, Origin]) -> None:
        self.texts, self.trees, self.merged = texts, trees, merged
        self.lines = {path: text.split("\n") for path, text in texts.items()}

    def places(self, diagnostics: Iterable[Diagnostic]) -> set[Place]:
        """The findings in terms of the original."""
        return {Place(d.rule, self.origin(d.span)) for d in diagnostics}

    def origin(self, span: Span) -> Origin | None:
        """The statement of the original from which the code at a place comes."""
        wanted = self._bytes(span.path, *span.start), self._bytes(span.path, *span.end)
        best: tuple[Any, ...] | None = None
        for node in ast.walk(self.trees[span.path]):
            if not hasattr(node, "lineno"):
                continue
            start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            if start <= wanted[0] and wanted[1] <= end:
                key = (start, (-end[0], -end[1]))
                if best is None or key >= best[0]:
                    best = key, getattr(node, "origin", None)
        origin = best[1] if best else None
        while origin in self.merged:
            origin = self.merged[origin]
        return origin

    def _bytes(self, path: str, line: int, column: int) -> tuple[int, int]:
        lines = self.lines[path]
        text = lines[line - 1] if line <= len(lines) else ""
        return line, len(text[: column - 1].encode())


def _tag(node: Any, origin: Origin | None, path: str) -> None:
    if isinstance(node, ast.stmt):
        origin = (path, node.lineno)
    node.origin = origin
    for child in ast.iter_child_nodes(node):
        _tag(child, origin, path)


def _pair(old: Any, new: Any, origin: Origin | None) -> None:
    """Walk two trees of one shape; what has no origin takes that of what surrounds it."""
    origin = new.origin = getattr(old, "origin", None) or origin
    below = list(zip(_children(old), _children(new), strict=False))
    same = len(list(_children(old))) == len(list(_children(new)))
    if not same or any(type(a) is not type(b) for a, b in below):
        assert isinstance(old, (ast.JoinedStr, ast.Constant, ast.UnaryOp, ast.expr)), ast.dump(old)
        for node in ast.walk(new):
            node.origin = origin
        return
    for a, b in below:
        _pair(a, b, origin)


def _children(node: Any) -> Iterator[Any]:
    """Child nodes without the contexts, which are shared objects."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)):
            yield child
