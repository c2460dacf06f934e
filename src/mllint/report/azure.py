"""What does Azure Pipelines read in the log of a job? A `logissue` command for each finding.

Azure knows errors and warnings only: an info is a warning. The finding is one message of several lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.report.style import clean
from mllint.report.words import first_line, whole_text

if TYPE_CHECKING:
    from mllint.diagnostic import Diagnostic
    from mllint.report import Results

__all__ = ["harmless", "render"]

_TYPES = {"error": "error", "warning": "warning", "info": "warning"}
_ESCAPES = {"%": "%AZP25", ";": "%3B", "\r": "%0D", "\n": "%0A", "]": "%5D"}


def render(results: Results) -> str:
    """A line for each finding."""
    return "".join(f"{_command(diagnostic, results)}\n" for diagnostic in results.diagnostics)


def harmless(line: str) -> str:
    """A line of text for the same log, with nothing in it that the agent would take for a command."""
    return line.replace("##vso[", "## vso[").replace("##[", "## [")


def _command(diagnostic: Diagnostic, results: Results) -> str:
    inside = first_line(diagnostic.span, results)
    facts = {
        "type": _TYPES[diagnostic.severity],
        "sourcepath": inside.path,
        "linenumber": str(inside.start.line),
        "columnnumber": str(inside.start.column),
        "code": diagnostic.rule,
    }
    properties = "".join(f"{name}={_escaped(clean(value))};" for name, value in facts.items())
    text = "\n".join(clean(line) for line in whole_text(diagnostic, results))
    return f"##vso[task.logissue {properties}]{_escaped(text)}"


def _escaped(text: str) -> str:
    for sign, code in _ESCAPES.items():
        text = text.replace(sign, code)
    return text
