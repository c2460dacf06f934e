"""`mllint config [KEY] [PATH]`: what a key means, what holds here or for a file, and who said so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mllint.cli.command import Checked, Command, Words, argument, color, option
from mllint.cli.completions import keys
from mllint.cli.terminal import OK, emit, folding, style, width
from mllint.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.config.model import Config
    from mllint.config.schema import Key
    from mllint.report.style import Style

__all__ = ["KINDS", "command"]

KINDS = {
    "names": "a list of strings",
    "text": "a string",
    "choice": "one of {}",
    "flag": "true or false",
    "outputs": "one, or a list, of FORMAT[:FILE] with the formats {}",
    "globs": "a table: glob = a list of selectors",
    "versions": "a table: library = versions",
    "rules": "a table for each rule: option = value",
}
"""The kinds of keys and of options in words; `{}` are the choices."""
_KEY, _FILE = Checked(complete=keys), Checked(splits=False)


def main(
    key: str | None, path: str | None, config: tuple[str, ...], isolated: bool, output_format: str, color: str
) -> int:
    """Run the command; gives the exit code."""
    from mllint.catalogue import pages
    from mllint.config.load import load
    from mllint.config.selection import resolve_selection

    key, place = _key_and_path(key, path)
    settings = load(place, isolated, config)
    resolve_selection(settings, pages.rules().values())  # says what is wrong with it
    if output_format == "json":
        emit([_json(settings)])
    elif key is None:
        emit(_list(settings, style(color)))
    else:
        emit(_one(key, settings, f"For {place[0]}" if place else "Here", style(color)))
    return OK


def _key_and_path(key: str | None, path: str | None) -> tuple[str | None, list[str]]:
    """The key and the path that are asked about. A word alone is a path if it is that of something, and no key."""
    import os

    from mllint.config.schema import key_named

    if path is None and key is not None and key_named(key.replace("_", "-")) is None:
        key, path = (None, key) if os.path.exists(key) or "/" in key else (key, None)
    if path is None:
        return key, []
    if not os.path.exists(path):
        from mllint.project.discovery import missing

        swapped = key and os.path.exists(key) and key_named(path.replace("_", "-")) is not None
        raise UsageError(f"the key comes first: `mllint config {path} {key}`" if swapped else missing(path))
    return key, [path]


def _list(settings: Config, look: Style) -> Iterator[str]:
    from mllint.config.explain import settings as told
    from mllint.report import page

    yield f"Configuration: {settings.path or 'none'}"
    yield ""
    known = list(told(settings))
    beside = 4 + max(len(name) for name, _, _ in known) + max(len(origin) for _, _, origin in known)
    room = max(20, min(60, (folding() or 200) - beside))
    rows = [(name, _short(value, room), origin) for name, value, origin in known]
    yield from page.table(("key", "value", "from"), rows, look)
    yield ""
    yield from _wrapped(
        "`mllint config KEY` says what a key means, `mllint config PATH` shows the values for a file or folder, and "
        "`mllint check --show-settings PATH` why each rule is on or off there."
    )


def _short(value: str, limit: int) -> str:
    return value if len(value) <= limit else value[: limit - 3] + "..."


def _one(name: str, settings: Config, place: str, look: Style) -> Iterator[str]:
    from mllint.config.schema import KEYS, key_named

    head, _, rest = name.partition(".")
    key = key_named(head.replace("_", "-"))
    if key is None:
        hint = did_you_mean(name.replace("_", "-"), [known.name for known in KEYS])
        raise UsageError(f"there is no key `{name}`{hint or '; `mllint config` lists them'}")
    if key.kind == "rules" and rest:
        return _options(rest, settings, place, look)
    return _key(key, settings, place, look)


def _key(key: Key, settings: Config, place: str, look: Style) -> Iterator[str]:
    from mllint.config.explain import settings as told

    yield look(key.name, "strong")
    yield ""
    yield from _wrapped(key.doc)
    yield ""
    yield f"Type: {KINDS[key.kind].format(', '.join(key.choices))}"
    yield from _wrapped(f"Default: {key.default}")
    yield ""
    yield "Example:"
    yield ""
    for line in key.example.split("\n"):
        yield f"    {line}"
    found = [] if key.name == "extend" else list(told(settings, key))
    if found:
        yield ""
        yield f"{place}:"
        yield ""
        for name, value, origin in found:
            yield from _wrapped(f"{name} = {value}  ({origin})", "    ")


def _options(name: str, settings: Config, place: str, look: Style) -> Iterator[str]:
    from mllint.catalogue import pages
    from mllint.config.explain import toml

    rule, _, option = name.partition(".")
    infos = {known: info for info in pages.rules().values() for known in (*info.aliases, info.name)}
    info = infos.get(rule)
    if info is None:
        hint = did_you_mean(rule, infos)
        raise UsageError(f"there is no rule `{rule}`{hint or '; `mllint rules` lists them'}")
    if option and option not in [known for known, *_ in info.options]:
        hint = did_you_mean(option, [known for known, *_ in info.options])
        raise UsageError(f"`{info.name}` has no option `{option}`{hint}")
    if not info.options:
        yield f"`{info.name}` has no options."
    for known, kind, default, doc in info.options:
        if option in ("", known):
            yield look(f"rules.{info.name}.{known}", "strong")
            yield ""
            yield from _wrapped(f"{doc[0].upper()}{doc[1:]}.")
            yield ""
            yield f"Type: {KINDS[kind]}"
            yield f"Default: {toml(default)}"
            value: Any = settings.rules.get(info.name, {}).get(known)
            if value is not None:
                yield f"{place}: {toml(value)}"


def _wrapped(text: str, indent: str = "") -> Iterator[str]:
    import textwrap

    yield from textwrap.wrap(text, max(30, min(width(), 100)), initial_indent=indent, subsequent_indent=indent)


def _json(settings: Config) -> str:
    import json

    from mllint.config.explain import settings as told
    from mllint.config.schema import KEYS

    rows = []
    for key in KEYS:
        here = [] if key.name == "extend" else [told_one._asdict() for told_one in told(settings, key)]
        rows.append({**key._asdict(), "here": here})
    return json.dumps({"path": settings.path, "keys": rows}, indent=2)


command = Command(
    "config",
    params=[
        argument("key", "[KEY]", "for example select, or rules.unseeded-shuffle", required=False, type=_KEY),
        argument("path", "[PATH]", "show the values for this file or folder", required=False),
        option("--config", "as for `mllint check`", "FILE|TOML", many=True, kind=_FILE, env="MLLINT_CONFIG"),
        option("--isolated", "ignore all configuration files", env="MLLINT_ISOLATED"),
        option("-f --output-format", "how to print them", "FORMAT", kind=Words(("full", "json")), default="full"),
        color(),
    ],
    help="Explain a key of [tool.mllint], and show its value and where that comes from.",
    callback=main,
)
"""The command."""
