"""What would a project be if some of its files were not what is on disk? A `Disk` with other contents laid over it.

For the files of an earlier commit, or of git's index: each file is given as its bytes, or as None where there is none.
What is not given is read from disk, imports included.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from mllint.errors import SourceError
from mllint.project.discovery import MAX_BYTES, Disk

__all__ = ["Overlay"]


class Overlay(Disk):
    """A disk on which some files are different.

    Args:
        paths: as for `Disk`.
        over: the contents by absolute path, None where there is no such file.
    """

    __slots__ = ("_added", "_over", "_removed")

    def __init__(self, paths: Iterable[str], over: Mapping[str, bytes | None]) -> None:
        super().__init__(paths)
        self._over = over
        self._added: dict[str, set[str]] = {}
        self._removed: dict[str, set[str]] = {}
        for path, data in over.items():
            folder, name = os.path.split(path)
            (self._removed if data is None else self._added).setdefault(folder, set()).add(name)
        for folder in list(self._added):
            above, name = os.path.split(folder)
            while name and name not in self._added.setdefault(above, set()):
                self._added[above].add(name)
                above, name = os.path.split(above)

    def open(self, path: str) -> bytes:
        """The bytes of a file that is to be checked.

        Raises:
            SourceError: it cannot be read, with the reason.
        """
        absolute = os.path.abspath(path)
        if absolute not in self._over:
            return super().open(path)
        data = self._over[absolute]
        if data is None:
            raise SourceError("the file cannot be read: there is none")
        return data

    def read(self, path: str) -> bytes | None:
        """The bytes of a file that `locate` found; None if it is none, cannot be read or is too large."""
        absolute = os.path.abspath(path)
        if absolute not in self._over:
            return super().read(path)
        data = self._over[absolute]
        return None if data is None or len(data) > MAX_BYTES else data

    def _listing(self, folder: str) -> frozenset[str]:
        known = self._listings.get(folder)
        if known is None:
            on_disk = super()._listing(folder) - self._removed.get(folder, set())
            known = self._listings[folder] = frozenset(on_disk | self._added.get(folder, set()))
        return known
