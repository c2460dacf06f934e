"""Reading a stub entry by entry gives what parsing the whole file gives."""

from __future__ import annotations

import os

import pytest

from mllint.semantics.syntax.index import read as read_module
from mllint.semantics.syntax.lazystub import LazyEntries, LazyModule, parse, pieces
from mllint.semantics.syntax.module import ClassScope, ModuleScope

STUBS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "src", "mllint", "stubs")
FILES = sorted(
    os.path.relpath(os.path.join(folder, name), STUBS)
    for folder, _, names in os.walk(STUBS)
    for name in names
    if name.endswith(".pyi")
)


def read(path: str) -> tuple[LazyModule, ModuleScope]:
    with open(os.path.join(STUBS, path), encoding="utf-8") as file:
        text = file.read()
    return LazyModule("stub", pieces(text), is_package=False), read_module("stub", parse(text), None, is_stub=True)


def shape(cls: ClassScope) -> dict[str, int]:
    return {name: len(bindings) for name, bindings in cls.bindings.items()}


@pytest.mark.parametrize("path", FILES)
def test_lazy_reading_finds_every_definition(path: str) -> None:
    lazy, whole = read(path)
    entries = lazy.body.bindings
    assert isinstance(entries, LazyEntries)
    entries.all()
    vocabulary = {n for n, b in whole.body.bindings.items() if b[0].kind == "from" and "vocabulary" in b[0].extra[0]}
    assert set(dict.keys(entries)) == set(whole.body.bindings) - vocabulary
    classes = {cls.qualname: cls for cls in lazy.classes}
    for cls in whole.classes:
        assert shape(classes[cls.qualname]) == shape(cls)
        assert set(classes[cls.qualname].methods.keys()) == set(cls.methods)
