"""Which files are read together: what imports are read off a text, and what they tie."""

from __future__ import annotations

import pytest

from mllint.project.discovery import Memory
from mllint.project.imports import imports, partition


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a", "a"),
        ("import a.b.c as d, e", "a a.b a.b.c e"),
        ("from a.b import c, d as e  # f", "a a.b a.b.c a.b.d"),
        ("from . import a", ". .a"),
        ("from ..a import b", ".. ..a ..a.b"),
        ("from ... import *", "..."),
        ("from a import (  # one\n    b,  # two (\n    c as d,\n)\nx = (e)", "a a.b a.c"),
        ("from a \\\n    import b, \\\n    c", "a a.b a.c"),
        ("if x: import a; from b import c; y = d", "a b b.c"),
        ("try:\n    import a\nexcept ImportError:\n\timport b", "a b"),
        ("from\ta\timport\tb", "a a.b"),
        ("important = reimport(x.imports)", ""),
        ("def importer(): ...", ""),
        ("import ﬁle", "file"),
        ("", ""),
        ("import", ""),
        ("from a import (", "a"),
    ],
)
def test_imports_are_read_off_the_text(text: str, names: str) -> None:
    assert imports(text) == sorted(names.split())


def divided(sources: dict[str, str]) -> list[list[str]]:
    memory = Memory({path: text.encode() for path, text in sources.items()})
    return partition({path: imports(text) for path, text in sources.items()}, memory.locate, memory.package)


def test_scripts_that_share_nothing_are_apart() -> None:
    assert divided({"b.py": "import torch", "a.py": "import torch"}) == [["a.py"], ["b.py"]]


def test_an_import_ties_in_both_directions() -> None:
    sources = {"a.py": "import util", "b.py": "from util import f", "util.py": "", "c.py": ""}
    assert divided(sources) == [["a.py", "b.py", "util.py"], ["c.py"]]


def test_a_package_is_one() -> None:
    sources = {
        "pkg/__init__.py": "",
        "pkg/a.py": "",
        "pkg/sub/__init__.py": "",
        "pkg/sub/b.py": "",
        "run.py": "import os",
    }
    assert divided(sources) == [["pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py"], ["run.py"]]
    assert len(divided({**sources, "run.py": "import pkg.sub.b"})) == 1


def test_equal_names_in_different_folders_are_different_files() -> None:
    sources = {"x/train.py": "import model", "x/model.py": "", "y/train.py": "import model", "y/model.py": ""}
    assert divided(sources) == [["x/model.py", "x/train.py"], ["y/model.py", "y/train.py"]]


def test_what_is_found_outside_ties_too() -> None:
    names = {"a.py": ["shared"], "b.py": ["shared"], "c.py": []}
    assert partition(names, lambda name, level, path: "shared.py", lambda path: None) == [["a.py", "b.py"], ["c.py"]]


def test_absolute_paths_in_memory() -> None:
    sources = {"/p/model.py": b"", "/p/train.py": b""}
    memory = Memory(sources)
    assert memory.locate("model", 0, "/p/train.py") == "/p/model.py"
    assert memory.locate("torch", 0, "/p/train.py") is None


def test_a_file_that_imports_its_own_name_means_one_further_up() -> None:
    sources = {"train.py": "from utils.model import build", "utils/model.py": "import model", "model/__init__.py": ""}
    assert divided(sources) == [sorted(sources)]
    assert Memory({"model.py": b""}).locate("model", 0, "model.py") is None
