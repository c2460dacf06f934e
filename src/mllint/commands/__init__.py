"""The commands of the command line, a module each, with a `main(arguments)` that gives the exit code."""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS = frozenset("check baseline explain rules trace clean config init completions server".split())
"""The modules of this package that are commands."""
