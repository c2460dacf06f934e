"""Is a glob of the settings about a path?"""

from __future__ import annotations

import fnmatch
import re

__all__ = ["glob_matches"]

_globs: dict[str, re.Pattern[str]] = {}


def glob_matches(pattern: str, path: str) -> bool:
    """Whether a glob is about a relative path: the whole of it, a folder above it, or its last part."""
    pattern = pattern.removeprefix("./").rstrip("/")
    expression = _globs.get(pattern)
    if expression is None:
        expression = _globs[pattern] = re.compile(_expression(pattern))
    candidates = [path, "/" + path]
    if "/" not in pattern:
        candidates += path.split("/")
    else:
        folders = path.split("/")
        candidates += ["/".join(folders[:count]) for count in range(1, len(folders))]
    return any(expression.match(candidate) for candidate in candidates)


def _expression(pattern: str) -> str:
    """The regular expression of a glob; `**/` stands for any number of folders, none among them, as for git."""
    parts = [fnmatch.translate(part)[len("(?s:") : -len(r")\Z")] for part in pattern.split("**/")]
    return rf"(?s:{'(?:.*/)?'.join(parts)})\Z"
