"""What is kept of a file between two answers, and a run that uses it.

Decoding, parsing and indexing a file is a good part of what an answer costs, and nearly all files are the same the next
time. So a `File` keeps what was made of its bytes, until they change. What the index of a file has come to know about
other files is forgotten before each run (`forget`): it may be about a file that has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.engine import gate
from mllint.engine.component import Component
from mllint.engine.engine import Run
from mllint.errors import SourceError
from mllint.project.discovery import digest
from mllint.project.imports import imports
from mllint.server.nearby import entering
from mllint.server.reparse import reparsed

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Mapping

    from mllint.diagnostic import Diagnostic
    from mllint.engine.engine import Engine
    from mllint.rule import Check
    from mllint.semantics.flow.flow import Flow
    from mllint.semantics.syntax.module import FunctionScope, ModuleScope
    from mllint.sources.source import Source

__all__ = ["File", "KeptComponent", "KeptRun"]


class File:
    """The bytes of one file, and what has been made of them so far.

    Args:
        path: as it is reported.
        data: the bytes.
        error: why there are none.
        like: the file as it was before, if much of it may be the same.

    Attributes:
        path: as it is reported.
        data: the bytes.
        digest: what stands for them.
        module: the index, if the run has needed one.
        dropped: whether the bytes have to be read again.
    """

    __slots__ = ("_error", "_imports", "_like", "_passes", "_source", "data", "digest", "dropped", "module", "path")

    def __init__(self, path: str, data: bytes, error: SourceError | None = None, like: File | None = None) -> None:
        self.path, self.data, self.digest = path, data, digest(data) if error is None else f"unreadable: {error}"
        self.module: ModuleScope | None = None
        self._source: Source | None = None
        self._error, self._like = error, like
        self._imports: list[str] | None = None
        self._passes: bool | None = None
        self.dropped = False

    def source(self) -> Source:
        """The text, parsed.

        Raises:
            SourceError: it cannot be decoded or parsed.
        """
        if self._error is not None:
            raise self._error
        if self._source is None:
            from mllint.sources.source import Source

            try:
                source = self._source = Source.from_bytes(self.path, self.data)
                self._plant(source)
                source.tree()
            except SourceError as error:
                self._error = error
                raise
        return self._source

    def _plant(self, source: Source) -> None:
        """Make the tree out of the one of before, as far as that can be done."""
        like, self._like = self._like, None
        before = like.intact() if like is not None else None
        if before is not None and source.cells is None:
            tree = reparsed(before.tree(), before.text, source.text)
            if tree is not None:
                source.plant(tree)

    def intact(self) -> Source | None:
        """The text, if it is parsed and the tree is what was written: no name in it was changed back to another."""
        source = self._source
        if source is None or self._error is not None or source.cells is not None or source.text != source.written:
            return None
        renamed = self.module.renamed if self.module is not None else ()
        return None if any(alias.asname is None for alias in renamed) else source

    def text(self) -> Source | None:
        """The text, whether it parses or not; None if it cannot be decoded."""
        if self._source is None and self._error is None:
            try:
                self.source()
            except SourceError:
                return self._source
        return self._source

    @property
    def broken(self) -> bool:
        """Does it, or one of its cells, not parse?"""
        try:
            return bool(self.source().broken)
        except SourceError:
            return True

    @property
    def imports(self) -> list[str]:
        """What it may import."""
        if self._imports is None:
            text = self.text()
            self._imports = [] if text is None else imports(text.text)
        return self._imports

    @property
    def passes(self) -> bool:
        """Is it about machine learning?"""
        if self._passes is None:
            self._passes = gate.names_library(self.source().text)
        return self._passes

    def drop(self) -> None:
        """Keep no more than what a survey needs."""
        if self._imports is None:
            self._imports = self.imports
        self.close()
        self._source = self._error = None
        self.data, self.dropped = b"", True

    def close(self) -> None:
        """Let go of the index, of which nobody asks any more, so that all of it goes away at once; the text stays."""
        if self.module is not None:
            self.module.close()
            self.module = None


class KeptComponent(Component):
    """A component of files that are kept.

    Args:
        engine: as for `Component`.
        file: gives the kept file of a path and its bytes.
    """

    def __init__(self, engine: Engine, file: Callable[[str, bytes], File]) -> None:
        super().__init__(engine)
        self._file = file

    def add_kept_file(self, file: File) -> None:
        """As `add_file`, of a kept file."""
        path = file.path
        self.files += 1
        try:
            source = self.sources[path] = file.source()
        except SourceError as error:
            text = file.text()
            if text is not None:
                self.sources[path] = text
            self.diagnostics.report_syntax_error(path, error)
            return
        tree = self.trees[path] = source.tree()
        for cell in source.broken:
            self.diagnostics.report_syntax_error(path, cell)
        if file.passes:
            self.index_file(path, source, tree)

    def read_source(self, path: str, data: bytes) -> Source:
        """The text of a file, kept."""
        return self._file(path, data).source()

    def index(self, path: str, source: Source, tree: ast.Module) -> ModuleScope:
        """A file as the core sees it, kept."""
        file = self._file(path, b"")
        if file.module is None or file.module.source is not source:
            file.module = super().index(path, source, tree)
        else:
            forget(file.module)
        return file.module

    def index_lazily(self, path: str, source: Source) -> ModuleScope:
        """A file as the core sees it, kept and whole."""
        return self.index(path, source, source.tree())

    def close(self) -> None:
        """Let go of the project; the modules stay."""
        self.project.close()
        for table in (self.sources, self.trees, self.modules):
            table.clear()
        self.asked = []


class KeptRun(Run):
    """A run over files that are kept.

    Args:
        engine: as for `Run`.
        file: gives the kept file of a path and its bytes.
        only: the files to ask about; None for all.
        edited: what was edited in which files (`nearby.touched`), if only flows near to that are to be followed.

    Attributes:
        kept: the component.
        answers: what was found by asking about each file, wherever it is; and the same for its flows (True).
        rooted: what was found by following each flow, by the file and the name of the function that it starts from.
        late: whether only the flows are left.
    """

    def __init__(
        self,
        engine: Engine,
        file: Callable[[str, bytes], File],
        only: frozenset[str] | None,
        edited: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.kept = KeptComponent(engine, file)
        super().__init__(engine, self.kept)
        self._only, self._edited = only, edited
        self._near: frozenset[int] | None = None
        self.answers: dict[tuple[str, bool], list[Diagnostic]] = {}
        self.rooted: dict[tuple[str, str], list[Diagnostic]] = {}
        self.late = False

    def ask_about(self, module: ModuleScope, by_subject: dict[str, list[Check]]) -> Iterator[None]:
        """Ask about one file, if it is one of those to ask about."""
        path, flows = module.source.path, "Flow" in by_subject
        if flows and not self.late:
            self.late = True
            yield
        if self._only is None or path in self._only:
            start = len(self.diagnostics.reported)
            yield from super().ask_about(module, by_subject)
            if not flows or self._edited is None:
                self.answers[path, flows] = self.diagnostics.reported[start:]

    def flows_from(self, root: FunctionScope) -> Iterator[Flow]:
        """As before, and what is found by following the flows is kept."""
        key = root.module.source.path, root.qualname
        for flow in super().flows_from(root):
            start = len(self.diagnostics.reported)
            yield flow
            self.rooted.setdefault(key, []).extend(self.diagnostics.reported[start:])

    def wants_flow(self, function: FunctionScope) -> bool:
        """True if an edit may have changed the flow of `function`."""
        if self._edited is None:
            return True
        if self._near is None:
            self._near = entering(self._edited, self.project.modules, self.project)
        if id(function) not in self._near:
            return False
        self.rooted.setdefault((function.module.source.path, function.qualname), [])  # now nothing may be found
        return True


def forget(module: ModuleScope) -> None:
    """Make a module as new: what it knows of other files, and of the run before, is forgotten."""
    module.forget()
    for cls in module.classes:
        cls._mro = None
