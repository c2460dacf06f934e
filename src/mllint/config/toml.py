"""How does a table of TOML become a `Config`, and on which line is what is wrong with it?

Nothing is guessed: an unknown key and a value of the wrong type are each a `ConfigError` with file, line and the
nearest name that exists (`keys` holds what there is). A file that another one extends is read first and lies below it.

    --config strict.toml            this file, wherever the project's own one is
    --config 'fail-on = "error"'    one setting, on top of all files
    --config fail-on=error          the same; a list may be written with commas
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from mllint.config.files import read_file, shown
from mllint.config.model import Config, Layer
from mllint.config.schema import key_named, outputs, problem
from mllint.errors import ConfigError, UsageError, did_you_mean
from mllint.files.writing import problem_of

__all__ = ["config_of", "line_of", "parse", "place_of", "table_of", "with_given"]

_INLINE = "--config"
_LONGEST_CHAIN = 32
"""So many files may extend each other."""


def config_of(path: str, text: str, table: dict[str, Any]) -> Config:
    """The settings that a file asks for, with those of the files that it extends below them.

    Args:
        path: the file.
        text: what it says.
        table: our part of it.

    Raises:
        ConfigError: as `mllint.config.model.load`.
    """
    settings = Config(path=shown(path), root=os.path.dirname(os.path.abspath(path)))
    for layer in _layers(path, text, table, ()):
        settings = settings.over(layer)
    return settings


def with_given(given: Sequence[str], found: Callable[[], Config] | None) -> Config:
    """The settings of `--config`.

    Args:
        given: its values, each a file or TOML.
        found: gives the settings of the project; None if they are not wanted.

    Raises:
        ConfigError: as `mllint.config.model.load`.
        UsageError: a value is neither a file nor TOML, or there is more than one file.
    """
    files = [value for value in given if _is_file(value)]
    if len(files) > 1:
        raise UsageError(f"`--config` takes one file, not both `{files[0]}` and `{files[1]}`")
    if files and found is None:
        raise UsageError("`--config` with a file and `--isolated` contradict each other")
    if files:
        settings = _read_explicit(files[0])
    else:
        settings = found() if found is not None else Config(root=os.getcwd(), is_final=True)
    for value in given:
        if value not in files:
            for layer in _layers(_INLINE, value, _inline(value), ()):
                settings = settings.over(layer._replace(given=True))
    return settings


def _is_file(value: str) -> bool:
    return os.path.isfile(value) or "=" not in value


def _read_explicit(path: str) -> Config:
    if not os.path.isfile(path):
        raise UsageError(f"there is no configuration file `{path}`{_near(path)}")
    text = read_file(path)
    table = None if text is None else table_of(path, text)
    if text is None or table is None:
        raise ConfigError("there is no table `[tool.mllint]`", shown(path))
    return config_of(path, text, table)._replace(root=os.getcwd(), is_final=True)


def _inline(value: str) -> dict[str, Any]:
    """The table that `--config TOML` means, or `--config KEY=VALUE` where quotes can be spared."""
    try:
        return parse(_INLINE, value)
    except ConfigError:
        name, _, word = (part.strip() for part in value.partition("="))
        key = key_named(name)
        if key is not None and word and not any(mark in word for mark in "\"'[]{}\n"):
            if key.kind in ("names", "outputs"):
                return {name: [part.strip() for part in word.split(",")]}
            if key.kind in ("text", "choice"):
                return {name: word}
        example = key.example if key is not None and "\n" not in key.example else 'fail-on = "error"'
        reason = f"it takes a file, or TOML such as `--config '{example}'`"
        raise UsageError(f"`--config {value}` is neither a file nor TOML: {reason}") from None


# ------------------------------------------------------------------------------------------------------------- reading
def table_of(path: str, text: str) -> dict[str, Any] | None:
    """Our part of a file; None for a `pyproject.toml` without one.

    Raises:
        ConfigError: it is no TOML, or our part is no table.
    """
    if not path.endswith("pyproject.toml"):
        return parse(path, text)
    tools = parse(path, text).get("tool")
    table = tools.get("mllint") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError("`tool.mllint` is a table: write `[tool.mllint]`", shown(path), line_of(text, "mllint"))
    return table


def parse(path: str, text: str) -> dict[str, Any]:
    """Read TOML.

    Raises:
        ConfigError: it is none.
    """
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[no-redef]  # one of the two
    try:
        tables = tomllib.loads(text)
        repr(tables)  # what cannot be shown in a message is refused here: thousands of digits, in hexadecimal
        return tables
    except tomllib.TOMLDecodeError as error:
        import re

        place = re.search(r" \(at line (\d+), column \d+\)| \(at end of document\)", str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        message = str(error)[: place.start()] if place else str(error)
        raise ConfigError(f"this is not TOML: {message}", shown(path), line) from None
    except RecursionError:
        raise ConfigError("this is nested too deeply to be read", shown(path)) from None
    except ValueError:  # a number of thousands of digits
        raise ConfigError("a number here is too long to be read", shown(path)) from None


def _layers(path: str, text: str, table: dict[str, Any], above: tuple[str, ...]) -> list[Layer]:
    """What a file says, and before it what those say that it extends."""
    inline = path == _INLINE
    place = _INLINE if inline else shown(path)
    fields: dict[str, Any] = {}
    for key, value in table.items():
        wrong = problem(key, value)
        if wrong is not None:
            raise ConfigError(wrong, place, None if inline else line_of(text, key))
        field = key.replace("-", "_")
        if key == "per-file-ignores":
            fields[field] = tuple((pattern, tuple(names)) for pattern, names in value.items())
        else:
            fields[field] = tuple(value) if isinstance(value, list) else value
    folder = os.getcwd() if inline else os.path.dirname(os.path.abspath(path))
    if fields.get("environment", "auto") != "auto":
        fields["environment"] = _below(folder, fields["environment"], "environment", path, text)
    if "stubs" in fields:
        fields["stubs"] = tuple(os.path.join(folder, stub) for stub in fields["stubs"])
    if fields.get("baseline"):
        fields["baseline"] = _file(folder, fields["baseline"], "baseline", path, text)
    if "output_format" in fields:
        written = outputs(table["output-format"])
        fields["output_format"] = tuple(_output(folder, output, path, text) for output in written)
    extended = fields.pop("extend", None)
    below = [] if extended is None else _extended(os.path.join(folder, os.path.expanduser(extended)), path, text, above)
    return [*below, Layer(place, "" if inline else path, fields)]


def _output(folder: str, output: str, path: str, text: str) -> str:
    """An output with its file in a folder."""
    name, separator, file = output.partition(":")
    if file in ("", "-"):
        return output
    return f"{name}{separator}{_file(folder, file, 'output-format', path, text)}"


def _file(folder: str, file: str, key: str, path: str, text: str) -> str:
    """Where a file is that will be written, as the key of a configuration in a folder names it.

    Raises:
        ConfigError: it is not below that folder, or a link leads to it. `--config` may name any file.
    """
    place = os.path.normpath(os.path.join(folder, file))
    wrong = None if path == _INLINE else problem_of(folder, place)
    if wrong is not None:
        raise ConfigError(f"`{key}` names `{file}`, which {wrong}", shown(path), line_of(text, key))
    return place


def _below(folder: str, given: str, key: str, path: str, text: str) -> str:
    """A folder that will be read, as the key of a configuration names it.

    Raises:
        ConfigError: it is not below the folder of the configuration. `--config` may name any folder.
    """
    place = os.path.normpath(os.path.join(folder, given))
    if path != _INLINE and not place.startswith(f"{folder}{os.sep}"):
        raise ConfigError(f"`{key}` names `{given}`, which is not below this folder", shown(path), line_of(text, key))
    return place


def _extended(target: str, path: str, text: str, above: tuple[str, ...]) -> list[Layer]:
    target = os.path.normpath(target)
    inline = path == _INLINE
    place = _INLINE if inline else shown(path), None if inline else line_of(text, "extend")
    chain = (*above, os.path.abspath(path))
    if len(chain) > _LONGEST_CHAIN:
        raise ConfigError(f"`extend` leads through more than {_LONGEST_CHAIN} files", *place)
    if "\0" in target:
        raise ConfigError("`extend` names a file with a null character in its name", *place)
    if target in chain:
        raise ConfigError(f"`extend` leads back to `{shown(target)}`", *place)
    try:
        below = read_file(target, whole=True)
    except ConfigError as error:
        raise ConfigError(f"`extend` names `{shown(target)}`, which {error.message}", *place) from None
    if below is None:
        raise ConfigError(f"`extend` names `{shown(target)}`, which does not exist{_near(target, path)}", *place)
    table = table_of(target, below)
    if table is None:
        raise ConfigError(f"`extend` names `{shown(target)}`, which has no table `[tool.mllint]`", *place)
    return _layers(target, below, table, chain)


def _near(path: str, but: str = "") -> str:
    """The name of a file beside one that does not exist; not that of the file that names it."""
    folder = os.path.dirname(path) or "."
    names = {*os.listdir(folder)} if os.path.isdir(folder) else set()
    return did_you_mean(os.path.basename(path), names - {os.path.basename(but)})


# --------------------------------------------------------------------------------------------------------------- lines
def place_of(layer: Layer | None, word: str) -> tuple[str, int | None]:
    """The file and the line of a word that a layer says; no file for the command line."""
    if layer is None or not layer.path:
        return ("" if layer is None or layer.origin != _INLINE else _INLINE), None
    return layer.origin, line_of(read_file(layer.path, whole=True) or "", word)


def line_of(text: str, word: str) -> int | None:
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
