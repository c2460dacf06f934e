"""Why is a setting what it is, and a rule on or off?

For `mllint config` and `--show-settings`: what the layers of a `Config` and the decisions of `selection` say, in the
words of the user, with the file and the line that they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.config.model import Config, Layer
from mllint.config.schema import KEYS, Key
from mllint.config.selection import Decision, RuleLike, decide
from mllint.config.toml import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Setting", "reasons", "settings", "toml"]


class Setting(NamedTuple):
    """A value, as TOML, and where it comes from: `pyproject.toml:5`, `the command line`, `default`."""

    name: str
    value: str
    origin: str


def settings(config: Config, key: Key | None = None) -> Iterator[Setting]:
    """The settings that hold, or those of one key.

    A list is told item by item where its items come from several places, a table entry by entry.
    """
    for one in KEYS if key is None else (key,):
        if one.name != "extend":  # it has done its work
            yield from _of_key(config, one)


def _of_key(config: Config, key: Key) -> Iterator[Setting]:
    field = key.name.replace("-", "_")
    value = getattr(config, field)
    if key.kind == "rules":
        for rule, options in value.items():
            for name, setting in options.items():
                yield Setting(f"rules.{rule}.{name}", toml(setting), _place(_of_option(config, rule, name), name))
    elif key.kind == "versions":
        for name, setting in value.items():
            yield Setting(f"{key.name}.{name}", toml(setting), _place(config.origin(field, name), name))
    elif key.kind == "globs":
        for pattern, names in value:
            layer = config.origin(field, (pattern, names))
            yield Setting(f"{key.name}.{toml(pattern)}", toml(names), _place(layer, pattern))
    elif key.kind == "names":
        yield from _of_list(config, key.name, field, value)
    elif config.origin(field) is None:
        yield Setting(key.name, key.default if not value else toml(value), "default")
    else:
        yield Setting(key.name, toml(value), _place(config.origin(field), key.name))


def _of_list(config: Config, name: str, field: str, value: Sequence[str]) -> Iterator[Setting]:
    places: dict[str, list[str]] = {}
    for item in value:
        layer = config.origin(field, item)
        places.setdefault("default" if layer is None else _place(layer, item).partition(":")[0], []).append(item)
    if not value:
        places = {_place(config.origin(field), name): []}
    for place, items in places.items():
        layer = config.origin(field, items[0]) if items else config.origin(field)
        yield Setting(name, toml(items), _place(layer, items[0] if items else name) if place != "default" else place)


def _of_option(config: Config, rule: str, name: str) -> Layer | None:
    layers = (a for a in reversed(config.layers) if name in a.fields.get("rules", {}).get(rule, {}))
    return next(layers, None)


def _place(layer: Layer | None, word: str) -> str:
    if layer is None:
        return "default"
    path, line = place_of(layer, word)
    return f"{path}:{line}" if line is not None else path or layer.origin


# --------------------------------------------------------------------------------------------------------------- rules
def reasons(config: Config, infos: Iterable[RuleLike]) -> list[tuple[str, bool, str]]:
    """For each rule its name, whether it runs, and why, in a few words."""
    rules = list(infos)
    decisions = decide(config, rules)
    return [(rule.name, decisions[rule.name].on, _why(config, rule, decisions[rule.name])) for rule in rules]


def _why(config: Config, rule: RuleLike, decision: Decision) -> str:
    if decision.selector:
        layer = config.origin(decision.key.replace("-", "_"), decision.selector)
        return f"`{decision.selector}` in `{decision.key}` ({_place(layer, decision.selector)})"
    if decision.key == "min-confidence":
        place = _place(config.origin("min_confidence"), "min-confidence")
        return f"its confidence is {rule.confidence}, `min-confidence` is {config.min_confidence} ({place})"
    shown = {"regular"} | ({"pedantic"} if config.pedantic else set()) | ({"auditor"} if config.auditor else set())
    if rule.persona not in shown:
        return f"it is for persona {rule.persona}: `--{rule.persona}` switches it on"
    if "DEFAULT" in config.select and config.edition:
        return f"it came after edition {config.edition} ({_place(config.origin('edition'), 'edition')})"
    return "no selector is about it"


def toml(value: Any) -> str:
    """A value as it is written in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f" {toml(key)} = {toml(item)}" for key, item in value.items()) + " }"
    return "[" + ", ".join(toml(item) for item in value) + "]"
