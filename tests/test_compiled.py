"""What mypyc cannot do, held against the modules that `MLLINT_COMPILE=1` compiles; and what the build says.

Nothing is compiled here: code that keeps to these rules builds and imports, which `.ci/run` tries.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
SEMANTICS = SOURCE / "mllint" / "semantics"


class Hook:
    """Stands for hatchling's own class, which is installed where wheels are built and nowhere else."""

    def __class_getitem__(cls, item: object) -> type:
        return cls

    def __init__(self, root: str = "", target_name: str = "") -> None:
        self.root, self.target_name = root, target_name


@pytest.fixture(scope="module", name="hook")
def _hook() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        name = "hatchling.builders.hooks.plugin.interface"
        interface = ModuleType(name)
        interface.BuildHookInterface = Hook
        patch.setitem(sys.modules, name, interface)
        yield _loaded()


def _loaded() -> Any:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", name="compiled")
def _compiled(hook: Any) -> dict[str, ast.Module]:
    return {path: ast.parse((SOURCE / path).read_text("utf-8")) for path in hook.modules(str(SOURCE))}


def classes(tree: ast.AST) -> list[ast.ClassDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def bases(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]


# ------------------------------------------------------------------------------------------------------- which modules
def test_most_of_the_core_is_compiled(hook: Any, compiled: dict[str, ast.Module]) -> None:
    assert "mllint/semantics/values/evaluate.py" in compiled
    spared = {str(p.relative_to(SOURCE)) for p in SEMANTICS.rglob("*.py")} - compiled.keys()
    assert len(spared) < len(compiled) / 5


def test_each_module_that_stays_as_it_is_exists_and_has_a_reason(hook: Any) -> None:
    for pattern, reason in hook.INTERPRETED.items():
        assert [*SEMANTICS.glob(f"{pattern}.py")], f"{pattern}: nothing is called so"
        assert len(reason) > 20


# --------------------------------------------------------------------------------------------------------- which code
def test_a_data_class_is_not_generic(compiled: dict[str, ast.Module]) -> None:
    """mypyc compiles it, and importing it fails: keep it out of what is compiled (`hatch_build.INTERPRETED`)."""
    for path, tree in compiled.items():
        for node in classes(tree):
            generic = any(isinstance(base, ast.Subscript) for base in node.bases)
            assert not (generic and node.decorator_list), f"{path}:{node.lineno}: {node.name}"


def test_a_class_stands_at_the_top_of_its_module(compiled: dict[str, ast.Module]) -> None:
    for path, tree in compiled.items():
        below = [node.name for top in tree.body for node in classes(top) if node is not top]
        assert not below, f"{path}: {below}: mypyc does not compile a class within a class or a function"


def test_a_class_has_one_base(compiled: dict[str, ast.Module]) -> None:
    for path, tree in compiled.items():
        for node in classes(tree):
            assert len(set(bases(node)) - {"Generic", "Protocol"}) <= 1, f"{path}:{node.lineno}: {node.name}"


def test_nobody_derives_from_a_compiled_class_where_nothing_is_compiled(compiled: dict[str, ast.Module]) -> None:
    plain = {"Enum", "IntEnum", "Flag", "IntFlag", "StrEnum", "NamedTuple", "Protocol", "TypedDict"}
    native = {node.name for tree in compiled.values() for node in classes(tree) if plain.isdisjoint(bases(node))}
    assert {"Value", "ModuleScope", "FunctionScope"} <= native
    for path in [*SOURCE.rglob("*.py"), *(ROOT / "tests").glob("*/test_*.py"), *(ROOT / "tests").glob("*.py")]:
        text = path.read_text("utf-8")
        if "mllint.semantics" in text and not (
            path.is_relative_to(SOURCE) and str(path.relative_to(SOURCE)) in compiled
        ):
            tree = ast.parse(text)
            origins = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module]
            imported = {a.asname or a.name for n in origins if "semantics" in str(n.module) for a in n.names}
            for node in classes(tree):
                assert (native & imported).isdisjoint(bases(node)), f"{path}:{node.lineno}: {node.name}"


