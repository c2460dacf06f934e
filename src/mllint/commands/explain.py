"""`mllint explain [RULE]`: the page of a rule for the terminal, or all rules by family."""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING
from mllint.console import OK, emit, sentence, style
from mllint.errors import MllintError, UsageError, did_you_mean

if TYPE_CHECKING:
    from mllint.options import Parser

__all__ = ["main", "parser"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    options = parser().parse(arguments)

    from mllint import catalogue
    from mllint.report import page

    look = style(options.color)
    infos = catalogue.rules()
    if options.rule is None:
        emit(page.listing([(info.family, info.name, sentence(info.summary)) for info in infos.values()], look))
        return OK
    names = {name: info for info in infos.values() for name in (*info.aliases, info.name)}
    if options.rule not in names:
        hint = did_you_mean(options.rule, names)
        raise UsageError(f"there is no rule `{options.rule}`{hint or '; `mllint rules` lists them'}")
    info = names[options.rule]
    try:
        text = catalogue.page(info)
    except OSError as error:
        raise MllintError(f"the page of `{info.name}` is not installed: {error}") from None
    facts = (info.family, info.severity, f"{info.confidence} confidence", info.persona, *info.frameworks)
    emit(page.render(text, facts, look))
    return OK


def parser() -> Parser:
    """The options."""
    from mllint.options import Parser, add_color

    parser = Parser("explain", "[OPTIONS] [RULE]", "Show the page of a rule, or list the rules by family.")
    parser.add_argument("rule", nargs="?", metavar="RULE", help="the rule's name, as findings show it")
    add_color(parser)
    return parser
