"""Does git ignore this path? The rules of one `.gitignore`, answered in microseconds.

Every entry of a walked folder is asked about, so the common shapes (`build/`, `*.pyc`) are set and suffix look-ups and
only the rest is a regular expression. The last matching line wins; `!` takes back; a trailing `/` means folders only; a
pattern with a `/` in front or in the middle counts from the folder of the file.

What it does not do: it does not ask about parents (a walker that skips an ignored folder never gets below it), and it
does not know what git already tracks.
"""

from __future__ import annotations

import re

from mllint._typing import NamedTuple

__all__ = ["GitIgnore"]

_GLOB = re.compile(r"[*?\[\\]")


class _Run(NamedTuple):
    """Neighbouring lines of one sign; their order does not matter."""

    ignores: bool
    names: frozenset[str]
    suffixes: tuple[str, ...]
    expression: re.Pattern[str] | None

    def matches(self, path: str, name: str) -> bool:
        return (
            name in self.names
            or name.endswith(self.suffixes)
            or (self.expression is not None and self.expression.fullmatch(path) is not None)
        )


class GitIgnore:
    """The patterns of one file.

    Args:
        text: what the file says.
    """

    __slots__ = ("_files", "_folders")

    def __init__(self, text: str) -> None:
        lines = [parsed for line in text.splitlines() if (parsed := _parsed(line)) is not None]
        self._folders = _runs([(ignores, pattern) for ignores, pattern, _ in lines])
        self._files = _runs([(ignores, pattern) for ignores, pattern, folders_only in lines if not folders_only])

    def __bool__(self) -> bool:
        return bool(self._folders)

    def folder(self, path: str) -> bool | None:
        """Whether a folder is ignored; None if no line is about it. The path is relative to the file's own folder."""
        return _decide(self._folders, path)

    def file(self, path: str) -> bool | None:
        """Whether a file is ignored; None if no line is about it. The path is relative to the file's own folder."""
        return _decide(self._files, path)


def _decide(runs: list[_Run], path: str) -> bool | None:
    name = path[path.rfind("/") + 1 :]
    for run in runs:
        if run.matches(path, name):
            return run.ignores
    return None


def _parsed(line: str) -> tuple[bool, str, bool] | None:
    """Sign, pattern and whether it is about folders only."""
    line = re.sub(r"(?<!\\)[ \t]+$", "", line)
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    if not pattern or line.startswith("#") or pattern == "/":
        return None
    return ignores, pattern.rstrip("/") or "/", pattern.endswith("/")


def _runs(lines: list[tuple[bool, str]]) -> list[_Run]:
    """Group the lines by sign, last line first."""
    runs: list[_Run] = []
    position = len(lines)
    while position:
        sign = lines[position - 1][0]
        start = position
        while start and lines[start - 1][0] == sign:
            start -= 1
        runs.append(_run(sign, [pattern for _, pattern in lines[start:position]]))
        position = start
    return runs


def _run(ignores: bool, patterns: list[str]) -> _Run:
    names, suffixes, expressions = set(), [], []
    for pattern in patterns:
        if "/" in pattern:
            expressions.append(_expression(pattern.removeprefix("/")))
        elif not _GLOB.search(pattern):
            names.add(pattern)
        elif pattern[0] == "*" and len(pattern) > 1 and not _GLOB.search(pattern[1:]):
            suffixes.append(pattern[1:])
        else:
            expressions.append("(?:.*/)?" + _expression(pattern))
    try:
        compiled = re.compile("|".join(expressions)) if expressions else None
    except re.error:  # an odd character class: git would match nothing by it either
        compiled = _compile_those_that_can(expressions)
    return _Run(ignores, frozenset(names), tuple(suffixes), compiled)


def _compile_those_that_can(expressions: list[str]) -> re.Pattern[str] | None:
    good = []
    for expression in expressions:
        try:
            re.compile(expression)
        except re.error:
            continue
        good.append(expression)
    return re.compile("|".join(good)) if good else None


def _expression(pattern: str) -> str:
    """A glob as a regular expression over a whole relative path."""
    parts = []
    position, end = 0, len(pattern)
    while position < end:
        if pattern.startswith("**/", position) and (position == 0 or pattern[position - 1] == "/"):
            parts.append("(?:.*/)?")
            position += 3
            continue
        if pattern[position:] == "**" and position and pattern[position - 1] == "/":
            parts.append(".+")
            break
        token, position = _token(pattern, position)
        parts.append(token)
    return "".join(parts)


def _token(pattern: str, position: int) -> tuple[str, int]:
    character = pattern[position]
    if character == "*":
        while pattern[position : position + 1] == "*":
            position += 1
        return "[^/]*", position
    if character == "?":
        return "[^/]", position + 1
    if character == "[":
        close = pattern.find("]", position + 2)
        if close > 0:
            inside = pattern[position + 1 : close].replace("\\", "\\\\").replace("[", "\\[")
            inside = "^/" + inside[1:] if inside[0] in "!^" else inside
            return f"[{inside}]", close + 1
    if character == "\\" and position + 1 < len(pattern):
        return re.escape(pattern[position + 1]), position + 2
    return re.escape(character), position + 1
