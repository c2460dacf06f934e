"""What did the project ask for? `[tool.mllint]` as one frozen `Config`.

The nearest of `.mllint.toml`, `mllint.toml` and a `pyproject.toml` with a `[tool.mllint]` table counts, looking upwards
from the folder that holds everything to be checked. Nothing is guessed: an unknown key, a value of the wrong type and
an unknown rule are each a `ConfigError` with file, line and the nearest name that exists.

    select = ["DEFAULT", "loss"]            a rule, a family, ALL, DEFAULT, persona:<name>, framework:<name>
    ignore = ["missing-seed"]               the more specific selector wins, whichever list it is in
    per-file-ignores = { "tests/**" = ["ALL"] }

What it does not do: it knows no rule by itself (the catalogue is handed to `resolve_selection`) and reads TOML only
where the file mentions mllint, since most projects have no configuration and reading TOML costs more than a small file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from mllint._typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from mllint.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    import re

__all__ = [
    "FAIL_ON", "OUTPUT_FORMATS", "Config", "RuleLike", "ignored_for", "load", "output_problem", "resolve_selection",
]  # fmt: skip

FAIL_ON = ("error", "warning", "info", "never")
OUTPUT_FORMATS = ("full", "concise", "json", "json-lines")
_EXCLUDE = """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mllint_cache .mypy_cache .nox .pants.d .pyenv
    .pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out build dist
    node_modules site-packages venv wandb lightning_logs mlruns outputs multirun checkpoints runs"""
DEFAULT_EXCLUDE = tuple(_EXCLUDE.split())

_NAMES = ("select", "ignore", "extend-select", "exclude", "extend-exclude", "stubs")
_CHOICES = {"fail-on": FAIL_ON}
_KEYS = (*_NAMES, *_CHOICES, "output-format", "pedantic", "per-file-ignores", "rules")
_globs: dict[str, re.Pattern[str]] = {}


class RuleLike(Protocol):
    """What selection has to know of a rule."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def persona(self) -> str: ...
    @property
    def frameworks(self) -> Sequence[str]: ...
    @property
    def aliases(self) -> Sequence[str]: ...


