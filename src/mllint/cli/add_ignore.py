"""`mllint check --add-ignore[=REASON]`: accept what is found, by comments in the code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mllint.cli.terminal import FAILED, FINDINGS, OK, complain, emit
from mllint.errors import MllintError, SourceError
from mllint.files.writing import replace

if TYPE_CHECKING:
    from mllint.diagnostic import Diagnostic, Report

__all__ = ["add_ignores"]


def add_ignores(report: Report, reason: str) -> int:
    """Write the comments; gives the exit code: 1 if there are findings for which there is no place."""
    from mllint.catalogue import pages
    from mllint.findings.add_ignore import with_ignores
    from mllint.project.discovery import read
    from mllint.report import counted

    infos = list(pages.rules().values())
    found: dict[str, list[Diagnostic]] = {}
    for diagnostic in report.diagnostics:
        found.setdefault(diagnostic.span.path, []).append(diagnostic)
    accepted, files, left = 0, 0, False
    for path, diagnostics in found.items():
        try:
            before = read(path)
            outcome = with_ignores(path, before, diagnostics, reason, infos)
        except SourceError as error:
            complain(f"note: {path}:{error.line}: nothing is accepted here: {error.message}")
            left = True
            continue
        for diagnostic in outcome.left:
            left = True
            complain(f"note: {path}:{_place(diagnostic)}: `{diagnostic.rule}` is left, there is no place for a comment")
        if outcome.data != before and os.path.islink(path):
            left = True
            complain(f"note: {path}: nothing is accepted here: the file is a link, which is not written through")
        elif outcome.data != before:
            _write(path, outcome.data)
            accepted, files = accepted + outcome.accepted, files + 1
    summary = f"Accepted {counted(accepted, 'finding')} in {counted(files, 'file')}"
    emit([summary if files else "Nothing to accept"])
    return FAILED if report.crashed else FINDINGS if left else OK


def _place(diagnostic: Diagnostic) -> str:
    line = diagnostic.span.start.line
    return f"cell {diagnostic.span.cell}:{line}" if diagnostic.span.cell else str(line)


def _write(path: str, data: bytes) -> None:
    try:
        replace(path, data)
    except OSError as error:
        raise MllintError(f"`{path}` cannot be written: {error.strerror or error}") from None
