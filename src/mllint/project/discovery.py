"""Which files are meant, what are they called, and where does an import lead? The only module that reads the disk.

`discover` turns the paths of the command line into files, in an order that depends on nothing but their names:

    mllint check .          every .py and .ipynb below, without what git ignores, `exclude` names or a tool has written
    mllint check runs/a.py  this file, whatever any list says: who names a file means it

`Disk` finds the file behind `from models.net import Net`, seen from the importing file, by the folders that Python
itself would have on its path in the ways such code is run: as a script, from the project's root, installed from `src/`.

What it does not do: it opens nothing but what it is asked for, follows no link to a folder while walking (so no loop
can catch it), and imports nothing. All reported paths use `/`, relative to the current folder where they are below it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mllint.config.files import CONFIG_FILES, common_folder
from mllint.config.globs import glob_matches
from mllint.config.load import nested_in
from mllint.config.model import DEFAULT_EXCLUDE, Config
from mllint.errors import MllintError, SourceError, nearest
from mllint.files import reading
from mllint.project.ignore import Ignores

__all__ = [
    "Discovery", "Disk", "Memory", "Stamp", "digest", "discover", "import_root", "imports_own_name", "module_name",
    "read", "shown", "stamp",
]  # fmt: skip

MAX_BYTES = 1 << 20
MAX_NOTEBOOK_BYTES = 16 << 20  # pictures among the outputs; the code in it is small
_NAMED = 4  # times as large a file is read that is named on the command line
_GLOB = frozenset("*?[/")
_SUFFIXES = (".py", ".ipynb")
_OUTPUTS = frozenset(
    ("wandb", "lightning_logs", "mlruns", "outputs", "multirun", "checkpoints", "runs", "build", "dist")
)
_ENVIRONMENT = frozenset(("pyvenv.cfg", "conda-meta"))
_PROJECT_MARKS = frozenset(("pyproject.toml", ".git", "setup.py", "setup.cfg"))


Stamp = tuple[int, int, int]
"""When the contents and when anything about a file changed, in nanoseconds, and its size."""


class Discovery(NamedTuple):
    """The files to check, sorted, a sentence about each one that was left out though it looked like ours, the stamps of
    the files, and the settings with the nested ones that were met."""

    files: list[str]
    notes: list[str]
    stamps: list[Stamp]
    config: Config


def discover(paths: Sequence[str], config: Config) -> Discovery:
    """Find the files that the given paths stand for.

    Args:
        paths: files and folders; no path means the current folder.
        config: the settings of the run. `exclude` and `extend_exclude`, of these or of a nested configuration, apply to
            what is found in folders, and so does `respect_gitignore` of these.

    Returns:
        Sorted files, each once, notes, and the settings with the nested ones.

    Raises:
        MllintError: a path does not exist, or a nested configuration is wrong.
    """
    walk = _Walk(config, common_folder(paths))
    for path in paths or (".",):
        if os.path.isdir(path):
            walk.folder(os.path.abspath(path))
        elif os.path.exists(path):
            walk.above(os.path.dirname(os.path.abspath(path)))
            walk.files[os.path.abspath(path)] = os.path.realpath(path)
            walk.stamps[os.path.abspath(path)] = stamp(os.stat(path))
        else:
            raise MllintError(missing(path))
    here = os.getcwd()
    links: dict[str, str] = {}
    for path, real in walk.files.items():
        if path == real:
            links[real] = path
        elif real not in walk.files:
            links[real] = min(links.get(real, path), path)
    found = {_shown(path, here): walk.stamps[path] for path in links.values()}
    files = sorted(found)
    return Discovery(files, sorted(walk.notes), [found[path] for path in files], walk.config())


def _largest(path: str) -> int:
    """The size in bytes up to which a file is read that was found in a folder, and not named."""
    return MAX_NOTEBOOK_BYTES if path.endswith(".ipynb") else MAX_BYTES


def explicit_limit(path: str) -> int:
    """The size in bytes up to which any file is read."""
    return _NAMED * _largest(path)


def stamp(status: os.stat_result) -> Stamp:
    """What changes when a file does."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def read(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        SourceError: it cannot be read, with the reason, or is too large.
    """
    try:
        return reading.read(path, explicit_limit(path))
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceError(f"the file cannot be read: {reason[:1].lower()}{reason[1:]}") from None


def shown(path: str) -> str:
    """A path as it is reported: relative to the current folder where it is below it, with `/`."""
    return _shown(os.path.abspath(path), os.getcwd())


def digest(data: bytes) -> str:
    """What stands for the contents of a file."""
    try:
        from _blake2 import blake2b  # `hashlib` loads OpenSSL first
    except ImportError:
        from hashlib import blake2b
    return blake2b(data, digest_size=16).hexdigest()


def import_root(path: str) -> str:
    """The folder from which a file is imported: the first one above it that is no package."""
    folder = os.path.dirname(os.path.abspath(path))
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return folder


def module_name(path: str, roots: Sequence[str] = ()) -> str:
    """The dotted name of a file.

    Args:
        path: the file.
        roots: project roots. A file in a folder that is no package is named from the nearest root above it, if any.

    Returns:
        `pkg.sub.module`; the package's own name for an `__init__.py`; the stem for a lone script.
    """
    absolute = os.path.abspath(path)
    root = import_root(absolute)
    if root == os.path.dirname(absolute):
        above = [os.path.abspath(given) for given in roots if _is_below(absolute, os.path.abspath(given))]
        root = max(above, key=len, default=root)
    relative = os.path.splitext(os.path.relpath(absolute, root))[0]
    parts = relative.split(os.sep)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def imports_own_name(name: str, level: int, importer_path: str) -> bool:
    """Is what a file imports called as the file is, so that it cannot be meant itself?

    Args:
        name: what is imported.
        level: how many dots stand before it.
        importer_path: the file that imports it.
    """
    return not level and name in importer_path and name == _stem(importer_path)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


class Disk:
    """Finds and reads the modules of a project, seen from an importing file.

    Args:
        paths: files and folders of the run. They bound the search for files that no project mark stands above.
    """

    __slots__ = ("_found", "_given", "_here", "_importers", "_listings", "_packages", "_searched")

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._here = os.getcwd()
        self._given = frozenset(os.path.abspath(path) for path in paths)
        self._importers: dict[str, tuple[str, str]] = {}  # the folder and the name of each
        self._listings: dict[str, frozenset[str]] = {}
        self._searched: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str, int], str | None] = {}
        self._packages: dict[str, str] = {}

    def module_name(self, path: str) -> str:
        """The dotted name of a file, as by the function of that name; each folder is looked at once."""
        folder, file = os.path.split(os.path.abspath(path))
        package = self._packages.get(folder)
        if package is None:
            inside = folder[len(self._import_root(folder)) :].lstrip(os.sep)
            package = self._packages[folder] = inside.replace(os.sep, ".")
        stem = _stem(file)
        if not package:
            return stem
        return package if stem == "__init__" else f"{package}.{stem}"

    def locate(self, name: str, level: int, importer_path: str) -> str | None:
        """The file that an import means, whether it can be read or not.

        A folder without `__init__.py` is not a module of its own; ask for the module inside it by its full name.
        A file that imports its own name, `import model` in `utils/model.py`, means one further up: see
        `imports_own_name`.

        Args:
            name: dotted, `models.net`; after leading dots it may be empty: the package itself.
            level: the number of leading dots.
            importer_path: the file that imports it.

        Returns:
            Its path, as reported; None if the project has no such module.
        """
        known = self._importers.get(importer_path)
        if known is None:
            folder = os.path.dirname(os.path.abspath(importer_path))
            known = self._importers[importer_path] = folder, _stem(importer_path)
        folder, own = known
        if name == own and not level:  # see `imports_own_name`
            folder = os.path.dirname(folder)
        return self.locate_from(folder, name, level)

    def locate_from(self, folder: str, name: str, level: int) -> str | None:
        """As `locate`, for an importer in an absolute folder."""
        key = folder, name, level
        if key in self._found:
            return self._found[key]
        found = self._absolute(folder, name) if not level else self._relative(folder, name, level)
        answer = self._found[key] = None if found is None else _shown(found, self._here)
        return answer

    def read(self, path: str) -> bytes | None:
        """The bytes of a file that `locate` found; None if it is none, cannot be read or is too large."""
        try:
            return reading.read(path, MAX_BYTES)
        except OSError:
            return None

    def open(self, path: str) -> bytes:
        """The bytes of a file that is to be checked.

        Raises:
            SourceError: it cannot be read, with the reason.
        """
        return read(path)

    def package(self, path: str) -> str | None:
        """The outermost package that a file is in; None if the file's folder is no package."""
        folder, outermost = os.path.dirname(os.path.abspath(path)), None
        while "__init__.py" in self._listing(folder) and folder != os.path.dirname(folder):
            folder, outermost = os.path.dirname(folder), folder
        return None if outermost is None else _shown(outermost, self._here)

    @property
    def listed(self) -> Mapping[str, frozenset[str]]:
        """The folders on whose entries the answers so far rest, with these entries."""
        return self._listings

    def _absolute(self, folder: str, name: str) -> str | None:
        parts = name.split(".")
        file = f"{parts[0]}.py"
        for root in self._roots(folder):
            listing = self._listing(root)
            if parts[0] in listing or file in listing:  # most are libraries, and nowhere
                found = self._module(root, parts)
                if found is not None:
                    return found
        return None

    def _relative(self, folder: str, name: str, level: int) -> str | None:
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        if name:
            return self._module(folder, name.split("."))
        return os.path.join(folder, "__init__.py") if "__init__.py" in self._listing(folder) else None

    def marked_root(self, path: str) -> str | None:
        """The folder with a project mark nearest above a file; None if there is none."""
        root = self.project_root(path)
        return None if _PROJECT_MARKS.isdisjoint(self._listing(root)) else root

    def project_root(self, path: str) -> str:
        """The folder with a project mark nearest above a file, else the given folder above it, else its import root."""
        start = folder = self._import_root(os.path.dirname(os.path.abspath(path)))
        given = start
        while True:
            if not _PROJECT_MARKS.isdisjoint(self._listing(folder)):
                return folder
            if folder in self._given:
                given = folder
            parent = os.path.dirname(folder)
            if parent == folder:
                return given
            folder = parent

    def _roots(self, folder: str) -> tuple[str, ...]:
        """The folders in which modules are looked for, seen from a folder, best first."""
        roots = self._searched.get(folder)
        if roots is None:
            importable = self._import_root(folder)
            top = self.project_root(os.path.join(folder, "_"))
            climbed = [importable]
            while climbed[-1] != top and os.path.dirname(climbed[-1]) != climbed[-1]:
                climbed.append(os.path.dirname(climbed[-1]))
            found = []
            for above in climbed:
                found.append(above)
                if "src" in self._listing(above):
                    found.append(os.path.join(above, "src"))
            # a file inside a package sees its neighbours by bare name only when it is run as a script, and those of
            # the repository that is a package itself when a script there is run
            roots = tuple(dict.fromkeys((*found, *self._marked_packages(folder), folder)))
            self._searched[folder] = roots
        return roots

    def _marked_packages(self, folder: str) -> Iterator[str]:
        """The packages that a folder is in, each with a project mark: `.git` beside an `__init__.py`."""
        root = self._import_root(folder)
        while folder != root:
            if not _PROJECT_MARKS.isdisjoint(self._listing(folder)):
                yield folder
            folder = os.path.dirname(folder)

    def _import_root(self, folder: str) -> str:
        """As `import_root`, of the files in an absolute folder."""
        while "__init__.py" in self._listing(folder) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        return folder

    def _module(self, root: str, parts: Sequence[str]) -> str | None:
        folder = root
        for part in parts[:-1]:
            if part not in self._listing(folder):
                return None
            folder = os.path.join(folder, part)
        last = parts[-1]
        listing = self._listing(folder)
        if last in listing and "__init__.py" in self._listing(os.path.join(folder, last)):
            return os.path.join(folder, last, "__init__.py")
        return os.path.join(folder, last + ".py") if last + ".py" in listing else None

    def _listing(self, folder: str) -> frozenset[str]:
        listing = self._listings.get(folder)
        if listing is None:
            try:
                listing = frozenset(os.listdir(folder))
            except OSError:
                listing = frozenset()
            self._listings[folder] = listing
        return listing


