"""Where something is written, and where the way of gradients ends: the small objects of which most are made.

They are classes of their own, not the named tuples of `records`, so that they are compiled: then making one, and
reading it, costs next to nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from mllint.semantics.syntax.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Collection

    from mllint.semantics.syntax.module import ModuleScope

__all__ = ["GraphBreak", "Site", "Source", "call_text", "text"]


class Source(Protocol):
    """The text of a file, as far as the core asks for it: `mllint.sources` has it."""

    @property
    def path(self) -> str:
        """As it is reported, with forward slashes."""

    @property
    def text(self) -> str:
        """The text, with line ends `\\n`."""

    @property
    def cells(self) -> object:
        """Where the cells of a notebook are; None for a Python file."""

    def tree(self) -> ast.Module:
        """The syntax tree of the text."""

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""

    def names(self) -> Collection[str]:
        """The names in its code."""

    def mentions(self, words: frozenset[str]) -> bool:
        """Is one of these names in its code?"""

    def holds(self, text: str) -> bool:
        """Does the text contain another one?"""

    def lines_with(self, *texts: str) -> list[int]:
        """The numbers of the lines that contain one of some texts."""

    def lines_naming(self, *names: str) -> list[int]:
        """The numbers of the lines in which one of some names stands as a whole."""


class Site:
    """A place in the source: a module and a syntax node of it. Two are equal if they are of the same node."""

    __slots__ = ("module", "node")

    def __init__(self, module: ModuleScope, node: Node) -> None:
        self.module = module
        self.node = node

    @property
    def site(self) -> Site:
        """Itself, so that a Site can stand wherever an object with a site can."""
        return self

    @property
    def line(self) -> int:
        """The 1-based first line."""
        return int(getattr(self.node, "lineno", 0))

    @property
    def text(self) -> str:
        """The source text, on one line."""
        return text(self.module, self.node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Site) and self.node is other.node and self.module is other.module

    def __hash__(self) -> int:
        return id(self.node)

    def __repr__(self) -> str:
        return f"<line {self.line} of {self.module.name}>"


class GraphBreak:
    """Where a gradient path ends, and by which word (`detach`, `item`, `no_grad`, `argmax`, ...)."""

    __slots__ = ("how", "site")

    def __init__(self, site: Site, how: str) -> None:
        self.site = site
        self.how = how

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphBreak) and self.how == other.how and self.site == other.site

    def __hash__(self) -> int:
        return hash((self.site, self.how))

    def __repr__(self) -> str:
        return f"<{self.how} at {self.site!r}>"


def text(module: ModuleScope, node: Node, limit: int = 60) -> str:
    """The source text of a node on one line, cut off after `limit` characters.

    Args:
        module: the file.
        node: the node.
        limit: so many characters at most.
    """
    source = module.source
    segment = source.segment(node) if source is not None else ""
    line = " ".join(segment.split())
    return line if len(line) <= limit else line[: limit - 3].rstrip("\\ ") + "..."


def call_text(module: ModuleScope, node: Node, limit: int = 60) -> str:
    """The source text of a node; of a call with more than `limit` characters only what is called, `net.fit(...)`.

    Args:
        module: the file.
        node: the node.
        limit: so many characters at most.
    """
    line = text(module, node, limit)
    return f"{text(module, node.func)}(...)" if line.endswith("...") and isinstance(node, ast.Call) else line
