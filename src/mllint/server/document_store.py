"""What is open, what is it called, and which folder does it belong to?

    uri     the name that the editor uses, of a file or of the cell of a notebook
    path    the file, as the engine reports it: relative to the current folder where it is below it
    folder  the folder of the workspace nearest above a file; a file in none has one of its own

The texts are kept here (`documents`), not by pygls, whose lines end at a form feed, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lsprotocol import types
from pygls import uris

from mllint.config.files import CONFIG_FILES
from mllint.diagnostic import Diagnostic, Span
from mllint.project.discovery import shown
from mllint.server import messages
from mllint.server.documents import Cell, Change, Encoding, Notebook, Text, lines_of
from mllint.server.settings import Settings
from mllint.server.workspace_folder import WorkspaceFolder
from mllint.sources.rawnotebook import RawNotebook

__all__ = ["SOURCES", "DocumentStore", "Place", "changes_of", "path_of"]

SOURCES = (".py", ".ipynb")


class Place(NamedTuple):
    """A span in a document that the editor knows: its name, the span there, and its lines."""

    uri: str
    span: Span
    lines: Sequence[str]


class DocumentStore:
    """The buffers of the editor and the folders of its workspace.

    Args:
        new_folder: opens a folder, or a file that is in none.

    Attributes:
        encoding: the units of columns.
        texts: the buffers, by their names; those of cells too.
        notebooks: by their names.
        names: the names of the files that are open, by path.
    """

    def __init__(self, new_folder: Callable[[list[str]], WorkspaceFolder]) -> None:
        self.encoding = Encoding()
        self.folders: dict[str, WorkspaceFolder] = {}
        self.texts: dict[str, Text] = {}
        self.notebooks: dict[str, Notebook] = {}
        self.names: dict[str, str] = {}
        self._new_folder = new_folder
        self._standalone: dict[str, WorkspaceFolder] = {}
        self._languages: dict[str, str] = {}
        self._cells: dict[str, Notebook] = {}
        self._raw: dict[str, tuple[str, RawNotebook, list[str]]] = {}

    # ------------------------------------------------------------------------------------------------------ folders
    def all_folders(self) -> list[WorkspaceFolder]:
        """All folders, and the files that are in none."""
        return [*self.folders.values(), *self._standalone.values()]

    def open_folder(self, uri: str) -> None:
        """A folder of the workspace."""
        path = uris.to_fs_path(uri)
        if path is not None and os.path.isdir(path):
            root = os.path.abspath(path)
            self.folders[root] = self._new_folder([root])
            self.folders[root].wake()

    def close_folder(self, uri: str) -> None:
        """A folder has left the workspace."""
        folder = self.folders.pop(os.path.abspath(uris.to_fs_path(uri) or ""), None)
        if folder is not None:
            folder.end()

    def settle(self) -> None:
        """After folders have come or gone: all buffers go to where they belong now."""
        for folder in self._standalone.values():
            folder.end()
        self._standalone.clear()
        for uri in [*self.texts, *self.notebooks]:
            if uri not in self._cells:
                self.update(uri)

    def configure(self, settings: Settings) -> None:
        """The settings of the editor, or the configuration of a folder, may be other ones."""
        for folder in self.all_folders():
            folder.configure(settings)

    def is_configured_by(self, path: str) -> bool:
        """May the settings be other ones when a file has changed: a configuration, what one extends, a lock file?"""
        if path.endswith((*SOURCES, ".gitignore")):
            return False
        if not path.endswith(".toml") or os.path.basename(path) in CONFIG_FILES:
            return True
        settings = [one for folder in self.all_folders() for one in folder.session.config.all]
        return any(os.path.abspath(path) == layer.path for one in settings for layer in one.layers)

    def folder_of(self, path: str) -> tuple[WorkspaceFolder, str]:
        """The folder of a file, and how the file is called there."""
        absolute = os.path.abspath(path)
        above = [root for root in self.folders if absolute.startswith(root.rstrip(os.sep) + os.sep)]
        if above:
            return self.folders[max(above, key=len)], shown(absolute)
        if absolute not in self._standalone:
            self._standalone[absolute] = self._new_folder([absolute])
        return self._standalone[absolute], shown(absolute)

    # ------------------------------------------------------------------------------------------------------ buffers
    def open(self, document: types.TextDocumentItem) -> None:
        """A buffer was opened."""
        self._keep(document)
        self.update(document.uri)

    def edit(self, uri: str, changes: Sequence[Change], version: int | None) -> None:
        """A buffer was edited."""
        text = self.texts.get(uri)
        if text is not None:
            text.change(changes, self.encoding, version)
            self.update(uri)

    def close(self, uri: str) -> None:
        """A buffer, or a notebook, was closed."""
        for table in (self.texts, self._languages, self.notebooks, self._cells):
            table.pop(uri, None)
        absolute = os.path.abspath(path_of(uri))
        if self.names.pop(shown(absolute), None) is not None:
            self.folder_of(absolute)[0].close(shown(absolute))
            standalone = self._standalone.pop(absolute, None)
            if standalone is not None:
                standalone.end()

    def update(self, uri: str) -> None:
        """Tell its folder what a buffer, or a notebook, holds."""
        notebook = self.notebooks.get(uri)
        if notebook is None and not self.is_checked(uri):
            return
        folder, path = self.folder_of(path_of(uri))
        self.names[path] = uri
        folder.put(path, notebook.data(self.texts, self._languages) if notebook is not None else self.texts[uri].data())

    def is_checked(self, uri: str) -> bool:
        """Is a buffer checked as a file of its own? The JSON of a notebook is, in editors that know no notebooks."""
        if uri in self._cells or uri not in self._languages:
            return False
        return self._languages[uri] == "python" or path_of(uri).endswith(".ipynb")

    def _keep(self, document: types.TextDocumentItem) -> None:
        self.texts[document.uri] = Text(document.uri, document.text, document.version)
        self._languages[document.uri] = document.language_id

    # ---------------------------------------------------------------------------------------------------- notebooks
    def open_notebook(self, document: types.NotebookDocument, cells: Sequence[types.TextDocumentItem]) -> None:
        """A notebook was opened."""
        notebook = Notebook(document.uri, _cells(document.cells), _plain(document.metadata))
        self.notebooks[document.uri] = notebook
        self._open_cells(notebook, cells)
        self.update(document.uri)

    def edit_notebook(self, uri: str, change: types.NotebookDocumentChangeEvent) -> list[str]:
        """Cells have come, gone, moved or changed; gives the names of those that are gone."""
        notebook = self.notebooks.get(uri)
        if notebook is None:
            return []
        if change.metadata is not None:
            notebook.metadata = _plain(change.metadata) or {}
        cells = change.cells or types.NotebookDocumentCellChanges()
        gone = []
        if cells.structure is not None:
            array = cells.structure.array
            notebook.splice(array.start, array.delete_count, _cells(array.cells or ()))
            self._open_cells(notebook, cells.structure.did_open or ())
            gone = [closed.uri for closed in cells.structure.did_close or ()]
            for name in gone:
                self.close(name)
        for content in cells.text_content or ():
            text = self.texts.get(content.document.uri)
            if text is not None:
                text.change(changes_of(content.changes), self.encoding, content.document.version)
        self.update(uri)
        return gone

    def _open_cells(self, notebook: Notebook, documents: Sequence[types.TextDocumentItem]) -> None:
        for document in documents:
            self._keep(document)
            self._cells[document.uri] = notebook

    # ------------------------------------------------------------------------------------------------------- places
    def place(self, span: Span) -> Place:
        """Where the editor has a span: in a file, in the cell of a notebook, or in the JSON of one that it does not
        have as cells."""
        uri = self.name(span.path)
        notebook = self.notebooks.get(uri)
        if notebook is not None and span.cell is not None and span.cell <= len(notebook.cells):
            uri = notebook.cells[span.cell - 1].uri
            return Place(uri, span, self.texts[uri].lines if uri in self.texts else [])
        if span.cell is None and uri in self.texts:
            return Place(uri, span, self.texts[uri].lines)
        file = self.folder_of(span.path)[0].session.source(span.path)
        if file is None:
            return Place(uri, span, [])
        if span.cell is None:
            source = file.text()
            return Place(uri, span, source.text.split("\n") if source is not None else [])
        known = self._raw.get(span.path)
        if known is None or known[0] != file.digest:
            lines = lines_of(file.data.decode("utf-8", "replace"))
            known = self._raw[span.path] = (file.digest, RawNotebook(file.data), lines)
        return Place(uri, known[1].span(span), known[2])

    def name(self, path: str) -> str:
        """The name of a file."""
        return str(self.names.get(path) or uris.from_fs_path(os.path.abspath(path)) or path)

    def is_cell(self, uri: str) -> bool:
        """Is a buffer the cell of a notebook?"""
        return uri in self._cells

    def file_of(self, uri: str) -> str:
        """The file that a buffer is of: a cell's is its notebook."""
        notebook = self._cells.get(uri)
        return path_of(notebook.uri if notebook is not None else uri)

    def findings_at(self, uri: str, where: types.Range) -> list[Diagnostic]:
        """The findings in a buffer that touch a range."""
        if uri not in self._cells and not self.is_checked(uri):
            return []
        folder, path = self.folder_of(self.file_of(uri))
        found = []
        for diagnostic in folder.session.findings(path):
            place = self.place(diagnostic.span)
            if place.uri == uri:
                there = messages.range_of(place, self.encoding)
                if _key(there.start) <= _key(where.end) and _key(where.start) <= _key(there.end):
                    found.append(diagnostic)
        return found


def changes_of(changes: Sequence[Any]) -> list[Change]:
    """The edits of a message."""
    found = []
    for change in changes:
        where = getattr(change, "range", None)
        found.append(Change(change.text, *(() if where is None else (_key(where.start), _key(where.end)))))
    return found


def path_of(uri: str) -> str:
    """The path of a file; of a buffer that is none, a name in a folder that is not there."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    if path is not None:
        return path
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in uri)
    return os.path.join(os.sep, "unsaved", name if name.endswith(SOURCES) else f"{name}.py")


def _cells(cells: Sequence[types.NotebookCell]) -> list[Cell]:
    return [Cell(cell.document, cell.kind == types.NotebookCellKind.Code) for cell in cells]


def _plain(metadata: Any) -> Any:
    """What the client has sent as an object, as dicts."""
    if isinstance(metadata, dict):
        return {key: _plain(value) for key, value in metadata.items()}
    return _plain(metadata._asdict()) if hasattr(metadata, "_asdict") else metadata


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
