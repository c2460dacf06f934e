"""The versions of libraries that a project is for are read from its files, and an answer may depend on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint import check
from mllint.config.dependencies import find
from mllint.config.load import load
from mllint.requirements import before, is_readable

UV = """\
[[package]]
name = "torchvision"
version = "0.19.0"

[[package]]
name = "torch"
version = "2.4.0+cpu"
source = { registry = "x" }
"""
PDM = '[[package]]\nname = "torch"\nversion = "2.3.1"\nrequires_python = ">=3.8"\n'
PYPROJECT = """\
[project]
dependencies = [
  # "torch==1"
  "torchvision>=0.15",
  "torch>=2.3,<3; python_version > '3.9'",  # "torch==1"
]
"""
POETRY = '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.1"\n'
SOURCES = '[tool.uv.sources]\ntorch = { index = "pytorch-cpu" }\n[project]\ndependencies = ["torch~=2.2"]\n'
ENVIRONMENT = "dependencies:\n  - python=3.10\n  - pytorch::pytorch=1.13=py3.10_cuda11.7\n  - pip:\n    - torch==9\n"
PIXI = "- conda: https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.4.1-cuda120_py312.conda\n"
SETUP = "setup(\n    name='x',\n    install_requires=['numpy', 'torch >= 1.8'],\n)\n"


@pytest.mark.parametrize(
    ("name", "text", "versions"),
    [
        ("uv.lock", UV, "==2.4.0"),
        ("uv.lock", UV.replace("\n", "\r\n"), "==2.4.0"),
        ("poetry.lock", UV + '\n[[package]]\nname = "torch"\nversion = "2.10.0"\n', ">=2.4.0,<=2.10.0"),
        ("pdm.lock", PDM, "==2.3.1"),
        ("pixi.lock", PIXI, "==2.4.1"),
        ("requirements.txt", "numpy\ntorch==2.4.1+cu121  # for CUDA\n", "==2.4.1+cu121"),
        ("requirements.txt", "torch[opt] >= 2.0 , < 3 ; sys_platform == 'linux'\n", ">=2.0,<3"),
        ("requirements-train.txt", "Torch>=2.6 --hash=sha256:00\n", ">=2.6"),
        ("requirements.txt", "torch-geometric>=2\ntorchvision==0.19\ntorch\n", None),
        ("requirements.txt", "torch @ https://example.org/torch-2.4.0.whl\n", None),
        ("pyproject.toml", PYPROJECT, ">=2.3,<3"),
        ("pyproject.toml", POETRY, "^2.1"),
        ("pyproject.toml", POETRY.replace('"^2.1"', '{ version = "2.1.*", extras = ["x"] }'), "==2.1.*"),
        ("pyproject.toml", SOURCES, "~=2.2"),
        ("pyproject.toml", '[project]\nname = "torch"\ndescription = "torch >= 2 tools"\n', None),
        ("environment.yml", ENVIRONMENT, "=1.13"),
        ("setup.py", SETUP, ">=1.8"),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch>=1.10\n", ">=1.10"),
        ("uv.lock", "\x00\xff torch", None),
    ],
)
def test_what_files_say(tmp_path: Path, name: str, text: str, versions: str | None) -> None:
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    target = find(str(tmp_path)).get("torch")
    assert (target.versions if target else None) == versions


def test_a_lock_file_comes_before_requirements_and_a_nearer_folder_before_one_above(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    deep = tmp_path / "services" / "train"
    deep.mkdir(parents=True)
    assert find(str(deep)) == {}
    (tmp_path / "requirements.txt").write_text("torch>=1.13\n")
    assert find(str(deep))["torch"].versions == ">=1.13"
    (tmp_path / "uv.lock").write_text(UV)
    assert find(str(deep))["torch"].versions == "==2.4.0"
    (deep / "requirements.txt").write_text("torch==2.0\n")
    assert find(str(deep))["torch"].versions == "==2.0"


def test_files_above_the_repository_are_none_of_our_business(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==1.0\n")
    inner = tmp_path / "project" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    assert find(str(inner)) == {}


def test_the_configuration_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uv.lock").write_text(UV)
    config = load(["."])
    assert config.target_versions == {"torch": "==2.4.0"}
    origin = config.origin("target_versions", "torch")
    assert origin is not None and origin.origin == "uv.lock"
    (tmp_path / "mllint.toml").write_text('target-versions = { torch = ">=2.6" }')
    config = load(["."])
    assert config.target_versions == {"torch": ">=2.6"}
    origin = config.origin("target_versions", "torch")
    assert origin is not None and origin.origin == "mllint.toml"
    assert load(["."], isolated=True).target_versions == {}


@pytest.mark.parametrize(
    ("versions", "change", "answer"),
    [
        ("==1.0.1", "1.1", True), ("==1.1", "1.1", False), ("==1.1.0", "1.1", False), ("<1.1", "1.1", True),
        ("<1.1.0", "1.1", True), ("<=1.1", "1.1", None), (">=0.4", "1.1", None), (">=1.1", "1.1.0", False),
        (">1.1", "1.1", False), (">=2.3,<3", "2.6", None), (">=2.6,<3", "2.6", False), ("~=1.0.1", "1.1", True),
        ("~=1.0", "1.1", None), ("^0.4.1", "1.1", True), ("^1.0", "1.1", None), ("^1.0", "2", True),
        ("~1.0.1", "1.1", True), ("==1.0.*", "1.1", True), ("=1.0", "1.1", True), ("=1", "1.1", None),
        ("==0.4.1.post2", "1.1", True), ("==2.7.1+cu118", "2.7", False), ("1.0", "1.1", True), ("", "1.1", None),
        ("!=1.0", "1.1", None), ("latest", "1.1", None), (">=2.10", "2.9", False), ("==2.9", "2.10", True),
    ],
)  # fmt: skip
def test_what_is_before_a_change(versions: str, change: str, answer: bool | None) -> None:
    assert before(versions, change) is answer


def test_what_can_be_read() -> None:
    assert is_readable(">=2.4") and is_readable("==1.0.*") and is_readable("^2")
    assert not is_readable("latest") and not is_readable("") and not is_readable(">=2.4,new")


def test_an_answer_depends_on_a_lock_file(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import torch\nfrom torch import optim\n"
        "def train(model, loader, criterion):\n"
        "    optimizer = optim.SGD(model.parameters(), lr=0.1)\n"
        "    scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[30, 60])\n"
        "    for epoch in range(90):\n        scheduler.step()\n        for x, y in loader:\n"
        "            optimizer.zero_grad()\n            criterion(model(x), y).backward()\n"
        "            optimizer.step()\n"
    )
    assert [found.rule for found in check([str(tmp_path)])] == ["scheduler-before-optimizer"]
    (tmp_path / "requirements.txt").write_text("torch==1.0.1.post2\n")
    assert check([str(tmp_path)]) == []
