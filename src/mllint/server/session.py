"""What is found in a folder whose files keep changing?

    session = Session([folder], config, selected)
    session.put("train.py", data)            # a buffer shadows its file
    for pause in session.work(["train.py"]): # may be left at any pause: `put` something and start again
        ...
    session.findings("train.py")

The unit is that of the command line: a component, the files that are tied by imports. Every answer in the end is that
of a run of the engine over a whole component, in its order, so that it is the answer of a fresh run; what makes it fast
is that texts, trees and indexes of unchanged files are kept (`kept`).

A component that takes long to check is answered in steps. At first only the files that were edited or are open are
asked about, while what all others have said before stands (moved to where its lines are now); then, when there is time,
all of it in order. Either way what is found by following flows comes last, since that takes longest; until then, what
was found so before stands. A pause is reached after each question, so that a newer edit never waits.

A buffer that does not parse counts with its last text that did, for itself and for all that import it; its findings are
shown where their lines are now, together with the syntax error.

What it does not do: it knows neither the protocol nor when to work.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING

from mllint.catalogue import pages
from mllint.diagnostic import Diagnostic
from mllint.engine.component import Component
from mllint.engine.engine import Engine
from mllint.errors import ConfigError, MllintError, SourceError
from mllint.project import discovery
from mllint.project.imports import partition
from mllint.project.overlay import Overlay
from mllint.server.kept import File, KeptComponent, KeptRun
from mllint.server.nearby import touched
from mllint.server.shift import Shift, moved

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set

    from mllint.config.model import Config
    from mllint.findings.baseline import Baseline
    from mllint.server.fixing import Fixing

__all__ = ["REST", "SHOWN", "STEP", "Session"]

STEP, SHOWN, REST = range(3)
"""Why `work` pauses: to be interruptible; because there are new findings; because what follows can wait."""
_SHOWN_EARLY_SECONDS = 0.02  # of a component that takes longer, what no flow is needed for is shown before
_ANSWERED_TWICE_SECONDS = 0.05  # a component that takes longer is answered twice
_MAX_FIRST_SHARE = 0.5  # of a component; with less to ask about at first, that pays
_PYTHON = (".py", ".ipynb")

State = tuple[str, ...]
"""The digests of the files of a component."""


class _Part:
    """A component: its files, and what was last found by asking about each of them."""

    __slots__ = ("answers", "cost", "lookups", "outside", "paths", "quick", "rooted", "soon", "state", "texts")

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        self.state: State | None = None
        self.quick: tuple[State, frozenset[str]] | None = None
        self.soon: tuple[State, frozenset[str]] | None = None
        self.answers: dict[tuple[str, bool], list[Diagnostic]] = {}
        self.rooted: dict[tuple[str, str], list[Diagnostic]] = {}
        self.texts: dict[str, File] = {}
        self.lookups: dict[tuple[str, str, int], str | None] = {}
        self.outside: dict[str, str | None] = {}
        self.cost = 0.0


class Session:
    """One run that does not end.

    Args:
        paths: what is checked, as on the command line.
        config: the settings of the run.
        selected: the names of the rules that run, in files that no nested configuration is about.

    Raises:
        ConfigError: a nested configuration is wrong, or one names a folder, or a baseline, that does not exist.
    """

    def __init__(self, paths: Sequence[str], config: Config, selected: frozenset[str]) -> None:
        self.paths = list(paths)
        found = _looked(self.paths, config)
        config = found.config
        self.config = config._replace(is_final=True)  # where another one has come, another session is opened
        self.log: list[str] = []
        self.generation = 0
        self._buffers: dict[str, File] = {}
        self._good: dict[str, File] = {}
        self._shadows: dict[str, bytes | None] = {}
        self._errors: dict[str, list[Diagnostic]] = {}
        self._files: dict[str, File] = {}
        self._outside: dict[str, File] = {}
        self._stamps: dict[str, discovery.Stamp] = {}
        self._parts: dict[str, _Part] = {}
        self._found: dict[str, list[Diagnostic]] = {}
        self._based: dict[str, File] = {}
        self._way: tuple[File, File, Shift | None] | None = None  # the last one that was asked for
        self._disk = Overlay(self.paths, self._shadows)
        self._engine = Engine(config, selected, config.pedantic, self._disk)
        self._fixing: Fixing | None = None
        self._selected = selected
        self._baselines = _baselines(config)
        self._divided = False
        self._unread: set[str] = set()
        self._take(found)

    # ----------------------------------------------------------------------------------------------------- changes
    def put(self, path: str, data: bytes) -> None:
        """A buffer was opened or edited."""
        new = path not in self._buffers
        self._buffers[path] = File(path, data, like=self._files.get(path))
        self._shadows[os.path.abspath(path)] = data
        if path not in self._stamps:
            self._divided = False
        self._unread.add(path)
        self.generation += 1
        if new and path not in self._stamps:
            self.rescan()

    def close(self, path: str) -> None:
        """A buffer was closed: its file counts again."""
        for table in (self._buffers, self._good, self._errors):
            table.pop(path, None)
        self._shadows.pop(os.path.abspath(path), None)
        self._unread.add(path)
        self.generation += 1
        self.rescan()

    def rescan(self) -> None:
        """Files may have come, gone or changed: look again."""
        self._take(_looked(self.paths, self.config))

    def _take(self, found: discovery.Discovery) -> None:
        known = self._stamps
        self._stamps = dict(zip(found.files, found.stamps, strict=True))
        for path in self._buffers.keys() - self._stamps.keys():
            if self._wants(path):
                self._stamps[path] = (0, 0, 0)
        self._unread.update(path for path, stamp in self._stamps.items() if known.get(path) != stamp)
        for path in known.keys() - self._stamps.keys():
            self._files.pop(path, None)
            self._found.pop(path, None)
            self._based.pop(path, None)
        self._outside.clear()
        self._divided = False
        self.generation += 1

    def _wants(self, path: str) -> bool:
        """Would a file be checked, if the buffer of that name were saved?"""
        if os.path.exists(path):
            return False  # it was not found, so it is left out
        absolute = os.path.abspath(path)
        if absolute in map(os.path.abspath, self.paths):
            return True
        from mllint.config.globs import glob_matches

        config = self.config.of(path)
        patterns = (*config.exclude, *config.extend_exclude)
        for folder in map(os.path.abspath, self.paths):
            if path.endswith(_PYTHON) and absolute.startswith(folder.rstrip(os.sep) + os.sep):
                relative = os.path.relpath(absolute, folder).replace(os.sep, "/")
                return not any(glob_matches(pattern, relative) for pattern in patterns)
        return False

    # ----------------------------------------------------------------------------------------------------- answers
    def checks(self, path: str) -> bool:
        """Is a file one of those that are checked?"""
        return path in self._stamps

    def found(self) -> Iterable[str]:
        """The files with findings, sorted."""
        return sorted({*(path for path, found in self._found.items() if found), *self._errors})

    def findings(self, path: str) -> list[Diagnostic]:
        """What was last found in a file, at the places where its lines are now."""
        found = self._found.get(path, [])
        errors = self._errors.get(path)
        shifts = self._shifts({path, *(label.span.path for diagnostic in found for label in diagnostic.labels)})
        if errors is None and not shifts:
            return found
        kept = [there for diagnostic in found if (there := moved(diagnostic, shifts)) is not None]
        return kept if errors is None else [d for d in kept if d.rule != "syntax-error"] + errors

    def _shifts(self, paths: Iterable[str]) -> dict[str, Shift]:
        """The ways from the texts that were asked about to those of the buffers, where these are others."""
        shifts = {}
        for path in paths:
            old, new = self._based.get(path), self._buffers.get(path)
            if old is not None and new is not None and old.digest != new.digest and not old.dropped:
                shift = self._shift(old, new)
                if shift is not None:
                    shifts[path] = shift
        return shifts

    def _shift(self, old: File, new: File) -> Shift | None:
        """The way from one text to the other; None if one of them cannot be decoded."""
        if self._way is None or self._way[:2] != (old, new):
            before, after = old.text(), new.text()
            self._way = old, new, None if before is None or after is None else Shift(before, after)
        return self._way[2]

    def current(self, path: str) -> bool:
        """Do the findings in a file rest on what it says now?"""
        part = self._parts.get(path)
        if not self._divided or self._unread or part is None:
            return path not in self._stamps
        state = self._state(part)
        return part.state == state or (part.quick is not None and part.quick[0] == state and path in part.quick[1])

    def soon(self, path: str) -> bool:
        """Do they, but for what is found by following flows?"""
        part = self._parts.get(path)
        if not self._divided or self._unread or part is None or part.soon is None:
            return False
        return part.soon[0] == self._state(part) and path in part.soon[1]

    def source(self, path: str) -> File | None:
        """A file as it is now: the buffer, whether it parses or not."""
        known = self._buffers.get(path) or self._files.get(path)
        if known is not None and not known.dropped:
            return known
        data = self._disk.read(path)
        return None if data is None else File(path, data)

    @property
    def fixing(self) -> Fixing:
        """What is asked for fixes."""
        if self._fixing is None:
            from mllint.server.fixing import Fixing

            self._fixing = Fixing(self.paths, self.config, self._selected)
        return self._fixing

    def component(self, path: str) -> dict[str, bytes]:
        """A file and those that are tied to it by imports, as they are now."""
        part = self._parts.get(path)
        found = {one: self._disk.read(one) for one in (part.paths if part is not None else (path,))}
        return {one: data for one, data in found.items() if data is not None}

    # -------------------------------------------------------------------------------------------------------- work
    def work(self, watched: Iterable[str], *, everything: bool = True) -> Generator[int]:
        """Bring all findings up to date.

        Args:
            watched: more files that somebody waits for, besides the buffers.
            everything: also the components that none of these is in.

        Yields:
            STEP, SHOWN or REST; then the session may be changed, if what is left of this iterator is thrown away.
        """
        looked_at = self._buffers.keys() | frozenset(watched)
        yield from self._read()
        later = []
        for part in self._ordered(looked_at):
            if not everything and looked_at.isdisjoint(part.paths):
                break
            if part.state != self._state(part):
                edited = self._edited(part) if part.answers and part.cost > _SHOWN_EARLY_SECONDS else None
                if edited is not None or (part.answers and self._pays(part, looked_at)):
                    yield from self._quickly(part, looked_at, edited)
                    later.append(part)
                else:
                    yield from self._check(part, looked_at)
        for part in later:
            yield REST
            yield from self._check(part, looked_at)
        for part in self._ordered(looked_at):
            dropped = [path for path in part.paths if self._files[path].dropped]
            if dropped and not looked_at.isdisjoint(part.paths):
                yield REST
                yield from self._warm(dropped)

    def _warm(self, dropped: Iterable[str]) -> Iterator[int]:
        """Read the files of a component in which something is looked at, before the first edit needs them."""
        component = KeptComponent(self._engine, self._file)
        try:
            for path in dropped:
                file = self._files[path] = self._adopted(path)
                component.add_kept_file(file)
                yield STEP
        finally:
            component.close()

    def _ordered(self, looked_at: Set[str]) -> list[_Part]:
        """The components, those first in which something is looked at."""
        parts = list({id(part): part for part in self._parts.values()}.values())
        return sorted(parts, key=lambda part: looked_at.isdisjoint(part.paths))

    def _read(self) -> Iterator[int]:
        """Read what has changed, and divide the files into components if that may have changed."""
        for path in sorted(self._unread):
            if path in self._stamps:
                before = self._files.get(path)
                file = self._files[path] = self._adopted(path)
                if before is not None and before is not file:
                    before.close()
                if path in self._based and self._based[path].digest == file.digest:
                    self._based[path] = file  # the old one may have been dropped
                part = self._parts.get(path)
                if part is not None and path in part.texts and part.texts[path].digest == file.digest:
                    part.texts[path] = file
                if before is None or before.imports != file.imports:
                    self._divided = False
                if path not in self._buffers:
                    yield STEP
            self._unread.discard(path)
        if not self._divided:
            self._divide()
            yield STEP

    def _adopted(self, path: str) -> File:
        """The file that counts for a path: of a buffer that does not parse its last text that did."""
        self._errors.pop(path, None)
        buffer = self._buffers.get(path)
        if buffer is None:
            try:
                return _same(self._files.get(path), path, discovery.read(path))
            except SourceError as error:
                return File(path, b"", error)
        file = buffer = self._buffers[path] = _same(self._files.get(path), path, buffer.data, buffer)
        if not buffer.broken:
            self._good[path] = buffer
        elif path in self._good:
            file = self._good[path]
            self._errors[path] = self._errors_in(buffer)
        self._shadows[os.path.abspath(path)] = file.data
        return file

    def _errors_in(self, file: File) -> list[Diagnostic]:
        """The syntax errors of a file."""
        component = Component(self._engine)
        component.add_file(file.path, file.data)
        errors = [found for found in component.diagnostics.reported if found.rule == "syntax-error"]
        component.close()
        return errors

    def _divide(self) -> None:
        """Find the components; one with the same files as before keeps what is known of it."""
        self._disk = self._engine.reader = Overlay(self.paths, self._shadows)
        known = {part.paths: part for part in self._parts.values()}
        costs = {path: part.cost for part in known.values() for path in part.paths}
        answers = {key: found for part in known.values() for key, found in part.answers.items()}
        rooted = {root: found for part in known.values() for root, found in part.rooted.items()}
        texts = {path: text for part in known.values() for path, text in part.texts.items()}
        self._parts = {}
        names = {path: self._files[path].imports for path in self._stamps if path in self._files}
        for paths in partition(names, self._disk.locate, self._disk.package):
            part = known.get(tuple(paths))
            if part is None:
                part = _Part(paths)
                part.cost = max(costs.get(path, 0.0) for path in paths)
                keys = [(path, flows) for path in paths for flows in (False, True)]
                part.answers = {key: answers[key] for key in keys if key in answers}
                part.rooted = {root: found for root, found in rooted.items() if root[0] in paths}
                part.texts = {path: texts[path] for path in paths if path in texts}
            elif not self._holds(part):
                part.state = part.quick = part.soon = None
            for path in paths:
                self._parts[path] = part
        self._divided = True

    def _holds(self, part: _Part) -> bool:
        """Does each import still lead where it led, and is what was read outside unchanged?"""
        for (folder, name, level), target in part.lookups.items():
            if self._disk.locate_from(os.path.abspath(folder), name, level) != target:
                return False
        for path, known in part.outside.items():
            data = self._disk.read(path)
            if (None if data is None else discovery.digest(data)) != known:
                return False
        return True

    def _state(self, part: _Part) -> State:
        return tuple([self._files[path].digest for path in part.paths])

    # ----------------------------------------------------------------------------------------------------- checking
    def _check(self, part: _Part, looked_at: Set[str]) -> Iterator[int]:
        """Ask about all files of a component, in their order."""
        start = perf_counter()
        run = KeptRun(self._engine, self._file, None)
        try:
            yield from self._admit(run, part)
            state = self._state(part)
            yield from self._ask(run, part, None if part.quick is not None else frozenset(part.paths))
            self._report(part, run.unsuppressed())
            part.answers, part.rooted = run.answers, run.rooted
            part.state, part.quick, part.soon = state, None, None
            part.texts = {path: self._files[path] for path in part.paths}
            part.lookups, part.outside = run.component.lookups, run.component.external_files
            part.cost = perf_counter() - start
        finally:
            run.component.close()
        if looked_at.isdisjoint(part.paths):
            for path in part.paths:
                self._files[path].drop()
        yield SHOWN

    def _pays(self, part: _Part, looked_at: Set[str]) -> bool:
        """Does a component take long, and would most of it not be asked at first?"""
        size = {path: len(self._files[path].data) for path in part.paths}
        wanted = sum(size[path] for path in size if path in looked_at or self._is_edited(part, path))
        return part.cost > _ANSWERED_TWICE_SECONDS and wanted < _MAX_FIRST_SHARE * sum(size.values())

    def _is_edited(self, part: _Part, path: str) -> bool:
        return path not in part.texts or part.texts[path].digest != self._files[path].digest

    def _edited(self, part: _Part) -> dict[str, frozenset[str]] | None:
        """What was edited in which files, if it stays inside of functions and classes; None else, or if too much is."""
        edited: dict[str, frozenset[str]] = {}
        for path in part.paths:
            if self._is_edited(part, path):
                names = touched(part.texts[path], self._files[path]) if path in part.texts and not edited else None
                if names is None:
                    return None
                edited[path] = names
        return edited or None

    def _quickly(self, part: _Part, looked_at: Set[str], edited: Mapping[str, frozenset[str]] | None) -> Iterator[int]:
        """Ask about the files that were edited or are open only, and follow the flows that the edit may have changed,
        if that is known; what has been said about all else stands."""
        state = self._state(part)
        wanted = frozenset(path for path in part.paths if path in looked_at or self._is_edited(part, path))
        if part.quick == (state, wanted):
            return
        run = KeptRun(self._engine, self._file, wanted, edited)
        try:
            yield from self._admit(run, part)
            start = len(run.diagnostics.reported)
            yield from self._ask(run, part, wanted)
            run.diagnostics.reported[start:] = self._merged(part, run)
            self._report(part, run.unsuppressed())
            part.state, part.quick, part.soon = None, (state, wanted), None
        finally:
            run.component.close()
        yield SHOWN

    def _ask(self, run: KeptRun, part: _Part, wanted: frozenset[str] | None) -> Iterator[int]:
        """Ask, and show what is known before flows are followed, if that is of use for some files."""
        state, first = self._state(part), len(run.diagnostics.reported)
        waiting = (
            wanted is not None
            and part.cost > _SHOWN_EARLY_SECONDS
            and bool(part.answers)
            and part.soon != (state, wanted)
        )
        for _ in run.questions():
            if waiting and run.late:
                waiting = False
                found = run.diagnostics.reported
                run.diagnostics.reported = [*found[:first], *self._merged(part, run)]
                self._report(part, run.unsuppressed())
                run.diagnostics.reported = found
                part.state, part.soon = None, (state, wanted or frozenset())
                yield SHOWN
            yield STEP

    def _merged(self, part: _Part, run: KeptRun) -> Iterator[Diagnostic]:
        """The new answers and the old ones of all others, each finding once."""
        shifts, lost = {}, set()
        for path in part.paths:
            old, new = part.texts.get(path), self._files[path]
            if old is not None and old.digest != new.digest:
                shift = None if old.dropped else self._shift(old, new)
                if shift is not None:
                    shifts[path] = shift
                else:
                    lost.add(path)
        seen = set()
        for diagnostic, fresh in self._reported(part, run):
            there = diagnostic if fresh else moved(diagnostic, shifts)
            if not fresh and diagnostic.span.path in lost:
                continue
            if there is not None and (there.rule, there.span) not in seen:
                seen.add((there.rule, there.span))
                yield there

    def _reported(self, part: _Part, run: KeptRun) -> Iterator[tuple[Diagnostic, bool]]:
        """What was found by asking about each file and by following each flow, and whether it was just now."""
        rooted: dict[str, list[tuple[str, str]]] = {}
        for root in dict.fromkeys((*part.rooted, *run.rooted)):
            rooted.setdefault(root[0], []).append(root)
        for path in part.paths:
            for flows in (False, True):
                known = run.answers.get((path, flows))
                if known is not None:
                    yield from ((diagnostic, True) for diagnostic in known)
                elif flows:
                    for root in rooted.get(path, ()):
                        fresh = root in run.rooted
                        yield from ((diagnostic, fresh) for diagnostic in (run if fresh else part).rooted[root])
                else:
                    yield from ((diagnostic, False) for diagnostic in part.answers.get((path, False), ()))

    def _admit(self, run: KeptRun, part: _Part) -> Iterator[int]:
        for path in part.paths:
            file = self._files[path]
            if file.dropped:
                file = self._files[path] = self._adopted(path)
                run.kept.add_kept_file(file)
                yield STEP
            else:
                run.kept.add_kept_file(file)
        yield STEP

    def _file(self, path: str, data: bytes) -> File:
        """The kept file of a component, or one that is read for it."""
        known = self._files.get(path) or self._outside.get(path)
        if known is None or (data and known.data != data):
            known = self._outside[path] = File(path, data)
        return known

    def _report(self, part: _Part, final: list[Diagnostic]) -> None:
        """Keep the findings by file; a crash is for the log."""
        by_path: dict[str, list[Diagnostic]] = {path: [] for path in part.paths}
        accepted = self._accepted([diagnostic for diagnostic in final if diagnostic.rule != "internal-error"])
        for diagnostic in final:
            if diagnostic.rule == "internal-error":
                self.log.append(f"{diagnostic.span.path}: {diagnostic.message}")
            elif id(diagnostic) not in accepted:
                by_path.setdefault(diagnostic.span.path, []).append(diagnostic)
        for found in by_path.values():
            found.sort(key=lambda d: (d.span.cell or 0, d.span.start, d.rule, d.message))
        self._found.update(by_path)
        self._based.update((path, self._files[path]) for path in part.paths)

    def _accepted(self, found: list[Diagnostic]) -> set[int]:
        """The ids of the findings that the baseline accepts."""
        if not self._baselines or not found:
            return set()
        from mllint.findings.baseline import compare, divided

        ids: set[int] = set()
        for file, own in divided(found, lambda one: one.baseline, self.config).items():
            if file:
                compared = compare(self._baselines[file], own, paths=self.paths, config=self.config)
                ids.update(id(diagnostic) for _, diagnostic in compared.known)
        return ids


def _looked(paths: Sequence[str], config: Config) -> discovery.Discovery:
    try:
        return discovery.discover(paths, config)
    except ConfigError:
        raise
    except MllintError:  # the only file was never saved
        return discovery.Discovery([], [], [], config)


def _baselines(config: Config) -> dict[str, Baseline]:
    """The baselines of a folder, by their files."""
    if not any(one.baseline for one in config.all):
        return {}
    from mllint.findings.baseline import load

    return {one.baseline: load(one.baseline) for one in config.all if one.baseline}


def _same(known: File | None, path: str, data: bytes, new: File | None = None) -> File:
    """The file that is known, if it has these bytes; else a new one."""
    if known is not None and not known.dropped and known.data == data:
        return known
    return new or File(path, data)


def rules_of(config: Config) -> frozenset[str]:
    """The names of the rules that a configuration selects.

    Raises:
        ConfigError: it names a rule that does not exist.
    """
    from mllint.config.selection import resolve_selection

    return resolve_selection(config, pages.rules().values())
