"""`mllint check --show-settings` and `--show-files`: what a run would do, without doing it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mllint.cli.terminal import OK, complain, emit, folding, style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.cli.options import Options
    from mllint.config.model import Config
    from mllint.project.discovery import Discovery
    from mllint.report.style import Style

__all__ = ["show"]


def show(options: Options, settings: Config) -> int:
    """Print what was asked for; gives the exit code."""
    from mllint.project.discovery import Discovery, discover

    if options.paths == ("-",):
        found = Discovery([options.stdin_filename or "stdin.py"], [], [], settings)
    else:
        found = discover(options.paths, settings)
    if options.show_settings:
        emit(_settings(found, style(options.color)))
    if options.show_settings and options.show_files:
        emit([""])
    if options.show_files:
        if not options.quiet:
            for note in found.notes:
                complain(f"note: {note}")
        emit(found.files)
    return OK


def _nested(found: Discovery) -> Iterator[str]:
    """The configurations that are nearer to some of the files, and how to be told what they say."""
    from collections import Counter

    from mllint.report import counted

    files = Counter(found.config.of(path).path for path in found.files)
    for folder, one in sorted(found.config.nested.items()):
        if one.path != found.config.path:
            place = os.path.relpath(folder).replace(os.sep, "/")
            yield f"  {one.path} applies to {counted(files[one.path], 'file')}: `mllint check --show-settings {place}`"


def _settings(found: Discovery, look: Style) -> Iterator[str]:
    from mllint.catalogue import pages
    from mllint.config.explain import reasons
    from mllint.config.explain import settings as told
    from mllint.report.fold import folded

    settings = found.config
    files = dict.fromkeys(layer.origin for layer in reversed(settings.layers) if layer.path)
    below = [path for path in files if path != settings.path]
    more = f" (and {', '.join(below)})" if below else ""
    yield look("Configuration", "strong") + f": {settings.path or 'none'}{more}"
    yield from _nested(found)
    rows = list(told(settings))
    longest = max(len(f"{name} = {value}") for name, value, _ in rows if len(value) < 60)
    for name, value, origin in rows:
        if len(f"{name} = {value}") > longest:
            yield from folded(f"  {name} = ", f"{value}  {origin}", folding())
        else:
            yield from _row(f"  {f'{name} = {value}'.ljust(longest)}  ", origin, look)
    yield ""
    infos = pages.rules().values()
    decided = reasons(settings, infos)
    running = sum(on for _, on, _ in decided)
    yield look("Rules", "strong") + f": {running} of {len(decided)} run"
    longest = max(len(name) for name, _, _ in decided)
    for name, on, why in decided:
        yield from _row(f"  {'on ' if on else 'off'} {name.ljust(longest)}  ", why, look)


def _row(lead: str, text: str, look: Style) -> Iterator[str]:
    """A row whose last column, dim, goes on below its beginning if the terminal is narrow."""
    from mllint.report.fold import folded

    for line in folded(lead, text, folding()):
        start = len(lead) if line.startswith(lead) else len(line) - len(line.lstrip())
        yield line[:start] + (look(line[start:], "dim") if line[start:] else "")
