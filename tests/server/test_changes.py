"""A thousand changes, told to the server as an editor tells them: it lives, and it answers what a fresh run says.

Files are opened, edited (some of them by ranges), saved, renamed, deleted and closed at any moment of its work. Now and
then all are repaired and saved; what the server then says of every file must be what `mllint check` says.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the extra `server` is not installed")
pytest.importorskip("pytest_lsp", reason="the dependency group `editors` is not installed")

from lsprotocol import types
from pytest_lsp import LanguageClient

from mllint.config.load import load as load_config
from mllint.diagnostic import Diagnostic, Span
from mllint.engine.run import check_paths
from mllint.server.session import rules_of
from tests.server.client import SECONDS, Start, edit, open_file, project, pull, start
from tests.server.test_session import CLEAN, DATA, MODEL, TRAIN, edits

__all__ = ["project", "start"]
CHANGES = 1_000
LOOKS = 20
FILES = {"model.py": MODEL, "train.py": TRAIN, "data.py": DATA}
Row = tuple[str, str, int, int, int, int, str, tuple[tuple[str, int, int, str], ...]]


class Editor:
    """Changes files at random and tells the server.

    Attributes:
        texts: what each file holds, saved or not.
        open: the version of each file that is open.
    """

    def __init__(self, client: LanguageClient, folder: Path, dice: random.Random) -> None:
        self.client, self.folder, self.dice = client, folder, dice
        self.texts = {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}
        self.open: dict[str, int] = {}
        self.count = 0
        self._edits = edits(self.texts, dice)

    def change(self) -> None:
        """Do one thing."""
        self.count += 1
        path = self.dice.choice(sorted(self.texts))
        kind = self.dice.random()
        if kind < 0.06 and len(self.texts) > 2:
            self.rename(path)
        elif kind < 0.1 and len(self.texts) > 3:
            self.delete(path)
        elif kind < 0.15 and len(self.texts) < 6:
            missing = sorted(FILES.keys() - self.texts.keys())
            self.create(self.dice.choice([*missing, f"new{self.count}.py"]))
        elif kind < 0.2:
            self.shut(path)
        elif kind < 0.25:
            self.save(path)
        elif kind < 0.28:
            self.show(path)
        elif kind < 0.4:
            path = self.dice.choice(sorted(FILES.keys() & self.texts.keys()) or [path])
            self.type(path, FILES.get(path, CLEAN))
        else:
            self.type(*next(self._edits))

    def show(self, path: str) -> None:
        """Open a file, if it is not open."""
        if path not in self.open:
            self.open[path] = 1
            open_file(self.client, self.folder / path, self.texts[path])

    def type(self, path: str, text: str) -> None:
        """Edit a file: as a whole, or only the lines that are others."""
        self.show(path)
        self.open[path] += 1
        before, after = self.texts[path].split("\n"), text.split("\n")
        self.texts[path] = text
        where = None
        if self.dice.random() < 0.7:
            shorter = min(len(before), len(after))
            head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
            rest = shorter - head
            tail = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
            if head and tail:  # a whole number of lines
                where = types.Range(types.Position(head, 0), types.Position(len(before) - tail, 0))
                text = "".join(f"{line}\n" for line in after[head : len(after) - tail])
        edit(self.client, (self.folder / path).as_uri(), text, self.open[path], where)

    def save(self, path: str) -> None:
        """Write a file."""
        (self.folder / path).write_text(self.texts[path])
        if path in self.open:
            identifier = types.TextDocumentIdentifier((self.folder / path).as_uri())
            self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))
        self.tell(path, types.FileChangeType.Changed)

    def create(self, path: str) -> None:
        """A new file."""
        self.texts[path] = FILES.get(path) or self.dice.choice((MODEL, CLEAN, TRAIN, DATA))
        (self.folder / path).write_text(self.texts[path])
        self.tell(path, types.FileChangeType.Created)

    def rename(self, path: str) -> None:
        """Another name for a file, as editors say it: the one is gone, the other is new."""
        new = self.dice.choice([f"file{self.count}.py", *(name for name in FILES if name not in self.texts)])
        self.shut(path)
        (self.folder / path).rename(self.folder / new)
        self.texts[new] = self.texts.pop(path)
        self.tell(path, types.FileChangeType.Deleted)
        self.tell(new, types.FileChangeType.Created)

    def delete(self, path: str) -> None:
        """A file less."""
        self.shut(path)
        (self.folder / path).unlink()
        del self.texts[path]
        self.tell(path, types.FileChangeType.Deleted)

    def shut(self, path: str) -> None:
        """Close a file; what was not saved is lost."""
        if self.open.pop(path, None) is not None:
            identifier = types.TextDocumentIdentifier((self.folder / path).as_uri())
            self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
        self.texts[path] = (self.folder / path).read_text()

    def tell(self, path: str, kind: types.FileChangeType) -> None:
        """What an editor says of files that it watches."""
        event = types.FileEvent((self.folder / path).as_uri(), kind)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    def repair(self) -> None:
        """Have all files parse, and save them."""
        for path, text in list(self.texts.items()):
            try:
                compile(text, path, "exec")
            except SyntaxError:
                self.type(path, CLEAN)
            self.save(path)


async def answers(client: LanguageClient, editor: Editor) -> list[Row]:
    """What the server says of all files, those that are open asked one by one."""
    whole = await asyncio.wait_for(
        client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([])), timeout=SECONDS
    )
    said = {report.uri: list(report.items) for report in whole.items}
    for path in editor.open:
        uri = (editor.folder / path).as_uri()
        assert list((await pull(client, uri)).items) == said.get(uri, [])
    return sorted(_row(uri, item) for uri, items in said.items() for item in items)


def _row(uri: str, item: types.Diagnostic) -> Row:
    first, last = item.range.start, item.range.end
    related = [
        (r.location.uri, r.location.range.start.line, r.location.range.start.character, r.message)
        for r in item.related_information or ()
    ]
    places = first.line, first.character, last.line, last.character
    return uri, str(item.code), *places, str(item.message).split("\n")[0], tuple(related)


def fresh(folder: Path) -> list[Row]:
    """What a run says that knows nothing."""
    settings = load_config([str(folder)])
    report = check_paths([str(folder)], settings, selected=rules_of(settings), pedantic=settings.pedantic)
    return sorted(map(_expected, report.diagnostics))


def _expected(found: Diagnostic) -> Row:
    first, last = found.span.start, found.span.end
    related = [
        (
            Path(label.span.path).absolute().as_uri(),
            label.span.start.line - 1,
            label.span.start.column - 1,
            label.message,
        )
        for label in found.labels
    ]
    uri = Path(found.span.path).absolute().as_uri()
    places = first.line - 1, first.column - 1, last.line - 1, last.column - 1
    return uri, found.rule, *places, found.message, tuple(related)


def _uri(span: Span) -> str:
    return Path(span.path).absolute().as_uri()


@pytest.mark.asyncio
async def test_a_thousand_changes(start: Start, project: Path) -> None:
    client = await start()
    editor = Editor(client, project, random.Random(7))
    seen = set()
    for _ in range(LOOKS):
        for _ in range(CHANGES // LOOKS):
            editor.change()
            if editor.dice.random() < 0.3:  # the others follow at once
                await asyncio.sleep(editor.dice.random() * 0.03)
        editor.repair()
        found = await answers(client, editor)
        assert found == fresh(project)
        seen.update(row[1] for row in found)
    assert seen >= {"double-softmax", "missing-zero-grad"}, "there was something to find"
    assert not client.log_messages
