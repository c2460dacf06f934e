"""What do Jenkins and everything else read that knows test reports? JUnit's XML, as most of its readers agree on it.

A file is a suite and a finding is a failed case in it. Findings that do not make the run fail (`--fail-on`) are cases
that pass and say what they have to say as their output, so that a build is not called unstable for a remark. A file
that could not be checked is an error. A clean run is one case that passes, since many readers take an empty report
for a broken one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.neutral import UNSAFE
from mllint.report.words import first_line, whole_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mllint.diagnostic import Diagnostic
    from mllint.report import Results

__all__ = ["render"]

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}
_CONTROLS = {code: f"&#{code};" for code in UNSAFE if code >= 0x7F}
"""XML may hold these; a terminal on which a report is shown would obey them."""


def render(results: Results) -> str:
    """The whole report as one XML document."""
    suites: dict[str, list[Diagnostic]] = {}
    for diagnostic in results.diagnostics:
        suites.setdefault(first_line(diagnostic.span, results).path, []).append(diagnostic)
    rows = ["<?xml version='1.0' encoding='utf-8'?>"]
    rows.append(f"<testsuites {_counts('mllint', results.diagnostics, results)}>")
    for path, found in suites.items():
        rows += _suite(path, found, results)
    if not suites:
        case = '    <testcase name="mllint" classname="mllint"/>'
        rows += [f"  <testsuite {_counts('mllint', [], results)}>", case, "  </testsuite>"]
    return "\n".join([*rows, "</testsuites>"])


def _counts(name: str, found: Sequence[Diagnostic], results: Results) -> str:
    kinds = [_kind(diagnostic, results) for diagnostic in found]
    counts = {"tests": len(found) or 1, "failures": kinds.count("failure"), "errors": kinds.count("error")}
    return f"name={_quoted(name)} " + " ".join(f'{key}="{count}"' for key, count in counts.items())


def _kind(diagnostic: Diagnostic, results: Results) -> str:
    if diagnostic.family == "engine":
        return "error"
    return "failure" if results.fails(diagnostic) else "system-out"


def _suite(path: str, found: Sequence[Diagnostic], results: Results) -> Iterator[str]:
    yield f"  <testsuite {_counts(path, found, results)}>"
    for diagnostic in found:
        start = first_line(diagnostic.span, results).start
        name = _quoted(f"{diagnostic.rule} at {start.line}:{start.column}")
        where = f'name={name} classname={_quoted(path)} file={_quoted(path)} line="{start.line}"'
        kind = _kind(diagnostic, results)
        about = f" type={_quoted(diagnostic.severity)} message={_quoted(diagnostic.message)}"
        yield f"    <testcase {where}>"
        text = _escaped("\n".join(whole_text(diagnostic, results)), plain=True)
        yield f"      <{kind}{'' if kind == 'system-out' else about}>{text}</{kind}>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str, *, plain: bool = False) -> str:
    """Text as XML holds it; what XML cannot hold becomes a replacement character."""
    kept = "".join(char if _is_allowed(char) else "\N{REPLACEMENT CHARACTER}" for char in text)
    for char, entity in _ENTITIES.items():
        if not (plain and char in '"\n\t'):
            kept = kept.replace(char, entity)
    return kept.translate(_CONTROLS)


def _is_allowed(char: str) -> bool:
    code = ord(char)
    return code in (9, 10) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
