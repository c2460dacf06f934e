"""How is a finding told where there is only text, or a line and a column of a file?

    `cross_entropy` applies softmax itself, but `probs` already holds probabilities
    train.py:10:32: expects logits
    model.py:6:16: softmax applied here
    why: softmax is applied twice: the loss cannot get near 0, and training slows down
    help: pass the logits to the loss; keep softmax for metrics and for inference
    docs: https://...
    fingerprint: 3c5bd2c0b1bf4a3f

What the formats for other programs share. Their readers know files and no cells: places are those of `in_file`, with
the cell in words behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.diagnostic import Diagnostic, Span
    from mllint.report import Results

__all__ = ["first_line", "footnotes", "place", "places", "whole_text"]


def whole_text(diagnostic: Diagnostic, results: Results) -> Iterator[str]:
    """The whole finding, line by line."""
    yield diagnostic.message
    for span, message in places(diagnostic):
        yield f"{place(span, results)}: {message}"
    for name, note in footnotes(diagnostic):
        yield f"{name}: {note}"


def places(diagnostic: Diagnostic) -> Iterator[tuple[Span, str]]:
    """The places with words under them: the primary one, then those of the labels."""
    if diagnostic.primary:
        yield diagnostic.span, diagnostic.primary
    for label in diagnostic.labels:
        yield label.span, label.message


def footnotes(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    """What is said below the places, each with its name; what is empty is left out."""
    notes = (
        ("why", diagnostic.why),
        ("help", diagnostic.help),
        ("docs", diagnostic.url),
        ("fingerprint", diagnostic.fingerprint),
    )
    for name, note in notes:
        if note:
            yield name, note


def place(span: Span, results: Results) -> str:
    """Where a span starts in the repository: `src/train.py:3:5`, `train.ipynb:40:6 (cell 2, line 3)`."""
    inside = results.in_file(span)
    cell = "" if span.cell is None else f" (cell {span.cell}, line {span.start.line})"
    return f"{inside.path}:{inside.start.line}:{inside.start.column}{cell}"


def first_line(span: Span, results: Results) -> Span:
    """The part of a span that is on its first line, in coordinates of the file.

    Viewers that mark a whole statement hide the place that matters, and some of them take no more than a line.
    """
    if span.end.line != span.start.line:
        lines = results.lines_of(span.path, span.cell)
        text = lines[span.start.line - 1].rstrip() if span.start.line <= len(lines) else ""
        span = span._replace(end=span.start._replace(column=max(len(text) + 1, span.start.column)))
    inside = results.in_file(span)
    if inside.end.line != inside.start.line:
        return inside._replace(end=inside.start)
    return inside
