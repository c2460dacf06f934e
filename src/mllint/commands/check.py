"""`mllint check [PATHS]...`: what was asked for, the run, the exit code.

The options are a table (`check_options`). The engine and the formats are imported when they are used: what is not
needed would cost as much as parsing a file does.
"""

from __future__ import annotations

import sys

from mllint import __version__
from mllint._typing import TYPE_CHECKING
from mllint.commands.check_options import all_options, parser, simple_options
from mllint.console import FAILED, FINDINGS, OK, complain
from mllint.errors import UsageError

if TYPE_CHECKING:
    from mllint.commands.check_options import Options
    from mllint.config import Config
    from mllint.diagnostic import Report

__all__ = ["main", "parser"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    options = simple_options(arguments) or all_options(arguments)
    if "-" in options.paths and len(options.paths) > 1:
        raise UsageError("`-` reads standard input and cannot be combined with other paths")
    settings = settings_for(options)
    if options.show_settings or options.show_files:
        from mllint.commands.show import show

        return show(options, settings)

    from mllint import catalogue, config, output

    outputs = output.targets(settings, options)
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
    output.write(report, outputs, settings, options, selected, memory)
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


def settings_for(options: Options) -> Config:
    from mllint import config

    paths = ["."] if options.paths == ["-"] else options.paths
    settings = config.load(paths, options.isolated, options.config or ())
    return settings.merge(
        select=_names(options.select),
        ignore=_names(options.ignore),
        extend_select=_names(options.extend_select),
        pedantic=options.pedantic,
        auditor=options.auditor,
        min_confidence=options.min_confidence,
        fail_on=options.fail_on,
        output_format=None if options.output_format is None else tuple(options.output_format),
    )


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
