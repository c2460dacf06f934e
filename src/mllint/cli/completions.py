"""`mllint completions bash|zsh|fish`: a script for the shell."""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING, Any
from mllint.console import OK, emit
from mllint.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from mllint.completions import Command
    from mllint.options import Parser

__all__ = ["main", "parser"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    options = parser().parse(arguments)

    from mllint.completions import SHELLS, script

    if options.shell not in SHELLS:
        wanted = ", ".join(SHELLS)
        if options.shell is None:
            raise UsageError(f"`mllint completions` takes one of {wanted}")
        raise UsageError(f"`{options.shell}` is not one of {wanted}{did_you_mean(options.shell, SHELLS)}")
    emit([script(options.shell, commands())], utf8=True)
    return OK


def parser() -> Parser:
    """The options."""
    from mllint.options import Parser

    parser = Parser("completions", "bash|zsh|fish", "Print a script that completes command lines of mllint.")
    parser.add_argument("shell", nargs="?", metavar="bash|zsh|fish", help="the shell that reads it")
    parser.epilog = 'For bash: eval "$(mllint completions bash)" in ~/.bashrc.'
    return parser


def commands() -> list[Command]:
    """All commands, as their parsers tell them."""
    from mllint.catalogue import pages as catalogue
    from mllint.commands import COMMANDS
    from mllint.completions import Command, command_of, known_words
    from mllint.config.schema import KEYS

    words = known_words(catalogue.rules().values(), [key.name for key in KEYS])
    found = []
    for name in sorted(COMMANDS):
        module: Any = __import__(f"mllint.commands.{name}", fromlist=["parser"])
        found.append(command_of(name, module.parser(), words))
    return [*found, Command("version", "Show the version.", [], [])]