def test_nobody_asks_a_generator_what_is_in_it(compiled: dict[str, ast.Module]) -> None:
    functions = [n for tree in compiled.values() for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    generators = {f.name for f in functions if f.returns is not None and ast.unparse(f.returns).startswith("Iterator")}
    assert "origins" in generators
    for path, tree in compiled.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and any(isinstance(o, (ast.In, ast.NotIn)) for o in node.ops):
                asked = [ast.unparse(c.func).rpartition(".")[2] for c in node.comparators if isinstance(c, ast.Call)]
                assert generators.isdisjoint(asked), f"{path}:{node.lineno}: a compiled generator knows no `in`"


def test_nobody_asks_for_the_variables_around(compiled: dict[str, ast.Module]) -> None:
    for path, tree in compiled.items():
        called = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        assert "locals" not in called, path


# ------------------------------------------------------------------------------------------------- what the build says
PURE = "mllint: without MLLINT_COMPILE=1 it is installed as pure Python: slower, with the same findings."


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    """A package of the usual shape, with one module to compile."""
    below = tmp_path / "src" / "mllint" / "semantics"
    below.mkdir(parents=True)
    for path in (below, below.parent):
        (path / "__init__.py").write_text("")
    (below / "one.py").write_text("def one() -> int:\n    return 1\n")
    return tmp_path


def built(hook: Any, project: Path, monkeypatch: pytest.MonkeyPatch, wanted: str = "1") -> dict[str, Any]:
    monkeypatch.setenv("MLLINT_COMPILE", wanted)
    data: dict[str, Any] = {"force_include": {}}
    made = hook.CustomBuildHook(str(project), "wheel")
    made.initialize("standard", data)
    made.finalize("standard", data, "")
    return data


@pytest.mark.parametrize("wanted", ["", "0"])
def test_nothing_is_compiled_without_asking(
    hook: Any, project: Path, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    monkeypatch.setattr(hook, "compiled", lambda *_: pytest.fail("nobody asked"))
    assert built(hook, project, monkeypatch, wanted) == {"force_include": {}}


def steps(hook: Any, monkeypatch: pytest.MonkeyPatch, codes: dict[str, int]) -> list[str]:
    """Put stand-ins in place of the steps, with these exit codes; gives the steps that ran, later."""
    ran: list[str] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        ran.append(command[2])
        if command[2] == "build" and not codes.get("build"):
            Path(options["cwd"], "mllint", "semantics", "one.so").touch()
        return subprocess.CompletedProcess(command, codes.get(command[2], 0))

    monkeypatch.setattr(hook.subprocess, "run", run)
    return ran


def test_a_wheel_is_told_its_compiled_modules(hook: Any, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = steps(hook, monkeypatch, {})
    data = built(hook, project, monkeypatch)
    assert ran == ["find", "translate", "build", "load"]
    assert [*data["force_include"].values()] == ["mllint/semantics/one.so"]
    assert data["infer_tag"] and not data["pure_python"]


@pytest.mark.parametrize(
    ("step", "code", "said"),
    [
        ("find", 1, "there is no C compiler that finds the headers of Python (in Debian: gcc and python3-dev)"),
        ("translate", 1, "mypyc does not translate the modules to C"),
        ("build", 1, "the C compiler fails on what mypyc wrote"),
        ("build", -9, "the C compiler fails on what mypyc wrote: signal 9 ended it, perhaps for want of memory"),
        ("load", 1, "the compiled modules cannot be imported"),
    ],
)
def test_a_step_that_fails_ends_the_build_with_a_reason(
    hook: Any, project: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int, said: str
) -> None:
    folders: list[str] = []
    make = hook.tempfile.mkdtemp
    monkeypatch.setattr(hook.tempfile, "mkdtemp", lambda **_: folders.append(make()) or folders[-1])
    ran = steps(hook, monkeypatch, {step: code})
    with pytest.raises(SystemExit) as ended:
        built(hook, project, monkeypatch)
    assert str(ended.value) == f"mllint: not compiled, because {said}; the lines above say more.\n{PURE}"
    assert ran[-1] == step
    assert not os.path.exists(folders[0])
