"""What does a report refer to that a format may need? The lines of its files, the pages of its rules, the repository.

Formats are pure functions (`report`). What they need from the disk and from the environment is collected here, most of
it as functions that read a file when they are first asked about it.

Paths in findings are as the user wrote them. Who looks at a repository from outside, such as code scanning, counts
from its top and knows lines of files and no cells: `in_file` translates, with the file of a notebook read once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mllint.errors import SourceError
from mllint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mllint.catalogue.pages import RuleInfo
    from mllint.config.model import Config
    from mllint.diagnostic import Diagnostic, Report, Span
    from mllint.report import Lines, Results
    from mllint.sources.rawnotebook import RawNotebook

__all__ = ["collect", "lines_of", "repository"]


def collect(report: Report, settings: Config, selected: Collection[str], memory: Mapping[str, str | bytes]) -> Results:
    """A report with all that it refers to.

    Args:
        report: what a run found.
        settings: the merged configuration.
        selected: the names of the rules that were asked.
        memory: files that are not on disk, by path.
    """
    from mllint.catalogue import pages
    from mllint.findings.fingerprint import fingerprinted
    from mllint.report import Results

    lines = lines_of(memory)
    found = report.diagnostics
    if not all(diagnostic.fingerprint for diagnostic in found):
        found = fingerprinted(found, lines)
    named = {*selected, *(diagnostic.rule for diagnostic in found)}
    return Results(
        diagnostics=found,
        files=report.files,
        lines=report.lines,
        suppressed=report.suppressed,
        notes=report.notes,
        crashed=report.crashed,
        asked=len(selected),
        rules=[info for info in pages.rules().values() if info.name in named],
        fails=_fails(settings),
        version=__version__,
        lines_of=lines,
        in_file=_in_file(memory),
        browse=_browse(os.environ),
        page=_page,
        baselined=report.baselined,
        stale=report.stale,
        scope=report.scope,
    )


def _fails(settings: Config) -> Callable[[Diagnostic], bool]:
    """Says which findings are failures; where no finding ends a run, those that usually would."""

    def usual(one: Config) -> Config:
        return one._replace(fail_on="warning") if one.fail_on == "never" else one

    run = usual(settings)._replace(nested={folder: usual(one) for folder, one in settings.nested.items()})
    return lambda diagnostic: run.fails(diagnostic.span.path, diagnostic.severity)


def lines_of(memory: Mapping[str, str | bytes]) -> Lines:
    """Gives the lines of files as the findings count them; of `memory` where it holds the file."""
    from mllint.sources.source import Source

    known: dict[str, Source | None] = {}

    def lines(path: str, cell: int | None) -> Sequence[str]:
        if path not in known:
            try:
                known[path] = Source.from_bytes(path, _data(path, memory))
            except SourceError:
                known[path] = None
        source = known[path]
        return () if source is None else source.lines_of(cell)

    return lines


def _data(path: str, memory: Mapping[str, str | bytes]) -> bytes:
    from mllint.project import discovery

    data = memory[path] if path in memory else discovery.read(path)
    return data.encode() if isinstance(data, str) else data


def _in_file(memory: Mapping[str, str | bytes]) -> Callable[[Span], Span]:
    """Gives spans as the repository counts: paths from its top, lines and columns of the file, no cells."""
    top = repository(os.getcwd())
    notebooks: dict[str, RawNotebook] = {}

    def in_file(span: Span) -> Span:
        path = span.path
        if span.cell is not None:
            if path not in notebooks:
                from mllint.sources.rawnotebook import RawNotebook

                try:
                    notebooks[path] = RawNotebook(_data(path, memory))
                except SourceError:
                    notebooks[path] = RawNotebook(b"")
            span = notebooks[path].span(span)
        return span._replace(path=_from(top, path))

    return in_file


def repository(folder: str) -> str:
    """The top of the git repository around a folder; the folder itself if there is none."""
    at = os.path.abspath(folder)
    while not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above
    return at


def _from(top: str, path: str) -> str:
    """A path from the top of the repository, absolute if it is outside."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute, top)
    except ValueError:  # another drive
        relative = ".."
    outside = relative == ".." or relative.startswith(".." + os.sep)
    return (absolute if outside else relative).replace(os.sep, "/")


def _browse(environment: Mapping[str, str]) -> str:
    """The top of the repository on the web, at the commit that is checked, as the variables of a CI service say it."""
    github = [environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "SHA")]
    if all(github):
        return "{}/{}/blob/{}/".format(*github)
    gitlab = [environment.get(f"CI_{name}", "") for name in ("PROJECT_URL", "COMMIT_SHA")]
    return "{}/-/blob/{}/".format(*gitlab) if all(gitlab) else ""


def _page(info: RuleInfo) -> str:
    from mllint.catalogue import pages

    try:
        return pages.page(info)
    except OSError:
        return ""
