"""From files to diagnostics: gate, parse, index, ask the rules, suppress, sort.

All files that mention a supported library (or import a project file that does) become one Project; every selected rule
is asked about the subjects it subscribes to, in files that were asked for. A file that is not about machine learning is
parsed and no more: a green run means that every file was read. This module holds the one crash barrier: a rule that
raises becomes an `internal-error` diagnostic that names rule and file, and the rest of the run goes on.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mllint.catalogue import pages as catalogue
from mllint.config.model import Config, nearest, stub_folders
from mllint.config.selection import ignored_for, resolve_selection
from mllint.diagnostic import Confidence, Diagnostic, Fix, Label, Position, Report, Span, merge
from mllint.engine import gate
from mllint.engine.demand import Demand, options_of
from mllint.engine.patience import Patience
from mllint.engine.places import head, symbol_at
from mllint.engine.subjects import SUBJECTS
from mllint.errors import ConfigError, SourceError
from mllint.project.discovery import Disk, Memory, digest, explicit_limit, imports_own_name, shown
from mllint.project.environment import folder_of, is_installed
from mllint.project.imports import Consulted, imported, partition
from mllint.rule import Check, Finding, registered
from mllint.semantics.flow.build import build
from mllint.semantics.flow.flow import Flow
from mllint.semantics.flow.roots import STEPS, is_library_callback, is_root
from mllint.semantics.libraries.stubs import StubLibrary
from mllint.semantics.syntax.bounds import is_deep, is_too_long
from mllint.semantics.syntax.deadline import OutOfTimeError
from mllint.semantics.syntax.index import read as read_module
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.partial import partial
from mllint.semantics.training.randomness.seeds import is_test_helper, is_unit_test
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import imported_names
from mllint.semantics.values.unnamed import runs_for_nobody
from mllint.sources.parsing import parse
from mllint.sources.source import Source

__all__ = ["Engine", "Run", "check_sources"]

_VALUE_FUEL = 1_000  # evaluations for one question about one place; what is not known by then is Unknown
_ORDER_FUEL = 6_000  # for one question about a flow or a whole file
_RECURSION = 10_000  # a tree of 3,000 levels is the deepest that Python's parser gives
_MOST_REPEATED = 100  # how many questions of a project that ran out of fuel are asked again
_MOST_ATTEMPTS = 5  # how often each of them is asked in all
_TOO_DEEP = "the code is nested too deeply to be read"
_FLOW_FUEL = 40_000  # for building one flow; one that is not complete by then is left out
_LESS: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}
"""The confidence in what takes the statements of several notebook cells together: nothing says they run in order."""


class Engine:
    """Checks one component after the other; they share the rules and the stubs and know nothing of each other.

    Args:
        config: the settings of the run.
        selected: names of the rules to run, in files that no nested configuration is about.
        pedantic: report findings that are not certain as well, there.
        reader: finds and reads the files that others import.
    """

    def __init__(self, config: Config, selected: frozenset[str], pedantic: bool, reader: Disk | Memory) -> None:
        from mllint.checks import load

        load()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        self.config, self.reader = config, reader
        self.infos = catalogue.rules()
        self.names = [name for info in self.infos.values() for name in (info.name, *info.aliases)]
        infos = self.infos.values()
        self.own = Demand(config, selected, pedantic, options_of(config, infos))
        self.nested = {
            folder: Demand(one, resolve_selection(one, infos), one.pedantic, options_of(one, infos))
            for folder, one in config.nested.items()
        }
        wanted = selected.union(*(demand.selected for demand in self.nested.values()))
        self.checks = [c for c in registered().values() if c.name in wanted]
        self.stubs = _library(config)
        self.installed = folder_of(config.environment, config.root or os.getcwd()) if config.environment else ""
        self.last: Run | None = None

    def demand(self, path: str) -> Demand:
        """What is asked for in a file."""
        return nearest(self.nested, path, self.own) if self.nested else self.own

    def check(
        self, files: Iterable[tuple[str, bytes | SourceError]], reader: Disk | Memory | None = None
    ) -> tuple[Report, Consulted]:
        """The findings in the files of one component.

        Args:
            files: their paths and bytes, or the reason why there are none.
            reader: stands for that of the engine where it is given.
        """
        if self.last is not None:
            self.last.close()  # now that another one follows: the end of the process frees the last one for nothing
        run = self.last = Run(self, reader)
        for path, data in files:
            run.take(path, data)
        report = run.report()
        return report, Consulted(run.lookups, run.outsiders)


def check_sources(
    sources: Mapping[str, str | bytes], *, selected: frozenset[str], pedantic: bool, config: Config | None = None
) -> Report:
    """Check a project that is given as path -> text; nothing is read from disk."""
    contents = {path: data.encode() if isinstance(data, str) else data for path, data in sources.items()}
    engine = Engine(config or Config(), selected, pedantic, reader := Memory(contents))
    components = [[*contents]]
    if len(contents) > 1:
        names = {path: imported(path, data) for path, data in contents.items()}
        components = partition(names, reader.locate, reader.package)
    return merge(engine.check([(path, contents[path]) for path in part])[0] for part in components)


class Run:
    """One run over one component: the modules, the checks, the diagnostics.

    `take` each file, then ask for the `report`. Who runs again and again may keep what `source` and `index` give as
    long as a file stays the same, and may stop between two `questions`.
    """

    def __init__(self, engine: Engine, reader: Disk | Memory | None = None) -> None:
        self.engine, self.demand, self.reader = engine, engine.demand, reader or engine.reader
        self.infos, self.names, self.checks = engine.infos, engine.names, engine.checks
        self.sources: dict[str, Source] = {}
        self.trees: dict[str, ast.Module] = {}
        self.modules: dict[str, ModuleScope] = {}
        self.diagnostics: list[Diagnostic] = []
        self.lookups: dict[tuple[str, str, int], str | None] = {}
        self.outsiders: dict[str, str | None] = {}
        self.crashed = False
        self.again = _MOST_REPEATED
        self.patience = Patience()
        self.notes: list[str] = []
        self.suppressed = 0
        self.files = 0
        self.lines = 0
        self.project = Project(self.find, engine.stubs, lambda path: engine.config.of(path).target_versions)
        for stub in engine.stubs.modules.values():
            if stub is not None:
                stub.project = self.project  # not the one of the component before
        self.wanted: list[ModuleScope] = []
        self.seen: set[tuple[Any, ...]] = set()

    # ------------------------------------------------------------------------------------------------------ reading
    def take(self, path: str, data: bytes | SourceError) -> None:
        """Read, parse and, if it is about machine learning, index one file."""
        self.files += 1
        try:
            if isinstance(data, SourceError):
                raise data
            if len(data) > explicit_limit(path):
                self.notes.append(f"{path}: larger than {explicit_limit(path) >> 20} MiB, skipped")
                return
            source = self.sources[path] = self.source(path, data)
            self.lines += source.text.count("\n") + 1
            tree = self.trees[path] = source.tree()
        except SourceError as error:
            self.broken(path, error)
            return
        for cell in source.broken:
            self.broken(path, cell)
        if source.skipped:
            self.notes.append(f"{path}: {source.skipped}, skipped")
        if gate.names_library(source.text):
            self.enter(path, source, tree)

    def enter(self, path: str, source: Source, tree: ast.Module) -> bool:
        """Index a file, and take it into the project, unless it is nested too deeply."""
        try:
            self.modules[path] = self.index(path, source, tree)
        except SourceError as error:
            self.broken(path, error)
            return False
        self.project.add(self.modules[path])
        return True

    def widen(self) -> None:
        """Take the files that import a project file about machine learning: they are about it too."""
        fresh = {m.name.rpartition(".")[2] for m in self.project.modules}
        left = [path for path in self.trees if path not in self.modules]
        imports = {path: gate.imported(self.sources[path].text) for path in left}
        while fresh:
            found = [path for path in imports if not fresh.isdisjoint(imports[path])]
            fresh = set()
            for path in found:
                del imports[path]
                if self.enter(path, self.sources[path], self.trees[path]):
                    fresh.add(self.modules[path].name.rpartition(".")[2])
        self.help(imports)

    def help(self, left: Iterable[str]) -> None:
        """Take the files that those about machine learning import: they belong to the project, but rules are asked
        about those only that say what is done with a model."""
        by_name: dict[str, list[str]] = {}
        for path in left:
            by_name.setdefault(self.reader.module_name(path).rpartition(".")[2], []).append(path)
        fresh = list(self.project.modules)
        self.wanted = list(fresh)
        while fresh:
            needed = {name for module in fresh for name in imported_names(module)} & by_name.keys()
            fresh = []
            for path in [path for name in sorted(needed) for path in by_name.pop(name)]:
                if self.enter(path, self.sources[path], self.trees[path]):
                    fresh.append(self.modules[path])
                    if gate.names_model_handling(self.sources[path].text):
                        self.wanted.append(self.modules[path])

    def source(self, path: str, data: bytes) -> Source:
        """The text of a file.

        Raises:
            SourceError: it cannot be decoded.
        """
        return Source.from_bytes(path, data)

    def index(self, path: str, source: Source, tree: ast.Module) -> ModuleScope:
        """A file as the core sees it."""
        name = self.reader.module_name(path)
        package = os.path.basename(path) == "__init__.py"
        return read_module(name, tree, source, is_package=package)

    def find(self, name: str, level: int, importer: ModuleScope) -> ModuleScope | None:
        """The module that an import of a project file means: one of the component's, or one that is read for it."""
        path = importer.source.path
        installed = self.engine.installed
        if installed and not level and is_installed(path, installed):
            return self.library(name)
        folder = os.path.dirname(path)
        if imports_own_name(name, level, path):
            folder = os.path.join(folder, os.pardir)
        found = self.lookups[folder, name, level] = self.reader.locate(name, level, path)
        if found is None and not level and "sys.path" in importer.source.text:
            found = self.further_up(name, os.path.dirname(path))
        if found is None:
            return self.library(name) if installed and not level else None
        return self.modules.get(found) or self.outside(found)

    def further_up(self, name: str, folder: str) -> str | None:
        """The file that an absolute import means in a package whose scripts put a folder of it on `sys.path`."""
        reader = self.reader
        if not isinstance(reader, Disk):
            return None  # it looks above by itself
        for _ in range(3):  # few packages are deeper
            folder = os.path.join(folder, os.pardir)
            found = self.lookups[folder, name, 0] = reader.locate_from(os.path.abspath(folder), name, 0)
            if found is not None:
                return found
        return None

    def library(self, name: str) -> ModuleScope | None:
        """The module of a library that is installed and that no stub covers."""
        if self.engine.stubs.covers(name) or not isinstance(self.reader, Disk):
            return None
        installed = self.engine.installed
        found = self.lookups[installed, name, 0] = self.reader.locate_from(installed, name, 0)
        return None if found is None else self.modules.get(found) or self.outside(found)

    def outside(self, path: str) -> ModuleScope | None:
        """A file that is read for what it says about others."""
        try:
            source = self.sources.get(path) or self.source(path, self.outsider(path))
            module = self.modules[path] = self.part(path, source)
        except SourceError:
            return None
        module.project = self.project
        return module

    def part(self, path: str, source: Source) -> ModuleScope:
        """A file as the core sees it, as far as it is asked."""
        if path in self.trees or source.cells is not None:
            return self.index(path, source, source.tree())
        return partial(self.reader.module_name(path), source, parse, is_package=os.path.basename(path) == "__init__.py")

    def outsider(self, path: str) -> bytes:
        data = self.reader.read(path)
        self.outsiders[path] = None if data is None else digest(data)
        if data is None:
            raise SourceError("the file cannot be read")
        return data

    def close(self) -> None:
        """Cut the knots of functions, modules, frames and their project, so that all of it goes away at once."""
        for module in self.modules.values():
            module.close()
        self.project.close()
        for table in (self.sources, self.trees, self.modules):
            table.clear()
        self.wanted = []

    def broken(self, path: str, error: SourceError) -> None:
        """A file, or a cell, that does not parse is a finding."""
        line, column = error.line or 1, error.column or 1
        at = Position(line, column)
        span = Span(path, at, Position(line, column + 1), getattr(error, "cell", None))
        self.diagnostics.append(self.diagnostic("syntax-error", error.message, span))

    # ------------------------------------------------------------------------------------------------------- asking
    def report(self) -> Report:
        """Ask all rules and put the answers in order."""
        for _ in self.questions():
            pass
        final = self.suppress()
        return Report(final, self.files, self.lines, self.suppressed, self.notes, self.crashed)

    def questions(self) -> Iterator[None]:
        """Ask all rules about all files, with a pause after each question; what costs most, the flows, comes last."""
        if self.engine.nested:
            named = {rule for path in self.trees for rule in self.demand(path).selected}
            self.checks = [check for check in self.checks if check.name in named]
        if self.checks:
            self.widen()
        wanted = [m for m in self.wanted if not self.spared(m)]
        by_subject: dict[str, list[Check]] = {}
        for check in (c for c in self.checks if c.subject != "Project"):
            by_subject.setdefault(check.subject, []).append(check)
        flows = {"Flow": by_subject.pop("Flow", [])}
        for asking in (by_subject, flows):
            for module in wanted:
                yield from self.module(module, asking)
        for check in (c for c in self.checks if wanted and c.subject == "Project"):
            self.ask(check, self.project, wanted[0])
            yield

    def module(self, module: ModuleScope, by_subject: dict[str, list[Check]]) -> Iterator[None]:
        """Ask the rules about one file, with a pause after each question."""
        for subject, asking in by_subject.items():
            checks = [c for c in asking if not (c.words or c.names or c.near) or self.concerns(c, module)]
            if not checks:
                continue
            try:
                subjects = self.flows(module) if subject == "Flow" else SUBJECTS[subject](self.project, module, checks)
                for thing in self.patiently(subjects, module):
                    if isinstance(thing, tuple):
                        subject_of, interested = thing
                    else:
                        subject_of, interested = thing, checks
                    for check in interested:
                        self.ask(check, subject_of, module)
                        yield
            except Exception as error:  # noqa: BLE001  (the crash barrier)
                self.crash(f"the core, looking for each {subject}", module, error)

    def concerns(self, check: Check, module: ModuleScope) -> bool:
        """May a rule that says which files it is about be about one?"""
        if check.names and not module.source.mentions(check.names):
            return False
        near = not check.near or id(module) in self.project.reach.near(check.near)
        return near and (not check.words or any(map(module.source.holds, check.words)))

    def flows(self, module: ModuleScope) -> Iterator[Flow]:
        """The flows of the functions of a file that no function with a flow calls."""
        for function in module.functions:
            if (not is_root(function) and function.name not in STEPS) or not self.follows(function):
                continue
            self.project.refuel(_FLOW_FUEL)
            callers = self.project.callers(function) if not function.is_body else []
            if any(
                is_root(f.function) and not self.spared(f.module) and not is_library_callback(f.function)
                for _, f in callers
            ):
                continue
            flow = build(function, self.project.frame(function))
            if self.project.fuel < 0:
                continue
            if is_too_long(flow):
                where = f"`{function.qualname}`" if function.qualname else "the program"
                self.note(f"{module.source.path}: {where} has too many steps, their order was not checked")
                continue
            yield flow

    def patiently(self, things: Iterable[Any], module: ModuleScope) -> Iterator[Any]:
        """What there is to ask about in a file, until it has had its time."""
        following, path = iter(things), module.source.path
        while path not in self.patience.left:
            self.patience.start(path)
            try:
                thing = next(following, None)
            except OutOfTimeError:
                self.leave(path)
                return
            finally:
                if self.patience.stop(path):
                    self.leave(path)
            if thing is None:
                return
            yield thing

    def leave(self, path: str) -> None:
        """Ask nothing more about a file, and say so."""
        if path not in self.patience.left:
            self.note(self.patience.leave(path))

    def note(self, text: str) -> None:
        """Say in the report what was not checked, once."""
        if text not in self.notes:
            self.notes.append(text)

    def follows(self, function: FunctionScope) -> bool:
        """Is the flow of a function wanted?"""
        return True

    def spared(self, module: ModuleScope) -> bool:
        """Is nothing asked about a file, because all that could be found in it would be for the pedantic?"""
        of_tests = is_unit_test(module) or is_test_helper(module, self.project)
        return of_tests and not self.demand(module.source.path).pedantic

    def ask(self, check: Check, thing: Any, module: ModuleScope) -> None:
        """Ask one rule about one subject, with the options of each configuration that is about the component."""
        if not check.configurable:
            self.put(check, (thing,), module, None)
        for options in self.options(check.name) if check.configurable else ():
            self.put(check, (thing, options), module, options)

    def options(self, rule: str) -> list[dict[str, Any]]:
        """The different options of a rule in the files of the component."""
        found = [self.engine.own.options[rule]] if not self.engine.nested else []
        for path in self.trees if self.engine.nested else ():
            values = self.demand(path).options[rule]
            if values not in found:
                found.append(values)
        return found

    def put(self, check: Check, given: tuple[Any, ...], module: ModuleScope, options: dict[str, Any] | None) -> None:
        """Put one question to one rule; the crash barrier. What takes too long has found nothing."""
        path, findings = module.source.path, list[Finding]()
        if path in self.patience.left:
            return
        self.patience.start(path)
        try:
            self.collect(check, given, findings)
        except OutOfTimeError:
            findings.clear()
            self.leave(path)
        except Exception as error:  # noqa: BLE001  (the crash barrier)
            self.crash(check.name, module, error)
        if findings:
            self.patience.answered()
        try:
            for finding in findings:
                self.found(check.name, finding, options)
        except Exception as error:  # noqa: BLE001  (the crash barrier)
            self.crash(check.name, module, error)
        if self.patience.stop(path):
            self.leave(path)

    def collect(self, check: Check, given: tuple[Any, ...], findings: list[Finding]) -> None:
        """Add what a rule finds as long as there is fuel: what was cut short is Unknown, and Unknown never accuses."""
        fuel = _ORDER_FUEL if check.expects or check.subject in ("Flow", "Module") else _VALUE_FUEL
        for _ in range(_MOST_ATTEMPTS):
            self.project.refuel(fuel)
            for finding in check.run(*given):
                if self.project.fuel >= 0:
                    findings.append(finding)
            if self.project.fuel >= 0 or not self.again:
                return
            self.again -= 1  # what was worked out is remembered: the same question comes further

    def crash(self, rule: str, module: ModuleScope, error: Exception) -> None:
        """A rule failed on a file: the fault is its own, unless what it followed is nested too deeply for any rule."""
        if isinstance(error, RecursionError):
            deep = next((m for m in (module, *self.project.modules) if is_deep(m.tree)), None)
            if deep is not None:
                if module.source.path not in self.patience.left:
                    self.broken(deep.source.path, SourceError(_TOO_DEEP))
                self.patience.left.add(module.source.path)
                return
        self.crashed = True
        at = Position(1, 1)
        where = _last_line(error)
        message = f"`{rule}` failed on this file: {type(error).__name__}: {error} ({where})"
        diagnostic = self.diagnostic("internal-error", message, Span(module.source.path, at, at))
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def found(self, rule: str, finding: Finding, options: dict[str, Any] | None) -> None:
        """A finding becomes a diagnostic, unless it is a repeat, uncertain, in code that nobody runs, or in a file that
        was not asked for or whose configuration asks for another rule or other options."""
        site = finding.at.site
        if site.module.is_stub or self.spared(site.module) or runs_for_nobody(site.module, site.node, self.project):
            return
        demand = self.demand(site.module.source.path)
        if rule not in demand.selected or not (demand.pedantic or _is_certain(finding)):
            return
        if options is not None and demand.options[rule] != options:
            return
        key = (rule, id(site.module), id(site.node))
        if key in self.seen or site.module.source.path not in self.trees:
            return
        self.seen.add(key)
        labels = []
        symbol = symbol_at(site.module, site.node)
        span = site.module.source.span(head(site.node))
        found = self.diagnostic(rule, finding.message, span)
        for note in finding.labels:
            place = note.at.site
            if not place.module.is_stub:
                label = Label(place.module.source.span(head(place.node)), note.message)
                labels.append(label)
                if label.span.cell not in (None, span.cell) and not (symbol or symbol_at(place.module, place.node)):
                    found = found._replace(confidence=_LESS[self.infos[rule].confidence])
        own = {name: wording for name in ("why", "help") if (wording := getattr(finding, name))}
        found = found._replace(primary=finding.primary, labels=tuple(labels), symbol=symbol, **own)
        self.diagnostics.append(found._replace(fix=self.fix(rule, finding, demand.config)))

    def fix(self, rule: str, finding: Finding, config: Config) -> Fix | None:
        """The fix of a finding, where fixes are wanted and there is one."""
        if not self.engine.config.fixes or self.infos[rule].fix == "none":
            return None
        from mllint.fixes.offers import offer

        fuel = self.project.allow(_ORDER_FUEL)
        try:
            return offer(rule, finding, self.trees, config)
        finally:
            self.project.allow(fuel)

    def diagnostic(self, rule: str, message: str, span: Span) -> Diagnostic:
        info = self.infos.get(rule)
        if info is None:
            return Diagnostic(rule, "engine", "error", "high", message, span)
        return Diagnostic(
            rule, info.family, info.severity, info.confidence, message, span, why=info.why, help=info.help, url=info.url
        )

    # ------------------------------------------------------------------------------------------------- suppressing
    def suppress(self) -> list[Diagnostic]:
        """The diagnostics that no comment and no `per-file-ignores` hides."""
        final: list[Diagnostic] = []
        by_path: dict[str, list[Diagnostic]] = {}
        for diagnostic in self.diagnostics:
            by_path.setdefault(diagnostic.span.path, []).append(diagnostic)
        for path, source in self.sources.items():
            tree = self.trees.get(path)
            found = _stated(by_path.pop(path, []), source, tree)
            if tree is not None and gate.may_suppress(source.text, self.names):
                from mllint.findings.suppressions import Suppressions

                suppressions = Suppressions.of(source, tree, self.infos.values())
                found = suppressions.apply(found, self.demand(path).selected, fixes=self.engine.config.fixes)
                self.suppressed += suppressions.count
            final += self.unignored(path, _stated(found, source, tree))
        for path, found in by_path.items():
            final += self.unignored(path, _stated(found, None, None))
        return final

    def unignored(self, path: str, found: list[Diagnostic]) -> Iterable[Diagnostic]:
        config = self.demand(path).config
        if not found or not config.per_file_ignores:
            return found
        ignored = ignored_for(config, self.infos.values(), path)
        return [d for d in found if d.rule not in ignored]


def _library(config: Config) -> StubLibrary:
    """The shipped stubs and those that the configurations add."""
    for one in config.all:
        for folder in one.stubs:
            if not os.path.isdir(os.path.join(one.root, folder)):
                raise ConfigError(f"`stubs` names `{shown(folder)}`, which is not a folder", one.path)
            from mllint.engine.own_stubs import require_readable

            require_readable(os.path.join(one.root, folder), shown(folder))
    return StubLibrary(stub_folders(config))


def _stated(found: list[Diagnostic], source: Source | None, tree: ast.Module | None) -> list[Diagnostic]:
    if not found:
        return found
    from mllint.findings.fingerprint import stated

    return stated(found, source, tree)


def _is_certain(finding: Finding) -> bool:
    """Whether a finding is for everybody, by the weakest answer that it rests on."""
    if not finding.evidence:
        return True
    from mllint.semantics.training.evidence import is_certain

    return is_certain(finding.evidence)


def _last_line(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
