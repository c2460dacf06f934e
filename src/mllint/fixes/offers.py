"""Which fix is offered for a finding? Proposals in the coordinates of the report, or none.

Nothing is offered

* that no fix of the rule is sure of,
* that changes a file that nobody asked to check,
* that touches a statement somebody accepted a finding in: who wrote that comment looked at this very line,
* after which a file would not parse.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from mllint.catalogue.pages import rules
from mllint.diagnostic import Edit, Fix, Position, Span
from mllint.findings.suppressions import Suppressions
from mllint.fixes.registry import Unsure, fixes_of

if TYPE_CHECKING:
    from mllint.catalogue.pages import RuleInfo
    from mllint.config.model import Config
    from mllint.fixes.edits import Change
    from mllint.rule import Finding
    from mllint.sources.source import Source

__all__ = ["is_safe", "offer"]


def offer(rule: str, finding: Finding, checked: Collection[str], config: Config) -> Fix | None:
    """The fix of a finding.

    Args:
        rule: the name of the rule that reported it.
        finding: what it reported.
        checked: the paths of the files that may be changed.
        config: the settings of the file that the finding is in.

    Returns:
        None if there is none.
    """
    info = rules()[rule]
    for function in fixes_of(rule, info.family):
        try:
            proposal = function(finding)
            edits = _edits(proposal.changes, checked)
        except Unsure:
            continue
        return Fix(edits, is_safe(info, config), proposal.title)
    return None


def is_safe(info: RuleInfo, config: Config) -> bool:
    """Whether fixes of a rule are safe: by its page, unless the configuration says otherwise."""
    names = {info.name, info.family, *info.aliases}
    if not names.isdisjoint(config.extend_unsafe_fixes):
        return False
    return info.fix == "safe" or not names.isdisjoint(config.extend_safe_fixes)


def _edits(changes: Sequence[Change], checked: Collection[str]) -> tuple[Edit, ...]:
    """Changes as edits, in their order.

    Raises:
        Unsure: they cannot be made.
    """
    by_source: dict[str, list[Change]] = {}
    for change in changes:
        by_source.setdefault(change.module.source.path, []).append(change)
    if not changes or not by_source.keys() <= set(checked):
        raise Unsure
    found: list[Edit] = []
    for path in sorted(by_source):
        ordered = sorted(by_source[path], key=lambda c: (c.start, c.end))
        if any(one.end > other.start for one, other in pairwise(ordered)):
            raise Unsure
        source = ordered[0].module.source
        _require_sound(source, ordered)
        found += [Edit(_span(source, change), change.text) for change in ordered]
    return tuple(found)


def _require_sound(source: Source, changes: Sequence[Change]) -> None:
    """Does the file still parse, and is no statement changed in which a finding is accepted?

    Raises:
        Unsure: it is not so.
    """
    tree, text = source.tree(), source.text
    comments = Suppressions.of(source, tree, rules().values())
    for change in changes:
        if comments.touch(*_lines(text, change)):
            raise Unsure
        if source.written[change.start : change.end] != text[change.start : change.end]:
            raise Unsure  # what only IPython reads
    first, last = _statements(tree, _lines(text, changes[0])[0], _lines(text, changes[-1])[1])
    starts = [0, *(m.end() for m in re.finditer("\n", text)), len(text)]
    begin, end = starts[first - 1], starts[min(last, len(starts) - 1)]
    for change in reversed(changes):
        text = text[: change.start] + change.text + text[change.end :]
        end += len(change.text) - (change.end - change.start)
    try:
        ast.parse(text[begin:end])
    except (SyntaxError, ValueError, RecursionError):
        raise Unsure from None


def _lines(text: str, change: Change) -> tuple[int, int]:
    """The first and the last line of a change; the line behind whole lines is none of them."""
    end = change.end - (change.start < change.end and text[change.end - 1] == "\n")
    return text.count("\n", 0, change.start) + 1, text.count("\n", 0, end) + 1


def _statements(tree: ast.Module, first: int, last: int) -> tuple[int, int]:
    """The lines of the statements of a file that some lines are in. The rest of the file parses as before: a fix in one
    function need not have all others read again."""
    for node in tree.body:
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        if start <= last and first <= (node.end_lineno or start):
            first, last = min(first, start), max(last, node.end_lineno or start)
    return first, last


def _span(source: Source, change: Change) -> Span:
    """The place of a change, in the coordinates that are reported."""
    start, end = _position(source.text, change.start), _position(source.text, change.end)
    if source.cells is None:
        return Span(source.path, start, end)
    cell, line = source.cells.locate(start.line)
    other, last = source.cells.locate(end.line)
    if other != cell:
        raise Unsure
    return Span(source.path, Position(line, start.column), Position(last, end.column), cell)


def _position(text: str, offset: int) -> Position:
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
