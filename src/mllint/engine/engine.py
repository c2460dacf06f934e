"""From files to a report: read them (`component`), ask the rules, keep what is wanted (`diagnostics`).

All files that mention a supported library (or import a project file that does) become one Project; every selected rule
is asked about the subjects it subscribes to, in files that were asked for. A file that is not about machine learning is
parsed and no more: a green run means that every file was read. This module holds the one crash barrier: a rule that
raises becomes an `internal-error` diagnostic that names rule and file, and the rest of the run goes on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mllint.catalogue import pages
from mllint.config.model import Config, nearest, stub_folders
from mllint.config.selection import resolve_selection
from mllint.diagnostic import Diagnostic, Report, merge
from mllint.engine.component import Component
from mllint.engine.demand import Demand, options_of
from mllint.engine.subjects import SUBJECTS, called_roots
from mllint.engine.time_budget import TimeBudget
from mllint.errors import ConfigError, SourceError
from mllint.project.discovery import Disk, Memory, shown
from mllint.project.environment import folder_of
from mllint.project.imports import Consulted, imported, partition
from mllint.rule import Check, Finding, registered
from mllint.semantics.flow.build import build
from mllint.semantics.flow.flow import Flow
from mllint.semantics.flow.roots import STEPS, is_library_callback, is_root
from mllint.semantics.libraries.stubs import StubLibrary
from mllint.semantics.syntax.bounds import is_deep, is_too_long
from mllint.semantics.syntax.deadline import OutOfTimeError
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.values.frames import Frame

__all__ = ["Engine", "Run", "check_sources"]

_VALUE_FUEL = 1_000  # evaluations for one question about one place; what is not known by then is Unknown
_ORDER_FUEL = 6_000  # for one question about a flow or a whole file
_RECURSION = 10_000  # a tree of 3,000 levels is the deepest that Python's parser gives
_MOST_REPEATED = 100  # how many questions of a project that ran out of fuel are asked again
_MOST_ATTEMPTS = 5  # how often each of them is asked in all
_TOO_DEEP = "the code is nested too deeply to be read"
_FLOW_FUEL = 40_000  # for building one flow; one that is not complete by then is left out


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
        self.infos = pages.rules()
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
            # now that another one follows: the end of the process frees the last one for nothing
            self.last.component.close()
        component = Component(self, reader)
        run = self.last = Run(self, component)
        for path, data in files:
            component.add_file(path, data)
        report = run.report()
        return report, Consulted(component.lookups, component.external_files)


def check_sources(
    sources: Mapping[str, str | bytes], *, selected: frozenset[str], pedantic: bool, config: Config | None = None
) -> Report:
    """Check a project that is given as path -> text; nothing is read from disk.

    Args:
        sources: the text of each file, by path.
        selected: names of the rules to run.
        pedantic: report findings that are not certain as well.
        config: the settings; the defaults where it is not given.
    """
    contents = {path: data.encode() if isinstance(data, str) else data for path, data in sources.items()}
    engine = Engine(config or Config(), selected, pedantic, reader := Memory(contents))
    components = [[*contents]]
    if len(contents) > 1:
        names = {path: imported(path, data) for path, data in contents.items()}
        components = partition(names, reader.locate, reader.package)
    return merge(engine.check([(path, contents[path]) for path in part])[0] for part in components)


class Run:
    """One run over one component: asks the rules about its files.

    Add each file to its `component`, then ask for the `report`, or stop between two `questions`.

    Args:
        engine: knows the rules and the settings.
        component: the files; an empty one where it is not given.
    """

    def __init__(self, engine: Engine, component: Component | None = None) -> None:
        self.engine = engine
        self.checks = engine.checks
        self.component = component or Component(engine)
        self.project = self.component.project
        self.diagnostics = self.component.diagnostics
        self.retries = _MOST_REPEATED
        self.budget = TimeBudget()

    def report(self) -> Report:
        """Ask all rules and put the answers in order."""
        for _ in self.questions():
            pass
        component, diagnostics = self.component, self.diagnostics
        final = self.unsuppressed()
        return Report(
            final, component.files, component.lines, diagnostics.suppressed, diagnostics.notes, diagnostics.crashed
        )

    def unsuppressed(self) -> list[Diagnostic]:
        """What is found so far, without what a comment or a `per-file-ignores` hides."""
        return self.diagnostics.unsuppressed(self.component)

    def questions(self) -> Iterator[None]:
        """Ask all rules about all files, with a pause after each question; what costs most, the flows, comes last."""
        if self.engine.nested:
            named = {rule for path in self.component.trees for rule in self.engine.demand(path).selected}
            self.checks = [check for check in self.checks if check.name in named]
        if self.checks:
            self.component.include_related()
        asked = [m for m in self.component.asked if not self.component.is_skipped(m)]
        by_subject: dict[str, list[Check]] = {}
        for check in (c for c in self.checks if c.subject != "Project"):
            by_subject.setdefault(check.subject, []).append(check)
        flows = {"Flow": by_subject.pop("Flow", [])}
        for checks in (by_subject, flows):
            for module in asked:
                yield from self.ask_about(module, checks)
        for check in (c for c in self.checks if asked and c.subject == "Project"):
            self.ask(check, self.project, asked[0])
            yield

    def ask_about(self, module: ModuleScope, by_subject: dict[str, list[Check]]) -> Iterator[None]:
        """Ask the rules about one file, with a pause after each question."""
        for subject, every in by_subject.items():
            checks = [c for c in every if not (c.words or c.names or c.near) or self.concerns(c, module)]
            if not checks:
                continue
            try:
                for thing, interested in self.within_budget(self.subjects(subject, module, checks), module):
                    for check in interested:
                        self.ask(check, thing, module)
                        yield
            except Exception as error:  # noqa: BLE001  (the crash barrier)
                self.report_crash(f"the core, looking for each {subject}", module, error)

    def subjects(self, subject: str, module: ModuleScope, checks: list[Check]) -> Iterator[tuple[Any, list[Check]]]:
        """What there is of one kind in a file.

        Args:
            subject: the name of the kind.
            module: the file.
            checks: the rules about it.

        Returns:
            Each with the rules that are asked about it.
        """
        if subject == "Flow":
            return ((flow, checks) for flow in self.flows(module))
        found: Iterator[tuple[Any, list[Check]]] = SUBJECTS[subject](self.project, module, checks)
        return found

    def concerns(self, check: Check, module: ModuleScope) -> bool:
        """True if `check`, which says which files it is about, may be about `module`."""
        if check.names and not module.source.mentions(check.names):
            return False
        near = not check.near or id(module) in self.project.reach.near(check.near)
        return near and (not check.words or any(map(module.source.holds, check.words)))

    def flows(self, module: ModuleScope) -> Iterator[Flow]:
        """The flows of the functions of a file that no function with a flow calls."""
        for function in module.functions:
            if (not is_root(function) and function.name not in STEPS) or not self.wants_flow(function):
                continue
            self.project.refuel(_FLOW_FUEL)
            callers = self.project.callers(function) if not function.is_body else []
            if any(self.is_asked_root(frame) for _, frame in callers):
                continue
            yield from self.flows_from(function)

    def flows_from(self, root: FunctionScope) -> Iterator[Flow]:
        """The flow of `root`, which enters what it calls; where that is too much for one flow, also the flows of what
        it leaves out."""
        waiting, seen = [root], {id(root)}
        for function in waiting:
            flow = self.build_flow(function)
            if flow is not None:
                yield flow
            if flow is not None and flow.complete:
                continue
            seen |= flow.entered if flow is not None else set()
            left_out = [f for f in called_roots(function) if id(f) not in seen]
            seen.update(map(id, left_out))
            waiting += [f for f in left_out if not self.component.is_skipped(f.module)]

    def build_flow(self, function: FunctionScope) -> Flow | None:
        """The flow of `function`; None, and a note in the report, if it is too long for rules to compare its steps."""
        self.project.refuel(_FLOW_FUEL)
        flow = build(function, self.project.frame(function))
        if self.project.fuel >= 0 and not is_too_long(flow):
            return flow
        where = f"`{function.qualname}`" if function.qualname else "the program"
        path = function.module.source.path
        self.diagnostics.add_note(f"{path}: {where} has too many steps, their order was not checked")
        return None

    def is_asked_root(self, frame: Frame) -> bool:
        """True if the function of `frame` has a flow of its own, which enters what it calls."""
        function = frame.function
        return is_root(function) and not self.component.is_skipped(frame.module) and not is_library_callback(function)

    def wants_flow(self, function: FunctionScope) -> bool:
        """True if rules are asked about the flow of `function`: of each, here."""
        return True

    def within_budget(
        self, subjects: Iterator[tuple[Any, list[Check]]], module: ModuleScope
    ) -> Iterator[tuple[Any, list[Check]]]:
        """What there is to ask about in a file, until it has had its time."""
        path, budget = module.source.path, self.budget
        while path not in budget.exhausted:
            budget.start(path)
            try:
                subject = next(subjects)
            except StopIteration:
                return
            except OutOfTimeError:
                self.leave(path)
                return
            finally:
                if budget.stop(path):
                    self.leave(path)
            yield subject

    def leave(self, path: str) -> None:
        """Ask nothing more about a file, and say so."""
        if path not in self.budget.exhausted:
            self.diagnostics.add_note(self.budget.leave(path))

    def ask(self, check: Check, thing: Any, module: ModuleScope) -> None:
        """Ask one rule about one subject, with the options of each configuration that is about the component."""
        if not check.configurable:
            self.run_check(check, (thing,), module, None)
            return
        for options in self.options(check.name):
            self.run_check(check, (thing, options), module, options)

    def options(self, rule: str) -> list[dict[str, Any]]:
        """The different options of a rule in the files of the component."""
        if not self.engine.nested:
            return [self.engine.own.options[rule]]
        found: list[dict[str, Any]] = []
        for path in self.component.trees:
            values = self.engine.demand(path).options[rule]
            if values not in found:
                found.append(values)
        return found

    def run_check(
        self, check: Check, arguments: tuple[Any, ...], module: ModuleScope, options: dict[str, Any] | None
    ) -> None:
        """Ask one rule one question; the crash barrier. What takes too long has found nothing.

        Args:
            check: the rule.
            arguments: what its function is called with.
            module: the file that the question is about.
            options: the options that it is told, if it has any.
        """
        path, budget = module.source.path, self.budget
        if path in budget.exhausted:
            return
        findings: list[Finding] = []
        budget.start(path)
        try:
            self.collect_findings(check, arguments, findings)
        except OutOfTimeError:
            findings.clear()
            self.leave(path)
        except Exception as error:  # noqa: BLE001  (the crash barrier)
            self.report_crash(check.name, module, error)
        if findings:
            budget.answered()
            try:
                for finding in findings:
                    self.diagnostics.report_finding(check.name, finding, options, self.component)
            except Exception as error:  # noqa: BLE001  (the crash barrier)
                self.report_crash(check.name, module, error)
        if budget.stop(path):
            self.leave(path)

    def collect_findings(self, check: Check, arguments: tuple[Any, ...], findings: list[Finding]) -> None:
        """Add what a rule finds as long as there is fuel: what was cut short is Unknown, and Unknown never accuses."""
        fuel = _ORDER_FUEL if check.expects or check.subject in ("Flow", "Module") else _VALUE_FUEL
        for _ in range(_MOST_ATTEMPTS):
            self.project.refuel(fuel)
            for finding in check.run(*arguments):
                if self.project.fuel >= 0:
                    findings.append(finding)
            if self.project.fuel >= 0 or not self.retries:
                return
            self.retries -= 1  # what was worked out is remembered: the same question comes further

    def report_crash(self, rule: str, module: ModuleScope, error: Exception) -> None:
        """A rule failed on a file: the fault is its own, unless what it followed is nested too deeply for any rule."""
        path = module.source.path
        if isinstance(error, RecursionError):
            deep = next((m for m in (module, *self.project.modules) if is_deep(m.tree)), None)
            if deep is not None:
                if path not in self.budget.exhausted:
                    self.diagnostics.report_syntax_error(deep.source.path, SourceError(_TOO_DEEP))
                self.budget.exhausted.add(path)
                return
        where = _last_line(error)
        message = f"`{rule}` failed on this file: {type(error).__name__}: {error} ({where})"
        self.diagnostics.report_crash(message, path)


def _library(config: Config) -> StubLibrary:
    """The shipped stubs and those that the configurations add."""
    for one in config.all:
        for folder in one.stubs:
            if not os.path.isdir(os.path.join(one.root, folder)):
                raise ConfigError(f"`stubs` names `{shown(folder)}`, which is not a folder", one.path)
            from mllint.engine.own_stubs import require_readable

            require_readable(os.path.join(one.root, folder), shown(folder))
    return StubLibrary(stub_folders(config))


def _last_line(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
