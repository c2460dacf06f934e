"""The build hook: with `MLLINT_COMPILE=1`, a wheel contains `mllint/semantics/` as machine code as well.

Without it a wheel is pure Python, needs only hatchling and is built in a second. With it mypyc compiles the modules of
`semantics/`, sources unchanged, and Python prefers the compiled ones. The build then requires mypy, setuptools and a C
compiler, and fails where compiling fails. An editable installation is never compiled.

An experiment: no test runs the compiled modules yet, and they call each other without counting how deep they are, so
that a text nested deeply enough may end the process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from glob import glob
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = "mllint/semantics/**/*.py"
INTERPRETED = frozenset("__init__ _names evidence memory records stubnames testing vocabulary".split())
"""Modules that are data, hold named tuples or generic data classes, or are for developers."""
REQUIRES = ["mypy>=2.4,<3", "setuptools>=77"]

SETUP = """
import os
import sys
from mypyc.build import mypycify
from setuptools import setup

flags = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent"]
print("mllint: translating", len(sys.argv) - 2, "modules to C", file=sys.stderr, flush=True)
modules = mypycify([*flags, *sys.argv[2:]], opt_level="2", debug_level="0", multi_file=True, group_name="mllint")
print("mllint: compiling", sum(len(m.sources) for m in modules), "C files, minutes", file=sys.stderr, flush=True)
arguments = ["-q", "build_ext", "--build-lib", sys.argv[1], f"--parallel={os.cpu_count() or 1}"]
setup(name="compiled", packages=[], ext_modules=modules, script_args=arguments)
"""


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel."""

    def dependencies(self) -> list[str]:
        """What the build requires besides hatchling."""
        return REQUIRES if self.wanted else []

    @property
    def wanted(self) -> bool:
        """Is a wheel to be compiled?"""
        return self.target_name == "wheel" and os.environ.get("MLLINT_COMPILE", "0") not in ("", "0")

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, where that is wanted.

        Raises:
            SystemExit: the modules cannot be compiled.
        """
        if not self.wanted or version == "editable":
            return
        self._scratch = tempfile.mkdtemp(prefix="mllint-build-")
        try:
            built = compiled(os.path.join(self.root, "src"), self._scratch)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(
                f"mllint: compiling failed ({error.__class__.__name__}), and the output above says why. It takes a C\n"
                "compiler and the headers of Python. Without MLLINT_COMPILE=1 mllint is installed as pure Python:\n"
                "slower, with the same findings."
            ) from None
        build_data["force_include"].update(built)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the scratch folder."""
        shutil.rmtree(getattr(self, "_scratch", ""), ignore_errors=True)


def compiled(source: str, scratch: str) -> dict[str, str]:
    """Compile the modules.

    Args:
        source: the folder that contains the package.
        scratch: an empty folder.

    Returns:
        Path of each compiled module -> its place in the wheel.

    Raises:
        subprocess.CalledProcessError: they cannot be compiled; the reason was written to stderr.
    """
    work, out = os.path.join(scratch, "work"), os.path.join(scratch, "out")
    shutil.copytree(source, work, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    subprocess.run([sys.executable, "-c", SETUP, out, *modules(work)], cwd=work, check=True, stdout=sys.stderr)
    found = (path for end in ("so", "pyd") for path in glob(os.path.join(out, "**", f"*.{end}"), recursive=True))
    return {path: os.path.relpath(path, out).replace(os.sep, "/") for path in found}


def modules(source: str) -> list[str]:
    """The modules to compile, relative to the folder that contains the package."""
    found = sorted(glob(os.path.join(source, COMPILED), recursive=True))
    return [
        os.path.relpath(path, source)
        for path in found
        if os.path.splitext(os.path.basename(path))[0] not in INTERPRETED
    ]
