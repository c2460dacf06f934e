"""Reading a stub only as far as it is asked: definitions are cut out of its text and parsed one by one.

A stub of `torch.nn` has two thousand lines, a script needs twenty of its classes and a handful of their methods. The
text is cut at its column: what starts at column 0 (or, in a class, at column 4) is an entry with a name; an entry is
parsed when its name is looked up. What depends on a whole file (order, flow) does not exist in stubs, so nothing else
changes.

Positions inside a stub are meaningless here: no finding ever points into one.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mllint.errors import SourceError
from mllint.files import reading
from mllint.semantics.syntax.fragments import tree_of
from mllint.semantics.syntax.index import Index
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Node

if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_values

__all__ = ["LazyEntries", "LazyMethods", "LazyModule", "contents", "parse", "pieces", "split_piece"]

_BEGINNINGS = {column: re.compile(rf"^{' ' * column}(?=[^ \t\f\r\n)\]}}#])", re.MULTILINE) for column in (0, 4)}
"""What begins an entry at a column: a line with anything there but space, a bracket that closes, or a comment."""

_SHORT = 250
"""Characters up to which a class is read at once: that costs no more than its header and two methods."""


class LazyEntries(dict[str, list[Binding]]):
    """A dictionary of which a value appears when its key is looked up; `fill` parses the entry of one name."""

    __slots__ = ("fill", "pending")

    def __init__(self, pending: dict[str, str], fill: Callable[[str, str], None]) -> None:
        super().__init__()
        self.pending, self.fill = pending, fill

    def read(self, key: str) -> None:
        """Parse the entry of a name, if that has not happened yet."""
        piece = self.pending.pop(key, None)
        if piece is not None:
            self.fill(key, piece)

    def get(self, key: str, default: object = None) -> Any:  # as of any dictionary, by the default
        self.read(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> list[Binding]:
        self.read(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return key in self.pending or super().__contains__(key)

    def all(self) -> None:
        """Parse everything."""
        for key in list(self.pending):
            self.read(key)

    def values(self) -> dict_values[str, list[Binding]]:
        self.all()
        return super().values()

    def items(self) -> dict_items[str, list[Binding]]:
        self.all()
        return super().items()

    def __iter__(self) -> Iterator[str]:
        self.all()
        return super().__iter__()


class LazyModule(ModuleScope):
    """The ModuleScope of a stub.

    Args:
        name: dotted module name.
        entries: what it defines, as `contents` says it.
        is_package: True for an `__init__.pyi`.
    """

    def __init__(self, name: str, entries: dict[str, str], *, is_package: bool) -> None:
        super().__init__(name, parse(""), None, is_stub=True, is_package=is_package)
        for line in entries.pop("*", "").splitlines():
            self.stars += [(source, level) for source, level in _star(line)]
        self.body.known = LazyEntries(entries, self.define)

    def define(self, name: str, piece: str) -> None:
        """Read one top-level entry."""
        entry = split_piece(piece)
        if isinstance(entry, str):
            self.take(parse(entry).body, self.body)
            return
        header, members = entry
        self.take(parse(header).body, self.body)
        cls = self._classes[-1]
        cls.known = LazyEntries(members, lambda key, item: self.define_in(cls, item))
        cls.methods = LazyMethods(cls)

    def take(self, body: list[Node], scope: Scope) -> None:
        """Index statements of a scope; what is nested too deeply says nothing."""
        with contextlib.suppress(SourceError):
            Index(self).each(body, scope)
        scope.settle()

    def define_in(self, cls: ClassScope, piece: str) -> None:
        """Read one entry of a class."""
        body = parse(piece).body[0]
        methods = cls.methods
        cls.methods = {}
        self.take(body.body, cls)
        found, cls.methods = cls.methods, methods
        methods.update(found)


class LazyMethods(dict[str, FunctionScope]):
    """The methods of a stub's class: what its entries define."""

    __slots__ = ("cls",)

    def __init__(self, cls: ClassScope) -> None:
        super().__init__()
        self.cls = cls

    def find(self, key: str) -> FunctionScope | None:
        """The method of a name, None if there is none: what `get` says."""
        entries = self.cls.bindings
        if isinstance(entries, LazyEntries):
            entries.read(key)
        return dict.get(self, key)

    def get(self, key: str, default: object = None) -> Any:  # as of any dictionary, by the default
        self.cls.bindings.get(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> FunctionScope:
        self.cls.bindings.get(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.cls.bindings.get(str(key))
        return super().__contains__(key)

    def values(self) -> dict_values[str, FunctionScope]:
        self.cls.bindings.values()
        return super().values()

    def items(self) -> dict_items[str, FunctionScope]:
        self.cls.bindings.values()
        return super().items()

    def __iter__(self) -> Iterator[str]:
        self.cls.bindings.values()
        return super().__iter__()


def parse(text: str) -> Node:
    """The syntax tree of a piece of a stub."""
    return tree_of(text)


def contents(path: str) -> dict[str, str]:
    """The texts of what a stub defines, by name.

    Args:
        path: of a `.pyi` file.

    Raises:
        OSError, UnicodeDecodeError: the file cannot be read.
    """
    return pieces(reading.read(path, reading.SOURCE).decode("utf-8-sig"))


def pieces(text: str) -> dict[str, str]:
    """The texts of what a stub defines, by name; star imports under "*"."""
    return _entries(_without_docstrings(text), 0)


def split_piece(text: str) -> str | tuple[str, dict[str, str]]:
    """A piece as it is parsed: of a class that is not short the header, and what it defines, each in a class again."""
    header = _class_header(text) if len(text) > _SHORT else None
    if header is None:
        return text
    members = {name: f"class _:\n{member}" for name, member in _entries(text[header:], 4).items()}
    return text[:header] + ": ...", members


def _without_docstrings(text: str) -> str:
    return "...".join(text.split('"""')[::2]) if '"""' in text else text


def _entries(text: str, column: int) -> dict[str, str]:
    """Texts of the entries of a block by name; several with one name are joined, star imports are gathered
    under "*"."""
    found: dict[str, str] = {}
    start = own = -1  # where the entry begins with its decorators, where without
    for match in _BEGINNINGS[column].finditer(text):
        at = match.start()
        if own >= 0:
            _add(found, text, start, own + column, at)
            start = own = -1
        start = at if start < 0 else start
        own = -1 if text[at + column] == "@" else at
    if own >= 0:
        _add(found, text, start, own + column, len(text))
    return found


def _add(found: dict[str, str], text: str, start: int, own: int, end: int) -> None:
    """Enter what stands from `start` to `end` under the names that are defined at `own`, behind the decorators."""
    whole = text[start:end]
    if text.startswith("def ", own):  # nearly all
        name = text[own + 4 : text.find("(", own)]
        found[name] = found[name] + whole if name in found else whole
        return
    for name in _names(text[own:end]):
        found[name] = found[name] + whole if name in found else whole


def _names(text: str) -> list[str]:
    """The names that an entry defines."""
    line = text[: text.find("\n") if "\n" in text else len(text)].rstrip()
    if line.startswith(("class ", "async def ")):
        return [line.partition("(")[0].partition(":")[0].rpartition(" ")[2]]
    if line.startswith("from "):
        if line.endswith("*"):
            return ["*"]
        if "mllint.semantics.vocabulary" in line:
            return []
        inner = text.partition(" import ")[2].strip().strip("()").replace("\n", " ")
        return [n.split(" as ")[-1].strip() for n in inner.split(",") if n.strip()]
    if line.startswith("import "):
        whole, _, alias = line.removeprefix("import ").strip().partition(" as ")
        return [alias or whole] if (alias or whole).isidentifier() else []
    name = line.partition(":")[0].partition("=")[0].strip()
    return [name] if name.isidentifier() else []


def _class_header(text: str) -> int | None:
    """Where the header of a class ends (at its colon); None for anything else."""
    start = 0
    while not (text[start].isalnum() or text[start] == "_"):  # a decorator
        start = text.index("\n", start) + 1
    if not text.startswith("class ", start):
        return None
    for line in text[start:].split("\n"):
        header = line.rstrip().removesuffix("...").rstrip()
        if header.endswith(":"):
            return start + len(header) - 1
        start += len(line) + 1
    return None


def _star(line: str) -> Iterator[tuple[str, int]]:
    source = line.split()[1] if line.startswith("from ") else ""
    if source:
        name = source.lstrip(".")
        yield name, len(source) - len(name)
