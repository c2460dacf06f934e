"""`mllint server`: the language server, on standard input and output."""

from __future__ import annotations

from mllint.cli.command import Command, option
from mllint.cli.terminal import FAILED, complain

__all__ = ["command"]


def main(stdio: bool) -> int:
    """Run the command; gives the exit code."""
    try:
        from mllint.server.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        complain("error: the language server needs pygls: run `pip install 'mllint-check[server]'`")
        return FAILED
    return serve()


command = Command(
    "server",
    params=[option("--stdio", "the default and only transport; many editors pass this option")],
    help="Start the language server on standard input and output.",
    callback=main,
)
"""The command."""
