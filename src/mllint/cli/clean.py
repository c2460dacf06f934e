"""`mllint clean [PATHS]...`: forget what the cache holds."""

from __future__ import annotations

from mllint.cli.command import Command, option, paths
from mllint.cli.terminal import OK, emit

__all__ = ["command"]


def main(paths: tuple[str, ...], cache_dir: str | None, isolated: bool) -> int:
    """Run the command; gives the exit code."""
    from mllint.config.load import load as load_config
    from mllint.engine import cache

    folder = cache.folder_for(cache_dir, load_config(paths, isolated))
    emit([f"Removed {folder}" if cache.clean(folder) else f"There is no cache at {folder}"])
    return OK


command = Command(
    "clean",
    params=[
        paths("as for `mllint check`"),
        option("--cache-dir", "remove this one", "DIR", env="MLLINT_CACHE_DIR"),
        option("--isolated", "ignore all configuration files", env="MLLINT_ISOLATED"),
    ],
    help="Remove the cache of these paths.",
    callback=main,
)
"""The command."""
