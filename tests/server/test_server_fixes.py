"""Fixes as an editor meets them: listed, looked at, applied, by cell and on saving."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra `server` is not installed")
pytest.importorskip("pytest_lsp", reason="the dependency group `editors` is not installed")

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.cli.test_fix import MODEL as HEAD
from tests.cli.test_fix import TRAIN as SUM
from tests.server.client import Start, cells, codes, edit, notebook, open_file, project, pull, start, told
from tests.server.test_session import MODEL

__all__ = ["project", "start"]


async def listed_at(client: LanguageClient, uri: str, where: types.Range, only: list[str] | None = None) -> list[Any]:
    context = types.CodeActionContext([], only=only)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
    return list(await client.text_document_code_action_async(params) or [])


async def actions_at(client: LanguageClient, uri: str, where: types.Range, only: list[str] | None = None) -> list[Any]:
    """The actions at a place, each looked at, so that it has its edit."""
    found = await listed_at(client, uri, where, only)
    return [await client.code_action_resolve_async(action) if action.edit is None else action for action in found]


def edited(text: str, changes: Iterable[types.TextEdit]) -> str:
    """A text of plain characters after some edits."""
    lines = text.split("\n")

    def offset(place: types.Position) -> int:
        return sum(len(line) + 1 for line in lines[: place.line]) + place.character

    for change in sorted(changes, key=lambda c: (c.range.start.line, c.range.start.character), reverse=True):
        text = text[: offset(change.range.start)] + change.new_text + text[offset(change.range.end) :]
    return text


@pytest.mark.asyncio
async def test_a_finding_may_be_fixed(start: Start, project: Path) -> None:
    client = await start()
    for name, text, title, preferred in (
        ("sum.py", SUM, "Add the number, not the graph: `.item()`", True),
        ("head.py", HEAD, "Pass `training=self.training` (unsafe: changes what is computed)", None),
    ):
        uri = open_file(client, project / name, text)
        (item,) = (await pull(client, uri)).items
        action = next(a for a in await actions_at(client, uri, item.range) if not a.title.startswith("Suppress"))
        assert (action.title, action.kind, action.is_preferred) == (title, "quickfix", preferred)
        assert [said.code for said in action.diagnostics] == [item.code]
        edit(client, uri, edited(text, action.edit.changes[uri]), 2)
        assert codes(await pull(client, uri)) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", [None, "source.fixAll"])
async def test_an_edit_is_made_when_somebody_looks_at_it(start: Start, project: Path, kind: str | None) -> None:
    client = await start()
    uri = open_file(client, project / "sum.py", SUM)
    (item,) = (await pull(client, uri)).items
    action, *_ = await listed_at(client, uri, item.range, kind and [kind])
    assert action.edit is None
    whole = await client.code_action_resolve_async(action)
    assert edited(SUM, whole.edit.changes[uri]) == SUM.replace("+= loss ", "+= loss.item() ")


@pytest.mark.asyncio
async def test_an_action_of_a_text_that_has_changed_changes_nothing(start: Start, project: Path) -> None:
    client = await start()
    uri = open_file(client, project / "sum.py", SUM)
    (item,) = (await pull(client, uri)).items
    action, *_ = await listed_at(client, uri, item.range)
    edit(client, uri, "# first\n" + SUM, 2)
    assert (await client.code_action_resolve_async(action)).edit is None


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", [None, "source.fixAll"])
async def test_who_cannot_look_again_is_given_the_edit(start: Start, project: Path, kind: str | None) -> None:
    client = await start("emacs@29.1")
    uri = open_file(client, project / "sum.py", SUM)
    (item,) = await told(client, uri, ["loss-keeps-graph"])
    action, *_ = await listed_at(client, uri, item.range, kind and [kind])
    assert edited(SUM, action.edit.changes[uri]) == SUM.replace("+= loss ", "+= loss.item() ")


@pytest.mark.asyncio
async def test_it_is_said_once_that_libcst_is_not_installed(
    start: Start, project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = tmp_path_factory.mktemp("without")
    (without / "sitecustomize.py").write_text("import sys\nsys.modules['libcst'] = None\n")
    monkeypatch.syspath_prepend(str(without))
    client = await start()
    uri = open_file(client, project / "head.py", HEAD)
    (item,) = (await pull(client, uri)).items
    for _ in range(2):
        titles = [action.title for action in await listed_at(client, uri, item.range)]
        assert titles and all(title.startswith("Suppress") for title in titles)
    assert [said.message for said in client.messages] == [
        "fixing needs LibCST, which is not installed: pip install 'mllint-check[fix]'"
    ]
    other = open_file(client, project / "sum.py", SUM)
    (item,) = (await pull(client, other)).items
    assert any(action.title.startswith("Add the number") for action in await listed_at(client, other, item.range))


@pytest.mark.asyncio
async def test_a_fix_may_be_in_another_file(start: Start, project: Path) -> None:
    client = await start()
    model, train = open_file(client, project / "model.py"), open_file(client, project / "train.py")
    item = next(i for i in (await pull(client, train)).items if i.code == "double-softmax")
    action = next(a for a in await actions_at(client, train, item.range) if "softmax" in a.title)
    assert list(action.edit.changes) == [model]
    edit(client, model, edited(MODEL, action.edit.changes[model]), 2)
    assert "double-softmax" not in codes(await pull(client, train))


@pytest.mark.asyncio
async def test_all_safe_fixes_are_applied_on_saving(start: Start, project: Path) -> None:
    client = await start()
    uri = open_file(client, project / "both.py", HEAD + SUM)
    everywhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    await pull(client, uri)
    for kind in ("source.fixAll.mllint", "source.fixAll"):
        (action,) = await actions_at(client, uri, everywhere, [kind])
        text = edited(HEAD + SUM, action.edit.changes[uri])
        assert text == (HEAD + SUM).replace("+= loss ", "+= loss.item() ")
    edit(client, uri, text, 2)
    assert codes(await pull(client, uri)) == ["dropout-ignores-mode"]
    assert await actions_at(client, uri, everywhere, ["source.fixAll.mllint"]) == []
    assert await actions_at(client, uri, everywhere, ["source.organizeImports"]) == []


@pytest.mark.asyncio
async def test_a_cell_may_be_fixed(start: Start, project: Path) -> None:
    client = await start()
    path = project / "sum.ipynb"
    head, body = SUM.split("\n\n\n")
    client.notebook_document_did_open(notebook(cells("%matplotlib inline\n" + head, body), path))
    (item,) = await told(client, "cell:1", ["loss-keeps-graph"])
    action = next(a for a in await actions_at(client, "cell:1", item.range) if not a.title.startswith("Suppress"))
    assert list(action.edit.changes) == ["cell:1"]
    assert edited(body, action.edit.changes["cell:1"]) == body.replace("+= loss ", "+= loss.item() ")


@pytest.mark.asyncio
async def test_the_json_of_a_notebook_may_be_fixed(start: Start, project: Path) -> None:
    client = await start()
    rows = [{"cell_type": "code", "source": part.splitlines(keepends=True)} for part in HEAD.split("\n\n\n")]
    text = json.dumps({"cells": rows, "metadata": {}}, indent=1)
    path = project / "head.ipynb"
    path.write_text(text)
    uri = open_file(client, path, language="json")
    (item,) = (await pull(client, uri)).items
    action = next(a for a in await actions_at(client, uri, item.range) if not a.title.startswith("Suppress"))
    assert edited(text, action.edit.changes[uri]) == text.replace("x, 0.5)", "x, 0.5, training=self.training)")
