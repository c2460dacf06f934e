"""Compiled modules are found in their library; whatever else is imported is found as ever."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

from mllint import native, tree


@pytest.fixture
def library() -> types.ModuleType:
    """A library that holds one module."""
    found = types.ModuleType("mllint__mypyc")
    found.__file__ = "/site/mllint__mypyc.cpython-311-x86_64-linux-gnu.so"
    found.init_mllint___semantics___flow = "the capsule"  # type: ignore[attr-defined]
    return found


def test_what_the_library_holds_is_made_by_it(library: types.ModuleType) -> None:
    made = types.ModuleType("mllint.semantics.flow")
    finder = native._Finder(library, {"the capsule": made}.__getitem__)
    spec = finder.find_spec("mllint.semantics.flow", ["/site/mllint/semantics"])
    assert spec.origin == "/site/mllint/semantics/flow.cpython-311-x86_64-linux-gnu.so"
    assert finder.create_module(spec) is made


@pytest.mark.parametrize("name", ["mllint.semantics.missing", "semantics.flow", "mllint.semantics", "torch"])
def test_anything_else_is_left_to_others(library: types.ModuleType, name: str) -> None:
    assert native._Finder(library, None).find_spec(name, ["/site"]) is None


def test_there_is_a_finder_if_the_core_is_compiled() -> None:
    finders = [finder for finder in sys.meta_path if isinstance(finder, native._Finder)]
    assert len(finders) == (tree.unpack is not None)


ENDLESS = """
import subprocess
import sys
from mllint import tree

sys.setrecursionlimit(10**9)  # as if nobody counted: compiled functions call each other so
depth = 0


def ask(_):
    global depth
    depth += 1
    tree.deep()
    return sorted([0], key=ask)


tree.mark()
try:
    ask(0)
except RecursionError:
    print("ended", depth > 1000)
"""


@pytest.mark.skipif(tree.unpack is None, reason="Python itself counts how deep calls are where nothing is compiled")
def test_what_calls_itself_without_end_is_ended_before_the_stack_is() -> None:
    ran = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "ended True\n")