class Config(NamedTuple):
    """The settings of one run. `path` is the file they came from (empty: none), `root` its folder.

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
    stubs: tuple[str, ...] = ()
    rules: Mapping[str, Mapping[str, Any]] = {}  # never written to
    path: str = ""
    root: str = ""

    def merge(self, **options: Any) -> Config:
        """These settings with what the command line says on top.

        `select` starts afresh (it drops `ignore` and `extend_select` of the file), `ignore`, `extend_select` and
        `extend_exclude` are added to, `pedantic` can only be switched on, all others replace.

        Args:
            **options: fields of this class by name; None means that the option was not given.
        """
        given = {name: value for name, value in options.items() if value is not None}
        below = self if "select" not in given else self._replace(ignore=(), extend_select=())
        for name in ("select", "ignore", "extend_select", "exclude", "extend_exclude", "stubs"):
            if name in given:
                kept = () if name in ("select", "exclude") else getattr(below, name)
                given[name] = (*kept, *given[name])
        if "pedantic" in given:
            given["pedantic"] = self.pedantic or given["pedantic"]
        return below._replace(**given)


def load(paths: Sequence[str], isolated: bool = False) -> Config:
    """Find and read the configuration for the given files and folders.

    Args:
        paths: what is to be checked; empty means the current folder.
        isolated: True reads no file at all.

    Returns:
        The settings, the defaults if there is no configuration.

    Raises:
        ConfigError: the configuration is broken or says something that mllint does not know.
    """
    if isolated:
        return Config(root=os.getcwd())
    folder = _common_folder(paths)
    while True:
        for name in (".mllint.toml", "mllint.toml", "pyproject.toml"):
            path = os.path.join(folder, name)
            text = _read(path)
            table = None if text is None else _table(path, text)
            if text is not None and table is not None:
                return _config(path, text, table)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Config(root=os.getcwd())
        folder = parent


def from_toml(text: str, path: str = "mllint.toml") -> Config:
    """Read a configuration from text, as it stands in `mllint.toml`.

    Raises:
        ConfigError: as `load`.
    """
    return _config(path, text, _parse(path, text))


def resolve_selection(config: Config, infos: Iterable[RuleLike]) -> frozenset[str]:
    """The names of the rules that run.

    A more specific selector wins over a more general one (rule, family, persona or framework, ALL or DEFAULT); between
    equals `ignore` wins. DEFAULT, a family and a framework mean their regular rules, with `pedantic` also the pedantic
    ones; ALL, `persona:` and a rule's own name mean exactly what they say.

    Raises:
        ConfigError: a selector, or a table of options, names nothing that exists.
    """
    rules = list(infos)
    selectors = _Selectors(config, rules)
    for name in config.rules:
        if name not in selectors.names:
            selectors.refuse(name, "rules")
    wanted = [(selector, "select") for selector in config.select]
    wanted += [(selector, "extend-select") for selector in config.extend_select]
    unwanted = [(selector, "ignore") for selector in config.ignore]
    selected: set[str] = set()
    for level in range(4):
        for selector, key in wanted:
            if selectors.level(selector, key) == level:
                selected |= selectors.shown(selector)
        for selector, key in unwanted:
            if selectors.level(selector, key) == level:
                selected -= selectors.matching(selector)
    return frozenset(selected)


def ignored_for(config: Config, infos: Iterable[RuleLike], path: str) -> frozenset[str]:
    """The names of the rules that `per-file-ignores` switches off in one file.

    Args:
        config: the settings.
        infos: all rules.
        path: the file, relative to the current folder or absolute.

    Raises:
        ConfigError: a selector names nothing that exists.
    """
    if not config.per_file_ignores:
        return frozenset()
    selectors = _Selectors(config, list(infos))
    relative = os.path.relpath(os.path.abspath(path), config.root or os.getcwd()).replace(os.sep, "/")
    ignored: set[str] = set()
    for pattern, names in config.per_file_ignores:
        for selector in names:
            selectors.level(selector, "per-file-ignores")
            if glob_matches(pattern, relative):
                ignored |= selectors.matching(selector)
    return frozenset(ignored)


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


class _Selectors:
    """What each selector means in one catalogue."""

    def __init__(self, config: Config, rules: list[RuleLike]) -> None:
        self._config = config
        self._rules = rules
        self._personas = {"regular", "pedantic"} if config.pedantic else {"regular"}
        self.names = {name: rule.name for rule in rules for name in (*rule.aliases, rule.name)}
        self._families = {rule.family for rule in rules}
        self._traits = {f"persona:{rule.persona}" for rule in rules} | {"persona:regular", "persona:pedantic"}
        self._traits |= {f"framework:{framework}" for rule in rules for framework in rule.frameworks}

    def level(self, selector: str, key: str) -> int:
        """How specific a selector is; refuses one that means nothing."""
        if selector in ("ALL", "DEFAULT"):
            return 0
        if selector in self._traits:
            return 1
        if selector in self._families:
            return 2
        if selector not in self.names:
            self.refuse(selector, key)
        return 3

    def matching(self, selector: str) -> set[str]:
        """All rules that a selector is about."""
        if selector in self.names:
            return {self.names[selector]}
        if selector == "ALL":
            return {rule.name for rule in self._rules}
        if selector == "DEFAULT":
            return {rule.name for rule in self._rules if rule.persona in self._personas}
        kind, _, value = selector.partition(":")
        if kind == "persona":
            return {rule.name for rule in self._rules if rule.persona == value}
        if kind == "framework":
            return {rule.name for rule in self._rules if value in rule.frameworks}
        return {rule.name for rule in self._rules if rule.family == selector}

    def shown(self, selector: str) -> set[str]:
        """The rules that selecting it switches on."""
        found = self.matching(selector)
        if selector in self.names or selector == "ALL" or selector.startswith("persona:"):
            return found
        return found & {rule.name for rule in self._rules if rule.persona in self._personas}

    def refuse(self, selector: str, key: str) -> None:
        """Say that a selector means nothing, and what it may have been meant to be."""
        known = {*self.names, *self._families, *self._traits, "ALL", "DEFAULT"}
        hint = did_you_mean(selector, known)
        message = f"`{selector}` in `{key}` is no rule, family or selector{hint or '; `mllint rules` lists them'}"
        line = _line_of(_read(self._config.path) or "", selector) if self._config.path else None
        raise ConfigError(message, self._config.path if line else "", line)


def _common_folder(paths: Sequence[str]) -> str:
    absolute = [os.path.abspath(path) for path in paths] or [os.getcwd()]
    try:
        folder = os.path.commonpath(absolute)
    except ValueError:  # different drives
        folder = absolute[0]
    return folder if os.path.isdir(folder) else os.path.dirname(folder)


def _read(path: str) -> str | None:
    """The text of a configuration file, None if there is none or if it does not mention us."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read: {(error.strerror or str(error)).lower()}", _shown(path)) from None
    if b"mllint" not in data and path.endswith("pyproject.toml"):
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", _shown(path), data.count(b"\n", 0, error.start) + 1) from None


