"""Which rules run, and why: what the selectors of a configuration mean in a catalogue.

    select = ["DEFAULT", "loss"]            a rule, a family, ALL, DEFAULT, persona:<name>, framework:<name>
    ignore = ["unseeded-shuffle"]           the more specific selector wins, whichever list it is in
    per-file-ignores = { "tests/**" = ["ALL"] }

A selector or an option that names nothing is a `ConfigError` with the nearest name that exists. The catalogue is handed
in: nothing here knows a rule by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mllint.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from mllint.config.model import Config

__all__ = ["Decision", "RuleLike", "decide", "ignored_for", "resolve_all", "resolve_selection", "without_rules"]

_EXPECTED = ("keras", "tensorflow")
"""Frameworks that a configuration may name before there is a rule about them."""


class RuleLike(Protocol):
    """What selection has to know of a rule."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def persona(self) -> str: ...
    @property
    def confidence(self) -> str: ...
    @property
    def since(self) -> str: ...
    @property
    def frameworks(self) -> Sequence[str]: ...
    @property
    def aliases(self) -> Sequence[str]: ...
    @property
    def options(self) -> Sequence[tuple[str, str, Any, str]]: ...


class Decision(NamedTuple):
    """Whether a rule runs, and what decided that: a selector in the list of a key, or the key alone; neither if the
    rule is off because nothing selects it."""

    on: bool
    key: str = ""
    selector: str = ""


def resolve_selection(config: Config, infos: Iterable[RuleLike]) -> frozenset[str]:
    """The names of the rules that run.

    Raises:
        ConfigError: a selector, a table of options or an option names nothing that exists.
    """
    return frozenset(name for name, decision in decide(config, infos).items() if decision.on)


def decide(config: Config, infos: Iterable[RuleLike]) -> dict[str, Decision]:
    """For each rule, whether it runs and why.

    A more specific selector wins over a more general one (rule, family, persona or framework, ALL or DEFAULT); between
    equals `ignore` wins. DEFAULT, a family and a framework mean their rules of the personas that are asked for; DEFAULT
    only those of the edition; ALL, `persona:` and a rule's own name mean exactly what they say. A rule that is less
    sure than `min-confidence` never runs.

    Raises:
        ConfigError: as `resolve_selection`.
    """
    rules = list(infos)
    selectors = _Selectors(config, rules)
    for name, options in config.rules.items():
        if name not in selectors.names:
            selectors.refuse(name, "rules")
        selectors.check_options(name, options)
    for selector in [selector for _, names in config.per_file_ignores for selector in names]:
        selectors.level(selector, "per-file-ignores")
    listed = [(selector, "select") for selector in config.select]
    listed += [(selector, "extend-select") for selector in config.extend_select]
    listed += [(selector, "ignore") for selector in config.ignore]
    found = dict.fromkeys((rule.name for rule in rules), Decision(False))
    levels = [selectors.level(selector, key) for selector, key in listed]
    for level in range(4):
        for (selector, key), own in zip(listed, levels, strict=True):
            if own == level:
                names = selectors.matching(selector) if key == "ignore" else selectors.shown(selector)
                found.update(dict.fromkeys(names, Decision(key != "ignore", key, selector)))
    if config.min_confidence != "low":
        for rule in rules:
            if found[rule.name].on and _rank(rule.confidence) < _rank(config.min_confidence):
                found[rule.name] = Decision(False, "min-confidence")
    return found


def resolve_all(config: Config, infos: Iterable[RuleLike]) -> frozenset[str]:
    """The names of the rules that run somewhere: by these settings, or by nested ones.

    Raises:
        ConfigError: as `resolve_selection`.
    """
    rules = list(infos)
    return frozenset().union(*(resolve_selection(one, rules) for one in config.all))


