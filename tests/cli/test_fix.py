"""`mllint check --fix` and its kin, on a project in a folder."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mllint import cli

TRAIN = """\
import torch.nn.functional as F


def train(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss  # for the log
    return total / len(loader)
"""
MODEL = """\
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)
"""
FIXED = TRAIN.replace("+= loss ", "+= loss.item() ")
PATCH = """\
--- train.py
+++ train.py
@@ -8,5 +8,5 @@
         loss = F.cross_entropy(model(x), y)
         loss.backward()
         optimizer.step()
-        total += loss  # for the log
+        total += loss.item()  # for the log
     return total / len(loader)
"""


@pytest.fixture
def mllint(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    Path("train.py").write_text(TRAIN)
    Path("model.py").write_text(MODEL)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(["check", "--isolated", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_fix_applies_what_is_safe_and_reports_the_rest(mllint):
    code, out, err = mllint("--fix", "--output-format", "concise")
    assert Path("train.py").read_text() == FIXED and Path("model.py").read_text() == MODEL
    assert code == 1 and out.count("\n") == 2 and out.startswith("model.py:7:16: error[dropout-ignores-mode]")
    assert err == "mllint: Fixed 1 finding in 1 file (1 unsafe fix more with `--unsafe-fixes`)\n"


def test_unsafe_fixes_leave_nothing_and_a_second_run_changes_nothing(mllint):
    code, out, err = mllint("--fix", "--unsafe-fixes", "--show-fixes")
    assert code == 0 and "Fixed 2 findings in 2 files" in err
    assert "- model.py:\n    1 x dropout-ignores-mode (Pass `training=self.training`)\n" in out
    before = Path("model.py").read_bytes(), Path("train.py").read_bytes()
    code, _, err = mllint("--fix", "--unsafe-fixes")
    assert (code, err) == (0, "mllint: No fixes\n")
    assert before == (Path("model.py").read_bytes(), Path("train.py").read_bytes())


def test_diff_shows_and_writes_nothing(mllint):
    code, out, err = mllint("--diff")
    assert (code, out) == (1, PATCH)
    assert err == "mllint: Would fix 1 finding in 1 file (1 unsafe fix more with `--unsafe-fixes`)\n"
    assert Path("train.py").read_text() == TRAIN
    assert mllint("--diff", "model.py")[:2] == (0, "")


def test_what_diff_shows_is_a_patch(mllint):
    patch = mllint("--diff", "--unsafe-fixes", "-q")[1]
    subprocess.run(["git", "apply", "-p0", "-"], input=patch, text=True, check=True)
    assert Path("train.py").read_text() == FIXED and "training=self.training" in Path("model.py").read_text()


def test_fix_only_reports_nothing(mllint):
    assert mllint("--fix-only", "-q") == (0, "", "")
    assert Path("train.py").read_text() == FIXED
    Path("train.py").write_text(TRAIN)
    assert mllint("--fix-only", "--exit-non-zero-on-fix", "-q")[0] == 1


def test_exit_non_zero_on_fix(mllint):
    assert mllint("--fix", "train.py")[0] == 0
    Path("train.py").write_text(TRAIN)
    assert mllint("--fix", "--exit-non-zero-on-fix", "train.py")[0] == 1


def test_the_cache_knows_runs_with_fixes_from_those_without(mllint):
    assert mllint("--diff")[0] == 1
    assert "total += loss" in mllint()[1]
    assert mllint("--diff")[1] == PATCH


def test_a_baseline_is_not_fixed(mllint):
    assert cli.main(["baseline", "create", "--isolated"]) == 0
    assert mllint("--fix", "--unsafe-fixes", "--baseline", "mllint-baseline.json")[0] == 0
    assert Path("train.py").read_text() == TRAIN and Path("model.py").read_text() == MODEL


def test_only_what_touches_the_given_files_is_fixed(mllint):
    code, _, err = mllint("--fix", "--unsafe-fixes", "--context", ".", "model.py")
    assert code == 0 and "Fixed 1 finding in 1 file" in err
    assert Path("train.py").read_text() == TRAIN


@pytest.mark.skipif(os.name == "nt", reason="modes and links of Windows are others")
def test_a_file_keeps_its_mode_and_a_link_stays_one(mllint):
    Path("train.py").chmod(0o755)
    Path("linked.py").symlink_to("train.py")
    mllint("--fix", "linked.py")
    assert Path("train.py").read_text() == FIXED and Path("linked.py").is_symlink()
    assert stat.S_IMODE(Path("train.py").stat().st_mode) == 0o755


@pytest.mark.skipif(os.name == "nt", reason="links of Windows are others")
def test_a_link_that_leads_out_of_what_is_checked_is_not_written_through(mllint, tmp_path):
    Path("project").mkdir()
    Path("project/linked.py").symlink_to(tmp_path / "train.py")
    _, _, err = mllint("--fix", "project")
    assert "project/linked.py: nothing is fixed here: the link leads out" in err and "No fixes" in err
    assert Path("train.py").read_text() == TRAIN


def test_without_libcst_it_says_what_to_install(mllint, monkeypatch):
    from mllint.fixes import concrete

    monkeypatch.setattr(concrete, "is_available", lambda: False)
    code, _, err = mllint("--fix")
    assert code == 2 and err.count("\n") == 1 and "pip install 'mllint-check[fix]'" in err
    assert mllint()[0] == 1


def test_a_plain_check_imports_no_libcst(mllint):
    code = "import sys; from mllint import cli; cli.main(['check', '--isolated']); sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0
