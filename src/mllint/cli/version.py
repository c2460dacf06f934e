"""`mllint version`: which mllint this is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.cli.command import Command
from mllint.cli.terminal import OK, emit
from mllint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["command", "lines"]


def main() -> int:
    """Run the command; gives the exit code."""
    emit(lines())
    return OK


def lines() -> Iterator[str]:
    """The version."""
    yield f"mllint {__version__}"


command = Command("version", help="Show the version.", callback=main)
"""The command."""
