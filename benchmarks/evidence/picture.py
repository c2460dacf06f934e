"""A result as a small SVG: a row for each program, a mark for each seed, a stroke at the mean.

Circles are the program without the bug, diamonds those with it, in two colours that colour-blind readers tell apart
(Okabe and Ito), lighter ones where the reader's scheme is dark. Nothing is needed to draw it, and the same result gives
the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.sax.saxutils import escape

from benchmarks.evidence.programs import Experiment
from benchmarks.evidence.results import Result, Side

__all__ = ["draw"]

_LEFT, _RIGHT, _WIDTH, _ROW = 150, 600, 640, 26
_STYLE = """\
text{font:13px sans-serif;fill:#24292f}.a{stroke:#8c959f}.r{fill:#0072b2;stroke:#0072b2}.w{fill:#d55e00;stroke:#d55e00}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.r{fill:#56b4e9;stroke:#56b4e9}.w{fill:#e69f00;stroke:#e69f00}}"""


def draw(result: Result, experiment: Experiment) -> str:
    """The picture of a result."""
    rows = [("without the bug", result.right, "r")]
    rows += [(_short(name) or "with the bug", side, "w") for name, side in result.wrong.items() if side.values]
    place, ends = _axis([value for _, side, _ in rows for value in side.values if math.isfinite(value)])
    bottom = _ROW * len(rows) + 8
    parts = [part for number, row in enumerate(rows) for part in _strip(*row, 18 + number * _ROW, place)]
    parts.append(f'<path class="a" d="M{_LEFT} {bottom}H{_RIGHT}"/>')
    parts += [f'<text x="{at}" y="{bottom + 17}" text-anchor="middle">{label}</text>' for at, label in ends]
    figure = escape(experiment.facts["figure"])
    title = f'<text x="{(_LEFT + _RIGHT) // 2}" y="{bottom + 36}" text-anchor="middle">{figure}</text>'
    size = f'width="{_WIDTH}" height="{bottom + 44}" viewBox="0 0 {_WIDTH} {bottom + 44}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{result.name}</title>'
    return "\n".join([head, f"<style>{_STYLE}</style>", *parts, title, "</svg>", ""])


def _strip(label: str, side: Side, kind: str, y: int, place: Callable[[float], float]) -> list[str]:
    """The row of one program."""
    parts = [f'<text x="{_LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(label)}</text>']
    finite = [value for value in side.values if math.isfinite(value)]
    for x in (round(place(value), 1) for value in finite):
        mark = f'<circle cx="{x}" cy="{y}" r="4"/>' if kind == "r" else f'<path d="M{x} {y - 5}l5 5l-5 5l-5-5z"/>'
        parts.append(mark.replace("/>", f' class="{kind}" fill-opacity=".55"/>'))
    if finite:
        mean = round(place(sum(finite) / len(finite)), 1)
        parts.append(f'<path class="{kind}" stroke-width="2" d="M{mean} {y - 9}v18"/>')
    return parts


def _axis(values: list[float]) -> tuple[Callable[[float], float], list[tuple[int, str]]]:
    """Where a value stands, and the labels of both ends; logarithmic where values differ by more than a hundredfold."""
    low, high = min(values), max(values)
    if low > 0 and high / low > 100:
        low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        width = math.log10(high / low)
        return lambda value: _LEFT + (_RIGHT - _LEFT) * math.log10(value / low) / width, _ends(low, high)
    step = 10 ** math.floor(math.log10(high - low)) if high > low else max(abs(high), 1.0)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    high = high if high > low else low + step
    return lambda value: _LEFT + (_RIGHT - _LEFT) * (value - low) / (high - low), _ends(low, high)


def _ends(low: float, high: float) -> list[tuple[int, str]]:
    return [(_LEFT, f"{low:.4g}"), (_RIGHT, f"{high:.4g}")]


def _short(text: str) -> str:
    return text if len(text) <= 20 else text[:19] + "…"
