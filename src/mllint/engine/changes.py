"""What does a run report when somebody asks about a part of a project: about some files, or about a change?

    mllint check --context . model.py    the project is read; what touches `model.py` is reported
    mllint check --diff-base main        what the change since `main` introduces, in whichever file
    mllint check - --stdin-filename model.py    likewise, with what is typed instead of what `model.py` holds
    mllint check --changed-lines         what touches a line that has changed
    mllint check --staged                what the next commit introduces: the index counts, not the working tree

Only the components are checked that hold a file in question, tied by what is imported now or was imported then (see
`components`). For a change they are checked twice, the second time with the old contents laid over the working tree
(`overlay`), and what was there before is taken away: a finding with the same rule, path, function and statement, else
one that is gone from where the function or the file was called something else. So a change in `model.py` that breaks
`train.py` is reported there, and what was only moved is not.

What it does not do: the configuration, the stubs and what lies outside of Python files and notebooks are those of now
on both sides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mllint.diagnostic import Diagnostic, Report, Span, merge
from mllint.engine import jobs as processes
from mllint.engine.run import Survey, engine
from mllint.errors import SourceError
from mllint.project.changes import Change, Repository, automatic
from mllint.project.discovery import MAX_BYTES, Discovery, Disk, discover, shown
from mllint.project.imports import Forest, imported, tie
from mllint.project.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mllint.config.model import Config
    from mllint.engine.cache import Store
    from mllint.engine.jobs import Part

__all__ = ["Request", "check", "look"]

_UNJUDGED = "internal-error"


class Request(NamedTuple):
    """What is asked about.

    Args:
        paths: files and folders, as given on the command line.
        context: the folder that is read as well; empty for none.
        base: the commit to compare with, `auto` for what a CI service says; empty for none.
        lines: report what touches a changed line, not what a change introduces.
        staged: the index counts, not the working tree.
        typed: files that are asked about instead of `paths`, with contents that are not saved, by absolute path.
    """

    paths: Sequence[str]
    context: str = ""
    base: str = ""
    lines: bool = False
    staged: bool = False
    typed: Mapping[str, bytes] = {}  # never written to

    @property
    def roots(self) -> Sequence[str]:
        """What is read."""
        return [self.context] if self.context else self.paths or [*self.typed] or ["."]


class _Change(NamedTuple):
    """A change as it is compared: its files, the contents of both sides, and the name of the base."""

    files: list[Change]
    blobs: Mapping[str, bytes]
    since: str


class _Side(NamedTuple):
    """A project at one time: its files, and what is laid over the disk."""

    found: Discovery
    over: dict[str, bytes | None]


def look(request: Request, config: Config) -> Discovery:
    """The files around what is asked about, and the settings with the nested ones."""
    if request.typed and not request.context:
        return Discovery([], [], [], config)
    return discover(request.roots, config)


def check(
    request: Request,
    found: Discovery,
    *,
    selected: frozenset[str],
    pedantic: bool,
    store: Store | None,
    jobs: int,
    environment: Mapping[str, str] = os.environ,
) -> tuple[Report, dict[str, str | bytes]]:
    """Check what is asked about.

    Args:
        request: what that is.
        found: what `look` has found.
        selected: names of the rules to run, in files that no nested configuration is about.
        pedantic: report findings that are not certain as well, there.
        store: the cache, if there is to be one.
        jobs: how many processes may work at once.
        environment: the variables in which a CI service says what a change is to be merged into.

    Returns:
        The report, and the files that are not what is on disk.

    Raises:
        MllintError: a path does not exist, or git cannot answer.
    """
    return _Work(found, selected, pedantic, store, jobs).check(request, environment)


class _Work:
    """Checks what has to be checked."""

    def __init__(
        self, found: Discovery, selected: frozenset[str], pedantic: bool, store: Store | None, jobs: int
    ) -> None:
        self._settings = found.config, selected, pedantic
        self._found, self._store, self._jobs = found, store, jobs

    def check(self, request: Request, environment: Mapping[str, str]) -> tuple[Report, dict[str, str | bytes]]:
        """As the function."""
        if request.typed:
            given: set[str] | None = {shown(path) for path in request.typed}
            now = _typed(request, self._found)
        else:
            known = self._found.config._replace(is_final=True)
            given = set(discover(request.paths, known).files) if request.context else None
            now = _Side(self._found, {})
        change, then = None, None
        if request.base or request.lines or request.staged:
            repository = Repository.around(_common(request.roots, environment))
            if request.staged:
                index = repository.unstaged()
                now = _before(now, index, repository.contents(_blobs(index)), request.roots)
            change = _changed(request, repository, environment)
            then = _before(now, change.files, change.blobs, request.roots)
        touched = given or set()
        if change is not None:
            touched = {shown(path) for file in change.files for path in (file.old, file.new) if path is not None}
        report = self.report(request, now, then, touched, change)
        if given is not None:
            inside = [d for d in report.diagnostics if d.rule == _UNJUDGED or any(s.path in given for s in _spans(d))]
            files = report.files if change is not None else len(given.intersection(now.found.files))
            scope = f"{report.scope} and touches the given files" if report.scope else "what touches the given files"
            report = report._replace(diagnostics=inside, files=files, notes=[], scope=scope)
        return report, {shown(path): data for path, data in now.over.items() if data is not None}

    def report(
        self, request: Request, now: _Side, then: _Side | None, touched: Collection[str], change: _Change | None
    ) -> Report:
        """What is found now in the components of some files, without what was found then."""
        if self._store is not None:
            self._store.open()
        survey = Survey(now.found, Overlay(request.roots, now.over), self._store)
        survey.imports()
        sides = [survey]
        if then is not None and change is not None and not request.lines:
            other = {shown(path) for path in {*now.over, *then.over}}
            before = Survey(then.found, Overlay(request.roots, then.over), self._store, survey, other)
            before.imports()
            sides.append(before)
        concerned = _concerned(sides, touched)
        parts = [side.components({path: n for path, n in side.names.items() if concerned(path)}) for side in sides]
        reports = self._checked(list(zip(sides, parts, strict=True)))
        report = merge(reports[0], now.found.notes)._replace(suppressed=0)
        if change is None:
            return report
        found = report.diagnostics
        if request.lines:
            found = _on_lines(found, _changed_lines(change, survey.disk))
        elif len(reports) > 1:
            renamed = {shown(f.old): shown(f.new) for f in change.files if f.old and f.new}
            found = _introduced(found, merge(reports[1]).diagnostics, renamed)
        what = "lines changed" if request.lines else "what is new"
        return report._replace(diagnostics=found, scope=f"{what} since {change.since}")

    def _checked(self, sides: Sequence[tuple[Survey, list[list[str]]]]) -> list[list[Report]]:
        """The reports of some components, for each survey."""
        reports: list[list[Report]] = []
        pending: list[tuple[int, Part]] = []
        for number, (survey, components) in enumerate(sides):
            parts, known = survey.pending(components, survey.disk)
            reports.append(known)
            pending += [(number, part) for part in parts]
        disk = sides[0][0].disk
        outcomes = processes.check([part for _, part in pending], partial(engine, *self._settings, disk), self._jobs)
        for index, outcome in outcomes:
            number, part = pending[index]
            sides[number][0].take(part, outcome)
            reports[number].append(outcome.report)
        if self._store is not None:
            self._store.save_parts([known for survey, _ in sides for known in survey.digests.values()])
        return reports


def _typed(request: Request, found: Discovery) -> _Side:
    """The project around files that are being typed, with them in it."""
    stamps = dict(zip(found.files, found.stamps, strict=True))
    stamps.update((shown(path), (0, 0, len(data))) for path, data in request.typed.items())
    paths = sorted(stamps)
    return _Side(found._replace(files=paths, stamps=[stamps[path] for path in paths]), dict(request.typed))


# ------------------------------------------------------------------------------------------------------------- the past
def _changed(request: Request, repository: Repository, environment: Mapping[str, str]) -> _Change:
    """What has changed since the base: the last commit, unless another one is named."""
    name = automatic(repository, environment) if request.base == "auto" else request.base
    base = repository.merge_base(repository.commit(name), name) if name else repository.last()
    files = repository.changes(base, staged=request.staged)
    shortened = name[:10] if len(name) >= 40 and name.isalnum() else name
    return _Change(files, repository.contents(_blobs(files)), f"`{shortened}`" if name else "the last commit")


def _blobs(files: Iterable[Change]) -> list[str]:
    return [file.before for file in files if file.before is not None and file.old is not None]


def _before(side: _Side, files: Sequence[Change], blobs: Mapping[str, bytes], roots: Sequence[str]) -> _Side:
    """A project as it was before a change."""
    stamps = dict(zip(side.found.files, side.found.stamps, strict=True))
    over = dict(side.over)
    was_there = {file.new for file in files if file.new is not None and shown(file.new) in stamps}
    for file in files:
        if file.new is not None:
            over[file.new] = None
            stamps.pop(shown(file.new), None)
    tops = [os.path.abspath(root) for root in roots]
    for file in files:
        data = blobs.get(file.before or "")
        if file.old is None or data is None:
            continue
        over[file.old] = data
        inside = any(file.old.startswith(top.rstrip(os.sep) + os.sep) for top in tops)
        if (file.new in was_there or (file.new is None and inside)) and len(data) <= MAX_BYTES:
            stamps[shown(file.old)] = (0, 0, len(data))
    paths = sorted(stamps)
    return _Side(side.found._replace(files=paths, stamps=[stamps[path] for path in paths]), over)


def _concerned(surveys: Sequence[Survey], touched: Iterable[str]) -> Callable[[str], bool]:
    """Whether a file is tied to one of some others, in any of the surveys, by whichever files lie between them."""
    forest = Forest()
    for survey in surveys:
        disk, known = survey.disk, set(survey.names)
        fresh: Mapping[str, Iterable[str]] = survey.names
        while fresh:
            targets = tie(forest, fresh, disk.locate, disk.package) - known
            known |= targets
            outside = {path: disk.read(path) for path in sorted(targets)}
            fresh = {path: imported(path, data) for path, data in outside.items() if data is not None}
    roots = {forest.root(path) for path in touched}
    return lambda path: forest.root(path) in roots


def _introduced(now: Sequence[Diagnostic], then: Sequence[Diagnostic], renamed: Mapping[str, str]) -> list[Diagnostic]:
    """The findings that were not there then."""
    left = list(now)
    old = [d._replace(span=d.span._replace(path=renamed.get(d.span.path, d.span.path))) for d in then]
    for sight in (_same, _in_another_function, _in_another_file, _anywhere):
        left, old = _without(left, sight, old), _without(old, sight, left)
    return left


def _without(
    found: Sequence[Diagnostic], sight: Callable[[Diagnostic], Hashable], others: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """The findings that have no equal among the others; one takes away one."""
    equals: dict[Hashable, int] = {}
    for diagnostic in others:
        equals[sight(diagnostic)] = equals.get(sight(diagnostic), 0) + 1
    left = []
    for diagnostic in found:
        if equals.get(sight(diagnostic), 0):
            equals[sight(diagnostic)] -= 1
        else:
            left.append(diagnostic)
    return left


def _same(diagnostic: Diagnostic) -> Hashable:
    return diagnostic.rule, diagnostic.span.path, diagnostic.symbol, diagnostic.statement


def _in_another_function(diagnostic: Diagnostic) -> Hashable:
    return diagnostic.rule, diagnostic.span.path, diagnostic.statement.partition(".")[0]


def _in_another_file(diagnostic: Diagnostic) -> Hashable:
    return diagnostic.rule, diagnostic.symbol, diagnostic.statement.partition(".")[0]


def _anywhere(diagnostic: Diagnostic) -> Hashable:
    return diagnostic.rule, diagnostic.statement.partition(".")[0]


# ---------------------------------------------------------------------------------------------------------------- lines
def _changed_lines(change: _Change, disk: Disk) -> dict[str, Callable[[Span], bool]]:
    """For each file that has changed, whether a span touches a line that is new in it."""
    touches: dict[str, Callable[[Span], bool]] = {}
    for file in change.files:
        if file.new is not None:
            before = change.blobs.get(file.before or "", b"") if file.old is not None else b""
            touches[shown(file.new)] = _touching(shown(file.new), before, disk)
    return touches


def _touching(path: str, before: bytes, disk: Disk) -> Callable[[Span], bool]:
    from difflib import SequenceMatcher

    from mllint.sources.source import Source

    try:
        source = Source.from_bytes(path, disk.open(path))
    except SourceError:
        return lambda span: True
    try:
        old = Source.from_bytes(path, before).text.split("\n") if before else []
    except SourceError:
        old = []
    new = source.text.split("\n")
    changes = SequenceMatcher(None, old, new).get_opcodes()
    fresh = {line for kind, _, _, start, end in changes if kind != "equal" for line in range(start + 1, end + 1)}

    def touching(span: Span) -> bool:
        first = source.document_line(span)
        return not fresh.isdisjoint(range(first, first + span.end.line - span.start.line + 1))

    return touching


def _on_lines(found: Iterable[Diagnostic], lines: Mapping[str, Callable[[Span], bool]]) -> list[Diagnostic]:
    def touches(diagnostic: Diagnostic) -> bool:
        return any(span.path in lines and lines[span.path](span) for span in _spans(diagnostic))

    return [diagnostic for diagnostic in found if diagnostic.rule == _UNJUDGED or touches(diagnostic)]


def _spans(diagnostic: Diagnostic) -> list[Span]:
    return [diagnostic.span, *(label.span for label in diagnostic.labels)]


def _common(paths: Sequence[str], environment: Mapping[str, str]) -> str:
    """The folder to ask git in: the one that holds everything, or the current one in a hook, where git says so."""
    if "GIT_DIR" in environment:
        return os.getcwd()
    absolute = [os.path.abspath(path) for path in paths]
    try:
        folder = os.path.commonpath(absolute)
    except ValueError:  # different drives
        folder = absolute[0]
    return folder if os.path.isdir(folder) else os.path.dirname(folder)
