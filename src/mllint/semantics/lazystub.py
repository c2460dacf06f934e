"""Reading a stub only as far as it is asked: definitions are cut out of its text and parsed one by one.

A stub of `torch.nn` has two thousand lines, a script needs twenty of its classes and a handful of their methods. The
text is
cut at its column: what starts at column 0 (or, in a class, at column 4) is an entry with a name; an entry is parsed
when its
name is looked up. What depends on a whole file (order, flow) does not exist in stubs, so nothing else changes.

Positions inside a stub are meaningless here: no finding ever points into one.
"""

from __future__ import annotations

import _ast as ast
import itertools
import re
from collections.abc import Callable, Iterator

from mllint._typing import Any
from mllint.semantics.index import Index
from mllint.semantics.module import Class, Module, Scope

__all__ = ["LazyModule"]

_DOCSTRING = re.compile(r'"""[^"]*(?:"{1,2}[^"]+)*"""')
_TOP = re.compile(r"^(?=[^\s)\]}#])", re.M)
_INNER = re.compile(r"^    (?=[^\s)\]}#])", re.M)
_NAME = re.compile(r"\s*(?:@.*\n\s*)*(?:(?:async )?def|class) (\w+)|\s*(\w+)\s*(?::|=[^=])")
_IMPORT = re.compile(
    r"from \S+ import \w+ as (\w+)\s*$|import (\w+)\s*$|import [\w.]+ as (\w+)\s*$|from \S+ import (\w+)\s*$"
)
_HEADER = re.compile(r":[ \t]*(?:\.\.\.)?[ \t]*$", re.M)


class LazyEntries(dict[str, Any]):
    """A dictionary of which a value appears when its key is looked up; `fill` parses the entry of one name."""

    __slots__ = ("fill", "pending")

    def __init__(self, pending: dict[str, str], fill: Callable[[str, str], None]) -> None:
        super().__init__()
        self.pending, self.fill = pending, fill

    def read(self, key: str) -> None:
        """Parse the entry of a name, if that has not happened yet."""
        text = self.pending.pop(key, None)
        if text is not None:
            self.fill(key, text)

    def get(self, key: str, default: Any = None) -> Any:
        self.read(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.read(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return key in self.pending or super().__contains__(key)

    def all(self) -> None:
        """Parse everything."""
        for key in list(self.pending):
            self.read(key)

    def values(self) -> Any:
        self.all()
        return super().values()

    def items(self) -> Any:
        self.all()
        return super().items()

    def __iter__(self) -> Iterator[str]:
        self.all()
        return super().__iter__()


class LazyModule(Module):
    """The Module of a stub.

    Args:
        name: dotted module name.
        text: the text of the stub.
        is_package: True for an `__init__.pyi`.
    """

    def __init__(self, name: str, text: str, *, is_package: bool) -> None:
        super().__init__(name, parse(""), None, is_stub=True, is_package=is_package)
        entries = dict(_entries(_DOCSTRING.sub("...", text), _TOP))
        for line in entries.pop("*", "").splitlines():
            self.stars += [(source, level) for source, level in _star(line)]
        self.body.bindings = LazyEntries(entries, self.define)

    def define(self, name: str, text: str) -> None:
        """Parse one top-level entry."""
        header = _class_header(text)
        if header is None:
            self.take(parse(text).body, self.body)
            return
        self.take(parse(text[:header] + ": ...").body, self.body)
        cls = self.classes[-1]
        entries = dict(_entries(text[header:], _INNER))
        cls.bindings = LazyEntries(entries, lambda key, item: self.define_in(cls, item))
        cls.methods = LazyMethods(cls)

    def take(self, body: list[Any], scope: Scope) -> None:
        """Index statements of a scope."""
        Index(self).each(body, scope)
        scope.settle()

    def define_in(self, cls: Class, text: str) -> None:
        """Parse one entry of a class."""
        body = parse(f"class _:\n{text}").body[0]
        methods, cls.methods = cls.methods, {}
        self.take(body.body, cls)
        found, cls.methods = cls.methods, methods
        dict.update(methods, found)


class LazyMethods(dict[str, Any]):
    """The methods of a stub's class: what its entries define."""

    __slots__ = ("cls",)

    def __init__(self, cls: Class) -> None:
        super().__init__()
        self.cls = cls

    def get(self, key: str, default: Any = None) -> Any:
        self.cls.bindings.get(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.cls.bindings.get(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.cls.bindings.get(str(key))
        return super().__contains__(key)

    def values(self) -> Any:
        self.cls.bindings.values()
        return super().values()

    def items(self) -> Any:
        self.cls.bindings.values()
        return super().items()

    def __iter__(self) -> Iterator[str]:
        self.cls.bindings.values()
        return super().__iter__()


def parse(text: str) -> Any:
    """The syntax tree of a piece of a stub."""
    return compile(text, "<stub>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)


def _entries(text: str, start: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Names and texts of the entries of a block; several with one name are joined, star imports are gathered
    under "*"."""
    found: dict[str, str] = {}
    pieces: list[str] = []
    cuts = [m.start() for m in start.finditer(text)] + [len(text)]
    for first, last in itertools.pairwise(cuts):
        piece = text[first:last]
        pieces.append(piece)
        if piece.lstrip().startswith("@"):
            continue
        whole = "".join(pieces)
        pieces.clear()
        for name in _names(whole, piece):
            found[name] = found.get(name, "") + whole
    yield from found.items()


def _names(whole: str, piece: str) -> list[str]:
    line = piece.lstrip()
    if line.startswith(("from ", "import ")):
        if line.rstrip().endswith("*"):
            return ["*"]
        if "mllint.semantics.vocabulary" in line:
            return []
        match = _IMPORT.match(line)
        if match is not None:
            return [next(g for g in match.groups() if g)]
        if line.startswith("import "):
            return []
        inner = line.partition("import")[2].strip().strip("()")
        return [n.split(" as ")[-1].strip() for n in inner.replace("\n", " ").split(",") if n.strip()]
    match = _NAME.match(piece)
    return [match.group(1) or match.group(2)] if match is not None else []


def _class_header(text: str) -> int | None:
    """Where the header of a class ends (at its colon); None for anything else."""
    line = next((m for m in re.finditer(r"^(class |def |async def |\w)", text, re.M)), None)
    if line is None or line.group(1) != "class ":
        return None
    match = _HEADER.search(text, line.start())
    return match.start() if match is not None else None


def _star(line: str) -> Iterator[tuple[str, int]]:
    source = line.split()[1] if line.startswith("from ") else ""
    if source:
        name = source.lstrip(".")
        yield name, len(source) - len(name)


def scope_names(scope: Scope) -> set[str]:
    """All names that a scope of a stub defines, parsed or not."""
    entries = scope.bindings
    return {*entries.pending, *dict.keys(entries)} if isinstance(entries, LazyEntries) else set(entries)
