"""Reading a file for what it says about others, only as far as it is asked.

A file that is checked by itself leads into files of its project that nobody asked about: a class comes from a module of
two thousand lines. As of a stub, a function or class at column 0 is parsed when its name is looked up; everything else
at once, for its order matters.

    read at once                        read when asked
    from torch import nn                class Inferer: ...
    SIZES = [8, 16]                     def sliding(x): ...

The answer is a ModuleScope as any other. It is read whole where that could make a difference: a name is bound twice, an
import has an alias that is called, the text cannot be cut for certain, or somebody asks for a table of all that is in
it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.errors import MllintError
from mllint.semantics.syntax.index import Index, index, read
from mllint.semantics.syntax.lazystub import LazyEntries
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.sites import Source

__all__ = ["PartialModule", "partial"]

_LATER = ("def ", "class ", "async def ", "@")
_SHORT = 200
"""Lines of a file that is read whole: to cut it would cost as much."""


class PartialModule(ModuleScope):
    """A file of which some definitions at column 0 have not been parsed."""

    parse: Callable[[str], ast.Module]

    def leave(self, pending: dict[str, tuple[int, str]], parse: Callable[[str], ast.Module]) -> None:
        """Parse these definitions when they are looked up: name -> how many lines are above it, and its text."""
        self.late, self.parse = {name: line for name, (line, _) in pending.items()}, parse
        entries = LazyEntries({name: text for name, (_, text) in pending.items()}, self.define)
        for name, bindings in dict(self.body.bindings).items():
            entries[name] = bindings
        self.body.known = entries
        self.waiting = True

    def whole(self) -> ModuleScope:
        """This module, all of it parsed."""
        if self.waiting:
            self.waiting = False
            entries = self.body.known
            if isinstance(entries, LazyEntries):
                entries.all()
        return self

    def define(self, name: str, text: str) -> None:
        """Parse one definition; one that cannot be read is none."""
        try:
            body = self.parse("\n" * self.late[name] + text).body
            Index(self).each(body, self.body)
        except MllintError:
            return
        self.body.settle()
        self.kept.clear()  # what it knew of all calls


def partial(name: str, source: Source, parse: Callable[[str], ast.Module], *, is_package: bool) -> ModuleScope:
    """The ModuleScope of a file of the project that is not checked itself.

    Args:
        name: dotted module name.
        source: its text, and whoever maps nodes to spans.
        parse: parses a text, or raises an MllintError.
        is_package: True for an `__init__` file.

    Raises:
        What `parse` raises, what the tree of the source raises, and SourceError: it is nested too deeply.
    """
    cut = _without_definitions(source.text)
    if cut is not None:
        at_once, pending = cut
        module = PartialModule(name, parse(at_once), source, is_package=is_package)
        index(module)
        text = source.text.replace(" (", "(") if module.renamed else ""
        called = any(f"{alias.asname}(" in text for alias in module.renamed)
        if not called and pending.keys().isdisjoint(module.body.bindings.keys()):
            module.leave(pending, parse)
            return module
    return read(name, source.tree(), source, is_package=is_package)


def _without_definitions(text: str) -> tuple[str, dict[str, tuple[int, str]]] | None:
    """A text without the definitions that can wait, as many lines as before, and these; None if it is read whole."""
    lines = text.split("\n")
    if len(lines) < _SHORT:
        return None
    kept = list(lines)
    pending: dict[str, tuple[int, str]] = {}
    start = own = -1  # where a definition begins with its decorators, where without
    for at, line in enumerate([*lines, "end"]):
        if not line or line[0] in " \t\f\r)]}#":
            continue
        if at and lines[at - 1].endswith("\\"):
            if line.startswith(_LATER):
                return None  # what ends so may be a comment
            continue
        if own >= 0:
            found, block = _defined(lines[own]), "\n".join(lines[start:at])
            if not found or found in pending or block.count('"""') % 2 or block.count("'''") % 2:
                return None
            if "global " not in block or not any(x.lstrip().startswith("global ") for x in lines[start:at]):
                pending[found] = start, block
                kept[start:at] = [""] * (at - start)
            start = own = -1
        if line.startswith(_LATER):
            start = at if start < 0 else start
            own = -1 if line[0] == "@" else at
        else:
            start = -1  # a decorator that goes on in the next line
    rest = "\n".join(kept)
    return (rest, pending) if pending and not (rest.count('"""') % 2 or rest.count("'''") % 2) else None


def _defined(line: str) -> str:
    """The name that a line defines."""
    name = line.removeprefix("async ").partition(" ")[2]
    for end in "([:":
        name = name.partition(end)[0]
    return name.strip()
