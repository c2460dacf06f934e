"""The build hook: with `MLLINT_COMPILE=1`, a wheel contains `mllint/semantics/` as machine code as well.

Without it a wheel is pure Python, needs only hatchling and is built in a second. With it mypyc compiles the modules of
`semantics/`, sources unchanged, and Python prefers the compiled ones. The build then requires mypy, setuptools and a C
compiler. It looks for the compiler, translates the modules to C, compiles that on all processors and imports the
result; each step says that it begins, and the first one that fails ends the build and says what to do. An editable
installation is never compiled.

What is compiled says the same, byte for byte, which `benchmarks/same.py` compares. Code that mypyc reads otherwise than
Python does is kept out of the modules by `tests/test_compiled.py`.

What mypyc knows no type of, the nodes of `ast` above all, it asks for attributes in the most general way there is. A
quarter of a run went there, so the C that it writes is compiled with shorter ways to the same answers (`SHORTCUTS`).
"""

from __future__ import annotations

import importlib
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INTERPRETED = {
    "**/__init__": "says what a package is for; a compiled one gains nothing",
    "api": "names for rules, which are interpreted; what they name is compiled",
    "libraries/_names": "a table, which is read faster from bytecode",
    "libraries/stubnames": "a tool for developers",
    "syntax/records": "named tuples, which Python makes the class of, compiled or not",
    "testing/*": "a tool for developers",
    "training/evidence": "a generic data class, which mypyc builds and Python then refuses to import",
    "values/memory": "a tool for developers",
    "vocabulary": "the words of the stubs, which are read and never run",
}
"""Modules that stay as they are, and why: pattern of their path below `semantics` -> reason."""
REQUIRES = ["mypy>=2.4,<3", "setuptools>=77"]
GROUP = "mllint"  # the name of the library that holds all compiled modules: `mllint__mypyc`
OPTIMISED = "2"

FLAGS = ("--config-file=", "--ignore-missing-imports", "--follow-imports=silent")
PROBE = "#include <Python.h>\nint mllint_probe(void) { return Py_IsInitialized(); }\n"

SHORTCUTS = """
#include <CPy.h>
#ifndef Py_GIL_DISABLED

/* Is it a node of ast? Then an instance keeps its fields in its dictionary, and no class says otherwise. */
static inline int mllint_is_node(PyTypeObject *cls) {
    static PyTypeObject *node = NULL;
    if (node == NULL) {
        PyObject *module = PyImport_ImportModule("ast");
        node = module == NULL ? NULL : (PyTypeObject *)PyObject_GetAttrString(module, "AST");
        if (node == NULL) { PyErr_Clear(); return 0; }
    }
    return cls->tp_base != NULL && (cls->tp_base == node || cls->tp_base->tp_base == node);
}

/* object.name */
static inline PyObject *mllint_attribute(PyObject *object, PyObject *name) {
    static PyObject *own_class = NULL;
    PyTypeObject *cls = Py_TYPE(object);
    PyObject *held = NULL, *found;
    if (cls == &PyModule_Type) {
        held = PyModule_GetDict(object);
    } else if (cls->tp_getattro == PyObject_GenericGetAttr) {
        if (own_class == NULL) own_class = PyUnicode_InternFromString("__class__");
        if (name == own_class) { Py_INCREF(cls); return (PyObject *)cls; }
        if (cls->tp_dictoffset > 0 && mllint_is_node(cls)) {
            held = *(PyObject **)((char *)object + cls->tp_dictoffset);
        }
    }
    if (held != NULL) {
        found = PyDict_GetItemWithError(held, name);
        if (found != NULL) { Py_INCREF(found); return found; }
        PyErr_Clear();
    }
    return PyObject_GetAttr(object, name);
}

/* isinstance(object, cls): of a node it is all in its type. */
static inline int mllint_isinstance(PyObject *object, PyObject *cls) {
    if (PyType_CheckExact(cls) && mllint_is_node(Py_TYPE(object))) {
        return PyObject_TypeCheck(object, (PyTypeObject *)cls);
    }
    return PyObject_IsInstance(object, cls);
}

#undef CPyObject_GetAttr
#define CPyObject_GetAttr(object, name) mllint_attribute((object), (name))
#define PyObject_IsInstance(object, cls) mllint_isinstance((object), (cls))
#endif
"""
"""How compiled code asks for attributes and classes: included before all that mypyc writes."""


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
            SystemExit: the modules cannot be compiled; with the step that failed, and what to do instead.
        """
        if not self.wanted or version == "editable":
            return
        self._scratch = tempfile.mkdtemp(prefix="mllint-build-")
        try:
            built = compiled(os.path.join(self.root, "src"), self._scratch)
        except BuildError as error:
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise SystemExit(
                f"mllint: not compiled, because {error}; the lines above say more.\n"
                "mllint: without MLLINT_COMPILE=1 it is installed as pure Python: slower, with the same findings."
            ) from None
        build_data["force_include"].update(built)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the scratch folder."""
        shutil.rmtree(getattr(self, "_scratch", ""), ignore_errors=True)


class BuildError(Exception):
    """The modules cannot be compiled; says which step failed."""


