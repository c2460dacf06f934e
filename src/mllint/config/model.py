"""What did the project ask for? `[tool.mllint]` as one frozen `Config`.

A configuration is a stack of layers. What the nearest file says is one layer; the file that it extends lies below it,
`--config` and the options of the command line above. Each layer is kept, so that everybody can be told where a value
comes from: `Config.origin`. A folder further down may have settings of its own: `Config.of` says what holds for a file.

What it does not do: it finds and reads no files (`load` does), and knows no rule (`selection` does).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    T = TypeVar("T")

__all__ = [
    "CONFIDENCES", "DEFAULT_EXCLUDE", "EDITIONS", "FAIL_ON", "OUTPUT_FORMATS", "Config", "Layer", "nearest",
    "output_problem", "stub_folders",
]  # fmt: skip

FAIL_ON = ("error", "warning", "info", "never")
OUTPUT_FORMATS = (
    "full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson", "azure", "markdown",
)  # fmt: skip
CONFIDENCES = ("low", "medium", "high")
EDITIONS = {"2026": "0.1"}
"""The editions, each with the newest version of mllint whose rules belong to it."""
_EXCLUDE = """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mllint_cache .mypy_cache .nox .pants.d .pyenv
    .pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out build dist
    node_modules site-packages venv wandb lightning_logs mlruns outputs multirun checkpoints runs"""
DEFAULT_EXCLUDE = tuple(_EXCLUDE.split())

_ADDED = frozenset(
    (
        "ignore",
        "extend_select",
        "extend_exclude",
        "per_file_ignores",
        "stubs",
        "extend_safe_fixes",
        "extend_unsafe_fixes",
    )
)


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

    `fixes` says that findings come with their fixes, which take time. `output_format` holds outputs as they are
    written, `FORMAT` or `FORMAT:FILE`; empty leaves it to where we run.
    """

    select: tuple[str, ...] = ("DEFAULT",)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    fail_on: str = "warning"
    output_format: tuple[str, ...] = ()
    pedantic: bool = False
    auditor: bool = False
    min_confidence: str = "low"
    edition: str = ""
    baseline: str = ""
    stubs: tuple[str, ...] = ()
    environment: str = ""
    target_versions: Mapping[str, str] = {}  # neither this nor the next is ever written to
    rules: Mapping[str, Mapping[str, Any]] = {}
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()
    fixes: bool = False
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
        """These settings with what the command line says on top (see `over`).

        Args:
            **options: fields of this class by name; None means that the option was not given, and so does False for a
                flag that is off without it.
        """
        given = {
            name: value
            for name, value in options.items()
            if value is not None and (value is not False or self._field_defaults[name] is not False)
        }
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


def nearest(table: Mapping[str, T], path: str, default: T) -> T:
    """What a table by absolute folder holds for a file: the entry of the nearest folder above it.

    Args:
        table: what holds for each folder.
        path: the file.
        default: what holds below none of the folders.
    """
    folder, below = os.path.dirname(os.path.abspath(path)), ""
    while folder != below:
        if folder in table:
            return table[folder]
        folder, below = os.path.dirname(folder), folder
    return default


def stub_folders(settings: Config) -> list[str]:
    """The folders with stubs of a run: those of all its configurations, since a library is the same everywhere."""
    return list(dict.fromkeys(os.path.join(one.root, folder) for one in settings.all for folder in one.stubs))


def output_problem(output: str) -> str:
    """What is wrong with one output, `FORMAT` or `FORMAT:FILE`, in a sentence; empty if nothing is."""
    name, separator, file = output.partition(":")
    if name not in OUTPUT_FORMATS:
        return f"`{name}` is not one of {', '.join(OUTPUT_FORMATS)}{did_you_mean(name, OUTPUT_FORMATS)}"
    return f"`{output}` names no file behind the colon" if separator and not file else ""
