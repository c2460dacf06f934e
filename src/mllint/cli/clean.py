"""`mllint clean [PATHS]...`: forget what the cache holds."""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING
from mllint.console import OK, emit

if TYPE_CHECKING:
    from mllint.options import Parser

__all__ = ["main", "parser"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    options = parser().parse(arguments)

    from mllint.config.load import load as load_config
    from mllint.engine import cache

    folder = cache.folder_for(options.cache_dir, load_config(options.paths, options.isolated))
    emit([f"Removed {folder}" if cache.clean(folder) else f"There is no cache at {folder}"])
    return OK


def parser() -> Parser:
    """The options."""
    from mllint.options import Parser

    parser = Parser("clean", "[OPTIONS] [PATHS]...", "Remove the cache that checking these paths has left.")
    parser.add_argument("paths", nargs="*", metavar="PATHS", help="as for `mllint check`")
    parser.add_argument("--cache-dir", metavar="DIR", help="remove this one")
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    return parser
