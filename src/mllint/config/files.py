"""Which files may configure a run, and what do they say, as text?

    candidates(["src/train.py"])     src/.mllint.toml, src/mllint.toml, src/pyproject.toml, .mllint.toml, ...

The nearest of them that speaks of mllint counts; who asks is `load`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from mllint.errors import ConfigError
from mllint.files import reading

__all__ = ["CONFIG_FILES", "candidates", "common_folder", "read_file", "shown"]

CONFIG_FILES = (".mllint.toml", "mllint.toml", "pyproject.toml")
"""The names that a configuration may have, best first."""


def candidates(paths: Sequence[str]) -> Iterator[str]:
    """The files that may configure a run over some files and folders, best first."""
    folder, below = common_folder(paths), ""
    while folder != below:
        yield from (os.path.join(folder, name) for name in CONFIG_FILES)
        folder, below = os.path.dirname(folder), folder


def common_folder(paths: Sequence[str]) -> str:
    """The folder that holds some files and folders; the current one if there are none."""
    absolute = [os.path.abspath(path) for path in paths] or [os.getcwd()]
    try:
        folder = os.path.commonpath(absolute)
    except ValueError:  # different drives
        folder = absolute[0]
    return folder if os.path.isdir(folder) else os.path.dirname(folder)


def read_file(path: str, *, whole: bool = False) -> str | None:
    """The text of a configuration file, None if there is none.

    Args:
        path: the file.
        whole: whatever it says; otherwise a `pyproject.toml` that does not mention us is none.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        data = reading.read(path, reading.SETTINGS)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read: {(error.strerror or str(error)).lower()}", shown(path)) from None
    if b"mllint" not in data and path.endswith("pyproject.toml") and not whole:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", shown(path), data.count(b"\n", 0, error.start) + 1) from None


def shown(path: str) -> str:
    """A path as it is reported: relative where it is below the current folder."""
    relative = os.path.relpath(path)
    return (path if relative.startswith("..") else relative).replace(os.sep, "/")
