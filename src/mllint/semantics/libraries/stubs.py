"""Libraries as data: what a stub's annotations and decorators say about its functions.

A stub is a ModuleScope like any other; this module finds its text and reads the two things that only stubs have: traits
in annotations and effects in decorators. What no stub covers has no ModuleScope here and is Unknown everywhere.
"""

from __future__ import annotations

import ast
import os

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.records import Effect, Hint

__all__ = ["Effect", "Hint", "StubLibrary", "effects", "expectations", "function_words", "hint", "names_in_annotation"]

_OWN = os.path.abspath(os.path.join(__file__, *[os.pardir] * 3, "stubs"))
_NO_HINT = Hint("")
_MOST = 10_000  # how many annotations are remembered; those of the stubs are asked for again and again
_hints: dict[Node, Hint] = {}
_words: dict[Node, frozenset[str]] = {}
_NO_NAMES = frozenset(("",))


class StubLibrary:
    """The shipped stubs and those that a configuration adds, by dotted module name.

    Args:
        folders: directories shaped like module trees, searched in order.
    """

    def __init__(self, folders: list[str] | None = None) -> None:
        self.folders = [*(folders or []), _OWN]
        self.modules: dict[str, ModuleScope | None] = {}
        self.tops: set[str] = set()
        self.expecting: frozenset[str] | None = None
        self.criteria: frozenset[str] = frozenset()
        self.quiet: frozenset[str] | None = None
        for folder in self.folders:
            self.tops.update(_modules(folder))

    def covers(self, name: str) -> bool:
        """Does a stub exist for the distribution that the dotted name belongs to?"""
        return name.partition(".")[0] in self.tops

    def parts(self, top: str) -> list[str]:
        """The dotted names of the modules directly below a library that is described."""
        found: set[str] = set()
        for folder in (os.path.join(given, top) for given in self.folders):
            found.update(_modules(folder) if os.path.isdir(folder) else ())
        return [f"{top}.{name}" for name in sorted(found - {"__init__"})]

    def module(self, name: str) -> ModuleScope | None:
        """The stub of a dotted module name, or None."""
        if name in self.modules:
            return self.modules[name]
        self.modules[name] = None
        if not self.covers(name):
            return None
        base = name.replace(".", os.sep)
        for folder in self.folders:
            for path, package in ((f"{base}/__init__.pyi", True), (f"{base}.pyi", False)):
                full = os.path.join(folder, path)
                if os.path.isfile(full):
                    from mllint.semantics.syntax.lazystub import LazyModule, contents

                    module = LazyModule(name, contents(full), is_package=package)
                    self.modules[name] = module
                    return module
        return None


def _modules(folder: str) -> set[str]:
    """The names of the stubs and packages in a folder."""
    return {name.removesuffix(".pyi") for name in os.listdir(folder)}


def effects(symbol: Scope) -> dict[str, Effect]:
    """The effects that a stub declares on a function or class, by name; none for the user's own code."""
    if not symbol.module.is_stub:
        return {}
    return _declared(symbol)


@cached_per_scope()
def _declared(symbol: Scope) -> dict[str, Effect]:
    found = (_effect(decorator) for decorator in getattr(symbol.node, "decorator_list", ()))
    return {effect.name: effect for effect in found}


def _effect(node: Node) -> Effect:
    if not isinstance(node, ast.Call):
        return Effect(last_name(node), (), {})
    values = tuple(a.value for a in node.args if isinstance(a, ast.Constant))
    options = {k.arg: k.value.value for k in node.keywords if k.arg and isinstance(k.value, ast.Constant)}
    return Effect(last_name(node.func), values, options)


def hint(annotation: Node) -> Hint:
    """An annotation node as a Hint; an unreadable or missing one is Hint("")."""
    if annotation is None:
        return _NO_HINT
    known = _hints.get(annotation)
    if known is None:
        if len(_hints) == _MOST:
            _hints.clear()
        known = _hints[annotation] = _read(annotation)
    return known


def names_in_annotation(annotation: Node) -> frozenset[str]:
    """All names in an annotation node."""
    if annotation is None:
        return _NO_NAMES
    known = _words.get(annotation)
    if known is None:
        if len(_words) == _MOST:
            _words.clear()
        known = _words[annotation] = frozenset(hint(annotation).words())
    return known


def _read(annotation: Node) -> Hint:
    match annotation:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return Hint(name)
        case ast.Constant(value=str() as text):
            return Hint(text)
        case ast.Constant(value=None):
            return Hint("None")
        case ast.Constant() if annotation.value is ...:
            return Hint("Ellipsis")
        case ast.Subscript(value=value, slice=ast.Tuple(elts=elements)):
            return Hint(last_name(value), tuple(hint(e) for e in elements))
        case ast.Subscript(value=value, slice=inner):
            return Hint(last_name(value), (hint(inner),))
        case ast.BinOp(left=left, right=right):
            return Hint("|", (hint(left), hint(right)))
    return Hint("")


@cached_per_scope()
def function_words(function: FunctionScope) -> frozenset[str]:
    """All words in the parameter annotations of a stub function."""
    return frozenset(w for p in function.parameters for w in names_in_annotation(p.annotation))


def expectations(function: FunctionScope, parameter: str) -> frozenset[str]:
    """The words of a stub parameter's annotation (`Logits`, `Target`, `Rows`), none for the user's own functions."""
    if not function.stubbed:
        return frozenset()
    found = function.parameter(parameter)
    return names_in_annotation(found.annotation) if found is not None else frozenset()
