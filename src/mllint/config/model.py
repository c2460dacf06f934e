"""What did the project ask for? `[tool.mllint]` as one frozen `Config`.

The nearest of `.mllint.toml`, `mllint.toml` and a `pyproject.toml` with a `[tool.mllint]` table counts. What it says is
one layer; the file that it extends lies below it, `--config` and the options of the command line above. Each layer is
kept, so that everybody can be told where a value comes from.

    load(paths)                      the settings of a run: looking upwards from the folder that holds everything
    settings.of("packages/a/x.py")   the settings of a file: a folder further down may have its own (`nested_in`)

A run asks `load` what becomes of its report, and `of` everything about a file. Who finds the files (`files.discover`)
meets the nested configurations on the way.

What it does not do: it knows no rule (`selection` does), and it reads TOML (`configfile`) only where a file mentions
mllint, since most projects have no configuration and reading TOML costs more than a small file.
"""

from __future__ import annotations

import os

from mllint._typing import TYPE_CHECKING, Any, Collection, Iterator, NamedTuple, Sequence
from mllint.config.selection import RuleLike, ignored_for, resolve_selection
from mllint.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping
    from typing import TypeVar

    T = TypeVar("T")

__all__ = [
    "CONFIDENCES", "CONFIG_FILES", "EDITIONS", "FAIL_ON", "OUTPUT_FORMATS", "Config", "Layer", "RuleLike", "candidates",
    "common_folder", "from_toml", "ignored_for", "load", "nearest", "nested_in", "output_problem", "read_file",
    "resolve_selection", "shown", "stub_folders",
]  # fmt: skip

FAIL_ON = ("error", "warning", "info", "never")
OUTPUT_FORMATS = (
    "full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson", "azure", "markdown",
)  # fmt: skip
CONFIG_FILES = (".mllint.toml", "mllint.toml", "pyproject.toml")
"""The names that a configuration may have, best first."""
CONFIDENCES = ("low", "medium", "high")
EDITIONS = {"2026": "0.1"}
"""The editions, each with the newest version of mllint whose rules belong to it."""
_EXCLUDE = """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mllint_cache .mypy_cache .nox .pants.d .pyenv
    .pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out build dist
    node_modules site-packages venv wandb lightning_logs mlruns outputs multirun checkpoints runs"""
DEFAULT_EXCLUDE = tuple(_EXCLUDE.split())

_ADDED = frozenset(("ignore", "extend_select", "extend_exclude", "per_file_ignores", "stubs"))
_globs: dict[str, re.Pattern[str]] = {}


class Layer(NamedTuple):
    """What one file, or the command line, says: `fields` of `Config`. `path` is the file's, empty if it is none. What
    is `given` with a run counts for each of its files, whatever configuration is nearest to it."""

    origin: str
    path: str
    fields: Mapping[str, Any]
    given: bool = False


