"""What can be offered at a place: the page of a rule, the name of one, a comment that accepts a finding?

cursor on a finding, or on a name of a rule       hover: the page
`# mllint: ig`, `# mllint: ignore[`               completion: how it goes on, the names of rules
`ignore = ["` below `[tool.mllint]`               completion: rules, families, selectors; keys
a finding                                         code actions: its fix (`fixing`), a comment above its statement,
                                                  one for the file
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from mllint.catalogue import pages
from mllint.config.files import CONFIG_FILES
from mllint.diagnostic import Diagnostic
from mllint.errors import SourceError
from mllint.findings.add_ignore import with_ignores
from mllint.server import messages
from mllint.server.documents import lines_of
from mllint.sources.source import Source

if TYPE_CHECKING:
    from mllint.server.document_store import DocumentStore

__all__ = [
    "Offer", "completions", "is_config", "is_fixable", "page_of", "rule_at", "suppressions", "workspace_edit",
]  # fmt: skip

_NAME = re.compile(r"[A-Za-z][\w-]*")
_INSIDE = re.compile(r"#[ \t]*mllint:[ \t]*(?:file-)?ignore\[[^\]]*$")
_NOQA = re.compile(r"#[ \t]*noqa:[ \t]*(?:[\w-]+[ \t]*,[ \t]*)*[\w-]*$", re.IGNORECASE)
_VERB = re.compile(r"#[ \t]*mllint:[ \t]*[\w-]*$")
_WORD = re.compile(r"[\w:-]*$")
_HEADER = re.compile(r"[ \t]*\[([^\[\]]+)\]")
_TOP = re.compile(r"#!|#.*coding[:=]|%%")


class Offer(NamedTuple):
    """A comment that accepts a finding: `text` replaces the lines from `start` up to `end`, counted from 0 in the file
    or the cell."""

    title: str
    start: int
    end: int
    text: str


def is_config(path: str) -> bool:
    """Is a file one that may configure mllint?"""
    return os.path.basename(path) in CONFIG_FILES


# --------------------------------------------------------------------------------------------------------------- pages
def rule_at(line: str, column: int) -> str | None:
    """The rule that is named at a column (in code points from 0) of a line; a single word only where rules are
    written."""
    names = _names()
    for word in _NAME.finditer(line):
        if word.start() <= column <= word.end() and word[0] in names:
            return names[word[0]]
    return None


def page_of(rule: str) -> str:
    """The page of a rule as Markdown, its metadata as one line; empty if there is none."""
    info = pages.rules().get(rule)
    if info is None:
        return ""
    try:
        text = pages.page(info)
    except OSError:
        return f"# {info.name}\n\n{info.summary}\n\n{info.why}"
    facts = ", ".join((info.family, info.severity, f"{info.confidence} confidence", *info.frameworks))
    return re.sub(r"^```toml\n.*?^```\n", f"*{facts}*\n", text, count=1, flags=re.MULTILINE | re.DOTALL)


def _names() -> dict[str, str]:
    return {name: info.name for info in pages.rules().values() for name in (*info.aliases, info.name)}


# ---------------------------------------------------------------------------------------------------------- completion
def completions(path: str, lines: Sequence[str], line: int, column: int) -> Iterator[tuple[int, types.CompletionItem]]:
    """What may be written at a place.

    Args:
        path: the file.
        lines: its text.
        line: 0-based line.
        column: 0-based column in code points.

    Yields:
        The column from which on the text before the place is replaced, and what by.
    """
    before = (lines[line] if line < len(lines) else "")[:column]
    found = _WORD.search(before)
    start = found.start() if found is not None else column
    items: Iterable[types.CompletionItem] = ()
    if is_config(path):
        items = _in_config(path, lines[:line], before)
    elif _INSIDE.search(before) or _NOQA.search(before):
        items = _rules()
    elif _VERB.search(before):
        items = [_verb("ignore", "accepts findings in one statement"), _verb("file-ignore", "... in the whole file")]
    for item in items:
        yield start, item


def _rules() -> Iterator[types.CompletionItem]:
    for info in pages.rules().values():
        yield types.CompletionItem(
            info.name,
            kind=types.CompletionItemKind.EnumMember,
            detail=f"{info.family}, {info.severity}",
            documentation=types.MarkupContent(types.MarkupKind.Markdown, info.headline),
        )


def _verb(name: str, detail: str) -> types.CompletionItem:
    return types.CompletionItem(name, kind=types.CompletionItemKind.Keyword, detail=detail, insert_text=f"{name}[")


def _in_config(path: str, above: Sequence[str], before: str) -> Iterator[types.CompletionItem]:
    """Keys, or selectors inside quotes, below our own headers."""
    headers = (match[1].strip() for text in reversed(above) if (match := _HEADER.match(text)) is not None)
    header = next(headers, "")
    if os.path.basename(path) == "pyproject.toml":
        if not header.startswith("tool.mllint"):
            return
        header = header.removeprefix("tool.mllint").lstrip(".")
    if before.count('"') % 2 or before.count("'") % 2:
        yield from _rules()
        for name in (*pages.families(), "DEFAULT", "ALL"):
            yield types.CompletionItem(name, kind=types.CompletionItemKind.Enum, detail="selector")
    elif not header and re.fullmatch(r"[ \t]*[\w-]*", before):
        from mllint.config.schema import KEYS

        for key in KEYS:
            documentation = types.MarkupContent(types.MarkupKind.Markdown, key.doc)
            yield types.CompletionItem(
                key.name, kind=types.CompletionItemKind.Property, detail=key.example, documentation=documentation
            )


# ------------------------------------------------------------------------------------------------------------- actions
def is_fixable(found: Diagnostic) -> bool:
    """Has the rule of a finding a fix? Whether it is sure of this one is another question."""
    info = pages.rules().get(found.rule)
    return info is not None and info.fix != "none"


def workspace_edit(found: Iterable[Diagnostic], store: DocumentStore) -> types.WorkspaceEdit:
    """The fixes of some findings, as edits of the documents that the editor has: cells of notebooks, too."""
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in dict.fromkeys(edit for one in found if one.fix is not None for edit in one.fix.edits):
        place = store.place(edit.span)
        text = edit.replacement
        if edit.span.cell is not None and not store.is_cell(place.uri):
            text = json.dumps(text)[1:-1]  # the JSON of a notebook
        changes.setdefault(place.uri, []).append(types.TextEdit(messages.range_of(place, store.encoding), text))
    return types.WorkspaceEdit(changes=dict(changes))


def suppressions(found: Diagnostic, data: bytes, *, whole: bool) -> Iterator[Offer]:
    """Comments that accept a finding.

    Args:
        found: the finding.
        data: the file, or the notebook, in which it is.
        whole: whether the editor has all of it in one buffer, and not cell by cell.

    Yields:
        One for the statement, if there is a place for it, then one for the file.
    """
    before = _text(data, found, whole)
    try:
        outcome = with_ignores(found.span.path, data, [found], "", list(pages.rules().values()))
    except SourceError:
        return
    if outcome.accepted:
        yield _difference(f"Suppress {found.rule} for this statement", before, _text(outcome.data, found, whole))
    if whole and found.span.cell is not None:
        return  # in JSON there is no line for it
    first = 0
    while first < len(before) and _TOP.match(before[first]):
        first += 1
    yield Offer(f"Suppress {found.rule} in this file", first, first, f"# mllint: file-ignore[{found.rule}]\n")


def _text(data: bytes, found: Diagnostic, whole: bool) -> list[str]:
    """The lines of a file, or of the cell of a finding."""
    if found.span.cell is not None and whole:
        return lines_of(data.decode("utf-8", "replace"))
    if found.span.cell is None:
        return Source.from_bytes(found.span.path, data).text.split("\n")
    text = json.loads(data)["cells"][found.span.cell - 1]["source"]
    return lines_of(text if isinstance(text, str) else "".join(text))


def _difference(title: str, before: list[str], after: list[str]) -> Offer:
    """What makes the one of the other: whole lines."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    added = after[head : len(after) - tail]
    return Offer(title, head, len(before) - tail, "".join(f"{line}\n" for line in added))
