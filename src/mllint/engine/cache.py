"""What was found last time, and does it still hold? `.mllint_cache`, a folder of JSON files.

Two kinds of entry, both about findings *and* about their absence:

    run-<key>.json    a whole run: every file with its stamp and its digest, every folder in which imports were looked
                      for, and the report. If nothing of it has changed, the report is replayed and no file is opened.
    parts-<key>.json  the components (see `components`): digests of a component's files -> findings, together with what
                      was consulted besides: where each import led, or that it led nowhere, and the files read there.

The key in a file's name stands for everything else that findings rest on: the configuration, the selected rules, the
code of mllint itself with its stubs, the Python that parses, the current folder. A stamp (times and size) is believed
only if it is older than the run by more than a clock's step; otherwise, and when it has changed, contents are compared.

Nothing here is trusted. It is JSON, never anything that can run; a file that is a link, too large, or not exactly what
this module writes is left out with a note and written anew. Files are replaced in one step, so that runs beside each
other cost each other entries at worst. A folder that cannot be written is no cache and no error.

What it does not do: it keeps no report of a run in which a rule crashed or a file could not be read, and it cannot tell
a forged entry from a true one. Who checks code of strangers uses a folder of their own (`--cache-dir`) or none.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mllint.config.model import Config, stub_folders
from mllint.diagnostic import Report, merge
from mllint.engine.packing import mapping, pack, text, unpack
from mllint.errors import MllintError
from mllint.files import reading
from mllint.project.discovery import Discovery, Disk, Stamp, digest, read, stamp
from mllint.project.environment import folder_of
from mllint.project.imports import Consulted

__all__ = ["FOLDER", "Store", "clean", "folder_for", "settings_key"]

FOLDER = ".mllint_cache"
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder was made by mllint. It can be deleted at any time: `mllint clean`.
"""
_HEX = frozenset("0123456789abcdef")
_OWN = frozenset({_TAG, ".gitignore"})
_LARGEST = 1 << 27
_RUNS, _PARTS = 12, 4
_SPARE = 4096  # components that this run did not meet, kept for the next
_CLOCK = 2_000_000_000  # the coarsest clock of a file system, in nanoseconds
_MARKS = frozenset(("pyproject.toml", ".git", "setup.cfg"))


