"""A training loop as a picture: the stories of `mllint trace` as SVG, a row for each event, a frame for each loop.

    train (train.py:3)
     5  +- for epoch in range(10):    each epoch
     6  |  +- for x, y in loader:     each batch
     8  |  |  o runs a model          model(x)

The colours say what a row is about: gradients, weights, modes, anything else. They are those that colour-blind readers
tell apart (Okabe and Ito), lighter where the reader's scheme is dark. Nothing is needed to draw it, and the
same stories give the same bytes. `data-path` and `data-place` of a row say where it is written, for editors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from mllint.neutral import clean

if TYPE_CHECKING:
    from mllint.engine.trace import Row, Story

__all__ = ["draw"]

_ROW, _STEP, _LETTER, _GAP = 22, 18, 7.3, 16
"""The height of a row, the width of a loop's frame, of a letter (at most), and of the space between columns."""
_COLOURS = {
    "gradient": ("accumulates_grad", "clears_grad", "clips_grad", "unscales_grad", "updates_scale", "hands_loss"),
    "weights": ("applies_grad", "fits", "ticks", "restores_state", "loads"),
    "mode": ("sets_mode", "sets_grad", "freezes"),
}
_STYLE = """\
text{font:13px monospace;fill:#24292f;white-space:pre}.name{font-weight:bold}.dim{fill:#6e7781}
.loop{fill:none;stroke:#8c959f}.other{fill:#8c959f}.gradient{fill:#0072b2}.weights{fill:#d55e00}.mode{fill:#cc79a7}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.gradient{fill:#56b4e9}.weights{fill:#e69f00}}"""


def draw(stories: Sequence[Story]) -> str:
    """The picture of stories, one below the other; those without rows are left out."""
    parts: list[str] = []
    width, y = 320.0, 8
    for story in stories:
        if story.rows:
            drawn = _Drawing(story, y)
            parts += drawn.parts()
            width, y = max(width, drawn.width), drawn.bottom + _ROW
    if not parts:
        parts, y = [_text(12, 24, "Nothing that mllint follows happens here", "dim")], 40
    size = f'width="{width:.0f}" height="{y}" viewBox="0 0 {width:.0f} {y}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>The training loop</title>'
    return "\n".join([head, f"<style>{_STYLE}</style>", *parts, "</svg>", ""])


class _Drawing:
    """One story, from a height on."""

    def __init__(self, story: Story, top: int) -> None:
        self.story, self.top = story, top
        self.places = [_short(row, story.path) for row in story.rows]
        self.gutter = 12 + max(map(len, self.places)) * _LETTER + _GAP
        ends = [self.gutter + row.depth * _STEP + len(row.what) * _LETTER for row in story.rows]
        self.codes = max(ends) + _STEP + _GAP
        self.width = self.codes + max(len(_words(row)) for row in story.rows) * _LETTER + _GAP
        self.bottom = top + _ROW * (len(story.rows) + 1 + (not story.complete))

    def parts(self) -> Iterator[str]:
        """The pieces of the picture: what is behind first."""
        story = self.story
        title = f"{story.name} ({story.path}:{story.place})" if story.name else story.path
        yield _text(12, self.top + 15, title, "name")
        yield from self._frames()
        for number, row in enumerate(story.rows, 1):
            yield from self._row(row, self.top + number * _ROW, self.places[number - 1])
        if not story.complete:
            yield _text(12, self.bottom - 7, "... and more: this was too long to be followed to its end", "dim")

    def _frames(self) -> Iterator[str]:
        """A frame around each loop, as far as its rows go."""
        rows = self.story.rows
        for first, row in enumerate(rows):
            if not row.kind:
                inside = (last for last, later in enumerate(rows) if last > first and later.depth <= row.depth)
                last = next(inside, len(rows))
                x, y = self.gutter + row.depth * _STEP - 6, self.top + (first + 1) * _ROW + 1
                width, height = self.width - x - 6 - row.depth * 4, (last - first) * _ROW - 2 - 2 * row.depth
                yield f'<rect class="loop" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="4"/>'

    def _row(self, row: Row, y: int, place: str) -> Iterator[str]:
        x = self.gutter + row.depth * _STEP
        yield f"<g data-path={quoteattr(clean(row.path))} data-place={quoteattr(row.place)}>"
        yield _text(12, y + 15, place, "dim")
        if row.kind:
            colour = next((name for name, kinds in _COLOURS.items() if row.kind in kinds), "other")
            yield f'<circle class="{colour}" cx="{x + 4:.1f}" cy="{y + 11}" r="4"/>'
        yield _text(x + (_STEP if row.kind else 2), y + 15, row.what, "")
        yield _text(self.codes, y + 15, _words(row), "" if row.kind else "dim")
        yield "</g>"


def _short(row: Row, own: str) -> str:
    """The line alone where the file is that of the story; else with the name of the file."""
    return row.place if row.path == own else f"{row.path.replace(chr(92), '/').rpartition('/')[2]}:{row.place}"


def _words(row: Row) -> str:
    return f"{row.code}  ({', '.join(row.remarks)})" if row.remarks else row.code


def _text(x: float, y: float, words: str, kind: str) -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:.1f}" y="{y:.0f}">{escape(clean(words))}</text>'
