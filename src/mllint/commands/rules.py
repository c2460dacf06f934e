"""`mllint rules`: what there is, as a table or as JSON."""

from __future__ import annotations

from mllint.console import OK, emit, sentence, style

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Run the command; gives the exit code."""
    from mllint.options import Parser, add_color, choice

    parser = Parser("rules", "[OPTIONS]", "List the rules.")
    formats = ("full", "json")
    parser.add_argument("--output-format", type=choice(formats), default="full", metavar="FORMAT", help="full|json")
    add_color(parser)
    options = parser.parse(arguments)

    from mllint import catalogue

    infos = catalogue.rules().values()
    if options.output_format == "json":
        import json

        emit([json.dumps([info._asdict() for info in infos], indent=2)])
        return OK
    from mllint.report import page

    rows = [(info.name, info.family, info.severity, info.persona, sentence(info.summary)) for info in infos]
    emit(page.table(("rule", "family", "severity", "persona", "summary"), rows, style(options.color)))
    return OK
