"""Which classes does a class derive from? Across files, through stubs, and as far as anything is known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import last_name, walk
from mllint.semantics.values.ask import ask

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = [
    "ancestors", "by_base", "enclosing", "fullname", "function_of", "inherits", "innermost_function", "is_record",
    "mro", "record_fields",
]  # fmt: skip

_FUEL = 10_000  # for the bases of a class of a library
_BARE = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"})  # bring no behaviour


def is_record(cls: ClassScope) -> bool:
    """Whether `cls` is a dataclass."""
    return any(last_name(getattr(d, "func", d)) == "dataclass" for d in getattr(cls.node, "decorator_list", ()))


def record_fields(cls: ClassScope) -> tuple[str, ...]:
    """The names of the fields of a dataclass, in order; none of anything else, and of one with an unknown ancestor."""
    classes = mro(cls)
    if not is_record(cls) or any(isinstance(c, str) and c != "object" for c in classes):
        return ()
    bound = [found[0] for c in reversed(classes) if isinstance(c, ClassScope) for found in c.bindings.values()]
    return tuple(dict.fromkeys(b.name for b in bound if b.kind == "assign" and b.extra is not None and _is_field(b)))


def _is_field(annotated: Binding) -> bool:
    """Whether the annotation of a name does not give it to the class, or to the constructor alone."""
    return not any(last_name(n) in ("ClassVar", "InitVar") for n in walk(annotated.extra))


def mro(cls: ClassScope) -> list[ClassScope | str]:
    """The class and its ancestors, depth first without repeats; an ancestor of no known file is its dotted name."""
    if cls._mro is None:
        found: list[ClassScope | str] = [cls]
        project = cls.module.project
        cls._mro = found

        outer = enclosing(cls)
        frame = project.frame(outer or cls.module.body)
        left = project.fuel, project.depth
        if cls.module.is_stub:  # what is remembered of a library is the same whoever asks first, with whatever is left
            project.allow(_FUEL)
            project.depth = 0
        for base in cls.node.bases:
            value = ask.evaluate(base.value if isinstance(base, ast.Subscript) else base, frame)
            for alternative in value.alternatives:
                above = alternative.as_base
                if isinstance(above, ClassScope):
                    found += [c for c in mro(above) if c not in found]
                elif above and above not in _BARE:
                    found.append(above)
        cls._mro = found
        if cls.module.is_stub:
            project.allow(left[0])
            project.depth = left[1]
    return list(cls._mro)


@cached_per_scope()
def ancestors(cls: ClassScope) -> frozenset[str]:
    """The dotted names of the class and all its ancestors, also under the names that libraries export them by."""
    return frozenset(c if isinstance(c, str) else c.fullname for c in mro(cls))


def inherits(cls: ClassScope | str | None, *names: str) -> bool:
    """Is the class, or one of its ancestors, one of these dotted names?"""
    if cls is None or isinstance(cls, str):
        return cls in names

    return not ancestors(cls).isdisjoint(names)


@cached()
def by_base(project: Project) -> dict[str, list[ClassScope]]:
    """The classes of the project by the last names of their bases: those that may derive from a class of that name."""
    found: dict[str, list[ClassScope]] = {}
    for cls in (c for module in project.modules for c in module.classes):
        for base in cls.node.bases:
            name = last_name(base.value if isinstance(base, ast.Subscript) else base)
            found.setdefault(name, []).append(cls)
    return found


def fullname(symbol: ClassScope | FunctionScope | ModuleScope | str | None) -> str:
    """Dotted name of a class, function or module; a string stands for itself."""
    if isinstance(symbol, str) or symbol is None:
        return symbol or ""
    if isinstance(symbol, ModuleScope):
        return symbol.name
    return f"{symbol.module.name}.{symbol.qualname}" if symbol.qualname else symbol.module.name


def enclosing(scope: Scope) -> FunctionScope | None:
    """The nearest function (or module body) around a scope; class bodies are passed over."""
    current = scope.parent
    while current is not None and not isinstance(current, FunctionScope):
        current = current.parent
    return current


def function_of(scope: Scope) -> FunctionScope | None:
    """A scope itself if it is a function or a module body, else the nearest one around it."""
    return scope if isinstance(scope, FunctionScope) else enclosing(scope)


def innermost_function(function: FunctionScope, line: int) -> FunctionScope:
    """The innermost function around a line.

    Args:
        function: one that it lies in, or the body of the file.
        line: its number.
    """
    while True:
        inner = [f for scope in (function, *_classes_in(function)) for f in scope.functions]
        found = (f for f in inner if not isinstance(f.node, ast.Lambda))
        around = next((f for f in found if f.node.lineno <= line <= (f.node.end_lineno or 0)), None)
        if around is None:
            return function
        function = around


def _classes_in(scope: Scope) -> list[ClassScope]:
    """The classes in a scope, and in each other."""
    return [cls for outer in scope.classes for cls in (outer, *_classes_in(outer))]
