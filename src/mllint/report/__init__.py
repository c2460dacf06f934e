"""How findings are written down: for people (`text`, `frame`, `page`) and for programs, one module for each format.

Every format is a pure function of a `Results`. None of them prints, reads files or knows the analysis: source lines,
pages and places in a repository, where a format needs them, come through functions that the caller hands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mllint.catalogue.pages import RuleInfo
    from mllint.diagnostic import Diagnostic, Span

    Lines = Callable[[str, int | None], Sequence[str]]
    """The lines of a file, or of one cell of a notebook (path, 1-based cell); empty if they cannot be read."""
else:
    Lines = object

__all__ = ["Lines", "Results", "counted", "location"]


class Results(NamedTuple):
    """What a run found, with all that a format may say about it.

    Args:
        diagnostics: the findings, sorted, with fingerprints.
        files: how many files were read.
        lines: how many lines they have.
        suppressed: how many findings the user's comments hide.
        notes: what else the user is told, e.g. which files were skipped.
        crashed: whether a rule failed on some file.
        asked: how many rules were asked.
        rules: those, and what else was reported (a syntax error, say), by name.
        fails: says whether a finding makes the run fail.
        version: mllint's.
        lines_of: gives the lines of a file, or of one cell of a notebook.
        in_file: gives a span as a repository counts: the path from its top, lines and columns of the file, no cell.
        browse: the address of the repository's top on the web, with a slash; empty if it is not known.
        page: gives the Markdown page of a rule, empty if it is not installed.
        verdict: the closing line of the text for people.
        baselined: how many findings the baseline hides.
        stale: how many of its entries nothing needs any more.
        scope: what is reported, such as "what is new since `main`"; empty if that is everything.
    """

    diagnostics: Sequence[Diagnostic]
    files: int
    lines: int
    suppressed: int
    notes: Sequence[str]
    crashed: bool
    asked: int
    rules: Sequence[RuleInfo]
    fails: Callable[[Diagnostic], bool]
    version: str
    lines_of: Lines
    in_file: Callable[[Span], Span]
    browse: str
    page: Callable[[RuleInfo], str]
    baselined: int = 0
    stale: int = 0
    scope: str = ""
    verdict: str = ""


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 file`, `2 files`; `several` is for nouns that take no "s".

    Args:
        number: how many there are.
        noun: what they are called, if there is one.
        several: what several are called, of nouns that take no "s".
    """
    return f"{number} {noun}" if number == 1 else f"{number} {several or f'{noun}s'}"


def location(span: Span) -> str:
    """Where a span starts, as people and editors write it: `train.py:3:5`, `train.ipynb:cell 2:3:5`."""
    cell = "" if span.cell is None else f"cell {span.cell}:"
    return f"{span.path}:{cell}{span.start.line}:{span.start.column}"
