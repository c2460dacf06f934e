"""What a configuration asks for in its files: which rules, with which options, and for whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mllint.catalogue import pages
from mllint.config.model import Config

__all__ = ["Demand", "options_of"]


class Demand(NamedTuple):
    """What a configuration asks for in its files.

    Args:
        config: the configuration.
        selected: names of the rules to run.
        pedantic: report findings that are not certain as well.
        options: what each rule that has options is told.
    """

    config: Config
    selected: frozenset[str]
    pedantic: bool
    options: Mapping[str, dict[str, Any]]


def options_of(config: Config, infos: Iterable[pages.RuleInfo]) -> dict[str, dict[str, Any]]:
    """What each rule that has options is told: what the configuration says, else what its page says."""
    found = {}
    for info in (info for info in infos if info.options):
        found[info.name] = {name: default for name, _, default, _ in info.options}
        for name in (*info.aliases, info.name):
            found[info.name].update(config.rules.get(name, {}))
    return found
