"""How is a command line parsed that is not plainly correct, and what does `--help` say?

Parsers are argparse's, each command builds its own. An error names the user's own word and the nearest one that exists.
"""

from __future__ import annotations

import argparse

from mllint._typing import TYPE_CHECKING, Any, NoReturn
from mllint.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Parser", "add_color", "choice", "count"]

MOST_JOBS = 256


class Parser(argparse.ArgumentParser):
    """A parser that knows the nearest option to a misspelt one and reports errors as ours."""

    def __init__(self, command: str, usage: str, description: str) -> None:
        super().__init__(
            f"mllint {command}",
            f"mllint {command} {usage}".rstrip(),
            description=description,
            # With a width of its own the formatter, made for each option, asks no terminal and loads no `shutil`.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=32, width=110),
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "))

    def parse(self, arguments: list[str], options: Any = None) -> Any:
        """Set the attributes of an object to what is asked for.

        Args:
            arguments: the command line behind the command.
            options: the object, with what holds for options that are not there; a new one by default.

        Returns:
            The object.

        Raises:
            UsageError: an option does not exist, or is not given what it takes.
        """
        options, unknown = self.parse_known_intermixed_args(arguments, options)
        for word in unknown:
            option = word.partition("=")[0]
            known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
            kind = "option" if option.startswith("-") else "argument"
            hint = did_you_mean(option, known) if kind == "option" else ""
            raise UsageError(f"unknown {kind} `{option}`{hint or f'; `{self.prog} --help` lists them'}")
        return options


def choice(choices: Sequence[str]) -> Callable[[str], str]:
    """The type of an option that takes one of a few words."""

    def checked(value: str) -> str:
        if value in choices:
            return value
        hint = did_you_mean(value, choices)
        raise argparse.ArgumentTypeError(f"`{value}` is not one of {', '.join(choices)}{hint}")

    return checked


def count(value: str) -> str:
    """The type of an option that takes a number of processes, or leaves it to us."""
    if value != "auto" and not (value.isdecimal() and 0 < int(value) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"`{value}` is neither auto nor a number from 1 to {MOST_JOBS}")
    return value


def add_color(parser: argparse.ArgumentParser) -> None:
    """Add `--color`."""
    choices = ("auto", "always", "never")
    parser.add_argument("--color", type=choice(choices), default="auto", metavar="WHEN", help="|".join(choices))
