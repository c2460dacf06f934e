"""How is a command line parsed that is not plainly correct, and what does `--help` say?

Parsers are argparse's, each command builds its own. An error names the user's own word and the nearest one that exists.
"""

from __future__ import annotations

import argparse

from mllint._typing import TYPE_CHECKING, Any, NoReturn
from mllint.console import width
from mllint.declared import COLOR, Option, problem
from mllint.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Parser", "add_color"]


class Parser(argparse.ArgumentParser):
    """A parser that knows the nearest option to a misspelt one and reports errors as ours."""

    def __init__(self, command: str, usage: str, description: str) -> None:
        columns = min(110, width())
        super().__init__(
            f"mllint {command}",
            f"mllint {command} {usage}".rstrip(),
            description=description,
            # With a width of its own the formatter, made for each option, asks no terminal and loads no `shutil`.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=32, width=columns),
            allow_abbrev=False,
        )
        self._bare: dict[str, str] = {}
        self.declared: dict[str, Option] = {}
        self.absent: dict[str, str] = {}
        """Options that people know from other programs, each with a phrase that says what there is instead."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "))

    def declare(self, table: Sequence[Option]) -> None:
        """Add the options of a table, under its headings. What holds without them is the business of who parses."""
        groups: dict[str, Any] = {"": self}
        for option in table:
            group = groups.get(option.group) or groups.setdefault(option.group, self.add_argument_group(option.group))
            extra: dict[str, Any] = {"action": "store_true"}
            self.declared[option.field] = option
            if option.takes:
                words = None if option.refuses else option.choices or None
                extra = {"action": "append" if option.many else "store", "metavar": option.takes, "choices": words}
                extra["type"] = _type(option)
                if option.bare is not None:
                    extra["metavar"] = f"[={option.takes}]"  # behind a space it would be a path
                    self._bare.update((name, f"{name}={option.bare}") for name in option.names.split())
            group.add_argument(*option.names.split(), dest=option.field, help=option.phrase, **extra)

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
        end = arguments.index("--") if "--" in arguments else len(arguments)
        told = [self._bare.get(word, word) for word in arguments[:end]]
        # what stands behind is no option, which argparse does not believe of a hyphen
        told += [f"./{word}" if word[:1] == "-" != word else word for word in arguments[end + 1 :]]
        options, unknown = self.parse_known_intermixed_args(told, options)
        for word in unknown:
            option = word.partition("=")[0]
            known = [name[2:] for action in self._actions for name in action.option_strings if name.startswith("--")]
            kind = "option" if option.startswith("-") else "argument"
            meant = nearest(option.lstrip("-"), known) if kind == "option" else None  # hyphens alone are no likeness
            hint = f", did you mean `--{meant}`?" if meant else f"; `{self.prog} --help` lists them"
            hint = f": {self.absent[option]}" if option in self.absent else hint
            raise UsageError(f"unknown {kind} `{option}`{hint}")
        return options


def add_color(parser: Parser) -> None:
    """Add `--color`."""
    parser.declare([COLOR])
    parser.set_defaults(color="auto")


def _type(option: Option) -> Callable[[str], str]:
    def checked(value: str) -> str:
        wrong = problem(option, value)
        if wrong:
            raise argparse.ArgumentTypeError(wrong)
        return value

    return checked
