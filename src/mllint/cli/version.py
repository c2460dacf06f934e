"""`mllint version`: which mllint this is, and with `--verbose` where it runs and how it was built."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING

from mllint.cli.command import Command, option
from mllint.cli.terminal import OK, complain, emit
from mllint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["command", "lines", "other_program"]

_NAME, _OTHER = "mllint-check", "mllint"
"""The distribution of this program, and the one of another program with a package of the same name."""


def main(*, verbose: bool) -> int:
    """Run the command; gives the exit code."""
    emit(lines(verbose=verbose))
    other = other_program()
    if other:
        complain(f"warning: {other}")
    return OK


def lines(*, verbose: bool = False) -> Iterator[str]:
    """The version.

    Args:
        verbose: also the build, the interpreter, and the folders of the package and its stubs.
    """
    yield f"mllint {__version__}"
    if verbose:
        import mllint
        from mllint.semantics.values import evaluate

        home = os.path.dirname(os.path.abspath(mllint.__file__))
        stubs = os.path.join(home, "stubs")
        count = sum(name.endswith(".pyi") for _, _, names in os.walk(stubs) for name in names)
        pure = evaluate.__file__.endswith(".py")
        yield f"build   {'pure Python' if pure else 'compiled with mypyc'}"
        yield f"python  {platform.python_implementation()} {platform.python_version()}, {sys.executable}"
        yield f"mllint  {home}"
        yield f"stubs   {stubs}, {count} files"


def other_program() -> str:
    """What is wrong where the other distribution called mllint is installed beside this one, otherwise empty."""
    from importlib import metadata

    try:
        found = metadata.version(_OTHER)
    except metadata.PackageNotFoundError:
        return ""
    return (
        f"the distribution `{_OTHER}` {found}, another program, is installed in this environment, and both have a "
        f"package `mllint`: run `pip uninstall {_OTHER}`, then `pip install --force-reinstall {_NAME}`"
    )


command = Command(
    "version",
    params=[option("-v --verbose", "also show the build, the interpreter and the folders")],
    help="Show the version.",
    callback=main,
)
"""The command."""
