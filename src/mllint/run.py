"""From paths to a report: the files are divided into components, which are checked in jobs.

    discover -> components -> jobs -> one report

This module decides what has to be done and knows neither rules nor semantics. The report is the same however many jobs
there were.
"""

from __future__ import annotations

from collections.abc import Sequence

from mllint import jobs as processes
from mllint._typing import TYPE_CHECKING
from mllint.components import imported, partition
from mllint.diagnostic import Report, merge
from mllint.errors import SourceError
from mllint.files import Discovery, Disk, discover, read
from mllint.jobs import Part

if TYPE_CHECKING:
    from mllint.config import Config
    from mllint.engine import Engine

__all__ = ["check_paths"]


def check_paths(
    paths: Sequence[str],
    config: Config,
    *,
    selected: frozenset[str],
    pedantic: bool,
    jobs: int = 1,
) -> Report:
    """Check files and folders.

    Args:
        paths: as given on the command line; empty means the current folder.
        config: the merged configuration.
        selected: names of the rules to run.
        pedantic: report findings that are not certain as well.
        jobs: how many processes may work at once.

    Raises:
        MllintError: a path does not exist.
    """
    found = discover(paths, config)
    disk = Disk(paths or ["."])

    def make() -> Engine:
        from mllint.engine import Engine

        return Engine(config, selected, pedantic, disk)

    parts = _divide(found, disk)
    return merge((outcome.report for _, outcome in processes.check(parts, make, jobs)), found.notes)


def _divide(found: Discovery, disk: Disk) -> list[Part]:
    """The components that have to be checked."""
    if len(found.files) == 1:
        return [Part(found.files, 0)]
    sizes = {path: size for path, (_, _, size) in zip(found.files, found.stamps, strict=True)}
    names = {path: _imports(path) for path in found.files}
    components = partition(names, disk.locate, disk.package)
    return [Part(paths, sum(sizes[path] for path in paths)) for paths in components]


def _imports(path: str) -> list[str]:
    try:
        return imported(path, read(path))
    except SourceError:
        return []
