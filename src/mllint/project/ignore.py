"""Does git ignore this path? `.gitignore` files as a walk over folders meets them.

A pattern counts from the folder of its file, and the nearest file with a pattern that matches a path decides. Matching
is pathspec's, which does what git does. A walk that leaves out an ignored folder never gets below it.

Not covered: the patterns of the user's own git configuration, and what git tracks although a pattern matches it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from mllint.files import reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

__all__ = ["Ignores"]

_EMPTY = ("/", "!/", "!")
"""Lines that match nothing for git."""
_LONGEST, _STARS = 1000, 6
"""Longer patterns, and those with more stars, are left out: matching them can take exponential time."""


class Ignores(NamedTuple):
    """The patterns that hold in a folder: each file's, with the folder it counts from, nearest first."""

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def above(cls, top: str) -> Ignores | None:
        """The patterns from above an absolute folder that is to be walked, up to the root of its repository.

        Returns:
            The patterns; none if they ignore the folder itself, since who names it means it. None outside of git.
        """
        found = cls()
        climbed = [top]
        while not os.path.exists(os.path.join(climbed[-1], ".git")):
            if os.path.dirname(climbed[-1]) == climbed[-1]:
                return None
            climbed.append(os.path.dirname(climbed[-1]))
        found = found.with_file(climbed[-1], os.path.join(climbed[-1], ".git", "info", "exclude"))
        for folder in reversed(climbed[1:]):
            found = found.with_file(folder, os.path.join(folder, ".gitignore"))
        return cls() if len(climbed) > 1 and found.match(top, is_folder=True) else found

    def with_file(self, folder: str, path: str) -> Ignores:
        """These patterns with those of one more file, which is nearer.

        Args:
            folder: the folder that its patterns count from, absolute.
            path: the file; one that cannot be read has no patterns.
        """
        try:
            text = reading.read(path, reading.SETTINGS).decode("utf-8-sig", "replace")
        except OSError:
            return self
        spec = _compiled(text.splitlines())
        return Ignores(((folder, spec), *self.specs)) if len(spec) else self

    def match(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored, by its absolute path."""
        for base, spec in self.specs:
            below = path[len(base.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
            verdict = spec.check_file(f"{below}/" if is_folder else below).include
            if verdict is not None:
                return verdict
        return False


def _compiled(lines: Iterable[str]) -> GitIgnoreSpec:
    """The lines of a `.gitignore` file; those that are no pattern are left out, as git does."""
    import re

    from pathspec import GitIgnoreSpec

    known = [line for line in lines if line.strip() and not line.startswith("#") and line.strip() not in _EMPTY]
    known = [line for line in known if len(line) <= _LONGEST and len(re.findall(r"\*+", line)) <= _STARS]
    known = [re.sub(r"\*{3,}", "**", line) for line in known]
    known = [f"{line}*/" if line.endswith("/**/") else line for line in known]  # which pathspec takes for `/**`
    try:
        return GitIgnoreSpec.from_lines(known)
    except (ValueError, re.error):
        return GitIgnoreSpec.from_lines(line for line in known if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    import re

    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
