"""Which options does a command have? One table for each, from which its command line is read, helped and completed.

    OPTIONS = (
        Option("--select", "only these rules", "RULES", many=True, group="Selection"),
        Option("-q --quiet", "show findings only", group="Output"),
    )

A command line in which nothing is odd is read by `plainly`, since argparse costs as much as parsing a file does. All
others, help and mistakes go to argparse, which `options.Parser.declare` tells the same table. Nothing here knows a
command, and nothing is imported.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["COLOR", "Option", "plainly", "problem"]


class Option(NamedTuple):
    """One option.

    Args:
        names: how it is written, separated by spaces, the long name last.
        help: a phrase for the help and the documentation; its choices are put behind it.
        takes: what to call its value there; empty for a switch, which takes none.
        many: it may be given several times, and all values count.
        choices: the words that it takes; empty for any.
        refuses: gives a sentence about a value that is wrong, empty for one that is right.
        bare: what it means without a value, which is then written behind `=`; None where a value is needed.
        group: the heading under which the help shows it.
    """

    names: str
    help: str
    takes: str = ""
    many: bool = False
    choices: Sequence[str] = ()
    refuses: Callable[[str], str] | None = None
    group: str = ""
    bare: str | None = None

    @property
    def long(self) -> str:
        """Its long name: `--output-format`."""
        return self.names.rpartition(" ")[2]

    @property
    def phrase(self) -> str:
        """Its help, with its choices."""
        return f"{self.help}: {'|'.join(self.choices)}" if self.choices and not self.refuses else self.help

    @property
    def field(self) -> str:
        """The attribute that holds what was asked for: `output_format`."""
        return self.long[2:].replace("-", "_")


COLOR = Option("--color", "when to colour", "WHEN", choices=("auto", "always", "never"))


def problem(option: Option, value: str) -> str:
    """What is wrong with the value of an option, in a sentence; empty if nothing is."""
    if option.refuses is not None:
        return option.refuses(value)
    if not option.choices or value in option.choices:
        return ""
    from mllint.errors import did_you_mean

    hint = did_you_mean(value, option.choices)
    return f"`{value}` is not one of {', '.join(option.choices)}{hint}"


def plainly(arguments: Sequence[str], table: Sequence[Option], options: Any) -> bool:
    """Read a command line that is plainly correct.

    Args:
        arguments: the words behind the command.
        table: the options that there are.
        options: gets what is asked for as attributes, and all other words as `paths`.

    Returns:
        False if something is odd, so that a real parser has to look at it; `options` is then of no use.
    """
    known = {name: option for option in table for name in option.names.split()}
    paths: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "-" or not word.startswith("-"):
            paths.append(word)
            continue
        name, separator, value = word.partition("=")
        option = known.get(name)
        if option is None and word[:2] in known and known[word[:2]].takes:  # `-j4`
            option, separator, value = known[word[:2]], word[:2], word[2:]
        if option is None or (separator and not option.takes):
            return False
        if not option.takes:
            setattr(options, option.field, True)
            continue
        if not separator:
            value = next(words, "-") if option.bare is None else option.bare
        if value.startswith("-") or problem(option, value):
            return False
        before = getattr(options, option.field) or ()
        setattr(options, option.field, [*before, value] if option.many else value)
    options.paths = paths
    return True
