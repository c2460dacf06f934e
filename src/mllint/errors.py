"""What can go wrong while mllint reads its input, said in one sentence each.

    MllintError                 everything that mllint raises on purpose: print it, exit with code 2
    ├── ConfigError             a configuration file or option is wrong: file, line, what to write instead
    ├── SourceError             one file cannot be read as Python: line and column; becomes a `syntax-error` finding
    ├── StubError               a stub is wrong: file and line
    └── UsageError              the command line asks for something that does not exist

A message is complete by itself: it names the user's own word and says what to do. `str(error)` adds the place. Nothing
here knows how a message is printed; an exception that is not listed here is a bug of ours.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ConfigError", "MllintError", "SourceError", "StubError", "UsageError", "did_you_mean", "nearest"]


class MllintError(Exception):
    """An expected failure; its text is meant for the user."""


class ConfigError(MllintError):
    """The configuration is wrong.

    Args:
        message: one sentence.
        path: the configuration file, empty for a command line option.
        line: 1-based line in that file, None if it is not known.
    """

    def __init__(self, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return _placed(self.message, self.path, self.line)


class SourceError(MllintError):
    """A file, or one notebook cell, cannot be read as Python.

    Args:
        message: one sentence.
        line: 1-based line, within the cell if there is one.
        column: 1-based column in code points.
        cell: 1-based notebook cell over all cells, None outside notebooks.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1, cell: int | None = None) -> None:
        super().__init__(message, line, column, cell)
        self.message = message
        self.line = line
        self.column = column
        self.cell = cell

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{cell}{self.line}:{self.column}: {self.message}"


class StubError(MllintError):
    """A stub is wrong.

    Args:
        message: one sentence.
        path: the stub file.
        line: 1-based line in that file, None if it is not known.
    """

    def __init__(self, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return _placed(self.message, self.path, self.line)


class UsageError(MllintError):
    """The command line asks for something that does not exist."""


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that `word` was probably meant to be, None if there is none like it."""
    import difflib

    known = {name.lower(): name for name in sorted(names)}
    matches = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return known[matches[0]] if matches else None


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`, did you mean ...?` to be put behind a sentence about `word`, empty if no name is like it."""
    name = nearest(word, names)
    return f", did you mean `{name}`?" if name else ""


def _placed(message: str, path: str, line: int | None) -> str:
    if not path:
        return message
    return f"{path}: {message}" if line is None else f"{path}:{line}: {message}"
