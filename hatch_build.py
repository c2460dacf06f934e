"""Which parts of an installed mllint run as machine code? What this hook, called by the build, compiles with mypyc.

The core, and what the rules share, ask and answer millions of small typed questions; compiled, they take half the time.
A wheel gets them in both forms, and Python prefers the compiled one. Where there is no C compiler, or compiling fails
for another reason, the wheel is built without: slower, the same findings. `MLLINT_COMPILE=0` asks for that. An editable
installation is never compiled, since what is edited should be what runs.

What is compiled is a copy in which functions read a class of nodes (`ast.Call`) from a constant of `mllint._nodes`,
made here, instead of looking it up in the module `mllint.tree`, and the class of a node from the node itself, instead
of looking up `__class__`: of all the work of a run these look-ups would be a tenth. With them come `compact/`, which
reads texts several times as fast as Python does and holds syntax trees in a fifth of the memory, and the trees of the
stubs, packed.
"""

from __future__ import annotations

import _ast
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from glob import glob
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = ("mllint/pattern.py", "mllint/engine/subjects.py", "mllint/semantics/*.py", "mllint/checks/**/*.py")
LEFT = frozenset(
    "__init__ __main__ _names _records _table memory packstubs records stubnames testing vocabulary".split()
)
"""What is hardly run, holds named tuples (mypyc brings `typing` along for those), or is run by developers only."""

NODES = "mllint/_nodes.py"
NODES_HEAD = """\
from mllint import tree as ast
from mllint._typing import TYPE_CHECKING
if TYPE_CHECKING:
    from typing import Final
"""

SETUP = """
import sys
from glob import glob
from mypyc.build import mypycify
from pybind11.setup_helpers import ParallelCompile
from setuptools import Extension, setup
flags = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent"]
modules = mypycify([*flags, *sys.argv[2:]], opt_level="2", debug_level="0", multi_file=True, group_name="mllint")
modules.append(Extension("mllint._compact", sorted(glob("compact/*.c")), extra_compile_args=[]))
if sys.platform != "win32":  # calls from file to file need no table then
    for module in modules:
        module.extra_compile_args.append("-fvisibility=hidden")
ParallelCompile().install()
setup(name="compiled", packages=[], ext_modules=modules, script_args=["-q", "build_ext", "--build-lib", sys.argv[1]])
"""


class CustomBuildHook(BuildHookInterface[Any]):
    """Puts compiled modules into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless the wheel is editable or nobody wants that."""
        if self.target_name != "wheel" or version == "editable" or os.environ.get("MLLINT_COMPILE") == "0":
            return
        self._scratch = tempfile.mkdtemp(prefix="mllint-build-")
        try:
            built = compiled(os.path.join(self.root, "src"), self._scratch)
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", "") or str(error)
            self.app.display_warning(f"mllint is installed without its compiled core: {reason.strip()[-500:]}")
            return
        build_data["force_include"].update(built)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        shutil.rmtree(getattr(self, "_scratch", ""), ignore_errors=True)


def compiled(source: str, scratch: str) -> dict[str, str]:
    """Compile the core.

    Args:
        source: the folder that holds the package.
        scratch: an empty folder.

    Returns:
        Path of each compiled module and packed stub -> its place in the wheel.

    Raises:
        subprocess.CalledProcessError: it cannot be compiled; `stderr` says why.
    """
    work, out = os.path.join(scratch, "work"), os.path.join(scratch, "out")
    command = [sys.executable, "-c", SETUP, out, *prepared(source, work)]
    subprocess.run(command, cwd=work, check=True, capture_output=True, text=True)
    packing = [sys.executable, "-m", "mllint.semantics.packstubs", os.path.join(out, "mllint", "stubs")]
    subprocess.run(packing, cwd=work, check=True, capture_output=True, text=True)
    ends = ("so", "pyd", "packed")
    found = (path for end in ends for path in glob(os.path.join(out, "**", f"*.{end}"), recursive=True))
    return {path: os.path.relpath(path, out).replace(os.sep, "/") for path in found}


def prepared(source: str, work: str) -> list[str]:
    """Copy the package to a folder, as it is given to mypyc.

    Returns:
        The paths of the modules to compile, relative to the folder.
    """
    shutil.copytree(source, work, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    modules = [
        os.path.relpath(path, work)
        for pattern in COMPILED
        for path in sorted(glob(os.path.join(work, pattern), recursive=True))
        if os.path.splitext(os.path.basename(path))[0] not in LEFT
    ]
    _bind_nodes(work, modules)
    return [NODES, *modules]


def _bind_nodes(work: str, modules: list[str]) -> None:
    """Rewrite a copy of the modules so that functions read classes of nodes from constants, and write these."""
    used: set[str] = set()
    for module in modules:
        path = os.path.join(work, module)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        for node in _to_bind(ast.parse("".join(lines))):
            line, start, end = lines[node.lineno - 1].encode(), node.col_offset, node.end_col_offset
            if isinstance(node, ast.ImportFrom):
                new = line[start:end] + b"; import mllint._nodes as _nodes"
            elif node.attr == "__class__":
                new = b"type(" + line[start : node.value.end_col_offset] + b")"
            else:
                used.add(node.attr)
                new = b"_nodes." + node.attr.encode()
            lines[node.lineno - 1] = (line[:start] + new + line[end:]).decode()
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
    with open(os.path.join(work, NODES), "w", encoding="utf-8") as file:
        file.writelines([NODES_HEAD, *(f"{name}: 'Final' = ast.{name}\n" for name in sorted(used))])


def _to_bind(tree: ast.Module) -> list[Any]:
    """The import of `ast`; inside functions `ast.Call` where it is no annotation, and `x.__class__`; the last first."""
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    bodies = [part for f in functions for part in (f.body if isinstance(f.body, list) else [f.body])]
    inside = {node for body in bodies for node in ast.walk(body)}
    typed = [getattr(node, field, None) for node in ast.walk(tree) for field in ("annotation", "returns")]
    inside -= {node for part in typed if part is not None for node in ast.walk(part)}
    found = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and any(alias.asname == "ast" for alias in node.names))
        or (node in inside and isinstance(node, ast.Attribute) and _is_class(node))
    ]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True)


def _is_class(node: ast.Attribute) -> bool:
    if node.attr == "__class__":
        return node.lineno == node.end_lineno and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    known = isinstance(getattr(_ast, node.attr, None), type)
    return known and isinstance(node.value, ast.Name) and node.value.id == "ast"


if __name__ == "__main__":  # `python hatch_build.py FOLDER`: what would go into a wheel, for trying it
    with tempfile.TemporaryDirectory() as temporary:
        try:
            built = compiled("src", temporary)
        except subprocess.CalledProcessError as failure:
            raise SystemExit(failure.stdout + failure.stderr) from None
        for path, place in built.items():
            os.makedirs(os.path.dirname(os.path.join(sys.argv[1], place)), exist_ok=True)
            shutil.copy(path, os.path.join(sys.argv[1], place))
