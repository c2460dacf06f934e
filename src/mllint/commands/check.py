"""`mllint check [PATHS]...`: what was asked for, the run, the exit code.

A command line with nothing odd in it is read by a few lines of our own; argparse is loaded for all others, for help and
for mistakes (`options`), since it costs as much as parsing a file does. For the same reason the engine and the formats
are imported when they are used.
"""

from __future__ import annotations

import os
import sys

from mllint import __version__
from mllint._typing import TYPE_CHECKING
from mllint.console import FAILED, FINDINGS, OK, complain
from mllint.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from mllint.config import Config
    from mllint.diagnostic import Report

__all__ = ["Options", "main"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    options = simple_options(arguments) or all_options(arguments)
    if "-" in options.paths and len(options.paths) > 1:
        raise UsageError("`-` reads standard input and cannot be combined with other paths")
    settings = settings_for(options)

    from mllint import catalogue, config, output

    selected = config.resolve_selection(settings, catalogue.rules().values())
    if options.verbose:
        complain(f"configuration: {settings.path or 'none'}; {len(selected)} rules selected")
    memory: dict[str, str | bytes] = {}
    if options.paths == ["-"]:
        memory[options.stdin_filename] = sys.stdin.buffer.read()
        from mllint import engine

        report = engine.check_sources(memory, selected=selected, pedantic=settings.pedantic, config=settings)
    else:
        report = _run(options, settings, selected)
    code = _verdict(report, settings.fail_on, exit_zero=options.exit_zero)
    output.write(report, settings, options, len(selected), memory)
    return code


def _run(options: Options, settings: Config, selected: frozenset[str]) -> Report:
    from mllint import jobs, run

    store = None
    if not options.no_cache:
        from mllint import cache

        key = cache.settings_key(settings, selected, settings.pedantic, __version__)
        folder = cache.folder_for(options.cache_dir, settings)
        store = cache.Store(folder, key, options.paths, explicit=options.cache_dir is not None)
    report = run.check_paths(
        options.paths,
        settings,
        selected=selected,
        pedantic=settings.pedantic,
        store=store,
        jobs=jobs.available() if options.jobs == "auto" else int(options.jobs),
    )
    for note in store.notes if store is not None and not options.quiet else ():
        complain(f"note: {note}")
    return report


class Options:
    """What `mllint check` was asked for, each option with what holds without it."""

    paths: list[str]
    output_format: str | None = None
    select: list[str] | None = None
    ignore: list[str] | None = None
    extend_select: list[str] | None = None
    pedantic = False
    fail_on: str | None = None
    exit_zero = False
    statistics = False
    config: str | None = None
    isolated = False
    no_cache = False
    cache_dir: str | None = None
    jobs = "auto"
    stdin_filename = "stdin.py"
    color = "auto"
    quiet = False
    verbose = False


_SWITCHES = frozenset("--pedantic --exit-zero --statistics --isolated --no-cache --quiet --verbose".split())
_SHORT = {"-j": "--jobs", "-q": "--quiet", "-v": "--verbose"}
_LISTS = frozenset("--select --ignore --extend-select".split())
_COLORS = ("auto", "always", "never")
_JOBS = ("auto", *map(str, range(1, 65)))


def simple_options(arguments: list[str]) -> Options | None:
    """The options of a command line that is plainly correct; None leaves it to the real parser."""
    from mllint.config import FAIL_ON, OUTPUT_FORMATS

    choices = {"--output-format": OUTPUT_FORMATS, "--fail-on": FAIL_ON, "--color": _COLORS, "--jobs": _JOBS}
    options, paths = Options(), []
    words = iter(arguments)
    for word in words:
        option, separator, value = _SHORT.get(word, word).partition("=")
        field = option.lstrip("-").replace("-", "_")
        if word == "-" or not word.startswith("-"):
            paths.append(word)
        elif option in _SWITCHES and not separator:
            setattr(options, field, True)
        elif option in choices or option in _LISTS or option == "--cache-dir":
            value = value if separator else next(words, "-")
            if value.startswith("-") or (option in choices and value not in choices[option]):
                return None
            setattr(options, field, [*(getattr(options, field) or ()), value] if option in _LISTS else value)
        else:
            return None
    options.paths = paths
    return options


def all_options(arguments: list[str]) -> Options:
    from mllint.config import FAIL_ON, OUTPUT_FORMATS
    from mllint.options import Parser, choice, count

    parser = Parser("check", "[OPTIONS] [PATHS]...", "Check files and folders; `-` reads standard input.")
    parser.epilog = "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the run itself failed."
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATHS", help="files and folders (default: the current folder)")
    add("--output-format", type=choice(OUTPUT_FORMATS), metavar="FORMAT", help="|".join(OUTPUT_FORMATS))
    add("--select", action="append", metavar="RULES", help="only these rules, families or selectors (comma-separated)")
    add("--ignore", action="append", metavar="RULES", help="none of these")
    add("--extend-select", action="append", metavar="RULES", help="these, too")
    add("--pedantic", action="store_true", help="also the pedantic rules, and findings that rest on a guess")
    add("--fail-on", type=choice(FAIL_ON), metavar="SEVERITY", help="exit with 1 from here on: " + "|".join(FAIL_ON))
    add("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    add("--statistics", action="store_true", help="show how often each rule fires instead of the findings")
    add("--config", metavar="FILE", help="read this configuration file")
    add("--isolated", action="store_true", help="read no configuration file")
    add("--no-cache", action="store_true", help="neither read nor write a cache")
    add("--cache-dir", metavar="DIR", help="where the cache is (default: .mllint_cache beside the configuration)")
    add("-j", "--jobs", type=count, metavar="N", help="auto, or how many processes to use at most")
    add("--stdin-filename", metavar="PATH", help="what `-` is called in findings")
    add("--color", type=choice(_COLORS), metavar="WHEN", help="auto|always|never")
    add("-q", "--quiet", action="store_true", help="show findings only")
    add("-v", "--verbose", action="store_true", help="say which configuration is used")
    options: Options = parser.parse(arguments, Options())
    return options


def settings_for(options: Options) -> Config:
    from mllint import config

    if options.config and options.isolated:
        raise UsageError("`--config` and `--isolated` contradict each other")
    paths = ["."] if options.paths == ["-"] else options.paths
    settings = _config_file(options.config) if options.config else config.load(paths, options.isolated)
    return settings.merge(
        select=_names(options.select),
        ignore=_names(options.ignore),
        extend_select=_names(options.extend_select),
        pedantic=options.pedantic or None,
        fail_on=options.fail_on,
        output_format=options.output_format,
    )


def _config_file(path: str) -> Config:
    from mllint import config

    if not os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        names = os.listdir(folder) if os.path.isdir(folder) else []
        raise UsageError(f"there is no configuration file `{path}`{did_you_mean(os.path.basename(path), names)}")
    if os.path.basename(path) == "pyproject.toml":
        return config.load([path])
    try:
        with open(path, encoding="utf-8-sig") as file:
            return config.from_toml(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the configuration file `{path}` cannot be read: {error}") from None


def _verdict(report: Report, fail_on: str, *, exit_zero: bool) -> int:
    if report.crashed:
        return FAILED
    ranks = ("error", "warning", "info")
    failing = () if fail_on == "never" or exit_zero else ranks[: ranks.index(fail_on) + 1]
    return FINDINGS if any(diagnostic.severity in failing for diagnostic in report.diagnostics) else OK


def _names(values: list[str] | None) -> tuple[str, ...] | None:
    if values is None:
        return None
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())
