"""Reading a stub entry by entry gives what parsing the whole file gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mllint import tree
from mllint.semantics import packstubs
from mllint.semantics.lazystub import LazyEntries, LazyModule, contents, cut, parse, pieces
from mllint.semantics.module import Class, Module
from mllint.semantics.stubs import StubLibrary

STUBS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "src", "mllint", "stubs")
FILES = sorted(
    os.path.relpath(os.path.join(folder, name), STUBS)
    for folder, _, names in os.walk(STUBS)
    for name in names
    if name.endswith(".pyi")
)


def read(path: str) -> tuple[LazyModule, Module]:
    with open(os.path.join(STUBS, path), encoding="utf-8") as file:
        text = file.read()
    return LazyModule("stub", pieces(text), is_package=False), Module("stub", parse(text), None, is_stub=True)


def shape(cls: Class) -> dict[str, int]:
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


def trees(path: str) -> str:
    """The trees of all pieces of a stub."""
    entries, unpack = contents(path)
    read = parse if unpack is None else unpack
    found = []
    for name, piece in sorted(entries.items()):
        whole = cut(piece) if unpack is None else piece
        if name == "*":
            found.append(piece)
        elif isinstance(whole, tuple):
            found += [tree.dump(read(p), places=True) for p in (whole[0], *(whole[1][key] for key in sorted(whole[1])))]
        else:
            found.append(tree.dump(read(whole), places=True))
    return "\n".join(found)


@pytest.mark.skipif(tree.unpack is None, reason="only the compiled core reads packed stubs")
@pytest.mark.parametrize("path", FILES)
def test_a_packed_stub_says_the_same(path: str, tmp_path: Path) -> None:
    stub = tmp_path / "stub.pyi"
    stub.write_bytes((Path(STUBS) / path).read_bytes())
    said = trees(str(stub))
    (tmp_path / "stub.packed").write_bytes(packstubs.packed(stub.read_bytes()))
    assert contents(str(stub))[1] is not None
    assert trees(str(stub)) == said


@pytest.mark.parametrize("packed", [b"", b"x", b"\xe9\x00", packstubs.packed(b"def other(): ...\n")])
def test_what_is_packed_of_something_else_is_not_read(packed: bytes, tmp_path: Path) -> None:
    (tmp_path / "stub.pyi").write_text("def f(x): ...\n")
    (tmp_path / "stub.packed").write_bytes(packed)
    entries, unpack = contents(str(tmp_path / "stub.pyi"))
    assert unpack is None
    assert "f" in entries


def test_every_stub_can_be_packed(tmp_path: Path) -> None:
    packstubs.write(STUBS, str(tmp_path))
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.packed")) == sorted(
        f"{path.removesuffix('.pyi')}.packed" for path in FILES
    )


def test_what_is_packed_is_no_module(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("lib/__init__", "lib/part", "single"):
        (tmp_path / f"{name}.pyi").write_text("def f(x): ...\n")
        (tmp_path / f"{name}.packed").write_bytes(packstubs.packed(b"def f(x): ...\n"))
    library = StubLibrary([str(tmp_path)])
    assert library.parts("lib") == ["lib.part"]
    assert not [name for name in library.tops if "." in name]