def _parse(path: str, text: str) -> dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[no-redef]  # one of the two
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        import re

        place = re.search(r" \(at line (\d+), column \d+\)| \(at end of document\)", str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        message = str(error)[: place.start()] if place else str(error)
        raise ConfigError(f"this is no TOML: {message}", _shown(path), line) from None


def _table(path: str, text: str) -> dict[str, Any] | None:
    """Our part of a file; None for a `pyproject.toml` without one."""
    if not path.endswith("pyproject.toml"):
        return _parse(path, text)
    tools = _parse(path, text).get("tool")
    table = tools.get("mllint") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError("`tool.mllint` is a table: write `[tool.mllint]`", _shown(path), _line_of(text, "mllint"))
    return table


def _config(path: str, text: str, table: dict[str, Any]) -> Config:
    fields: dict[str, Any] = {}
    for key, value in table.items():
        problem = _problem(key, value)
        if problem is not None:
            raise ConfigError(problem, _shown(path), _line_of(text, key))
        field = key.replace("-", "_")
        if key == "per-file-ignores":
            fields[field] = tuple((pattern, tuple(names)) for pattern, names in value.items())
        else:
            fields[field] = tuple(value) if isinstance(value, list) else value
    root = os.path.dirname(os.path.abspath(path))
    fields["stubs"] = tuple(os.path.join(root, stub) for stub in fields.get("stubs", ()))
    if "output-format" in table:
        fields["output_format"] = tuple(_below(root, output) for output in _outputs(table["output-format"]))
    return Config(**fields, path=_shown(path), root=root)


def _problem(key: str, value: object) -> str | None:
    """What is wrong with one key, in a sentence; None if it is fine."""
    if key not in _KEYS:
        return f"unknown key `{key}`{did_you_mean(key.replace('_', '-'), _KEYS)}"
    if key in _NAMES:
        return None if _is_strings(value) else f'`{key}` takes a list of strings, such as `{key} = ["..."]`'
    if key in _CHOICES:
        choices = _CHOICES[key]
        if value in choices:
            return None
        return f"`{key}` is one of {', '.join(choices)}, not `{value}`{did_you_mean(str(value), choices)}"
    if key == "output-format":
        outputs = _outputs(value)
        if not outputs:
            return f'`{key}` takes a format, such as "json", or a list of outputs: ["full", "json:report.json"]'
        return next((problem for problem in map(output_problem, outputs) if problem), None)
    if key == "pedantic":
        return None if isinstance(value, bool) else "`pedantic` is true or false"
    if not isinstance(value, dict):
        return f"`{key}` is a table: write `[tool.mllint.{key}]`"
    if key == "rules":
        wrong = [name for name, options in value.items() if not isinstance(options, dict)]
        return f"`rules.{wrong[0]}` is a table of options: write `[tool.mllint.rules.{wrong[0]}]`" if wrong else None
    wrong = [pattern for pattern, names in value.items() if not _is_strings(names)]
    return f'`{key}` maps a glob to a list of rules: write `"{wrong[0]}" = ["..."]`' if wrong else None


def _outputs(value: object) -> list[str]:
    """The outputs that `output-format` lists, or the one that it names; empty for anything else."""
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) and _is_strings(value) else []


def _below(root: str, output: str) -> str:
    """An output with its file in the folder of the configuration."""
    name, separator, file = output.partition(":")
    return output if file in ("", "-") else f"{name}{separator}{os.path.join(root, file)}"


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _line_of(text: str, word: str) -> int | None:
    """The line of a key or a quoted value: below our own header if there is one."""
    import re

    header = re.search(r"^[ \t]*\[\s*tool\s*\.\s*mllint", text, re.MULTILINE)
    start = header.start() if header else 0
    escaped = re.escape(word)
    for pattern in (
        rf"^[ \t]*[\"']?{escaped}[\"']?[ \t]*[.=]",
        rf"^[ \t]*\[.*[.\[]\s*[\"']?{escaped}[\"']?\s*[\].]",
        rf"[\"']{escaped}[\"']",
        escaped,
    ):
        match = re.search(pattern, text[start:], re.MULTILINE)
        if match is not None:
            return text.count("\n", 0, start + match.start()) + 1
    return None


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return (path if relative.startswith("..") else relative).replace(os.sep, "/")
