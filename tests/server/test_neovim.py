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

from tests.cli.test_fix import MODEL as HEAD
from tests.cli.test_fix import TRAIN as SUM
from tests.server.test_session import DATA, MODEL, TRAIN

pytest.importorskip("pygls", reason="the extra `server` is not installed")

DOCUMENT = Path(__file__).parents[2] / "docs" / "editors.md"
NEOVIM = shutil.which("nvim")
pytestmark = pytest.mark.skipif(NEOVIM is None, reason="Neovim (`nvim`) is not installed")

FOUND = """
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
"""
DRIVER = (
    FOUND
    + """
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
"""
)
FIXER = (
    FOUND
    + """
local steps = {}
vim.ui.select = function(items, options, choose)  -- the first fix: what accepts a finding stands behind them
  table.insert(steps[#steps].titles, (options.format_item(items[1])))
  choose(items[1], 1)
end
for _, path in ipairs({ "sum.py", "head.py", "train.py", "sum.ipynb" }) do
  vim.cmd("edit! " .. path)
  vim.bo.filetype = "python"
  vim.wait(20000, function() return #found(path) > 0 end, 20)
  local before = found(path)
  table.insert(steps, { path = path, before = before, titles = {} })
  local last = before[#before]
  vim.api.nvim_win_set_cursor(0, { last.line + 1, last.column })
  vim.lsp.buf.code_action()
  vim.wait(20000, function() return #found(path) < #before end, 20)
  steps[#steps].left = #found(path)
  steps[#steps].lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
end
"""
)
END = """
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


def notebook(text: str) -> str:
    rows = [{"cell_type": "code", "source": part.splitlines(keepends=True)} for part in text.split("\n\n")]
    return json.dumps({"cells": rows, "metadata": {}}, indent=1)


FILES = {
    "model.py": MODEL,
    "train.py": TRAIN,
    "data.py": DATA,
    "train.ipynb": notebook(TRAIN),
    "sum.py": SUM,
    "head.py": HEAD,
    "sum.ipynb": notebook(SUM),
}


def driven(driver: str, tmp_path: Path) -> list[Any]:
    """What Neovim tells, step by step."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "mllint.toml").touch()
    for name, text in FILES.items():
        (project / name).write_text(text)
    (project / "init.lua").write_text(f"vim.opt.swapfile = false\n{snippet()}")
    (project / "driver.lua").write_text(driver + END)
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
    found: list[Any] = json.loads((project / "steps.json").read_text())
    return found


def test_findings_come_and_go(tmp_path: Path) -> None:
    opened, edited, undone, repaired, opened_notebook, changed = driven(DRIVER, tmp_path)
    assert [(row["code"], row["line"]) for row in opened] == [("double-softmax", 8), ("missing-zero-grad", 9)]
    (place,) = opened[0]["places"]
    assert place["uri"].endswith("/model.py") and place["line"] == 9 and place["says"] == "softmax applied here"
    assert [row["code"] for row in edited] == ["missing-zero-grad"], "an edit in model.py that is not saved"
    assert [row["code"] for row in undone] == ["double-softmax", "missing-zero-grad"]
    assert [(row["code"], row["line"]) for row in repaired] == [("double-softmax", 9)]
    assert [row["code"] for row in opened_notebook] == ["double-softmax", "missing-zero-grad"]
    assert opened_notebook[0]["places"][0]["uri"].endswith("/model.py")
    assert [row["code"] for row in changed] == ["missing-zero-grad"]


def test_a_fix_is_applied_and_its_finding_gone(tmp_path: Path) -> None:
    steps = driven(FIXER, tmp_path)
    titles = {step["path"]: "; ".join(step["titles"]) for step in steps}
    assert "`.item()`" in titles["sum.py"] and titles["sum.ipynb"] == titles["sum.py"]
    assert "training=self.training" in titles["head.py"] and "zero_grad()" in titles["train.py"]
    assert [len(step["before"]) - step["left"] for step in steps] == [1, 1, 1, 1]
    texts = {step["path"]: "\n".join(step["lines"]) + "\n" for step in steps}
    assert texts["sum.py"] == SUM.replace("+= loss ", "+= loss.item() ")
    assert texts["train.py"] == TRAIN.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()")
    assert texts["sum.ipynb"] == notebook(SUM).replace("+= loss ", "+= loss.item() ") + "\n"
