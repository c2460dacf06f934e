"""The files of one component: read, parsed and, if they are about machine learning, indexed into one Project.

What others import is found here too: files of the project that are not checked, and libraries that no stub covers. They
are read only as far as somebody asks. A file that cannot be read is a finding (`diagnostics`), and the rest goes on.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mllint.engine import gate
from mllint.engine.diagnostics import Diagnostics
from mllint.errors import SourceError
from mllint.project.discovery import Disk, Memory, digest, explicit_limit, imports_own_name
from mllint.project.environment import is_installed
from mllint.project.search_path import searched_folders
from mllint.semantics.syntax.index import read as read_module
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.partial import partial
from mllint.semantics.training.randomness.seeds import is_test_helper, is_unit_test
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import imported_names
from mllint.sources.parsing import parse
from mllint.sources.source import Source

if TYPE_CHECKING:
    from mllint.engine.engine import Engine

__all__ = ["Component"]


class Component:
    """The files of a component, as the core sees them.

    `add_file` each, then `include_related`. Who runs again and again may keep what `read_source` and `index` give as
    long as a file stays the same.

    Args:
        engine: knows the settings and the stubs.
        reader: finds and reads the files that others import; that of the engine where it is not given.

    Attributes:
        sources: the texts, by path.
        trees: the syntax trees of the files to check, by path.
        modules: the files that are indexed, by path.
        asked: those of them that rules are asked about.
        lookups: what each import that was looked for has led to, by the folder, the name and the level.
        external_files: the digests of the files that were read for what they say about others, by path.
        files: how many files there are to check.
        lines: how many lines these have.
        diagnostics: what is found.
    """

    def __init__(self, engine: Engine, reader: Disk | Memory | None = None) -> None:
        self.engine, self.reader = engine, reader or engine.reader
        self.diagnostics = Diagnostics(engine)
        self.sources: dict[str, Source] = {}
        self.trees: dict[str, ast.Module] = {}
        self.modules: dict[str, ModuleScope] = {}
        self.asked: list[ModuleScope] = []
        self.lookups: dict[tuple[str, str, int], str | None] = {}
        self.external_files: dict[str, str | None] = {}
        self.files = 0
        self.lines = 0
        self.project = Project(self.find_module, engine.stubs, lambda path: engine.config.of(path).target_versions)
        for stub in engine.stubs.modules.values():
            if stub is not None:
                stub.project = self.project  # not the one of the component before

    def add_file(self, path: str, data: bytes | SourceError) -> None:
        """Read, parse and, if it is about machine learning, index one file."""
        self.files += 1
        try:
            if isinstance(data, SourceError):
                raise data
            if len(data) > explicit_limit(path):
                self.diagnostics.add_note(f"{path}: larger than {explicit_limit(path) >> 20} MiB, skipped")
                return
            source = self.sources[path] = self.read_source(path, data)
            self.lines += source.text.count("\n") + 1
            tree = self.trees[path] = source.tree()
        except SourceError as error:
            self.diagnostics.report_syntax_error(path, error)
            return
        for cell in source.broken:
            self.diagnostics.report_syntax_error(path, cell)
        if source.skipped:
            self.diagnostics.add_note(f"{path}: {source.skipped}, skipped")
        if gate.names_library(source.text):
            self.index_file(path, source, tree)

    def index_file(self, path: str, source: Source, tree: ast.Module) -> bool:
        """Index a file and add it to the project; False if it is nested too deeply."""
        try:
            self.modules[path] = self.index(path, source, tree)
        except SourceError as error:
            self.diagnostics.report_syntax_error(path, error)
            return False
        self.project.add(self.modules[path])
        return True

    def include_related(self) -> None:
        """Index what belongs to the files about machine learning: what imports them, then what they import."""
        self.include_imported(self.include_importers())

    def include_importers(self) -> Iterable[str]:
        """Index the files that import a project file about machine learning: they are about it too.

        Returns:
            The files that are left.
        """
        fresh = {m.name.rpartition(".")[2] for m in self.project.modules}
        left = [path for path in self.trees if path not in self.modules]
        imports = {path: gate.imported(self.sources[path].text) for path in left}
        while fresh:
            found = [path for path in imports if not fresh.isdisjoint(imports[path])]
            fresh = set()
            for path in found:
                del imports[path]
                if self.index_file(path, self.sources[path], self.trees[path]):
                    fresh.add(self.modules[path].name.rpartition(".")[2])
        return imports

    def include_imported(self, left: Iterable[str]) -> None:
        """Index those of the files `left` that files about machine learning import: they belong to the project, but
        rules are asked about those only that say what is done with a model."""
        by_name: dict[str, list[str]] = {}
        for path in left:
            by_name.setdefault(self.reader.module_name(path).rpartition(".")[2], []).append(path)
        fresh = list(self.project.modules)
        self.asked = list(fresh)
        while fresh:
            needed = {name for module in fresh for name in imported_names(module)} & by_name.keys()
            fresh = []
            for path in [path for name in sorted(needed) for path in by_name.pop(name)]:
                if self.index_file(path, self.sources[path], self.trees[path]):
                    fresh.append(self.modules[path])
                    if gate.names_model_handling(self.sources[path].text):
                        self.asked.append(self.modules[path])

    def read_source(self, path: str, data: bytes) -> Source:
        """The text of a file.

        Raises:
            SourceError: it cannot be decoded.
        """
        return Source.from_bytes(path, data)

    def index(self, path: str, source: Source, tree: ast.Module) -> ModuleScope:
        """A file as the core sees it."""
        name = self.reader.module_name(path)
        package = os.path.basename(path) == "__init__.py"
        return read_module(name, tree, source, is_package=package)

    def find_module(self, name: str, level: int, importer: ModuleScope) -> ModuleScope | None:
        """The module that an import of a project file means: one of the component's, or one that is read for it."""
        path = importer.source.path
        installed = self.engine.installed
        if installed and not level and is_installed(path, installed):
            return self.find_library(name)
        folder = os.path.dirname(path)
        if imports_own_name(name, level, path):
            folder = os.path.join(folder, os.pardir)
        found = self.lookups[folder, name, level] = self.reader.locate(name, level, path)
        if found is None and not level and importer.source.holds("sys.path"):
            found = self.find_on_search_path(name, importer.source) or self.find_in_parent_folders(
                name, os.path.dirname(path)
            )
        if found is None:
            return self.find_library(name) if installed and not level else None
        return self.modules.get(found) or self.read_external(found)

    def find_on_search_path(self, name: str, source: Source) -> str | None:
        """The file that an absolute import means in a folder that the importing file puts on `sys.path`."""
        for there in (n for folder in searched_folders(source.text) for n in folder.names(name)):
            bare = there.lstrip(".")
            level = len(there) - len(bare)
            found = self.reader.locate(bare, level, source.path)
            self.lookups[os.path.dirname(source.path), bare, level] = found
            if found is not None:
                return found
        return None

    def find_in_parent_folders(self, name: str, folder: str) -> str | None:
        """The file that an absolute import means in a package whose scripts put a folder of it on `sys.path`."""
        reader = self.reader
        if not isinstance(reader, Disk):
            return None  # it looks above by itself
        for _ in range(3):  # few packages are deeper
            folder = os.path.join(folder, os.pardir)
            found = self.lookups[folder, name, 0] = reader.locate_from(os.path.abspath(folder), name, 0)
            if found is not None:
                return found
        return None

    def find_library(self, name: str) -> ModuleScope | None:
        """The module of a library that is installed and that no stub covers."""
        if self.engine.stubs.covers(name) or not isinstance(self.reader, Disk):
            return None
        installed = self.engine.installed
        found = self.lookups[installed, name, 0] = self.reader.locate_from(installed, name, 0)
        return None if found is None else self.modules.get(found) or self.read_external(found)

    def read_external(self, path: str) -> ModuleScope | None:
        """A file that is read for what it says about others."""
        try:
            source = self.sources.get(path) or self.read_source(path, self.read_external_bytes(path))
            module = self.modules[path] = self.index_lazily(path, source)
        except SourceError:
            return None
        module.project = self.project
        return module

    def index_lazily(self, path: str, source: Source) -> ModuleScope:
        """A file as the core sees it, each part of it once it is asked about."""
        if path in self.trees or source.cells is not None:
            return self.index(path, source, source.tree())
        return partial(self.reader.module_name(path), source, parse, is_package=os.path.basename(path) == "__init__.py")

    def read_external_bytes(self, path: str) -> bytes:
        """The bytes of a file that is not checked.

        Raises:
            SourceError: it cannot be read.
        """
        data = self.reader.read(path)
        self.external_files[path] = None if data is None else digest(data)
        if data is None:
            raise SourceError("the file cannot be read")
        return data

    def is_skipped(self, module: ModuleScope) -> bool:
        """True if nothing is asked about `module`, because all that could be found in it would be for the pedantic."""
        of_tests = is_unit_test(module) or is_test_helper(module, self.project)
        return of_tests and not self.engine.demand(module.source.path).pedantic

    def close(self) -> None:
        """Cut the knots of functions, modules, frames and their project, so that all of it goes away at once."""
        for module in self.modules.values():
            module.close()
        self.project.close()
        for table in (self.sources, self.trees, self.modules):
            table.clear()
        self.asked = []