class Config(NamedTuple):
    """The settings of one run. `path` is the file they came from (empty: none), `root` its folder. `is_final` says that
    no other file is to count, as with `--isolated` and `--config FILE`. `nested` holds those of folders of the run that
    have their own, by absolute folder.

    `output_format` holds outputs as they are written, `FORMAT` or `FORMAT:FILE`; empty leaves it to where we run.
    """

    select: tuple[str, ...] = ("DEFAULT",)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    fail_on: str = "warning"
    output_format: tuple[str, ...] = ()
    pedantic: bool = False
    auditor: bool = False
    min_confidence: str = "low"
    edition: str = ""
    baseline: str = ""
    stubs: tuple[str, ...] = ()
    target_versions: Mapping[str, str] = {}  # neither this nor the next is ever written to
    rules: Mapping[str, Mapping[str, Any]] = {}
    path: str = ""
    root: str = ""
    is_final: bool = False
    layers: tuple[Layer, ...] = ()
    nested: Mapping[str, Config] = {}

    def fails(self, path: str, severity: str) -> bool:
        """Whether a finding in a file makes a run fail, by the `fail-on` that holds there."""
        least = self.of(path).fail_on
        return least != "never" and FAIL_ON.index(severity) <= FAIL_ON.index(least)

    def of(self, path: str) -> Config:
        """The settings that hold for a file: those of the nearest configuration above it."""
        return nearest(self.nested, path, self) if self.nested else self

    @property
    def all(self) -> list[Config]:
        """These settings and the nested ones."""
        return [self, *self.nested.values()]

    def merge(self, **options: Any) -> Config:
        """These settings with what the command line says on top (see `over`); a flag can only be switched on.

        Args:
            **options: fields of this class by name; None means that the option was not given.
        """
        given = {name: value for name, value in options.items() if value is not None and value is not False}
        return self.over(Layer("the command line", "", given, True)) if given else self

    def over(self, layer: Layer) -> Config:
        """These settings with a layer on top.

        `select` starts afresh (it drops `ignore` and `extend_select` of below), `ignore`, `per_file_ignores`, `stubs`
        and the `extend_` fields are added to, tables are merged, all others replace.
        """
        fields = dict(layer.fields)
        below = self if "select" not in fields else self._replace(ignore=(), extend_select=())
        for name in _ADDED & fields.keys():
            fields[name] = (*getattr(below, name), *fields[name])
        for name in fields.keys() & {"select", "exclude"}:
            fields[name] = tuple(fields[name])
        if "target_versions" in fields:
            fields["target_versions"] = {**self.target_versions, **fields["target_versions"]}
        if "rules" in fields:
            both = {**self.rules, **fields["rules"]}
            fields["rules"] = {name: {**self.rules.get(name, {}), **both[name]} for name in both}
        if fields.get("auditor"):
            fields["pedantic"] = True
        return below._replace(**fields, layers=(*self.layers, layer))

    def origin(self, field: str, item: object = None) -> Layer | None:
        """The layer that a field, or one item of it, comes from; None for the default."""
        fits = (a for a in reversed(self.layers) if field in a.fields and (item is None or item in a.fields[field]))
        return next(fits, None)


def load(paths: Sequence[str], isolated: bool = False, given: Sequence[str] = ()) -> Config:
    """Find and read the configuration for the given files and folders.

    Args:
        paths: what is to be checked; empty means the current folder.
        isolated: True looks for no file.
        given: what `--config` was given: at most one file, which counts instead of those that would be found, and TOML
            that goes on top.

    Returns:
        The settings, the defaults if there is no configuration.

    Raises:
        ConfigError: the configuration is broken or says something that mllint does not know.
        UsageError: a given file does not exist.
    """
    if isolated and not given:
        return Config(root=os.getcwd(), is_final=True)
    if given:
        from mllint.config.toml import with_given

        settings = with_given(given, None if isolated else lambda: _nearest(paths))
    else:
        settings = _nearest(paths)
    return settings if isolated else _with_targets(settings, common_folder(paths))


def nearest(table: Mapping[str, T], path: str, default: T) -> T:
    """What a table by absolute folder holds for a file: the entry of the nearest folder above it."""
    folder, below = os.path.dirname(os.path.abspath(path)), ""
    while folder != below:
        if folder in table:
            return table[folder]
        folder, below = os.path.dirname(folder), folder
    return default


def nested_in(folder: str, names: Collection[str], run: Config) -> Config | None:
    """The settings of the files in a folder of a run and below, if it has a configuration of its own.

    Args:
        folder: the folder, absolute.
        names: what is in it.
        run: the settings of the run.

    Raises:
        ConfigError: as `load`.
    """
    for name in CONFIG_FILES:
        settings = _read(os.path.join(folder, name)) if name in names else None
        if settings is not None:
            settings = _with_targets(settings, folder)
            for layer in run.layers:
                settings = settings.over(layer) if layer.given else settings
            return settings
    return None


