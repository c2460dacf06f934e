"""A client of the server: what an editor says to it, and what it waits for."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the extra `server` is not installed")
pytest.importorskip("pytest_lsp", reason="the dependency group `editors` is not installed")

import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.server.test_session import DATA, MODEL, TRAIN

__all__ = [
    "SECONDS", "Start", "cells", "codes", "edit", "notebook", "open_file", "project", "pull", "start", "told",
]  # fmt: skip

SECONDS = 20

Start = Callable[..., Awaitable[LanguageClient]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"model.py": MODEL, "train.py": TRAIN, "data.py": DATA}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest_asyncio.fixture
async def start(project: Path) -> AsyncIterator[Start]:
    """Starts servers; they end with the test."""
    clients = []

    async def started(editor: str = "", options: object = None, encodings: list[str] | None = None) -> LanguageClient:
        command = [sys.executable, "-m", "mllint", "server"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        capabilities = client_capabilities(editor or "visual-studio-code")
        if not editor:  # as VS Code of today, of which there is no profile
            assert capabilities.workspace is not None and capabilities.text_document is not None
            capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(related_document_support=False)
            capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        client = await ClientServerConfig(server_command=command, server_env=environment).start()
        clients.append(client)
        if encodings is not None:
            capabilities.general = types.GeneralClientCapabilities(position_encodings=encodings)
        folder = types.WorkspaceFolder(project.as_uri(), "project")
        await client.initialize_session(
            types.InitializeParams(capabilities, workspace_folders=[folder], initialization_options=options)
        )
        return client

    yield started
    for client in clients:
        await asyncio.wait_for(client.shutdown_session(), SECONDS)
        await client.stop()


def open_file(client: LanguageClient, path: Path, text: str | None = None, language: str = "python") -> str:
    text = path.read_text() if text is None else text
    document = types.TextDocumentItem(path.as_uri(), language, 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    return path.as_uri()


def edit(client: LanguageClient, uri: str, text: str, version: int, where: types.Range | None = None) -> None:
    change = (
        types.TextDocumentContentChangeWholeDocument(text)
        if where is None
        else types.TextDocumentContentChangePartial(range=where, text=text)
    )
    document = types.VersionedTextDocumentIdentifier(version, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))


async def pull(client: LanguageClient, uri: str, known: str | None = None) -> types.DocumentDiagnosticReport:
    document = types.TextDocumentIdentifier(uri)
    params = types.DocumentDiagnosticParams(document, previous_result_id=known)
    return await asyncio.wait_for(client.text_document_diagnostic_async(params), SECONDS)


async def told(client: LanguageClient, uri: str, codes: list[str]) -> list[types.Diagnostic]:
    """Wait until the client is told just this about a buffer."""

    async def waiting() -> list[types.Diagnostic]:
        while [d.code for d in client.diagnostics.get(uri, ["nothing yet"]) if d != "nothing yet"] != codes or (
            uri not in client.diagnostics
        ):
            await asyncio.sleep(0.01)
        return list(client.diagnostics[uri])

    return await asyncio.wait_for(waiting(), SECONDS)


def codes(report: types.DocumentDiagnosticReport) -> list[str]:
    return [str(item.code) for item in report.items]


def cells(*texts: str) -> list[types.TextDocumentItem]:
    return [types.TextDocumentItem(f"cell:{n}", "python", 1, text) for n, text in enumerate(texts)]


def notebook(documents: list[types.TextDocumentItem], path: Path) -> types.DidOpenNotebookDocumentParams:
    found = [types.NotebookCell(types.NotebookCellKind.Code, document.uri) for document in documents]
    return types.DidOpenNotebookDocumentParams(
        types.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, found), documents
    )
