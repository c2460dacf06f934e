"""`mllint trace FILE[:FUNCTION]`: the training loop as mllint understands it, for whoever wonders about a finding."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.cli.command import Checked, Command, Words, argument, color, option
from mllint.cli.terminal import OK, emit, style

if TYPE_CHECKING:
    from mllint.engine.trace import Row, Story
    from mllint.report.style import Style

__all__ = ["command"]


def main(target: str, isolated: bool, output_format: str, color: str) -> int:
    """Run the command; gives the exit code."""
    from mllint.config.load import load as load_config
    from mllint.engine import trace as traced

    path, function = _target(target)
    found = traced.stories(path, function, load_config([path], isolated))
    if output_format == "svg":
        from mllint.report.drawing import draw

        emit([draw(found).rstrip("\n")], utf8=True)
        return OK
    emit(_lines(found, path, function, style(color)))
    return OK


def _target(target: str) -> tuple[str, str]:
    """The file and the function that are meant; a file may have a colon in its name."""
    path, colon, function = target.rpartition(":")
    return (target, "") if not colon or os.path.exists(target) or os.sep in function else (path, function)


def _lines(found: list[Story], path: str, function: str, look: Style) -> Iterator[str]:
    if not any(story.rows for story in found):
        yield f"Nothing that mllint follows happens in `{function or path}`"
    for index, story in enumerate(story for story in found if story.rows):
        if index:
            yield ""
        yield look(f"{story.name} ({story.path}:{story.place})" if story.name else story.path, "strong")
        yield from _table(story, look)
        if not story.complete:
            yield "  ... and more: this was too long to be followed to its end"


def _table(story: Story, look: Style) -> Iterator[str]:
    places = [_short(row, story.path) for row in story.rows]
    phrases = ["  " * row.depth + row.what for row in story.rows]
    first, second = max(map(len, places)), min(max(map(len, phrases)), 48)
    for row, place, phrase in zip(story.rows, places, phrases, strict=True):
        remarks = look(f"  ({', '.join(row.remarks)})", "dim") if row.remarks else ""
        yield f"  {look(place.rjust(first), 'frame')}  {phrase.ljust(second)}  {row.code}{remarks}"


def _short(row: Row, own: str) -> str:
    """The line alone where the file is that of the story; else with the name of the file."""
    return row.place if row.path == own else f"{os.path.basename(row.path)}:{row.place}"


command = Command(
    "trace",
    params=[
        argument(
            "target",
            "FILE[:FUNCTION]",
            "a file, and the function to start at (default: each that nothing in the project calls)",
            type=Checked(splits=False),
        ),
        option("--isolated", "ignore all configuration files", env="MLLINT_ISOLATED"),
        option("-f --output-format", "as text or as a picture", "FORMAT", kind=Words(("text", "svg")), default="text"),
        color(),
    ],
    help="Show a training loop as mllint understands it: what happens, in which order, in which loop.",
    callback=main,
)
"""The command."""
