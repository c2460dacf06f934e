"""mllint finds silent bugs in machine-learning training code: no exception, wrong results.

The public interface is `check` (files and folders), `check_source` (one text) and the plain data that they return. Both
read code without importing or running it.

    >>> from mllint import check_source
    >>> for diagnostic in check_source(text):
    ...     print(diagnostic.rule, diagnostic.span.start.line, diagnostic.message)

Everything else is an implementation detail: the command line lives in `mllint.cli`, the analysis in `mllint.semantics`,
the rules in `mllint.checks` and their pages in `rules/`. Importing this package loads none of them.
"""

from __future__ import annotations

import os
import sys

if sys.argv[:1] == ["-m"] and "mllint" in sys.orig_argv and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]  # `python -m mllint`: modules are not those of the folder that is checked

from typing import TYPE_CHECKING

from mllint.diagnostic import Confidence, Diagnostic, Edit, Fix, Label, Position, Severity, Span
from mllint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

__all__ = [
    "Confidence",
    "Diagnostic",
    "Edit",
    "Fix",
    "Label",
    "Position",
    "Severity",
    "Span",
    "__version__",
    "check",
    "check_source",
]


def check(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]], *, isolated: bool = False, pedantic: bool = False
) -> list[Diagnostic]:
    """Check files and folders, as `mllint check` does; nothing is printed, and no cache is kept.

    Args:
        paths: a file or a folder, or several; none of them means the current folder.
        isolated: ignore configuration files.
        pedantic: also run the pedantic rules and keep findings that rest on a guess.

    Returns:
        The findings that no baseline accepts, sorted by path and position.

    Raises:
        MllintError: a path does not exist, or the configuration or the baseline is wrong (`mllint.errors`).
    """
    from mllint.catalogue import pages
    from mllint.config.load import load as load_config
    from mllint.config.selection import resolve_selection
    from mllint.engine import run
    from mllint.findings import baseline
    from mllint.project import discovery

    given = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    settings = load_config(given, isolated).merge(pedantic=pedantic or None)
    selected = resolve_selection(settings, pages.rules().values())
    found = discovery.discover(given, settings)
    report = run.check_paths(given, settings, selected=selected, pedantic=settings.pedantic, found=found)
    if any(one.baseline for one in found.config.all):
        report = baseline.hide(report, found.config, paths=given, whole=True)
    return _fingerprinted(report.diagnostics, {})


def check_source(text: str, *, path: str = "source.py", pedantic: bool = False) -> list[Diagnostic]:
    """Check one text, without reading any file or configuration.

    Args:
        text: Python source.
        path: the name that the findings carry.
        pedantic: also run the pedantic rules and keep findings that rest on a guess.

    Returns:
        The findings, sorted by position.
    """
    from mllint.catalogue import pages
    from mllint.config.load import load as load_config
    from mllint.config.selection import resolve_selection
    from mllint.engine import engine

    settings = load_config([], isolated=True).merge(pedantic=pedantic or None)
    selected = resolve_selection(settings, pages.rules().values())
    report = engine.check_sources({path: text}, selected=selected, pedantic=pedantic, config=settings)
    return _fingerprinted(report.diagnostics, {path: text})


def _fingerprinted(found: list[Diagnostic], memory: Mapping[str, str | bytes]) -> list[Diagnostic]:
    from mllint.findings.fingerprint import fingerprinted
    from mllint.report.results import lines_of

    return fingerprinted(found, lines_of(memory))
