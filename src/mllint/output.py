"""From a report to what is printed: the format, the lines of source that it shows, the summary."""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING
from mllint.console import complain, emit, sentence, style, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mllint.commands.check_options import Options
    from mllint.config import Config
    from mllint.diagnostic import Report
    from mllint.report import Lines

__all__ = ["write"]


def write(report: Report, settings: Config, options: Options, rules: int, memory: Mapping[str, str | bytes]) -> None:
    """Print a report in the format that was asked for.

    Args:
        report: what was found.
        settings: the merged configuration.
        options: the command line.
        rules: how many rules were asked.
        memory: files that are not on disk, by path.
    """
    if settings.output_format != "json" and not options.quiet:
        for note in report.notes:
            complain(f"note: {note}")
    lines = _lines(memory)
    if settings.output_format == "json":
        emit([_json(report, rules, lines)])
    else:
        emit(_text(report, settings, options, rules, lines))


def _text(report: Report, settings: Config, options: Options, rules: int, lines: Lines) -> Iterable[str]:
    from mllint import catalogue
    from mllint.report import text

    look = style(options.color)
    found = report.diagnostics
    if options.statistics:
        summaries = {info.name: sentence(info.summary) for info in catalogue.rules().values()}
        yield from text.statistics(found, summaries, look)
    elif settings.output_format == "concise":
        yield from text.concise(found, look)
    else:
        yield from text.full(found, lines, look, width=width())
    if options.quiet:
        return
    if not report.files:
        where = ", ".join(f"`{path}`" for path in options.paths or ["."])
        yield f"Nothing to check: no Python files or notebooks in {where}"
    else:
        yield text.summary(
            found, look, files=report.files, rules=rules, suppressed=report.suppressed, partial=report.crashed
        )


def _json(report: Report, rules: int, lines: Lines) -> str:
    from mllint.fingerprint import fingerprinted
    from mllint.report.json import render

    return render(
        fingerprinted(report.diagnostics, lines),
        files=report.files,
        lines=report.lines,
        rules=rules,
        suppressed=report.suppressed,
        crashed=report.crashed,
        notes=report.notes,
    )


def _lines(memory: Mapping[str, str | bytes]) -> Lines:
    """Gives the lines of files as the findings count them; of `memory` where it holds the file."""
    from mllint import files
    from mllint.errors import SourceError
    from mllint.source import Source

    known: dict[str, Source | None] = {}

    def lines(path: str, cell: int | None) -> Sequence[str]:
        if path not in known:
            try:
                data = memory[path] if path in memory else files.read(path)
                known[path] = Source.from_bytes(path, data.encode() if isinstance(data, str) else data)
            except SourceError:
                known[path] = None
        source = known[path]
        if source is None or any(error.cell == cell for error in source.broken if cell):
            return ()  # a broken cell is blank in the text, and a blank frame helps nobody
        text = source.text.split("\n")
        if cell is None or source.cells is None:
            return text
        starts = [*source.cells.starts, len(text) + 1]
        if cell not in source.cells.numbers:
            return ()
        index = source.cells.numbers.index(cell)
        return text[starts[index] - 1 : starts[index + 1] - 1]

    return lines
