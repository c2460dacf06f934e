"""What happens when somebody types `mllint`? The only module that prints and the only one that decides exit codes.

    mllint check src/ --select loss     0: nothing at or above `--fail-on`, 1: findings, 2: the run itself failed
    mllint explain double-softmax       the rule's page, for the terminal
    mllint rules                        what there is
    mllint clean                        forget what the cache holds
    mllint version

Exit code 2 covers everything that makes a clean result worthless: an option, rule or path that does not exist (with the
nearest one that does), a broken configuration, a rule that crashed. Findings go to stdout, all else to stderr.

A command line of `check` with nothing odd in it is read by a few lines of our own; argparse is loaded for all others,
for help and for mistakes (`options`), since it costs as much as parsing a file does. For the same reason the engine and
the formats are imported by the command that uses them.
"""

from __future__ import annotations

import gc
import os
import sys

from mllint import __version__
from mllint._typing import TYPE_CHECKING, Any, NoReturn
from mllint.errors import MllintError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mllint.config import Config
    from mllint.diagnostic import Report
    from mllint.report import Lines
    from mllint.report.style import Style

__all__ = ["main", "run"]

OK, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
WIDTH = 140
"""Columns where there is no terminal to ask."""

_USAGE = """\
mllint finds silent bugs in machine-learning training code.

Usage: mllint <command> [options]

Commands:
  check [PATHS]...   check files and folders (default: the current folder)
  explain [RULE]     show the page of a rule, or list the rules by family
  rules              list the rules as a table
  clean [PATHS]...   remove the cache of a project (default: of the current folder)
  version            show the version

`mllint <command> --help` lists the options of a command.
"""


def run() -> NoReturn:
    """Be the whole process: run the command that `sys.argv` names and leave at once.

    The operating system takes a process's memory back at once; the interpreter would first free each node of each tree,
    which takes a sixth of the time of a run.
    """
    gc.disable()  # one run, one set of trees: collecting saves nothing and costs a fifth
    try:
        code = main()
        sys.stdout.flush()
    except OSError as error:
        _complain(f"error: the output cannot be written: {error}")
        code = FAILED
    sys.stderr.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the command line without the program's name; None reads it from `sys.argv`.

    Returns:
        The exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        # Paths and source may hold what the terminal's encoding lacks; that is no reason to crash.
        getattr(stream, "reconfigure", _nothing)(errors="backslashreplace")
    try:
        return _dispatch(list(sys.argv[1:] if arguments is None else arguments))
    except MllintError as error:
        _complain(f"error: {error}")
        return FAILED
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _close_pipe()
        return OK


def _dispatch(arguments: list[str]) -> int:
    commands: dict[str, Callable[[list[str]], int]] = {
        "check": _check,
        "explain": _explain,
        "rules": _rules,
        "clean": _clean,
        "version": _version,
        "help": _help,
        "--version": _version,
        "-V": _version,
        "--help": _help,
        "-h": _help,
    }
    if not arguments:
        _emit([_USAGE.rstrip()])
        return FAILED
    command, *rest = arguments
    if command in commands:
        return commands[command](rest)
    if os.path.exists(command):
        raise UsageError(f"`{command}` is no command, did you mean `mllint check {command}`?")
    hint = did_you_mean(command, commands)
    raise UsageError(f"`{command}` is no command{hint or '; `mllint --help` lists them'}")


# --------------------------------------------------------------------------------------------------------------- check
def _check(arguments: list[str]) -> int:
    options = _simple_options(arguments) or _check_options(arguments)
    if "-" in options.paths and len(options.paths) > 1:
        raise UsageError("`-` reads standard input and cannot be combined with other paths")
    settings = _settings(options)

    from mllint import catalogue, config

    selected = config.resolve_selection(settings, catalogue.rules().values())
    if options.verbose:
        _complain(f"configuration: {settings.path or 'none'}; {len(selected)} rules selected")
    memory: dict[str, str | bytes] = {}
    if options.paths == ["-"]:
        memory[options.stdin_filename] = sys.stdin.buffer.read()
        from mllint import engine

        report = engine.check_sources(memory, selected=selected, pedantic=settings.pedantic, config=settings)
    else:
        report = _run(options, settings, selected)
    code = _verdict(report, settings.fail_on, exit_zero=options.exit_zero)
    if settings.output_format != "json" and not options.quiet:
        for note in report.notes:
            _complain(f"note: {note}")
    lines = _lines(memory)
    if settings.output_format == "json":
        _emit([_json(report, len(selected), lines)])
    else:
        _emit(_text(report, settings, options, len(selected), lines))
    return code


def _run(options: _CheckOptions, settings: Config, selected: frozenset[str]) -> Report:
    from mllint import jobs, run

    store = None
    if not options.no_cache:
        from mllint import cache

        key = cache.settings_key(settings, selected, settings.pedantic, __version__)
        folder = _cache_folder(options.cache_dir, settings)
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
        _complain(f"note: {note}")
    return report


def _cache_folder(given: str | None, settings: Config) -> str:
    from mllint.cache import FOLDER

    if given is not None:
        return os.path.abspath(given)
    return os.path.join(settings.root or os.getcwd(), FOLDER)


class _CheckOptions:
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


def _simple_options(arguments: list[str]) -> _CheckOptions | None:
    """The options of a command line that is plainly correct; None leaves it to the real parser."""
    from mllint.config import FAIL_ON, OUTPUT_FORMATS

    choices = {"--output-format": OUTPUT_FORMATS, "--fail-on": FAIL_ON, "--color": _COLORS, "--jobs": _JOBS}
    options, paths = _CheckOptions(), []
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


