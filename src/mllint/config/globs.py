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
        expression = _globs[pattern] = re.compile(fnmatch.translate(pattern))
    candidates = [path, "/" + path]
    if "/" not in pattern:
        candidates += path.split("/")
    else:
        folders = path.split("/")
        candidates += ["/".join(folders[:count]) for count in range(1, len(folders))]
    return any(expression.match(candidate) for candidate in candidates)
