"""How do findings read on a terminal?

`full` tells each finding as a small story: what, where (a frame of code with every place that takes part, in whichever
file it stands), why nothing crashes, what to do. From the fourth finding of a rule in a file on, one line is enough:
the story is known by then, but nothing is hidden. `concise` is that one line for all of them.

What is not decided here: where the text goes, and whether it is coloured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mllint.diagnostic import Diagnostic, Span
from mllint.report import Lines, counted, location
from mllint.report.style import Style, clean

if TYPE_CHECKING:
    from mllint.report.frame import Mark

__all__ = ["concise", "full", "statistics", "summary"]

STORIES = 3
"""So many findings of a rule in a file are told in full."""

_SEVERITIES = ("error", "warning", "info")


def concise(diagnostics: Sequence[Diagnostic], style: Style) -> Iterator[str]:
    """One line for each finding: `train.py:42:32: error[double-softmax] message`."""
    for diagnostic in diagnostics:
        yield _line(diagnostic, style)


def full(diagnostics: Sequence[Diagnostic], lines: Lines, style: Style, *, width: int) -> Iterator[str]:
    """Each finding with its code.

    Args:
        diagnostics: the findings, in the order to show them.
        lines: gives the lines of a file.
        style: paints.
        width: columns of the terminal.

    Yields:
        Lines of text, without line ends.
    """
    explained: dict[tuple[str, str], int] = {}
    short = False
    for diagnostic in diagnostics:
        key = (diagnostic.rule, diagnostic.span.path)
        explained[key] = explained.get(key, 0) + 1
        if explained[key] > STORIES:
            yield _line(diagnostic, style)
            short = True
            continue
        if short:
            yield ""
            short = False
        yield from _story(diagnostic, lines, style, width)
        yield ""
    if short:
        yield ""


def summary(
    diagnostics: Sequence[Diagnostic],
    style: Style,
    *,
    files: int,
    rules: int,
    suppressed: int,
    versions: Mapping[str, str] | None = None,
    partial: bool = False,
    baselined: int = 0,
    stale: int = 0,
    scope: str = "",
) -> str:
    """The closing line.

    Args:
        diagnostics: the findings.
        style: paints.
        files: how many files were read.
        rules: how many rules were selected.
        suppressed: how many findings the user's comments hide.
        versions: the versions of libraries that the code is for.
        partial: a rule crashed, so that a clean result proves nothing.
        baselined: how many findings the baseline hides.
        stale: how many of its entries nothing needs any more.
        scope: what is reported, empty if that is everything.
    """
    hidden = f", {suppressed} suppressed" if suppressed else ""
    if baselined or stale:
        hidden += f", {baselined} in the baseline" + (f" and {stale} stale" if stale else "")
    hidden += f"; only {scope}" if scope else ""
    if not diagnostics:
        targets = "".join(f", {name} {known.removeprefix('==')}" for name, known in (versions or {}).items())
        verdict = "Nothing was found, but the run is incomplete" if partial else style("All checks passed!", "strong")
        return f"{verdict} ({counted(files, 'file')}, {counted(rules, 'rule')}{targets}{hidden})"
    severities: list[str] = [diagnostic.severity for diagnostic in diagnostics]
    counts = [(name, severities.count(name)) for name in _SEVERITIES]
    found = ", ".join(style(counted(number, name), name) for name, number in counts if number)
    touched = len({diagnostic.span.path for diagnostic in diagnostics})
    return f"Found {found} in {counted(touched, 'file')} ({files} checked{hidden})"


def statistics(
    diagnostics: Sequence[Diagnostic], summaries: Mapping[str, str], style: Style, columns: int = 0
) -> Iterator[str]:
    """How often each rule fired, most frequent first, with the rule's summary.

    Args:
        diagnostics: what was found.
        summaries: the summary of each rule, by name.
        style: how to write on the terminal.
        columns: the width to fold at; 0 for none.
    """
    from mllint.report.fold import folded

    severity = {diagnostic.rule: diagnostic.severity for diagnostic in diagnostics}
    tally: dict[str, int] = {}
    for diagnostic in diagnostics:
        tally[diagnostic.rule] = tally.get(diagnostic.rule, 0) + 1
    counts = sorted(((number, rule) for rule, number in tally.items()), key=lambda item: (-item[0], item[1]))
    if not counts:
        return
    digits = len(str(counts[0][0]))
    longest = max(len(f"{severity[rule]}[{rule}]") for _, rule in counts)
    for count, rule in counts:
        head = f"{severity[rule]}[{rule}]"
        padding = " " * (longest - len(head))
        painted = style(head, severity[rule])
        lead = f"{str(count).rjust(digits)}  {painted}{padding}  "
        yield from folded(lead, summaries.get(rule, ""), columns, indent=digits + longest + 4)


def _line(diagnostic: Diagnostic, style: Style) -> str:
    head = style.link(style(f"{diagnostic.severity}[{diagnostic.rule}]", diagnostic.severity), diagnostic.url)
    return f"{style(clean(location(diagnostic.span)), 'strong')}: {head} {clean(diagnostic.message)}"


def _story(diagnostic: Diagnostic, lines: Lines, style: Style, width: int) -> Iterator[str]:
    from mllint.report.frame import draw

    places: list[tuple[Span, str, str]] = [(diagnostic.span, diagnostic.primary, diagnostic.severity)]
    places += [(label.span, label.message, "label") for label in diagnostic.labels]
    groups: dict[tuple[str, int | None], list[tuple[Span, str, str]]] = {}
    for place in places:
        groups.setdefault((place[0].path, place[0].cell), []).append(place)
    gutter = max(len(str(span.start.line)) for span, _, _ in places)
    head = style.link(style(f"{diagnostic.severity}[{diagnostic.rule}]", diagnostic.severity), diagnostic.url)
    yield head + style(f": {clean(diagnostic.message)}", "strong")
    pad = " " * gutter
    for index, (key, group) in enumerate(groups.items()):
        arrow = ":::" if index else "-->"
        yield f"{pad}{style(arrow, 'frame')} {clean(location(group[0][0]))}"
        text = lines(*key)
        marks = [_mark(span, message, severity, text) for span, message, severity in group]
        drawing = list(draw(text, marks, gutter=gutter, width=width, style=style))
        if drawing:
            bar = f"{pad} {style('|', 'frame')}"
            yield from (bar, *drawing, bar)
    for name, note in (("why", diagnostic.why), ("help", diagnostic.help)):
        if note:
            yield from _footer(name, clean(note), pad, style, width)
    if diagnostic.fix is not None:
        kind = "safe" if diagnostic.fix.safe else "unsafe"
        yield from _footer("fix", f"{clean(diagnostic.fix.message)} ({kind})", pad, style, width)
    if diagnostic.why or diagnostic.help:
        yield from _footer("docs", f"mllint explain {diagnostic.rule}", pad, style, width)


def _mark(span: Span, message: str, severity: str, lines: Sequence[str]) -> Mark:
    from mllint.report.frame import Mark

    line, start = span.start
    if span.end.line == line:
        return Mark(line, start, span.end.column, message, severity)
    text = lines[line - 1].rstrip() if line <= len(lines) else ""
    return Mark(line, start, len(text) + 1, message, severity)


def _footer(name: str, note: str, pad: str, style: Style, width: int) -> Iterator[str]:
    """`= why: ...`, wrapped below its own beginning where the terminal is narrow."""
    indent = len(pad) + len(name) + 5
    rows = [""]
    for word in note.split():
        if rows[-1] and indent + len(rows[-1]) + 1 + len(word) > max(width, indent + 20):
            rows.append("")
        rows[-1] += f" {word}" if rows[-1] else word
    yield f"{pad} {style('=', 'frame')} {style(name + ':', 'strong')} {rows[0]}"
    for row in rows[1:]:
        yield " " * indent + row
