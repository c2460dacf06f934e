"""Where does a report go, and in which formats?

    --output-format full --output-format sarif:out.sarif       the terminal reads text, code scanning reads the file

An output is a format and a file; without a file it is standard output, where the log formats may stand together and
anything else stands alone. What the outputs are is decided before the run, so that a mistake costs no waiting. A file
is written beside its place and moved there when it is whole: a reader sees the old one or the new one.

In the log of GitHub's and Azure's runners lines may be commands. `github` brings the text of the findings along, since
annotations are not all of them, and writes the summary of the step; it is what holds in GitHub Actions if nothing is
asked for.

Text for people is put together here, since a plain check may load nothing more; each other format is a module of
`report` with a `render(Results) -> str`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from mllint.cli.terminal import WIDTH, complain, emit, folding, style, width
from mllint.errors import ConfigError, MllintError, UsageError
from mllint.report.style import COLOURED, PLAIN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mllint.cli.options import Options
    from mllint.config.model import Config
    from mllint.diagnostic import Report
    from mllint.report import Results
    from mllint.report.style import Style

__all__ = ["WITH_FIXES", "Target", "overlooked", "targets", "write"]

_TEXT = frozenset(("full", "concise"))
_COUNTED = _TEXT | {"json"}
_LOG = frozenset((*_TEXT, "azure", "github"))
"""The formats that may stand together on standard output."""
_SUMMARY_SIZE = 1 << 20
"""So many bytes GitHub takes as the summary of a step."""
WITH_FIXES = frozenset(("json", "json-lines", "sarif", "rdjson"))
"""The formats that hold the fixes of findings."""
_WITH_NOTES = frozenset(("json", "markdown", "sarif"))
"""The formats that hold the notes of a run."""


class Target(NamedTuple):
    """One output: its format, and the file that it goes to, empty for standard output."""

    format: str
    file: str = ""


def targets(settings: Config, options: Options) -> list[Target]:
    """The outputs that a run was asked for.

    Args:
        settings: the merged configuration.
        options: the command line.

    Raises:
        UsageError: the outputs are in each other's way, or a file cannot be one.
        ConfigError: a configuration names a file that is none of ours.
    """
    found: list[Target] = []
    for output in settings.output_format or _usual(options):
        name, _, file = output.partition(":")
        found.append(Target(name, "" if file == "-" else file))
    _checked(found, settings)
    if options.output_file:
        free = [target for target in found if not target.file]
        if len(free) != 1:
            formats = ", ".join(f"`{target.format}`" for target in free) or "none"
            raise UsageError(f"`--output-file` takes one format without a file of its own, here are: {formats}")
        file = "" if options.output_file == "-" else options.output_file
        found[found.index(free[0])] = free[0]._replace(file=file)
    printed = [target.format for target in found if not target.file]
    if "github" in printed and _TEXT.isdisjoint(printed):
        found.insert(0, Target("full"))
    found = list(dict.fromkeys(found))
    _refuse(found)
    return found


def overlooked(settings: Config) -> Iterator[str]:
    """The outputs that nested configurations ask for in vain, in sentences: a run writes one report."""
    written = settings.origin("output_format")
    if written is not None and written.given:
        return  # who says it on the command line knows
    reported: set[str] = set()
    for one in settings.nested.values():
        layer = one.origin("output_format")
        if layer is not None and one.output_format != settings.output_format and layer.path not in reported:
            from mllint.config.toml import place_of

            reported.add(layer.path)
            path, line = place_of(layer, "output-format")
            place = path if line is None else f"{path}:{line}"
            yield f"{place}: `output-format` does not count here: the run is also about files outside its folder"


def _checked(found: Sequence[Target], settings: Config) -> None:
    """Refuse files of a configuration that are there and nothing that mllint has written.

    Raises:
        ConfigError: one is.
    """
    layer = settings.origin("output_format")
    if layer is None or layer.given:
        return
    from mllint.config.toml import place_of
    from mllint.files.writing import is_report

    for target in found:
        if target.file and os.path.isfile(target.file) and not is_report(target.file):
            name = os.path.basename(target.file)
            reason = f"`{name}` is there and no report of mllint: only the command line may replace it"
            raise ConfigError(reason, *place_of(layer, "output-format"))


def _usual(options: Options) -> tuple[str, ...]:
    """The outputs if none are asked for."""
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and not options.output_file
    return ("full", "github") if in_actions else ("full",)


def _refuse(found: Sequence[Target]) -> None:
    """Say which outputs are in each other's way."""
    printed = [target.format for target in found if not target.file]
    alone = [name for name in printed if name not in _LOG]
    if alone and len(printed) > 1:
        other = next(name for name in printed if name != alone[0])
        raise UsageError(
            f"`{alone[0]}` and `{other}` would both go to standard output: give one a file, as in `{alone[0]}:FILE`"
        )
    taken: dict[str, str] = {}
    for name, file in found:
        if not file:
            continue
        if os.path.isdir(file):
            raise UsageError(f"`{name}:{file}` names a folder, not a file")
        other = taken.setdefault(os.path.realpath(file), name)
        if other != name:
            raise UsageError(f"`{other}` and `{name}` would both be written to `{file}`")