def compiled(source: str, scratch: str) -> dict[str, str]:
    """Compile the modules.

    Args:
        source: the folder that contains the package.
        scratch: an empty folder.

    Returns:
        Path of each compiled module -> its place in the wheel.

    Raises:
        BuildError: they cannot be compiled; the details were written to stderr.
    """
    work = os.path.join(scratch, "work")
    shutil.copytree(source, work, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    for step, failure in STEPS.items():
        program = [sys.executable, os.path.abspath(__file__), step, *modules(work)]
        code = subprocess.run(program, cwd=work, check=False, stdout=sys.stderr).returncode
        if code:
            raise BuildError(failure if code > 0 else f"{failure}: signal {-code} ended it, perhaps for want of memory")
    found = (path for end in ("so", "pyd") for path in glob(os.path.join(work, "**", f"*.{end}"), recursive=True))
    return {path: os.path.relpath(path, work).replace(os.sep, "/") for path in found}


def say(text: str) -> None:
    """Say what happens, beside what compilers say."""
    sys.stderr.write(f"mllint: {text}\n")
    sys.stderr.flush()


def modules(source: str) -> list[str]:
    """The modules to compile, relative to the folder that contains the package."""
    below = os.path.join(source, "mllint", "semantics")
    spared = {path for pattern in INTERPRETED for path in glob(os.path.join(below, f"{pattern}.py"), recursive=True)}
    found = sorted(glob(os.path.join(below, "**", "*.py"), recursive=True))
    return [os.path.relpath(path, source) for path in found if path not in spared]


# ------------------------------------------------------------ the steps, each in a process and in the folder of sources
def find(paths: Sequence[str]) -> None:
    """Find the C compiler, by compiling a file of two lines."""
    from setuptools._distutils.ccompiler import new_compiler
    from setuptools._distutils.sysconfig import customize_compiler, get_python_inc

    say("looking for a C compiler")
    with open("probe.c", "w", encoding="utf-8") as file:
        file.write(PROBE)
    compiler = new_compiler()
    customize_compiler(compiler)
    compiler.compile(["probe.c"], output_dir="build", include_dirs=[get_python_inc()])


def translate(paths: Sequence[str]) -> None:
    """Translate the modules to C, and keep what is to be built."""
    from mypyc.build import mypycify

    say(f"translating {len(paths)} modules to C")
    extensions = mypycify([*FLAGS, *paths], opt_level=OPTIMISED, debug_level="0", multi_file=True, group_name=GROUP)
    with open("extensions", "wb") as file:
        pickle.dump(extensions, file)


def shortcuts(path: str) -> list[str]:
    """The options by which each C file includes another one first, and shows its functions to its own library only."""
    from setuptools._distutils.ccompiler import get_default_compiler

    return [f"/FI{path}"] if get_default_compiler() == "msvc" else ["-include", path, "-fvisibility=hidden"]


def build(paths: Sequence[str]) -> None:
    """Compile the C files, on all processors."""
    from setuptools import setup
    from setuptools.command.build_ext import build_ext

    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    class Build(build_ext):
        def build_extensions(self) -> None:
            compile_one, files = self.compiler.compile, sum(len(e.sources) for e in self.extensions)
            say(f"compiling {files} C files, {jobs} at a time")

            def compile_all(sources: Sequence[str], **options: Any) -> list[str]:
                """Compile the files of one module; most belong to the library that holds them all."""
                objects: list[str] = []
                with ThreadPoolExecutor(jobs) as pool:
                    for done in pool.map(lambda source: compile_one([source], **options), sources):
                        objects += done
                        if len(objects) % 20 == 0:
                            say(f"{len(objects)} of {len(sources)}")
                return objects

            self.compiler.compile = compile_all
            super().build_extensions()

    with open("extensions", "rb") as file:
        extensions = pickle.load(file)
    with open("shortcuts.h", "w", encoding="utf-8") as file:
        file.write(SHORTCUTS)
    for extension in (e for e in extensions if e.include_dirs):  # the library that holds all modules
        extension.extra_compile_args = [*extension.extra_compile_args, *shortcuts(os.path.abspath("shortcuts.h"))]
    arguments = ["-q", "build_ext", "--build-lib", ".", "--build-temp", "build", f"--parallel={jobs}"]
    setup(name=GROUP, packages=[], ext_modules=extensions, cmdclass={"build_ext": Build}, script_args=arguments)


def load(paths: Sequence[str]) -> None:
    """Import what was compiled."""
    say(f"importing {len(paths)} modules")
    sys.path.insert(0, os.getcwd())
    for path in paths:
        module = importlib.import_module(os.path.splitext(path)[0].replace(os.sep, "."))
        if str(module.__file__).endswith(".py"):
            raise ImportError(f"{path} was not compiled")


STEPS = {
    "find": "there is no C compiler that finds the headers of Python (in Debian: gcc and python3-dev)",
    "translate": "mypyc does not translate the modules to C",
    "build": "the C compiler fails on what mypyc wrote",
    "load": "the compiled modules cannot be imported",
}
"""The functions above in their order, each with what it means that one fails."""

if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2:])