class Store:
    """The cache of one run.

    Args:
        folder: where it is.
        key: what `settings_key` says.
        paths: what was asked for.
        explicit: the user named the folder: it may be a link, and what makes it unusable is an error.

    Attributes:
        notes: sentences about entries that were left out.
    """

    def __init__(self, folder: str, key: str, paths: Sequence[str], *, explicit: bool = False) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self._run = f"run-{digest(repr((key, list(paths))).encode())}.json"
        self._parts = f"parts-{key}.json"
        self._began = time.time_ns()
        self._known: dict[str, tuple[Stamp, str]] = {}
        self._imports: dict[str, str] = {}
        self._entries: dict[str, Any] = {}
        self._used: dict[str, Any] = {}
        self._read: dict[str, str | None] = {}
        self._explicit = explicit
        self.usable = self._is_ours(explicit)

    # --------------------------------------------------------------------------------------------------- whole runs
    def replay(self, found: Discovery) -> Report | None:
        """The report of the last run, if nothing that it rests on has changed."""
        data = self._load(self._run) if self.usable else None
        if data is None:
            return None
        try:
            entry = _Run.of(data)
            report = unpack(data["report"], {*entry.files, *_known(entry.outside)})
        except (ValueError, KeyError, TypeError):
            self._damaged(self._run)
            return None
        self._known = entry.files
        if [*entry.files] != found.files or report.files != len(found.files):
            return None
        stale = [path for path, now in zip(found.files, found.stamps, strict=True) if entry.files[path][0] != now]
        if any(_digest(path) != entry.files[path][1] for path in stale):
            return None
        outside = [path for path, (then, _) in entry.outside.items() if _stamp(path) != then]
        folders = [path for path, (then, _) in entry.folders.items() if _stamp(path) != then]
        if any(_outside(path) != entry.outside[path][1] for path in outside):
            return None
        if any(_listing(path) != entry.folders[path][1] for path in folders):
            return None
        self._freshen(found, entry, report, [*stale, *outside, *folders])
        return merge([report], found.notes)

    def _freshen(self, found: Discovery, entry: _Run, report: Report, stale: Iterable[str]) -> None:
        """Write the stamps anew of what has changed without changing its contents, if they are to be believed now."""
        if any(any(self._believed(_stamp(path))) for path in stale):
            digests, outside, folders = ({p: known for p, (_, known) in table.items()} for table in entry)
            self._save_run(found, digests, outside, folders, report)

    def digest(self, path: str, now: Stamp | None) -> str | None:
        """The digest of a file that has not changed since the last run; None if that is not known."""
        known = self._known.get(path)
        return known[1] if known is not None and known[0] == now else None

    # ---------------------------------------------------------------------------------------------------- components
    def open(self) -> None:
        """Read what is known of components."""
        data = self._load(self._parts) if self.usable else None
        if data is None:
            return
        try:
            self._imports = {key: text(names) for key, names in mapping(data["imports"]).items()}
            self._entries = mapping(data["parts"])
        except (ValueError, KeyError, TypeError):
            self._damaged(self._parts)

    def imports(self, key: str) -> list[str] | None:
        """What a file with this digest may import, if that is known."""
        names = self._imports.get(key)
        return None if names is None else names.split()

    def learn(self, key: str, names: Iterable[str]) -> None:
        """Remember what a file with this digest may import."""
        self._imports[key] = " ".join(names)

    def part(self, key: str, paths: Sequence[str], disk: Disk) -> Report | None:
        """The report of a component with this key, if what was consulted for it is as it was."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        try:
            data, lookups, outside = entry
            for folder, names in mapping(lookups).items():
                for name, target in mapping(names).items():
                    bare = name.lstrip(".")
                    if disk.locate_from(os.path.abspath(folder), bare, len(name) - len(bare)) != target:
                        return None
            for path, known in mapping(outside).items():
                if self._outside(path, disk) != known:
                    return None
            report = unpack(data, {*paths, *(path for path, known in outside.items() if known is not None)})
        except (ValueError, TypeError):
            self._damaged(self._parts)
            self._entries = {}
            return None
        self._used[key] = entry
        return None if report.crashed or report.files != len(paths) else report

    def keep(self, key: str, report: Report, consulted: Consulted) -> None:
        """Remember the report of a component."""
        if report.crashed:
            return
        lookups: dict[str, dict[str, str | None]] = {}
        for (folder, name, level), target in consulted.lookups.items():
            lookups.setdefault(folder, {})["." * level + name] = target
        self._used[key] = [pack(report), lookups, consulted.outside]

    # -------------------------------------------------------------------------------------------------------- saving
    def save(self, found: Discovery, digests: Mapping[str, str | None], disk: Disk, report: Report) -> None:
        """Write down this run; nothing if the folder cannot be written."""
        if not self.save_parts(digests.values()):
            return
        if report.crashed or None in digests.values():
            return
        outside = {path: known for row in self._used.values() for path, known in row[2].items()}
        folders = {folder: _names(entries) for folder, entries in disk.listed.items()}
        self._save_run(found, digests, outside, folders, report)
        self._prune()

    def save_parts(self, digests: Collection[str | None]) -> bool:
        """Write down the components of this run; False if the folder cannot be written."""
        if not self.usable or not self._made():
            return False
        used = {key: self._imports[key] for key in digests if key in self._imports}
        parts = {"imports": _with_spare(used, self._imports), "parts": _with_spare(self._used, self._entries)}
        if self._used.keys() - self._entries.keys() or used.keys() - self._entries.keys():
            self._write(self._parts, parts)
        return True

    def _save_run(
        self,
        found: Discovery,
        digests: Mapping[str, str | None],
        outside: Mapping[str, str | None],
        folders: Mapping[str, str | None],
        report: Report,
    ) -> None:
        data = {
            "files": found.files,
            "stamps": [part for now in found.stamps for part in self._believed(now)],
            "digests": [digests[path] for path in found.files],
            "outside": {path: [self._believed(_stamp(path)), known] for path, known in outside.items()},
            "folders": {path: [self._believed(_stamp(path)), known] for path, known in folders.items()},
            "report": pack(report._replace(notes=[note for note in report.notes if note not in found.notes])),
        }
        self._write(self._run, data)

    def _believed(self, now: Stamp | None) -> Stamp:
        """A stamp as it is written down: one so young that the file may yet change within it counts for nothing."""
        return now if now is not None and max(now[:2]) < self._began - _CLOCK else (0, 0, 0)

    def _outside(self, path: str, disk: Disk) -> str | None:
        if path not in self._read:
            data = disk.read(path)
            self._read[path] = None if data is None else digest(data)
        return self._read[path]

    # -------------------------------------------------------------------------------------------------------- folder
    def _is_ours(self, explicit: bool) -> bool:
        """Whether the folder is a cache or can become one."""
        problem = _problem(self.folder, explicit)
        if problem is not None and explicit:
            raise MllintError(problem)
        if problem is not None:
            self.notes.append(f"{problem}; nothing is cached")
        return problem is None

    def _made(self) -> bool:
        """Make the folder if it is not there: with all that marks it as a cache, in one step."""
        if os.path.isfile(os.path.join(self.folder, _TAG)):
            return True
        fresh = f"{self.folder}.{os.urandom(4).hex()}.tmp"
        try:
            os.makedirs(fresh)
        except OSError as error:
            if self._explicit:
                reason = (error.strerror or str(error)).lower()
                self.notes.append(f"`{self.folder}` cannot be made ({reason}); nothing is cached")
            return False
        try:
            for name, content in ((".gitignore", "*\n"), (_TAG, _TAG_TEXT)):
                with open(os.path.join(fresh, name), "x", encoding="utf-8") as file:
                    file.write(content)
            os.rename(fresh, self.folder)
        except OSError:  # read-only, or another run was quicker
            for name in _OWN:
                _remove(os.path.join(fresh, name))
            os.rmdir(fresh)
        return os.path.isfile(os.path.join(self.folder, _TAG))

    def _load(self, name: str) -> dict[str, Any] | None:
        """What a file of the cache holds; None if there is none, or with a note if it is nothing of ours."""
        try:
            data = json.loads(reading.read(os.path.join(self.folder, name), _LARGEST, links=False))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            self._damaged(name)
            return None
        return data

    def _write(self, name: str, data: object) -> None:
        path = os.path.join(self.folder, name)
        fresh = f"{path}.{os.urandom(4).hex()}.tmp"
        try:
            with open(fresh, "x", encoding="utf-8") as file:
                file.write(json.dumps(data, separators=(",", ":")))
            os.replace(fresh, path)
        except OSError:
            _remove(fresh)

    def _damaged(self, name: str) -> None:
        self.notes.append(f"{os.path.join(self.folder, name)} is damaged: it is left out and written anew")

    def _prune(self) -> None:
        """Remove the oldest entries of other settings and what killed runs have left behind."""
        kinds: dict[str, list[tuple[float, str]]] = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if _is_entry(entry.name):
                        kind = "tmp" if entry.name.endswith(".tmp") else entry.name.partition("-")[0]
                        kinds.setdefault(kind, []).append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
        except OSError:
            return
        for kind, most in (("run", _RUNS), ("parts", _PARTS)):
            for _, path in sorted(kinds.get(kind, []), reverse=True)[most:]:
                _remove(path)
        for age, path in kinds.get("tmp", []):
            if age < time.time() - 3600:
                _remove(path)


class _Run(NamedTuple):
    """A whole run as it was read back: stamps and digests of files and folders."""

    files: dict[str, tuple[Stamp, str]]
    outside: dict[str, tuple[Stamp, str | None]]
    folders: dict[str, tuple[Stamp, str | None]]

    @classmethod
    def of(cls, data: dict[str, Any]) -> _Run:
        """Raises ValueError, KeyError or TypeError if that is none."""
        files, digests = ([text(item) for item in data[name]] for name in ("files", "digests"))
        numbers = iter(data["stamps"])
        stamps = list(zip(numbers, numbers, numbers, strict=True))
        rows = zip(files, zip(stamps, digests, strict=True), strict=True)
        return cls(dict(rows), _stamped(data["outside"]), _stamped(data["folders"]))


def _known(outside: Mapping[str, tuple[Stamp, str | None]]) -> Iterator[str]:
    """The files that a forger would have to have read: a report that is read back shows lines of no others."""
    return (path for path, (_, known) in outside.items() if known is not None)


def _stamped(data: object) -> dict[str, tuple[Stamp, str | None]]:
    found: dict[str, tuple[Stamp, str | None]] = {}
    for path, (now, known) in mapping(data).items():
        one, two, three = now
        found[path] = ((one, two, three), None if known is None else text(known))
    return found


def settings_key(config: Config, selected: Iterable[str], pedantic: bool, version: str) -> str:
    """What stands for all that findings rest on besides the project's files; `version` is mllint's.

    Args:
        config: the configuration.
        selected: names of the rules to run.
        pedantic: whether uncertain findings are reported.
        version: that of mllint.
    """
    import sys

    # what changes what is printed, not what is found, is left out
    shown = [c._replace(fail_on="", output_format=(), baseline="", layers=(), nested={}) for c in config.all]
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = [_tree(folder) for folder in (here, *stub_folders(config))]
    libraries = folder_of(config.environment, config.root or os.getcwd()) if config.environment else ""
    basis = libraries, version, sys.version, os.getcwd(), shown, sorted(config.nested), sorted(selected), pedantic, code
    return digest(repr(basis).encode())


def folder_for(given: str | None, config: Config) -> str:
    """Where the cache of a run is: in the folder that was asked for, or beside the configuration."""
    if given is not None:
        return os.path.abspath(given)
    return os.path.join(config.root or os.getcwd(), FOLDER)


def clean(folder: str) -> bool:
    """Remove a cache: only what mllint has put there.

    Returns:
        Whether there was one.

    Raises:
        MllintError: the folder is no cache of mllint, or cannot be removed.
    """
    if not os.path.lexists(folder):
        return False
    problem = _problem(folder, explicit=False)
    if problem is not None:
        raise MllintError(problem)
    names = [name for name in os.listdir(folder) if name in _OWN or _is_entry(name)]
    try:
        for name in names:
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    except OSError as error:
        raise MllintError(f"the cache `{folder}` cannot be removed: {(error.strerror or str(error)).lower()}") from None
    return True


def _problem(folder: str, explicit: bool) -> str | None:
    """Why a folder can be no cache."""
    try:
        if os.path.islink(folder) and not explicit:
            return f"`{folder}` is a link, which mllint does not follow"
        names = os.listdir(folder)
        if not names:
            return None
        tag = reading.read(os.path.join(folder, _TAG), reading.SETTINGS)
        return None if b"mllint" in tag[:400] else f"`{folder}` is the cache of another tool"
    except FileNotFoundError:
        return f"`{folder}` contains other files, so it cannot be a cache" if os.path.lexists(folder) else None
    except OSError as error:
        return f"`{folder}` cannot be a cache: {(error.strerror or str(error)).lower()}"


def _stamp(path: str) -> Stamp | None:
    try:
        return stamp(os.stat(path))
    except OSError:
        return None


def _digest(path: str) -> str | None:
    try:
        return digest(read(path))
    except MllintError:
        return None


def _outside(path: str) -> str | None:
    data = Disk().read(path)
    return None if data is None else digest(data)


def _listing(folder: str) -> str:
    try:
        return _names(os.listdir(folder))
    except OSError:
        return _names(())


def _names(names: Iterable[str]) -> str:
    """What stands for the entries of a folder that an import can see."""
    seen = (n for n in names if n.endswith(".py") or "." not in n or n in _MARKS)
    return digest("\0".join(sorted(n for n in seen if n != "__pycache__")).encode("utf-8", "surrogatepass"))


def _tree(top: str) -> list[tuple[str, int, int]]:
    """The Python files and stubs below a folder, with times and sizes."""
    found: list[tuple[str, int, int]] = []
    folders = [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.name.endswith((".py", ".pyi")):
                        status = entry.stat(follow_symlinks=not entry.is_symlink() or os.path.exists(entry.path))
                        found.append((entry.path, status.st_mtime_ns, status.st_size))
                    elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:  # who needs the folder says what is wrong
            continue
    return sorted(found)


def _with_spare(used: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """What was used, and then so much of what was known before."""
    spare = [key for key in known if key not in used][:_SPARE]
    return {**used, **{key: known[key] for key in spare}}


def _is_entry(name: str) -> bool:
    """Whether a file in the folder of a cache has a name of this module's: `run-<key>.json`, perhaps half-written."""
    kind, _, rest = name.partition("-")
    key, suffix, rest = rest.partition(".json")
    middle = rest.removeprefix(".").removesuffix(".tmp")
    known = kind in ("run", "parts") and len(key) == 32 and suffix and _HEX.issuperset(key)
    return bool(known and (not rest or (middle and rest == f".{middle}.tmp" and _HEX.issuperset(middle))))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
