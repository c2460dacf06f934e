"""What the user calls things says something about a project, and nothing about a finding that does not rest on it.

Each name that the program gives is replaced by one without meaning wherever it stands, if the finding survives that; so
are strings, and the names of modules that no stub and no standard library has. Names that a library reads stay: the
keywords of its calls, methods that override its own, `self` and what begins with two underscores.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import sys
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

from mllint.engine.reduce.program import Program

__all__ = ["neutral"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STAYS = frozenset(("self", "cls", "_", *dir(builtins)))


class _Place(NamedTuple):
    """Where a name stands: a field of a node, perhaps at an index of a list, of which kind."""

    node: ast.AST
    field: str
    at: int | None
    kind: str

    def get(self) -> str:
        value = getattr(self.node, self.field)
        return str(value if self.at is None else value[self.at])

    def put(self, name: str) -> None:
        if self.at is None:
            setattr(self.node, self.field, name)
        else:
            getattr(self.node, self.field)[self.at] = name


def neutral(program: Program, accepts: Callable[[], bool], is_library: Callable[[str], bool]) -> None:
    """Rename what may be renamed.

    Args:
        program: the program, which is edited.
        accepts: whether the program as it is now will do, apart from what is unbound in it.
        is_library: whether an import of this dotted name is of a library that is known.
    """
    imports = [node for tree in program.trees.values() for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    own = {node for node in imports if not _is_known(node, is_library) and len(program.trees) == 1}
    names = _names(program, own)
    taken = set(names) | _all_words(program)
    for name, places in names.items():
        if places[0].kind and name not in _STAYS and name[:2] != "__" and not _is_fresh(name):
            _renamed(places, _fresh(places[0].kind, name, taken), accepts)
    _modules(program, own, is_library, accepts)
    _strings(program, accepts)


def _is_known(node: ast.ImportFrom, is_library: Callable[[str], bool]) -> bool:
    top = (node.module or "").partition(".")[0]
    return not node.level and (top in sys.stdlib_module_names or is_library(top))


def _names(program: Program, own: set[ast.ImportFrom]) -> dict[str, list[_Place]]:
    """The user's names in the order in which they are met, each with its places; the first one says what it names."""
    found: dict[str, list[_Place]] = {}
    given = {place.get() for place in _places(program, own) if place.kind}
    imported = _imported(program, own)
    attributes = {p.get() for p in _places(program, own) if p.kind == "a"} | _methods(program)
    overriding = _overriding(program)
    parameters = {n.arg for t in program.trees.values() for n in ast.walk(t) if isinstance(n, ast.arg)}
    for place in _places(program, own):
        name = place.get()
        if name in imported or name in overriding:
            continue
        if isinstance(place.node, ast.Attribute) and name not in attributes:
            continue
        if isinstance(place.node, ast.keyword) and name not in parameters:
            continue
        if name in given or isinstance(place.node, ast.Name):
            found.setdefault(name, []).append(place)
    for name, places in found.items():
        places.sort(key=lambda place: not place.kind)  # stable: where it is given comes first
        if not places[0].kind:
            places[0] = places[0]._replace(kind="v")
        found[name] = places
    return found


def _places(program: Program, own: set[ast.ImportFrom]) -> Iterator[_Place]:
    for tree in program.trees.values():
        for node in ast.walk(tree):
            match node:
                case ast.ClassDef():
                    yield _Place(node, "name", None, "C")
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield _Place(node, "name", None, "f")
                case ast.arg():
                    yield _Place(node, "arg", None, "v")
                case ast.Name():
                    yield _Place(node, "id", None, "v" if isinstance(node.ctx, ast.Store) else "")
                case ast.Attribute():
                    yield _Place(node, "attr", None, "a" if isinstance(node.ctx, ast.Store) else "")
                case ast.keyword(arg=str()):
                    yield _Place(node, "arg", None, "")
                case ast.ExceptHandler(name=str()):
                    yield _Place(node, "name", None, "v")
                case ast.Global() | ast.Nonlocal():
                    yield from (_Place(node, "names", index, "") for index in range(len(node.names)))
                case ast.ImportFrom() if node in own:
                    yield from (_Place(alias, "name", None, "C") for alias in node.names if alias.asname is None)


def _imported(program: Program, own: set[ast.ImportFrom]) -> set[str]:
    """What imports bind, but for names out of the user's own modules."""
    nodes = [n for t in program.trees.values() for n in ast.walk(t) if isinstance(n, (ast.Import, ast.ImportFrom))]
    aliases = [alias for node in nodes if node not in own for alias in node.names]
    aliases += [alias for node in own for alias in node.names if alias.asname is not None]
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _methods(program: Program) -> set[str]:
    """What the bodies of classes bind."""
    classes = [n for t in program.trees.values() for n in ast.walk(t) if isinstance(n, ast.ClassDef)]
    functions = {one.name for c in classes for one in c.body if isinstance(one, _FUNCTIONS)}
    names = [n for c in classes for one in c.body for n in ast.walk(one) if isinstance(n, ast.Name)]
    return functions | {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _overriding(program: Program) -> set[str]:
    """Methods of classes that have a base: what is not private may be called by that."""
    classes = [n for t in program.trees.values() for n in ast.walk(t) if isinstance(n, ast.ClassDef) and n.bases]
    return {one.name for c in classes for one in c.body if isinstance(one, _FUNCTIONS) and one.name[:1] != "_"}


def _all_words(program: Program) -> set[str]:
    return {word for text in program.texts().values() for word in _split(text)}


def _split(text: str) -> Iterator[str]:
    yield from "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def _is_fresh(name: str) -> bool:
    return name.lstrip("_")[:1] in tuple("Cfvams") and name.lstrip("_")[1:].isdigit()


def _fresh(kind: str, like: str, taken: set[str]) -> str:
    """A name without meaning; private where `like` is."""
    start = "_" if like.startswith("_") else ""
    words = (f"{start}{kind}{number}" for number in count(1))
    word = next(word for word in words if word not in taken and not keyword.iskeyword(word))
    taken.add(word)
    return word


def _renamed(places: list[_Place], name: str, accepts: Callable[[], bool]) -> None:
    before = [place.get() for place in places]
    for place in places:
        place.put(name)
    if not accepts():
        for place, old in zip(places, before, strict=True):
            place.put(old)


def _modules(
    program: Program, own: set[ast.ImportFrom], is_library: Callable[[str], bool], accepts: Callable[[], bool]
) -> None:
    """Modules of which nothing is known: only in a program of one file, where nothing is found behind them."""
    taken: set[str] = set()
    for node in sorted(own, key=lambda node: (node.module or "", node.level)):
        if node.module and not _is_fresh(node.module):
            _renamed([_Place(node, "module", None, "m")], _fresh("m", "", taken), accepts)


def _strings(program: Program, accepts: Callable[[], bool]) -> None:
    """Strings of more than one character, each like the others that are equal to it."""
    found: dict[str, list[_Place]] = {}
    for tree in program.trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 1:
                found.setdefault(node.value, []).append(_Place(node, "value", None, "s"))
    taken: set[str] = set()
    for text, places in found.items():
        if not _is_fresh(text):
            _renamed(places, _fresh("s", "", taken), accepts)