def without_rules(config: Config, infos: Iterable[RuleLike]) -> list[str]:
    """The selectors of a configuration that name a framework about which there is no rule yet."""
    known = {f"framework:{framework}" for rule in infos for framework in rule.frameworks}
    early = {f"framework:{framework}" for framework in _EXPECTED} - known
    named = [selector for one in config.all for selector in (*one.select, *one.extend_select)]
    return [selector for selector in dict.fromkeys(named) if selector in early]


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
    from mllint.config.globs import glob_matches

    selectors = _Selectors(config, list(infos))
    relative = os.path.relpath(os.path.abspath(path), config.root or os.getcwd()).replace(os.sep, "/")
    ignored: set[str] = set()
    for pattern, names in config.per_file_ignores:
        for selector in names:
            selectors.level(selector, "per-file-ignores")
            if glob_matches(pattern, relative):
                ignored |= selectors.matching(selector)
    return frozenset(ignored)


class _Selectors:
    """What each selector means in one catalogue."""

    def __init__(self, config: Config, rules: list[RuleLike]) -> None:
        self._config = config
        self._rules = rules
        self._personas = {"regular", "pedantic"} if config.pedantic else {"regular"}
        if config.auditor:
            self._personas.add("auditor")
        self._newest = _edition(config)
        self.names = {name: rule.name for rule in rules for name in (*rule.aliases, rule.name)}
        self._families = {rule.family for rule in rules}
        self._traits = {f"persona:{persona}" for persona in ("regular", "pedantic", "auditor")}
        self._traits |= {f"framework:{framework}" for rule in rules for framework in (*rule.frameworks, *_EXPECTED)}

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
            return {r.name for r in self._rules if r.persona in self._personas and self._is_in_edition(r)}
        kind, _, value = selector.partition(":")
        if kind == "persona":
            return {rule.name for rule in self._rules if rule.persona == value}
        if kind == "framework":
            return {rule.name for rule in self._rules if value in rule.frameworks}
        return {rule.name for rule in self._rules if rule.family == selector}

    def _is_in_edition(self, rule: RuleLike) -> bool:
        return self._newest is None or _version(rule.since) <= self._newest

    def shown(self, selector: str) -> set[str]:
        """The rules that selecting it switches on."""
        found = self.matching(selector)
        if selector in self.names or selector == "ALL" or selector.startswith("persona:"):
            return found
        return found & {rule.name for rule in self._rules if rule.persona in self._personas}

    def check_options(self, name: str, options: Any) -> None:
        """Refuse options that a rule does not have, and values that they do not take."""
        from mllint.config.schema import wrong_option

        rule = next(rule for rule in self._rules if rule.name == self.names[name])
        wrong = wrong_option(name, options, rule.options)
        if wrong is not None:
            self._fail(wrong[1], "rules", name, wrong[0])

    def refuse(self, selector: str, key: str) -> None:
        """Say that a selector means nothing, and what it may have been meant to be."""
        known = {*self.names, *self._families, *self._traits, "ALL", "DEFAULT"} if key != "rules" else {*self.names}
        kind = "rule" if key == "rules" else "rule, family or selector"
        hint = did_you_mean(selector, known)
        message = f"`{selector}` in `{key}` is not a {kind}{hint or '; `mllint rules` lists them'}"
        self._fail(message, key, selector, selector)

    def _fail(self, message: str, key: str, item: str, word: str) -> None:
        from mllint.config.toml import place_of

        raise ConfigError(message, *place_of(self._layer(key.replace("-", "_"), item), word))

    def _layer(self, field: str, item: str) -> Any:
        if field == "per_file_ignores":
            for layer in self._config.layers:
                if any(item in names for _, names in layer.fields.get(field, ())):
                    return layer
        return self._config.origin(field, item)


def _rank(confidence: str) -> int:
    return ("low", "medium", "high").index(confidence)


def _edition(config: Config) -> tuple[int, ...] | None:
    from mllint.config.model import EDITIONS

    return _version(EDITIONS[config.edition]) if config.edition else None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
