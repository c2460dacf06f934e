"""`mllint init [FOLDER]`: a configuration to start from.

It goes into `pyproject.toml` if there is one, else into a new `mllint.toml`. Nothing that exists is overwritten, and a
project that is configured already is left as it is.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mllint.cli.command import Command, argument, option
from mllint.cli.terminal import OK, emit
from mllint.config.files import CONFIG_FILES
from mllint.errors import MllintError, UsageError
from mllint.files import reading

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["command"]

_FOREIGN = frozenset(
    """third_party third-party thirdparty 3rdparty vendor vendored _vendor external externals extern submodules
    subprojects""".split()
)
"""Names of folders with code of others."""
_GENERATED = ("_pb2.py", "_pb2_grpc.py")


def main(folder: str, show: bool) -> int:
    """Run the command; gives the exit code."""
    if not os.path.isdir(folder):
        raise UsageError(f"`{folder}` is not a folder")

    from mllint.config.files import shown

    existing = _configured(folder)
    if existing is not None:
        emit([f"mllint is configured already in {shown(existing)}"])
        return OK
    excluded, above = _foreign(folder), _above(folder)
    project = os.path.join(folder, "pyproject.toml")
    if show:
        emit(_text(excluded, above, in_project=os.path.isfile(project)).rstrip("\n").split("\n"))
        return OK
    path, what = _written(folder, project, excluded, above)
    emit([f"{what} {shown(path)}", *([f"  it extends {above}"] if above else [])])
    emit(f"  not checked: {name}" for name in excluded)
    emit(["Next: `mllint check`. `mllint config` lists all settings."])
    return OK


def _configured(folder: str) -> str | None:
    """The file of a folder that configures mllint already."""
    from mllint.config.files import read_file
    from mllint.config.toml import table_of

    for name in CONFIG_FILES:
        path = os.path.join(folder, name)
        text = read_file(path)
        if text is not None and table_of(path, text) is not None:
            return path
    return None


def _above(folder: str) -> str:
    """The configuration that counts in a folder so far, seen from there; empty if there is none."""
    from mllint.config.load import load

    path = load([folder]).path
    return os.path.relpath(path, folder).replace(os.sep, "/") if path else ""


def _foreign(folder: str) -> list[str]:
    """What is found in a folder that its own people have not written: folders, and globs of generated files."""
    from mllint.config.model import Config
    from mllint.project.discovery import discover

    root = os.path.abspath(folder)
    found: set[str] = set()
    submodules = _submodules(root)
    for path in discover([folder], Config(root=root, is_final=True)).files:
        relative = os.path.relpath(os.path.abspath(path), root).replace(os.sep, "/")
        found.update(f"*{end}" for end in _GENERATED if relative.endswith(end))
        found.update(place for place in submodules if relative.startswith(f"{place}/"))
        parts = relative.split("/")[:-1]
        found.update("/".join(parts[: index + 1]) for index, part in enumerate(parts) if part in _FOREIGN)
    return sorted(name for name in found if not any(name.startswith(f"{above}/") for above in found))


def _submodules(root: str) -> list[str]:
    """The folders that belong to other repositories, as `.gitmodules` says."""
    try:
        text = reading.read(os.path.join(root, ".gitmodules"), reading.SETTINGS)
    except OSError:
        return []
    lines = text.decode("utf-8", "replace").split("\n")
    pairs = [line.partition("=") for line in lines if line.strip().startswith("path")]
    return [value.strip() for key, _, value in pairs if key.strip() == "path" and value.strip()]


def _text(excluded: Iterable[str], above: str, *, in_project: bool) -> str:
    from mllint.config.explain import toml
    from mllint.config.model import EDITIONS

    lines = ["[tool.mllint]"] if in_project else []
    if above:
        lines += ["# What is said further up counts here, too.", f"extend = {toml(above)}"]
    else:
        lines += [
            "# The rules of this edition. New versions of mllint add no rules until you raise it.",
            f'edition = "{max(EDITIONS)}"',
        ]
    names = list(excluded)
    if names:
        lines += ["# Code of others, and generated code.", f"extend-exclude = {toml(names)}"]
    return "\n".join(lines) + "\n"


def _written(folder: str, project: str, excluded: list[str], above: str) -> tuple[str, str]:
    """Write it; gives the file and what was done to it."""
    try:
        if os.path.isfile(project) and not os.path.islink(project):
            before = reading.read(project, reading.SETTINGS)
            added = _addition(before, _text(excluded, above, in_project=True))
            if added is not None:
                with open(project, "ab") as file:
                    file.write(added)
                return project, "Added [tool.mllint] to"
        path = os.path.join(folder, "mllint.toml")
        with open(path, "x", encoding="utf-8", newline="\n") as new:
            new.write(_text(excluded, above, in_project=False))
    except OSError as error:
        raise MllintError(f"the configuration cannot be written: {error}") from None
    return path, "Wrote"


def _addition(before: bytes, text: str) -> bytes | None:
    """What to put behind a `pyproject.toml`, in its own line ends; None if a table cannot be added to it."""
    from mllint.config.toml import parse

    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = b"" if not before.strip() else end if before.endswith(b"\n") else end * 2
    added = gap + text.encode().replace(b"\n", end)
    then: dict[str, Any] = parse("pyproject.toml", before.decode("utf-8-sig"))
    tools = then.get("tool", {})
    try:
        now = parse("pyproject.toml", (before + added).decode("utf-8-sig"))
    except MllintError:
        return None  # `tool = { ... }`: an inline table, closed for good
    rest = {name: table for name, table in now.get("tool", {}).items() if name != "mllint"}
    return added if rest == tools else None


command = Command(
    "init",
    params=[
        argument("folder", "[FOLDER]", "default: the current folder", required=False, default="."),
        option("--print show", "show what would be written, and write nothing"),
    ],
    help="Write a first configuration; nothing is overwritten.",
    callback=main,
)
"""The command."""
