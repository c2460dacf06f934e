"""`mllint.check` and `mllint.check_source`: what a program gets that imports mllint."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import mllint
from mllint import cli
from mllint.errors import MllintError

BUGGY = "import torch.nn.functional as F\n\nloss = F.cross_entropy(F.softmax(x, dim=1), y)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(BUGGY)
    return tmp_path


def test_one_path_or_several_in_any_form(project: Path) -> None:
    expected = mllint.check(["train.py"])
    assert [found.rule for found in expected] == ["double-softmax"]
    for paths in ("train.py", Path("train.py"), [Path("train.py")], (p for p in ["train.py"]), []):
        assert mllint.check(paths) == expected
    with pytest.raises(MllintError, match=r"`trian.py` does not exist, did you mean `train.py`\?"):
        mllint.check(Path("trian.py"))


def test_findings_are_those_of_the_command_line_and_can_be_pickled(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "--output", "json", "--no-cache"]) == 1
    (told,) = json.loads(capsys.readouterr().out)["diagnostics"]
    (found,) = mllint.check(".")
    assert (found.rule, found.fingerprint, found.url) == (told["rule"], told["fingerprint"], told["url"])
    assert pickle.loads(pickle.dumps(found)) == found
    (alone,) = mllint.check_source(BUGGY, path="train.py")
    assert alone.fingerprint == found.fingerprint


def test_what_the_baseline_accepts_is_not_found(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["baseline", "create"]) == 0
    (project / "mllint.toml").write_text('baseline = "mllint-baseline.json"\n')
    assert mllint.check(".") == []
    assert len(mllint.check(".", isolated=True)) == 1
