"""Where does what the commands print go, how wide may it be and may it be coloured?

Findings and tables go to stdout (`emit`), all else to stderr (`complain`). Who reads through a pipe may hang up.
"""

from __future__ import annotations

import os
import sys

from mllint._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mllint.report.style import Style

__all__ = ["FAILED", "FINDINGS", "INTERRUPTED", "OK", "close_pipe", "complain", "emit", "sentence", "style", "width"]

OK, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
"""The exit codes."""
WIDTH = 140
"""Columns where there is no terminal to ask."""


def style(color: str) -> Style:
    """The style that `--color auto|always|never` means for stdout."""
    from mllint.report.style import COLOURED, PLAIN

    if color == "auto":
        environment = os.environ
        if environment.get("NO_COLOR"):
            return PLAIN
        if environment.get("FORCE_COLOR"):
            return COLOURED
        return COLOURED if sys.stdout.isatty() and environment.get("TERM") != "dumb" else PLAIN
    return COLOURED if color == "always" else PLAIN


def width() -> int:
    """The columns of the terminal, or of `COLUMNS`."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH


def sentence(text: str) -> str:
    """The first sentence, as one line of a table."""
    head, end, _ = text.partition(". ")
    return head + end.rstrip()


def emit(lines: Iterable[str]) -> None:
    """Print lines; who has heard enough (`| head`) may hang up."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        close_pipe()


def close_pipe() -> None:
    """Let what is still to be printed go nowhere."""
    # What is still in the buffer has nowhere to go: without this the interpreter complains about it at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Say something that is no finding."""
    sys.stderr.write(f"mllint: {text}\n")
