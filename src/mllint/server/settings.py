"""What may an editor configure, and which configuration holds for a folder?

    {"configuration": "tools/mllint.toml", "select": ["loss"], "ignore": ["unseeded-shuffle"], "extendSelect": [],
     "pedantic": true, "diagnosticMode": "workspace"}

They go on top of the configuration files, as options of `mllint check` do. A setting that does not exist, or has the
wrong type, is said and left out; so is a configuration that cannot be read: the server goes on with the one before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.config.load import load as load_config
from mllint.config.model import Config
from mllint.config.schema import is_strings
from mllint.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MODES", "Settings", "config_of"]

MODES = ("openFilesOnly", "workspace")
_LISTS = {"select": "select", "ignore": "ignore", "extendSelect": "extend_select"}
_KNOWN = (*_LISTS, "configuration", "pedantic", "diagnosticMode")


class Settings(NamedTuple):
    """What the editor configures; `mode` is empty where it says nothing."""

    options: Mapping[str, Any] = {}  # never written to
    configuration: str = ""
    mode: str = ""

    @classmethod
    def read(cls, given: object, complain: Callable[[str], None]) -> Settings:
        """Read what a client has sent.

        Args:
            given: the object; `{"mllint": {...}}` and `{"settings": {...}}` are taken apart.
            complain: is told what is wrong, in a sentence.
        """
        for wrapper in ("mllint", "settings", "mllint"):
            if isinstance(given, dict) and isinstance(given.get(wrapper), dict):
                given = given[wrapper]
        if not isinstance(given, dict):
            return cls()
        found = cls()
        options: dict[str, Any] = {}
        for name, value in given.items():
            problem = ""
            if value is None or value == "":
                continue
            if name in _LISTS:
                if is_strings(value):
                    options[_LISTS[name]] = tuple(value)
                else:
                    problem = f"`{name}` takes a list of names"
            elif name == "pedantic" and isinstance(value, bool):
                options["pedantic"] = value
            elif name == "configuration" and isinstance(value, str):
                found = found._replace(configuration=value)
            elif name == "diagnosticMode" and value in MODES:
                found = found._replace(mode=value)
            elif name in _KNOWN:
                problem = f"`{name}` cannot be {value!r}"
            else:
                problem = f"there is no setting `{name}`{did_you_mean(name, _KNOWN)}"
            if problem:
                complain(f"settings: {problem}")
        return found._replace(options=options)


def config_of(paths: Sequence[str], settings: Settings) -> Config:
    """The configuration of a folder, with the settings of the editor on top.

    Raises:
        MllintError: it cannot be read.
    """
    given = [os.path.join(paths[0], os.path.expanduser(settings.configuration))] if settings.configuration else []
    return load_config(paths, given=given).merge(**settings.options)
