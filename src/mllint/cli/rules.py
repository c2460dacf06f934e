"""`mllint rules`: what there is, as a table or as JSON."""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING
from mllint.console import OK, emit, folding, sentence, style

if TYPE_CHECKING:
    from mllint.options import Parser

__all__ = ["main", "parser"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    options = parser().parse(arguments)

    from mllint.catalogue import pages as catalogue

    infos = catalogue.rules().values()
    if options.output_format == "json":
        import json

        names = ("name", "type", "default", "doc")
        options = {info.name: [dict(zip(names, row, strict=True)) for row in info.options] for info in infos}
        found = [{**info._asdict(), "options": options[info.name], "url": info.url} for info in infos]
        emit([json.dumps(found, indent=2)])
        return OK
    from mllint.report import page

    rows = [(info.name, info.family, info.severity, info.persona, sentence(info.summary)) for info in infos]
    emit(page.table(("rule", "family", "severity", "persona", "summary"), rows, style(options.color), folding()))
    return OK


def parser() -> Parser:
    """The options."""
    from mllint.declared import Option
    from mllint.options import Parser, add_color

    parser = Parser("rules", "[OPTIONS]", "List the rules.")
    parser.epilog = "Those of a family: mllint explain loss. The page of one: mllint explain double-softmax."
    parser.declare([Option("--output-format", "how they are printed", "FORMAT", choices=("full", "json"))])
    add_color(parser)
    return parser