def write(
    report: Report,
    outputs: Sequence[Target],
    settings: Config,
    options: Options,
    selected: Collection[str],
    memory: Mapping[str, str | bytes],
) -> None:
    """Print a report, and write it to files.

    Args:
        report: what was found.
        outputs: what `targets` gave.
        settings: the merged configuration.
        options: the command line.
        selected: the names of the rules that were asked.
        memory: files that are not on disk, by path.

    Raises:
        MllintError: a file cannot be written. What was there before is still there.
    """
    printed = [target.format for target in outputs if not target.file]
    if not options.quiet and not _WITH_NOTES.issuperset(printed or ("",)):
        for note in report.notes:
            complain(f"note: {note}")
    if options.statistics and not options.quiet and _COUNTED.isdisjoint(target.format for target in outputs):
        complain("note: `--statistics` is about text for people and `json`, which are not among the formats")
    sheet = _Sheet(report, settings, options, selected, memory)
    for name, file in outputs:
        if file:
            look = COLOURED if options.color == "always" else PLAIN
            _save(file, "".join(f"{line}\n" for line in sheet.lines(name, look, WIDTH)))
        else:
            lines = _for_log(sheet.printed(name), name, printed)
            emit(lines, utf8=_TEXT.isdisjoint(printed), raw=name not in _TEXT or "github" in printed)
    step = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if step and "github" in printed:
        _add_to_step(step, sheet)
    if not printed and not options.quiet:
        complain(sheet.summary(PLAIN))


def _for_log(lines: Iterable[str], name: str, printed: Collection[str]) -> Iterable[str]:
    """The lines of a format, none of them a command by accident if the log is one that takes commands."""
    if name not in _TEXT:
        from mllint.neutral import quoted

        return (quoted(line, name) for line in lines)
    if name in _TEXT and "github" in printed:
        from mllint.report.github import muted

        lines = muted(lines)
    if name in _TEXT and "azure" in printed:
        from mllint.report.azure import harmless

        lines = map(harmless, lines)
    return lines


def _add_to_step(path: str, sheet: _Sheet) -> None:
    """Add the findings to the summary of a step of GitHub Actions."""
    from mllint.report import markdown

    try:
        with open(path, "ab") as file:
            room = _SUMMARY_SIZE - file.tell()
            text = markdown.render(sheet.results(), most=room).encode("utf-8", "backslashreplace")
            if len(text) <= room:
                file.write(text)
    except OSError as error:
        complain(f"note: the summary of the step cannot be written: {(error.strerror or str(error)).lower()}")


class _Sheet:
    """A report that can be written down in any format."""

    def __init__(
        self,
        report: Report,
        settings: Config,
        options: Options,
        selected: Collection[str],
        memory: Mapping[str, str | bytes],
    ) -> None:
        self.report, self.settings, self.options = report, settings, options
        self.selected, self.memory = selected, memory
        self.known: Results | None = None

    def results(self) -> Results:
        """The report with what the formats need to know besides."""
        if self.known is None:
            from mllint.report.results import collect

            results = collect(self.report, self.settings, self.selected, self.memory)
            self.known = results._replace(verdict=self.summary(PLAIN))
        return self.known

    def printed(self, name: str) -> Iterable[str]:
        """The lines for standard output: counts in place of the report where these were asked for as JSON."""
        if name == "json" and self.options.statistics:
            from mllint.report import json

            return (json.statistics(self.results()),)
        return self.lines(name, style(self.options.color), width())

    def lines(self, name: str, look: Style, columns: int) -> Iterator[str]:
        """The report in one format, line by line."""
        if name not in _TEXT:
            module = __import__(f"mllint.report.{name.replace('-', '_')}", fromlist=["render"])
            text: str = module.render(self.results())
            if text:
                yield text.removesuffix("\n")
            return
        yield from self.findings(name, look, columns)
        if not self.options.quiet:
            yield self.summary(look)

    def findings(self, name: str, look: Style, columns: int) -> Iterator[str]:
        """The findings as text, without the closing line."""
        from mllint.report import text

        found = self.report.diagnostics
        if not found:
            return
        if self.options.statistics:
            from mllint.catalogue import pages

            summaries = {info.name: info.headline for info in pages.rules().values()}
            on_terminal = columns == folding()  # in a file each rule is one line
            yield from text.statistics(found, summaries, look, columns if on_terminal else 0)
        elif name == "concise":
            yield from text.concise(found, look)
        else:
            from mllint.report.results import lines_of

            yield from text.full(found, lines_of(self.memory), look, width=columns)

    def summary(self, look: Style) -> str:
        """The closing line."""
        from mllint.report import text

        report = self.report
        if not report.files and report.scope:
            return f"Nothing to check: only {report.scope}, and no Python file or notebook is concerned"
        if not report.files:
            where = ", ".join(f"`{path}`" for path in self.options.paths or ["."])
            return f"Nothing to check: no Python files or notebooks in {where}"
        if not self.selected and not report.diagnostics:
            return "Nothing was checked: no rule is selected"
        return text.summary(
            report.diagnostics,
            look,
            files=report.files,
            rules=len(self.selected),
            suppressed=report.suppressed,
            versions=self._versions(),
            partial=report.crashed,
            baselined=report.baselined,
            stale=report.stale,
            scope=report.scope,
        )

    def _versions(self) -> dict[str, str]:
        """The versions of libraries of which all configurations say the same."""
        known = [one.target_versions for one in self.settings.all]
        return {name: version for name, version in known[0].items() if all(one.get(name) == version for one in known)}


def _save(path: str, text: str) -> None:
    """Write a file as a whole or not at all.

    Raises:
        MllintError: it cannot be written; what was there before is still there.
    """
    from mllint.files.writing import replace

    data = text.encode("utf-8", "backslashreplace")
    place = os.path.realpath(path)  # a link stays a link
    try:
        if path.startswith("/dev/") or (os.path.exists(path) and not os.path.isfile(path)):
            with open(path, "wb") as file:  # a pipe or a device is written to, never replaced
                file.write(data)
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        replace(place, data)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MllintError(f"the report `{path}` cannot be written: {reason}") from None
