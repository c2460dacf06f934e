"""Which findings were there before the team looked? A file that hides them until somebody touches their statement.

    {
    "version": 1,
    "findings": [
    {"path": "train.py", "rule": "missing-zero-grad", "symbol": "fit", "statement": "5f1c...", "message": "..."},
    {}
    ]
    }

One finding is one line, sorted, without line numbers, and each line ends with a comma: what two branches add or remove
merges as lines do (with `merge=union` in `.gitattributes` even side by side). Paths count from the folder of the file.

A finding is hidden by the entry with its rule, path, function and statement (see `fingerprint`). Where the file of an
entry is gone it may be a finding in another file: renaming keeps what was accepted. An entry is *stale* if nothing in
what was checked needs it any more; it is reported, so that the same fault cannot come back unseen.

What it does not do: messages are for readers and never compared, and nobody is asked who accepted what, or why: a
comment with a reason says that better.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.diagnostic import Diagnostic, Report
from mllint.errors import ConfigError, MllintError, did_you_mean
from mllint.files import reading
from mllint.project.discovery import shown

if TYPE_CHECKING:
    from mllint.config.model import Config

__all__ = [
    "NAME", "Baseline", "Comparison", "Entry", "accepted", "compare", "divided", "entry_of", "hide", "inside", "load",
    "save",
]  # fmt: skip

NAME = "mllint-baseline.json"
_VERSION = 1
_FIELDS = ("path", "rule", "symbol", "statement", "message")


class Entry(NamedTuple):
    """A finding that is accepted. `path` counts from the folder of the baseline."""

    path: str
    rule: str
    symbol: str
    statement: str
    message: str

    @property
    def name(self) -> tuple[str, ...]:
        """What it is recognised by."""
        return self[:4]


class Baseline(NamedTuple):
    """A baseline. `pedantic` says that it was made with `--pedantic`, so that other runs find less than it holds."""

    file: str
    entries: list[Entry]
    pedantic: bool = False

    @property
    def folder(self) -> str:
        """The folder from which its paths count."""
        return os.path.dirname(os.path.abspath(self.file))


class Comparison(NamedTuple):
    """A baseline held against what is found: pairs that belong together, and what each side has alone.

    A pair whose paths differ was renamed.
    """

    known: list[tuple[Entry, Diagnostic]]
    new: list[Diagnostic]
    stale: list[Entry]


def load(file: str) -> Baseline:
    """Read a baseline.

    Raises:
        ConfigError: there is none, or it is not what `save` writes.
    """
    name = shown(file)
    try:
        data = reading.read(file, reading.SOURCE)
    except FileNotFoundError:
        hint = did_you_mean(os.path.basename(file), _neighbours(file))
        raise ConfigError(f"there is no baseline `{name}`{hint or '; `mllint baseline create` makes one'}") from None
    except OSError as error:
        raise ConfigError(f"this baseline cannot be read: {(error.strerror or str(error)).lower()}", name) from None
    if (conflict := (b"\n" + data).find(b"\n<<<<<<< ")) >= 0:
        line = data.count(b"\n", 0, conflict) + 1
        raise ConfigError("git left a conflict here: keep the lines of both sides, without the marks", name, line)
    try:
        content = json.loads(data)
    except RecursionError:
        raise ConfigError("this baseline is nested too deeply to be read", name) from None
    except ValueError as error:
        reason, number = getattr(error, "msg", str(error)), getattr(error, "lineno", None)
        raise ConfigError(f"this is not JSON: {reason}", name, number) from None
    return _baseline(file, content)


def save(baseline: Baseline) -> None:
    """Write a baseline, whole or not at all.

    Raises:
        MllintError: it cannot be written.
    """
    from mllint.files.writing import replace

    entries = sorted({entry.name: entry for entry in baseline.entries}.values())
    header = [f'"version": {_VERSION},', *(['"pedantic": true,'] if baseline.pedantic else []), '"findings": [']
    rows = [json.dumps(entry._asdict()) + "," for entry in entries]
    text = "\n".join(["{", *header, *rows, "{}", "]", "}", ""])
    try:
        replace(baseline.file, text.encode())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MllintError(f"the baseline `{shown(baseline.file)}` cannot be written: {reason}") from None


def entry_of(diagnostic: Diagnostic, folder: str) -> Entry:
    """The entry that accepts a finding, in a baseline in a folder."""
    path = _relative(diagnostic.span.path, folder)
    return Entry(path, diagnostic.rule, diagnostic.symbol, diagnostic.statement, diagnostic.message)


def compare(baseline: Baseline, found: Sequence[Diagnostic], *, paths: Sequence[str], config: Config) -> Comparison:
    """Hold a baseline against what is found.

    Args:
        baseline: the baseline.
        found: the findings, with their statements.
        paths: what was checked; entries elsewhere are neither known nor stale.
        config: the settings of the run. Entries of rules that do not run in their file are left alone likewise, unless
            no such rule exists.
    """
    from mllint.catalogue import pages
    from mllint.config.selection import resolve_selection

    infos = pages.rules().values()
    ran = {id(one): resolve_selection(one, infos) for one in config.all}
    names = {alias: info.name for info in infos for alias in (*info.aliases, info.name)}
    entries = [entry._replace(rule=names.get(entry.rule, entry.rule)) for entry in baseline.entries]
    pairs = _pairs(entries, [entry_of(diagnostic, baseline.folder) for diagnostic in found], _gone(baseline.folder))
    matched = set(pairs.values())
    covered = inside(paths, baseline.folder)

    def is_missed(entry: Entry) -> bool:
        one = config.of(os.path.join(baseline.folder, entry.path))
        return (entry.rule not in names or entry.rule in ran[id(one)]) and (one.pedantic or not baseline.pedantic)

    stale = [
        entry
        for index, entry in enumerate(baseline.entries)
        if index not in pairs and covered(entry.path) and is_missed(entries[index])
    ]
    known = [(baseline.entries[index], found[number]) for index, number in sorted(pairs.items())]
    return Comparison(known, [d for number, d in enumerate(found) if number not in matched], stale)


def divided(
    found: Iterable[Diagnostic], file_of: Callable[[Config], str], config: Config
) -> dict[str, list[Diagnostic]]:
    """The findings that belong into each baseline: `file_of` gives that of some settings, empty for none.

    Args:
        found: the findings.
        file_of: gives the baseline of some settings, empty for none.
        config: the settings of the run.
    """
    parts: dict[str, list[Diagnostic]] = {file_of(one): [] for one in config.all}
    for diagnostic in found:
        if diagnostic.rule != "internal-error":
            parts[file_of(config.of(diagnostic.span.path))].append(diagnostic)
    return parts


def accepted(found: Iterable[Diagnostic], config: Config, paths: Sequence[str]) -> dict[str, Comparison]:
    """Findings held against the baseline of the settings that hold in their file, by the file of the baseline.

    Args:
        found: the findings, with their statements.
        config: the settings of the run, which name the baselines.
        paths: what was checked.

    Raises:
        ConfigError: as `load`.
    """
    parts = divided(found, lambda one: one.baseline, config)
    return {file: compare(load(file), own, paths=paths, config=config) for file, own in parts.items() if file}


def hide(report: Report, config: Config, *, paths: Sequence[str], whole: bool) -> Report:
    """A report without what the baselines accept.

    Args:
        report: what a run found.
        config: the settings of the run, which name the baselines.
        paths: what was checked.
        whole: False if the report is only a part of what is found there, so that nothing can be said about stale
            entries.

    Raises:
        ConfigError: as `load`.
    """
    hidden: set[int] = set()
    notes, gone = list(report.notes), 0
    for file, compared in accepted(report.diagnostics, config, paths).items():
        hidden.update(id(diagnostic) for _, diagnostic in compared.known)
        stale = len(compared.stale) if whole and not report.crashed else 0
        if stale:
            entries = "1 entry of" if stale == 1 else f"{stale} entries of"
            what = "is stale, the finding is" if stale == 1 else "are stale, the findings are"
            notes.append(f"{entries} `{shown(file)}` {what} gone: `mllint baseline prune` removes what is stale")
        gone += stale
    left = [diagnostic for diagnostic in report.diagnostics if id(diagnostic) not in hidden]
    return report._replace(diagnostics=left, notes=notes, baselined=len(hidden), stale=gone)


def inside(paths: Sequence[str], folder: str) -> Callable[[str], bool]:
    """Whether a path of a baseline, which counts from its folder, is in what was asked for."""
    tops = [os.path.abspath(path) for path in paths or (".",)]

    def covers(path: str) -> bool:
        absolute = os.path.normpath(os.path.join(folder, path))
        return any(absolute == top or absolute.startswith(top.rstrip(os.sep) + os.sep) for top in tops)

    return covers


# ------------------------------------------------------------------------------------------------------------ comparing
def _pairs(known: Sequence[Entry], found: Sequence[Entry], gone: Callable[[str], bool]) -> dict[int, int]:
    """Numbers of entries with the numbers of the findings that they accept, each at most once."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for sight in (_as_it_was, _moved, _renamed):
        waiting: dict[Hashable, list[int]] = {}
        for index in range(len(known) - 1, -1, -1):
            if index not in pairs and (sight is _as_it_was or gone(known[index].path)):
                waiting.setdefault(sight(known[index]), []).append(index)
        for number, entry in enumerate(found if waiting else ()):
            candidates = waiting.get(sight(entry)) if number not in taken else None
            if candidates:
                pairs[candidates.pop()] = number
                taken.add(number)
    return pairs