class Memory:
    """As `Disk`, of a project that is given as text.

    Args:
        sources: the files, by path.
    """

    __slots__ = ("_sources",)

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self._sources = sources

    def module_name(self, path: str) -> str:
        """The dotted name of a file, by the folders on disk."""
        return module_name(path)

    def locate(self, name: str, level: int, importer_path: str) -> str | None:
        """The file that an import means: the nearest one above the importer, without looking at project marks."""
        folder = os.path.dirname(importer_path)
        if imports_own_name(name, level, importer_path):
            if not folder:
                return None
            folder = os.path.dirname(folder)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        for base in [folder] if level else _upwards(folder):
            stem = "/".join(part for part in (base, *name.split(".")) if part)
            for path in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py"):
                if path in self._sources:
                    return path
        return None

    def package(self, path: str) -> str | None:
        """The outermost package that a file is in; None if the file's folder is no package."""
        folder, outermost = os.path.dirname(path), None
        while folder and f"{folder}/__init__.py" in self._sources:
            folder, outermost = os.path.dirname(folder), folder
        return outermost

    def read(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return self._sources.get(path)


class _Excludes:
    """What one configuration leaves out, in its folder and below."""

    def __init__(self, config: Config) -> None:
        patterns = (*config.exclude, *config.extend_exclude)
        self._names = frozenset(pattern.rstrip("/") for pattern in patterns if _GLOB.isdisjoint(pattern.rstrip("/")))
        self._globs = [pattern for pattern in patterns if pattern.rstrip("/") not in self._names]
        self._own_outputs = _OUTPUTS & frozenset(DEFAULT_EXCLUDE) - frozenset(config.extend_exclude)
        if config.exclude != DEFAULT_EXCLUDE:
            self._own_outputs = frozenset()
        self._root = config.root or os.getcwd()

    def name(self, entry: os.DirEntry[str]) -> bool:
        """Is a file or folder left out by its bare name? A package that happens to have that of an output folder is
        source."""
        if entry.name not in self._names:
            return False
        own = entry.name in self._own_outputs and os.path.isfile(os.path.join(entry.path, "__init__.py"))
        return not own

    def glob(self, entry: os.DirEntry[str]) -> bool:
        """Is it left out by a glob?"""
        if not self._globs:
            return False
        relative = os.path.relpath(entry.path, self._root).replace(os.sep, "/")
        return any(glob_matches(pattern, relative) for pattern in self._globs)


class _Walk:
    """One pass over folders: collects files, notes and nested configurations.

    Args:
        config: the settings of the run.
        top: the folder that holds everything.
    """

    def __init__(self, config: Config, top: str) -> None:
        self._config, self._top = config, top
        self._own = os.path.dirname(os.path.abspath(config.path)) if config.path else ""
        self._marks = frozenset() if config.is_final else frozenset(CONFIG_FILES)
        self._nested = dict(config.nested)
        self._climbed: set[str] = set()
        self._here = os.getcwd()
        self.files: dict[str, str] = {}
        self.stamps: dict[str, Stamp] = {}
        self.notes: set[str] = set()

    def folder(self, top: str) -> None:
        """Collect everything below a folder that was named on the command line."""
        ignores = Ignores.above(top) if self._config.respect_gitignore else None
        stack = [(top, ignores, _Excludes(self.above(os.path.dirname(top))))]
        while stack:
            folder, ignores, excludes = stack.pop()
            entries = self._entries(folder)
            names = {entry.name for entry in entries}
            if folder != top and not _ENVIRONMENT.isdisjoint(names):
                continue
            own = self._settings(folder, names)
            excludes = excludes if own is None else _Excludes(own)
            if ignores is not None and ".gitignore" in names:
                ignores = ignores.with_file(folder, os.path.join(folder, ".gitignore"))
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not _skips(entry, ignores, excludes, folder=True):
                        stack.append((entry.path, ignores, excludes))
                elif entry.name.endswith(_SUFFIXES) and not _skips(entry, ignores, excludes, folder=False):
                    self._file(entry)

    def above(self, folder: str) -> Config:
        """The settings that hold in a folder in which something was named; those of folders further up, too, may be
        nested in the run."""
        place = folder
        while place not in self._climbed and place.startswith(self._top.rstrip(os.sep) + os.sep):
            self._climbed.add(place)
            self._settings(place, {entry.name for entry in self._entries(place)} if self._marks else ())
            place = os.path.dirname(place)
        return self.config().of(os.path.join(folder, "_"))

    def config(self) -> Config:
        """The settings of the run with the nested ones so far."""
        return self._config._replace(nested=self._nested) if self._nested else self._config

    def _settings(self, folder: str, names: Collection[str]) -> Config | None:
        """The settings that a folder has of its own, if it has."""
        known = self._nested.get(folder)
        if known is None and not self._marks.isdisjoint(names):
            if folder != self._own:
                known = nested_in(folder, names, self._config)
            elif folder != self._top:  # another configuration may lie between it and the folder that holds everything
                known = self._config
            if known is not None:
                self._nested[folder] = known
        return known

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            self.notes.add(f"{_shown(folder, self._here)}: the folder cannot be read ({reason}), skipped")
            return []

    def _file(self, entry: os.DirEntry[str]) -> None:
        linked = entry.is_symlink()
        try:
            regular = entry.is_file()
            status = entry.stat() if regular else None
        except OSError as error:  # a link to itself
            self._note(entry, (error.strerror or str(error)).lower())
            return
        limit = _largest(entry.name)
        if status is None:
            if not os.path.exists(entry.path):
                if not entry.name.startswith(".#"):  # .#x.py: an Emacs lock
                    self._note(entry, "the link leads nowhere")
            elif not os.path.isdir(entry.path):
                self._note(entry, "no regular file")
        elif status.st_size > limit:
            advice = "; name it to check it" if status.st_size <= explicit_limit(entry.name) else ""
            size = status.st_size / (1 << 20)
            self._note(entry, f"larger than {limit >> 20} MiB ({size:.1f} MiB)", advice)
        else:
            self.files[entry.path] = os.path.realpath(entry.path) if linked else entry.path
            self.stamps[entry.path] = stamp(status)

    def _note(self, entry: os.DirEntry[str], reason: str, advice: str = "") -> None:
        self.notes.add(f"{_shown(entry.path, self._here)}: {reason}, skipped{advice}")


def _skips(entry: os.DirEntry[str], ignores: Ignores | None, excludes: _Excludes, *, folder: bool) -> bool:
    if excludes.name(entry):
        return True
    return (ignores is not None and ignores.match(entry.path, is_folder=folder)) or excludes.glob(entry)


def _upwards(folder: str) -> Iterator[str]:
    above = os.path.dirname(folder)
    while folder and above != folder:  # the root folder is above itself
        yield folder
        folder, above = above, os.path.dirname(above)
    yield folder
    if folder:
        yield ""


def missing(path: str) -> str:
    """What to say of a path that leads to nothing, with the nearest name that exists."""
    if not path:
        return "a path is given that is an empty text"
    folder, name = os.path.split(path.rstrip("/" + os.sep))
    if os.path.islink(path):
        return f"`{path}` is a link that leads nowhere"
    missing = ""
    while folder and not os.path.isdir(folder):
        missing = folder
        folder, name = os.path.split(folder)
    try:
        siblings = os.listdir(folder or ".")
    except OSError:
        siblings = []
    reason = f", there is no folder `{missing}`" if missing else ""
    near = nearest(name, siblings)
    hint = f", did you mean `{os.path.join(folder, near)}`?" if near else ""
    return f"`{path}` does not exist{reason}{hint}"


def _shown(path: str, here: str) -> str:
    if path.startswith(here) and _is_below(path, here):
        path = path[len(here.rstrip(os.sep)) + 1 :] or "."
    return path if os.sep == "/" else path.replace(os.sep, "/")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
