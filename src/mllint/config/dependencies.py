"""For which versions of its libraries is a project written, as far as its files say?

    uv.lock poetry.lock pdm.lock pixi.lock      what is installed
    requirements*.txt pyproject.toml setup.py setup.cfg environment.yml     what may be

Nothing is imported and no environment is asked: the environment of whoever checks is not that of whoever trains. The
files of one folder are read in this order, and folders from the checked ones up to the root of the repository; the
first answer counts. A lock file can be large, and TOML and YAML take long to read: only what stands around the name of
a library is looked at. `[tool.mllint.target-versions]` comes first.

Only libraries on whose version an answer of ours depends are looked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mllint.files import reading

__all__ = ["LIBRARIES", "Target", "find"]

LIBRARIES = {"torch": ("torch", "pytorch")}
"""The libraries that are looked for, with all names that package indexes know them by."""
_REPOSITORY = (".git", ".hg")
_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")
_ENVIRONMENTS = ("environment.yml", "environment.yaml", "conda.yml", "conda.yaml")


class Target(NamedTuple):
    """The versions of a library, as `==2.4.0` or `>=2.3,<3`, and the file that says so."""

    versions: str
    path: str


def find(folder: str) -> dict[str, Target]:
    """What the files of a project say.

    Args:
        folder: the folder of what is checked, absolute.

    Returns:
        The libraries that anything is known of.
    """
    found: dict[str, Target] = {}
    for place in _folders(folder):
        try:
            names = frozenset(os.listdir(place))
        except OSError:
            continue
        for name in _sources(names):
            path = os.path.join(place, name)
            for library, versions in _read(path).items():
                found.setdefault(library, Target(versions, path))
        if found:
            break
    return found


def _folders(folder: str) -> list[str]:
    """The folder and those above it up to the root of its repository; without one, up to that of its project."""
    climbed = [folder]
    while os.path.dirname(climbed[-1]) != climbed[-1]:
        climbed.append(os.path.dirname(climbed[-1]))
    for marks in (_REPOSITORY, _PROJECT):
        for index, place in enumerate(climbed):
            if any(os.path.exists(os.path.join(place, mark)) for mark in marks):
                return climbed[: index + 1]
    return [folder]


def _sources(names: frozenset[str]) -> Iterator[str]:
    """The files of a folder that may know, best first."""
    yield from (name for name in (*_LOCKS, "pixi.lock") if name in names)
    requirements = sorted(n for n in names if n.startswith("requirements") and n.endswith((".txt", ".in")))
    yield from sorted(requirements, key=lambda name: name != "requirements.txt")
    yield from (name for name in (*_PROJECT, *_ENVIRONMENTS) if name in names)


def _read(path: str) -> dict[str, str]:
    try:
        data = reading.read(path, reading.SOURCE).replace(b"\r\n", b"\n")
    except OSError:
        return {}
    name = os.path.basename(path)
    found = {}
    for library, known in LIBRARIES.items():
        if name in _LOCKS:
            versions = _locked(data, known)
        elif name == "pixi.lock":
            versions = _pixi(data, known)
        elif name in _PROJECT:
            versions = _quoted(data, known)
        else:
            versions = _first(data.split(b"\n"), known)
        if versions:
            found[library] = versions
    return found


def _locked(data: bytes, names: Sequence[str]) -> str:
    """`name = "torch"`, and the version on the next line."""
    found = []
    for name in names:
        head = f'\nname = "{name}"\nversion = "'.encode()
        found += [piece.partition(b'"')[0].decode("ascii", "replace") for piece in data.split(head)[1:]]
    return _span(found)


def _pixi(data: bytes, names: Sequence[str]) -> str:
    """The names of the packages' files: `.../pytorch-2.4.0-cuda124.conda`, `.../torch-2.4.0-cp312.whl`."""
    pieces = [piece for name in names for piece in data.split(f"/{name}-".encode())[1:]]
    return _span([p.partition(b"-")[0].decode("ascii", "replace") for p in pieces if p[:1].isdigit()])


def _span(versions: Sequence[str]) -> str:
    """Several platforms may have several versions."""
    if not versions:
        return ""
    from mllint.requirements import span

    return span(versions)


def _quoted(data: bytes, names: Sequence[str]) -> str:
    """`"torch>=2.3"` in a list, `torch = "^2.3"` or `torch = {version = "^2.3"}` in a table, or a line by itself."""
    for line in data.split(b"\n"):
        if not any(name.encode() in line for name in names):
            continue
        stripped = line.partition(b"#")[0].strip().replace(b"'", b'"')
        key, _, value = stripped.partition(b"=")
        if key.strip(b' "') in [name.encode() for name in names] and value.strip()[:1] in (b'"', b"{"):
            written = value.partition(b"version")[2] if b"{" in value else value
            quoted = written.split(b'"')[1:2]
            pieces = [names[0].encode() + _with_operator(piece) for piece in quoted]
        else:
            pieces = stripped.split(b'"')
        versions = _first(pieces, names)
        if versions:
            return versions
    return ""


def _with_operator(versions: bytes) -> bytes:
    return versions if versions[:1] in (b"<", b">", b"=", b"!", b"~", b"^") else b"==" + versions


def _first(pieces: Iterable[bytes], names: Sequence[str]) -> str:
    """The versions in the first piece of text that says which it requires."""
    encoded = [name.encode() for name in names]
    near = [piece for piece in pieces if any(name in piece.lower() for name in encoded)]
    if not near:
        return ""
    from mllint.requirements import required

    return next(filter(None, (required(piece.decode("utf-8", "replace"), names) for piece in near)), "")
