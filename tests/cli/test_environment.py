"""With an environment, the libraries that no stub covers are read: their classes are what they derive from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mllint.project.environment import folder_of

LIBRARY = """\
import sys

import torch.nn as nn

sys.exit("a library was imported")


class BaseModel(nn.Module):
    def predict(self, batch):
        return self.forward(batch)
"""
USER = """\
import torch.nn as nn
from vision.models import BaseModel


class Net(BaseModel):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "MLLINT_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "net.py").write_text(USER)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    return installed(tmp_path / "environment")


def installed(folder: Path) -> Path:
    models = folder / "lib" / "python3.12" / "site-packages" / "vision" / "models"
    models.mkdir(parents=True)
    (models.parent / "__init__.py").write_text("")
    (models / "__init__.py").write_text("from .base import BaseModel\n\n__all__ = ['BaseModel']\n")
    (models / "base.py").write_text(LIBRARY)
    return folder


def test_a_class_of_a_library_is_what_it_derives_from(project: Path, environment: Path, mllint: Any) -> None:
    assert mllint("check", "--no-cache").code == 0
    found = mllint("check", "--no-cache", "--environment", str(environment), "--output-format", "concise")
    assert found.code == 1
    assert "net.py:8:9: error[unregistered-submodule]" in found.out
    assert "vision" not in found.out, "nothing is reported about a library"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX", ""])
def test_auto_takes_the_environment_that_is_activated_or_the_project_s(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mllint: Any, variable: str
) -> None:
    assert mllint("check", "--no-cache", "--environment", "auto").code == 0, "there is none"
    if variable:
        monkeypatch.setenv(variable, str(installed(tmp_path / "elsewhere")))
    else:
        installed(project / ".venv")
    assert mllint("check", "--no-cache", "--environment", "auto").code == 1
    (project / "mllint.toml").write_text('environment = "auto"\n')
    assert mllint("check", "--no-cache").code == 1


def test_a_library_that_a_stub_describes_is_not_read(project: Path, environment: Path, mllint: Any) -> None:
    nn = environment / "lib" / "python3.12" / "site-packages" / "torch" / "nn"
    nn.mkdir(parents=True)
    for folder in (nn.parent, nn):
        (folder / "__init__.py").write_text("Module = object\n")
    assert mllint("check", "--no-cache", "--environment", str(environment)).code == 1


def test_what_was_found_is_found_again_until_the_library_changes(project: Path, environment: Path, mllint: Any) -> None:
    words = ("check", "--environment", str(environment))
    assert [mllint("check").code, mllint(*words).code, mllint(*words).code, mllint("check").code] == [0, 1, 1, 0]
    base = environment / "lib" / "python3.12" / "site-packages" / "vision" / "models" / "base.py"
    base.write_text("class BaseModel:\n    pass\n")
    assert mllint(*words).code == 0


def test_a_folder_without_libraries_is_an_error(project: Path, mllint: Any) -> None:
    result = mllint("check", "--environment", "src")
    assert result.code == 2
    assert "is not an environment: it has no folder site-packages" in result.err


def test_a_configuration_cannot_name_an_environment_elsewhere(project: Path, environment: Path, mllint: Any) -> None:
    (project / "mllint.toml").write_text('environment = "../environment"\n')
    result = mllint("check", "--no-cache")
    assert result.code == 2
    assert "mllint.toml:1" in result.err and "environment" in result.err


def test_the_newest_python_of_an_environment_counts(tmp_path: Path) -> None:
    for version in ("3.9", "3.10"):
        (tmp_path / "lib" / f"python{version}" / "site-packages").mkdir(parents=True)
    assert folder_of(str(tmp_path), "") == str(tmp_path / "lib" / "python3.10" / "site-packages")


def test_an_installed_package(project: Path, mllint: Callable[..., Any]) -> None:
    """`EinMix` of einops, which the development set-up installs, is an `nn.Module` two files and a mixin away."""
    pytest.importorskip("einops", reason="is in the group `dev`")
    (project / "net.py").write_text(USER.replace("vision.models", "einops.layers.torch").replace("BaseModel", "EinMix"))
    assert mllint("check", "--no-cache").code == 0
    assert "unregistered-submodule" in mllint("check", "--no-cache", "--environment", sys.prefix).out
