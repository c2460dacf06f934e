"""`mllint server`: the language server, on standard input and output."""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING
from mllint.console import FAILED, complain

if TYPE_CHECKING:
    from mllint.options import Parser

__all__ = ["main", "parser"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    parser().parse(arguments)
    try:
        from mllint.server.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        complain("error: the language server needs pygls: run `pip install 'trainlint[server]'`")
        return FAILED
    return serve()


def parser() -> Parser:
    """The options."""
    from mllint.options import Parser

    parser = Parser("server", "[--stdio]", "Be a language server: talk to an editor on standard input and output.")
    parser.add_argument("--stdio", action="store_true", help="what it does anyhow; many editors add it")
    return parser