def candidates(paths: Sequence[str]) -> Iterator[str]:
    """The files that may configure a run over some files and folders, best first."""
    folder, below = common_folder(paths), ""
    while folder != below:
        yield from (os.path.join(folder, name) for name in CONFIG_FILES)
        folder, below = os.path.dirname(folder), folder


def _nearest(paths: Sequence[str]) -> Config:
    found = (settings for path in candidates(paths) if (settings := _read(path)) is not None)
    return next(found, None) or Config(root=os.getcwd())


def _read(path: str) -> Config | None:
    """The settings that a file asks for; None if it is none, or a `pyproject.toml` that does not mention us."""
    text = read_file(path)
    if text is None:
        return None
    from mllint.config.toml import config_of, table_of

    table = table_of(path, text)
    return None if table is None else config_of(path, text, table)


def _with_targets(settings: Config, folder: str) -> Config:
    """The settings with the versions that lock files and requirements name, below all else."""
    from mllint.config.dependencies import find

    for name, target in find(folder).items():
        layer = Layer(shown(target.path), target.path, {"target_versions": {name: target.versions}})
        merged = {name: target.versions, **settings.target_versions}
        settings = settings._replace(target_versions=merged, layers=(layer, *settings.layers))
    return settings


def stub_folders(settings: Config) -> list[str]:
    """The folders with stubs of a run: those of all its configurations, since a library is the same everywhere."""
    return list(dict.fromkeys(os.path.join(one.root, folder) for one in settings.all for folder in one.stubs))


def from_toml(text: str, path: str = "mllint.toml") -> Config:
    """Read a configuration from text, as it stands in `mllint.toml`.

    Raises:
        ConfigError: as `load`.
    """
    from mllint.config.toml import config_of, parse

    return config_of(path, text, parse(path, text))


def glob_matches(pattern: str, path: str) -> bool:
    """Whether a glob is about a relative path: the whole of it, a folder above it, or its last part."""
    pattern = pattern.removeprefix("./").rstrip("/")
    expression = _globs.get(pattern)
    if expression is None:
        import fnmatch
        import re

        expression = _globs[pattern] = re.compile(fnmatch.translate(pattern))
    candidates = [path, "/" + path]
    if "/" not in pattern:
        candidates += path.split("/")
    else:
        folders = path.split("/")
        candidates += ["/".join(folders[:count]) for count in range(1, len(folders))]
    return any(expression.match(candidate) for candidate in candidates)


def output_problem(output: str) -> str:
    """What is wrong with one output, `FORMAT` or `FORMAT:FILE`, in a sentence; empty if nothing is."""
    name, separator, file = output.partition(":")
    if name not in OUTPUT_FORMATS:
        return f"`{name}` is not one of {', '.join(OUTPUT_FORMATS)}{did_you_mean(name, OUTPUT_FORMATS)}"
    return f"`{output}` names no file behind the colon" if separator and not file else ""


def common_folder(paths: Sequence[str]) -> str:
    """The folder that holds some files and folders; the current one if there are none."""
    absolute = [os.path.abspath(path) for path in paths] or [os.getcwd()]
    try:
        folder = os.path.commonpath(absolute)
    except ValueError:  # different drives
        folder = absolute[0]
    return folder if os.path.isdir(folder) else os.path.dirname(folder)


def read_file(path: str, *, whole: bool = False) -> str | None:
    """The text of a configuration file, None if there is none.

    Args:
        path: the file.
        whole: whatever it says; otherwise a `pyproject.toml` that does not mention us is none.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read: {(error.strerror or str(error)).lower()}", shown(path)) from None
    if b"mllint" not in data and path.endswith("pyproject.toml") and not whole:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", shown(path), data.count(b"\n", 0, error.start) + 1) from None


def shown(path: str) -> str:
    """A path as it is reported: relative where it is below the current folder."""
    relative = os.path.relpath(path)
    return (path if relative.startswith("..") else relative).replace(os.sep, "/")
