"""Which settings hold in this run? The configuration, and the command line above it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mllint.project.environment import AUTOMATIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mllint.cli.options import Options
    from mllint.config.model import Config

__all__ = ["names", "settings_for"]


def settings_for(options: Options) -> Config:
    """The settings of a run: the configuration with what the command line says on top.

    Args:
        options: what the command line says.

    Returns:
        The settings of all paths.

    Raises:
        MllintError: the configuration is broken, or the command line names a rule that does not exist.
    """
    from mllint.config.load import load as load_config

    paths = [options.stdin_filename or "."] if options.paths == ("-",) else options.paths
    paths = [options.context] if options.context else paths
    settings = load_config(paths, options.isolated, options.config)
    return settings.merge(
        select=names(options.select),
        ignore=names((*options.ignore, *options.extend_ignore)),
        extend_select=names(options.extend_select),
        per_file_ignores=_ignores(options.per_file_ignores),
        exclude=names(options.exclude),
        extend_exclude=names(options.extend_exclude),
        respect_gitignore=options.respect_gitignore,
        pedantic=options.pedantic,
        auditor=options.auditor,
        min_confidence=options.min_confidence,
        fail_on=options.fail_on,
        baseline=os.path.abspath(options.baseline) if options.baseline else None,
        output_format=options.output_format or None,
        environment=_environment(options.environment),
    )


def _ignores(given: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    """What `--per-file-ignores GLOB:RULES` says; the globs count from the folder of the configuration."""
    parted = (value.rpartition(":") for value in given)
    return tuple((glob, names((rules,)) or ()) for glob, _, rules in parted) or None


def _environment(given: str | None) -> str | None:
    return os.path.abspath(given) if given not in (None, AUTOMATIC) else given


def names(values: Sequence[str]) -> tuple[str, ...] | None:
    """The names in values of an option that takes several, separated by commas; None for none."""
    if not values:
        return None
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())
