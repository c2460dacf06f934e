"""From findings to diagnostics: what a rule yields, with what its page says, unless nobody wants to see it.

A finding is left out if it is a repeat, uncertain, in code that nobody runs, or in a file whose configuration asks for
something else; a diagnostic, if a comment or a `per-file-ignores` hides it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mllint.config.model import Config
from mllint.config.selection import ignored_for
from mllint.diagnostic import Confidence, Diagnostic, Fix, Label, Position, Span
from mllint.engine import gate
from mllint.engine.places import head, symbol_at
from mllint.errors import SourceError
from mllint.rule import Finding
from mllint.semantics.values.unnamed import runs_for_nobody
from mllint.sources.source import Source

if TYPE_CHECKING:
    from mllint.engine.component import Component
    from mllint.engine.engine import Engine

__all__ = ["Diagnostics"]

_FIX_FUEL = 6_000  # for working out one fix
_LOWER_CONFIDENCE: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}
"""The confidence in what takes the statements of several notebook cells together: nothing says they run in order."""


class Diagnostics:
    """What is found in the files of one component.

    Args:
        engine: knows the settings and what the pages of the rules say.

    Attributes:
        reported: the diagnostics, in the order in which they were found.
        notes: what was not checked, each once.
        suppressed: how many diagnostics comments hide.
        crashed: whether a rule has failed.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.reported: list[Diagnostic] = []
        self.notes: list[str] = []
        self.suppressed = 0
        self.crashed = False
        self._seen: set[tuple[Any, ...]] = set()

    def add_note(self, text: str) -> None:
        """Say in the report what was not checked, once."""
        if text not in self.notes:
            self.notes.append(text)

    def report_syntax_error(self, path: str, error: SourceError) -> None:
        """A file, or a cell, that does not parse is a finding."""
        line, column = error.line or 1, error.column or 1
        at = Position(line, column)
        span = Span(path, at, Position(line, column + 1), getattr(error, "cell", None))
        self.reported.append(self.diagnostic("syntax-error", error.message, span))

    def report_crash(self, message: str, path: str) -> None:
        """A rule has failed on a file: a finding about mllint, once."""
        self.crashed = True
        at = Position(1, 1)
        diagnostic = self.diagnostic("internal-error", message, Span(path, at, at))
        if diagnostic not in self.reported:
            self.reported.append(diagnostic)

    def report_finding(self, rule: str, finding: Finding, options: dict[str, Any] | None, component: Component) -> None:
        """Make a finding a diagnostic, if it is wanted.

        Args:
            rule: the name of the rule that yields it.
            finding: what it yields.
            options: what the rule was told, if its page has options.
            component: the files that it is asked about.
        """
        if not self._is_wanted(rule, finding, options, component):
            return
        site = finding.at.site
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
                    confidence = _LOWER_CONFIDENCE[self.engine.infos[rule].confidence]
                    found = found._replace(confidence=confidence)
        own = {name: wording for name in ("why", "help") if (wording := getattr(finding, name))}
        found = found._replace(primary=finding.primary, labels=tuple(labels), symbol=symbol, **own)
        fix = self._fix(rule, finding, self.engine.demand(site.module.source.path).config, component)
        self.reported.append(found._replace(fix=fix))

    def _is_wanted(self, rule: str, finding: Finding, options: dict[str, Any] | None, component: Component) -> bool:
        """True if `finding` is no repeat, certain (or for the pedantic), in code that somebody runs, and in a file that
        was asked for and whose configuration asks for this rule and these options."""
        site = finding.at.site
        module = site.module
        if module.is_stub or component.is_skipped(module) or runs_for_nobody(module, site.node, component.project):
            return False
        demand = self.engine.demand(module.source.path)
        if rule not in demand.selected or not (demand.pedantic or _is_certain(finding)):
            return False
        if options is not None and demand.options[rule] != options:
            return False
        key = (rule, id(module), id(site.node))
        if key in self._seen or module.source.path not in component.trees:
            return False
        self._seen.add(key)
        return True

    def _fix(self, rule: str, finding: Finding, config: Config, component: Component) -> Fix | None:
        """The fix of a finding, where fixes are wanted and there is one."""
        if not self.engine.config.fixes or self.engine.infos[rule].fix == "none":
            return None
        from mllint.fixes.offers import offer

        fuel = component.project.allow(_FIX_FUEL)
        try:
            return offer(rule, finding, component.trees, config)
        finally:
            component.project.allow(fuel)

    def diagnostic(self, rule: str, message: str, span: Span) -> Diagnostic:
        """A diagnostic at a place, with what the page of its rule says."""
        info = self.engine.infos.get(rule)
        if info is None:
            return Diagnostic(rule, "engine", "error", "high", message, span)
        return Diagnostic(
            rule, info.family, info.severity, info.confidence, message, span, why=info.why, help=info.help, url=info.url
        )

    def unsuppressed(self, component: Component) -> list[Diagnostic]:
        """The diagnostics that no comment and no `per-file-ignores` hides.

        Args:
            component: the files with the comments.
        """
        final: list[Diagnostic] = []
        by_path: dict[str, list[Diagnostic]] = {}
        for diagnostic in self.reported:
            by_path.setdefault(diagnostic.span.path, []).append(diagnostic)
        for path, source in component.sources.items():
            tree = component.trees.get(path)
            found = _stated(by_path.pop(path, []), source, tree)
            if tree is not None and gate.may_suppress(source.text, self.engine.names):
                from mllint.findings.suppressions import Suppressions

                suppressions = Suppressions.of(source, tree, self.engine.infos.values())
                found = suppressions.apply(found, self.engine.demand(path).selected, fixes=self.engine.config.fixes)
                self.suppressed += suppressions.count
            final += self._unignored(path, _stated(found, source, tree))
        for path, found in by_path.items():
            final += self._unignored(path, _stated(found, None, None))
        return final

    def _unignored(self, path: str, found: list[Diagnostic]) -> Iterable[Diagnostic]:
        """Those of the diagnostics in a file that its configuration does not ignore there."""
        config = self.engine.demand(path).config
        if not found or not config.per_file_ignores:
            return found
        ignored = ignored_for(config, self.engine.infos.values(), path)
        return [d for d in found if d.rule not in ignored]


def _stated(found: list[Diagnostic], source: Source | None, tree: ast.Module | None) -> list[Diagnostic]:
    """Diagnostics with the statements that they are about, by which they are found again when lines move."""
    if not found:
        return found
    from mllint.findings.fingerprint import stated

    return stated(found, source, tree)


def _is_certain(finding: Finding) -> bool:
    """True if `finding` is for everybody, by the weakest answer that it rests on."""
    if not finding.evidence:
        return True
    from mllint.semantics.training.evidence import is_certain

    return is_certain(finding.evidence)
