"""What keeps the start of the process cheap: what a check of one file may load."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from mllint import checks
from mllint.checks import _table
from mllint.engine import gate
from mllint.semantics import api

SLOW = {"argparse", "asyncio", "astroid", "libcst", "packaging", "pygls", "rich", "tomllib", "watchfiles"}


def loaded(*arguments: str, cwd: Path | None = None, source: str = "") -> set[str]:
    """The modules that `mllint check` of something without findings loads, besides those of an empty program."""
    program = "import sys; from mllint.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program, "check", "--isolated", "--output-format", "concise", *arguments]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False, cwd=cwd)
    assert "All checks passed" in done.stdout
    empty = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=False
    )
    return set(done.stderr.split()) - set(empty.stdout.split())


def test_checking_a_file_loads_no_slow_module(tmp_path: Path) -> None:
    source = "import torch\nmodel = torch.nn.Linear(2, 2)\n"
    assert not loaded("-", source=source) & SLOW
    (tmp_path / "train.py").write_text(source)
    assert not loaded("--no-cache", "-j", "2", "train.py", cwd=tmp_path) & SLOW
    assert not loaded("--cache-dir", "kept", "train.py", cwd=tmp_path) & SLOW
    assert (tmp_path / "kept").is_dir()


def test_replaying_loads_neither_engine_nor_slow_modules(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import torch\nmodel = torch.nn.Linear(2, 2)\n")
    assert "mllint.engine.engine" in loaded("a.py", "b.py", cwd=tmp_path)
    warm = loaded("a.py", "b.py", cwd=tmp_path)
    assert not warm & {*SLOW, "mllint.engine.engine", "mllint.semantics", "mllint.rule"}


def test_a_domain_is_imported_when_a_rule_names_it() -> None:
    program = (
        "import sys; from mllint.semantics import api; print(*sys.modules); [getattr(api, n) for n in api.__all__]"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "mllint.semantics.training.evidence" in done.stdout
    assert not {"mllint.semantics.training.rows", "mllint.semantics.training.losses"} & set(done.stdout.split())


def test_a_domain_is_what_the_interface_declares() -> None:
    """Which module a name is from stands there twice: for whoever reads types, and for whoever runs it."""
    tree = ast.parse(Path(api.__file__).read_text())
    declared = next(node for node in tree.body if isinstance(node, ast.If))
    for statement in declared.body:
        assert isinstance(statement, ast.ImportFrom) and statement.module
        for name in statement.names:
            given = getattr(api, name.asname or name.name)
            module = given.__name__ if inspect.ismodule(given) else f"{given.__module__}.{given.__name__}"
            assert module == f"{statement.module}.{name.name}"


@pytest.mark.parametrize(
    ("text", "passes"),
    [("import torch", True), ("torch", True), ("pytorch = 1", False), ("torchx, (torch)", True), ("a_torch", False),
     ("torch2 torch_geometric", True), ("", False), ("p.add_argument()", True),
     ("def step(optimizer, loss):\n    optimizer.zero_grad()\n", True)],
)  # fmt: skip
def test_the_gate_looks_for_whole_words(text: str, passes: bool) -> None:
    assert gate.names_library(text) is passes


@pytest.mark.parametrize(
    ("text", "handles"),
    [("def f(x):\n    x.unsqueeze(0)\n", True), ("def f(opt):\n    opt.step\n", True), ("def f(steps): pass\n", False),
     ("def f(scaler, x):\n    return scaler.fit_transform(x)\n", True),
     ("def f(x):\n    return x == float('nan')\n", True), ("def f(network):\n    network.train\n", True)],
)  # fmt: skip
def test_the_gate_knows_what_is_done_with_models(text: str, handles: bool) -> None:
    assert gate.names_model_handling(text) is handles


BESIDE_OTHERS = frozenset(
    """albumentations apex diffusers evaluate flax glob lightning_fabric logging optuna os pathlib random scipy tqdm
    wandb""".split()
)
"""The stubs of what files use that name another library as well: alone, it makes no file one about training."""


def test_the_gate_lets_every_library_in_that_has_a_stub() -> None:
    stubs = Path(gate.__file__).parent.parent / "stubs"
    closed = {path.stem for path in stubs.iterdir() if not gate.names_library(f"import {path.stem}")} - {"__pycache__"}
    where = "add it to `_LIBRARIES` of `engine/gate.py`; to `BESIDE_OTHERS` if its files import torch or the like, too"
    assert closed == BESIDE_OTHERS, where


@pytest.mark.parametrize(
    ("text", "suppresses"),
    [
        ("x = 1  # noqa: E501", False),
        ("x = 1  # noqa: data-leak", True),
        ("x = 1  # NoQA: data-leak", True),
        ("# mllint: ignore[x]", True),
        ("", False),
    ],
)
def test_only_comments_that_may_name_a_rule_are_read(text: str, suppresses: bool) -> None:
    assert gate.may_suppress(text, ["double-softmax", "data-leak"]) is suppresses


@pytest.mark.quick
def test_the_table_of_rules_is_up_to_date() -> None:
    with open(_table.__file__, encoding="utf-8") as file:
        assert file.read() == checks.table(), "run `python -m mllint.dev tables`"


def test_a_family_is_imported_when_one_of_its_rules_is_asked() -> None:
    program = (
        "import sys; from mllint import check_source; source = sys.stdin.read()\n"
        "found = [d.rule for d in check_source(source)]; print(*found, *sys.modules)"
    )
    source = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', type=bool)\n"
    done = subprocess.run([sys.executable, "-c", program], input=source, capture_output=True, text=True, check=False)
    found, *modules = done.stdout.split()
    assert found == "bool-argument"
    assert "mllint.checks.robustness.bool_argument" in modules
    assert "mllint.checks.optimizer.missing_zero_grad" not in modules


def test_imported_words() -> None:
    assert gate.imported("import a.b as c\n  from .d import (e,\nf)\nx = 1  # import y") >= {"a", "b", "d", "e"}
