"""The server as an editor meets it: a process that is talked to, by what real editors say that they can do."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra `server` is not installed")
pytest.importorskip("pytest_lsp", reason="the dependency group `editors` is not installed")

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.client import (
    SECONDS,
    Start,
    cells,
    codes,
    edit,
    notebook,
    open_file,
    project,
    pull,
    start,
    told,
)
from tests.server.test_session import CLEAN, DATA, MODEL, TRAIN

__all__ = ["project", "start"]

EDITORS = ["visual-studio-code@1.65.2", "emacs@29.1", "neovim@0.7.0", "neovim@0.9.1", "neovim@0.10.0", "neovim@0.11.0"]
QUIET: dict[str, Any] = {"capture_output": True, "stdin": subprocess.DEVNULL, "timeout": SECONDS}


# ---------------------------------------------------------------------------------------------------------- diagnostics
@pytest.mark.asyncio
async def test_a_finding_is_pulled_and_gone_after_an_edit_elsewhere(start: Start, project: Path) -> None:
    client = await start()
    train = open_file(client, project / "train.py")
    report = await pull(client, train)
    assert codes(report) == ["double-softmax", "missing-zero-grad"]
    first = report.items[0]
    assert first.source == "mllint" and first.severity == types.DiagnosticSeverity.Error
    assert "/rules/loss/double-softmax" in first.code_description.href
    assert first.range.start == types.Position(8, 27)
    related = first.related_information[0]
    assert related.location.uri == (project / "model.py").as_uri()
    assert related.location.range.start == types.Position(9, 15)
    assert related.message == "softmax applied here"
    assert (await pull(client, train, report.result_id)).kind == "unchanged"
    model = open_file(client, project / "model.py")
    edit(client, model, CLEAN, 2)
    assert codes(await pull(client, train, report.result_id)) == ["missing-zero-grad"]


@pytest.mark.parametrize("editor", EDITORS)
@pytest.mark.asyncio
async def test_findings_are_pushed_to_who_does_not_pull_again(start: Start, project: Path, editor: str) -> None:
    client = await start(editor)
    train = open_file(client, project / "train.py")
    found = await told(client, train, ["double-softmax", "missing-zero-grad"])
    assert found[0].related_information[0].location.uri == (project / "model.py").as_uri()
    model = open_file(client, project / "model.py")
    edit(client, model, CLEAN, 2)
    await told(client, train, ["missing-zero-grad"])
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(model)))
    await told(client, train, ["double-softmax", "missing-zero-grad"])
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(train)))
    await told(client, train, [])


@pytest.mark.asyncio
async def test_who_pulled_before_is_asked_to_pull_again(start: Start, project: Path) -> None:
    client = await start()
    await pull(client, open_file(client, project / "train.py"))
    edit(client, open_file(client, project / "model.py"), CLEAN, 2)

    async def asked() -> None:
        while not client.diagnostic_refresh_count:
            await asyncio.sleep(0.01)

    await asyncio.wait_for(asked(), SECONDS)


@pytest.mark.asyncio
async def test_the_newest_of_many_edits_wins(start: Start, project: Path) -> None:
    client = await start()
    model, train = open_file(client, project / "model.py"), open_file(client, project / "train.py")
    for version in range(2, 60):
        edit(client, model, MODEL if version % 2 else CLEAN, version)
    assert codes(await pull(client, train)) == ["double-softmax", "missing-zero-grad"]


@pytest.mark.asyncio
async def test_the_workspace(start: Start, project: Path) -> None:
    client = await start()
    params = types.WorkspaceDiagnosticParams([])
    report = await asyncio.wait_for(client.workspace_diagnostic_async(params), SECONDS)
    assert [(item.uri, codes(item)) for item in report.items] == [
        ((project / "train.py").as_uri(), ["double-softmax", "missing-zero-grad"])
    ]
    known = [types.PreviousResultId(item.uri, item.result_id) for item in report.items]
    waiting = asyncio.ensure_future(client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known)))
    await pull(client, (project / "train.py").as_uri())
    assert not waiting.done(), "there is no news"
    edit(client, open_file(client, project / "train.py"), "", 2)
    report = await asyncio.wait_for(waiting, SECONDS)
    assert [(item.uri, item.kind, codes(item)) for item in report.items] == [
        ((project / "train.py").as_uri(), "full", [])
    ]


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 38), ("utf-16", 36), ("utf-32", 35)])
@pytest.mark.asyncio
async def test_an_emoji_before_the_column(start: Start, project: Path, encoding: str, column: int) -> None:
    """Edits and findings in the units that were agreed, behind a character of one, two or four of them."""
    client = await start(encodings=[encoding])
    train = open_file(client, project / "train.py", TRAIN.replace("    loss =", '    x["🔥"]; loss ='))
    report = await pull(client, train)
    start_at = report.items[0].range.start
    assert (start_at.line, start_at.character) == (8, column)
    behind = types.Position(8, column - len("F.cross_entropy("))
    before = types.Position(8, column - len("F.cross_entropy(") - len("loss = "))
    edit(client, train, "value = ", 2, types.Range(before, behind))
    edit(client, train, "loss = ", 3, types.Range(before, types.Position(8, before.character + len("value = "))))
    assert (await pull(client, train)).items[0].range.start == start_at


# ------------------------------------------------------------------------------------------------------------ notebooks
@pytest.mark.asyncio
async def test_a_notebook_by_its_cells(start: Start, project: Path) -> None:
    client = await start()
    path = project / "train.ipynb"
    documents = cells(*TRAIN.split("\n\n"))
    client.notebook_document_did_open(notebook(documents, path))
    found = await told(client, "cell:1", ["double-softmax", "missing-zero-grad"])
    assert found[0].range.start.line == 3
    assert found[0].related_information[0].location.uri == (project / "model.py").as_uri()
    assert found[1].related_information[0].location.uri == "cell:1"
    await told(client, "cell:0", [])
    model = open_file(client, project / "model.py")
    edit(client, model, CLEAN, 2)
    await told(client, "cell:1", ["missing-zero-grad"])
    identifier = types.VersionedNotebookDocumentIdentifier(2, path.as_uri())
    content = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, "cell:1"),
        [
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(3, 0), types.Position(3, 0)), "    optimizer.zero_grad()\n"
            )
        ],
    )
    change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[content]))
    client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(identifier, change))
    await told(client, "cell:1", [])


@pytest.mark.asyncio
async def test_cells_come_and_go(start: Start, project: Path) -> None:
    client = await start()
    path = project / "train.ipynb"
    client.notebook_document_did_open(notebook(cells(*TRAIN.split("\n\n")), path))
    await told(client, "cell:1", ["double-softmax", "missing-zero-grad"])
    identifier = types.VersionedNotebookDocumentIdentifier(2, path.as_uri())
    added = types.TextDocumentItem("cell:new", "markdown", 1, "# words")
    structure = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(0, 1, [types.NotebookCell(types.NotebookCellKind.Markup, added.uri)]),
        [added],
        [types.TextDocumentIdentifier("cell:0")],
    )
    change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(structure=structure))
    client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(identifier, change))
    await told(client, "cell:1", [])


@pytest.mark.asyncio
async def test_a_notebook_as_json_in_an_editor_without_notebooks(start: Start, project: Path) -> None:
    client = await start()
    rows = [{"cell_type": "code", "source": part.splitlines(keepends=True)} for part in TRAIN.split("\n\n")]
    text = json.dumps({"cells": rows, "metadata": {}}, indent=1)
    path = project / "train.ipynb"
    path.write_text(text)
    report = await pull(client, open_file(client, path, language="json"))
    assert codes(report) == ["double-softmax", "missing-zero-grad"]
    line, column = report.items[0].range.start.line, report.items[0].range.start.character
    assert text.split("\n")[line][column:].startswith("net(x)")


# ----------------------------------------------------------------------------------------------------------- assistance
@pytest.mark.asyncio
async def test_hover_shows_the_page_of_a_finding_and_of_a_name(start: Start, project: Path) -> None:
    client = await start()
    train = open_file(client, project / "train.py", TRAIN + "# mllint: ignore[missing-eval-mode]\n")
    await pull(client, train)
    for place, title in [((8, 28), "# double-softmax"), ((11, 20), "# missing-eval-mode")]:
        params = types.HoverParams(types.TextDocumentIdentifier(train), types.Position(*place))
        hover = await client.text_document_hover_async(params)
        assert hover is not None and hover.contents.value.startswith(title)
        assert "## Why it is silent" in hover.contents.value and "severity =" not in hover.contents.value
    params = types.HoverParams(types.TextDocumentIdentifier(train), types.Position(0, 3))
    assert await client.text_document_hover_async(params) is None


@pytest.mark.parametrize(
    ("name", "text", "offered", "not_offered"),
    [
        ("a.py", "# mllint: ignore[double-", "double-softmax", "loss"),
        ("a.py", "# mllint: ignore[double-softmax, ", "missing-zero-grad", "loss"),
        ("a.py", "x = 1  # noqa: mis", "missing-zero-grad", "loss"),
        ("a.py", "# mllint: i", "ignore", "double-softmax"),
        ("mllint.toml", 'select = ["', "loss", "select"),
        ("mllint.toml", "sel", "select", "loss"),
        ("pyproject.toml", '[tool.mllint]\nignore = ["lo', "loss", "select"),
        ("pyproject.toml", "[tool.mllint]\nper", "per-file-ignores", "loss"),
    ],
)
@pytest.mark.asyncio
async def test_completion(start: Start, project: Path, name: str, text: str, offered: str, not_offered: str) -> None:
    client = await start()
    uri = open_file(client, project / name, text, "python" if name.endswith(".py") else "toml")
    line = text.count("\n")
    place = types.Position(line, len(text.split("\n")[-1]))
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    )
    labels = [item.label for item in found.items]
    assert offered in labels and not_offered not in labels


@pytest.mark.parametrize(("name", "text"), [("a.py", "x = 1  # ig"), ("pyproject.toml", '[tool.ruff]\nselect = ["')])
@pytest.mark.asyncio
async def test_nothing_is_completed_elsewhere(start: Start, project: Path, name: str, text: str) -> None:
    client = await start()
    uri = open_file(client, project / name, text, "python" if name.endswith(".py") else "toml")
    place = types.Position(text.count("\n"), len(text.split("\n")[-1]))
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    )
    assert not found.items


async def ask(client: LanguageClient, command: str, *arguments: str) -> Any:
    params = types.ExecuteCommandParams(command, list(arguments))
    return await asyncio.wait_for(client.workspace_execute_command_async(params), SECONDS)


@pytest.mark.asyncio
async def test_the_picture_of_a_loop_is_that_of_the_buffer(start: Start, project: Path) -> None:
    client = await start()
    train = open_file(client, project / "train.py")
    assert "clears gradients" not in (await ask(client, "mllint.trace", train))["svg"]
    edit(client, train, TRAIN.replace("optimizer.step()", "optimizer.step(); optimizer.zero_grad()"), 2)
    assert "clears gradients" in (await ask(client, "mllint.trace", train))["svg"]
    edit(client, train, "import torch (", 3)
    assert "train.py:1" in (await ask(client, "mllint.trace", train))["problem"]


@pytest.mark.asyncio
async def test_pages_and_rules_may_be_asked_for(start: Start, project: Path) -> None:
    client = await start()
    assert (await ask(client, "mllint.page", "double-softmax"))["text"].startswith("# double-softmax")
    assert (await ask(client, "mllint.page", "no-such-rule"))["text"] == ""
    assert "double-softmax" in [row["name"] for row in await ask(client, "mllint.rules")]


@pytest.mark.asyncio
async def test_a_finding_may_be_suppressed(start: Start, project: Path) -> None:
    client = await start()
    train = open_file(client, project / "train.py")
    text = TRAIN
    for version, (left, title) in enumerate(
        [
            (["missing-zero-grad"], "Suppress double-softmax for this statement"),
            ([], "Suppress missing-zero-grad in this file"),
        ],
        2,
    ):
        report = await pull(client, train)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(train), report.items[0].range, types.CodeActionContext([])
        )
        actions = {action.title: action for action in await client.text_document_code_action_async(params)}
        (change,) = actions[title].edit.changes[train]
        lines = text.split("\n")
        lines[change.range.start.line : change.range.end.line] = change.new_text.split("\n")[:-1]
        text = "\n".join(lines)
        edit(client, train, text, version)
        assert codes(await pull(client, train)) == left


# -------------------------------------------------------------------------------------------------------- configuration
@pytest.mark.asyncio
async def test_settings_of_the_editor(start: Start, project: Path) -> None:
    client = await start(options={"ignore": ["double-softmax"]})
    train = open_file(client, project / "train.py")
    assert codes(await pull(client, train)) == ["missing-zero-grad"]
    settings = {"mllint": {"select": ["double-softmax"], "selct": ["x"]}}
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    assert codes(await pull(client, train)) == ["double-softmax"]
    assert any("`selct`, did you mean `select`" in message.message for message in client.messages)


@pytest.mark.asyncio
async def test_a_changed_configuration_file(start: Start, project: Path) -> None:
    client = await start()
    train = open_file(client, project / "train.py")
    assert codes(await pull(client, train)) == ["double-softmax", "missing-zero-grad"]
    config = project / "mllint.toml"
    events = [types.FileEvent(config.as_uri(), types.FileChangeType.Changed)]
    config.write_text('ignore = ["missing-zero-grad"]\n')
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
    assert codes(await pull(client, train)) == ["double-softmax"]
    config.write_text('ignor = ["missing-zero-grad"]\n')
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
    assert codes(await pull(client, train)) == ["double-softmax"], "the configuration of before"
    assert any("unknown key `ignor`, did you mean `ignore`" in message.message for message in client.messages)


@pytest.mark.asyncio
async def test_a_file_that_a_configuration_extends(start: Start, project: Path) -> None:
    base, other = project / "strict.toml", project / "other.toml"
    base.write_text("")
    (project / "mllint.toml").write_text('extend = "strict.toml"\n')
    client = await start()
    train = open_file(client, project / "train.py")
    assert codes(await pull(client, train)) == ["double-softmax", "missing-zero-grad"]
    base.write_text('ignore = ["missing-zero-grad"]\n')
    for path, expected in ((other, ["double-softmax", "missing-zero-grad"]), (base, ["double-softmax"])):
        events = [types.FileEvent(path.as_uri(), types.FileChangeType.Changed)]
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
        assert codes(await pull(client, train)) == expected


@pytest.mark.asyncio
async def test_a_configuration_further_down_counts_for_its_files(start: Start, project: Path) -> None:
    (project / "mllint.toml").write_text('ignore = ["missing-zero-grad"]\n')
    nested = project / "package" / "mllint.toml"
    nested.parent.mkdir()
    for name in ("model.py", "train.py", "data.py"):
        (nested.parent / name).write_text((project / name).read_text())
    client = await start()
    outer, inner = open_file(client, project / "train.py"), open_file(client, nested.parent / "train.py")
    assert codes(await pull(client, inner)) == ["double-softmax"]
    events = [types.FileEvent(nested.as_uri(), types.FileChangeType.Created)]
    for text, expected in (
        ('ignore = ["double-softmax"]\n', ["missing-zero-grad"]),
        ('ignor = ["double-softmax"]\n', ["missing-zero-grad"]),  # a mistake: that of before
        ("", ["double-softmax", "missing-zero-grad"]),
    ):
        nested.write_text(text)
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
        assert codes(await pull(client, inner)) == expected
        assert codes(await pull(client, outer)) == ["double-softmax"]
    assert any("package/mllint.toml:1: unknown key `ignor`" in message.message for message in client.messages)


@pytest.mark.asyncio
async def test_files_that_change_on_disk(start: Start, project: Path) -> None:
    client = await start()
    train = open_file(client, project / "train.py")
    assert codes(await pull(client, train)) == ["double-softmax", "missing-zero-grad"]
    (project / "model.py").write_text(CLEAN)
    events = [types.FileEvent((project / "model.py").as_uri(), types.FileChangeType.Changed)]
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
    assert codes(await pull(client, train)) == ["missing-zero-grad"]


@pytest.mark.asyncio
async def test_workspace_folders_come_and_go(
    start: Start, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    client = await start()
    other = tmp_path_factory.mktemp("other")
    for name, text in {"model.py": MODEL, "train.py": TRAIN, "data.py": DATA}.items():
        (other / name).write_text(text)
    (other / "mllint.toml").write_text('select = ["double-softmax"]\n')
    train = open_file(client, other / "train.py")
    assert codes(await pull(client, train)) == ["double-softmax"], "a file in no folder, by the configuration beside it"
    folder = types.WorkspaceFolder(other.as_uri(), "other")
    model = open_file(client, other / "model.py")
    event = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    edit(client, model, CLEAN, 2)
    assert codes(await pull(client, train)) == []
    event = types.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    assert codes(await pull(client, train)) == ["double-softmax"], "without the folder, the file on disk counts"


@pytest.mark.asyncio
async def test_a_buffer_without_a_file(start: Start) -> None:
    client = await start()
    text = TRAIN.replace("net(x), y", "net(x).softmax(1), y")
    document = types.TextDocumentItem("untitled:Untitled-1", "python", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    assert "double-softmax" in codes(await pull(client, document.uri))


# ----------------------------------------------------------------------------------------------------------- the server
@pytest.mark.asyncio
async def test_a_rule_that_crashes_is_a_line_in_the_log(
    start: Start, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sitecustomize.py").write_text(
        "from mllint.checks import load\nfrom mllint.checks.loss import double_softmax\n"
        "from mllint import rule\nload()\n"
        "def crash(thing):\n    raise RuntimeError('on purpose')\n    yield\n"
        "known = rule._checks['double-softmax']\nrule._checks['double-softmax'] = known._replace(run=crash)\n"
    )
    monkeypatch.setattr(sys, "path", [str(project), *sys.path])
    client = await start()
    train = open_file(client, project / "train.py")
    assert codes(await pull(client, train)) == ["missing-zero-grad"]
    assert any("`double-softmax` failed" in message.message for message in client.log_messages)
    edit(client, train, TRAIN + "\n", 2)
    assert codes(await pull(client, train)) == ["missing-zero-grad"]


def test_without_its_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('no', name='pygls')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "mllint", "server"]
    done = subprocess.run(command, check=False, env=environment, text=True, **QUIET)
    assert done.returncode == 2
    assert done.stderr == "mllint: error: the language server needs pygls: run `pip install 'mllint-check[server]'`\n"


def test_it_ends_with_its_input(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "mllint", "server", "--stdio"]
    done = subprocess.run(command, check=False, env=environment, **QUIET)
    assert done.stderr == b""


def test_it_leaves_when_it_is_told_to(tmp_path: Path) -> None:
    """Quietly, and with the exit code that editors take for a good end."""
    rows = [{"id": 1, "method": "initialize", "params": {"capabilities": {}}}, {"id": 2, "method": "shutdown"}]
    bodies = [json.dumps({"jsonrpc": "2.0", **row}) for row in (*rows, {"method": "exit"})]
    said = "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies).encode()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "mllint", "server"]
    done = subprocess.run(command, input=said, capture_output=True, timeout=SECONDS, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
