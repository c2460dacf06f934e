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

from mllint._typing import TYPE_CHECKING
from mllint.diagnostic import Confidence, Diagnostic, Edit, Fix, Label, Position, Severity, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

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

__version__ = "0.1.0"


def check(paths: Sequence[str], *, isolated: bool = False, pedantic: bool = False) -> list[Diagnostic]:
    """Check files and folders, as `mllint check` does.

    Args:
        paths: files and folders.
        isolated: ignore configuration files.
        pedantic: also run the pedantic rules and keep findings that rest on a guess.

    Returns:
        The findings, sorted by path and position.

    Raises:
        ConfigError: the configuration cannot be read.
    """
    from mllint import catalogue, config, run

    settings = config.load(paths, isolated).merge(pedantic=pedantic or None)
    selected = config.resolve_selection(settings, catalogue.rules().values())
    return run.check_paths(paths, settings, selected=selected, pedantic=settings.pedantic).diagnostics


def check_source(text: str, *, path: str = "source.py", pedantic: bool = False) -> list[Diagnostic]:
    """Check one text, without reading any file or configuration.

    Args:
        text: Python source.
        path: the name that the findings carry.
        pedantic: also run the pedantic rules and keep findings that rest on a guess.

    Returns:
        The findings, sorted by position.
    """
    from mllint import catalogue, config, engine

    settings = config.load([], isolated=True).merge(pedantic=pedantic or None)
    selected = config.resolve_selection(settings, catalogue.rules().values())
    return engine.check_sources({path: text}, selected=selected, pedantic=pedantic, config=settings).diagnostics