def _as_it_was(entry: Entry) -> Hashable:
    return entry.name


def _moved(entry: Entry) -> Hashable:
    """An entry when its file is in another folder."""
    return entry.path.rpartition("/")[2], *_renamed(entry)


def _renamed(entry: Entry) -> tuple[str, ...]:
    """An entry when its file is called something else; equals lose their numbers, since more files may have some."""
    return entry.rule, entry.symbol, entry.statement.partition(".")[0]


def _gone(folder: str) -> Callable[[str], bool]:
    known: dict[str, bool] = {}

    def gone(path: str) -> bool:
        if path not in known:
            known[path] = not os.path.lexists(os.path.join(folder, path))
        return known[path]

    return gone


def _relative(path: str, folder: str) -> str:
    absolute = os.path.abspath(path)
    try:
        return os.path.relpath(absolute, folder).replace(os.sep, "/")
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")


# -------------------------------------------------------------------------------------------------------------- reading
def _baseline(file: str, content: object) -> Baseline:
    name = shown(file)
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise ConfigError("this is not a baseline of mllint", name)
    version = content.get("version")
    if version != _VERSION:
        raise ConfigError(f"this baseline has the version {version!r}, this mllint reads {_VERSION}: update it", name)
    rows: Iterable[object] = content["findings"]
    entries = dict.fromkeys(_entry(row, name) for row in rows if row != {})
    return Baseline(file, list({entry.name: entry for entry in entries}.values()), content.get("pedantic") is True)


def _entry(row: object, name: str) -> Entry:
    fields: Mapping[str, Any] = row if isinstance(row, dict) else {}
    values = [fields.get(field, "" if field == "message" else None) for field in _FIELDS]
    if any(not isinstance(value, str) for value in values):
        raise ConfigError(f"an entry of this baseline is damaged: {str(row)[:100]}", name)
    return Entry(*values)


def _neighbours(file: str) -> list[str]:
    try:
        return [name for name in os.listdir(os.path.dirname(file) or ".") if name.endswith(".json")]
    except OSError:
        return []
