"""From paths to a report: what is known from last time is replayed, the rest is divided into components and checked.

    discover -> has anything changed? -> components -> those that are known -> the others, in jobs -> one report

This module decides what has to be done and knows neither rules nor semantics: the engine is loaded when something is
left to check. The report is the same, whatever of it came from the cache and however many jobs there were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from mllint.diagnostic import Report, merge
from mllint.engine import jobs as processes
from mllint.engine.jobs import Outcome, Part
from mllint.errors import SourceError
from mllint.project.discovery import Discovery, Disk, digest, discover
from mllint.project.imports import imported, partition

if TYPE_CHECKING:
    from mllint.config.model import Config
    from mllint.engine.cache import Store
    from mllint.engine.engine import Engine

__all__ = ["Survey", "check_paths", "engine"]

_MAX_KEPT_BYTES = 1 << 24  # so many bytes of files are kept from asking what they import until they are checked


def check_paths(
    paths: Sequence[str],
    config: Config,
    *,
    selected: frozenset[str],
    pedantic: bool,
    found: Discovery | None = None,
    store: Store | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Check files and folders; a path that does not exist is a `MllintError`.

    Args:
        paths: as given on the command line; empty means the current folder.
        config: the settings of the run.
        selected: names of the rules to run, in files that no nested configuration is about.
        pedantic: report findings that are not certain as well, there.
        found: what `discover` says of these paths.
        store: the cache, if there is to be one.
        jobs: how many processes may work at once.
        progress: told how many of how many files are checked, as they are.
    """
    found = found or discover(paths, config)
    known = store.replay(found) if store is not None else None
    if known is not None:
        return known
    disk = Disk(paths or ["."])
    survey = Survey(found, disk, store)
    pending, reports = survey.divide()
    for index, outcome in processes.check(pending, partial(engine, found.config, selected, pedantic, disk), jobs):
        survey.take(pending[index], outcome)
        reports.append(outcome.report)
        if progress is not None:
            progress(sum(report.files for report in reports), len(found.files))
    report = merge(reports, found.notes)
    if store is not None:
        store.save(found, survey.digests, disk, report)
    return report


def engine(config: Config, selected: frozenset[str], pedantic: bool, disk: Disk) -> Engine:
    """The engine, loaded when there is something to check.

    Args:
        config: the settings of the run.
        selected: names of the rules to run.
        pedantic: report findings that are not certain as well.
        disk: finds and reads the files that others import.
    """
    from mllint.engine.engine import Engine

    return Engine(config, selected, pedantic, disk)


class Survey:
    """What the files of a run are: their imports and digests, and which of them belong together.

    Args:
        found: the files.
        disk: reads them, and what they import.
        store: the cache, if there is to be one.
        like: another survey, which knows the files that are not in `changed` already.
        changed: the files of which it knows something else.
    """

    def __init__(
        self,
        found: Discovery,
        disk: Disk,
        store: Store | None,
        like: Survey | None = None,
        changed: Collection[str] = (),
    ) -> None:
        self.disk, self._store, self._like, self._changed = disk, store, like, changed
        self._stamps = dict(zip(found.files, found.stamps, strict=True))
        self.digests: dict[str, str | None] = {}
        self.names: dict[str, Sequence[str]] = {}
        self._alone = False
        self._read: dict[str, tuple[bytes, str]] = {}
        self._bytes_left = _MAX_KEPT_BYTES

    def divide(self) -> tuple[list[Part], list[Report]]:
        """The components that have to be checked, and the reports of the others."""
        if self._store is None and len(self._stamps) == 1:
            return [Part([*self._stamps], 0)], []
        if self._store is not None:
            self._store.open()
        self._alone = len(self._stamps) == 1
        return self.pending(self.components(self.imports()))

    def imports(self) -> dict[str, Sequence[str]]:
        """What each file may import; `divide` does not ask this of a single file."""
        self.names = {path: self._imports(path) for path in self._stamps}
        return self.names

    def components(self, names: Mapping[str, Sequence[str]]) -> list[list[str]]:
        """Some files, divided by what they may import."""
        return partition(names, self.disk.locate, self.disk.package)

    def pending(self, components: Iterable[list[str]], reader: Disk | None = None) -> tuple[list[Part], list[Report]]:
        """As `divide`, of some components; `reader` if their files are not what is on disk."""
        parts: list[Part] = []
        reports: list[Report] = []
        for paths in components:
            key = self._key(paths)
            report = self._store.part(key, paths, self.disk) if self._store is not None and key else None
            if report is not None:
                reports.append(report)
            else:
                read = {path: self._read.pop(path) for path in paths if path in self._read}
                parts.append(Part(paths, sum(self._stamps[path][2] for path in paths), reader, read))
        return parts, reports

    def take(self, part: Part, outcome: Outcome) -> None:
        """Remember what came of checking a component, unless a file has changed in the meantime."""
        if self._store is not None and all(self.digests[path] == known for path, known in outcome.digests.items()):
            key = self._key(part.paths)
            if key is not None:
                self._store.keep(key, outcome.report, outcome.consulted)
        self.digests.update(outcome.digests)

    def _imports(self, path: str) -> Sequence[str]:
        """What a file may import; its digest on the way. A file by itself can be tied to no other."""
        if self._like is not None and path in self._like.names and path not in self._changed:
            self.digests[path] = self._like.digests[path]
            return self._like.names[path]
        store, alone = self._store, self._alone
        known = store.digest(path, self._stamps[path]) if store is not None else None
        names: Sequence[str] | None = () if alone else None
        if store is not None and known is not None and not alone:
            names = store.imports(known)
        if names is None or known is None:
            try:
                data = self.disk.open(path)
            except SourceError:
                self.digests[path] = None
                return []
            known = digest(data) if store is not None else ""
            if len(data) <= self._bytes_left:
                self._bytes_left -= len(data)
                self._read[path] = data, known
            if store is not None and names is None:
                names = store.imports(known)
            if names is None:
                names = imported(path, data)
        if store is not None and not alone:
            store.learn(known, names)
        self.digests[path] = known
        return names

    def _key(self, paths: Sequence[str]) -> str | None:
        """What stands for a component: the names and contents of its files; None if one cannot be read."""
        rows = [(path, self.disk.package(path), self.digests[path]) for path in paths]
        return None if any(row[2] is None for row in rows) else digest(repr(rows).encode("utf-8", "surrogatepass"))
