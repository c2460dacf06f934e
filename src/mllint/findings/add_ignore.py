"""Where does a comment go that accepts a finding, so that it accepts this finding and changes nothing else?

A line of its own above the statement (above its decorators, with its indentation), since formatters leave such a line
where it is; names are added to a suppression that is there already:

    # mllint: ignore[double-softmax] the teacher is distilled
    loss = F.cross_entropy(
        teacher(x).softmax(-1), y
    )

Each comment is tried: the new text must parse to the same tree and the comment must accept the finding. Where a line
above is no place for a comment (behind a backslash, or where the statement begins on the last line of another one), it
goes to the end of the statement, and otherwise nowhere. A notebook is edited in its JSON: a string is put before the
string of the line, everything else stays byte for byte.

Nothing is read or written here: bytes in, bytes out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mllint.config.selection import RuleLike
from mllint.diagnostic import Diagnostic
from mllint.errors import SourceError
from mllint.findings.suppressions import Suppressions
from mllint.sources.source import Source

__all__ = ["ENGINE_OWNED", "Outcome", "with_ignores"]

ENGINE_OWNED = frozenset(("syntax-error", "internal-error", "unused-suppression", "invalid-suppression"))
"""The rules that no comment should silence."""
_OWN_LINE = re.compile(r"([ \t\f]*\"?[ \t\f]*#[ \t]*mllint:[ \t]*ignore[ \t]*\[)([^\]\n]*)(\].*)", re.DOTALL)
_LINE_ENDS = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
_BOM = b"\xef\xbb\xbf"


class Outcome(NamedTuple):
    """The bytes of the file, how many findings they now accept, and those for which there is no place."""

    data: bytes
    accepted: int
    left: list[Diagnostic]


def with_ignores(
    path: str, data: bytes, found: Sequence[Diagnostic], reason: str, infos: Sequence[RuleLike]
) -> Outcome:
    """Accept findings in a file.

    Args:
        path: the file, as the findings name it.
        data: its contents, in which they were found.
        found: the findings.
        reason: what to write behind the names; may be empty.
        infos: all rules.

    Raises:
        SourceError: the file cannot be read.
    """
    page = _Page.read(path, data, infos)
    targets: dict[tuple[int, int], list[Diagnostic]] = {}
    for diagnostic in found:
        statement = page.comments.statement(page.line_of(diagnostic))
        targets.setdefault((statement[0], statement[-1]), []).append(diagnostic)
    left = [d for d in found if d.rule in ENGINE_OWNED]
    accepted = 0
    for extent in sorted(targets, reverse=True):  # so that the lines above keep their numbers
        group = [d for d in targets[extent] if d.rule not in ENGINE_OWNED]
        after = _commented(page, extent, group, reason) if group else None
        if after is not None:
            page = after
            accepted += len(group)
        else:
            left += group
    return Outcome(page.data, accepted, sorted(left, key=lambda d: (d.span.cell or 0, d.span.start)))


class _Page(NamedTuple):
    """A file in one state."""

    data: bytes
    source: Source
    comments: Suppressions
    tree: str
    infos: Sequence[RuleLike]

    @classmethod
    def read(cls, path: str, data: bytes, infos: Sequence[RuleLike]) -> _Page:
        source = Source.from_bytes(path, data)
        tree = source.tree()
        return cls(data, source, Suppressions.of(source, tree, infos), ast.dump(tree), infos)

    def line_of(self, diagnostic: Diagnostic) -> int:
        return self.source.document_line(diagnostic.span)


def _commented(page: _Page, extent: tuple[int, int], found: Sequence[Diagnostic], reason: str) -> _Page | None:
    """The page with a comment that accepts some findings in the statement with this first and last line."""
    rules = list(dict.fromkeys(diagnostic.rule for diagnostic in found))
    wanted = [(diagnostic.rule, page.line_of(diagnostic)) for diagnostic in found]
    for data, shift in _attempts(page, extent, rules, reason):
        try:
            after = _Page.read(page.source.path, data, page.infos)
        except SourceError:
            continue
        accepts = all(after.comments.accepts(rule, line + shift) for rule, line in wanted)
        same = after.tree == page.tree and len(after.source.broken) == len(page.source.broken)
        if accepts and same and after.source.text.count("\n") == page.source.text.count("\n") + shift:
            return after
    return None


def _attempts(page: _Page, extent: tuple[int, int], rules: Sequence[str], reason: str) -> Iterator[tuple[bytes, int]]:
    """Ways to write the comment, best first, each with how many lines it adds above the statement."""
    start, last = extent
    comment = " ".join(f"# mllint: ignore[{', '.join(rules)}] {reason}".split())
    if page.source.cells is not None:
        yield from _in_notebook(page, start, rules, comment)
        return
    mark = _BOM if page.data.startswith(_BOM) else b""
    raw: list[bytes] = _LINE_ENDS.findall(page.data[len(mark) :])
    own = raw[start - 1]
    merged = _merged(raw[start - 2].decode("utf-8", "surrogateescape"), rules) if start > 1 else None
    if merged is not None:
        yield mark + b"".join([*raw[: start - 2], merged.encode("utf-8", "surrogateescape"), *raw[start - 1 :]]), 0
    indent = own[: len(own) - len(own.lstrip(b" \t\f"))]
    end = next((line[len(line.rstrip(b"\r\n")) :] for line in raw if line.rstrip(b"\r\n") != line), b"\n")
    written = comment.encode("utf-8" if comment.isascii() or mark else _encoding(page), "backslashreplace")
    yield mark + b"".join([*raw[: start - 1], indent + written + end, *raw[start - 1 :]]), 1
    line = raw[last - 1]
    code = line.rstrip(b"\r\n")
    yield mark + b"".join([*raw[: last - 1], code + b"  " + written + line[len(code) :], *raw[last:]]), 0


def _merged(line: str, rules: Sequence[str]) -> str | None:
    """A suppression on a line of its own with more names; None if the line is none."""
    match = _OWN_LINE.fullmatch(line)
    if match is None:
        return None
    names = [name for name in re.split(r"[\s,]+", match[2]) if name]
    return f"{match[1]}{', '.join(dict.fromkeys([*names, *rules]))}{match[3]}"


def _encoding(page: _Page) -> str:
    """The encoding that the file declares, if it is one."""
    import io
    import tokenize

    try:
        return tokenize.detect_encoding(io.BytesIO(page.data).readline)[0]
    except SyntaxError:
        return "utf-8"


def _in_notebook(page: _Page, start: int, rules: Sequence[str], comment: str) -> Iterator[tuple[bytes, int]]:
    """As `_attempts`, where each line of a cell is a string on a line of the file, as Jupyter writes them."""
    import json

    from mllint.sources.rawnotebook import RawNotebook

    assert page.source.cells is not None
    cell, line = page.source.cells.locate(start)
    text = page.data.decode("utf-8")
    offset = RawNotebook(page.data).offset(cell, line)
    begin = text.rfind("\n", 0, offset) + 1
    head = text[begin:offset]
    if head.strip() != '"':
        return
    above = text.rfind("\n", 0, max(begin - 1, 0)) + 1
    merged = _merged(text[above:begin], rules) if line > 1 else None
    if merged is not None:
        yield (text[:above] + merged + text[begin:]).encode(), 0
    code = page.source.line_text(start)
    indent = code[: len(code) - len(code.lstrip())]
    string = json.dumps(f"{indent}{comment}\n", ensure_ascii=comment.isascii())
    end = "\r\n" if text[begin - 2 : begin] == "\r\n" else "\n"
    yield (text[:begin] + head[:-1] + string + "," + end + text[begin:]).encode(), 1
