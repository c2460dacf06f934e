"""A real editor: Neovim without a screen, configured by the snippet of `docs/editors.md` that fits its version."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.test_session import DATA, MODEL, TRAIN

pytest.importorskip("pygls", reason="the extra `server` is not installed")

DOCUMENT = Path(__file__).parents[2] / "docs" / "editors.md"
NEOVIM = shutil.which("nvim")
pytestmark = pytest.mark.skipif(NEOVIM is None, reason="Neovim (`nvim`) is not installed")

DRIVER = """
local function found(path)
  local buffer = vim.fn.bufnr(path)
  local result = {}
  for _, item in ipairs(vim.diagnostic.get(buffer)) do
    local lsp = item.user_data and item.user_data.lsp or {}
    local places = {}
    for _, related in ipairs(lsp.relatedInformation or {}) do
      local location = related.location
      table.insert(places, { uri = location.uri, line = location.range.start.line, says = related.message })
    end
    local code = lsp.code or item.code
    table.insert(result, { code = code, line = item.lnum, column = item.col, places = places })
  end
  table.sort(result, function(a, b) return a.line < b.line end)
  return result
end

local steps = {}
local function wait(path, count)
  vim.wait(20000, function() return #found(path) == count end, 20)
  table.insert(steps, found(path))
end

vim.cmd("edit train.py")
wait("train.py", 2)
vim.cmd("split model.py")  -- newer Neovims ask about windows that can be seen
vim.cmd([[%s/\\.softmax(-1)//]])
wait("train.py", 1)
vim.cmd("undo")
wait("train.py", 2)
vim.cmd("wincmd j")
vim.api.nvim_buf_set_lines(0, 8, 8, false, { "    optimizer.zero_grad()" })
wait("train.py", 1)
vim.cmd("edit train.ipynb")
vim.cmd("set filetype=python")
wait("train.ipynb", 2)
vim.cmd([[%s/net(x), y/net(x).log(), y/]])
wait("train.ipynb", 1)
local file = io.open("steps.json", "w")
file:write(vim.json and vim.json.encode(steps) or vim.fn.json_encode(steps))
file:close()
vim.cmd("qall!")
"""


def version() -> tuple[int, int]:
    done = subprocess.run([str(NEOVIM), "--version"], capture_output=True, text=True, check=True)
    found = re.match(r"NVIM v(\d+)\.(\d+)", done.stdout)
    assert found is not None
    return int(found[1]), int(found[2])


def snippet() -> str:
    section = DOCUMENT.read_text(encoding="utf-8").split("\n## Neovim\n")[1].split("\n## ")[0]
    new, *_, old = re.findall(r"^```lua\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return str(new if version() >= (0, 11) else old)


@pytest.fixture
def steps(tmp_path: Path) -> list[list[dict[str, Any]]]:
    """What Neovim showed, step by step."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "mllint.toml").touch()
    rows = [{"cell_type": "code", "source": part.splitlines(keepends=True)} for part in TRAIN.split("\n\n")]
    notebook = json.dumps({"cells": rows, "metadata": {}}, indent=1)
    for name, text in {"model.py": MODEL, "train.py": TRAIN, "data.py": DATA, "train.ipynb": notebook}.items():
        (project / name).write_text(text)
    (project / "init.lua").write_text(f"vim.opt.swapfile = false\n{snippet()}")
    (project / "driver.lua").write_text(DRIVER)
    command = tmp_path / "bin" / "mllint"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mllint "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        **{f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
    }
    drive = [str(NEOVIM), "--headless", "-u", "init.lua", "-c", "luafile driver.lua"]
    subprocess.run(drive, cwd=project, env=environment, check=True, timeout=200, stdin=subprocess.DEVNULL)
    found: list[list[dict[str, Any]]] = json.loads((project / "steps.json").read_text())
    return found


def test_findings_come_and_go(steps: list[list[dict[str, Any]]]) -> None:
    opened, edited, undone, repaired, notebook, changed = steps
    assert [(row["code"], row["line"]) for row in opened] == [("double-softmax", 8), ("missing-zero-grad", 9)]
    (place,) = opened[0]["places"]
    assert place["uri"].endswith("/model.py") and place["line"] == 9 and place["says"] == "softmax applied here"
    assert [row["code"] for row in edited] == ["missing-zero-grad"], "an edit in model.py that is not saved"
    assert [row["code"] for row in undone] == ["double-softmax", "missing-zero-grad"]
    assert [(row["code"], row["line"]) for row in repaired] == [("double-softmax", 9)]
    assert [row["code"] for row in notebook] == ["double-softmax", "missing-zero-grad"]
    assert notebook[0]["places"][0]["uri"].endswith("/model.py")
    assert [row["code"] for row in changed] == ["missing-zero-grad"]
