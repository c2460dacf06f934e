"""`mllint check [PATHS]...`: what was asked for, the run, the exit code.

The options are a table (`options`). The engine and the formats are imported when they are used: what is not
needed would cost as much as parsing a file does.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from mllint.cli.command import WORDS, Command, paths
from mllint.cli.options import OPTIONS, Options
from mllint.cli.settings import names, settings_for
from mllint.cli.terminal import FAILED, FINDINGS, OK, complain, tell
from mllint.errors import UsageError
from mllint.version import __version__

if TYPE_CHECKING:
    from mllint.cli.timing import Clock
    from mllint.config.model import Config
    from mllint.diagnostic import Report
    from mllint.engine.cache import Store
    from mllint.engine.changes import Request
    from mllint.project.discovery import Discovery

__all__ = ["command", "discover", "report_for", "request_of"]


def main(**values: Any) -> int:
    """Run the command; gives the exit code."""
    options = Options(**values)
    if options.stdin_filename is not None and not options.paths:
        options.paths = ("-",)
    _refuse_contradictions(options)
    settings = settings_for(options)
    if options.show_settings or options.show_files:
        from mllint.cli.show import show

        return show(options, settings)

    if options.watch:
        from mllint.cli.watch import watch

        return watch(click.get_current_context().meta[WORDS], options)
    return _check(options, settings)


def _check(options: Options, settings: Config) -> int:
    """Check, write the report, and give the exit code."""
    clock = _clock(options)

    from mllint.catalogue import pages
    from mllint.cli import output
    from mllint.config import selection
    from mllint.config.selection import resolve_selection

    outputs = output.targets(settings, options)
    infos = pages.rules().values()
    selected = resolve_selection(settings, infos)
    fixing = options.fix or options.fix_only or options.diff
    if fixing or options.unsafe_fixes or not output.WITH_FIXES.isdisjoint(target.format for target in outputs):
        settings = settings._replace(fixes=True)
    found = discover(request := request_of(options), options, settings)
    settings = found.config
    requested = selection.resolve_all(settings, infos) if settings.nested else selected
    _print_notes(options, settings, len(requested))
    report, memory = _unaccepted(options, request, found, selected)
    fixed = False
    if fixing:
        from mllint.cli.fix import apply_fixes

        fixed = apply_fixes(report, options, found, selected, whole=request is None and not report.baselined)
        if options.diff or options.fix_only:
            return FAILED if report.crashed else FINDINGS if fixed and _tells_of_fixes(options) else OK
        if fixed:
            report, memory = _unaccepted(options, request, discover(request, options, settings), selected)
    if options.add_ignore is not None:
        from mllint.cli.add_ignore import add_ignores

        return add_ignores(report, options.add_ignore)
    code = _verdict(report, settings, exit_zero=options.exit_zero)
    output.write(report, outputs, settings, options, requested, memory)
    _print_timing(clock, in_json=any(target.format.startswith("json") for target in outputs))
    return max(code, FINDINGS) if fixed and _tells_of_fixes(options) else code


def _print_timing(clock: Clock | None, *, in_json: bool) -> None:
    """Say how long each part of the run has taken, if that was measured."""
    if clock is None:
        return
    from mllint.cli import timing

    tell([timing.as_json(clock)] if in_json else timing.as_table(clock))


def _tells_of_fixes(options: Options) -> bool:
    """Does the exit code say that something was fixed, or would be?"""
    return (options.diff or options.exit_non_zero_on_fix) and not options.exit_zero


def _unaccepted(
    options: Options, request: Request | None, found: Discovery, selected: frozenset[str]
) -> tuple[Report, dict[str, str | bytes]]:
    """As `report_for`, without what the baseline accepts."""
    report, memory = report_for(options, request, found, selected)
    if any(one.baseline for one in found.config.all) and not options.no_baseline:
        from mllint.findings import baseline

        whole = options.paths != ("-",) and not _is_narrowed(options)
        report = baseline.hide(report, found.config, paths=options.paths, whole=whole)
    return report, memory


def _print_notes(options: Options, settings: Config, rules: int) -> None:
    """Say which configuration counts and how many rules it selects, if asked, and what in it has no effect."""
    from mllint.catalogue import pages
    from mllint.cli import output
    from mllint.config import selection

    if options.verbose:
        from mllint.report import counted

        files = ", ".join(dict.fromkeys(one.path for one in settings.all if one.path))
        complain(f"configuration: {files or 'none'}; {counted(rules, 'rule')} selected")
    if options.quiet:
        return
    for selector in selection.without_rules(settings, pages.rules().values()):
        complain(f"note: `{selector}` selects nothing: there is no rule about {selector.partition(':')[2]} yet")
    if settings.nested:
        for note in output.overlooked(settings):
            complain(f"note: {note}")


def _clock(options: Options) -> Clock | None:
    """What measures the run, if it is to be measured."""
    if not options.timing:
        return None
    from mllint.cli.timing import Clock

    options.no_cache, options.jobs = True, "1"
    clock = Clock()
    clock.install()
    return clock


def _refuse_contradictions(options: Options) -> None:
    if "-" in options.paths and len(options.paths) > 1:
        raise UsageError("`-` reads standard input and cannot be combined with other paths")
    if options.stdin_filename is not None and options.paths != ("-",):
        raise UsageError(f"`--stdin-filename` says what `-` is: write `-` in place of `{options.paths[0]}`")
    if options.select and not names(options.select):
        raise UsageError("`--select` is given an empty text: name a rule, a family or a selector")
    if "-" in options.paths and _is_narrowed(options):
        raise UsageError("`-` reads standard input, which has no history and no project: name files or folders")
    _refuse_fixes(options)
    if options.watch and (options.paths == ("-",) or options.add_ignore is not None):
        other = "`-`" if options.paths == ("-",) else "`--add-ignore`"
        raise UsageError(f"`--watch` waits for files to change and cannot be combined with {other}")
    for option in ("baseline", "context", "diff-base"):
        if getattr(options, option.replace("-", "_")) == "":
            raise UsageError(f"`--{option}` is given an empty text: name something, or leave the option out")
    if options.baseline is not None and options.no_baseline:
        raise UsageError("`--baseline` and `--no-baseline` contradict each other")
    if options.add_ignore is not None and (options.paths == ("-",) or options.staged):
        other = "`--staged`" if options.staged else "`-`"
        raise UsageError(f"`--add-ignore` writes into the files on disk and cannot be combined with {other}")


def _refuse_fixes(options: Options) -> None:
    """Say which options do not go with fixes."""
    given = next((o for o in ("fix", "fix_only", "diff") if getattr(options, o)), None)
    if given is None:
        return
    others = {"`-`": options.paths == ("-",), "`--staged`": options.staged, "`--watch`": options.watch,
              "`--add-ignore`": options.add_ignore is not None}  # fmt: skip
    other = next((name for name, is_given in others.items() if is_given), None)
    if other is not None:
        name = given.replace("_", "-")
        raise UsageError(f"`--{name}` is about the files on disk and cannot be combined with {other}")


def request_of(options: Options) -> Request | None:
    """What is asked about, where that is a part of a project; None for files and folders as they are."""
    if options.paths == ("-",) and options.stdin_filename is not None:
        from mllint.engine import changes
        from mllint.project import discovery

        typed = {os.path.abspath(options.stdin_filename): _standard_input()}
        around = discovery.Disk().marked_root(next(iter(typed)))
        return changes.Request([], around or "", typed=typed)
    if _is_narrowed(options):
        from mllint.engine import changes

        context, base = options.context or "", options.diff_base or ""
        return changes.Request(options.paths, context, base, options.changed_lines, options.staged)
    return None


def discover(request: Request | None, options: Options, settings: Config) -> Discovery:
    """The files of the run, and its settings with those of nested configurations.

    Args:
        request: what was asked for besides whole files: changes, or what is typed; None for all of the paths.
        options: the command line.
        settings: the merged configuration.
    """
    if request is not None:
        from mllint.engine import changes

        return changes.look(request, settings)
    from mllint.project import discovery

    if options.paths == ("-",):
        return discovery.Discovery([], [], [], settings)
    return discovery.discover(options.paths, settings)


def report_for(
    options: Options, request: Request | None, found: Discovery, selected: frozenset[str]
) -> tuple[Report, dict[str, str | bytes]]:
    """What is found, and the files that are not what is on disk, by path.

    Args:
        options: the command line.
        request: what was asked for besides whole files; None for all of the paths.
        found: the files of the run, and its settings.
        selected: names of the rules to run.
    """
    settings = found.config
    if request is None and options.paths == ("-",):
        return _report_for_standard_input(settings, selected)
    from mllint.engine import jobs

    store = _store(options, settings, selected)
    processes = jobs.available() if options.jobs == "auto" else int(options.jobs)
    how: Any = {"selected": selected, "pedantic": settings.pedantic, "store": store, "jobs": processes}
    if request is not None:
        from mllint.engine import changes

        report, memory = changes.check(request, found, **how)
    else:
        from mllint.engine import run

        how["found"] = found
        if sys.stderr.isatty() and not options.quiet:
            from mllint.cli.progress import Progress

            with Progress() as how["progress"]:
                report, memory = run.check_paths(options.paths, settings, **how), {}
        else:
            report, memory = run.check_paths(options.paths, settings, **how), {}
    if store is not None and not options.quiet:
        for note in store.notes:
            complain(f"note: {note}")
    return report, memory


def _report_for_standard_input(settings: Config, selected: frozenset[str]) -> tuple[Report, dict[str, str | bytes]]:
    """What is found in what is typed, and that by its name."""
    from mllint.engine import engine

    data = _standard_input()
    notebook = data.lstrip()[:1] == b"{" and b'"nbformat"' in data  # which is an expression of Python, too
    typed = {"stdin.ipynb" if notebook else "stdin.py": data}
    report = engine.check_sources(typed, selected=selected, pedantic=settings.pedantic, config=settings)
    return report, dict(typed)


def _store(options: Options, settings: Config, selected: frozenset[str]) -> Store | None:
    if options.no_cache:
        return None
    from mllint.engine import cache

    key = cache.settings_key(settings, selected, settings.pedantic, __version__)
    folder = cache.folder_for(options.cache_dir, settings)
    return cache.Store(folder, key, options.paths, explicit=options.cache_dir is not None)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("`-` reads standard input, which is closed")
    return sys.stdin.buffer.read()


def _is_narrowed(options: Options) -> bool:
    return bool(options.context or options.diff_base or options.changed_lines or options.staged)


def _verdict(report: Report, settings: Config, *, exit_zero: bool) -> int:
    if report.crashed:
        return FAILED
    found = () if exit_zero else report.diagnostics
    return FINDINGS if any(settings.fails(one.span.path, one.severity) for one in found) else OK


command = Command(
    "check",
    params=[paths("files and folders; `-` is standard input (default: the current folder)"), *OPTIONS],
    help="Check files and folders; `-` reads standard input.",
    epilog="Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the run itself failed.",
    callback=main,
)
"""The command."""
