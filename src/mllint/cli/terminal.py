"""Where does what the commands print go, how wide may it be and may it be coloured?

Findings and tables go to stdout (`emit`), all else to stderr (`complain`). Who reads through a pipe may hang up, a
stream may be closed, and its encoding may lack characters of the user's code: none of that is an error of ours.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from mllint.neutral import clean, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mllint.report.style import Style

__all__ = [
    "FAILED", "FINDINGS", "INTERRUPTED", "OK", "close_pipe", "complain", "emit", "folding", "prepare",
    "style", "tell", "width",
]  # fmt: skip

OK, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
"""The exit codes."""
WIDTH = 140
"""Columns where there is no terminal to ask."""
_LINKING = frozenset("iterm.app wezterm vscode ghostty hyper tabby rio kitty alacritty foot contour".split())


def prepare() -> None:
    """Make the standard streams fit to be written to, whatever they are."""
    import codecs

    codecs.register_error("mllint", _replaced)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us; the exit code tells all the same
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (open as long as we are)
        getattr(getattr(sys, name), "reconfigure", _nothing)(errors="mllint")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that a stream lacks: as wide as they are, so that what is drawn stays in place."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    from unicodedata import combining, east_asian_width

    found = ""
    for character in error.object[error.start : error.end]:
        if "\ud800" <= character <= "\udfff":  # a byte of a path that is no text
            found += f"\\u{ord(character):04x}"
        elif not combining(character):
            found += "??" if east_asian_width(character) in "WF" else "?"
    return found, error.end


def _nothing(**_: object) -> None:
    """Stands in for what a replaced stream does not offer."""


def style(color: str) -> Style:
    """The style that `--color auto|always|never` means for stdout."""
    from mllint.report.style import COLOURED, LINKED, PLAIN

    environment = os.environ
    terminal = sys.stdout.isatty() and environment.get("TERM") != "dumb"
    if color == "auto":
        wanted = not environment.get("NO_COLOR") and (bool(environment.get("FORCE_COLOR")) or terminal)
    else:
        wanted = color == "always"
    if not wanted:
        return PLAIN
    return LINKED if _shows_links(terminal) else COLOURED


def _shows_links(terminal: bool) -> bool:
    """Whether the terminal is one that is known to show hyperlinks (OSC 8); `FORCE_HYPERLINK` knows better."""
    environment = os.environ
    forced = environment.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    if not terminal or environment.get("CI"):
        return False
    version = environment.get("VTE_VERSION", "")
    return (
        (version.isdecimal() and int(version) >= 5000)
        or any(environment.get(name) for name in ("WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "KITTY_WINDOW_ID"))
        or environment.get("TERM_PROGRAM", "").lower() in _LINKING
        or environment.get("TERM", "").partition("-")[2] in _LINKING
        or environment.get("TERM", "") in _LINKING
    )


def width() -> int:
    """The columns of the terminal, or of `COLUMNS`."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH


def folding() -> int:
    """The columns in which the rows of a table have to fit; 0 if no terminal shows them."""
    return width() if sys.stdout.isatty() else 0


def emit(lines: Iterable[str], *, utf8: bool = False, raw: bool = False) -> None:
    """Print lines; who has heard enough (`| head`) may hang up.

    Args:
        lines: without line ends.
        utf8: a program reads them, and expects UTF-8 whatever a terminal would use.
        raw: they are printed as they are; else without what controls a terminal or a runner (`neutral.printable`).
    """
    if utf8:
        getattr(sys.stdout, "reconfigure", _nothing)(encoding="utf-8", errors="mllint")
    try:
        for line in lines:
            sys.stdout.write(f"{line if raw else printable(line)}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        close_pipe()


def close_pipe() -> None:
    """Let what is still to be printed go nowhere."""
    # What is still in the buffer has nowhere to go: without this the interpreter complains about it at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Say something that is no finding."""
    tell([f"mllint: {clean(text)}"])


def tell(lines: Iterable[str]) -> None:
    """Print lines to stderr; if nobody listens any more, to nobody."""
    try:
        sys.stderr.writelines(f"{printable(line)}\n" for line in lines)
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (open as long as we are)
