"""Which settings hold for a run, and which for a file of it?

The nearest of `.mllint.toml`, `mllint.toml` and a `pyproject.toml` with a `[tool.mllint]` table counts.

    load(paths)                      the settings of a run: looking upwards from the folder that holds everything
    settings.of("packages/a/x.py")   the settings of a file: a folder further down may have its own (`nested_in`)

A run asks `load` what becomes of its report, and `of` everything about a file. Who finds the files (`discovery`) meets
the nested configurations on the way. The versions of libraries that lock files name are the lowest layer.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from mllint.config.dependencies import find
from mllint.config.files import CONFIG_FILES, candidates, common_folder, read_file, shown
from mllint.config.model import Config, Layer
from mllint.config.toml import config_of, parse, table_of, with_given

__all__ = ["from_toml", "load", "nested_in"]


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
        settings = with_given(given, None if isolated else lambda: _nearest(paths))
    else:
        settings = _nearest(paths)
    return settings if isolated else _with_targets(settings, common_folder(paths))


def from_toml(text: str, path: str = "mllint.toml") -> Config:
    """Read a configuration from text, as it stands in `mllint.toml`.

    Raises:
        ConfigError: as `load`.
    """
    return config_of(path, text, parse(path, text))


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


def _nearest(paths: Sequence[str]) -> Config:
    found = (settings for path in candidates(paths) if (settings := _read(path)) is not None)
    return next(found, None) or Config(root=os.getcwd())


def _read(path: str) -> Config | None:
    """The settings that a file asks for; None if it is none, or a `pyproject.toml` that does not mention us."""
    text = read_file(path)
    if text is None:
        return None
    table = table_of(path, text)
    return None if table is None else config_of(path, text, table)


def _with_targets(settings: Config, folder: str) -> Config:
    """The settings with the versions that lock files and requirements name, below all else."""
    for name, target in find(folder).items():
        layer = Layer(shown(target.path), target.path, {"target_versions": {name: target.versions}})
        merged = {name: target.versions, **settings.target_versions}
        settings = settings._replace(target_versions=merged, layers=(layer, *settings.layers))
    return settings