def _check_options(arguments: list[str]) -> _CheckOptions:
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
    options: _CheckOptions = parser.parse(arguments, _CheckOptions())
    return options


def _settings(options: _CheckOptions) -> Config:
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


def _text(report: Report, settings: Config, options: _CheckOptions, rules: int, lines: Lines) -> Iterable[str]:
    from mllint import catalogue
    from mllint.report import text

    style = _style(options.color)
    found = report.diagnostics
    if options.statistics:
        summaries = {info.name: _sentence(info.summary) for info in catalogue.rules().values()}
        yield from text.statistics(found, summaries, style)
    elif settings.output_format == "concise":
        yield from text.concise(found, style)
    else:
        yield from text.full(found, lines, style, width=_width())
    if options.quiet:
        return
    if not report.files:
        where = ", ".join(f"`{path}`" for path in options.paths or ["."])
        yield f"Nothing to check: no Python files or notebooks in {where}"
    else:
        yield text.summary(
            found, style, files=report.files, rules=rules, suppressed=report.suppressed, partial=report.crashed
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


def _lines(memory: dict[str, str | bytes]) -> Lines:
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


# ------------------------------------------------------------------------------------------------------ other commands
def _explain(arguments: list[str]) -> int:
    from mllint.options import Parser, add_color

    parser = Parser("explain", "[OPTIONS] [RULE]", "Show the page of a rule, or list the rules by family.")
    parser.add_argument("rule", nargs="?", metavar="RULE", help="the rule's name, as findings show it")
    add_color(parser)
    options = parser.parse(arguments)

    from mllint import catalogue
    from mllint.report import page

    style = _style(options.color)
    infos = catalogue.rules()
    if options.rule is None:
        _emit(page.listing([(info.family, info.name, _sentence(info.summary)) for info in infos.values()], style))
        return OK
    names = {name: info for info in infos.values() for name in (*info.aliases, info.name)}
    if options.rule not in names:
        hint = did_you_mean(options.rule, names)
        raise UsageError(f"there is no rule `{options.rule}`{hint or '; `mllint rules` lists them'}")
    info = names[options.rule]
    try:
        text = catalogue.page(info)
    except OSError as error:
        raise MllintError(f"the page of `{info.name}` is not installed: {error}") from None
    facts = (info.family, info.severity, f"{info.confidence} confidence", info.persona, *info.frameworks)
    _emit(page.render(text, facts, style))
    return OK


def _rules(arguments: list[str]) -> int:
    from mllint.options import Parser, add_color, choice

    parser = Parser("rules", "[OPTIONS]", "List the rules.")
    formats = ("full", "json")
    parser.add_argument("--output-format", type=choice(formats), default="full", metavar="FORMAT", help="full|json")
    add_color(parser)
    options = parser.parse(arguments)

    from mllint import catalogue

    infos = catalogue.rules().values()
    if options.output_format == "json":
        import json

        _emit([json.dumps([info._asdict() for info in infos], indent=2)])
        return OK
    from mllint.report import page

    rows = [(info.name, info.family, info.severity, info.persona, _sentence(info.summary)) for info in infos]
    _emit(page.table(("rule", "family", "severity", "persona", "summary"), rows, _style(options.color)))
    return OK


def _clean(arguments: list[str]) -> int:
    from mllint.options import Parser

    parser = Parser("clean", "[OPTIONS] [PATHS]...", "Remove the cache that checking these paths has left.")
    parser.add_argument("paths", nargs="*", metavar="PATHS", help="as for `mllint check`")
    parser.add_argument("--cache-dir", metavar="DIR", help="remove this one")
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    options = parser.parse(arguments)

    from mllint import cache, config

    folder = _cache_folder(options.cache_dir, config.load(options.paths, options.isolated))
    _emit([f"Removed {folder}" if cache.clean(folder) else f"There is no cache at {folder}"])
    return OK


def _version(arguments: list[str]) -> int:
    if arguments:
        from mllint.options import Parser

        Parser("version", "", "Show the version.").parse(arguments)
    _emit([f"mllint {__version__}"])
    return OK


def _help(_: list[str]) -> int:
    _emit([_USAGE.rstrip()])
    return OK


def _names(values: list[str] | None) -> tuple[str, ...] | None:
    if values is None:
        return None
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


# ------------------------------------------------------------------------------------------------------------ printing
def _style(color: str) -> Style:
    from mllint.report.style import COLOURED, PLAIN

    if color == "auto":
        environment = os.environ
        if environment.get("NO_COLOR"):
            return PLAIN
        if environment.get("FORCE_COLOR"):
            return COLOURED
        return COLOURED if sys.stdout.isatty() and environment.get("TERM") != "dumb" else PLAIN
    return COLOURED if color == "always" else PLAIN


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH


def _sentence(text: str) -> str:
    """The first sentence, as one line of a table."""
    head, end, _ = text.partition(". ")
    return head + end.rstrip()


def _emit(lines: Iterable[str]) -> None:
    """Print lines; who has heard enough (`| head`) may hang up."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _close_pipe()


def _close_pipe() -> None:
    # What is still in the buffer has nowhere to go: without this the interpreter complains about it at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    sys.stderr.write(f"mllint: {text}\n")


def _nothing(**_: Any) -> None:
    """Stands in for what a replaced stream does not offer."""
