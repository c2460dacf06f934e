"""`mllint rules`: what there is, as a table or as JSON."""

from __future__ import annotations

from mllint.cli.command import Command, Words, color, option
from mllint.cli.terminal import OK, emit, folding, style

__all__ = ["command"]


def main(output_format: str, color: str) -> int:
    """Run the command; gives the exit code."""
    from mllint.catalogue import pages

    infos = pages.rules().values()
    if output_format == "json":
        import json

        names = ("name", "type", "default", "doc")
        options = {info.name: [dict(zip(names, row, strict=True)) for row in info.options] for info in infos}
        found = [{**info._asdict(), "options": options[info.name], "url": info.url} for info in infos]
        emit([json.dumps(found, indent=2)])
        return OK
    from mllint.report import page

    rows = [(info.name, info.family, info.severity, info.persona, info.headline) for info in infos]
    emit(page.table(("rule", "family", "severity", "persona", "summary"), rows, style(color), folding()))
    return OK


command = Command(
    "rules",
    params=[
        option("-f --output-format", "how to print them", "FORMAT", kind=Words(("full", "json")), default="full"),
        color(),
    ],
    help="List the rules.",
    epilog="The rules of a family: mllint explain loss. The page of a rule: mllint explain double-softmax.",
    callback=main,
)
"""The command."""
