"""`mllint baseline create|update|prune|show`: accept what is there today, and see that it gets less.

`create` writes down all findings, once. `update` makes the file say what is found now, new findings included; `prune`
only takes out what is gone. Both leave alone what this run did not look at: other paths, rules that were not asked.
`show` reads the file, or with `--stale` what `prune` would take out.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mllint.cli.command import Command, Words, argument, option, paths
from mllint.cli.options import OPTIONS, Options
from mllint.cli.terminal import OK, emit
from mllint.errors import MllintError, UsageError
from mllint.findings.baseline import NAME, Baseline, compare, divided, entry_of, inside, load, save
from mllint.project.discovery import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mllint.config.model import Config
    from mllint.diagnostic import Diagnostic
    from mllint.findings.baseline import Comparison, Entry

__all__ = ["command"]

_ACTIONS = ("create", "update", "prune", "show")
_SHARED = frozenset(
    "select ignore extend_select pedantic auditor min_confidence config isolated no_cache cache_dir jobs".split()
)
_OWN = (
    option("--baseline", "the file (default: that of the configuration, or mllint-baseline.json)", "FILE"),
    option("--stale", "show: only entries whose finding is gone"),
)


@dataclass
class _Options(Options):
    action: str = ""
    stale: bool = False


def main(**values: Any) -> int:
    """Run the command; gives the exit code."""
    options = _Options(**values)
    if options.stale and options.action != "show":
        raise UsageError("`--stale` belongs to `mllint baseline show`; `prune` takes out what is stale")
    if "-" in options.paths:
        raise UsageError("a baseline is about files: `-` cannot be one")

    from mllint.cli.settings import settings_for

    settings = settings_for(options)
    if options.action == "show" and not options.stale:
        from mllint.project.discovery import discover

        there = [path for path in options.paths if os.path.exists(path)]  # what is gone has entries, too
        settings = discover(there, settings).config if there or not options.paths else settings
        emit(line for file in _files(settings) for line in _show(file, _entries(file, options)))
        return OK
    if options.action == "create":
        _refuse_existing([_file_of(settings)])  # before anything is checked
    settings, found = _found(options, settings)
    if options.action == "create":
        emit(_create(found, settings))
        return OK
    parts = divided(found, _file_of, settings)
    for file in _files(settings):
        known = load(file)
        compared = compare(known, parts[file], paths=options.paths, config=settings)
        emit(_show(file, compared.stale, ", stale") if options.stale else _renew(known, compared, options, settings))
    return OK


def _file_of(settings: Config) -> str:
    """The baseline of some settings, whether they name one or not."""
    return settings.baseline or os.path.join(settings.root or os.getcwd(), NAME)


def _files(settings: Config) -> list[str]:
    """The baselines of a run: those that are named or there, else that of its own configuration."""
    named = [_file_of(one) for one in settings.all if one.baseline or os.path.lexists(_file_of(one))]
    return list(dict.fromkeys(named)) or [_file_of(settings)]


def _create(found: Sequence[Diagnostic], settings: Config) -> Iterable[str]:
    """Write a baseline for each configuration in whose files something is found."""
    parts = divided(found, _file_of, settings)
    parts = {file: own for file, own in parts.items() if own} or {_file_of(settings): []}
    _refuse_existing(parts)
    for file, own in parts.items():
        one = next(one for one in settings.all if _file_of(one) == file)
        fresh = Baseline(file, [], one.pedantic)
        entries = [entry_of(diagnostic, fresh.folder) for diagnostic in own]
        save(fresh._replace(entries=entries))
        yield f"Wrote {shown(file)}: {_tally(entries)}"
        unread = len({entry.path for entry in entries if entry.rule == "syntax-error"})
        if unread:
            files = "1 file that does" if unread == 1 else f"{unread} files that do"
            yield f"Among them {files} not parse: nothing else is found there"
        if not one.baseline:
            place = f"in `{one.path}`" if one.path else "under `[tool.mllint]` in `pyproject.toml`"
            path = os.path.relpath(file, one.root).replace(os.sep, "/")
            yield f'Say `baseline = "{path}"` {place}, so that `mllint check` uses it'


def _refuse_existing(files: Iterable[str]) -> None:
    for file in files:
        if os.path.lexists(file):
            raise UsageError(f"`{shown(file)}` exists already: `mllint baseline update` brings it up to date")


def _renew(known: Baseline, compared: Comparison, options: _Options, settings: Config) -> Iterable[str]:
    """Update or prune."""
    pedantic_run = any(one.pedantic for one in settings.all if _file_of(one) == known.file)
    matched = {entry.name for entry, _ in compared.known}
    stale = {entry.name for entry in compared.stale}
    elsewhere = [entry for entry in known.entries if entry.name not in matched and entry.name not in stale]
    kept = [entry_of(diagnostic, known.folder) for _, diagnostic in compared.known]
    moved = sum(old.path != new.path for (old, _), new in zip(compared.known, kept, strict=True))
    added = [entry_of(diagnostic, known.folder) for diagnostic in compared.new] if options.action == "update" else []
    pedantic = known.pedantic or (pedantic_run and options.action == "update")
    fresh = known._replace(entries=[*elsewhere, *kept, *added], pedantic=pedantic)
    if sorted(fresh.entries) != sorted(known.entries) or pedantic != known.pedantic:
        save(fresh)
    done = [f"{len(stale)} removed"] if stale else []
    done = ([f"{len(added)} added"] if added else []) + done + ([f"{moved} moved"] if moved else [])
    yield f"{shown(known.file)}: {', '.join(done) or 'nothing to change'}; it contains {_tally(fresh.entries)}"
    if known.pedantic and not pedantic_run:
        yield "It was made with `--pedantic`: only a run with `--pedantic` can tell what is gone"


def _entries(file: str, options: _Options) -> list[Entry]:
    """The entries of a baseline that are about what was asked for."""
    known = load(file)
    wanted = inside(options.paths, known.folder) if options.paths else None
    return [entry for entry in known.entries if wanted is None or wanted(entry.path)]


def _show(file: str, entries: Sequence[Entry], kind: str = "") -> Iterable[str]:
    from mllint.report.style import clean

    for entry in sorted(entries):
        where = f" in `{entry.symbol}`" if entry.symbol else ""
        yield clean(f"{entry.path}: {entry.rule}{where}: {entry.message}")
    yield f"{shown(file)}: {_tally(entries)}{kind if entries else ''}"


def _found(options: Options, settings: Config) -> tuple[Config, list[Diagnostic]]:
    """All findings of a run, and its settings with the nested ones."""
    from mllint.catalogue import pages
    from mllint.cli.check import report_for
    from mllint.config.selection import resolve_selection
    from mllint.project.discovery import discover

    selected = resolve_selection(settings, pages.rules().values())
    found = discover(options.paths, settings)
    report, _ = report_for(options, None, found, selected)
    if report.crashed:
        crash = next(diagnostic for diagnostic in report.diagnostics if diagnostic.rule == "internal-error")
        raise MllintError(f"{crash.span.path}: {crash.message}; the baseline is left as it was")
    return found.config, report.diagnostics


def _tally(entries: Sequence[Entry]) -> str:
    from mllint.report import counted

    files, rules = len({entry.path for entry in entries}), len({entry.rule for entry in entries})
    if not entries:
        return "no findings"
    return f"{counted(len(entries), 'finding')} of {counted(rules, 'rule')} in {counted(files, 'file')}"


command = Command(
    "baseline",
    params=[
        argument("action", "|".join(_ACTIONS), "what to do with the baseline", type=Words(_ACTIONS)),
        paths("files and folders (default: the current folder)"),
        *_OWN,
        *(one for one in OPTIONS if one.name in _SHARED),
    ],
    help="Accept all current findings in a file.",
    callback=main,
)
"""The command."""
