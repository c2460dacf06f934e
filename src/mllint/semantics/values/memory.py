"""A project that lives in memory: path -> text, for tests, for standard input and for unsaved buffers."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable

from mllint.semantics.libraries.stubs import StubLibrary
from mllint.semantics.syntax.index import read
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.sites import Source
from mllint.semantics.values.project import Project

__all__ = ["memory_project", "name_of"]


def memory_project(
    sources: dict[str, str], source: Callable[[str, str], Source] | None = None
) -> tuple[Project, dict[str, ModuleScope]]:
    """A Project of the given files, importable by their paths without the suffix.

    Args:
        sources: the files, path -> text.
        source: makes what maps nodes to their text, of a path and a text; without it no node has a text.

    Raises:
        SyntaxError: a file does not parse.
    """
    modules: dict[str, ModuleScope] = {}
    names: dict[str, ModuleScope] = {}
    for path, text in sources.items():
        tree = ast.parse(text)
        name, package = name_of(path)
        module = read(name, tree, source and source(path, text), is_package=package)
        modules[path] = names[name] = module

    def find(name: str, level: int, importer: ModuleScope) -> ModuleScope | None:
        if level:
            parts = importer.name.split(".")
            base = parts[: len(parts) - (level - 1 if importer.is_package else level)]
            return names.get(".".join([*base, *([name] if name else [])]))
        return names.get(name)

    project = Project(find, StubLibrary())
    for module in modules.values():
        project.add(module)
    return project, modules


def name_of(path: str) -> tuple[str, bool]:
    """The dotted module name of a relative path, and whether it is a package's `__init__`."""
    stem = os.path.splitext(path)[0].replace(os.sep, "/").strip("/")
    parts = stem.split("/")
    if parts[-1] == "__init__":
        return ".".join(parts[:-1]), True
    return ".".join(parts), False
