"""Which findings did somebody accept, in the code, by name?

    # mllint: ignore[double-softmax] the teacher is distilled     on its own line, above a statement or its decorators
    loss = F.cross_entropy(probs, y)  # mllint: ignore[double-softmax]      on any line of the statement
    # mllint: file-ignore[missing-seed] a smoke test              at top level, anywhere in the file
    # mllint: disable[missing-eval-mode] all of these are toys    from here, up to `# mllint: enable[...]` or to the
                                                                  end of the file (of the cell, in a notebook)
    loss = F.cross_entropy(probs, y)  # noqa: double-softmax      for people who are used to it

A comment covers the statement that it stands on or above; of a compound statement only the header, so that a comment at
a `for` does not silence the loop's body. There is no blanket form: a comment without a name, or with a name that is no
rule, is an `invalid-suppression`; one that nothing needed is an `unused-suppression`. (`noqa` belongs to many tools:
names in it that are no rule of ours are none of our business.)

Reading is cheap because it looks at the text first. A hit is then held against the tree: a `#` outside every string is
a comment. Only a hit within the extent of a string (perhaps between two of its pieces) is tokenized, and only that
string.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from mllint.catalogue.pages import rules
from mllint.config.selection import RuleLike
from mllint.diagnostic import Diagnostic, Position, Span
from mllint.errors import nearest
from mllint.findings.removing import removal
from mllint.sources.source import Source

__all__ = ["Suppressions"]

INVALID, UNUSED = "invalid-suppression", "unused-suppression"
_OURS = re.compile(r"#[ \t]*mllint:[ \t]*(?P<verb>[\w-]*)[ \t]*(?:\[(?P<names>[^\]\n]*)\])?")
_NOQA = re.compile(r"#[ \t]*noqa:[ \t]*(?P<names>[\w\-]+(?:[ \t]*[, \t][ \t]*[\w\-]+)*)", re.IGNORECASE)
_NAME = re.compile(r"[^\s,]+")
_BLANK_OR_COMMENT = re.compile(r"[ \t\f]*(?:#.*)?$")
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
_IN_ORDER = (*_BLOCKS, "elts", "values", "args", "keywords")  # lists of nodes that each have their lines
_STRINGS = ("JoinedStr", "TemplateStr")
_VERBS = {"ignore": "statement", "file-ignore": "file", "disable": "range", "enable": "range"}
_RANGES = ("disable", "enable")


class _Entry(NamedTuple):
    """One rule name in one comment. `lines`, 1-based, is None where it covers the whole file.

    `scope` is what the comment is about, in a word.
    """

    rule: str
    written: str
    lines: range | None
    span: Span
    scope: str
    keeps_quiet: bool
    """Whether the same comment also accepts that it is unused."""


class Suppressions:
    """The comments of one file.

    Attributes:
        count: how many findings they have taken away so far.
    """

    __slots__ = ("_accepted", "_code", "_entries", "_open", "_problems", "_source", "_tree", "count")

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self._source = source
        self._tree = tree
        self._entries: list[_Entry] = []
        self._open: dict[str, list[int]] = {}
        self._problems: list[Diagnostic] = []
        self._accepted: dict[str, list[range] | None] | None = None
        self._code: list[int] | None = None
        self.count = 0

    @classmethod
    def of(cls, source: Source, tree: ast.Module, infos: Iterable[RuleLike] = ()) -> Suppressions:
        """Read the comments.

        Args:
            source: the file.
            tree: its syntax tree.
            infos: all rules that exist, selected or not; without any, no name counts as unknown.
        """
        found = cls(source, tree)
        if "mllint:" in source.text or "noqa" in source.text.lower():
            names = {name: info.name for info in infos for name in (*info.aliases, info.name)}
            found._read(names)
        return found

    def apply(
        self, diagnostics: Iterable[Diagnostic], ran: Collection[str] | None = None, *, fixes: bool = False
    ) -> list[Diagnostic]:
        """Take away what is accepted, add what is wrong with the comments.

        Args:
            diagnostics: all findings in this file.
            ran: the names of the rules that ran; only their comments can be unused. None means all rules.
            fixes: comments that nothing needs come with what removes them.

        Returns:
            The findings that remain, in their order, then those about comments.
        """
        if not self._entries and not self._problems:
            return list(diagnostics)
        placed = [(diagnostic, self._source.document_line(diagnostic.span)) for diagnostic in diagnostics]
        remaining = [diagnostic for diagnostic, line in placed if not self.accepts(diagnostic.rule, line)]
        self.count += len(placed) - len(remaining)
        lines: dict[str, list[int]] = {}
        for diagnostic, line in sorted(placed, key=lambda one: one[1]):
            lines.setdefault(diagnostic.rule, []).append(line)
        for entry in self._entries:
            used = _holds(lines.get(entry.rule, []), entry.lines)
            if not used and not entry.keeps_quiet and (ran is None or entry.rule in ran):
                unused = _unused(entry)
                remaining.append(unused._replace(fix=removal(self._source, entry.span)) if fixes else unused)
        return remaining + self._problems

    def accepts(self, rule: str, line: int) -> bool:
        """Whether a comment accepts findings of a rule on a document line."""
        if self._accepted is None:
            self._accepted = _accepted(self._entries)
        covered = self._accepted.get(rule, [])
        if covered is None:
            return True
        before = bisect_right(covered, line, key=lambda lines: lines.start)
        return before > 0 and line in covered[before - 1]

    def touch(self, first: int, last: int) -> bool:
        """Whether a comment accepts anything in the statements on some document lines, or is written on them."""
        own = [entry for entry in self._entries if entry.lines is not None]
        written = (self._source.document_line(entry.span) for entry in own)
        if any(first <= line <= last for line in written):
            return True
        return any(entry.lines.start <= last and first < entry.lines.stop for entry in own if entry.lines)

    def statement(self, line: int) -> range:
        """The document lines of the innermost statement around a line (of its header, if it is compound)."""
        return self._enclosing(line)[0] or range(line, line + 1)

    def _read(self, names: dict[str, str]) -> None:
        for number, line in enumerate(self._source.text.split("\n"), 1):
            if "mllint:" in line:
                for match in _OURS.finditer(line):
                    if self._is_comment(number, match.start()):
                        self._read_ours(number, line, match, names)
            if "noqa" in line.lower() and (noqa := _NOQA.search(line)) is not None:
                wanted = [name for name in _NAME.finditer(noqa["names"]) if name[0] in names]
                if wanted and self._is_comment(number, noqa.start()):
                    lines = self._covered(number, line)
                    for name in wanted:
                        self._add(number, noqa.start("names"), name, names, lines)

    def _read_ours(self, number: int, line: str, match: re.Match[str], names: dict[str, str]) -> None:
        verb = match["verb"]
        place = self._span(number, match.start(), len(match[0].rstrip()))
        if verb not in _VERBS:
            help_ = "write `# mllint: ignore[rule-name] reason`"
            self._problems.append(
                _invalid(place, f"`{match[0].strip()}` is not a suppression that mllint knows", help_)
            )
            return
        written = list(_NAME.finditer(match["names"] or ""))
        if not written:
            help_ = f"name what is accepted: `# mllint: {verb}[rule-name] reason`"
            self._problems.append(_invalid(place, f"`# mllint: {verb}` names no rule, so it suppresses nothing", help_))
            return
        if verb == "file-ignore" and line[0] != "#" and self._enclosing(number)[1]:
            help_ = "move it to the top level, or write `ignore` for one statement"
            message = "`# mllint: file-ignore` stands inside a block, so it suppresses nothing"
            self._problems.append(_invalid(place, message, help_))
            return
        if verb in _RANGES and line[: match.start()].strip():
            help_ = "move it to a line of its own, or write `ignore` for one statement"
            message = f"`# mllint: {verb}` stands behind code, where a range cannot begin or end"
            self._problems.append(_invalid(place, message, help_))
            return
        lines = self._lines_of(verb, number, line)
        quiet = any(name[0] == UNUSED for name in written)
        for name in written:
            if name[0] in (UNUSED, INVALID):
                continue
            if names and name[0] not in names:
                self._unknown(number, match.start("names"), name, names)
            elif verb == "enable":
                self._close(number, match.start("names"), name, names)
            else:
                self._add(number, match.start("names"), name, names, lines, scope=_VERBS[verb], quiet=quiet)
                if verb == "disable":
                    self._open.setdefault(self._entries[-1].rule, []).append(len(self._entries) - 1)

    def _add(
        self,
        number: int,
        start: int,
        name: re.Match[str],
        names: dict[str, str],
        lines: range | None,
        *,
        scope: str = "statement",
        quiet: bool = False,
    ) -> None:
        span = self._span(number, start + name.start(), len(name[0]))
        self._entries.append(_Entry(names.get(name[0], name[0]), name[0], lines, span, scope, quiet))

    def _close(self, number: int, start: int, name: re.Match[str], names: dict[str, str]) -> None:
        """End the ranges of a rule."""
        ended = False
        for index in self._open.pop(names.get(name[0], name[0]), []):
            entry = self._entries[index]
            if entry.lines is not None and number in entry.lines:
                self._entries[index] = entry._replace(lines=range(entry.lines.start, number + 1))
                ended = True
        if not ended:
            span = self._span(number, start + name.start(), len(name[0]))
            help_ = f"remove it, or begin the range with `# mllint: disable[{name[0]}] reason`"
            self._problems.append(_invalid(span, f"`{name[0]}` is enabled here, but no range of it is open", help_))

    def _unknown(self, number: int, start: int, name: re.Match[str], names: dict[str, str]) -> None:
        guess = nearest(name[0], names)
        other = "write the name of a rule (a family does not count): `mllint rules` lists them"
        help_ = f"did you mean `{guess}`?" if guess else other
        span = self._span(number, start + name.start(), len(name[0]))
        self._problems.append(_invalid(span, f"`{name[0]}` is not a rule, so this comment suppresses nothing", help_))

    def _span(self, number: int, start: int, length: int) -> Span:
        cells = self._source.cells
        cell, line = (None, number) if cells is None else cells.locate(number)
        return Span(self._source.path, Position(line, start + 1), Position(line, start + length + 1), cell)

    def _lines_of(self, verb: str, number: int, line: str) -> range | None:
        if verb == "file-ignore":
            return None
        if verb == "ignore":
            return self._covered(number, line)
        cells, last = self._source.cells, self._source.text.count("\n") + 1
        later = [start - 1 for start in cells.starts if start > number] if cells is not None else []
        return range(number, min([last, *later]) + 1)

    def _covered(self, number: int, line: str) -> range:
        """The lines that a comment on a line is about."""
        statement = self._enclosing(number)[0]
        if number in statement:
            return statement
        if not line.lstrip().startswith("#"):
            return range(number, number + 1)
        target = self._code_after(number)
        cells = self._source.cells
        if cells is not None and cells.locate(target)[0] != cells.locate(number)[0]:
            return range(number, number + 1)  # a comment at the end of a cell is not about the next one
        return self._enclosing(target)[0]

    def _code_after(self, line: int) -> int:
        """The first line behind a line that holds more than a comment; the one behind the last line if none does."""
        if self._code is None:
            lines = enumerate(self._source.lines(), 1)
            self._code = [number for number, text in lines if not _BLANK_OR_COMMENT.match(text)]
        later = bisect_right(self._code, line)
        return self._code[later] if later < len(self._code) else len(self._source.lines()) + 1

    def _enclosing(self, line: int) -> tuple[range, bool]:
        """The lines of the innermost statement around a line (a header's, if it is compound), and if it is nested.

        The range is empty where the line belongs to no statement.
        """
        node: ast.AST | None = None
        children: list[ast.AST] = list(self._tree.body)
        nested = False
        while True:
            child = next(_on_line(children, line), None)
            if child is None:
                break
            nested = node is not None
            node, children = child, _children(child)
        if node is None:
            return range(0), False
        header = range(_first_line(node), self._header_end(node, children) + 1)
        return (header, nested) if line in header else (range(0), True)

    def _header_end(self, node: ast.AST, children: list[ast.AST]) -> int:
        if not children:
            return _last_line(node)
        first = _first_line(children[0])
        end = first - 1
        start = _first_line(node)
        if first <= _own_line(node):
            return first
        while end > start and _BLANK_OR_COMMENT.match(self._source.line_text(end)):
            end -= 1
        return end

    def _is_comment(self, line: int, column: int) -> bool:
        """Whether a `#` is the start of a comment or stands within one, and not in a string."""
        utf8 = len(self._source.line_text(line)[:column].encode())
        for node in _strings_around(self._tree, line, utf8):
            return self._is_between_pieces(node, line, column)
        return True

    def _is_between_pieces(self, node: ast.AST, line: int, column: int) -> bool:
        import io
        import tokenize

        start = self._source.position(node.lineno, node.col_offset)  # type: ignore[attr-defined]  # a string
        segment = "(" + self._source.segment(node) + "\n)"
        try:
            for token in tokenize.generate_tokens(io.StringIO(segment).readline):
                if token.type == tokenize.COMMENT and token.start[0] + start.line - 1 == line:
                    shift = start.column - 2 if token.start[0] == 1 else 0
                    return token.start[1] + shift <= column
        except (tokenize.TokenError, SyntaxError):
            return False
        return False


def _accepted(entries: Iterable[_Entry]) -> dict[str, list[range] | None]:
    """The lines on which each rule is accepted, in their order and apart from each other; None for the whole file."""
    covered: dict[str, list[range] | None] = {}
    for entry in sorted(entries, key=lambda one: one.lines.start if one.lines is not None else -1):
        known = covered.setdefault(entry.rule, [])
        if entry.lines is None or known is None:
            covered[entry.rule] = None
        elif known and entry.lines.start < known[-1].stop:
            known[-1] = range(known[-1].start, max(known[-1].stop, entry.lines.stop))
        else:
            known.append(entry.lines)
    return covered


def _holds(lines: Sequence[int], wanted: range | None) -> bool:
    """Is one of some lines, which are in their order, among those of a comment?"""
    if wanted is None:
        return bool(lines)
    return bisect_left(lines, wanted.start) < bisect_left(lines, wanted.stop)


def _unused(entry: _Entry) -> Diagnostic:
    return Diagnostic(
        rule=UNUSED,
        family="suppression",
        severity="warning",
        confidence="high",
        message=f"`{entry.written}` is suppressed here, but nothing in this {entry.scope} reports it",
        span=entry.span,
        primary="suppresses nothing",
        why="a suppression that is not needed hides the next bug of its kind",
        help="remove the name, or the comment if it is the only one",
        url=rules()[UNUSED].url,
    )


def _invalid(span: Span, message: str, help_: str) -> Diagnostic:
    return Diagnostic(
        rule=INVALID,
        family="suppression",
        severity="warning",
        confidence="high",
        message=message,
        span=span,
        why="a suppression counts only with the exact name of a rule, so that it hides nothing else",
        help=help_,
        url=rules()[INVALID].url,
    )


def _children(node: ast.AST) -> list[ast.AST]:
    """The statements, handlers and cases directly inside a compound statement."""
    if isinstance(node, ast.expr):
        return []
    return [child for block in _BLOCKS for child in getattr(node, block, ())]


def _own_line(node: ast.AST) -> int:
    line = getattr(node, "lineno", None)
    return line if isinstance(line, int) else node.pattern.lineno  # type: ignore[attr-defined]  # match_case


def _first_line(node: ast.AST) -> int:
    decorators = getattr(node, "decorator_list", None)
    return min(_own_line(node), decorators[0].lineno) if decorators else _own_line(node)


def _last_line(node: ast.AST) -> int:
    line = getattr(node, "end_lineno", None)
    return line if isinstance(line, int) else _last_line(_children(node)[-1])


def _on_line(nodes: Sequence[ast.AST], line: int) -> Iterator[ast.AST]:
    """Those of some nodes, which stand in their order in the file, whose lines hold a line."""
    index = bisect_left(nodes, line, key=_last_line)
    while index < len(nodes) and _first_line(nodes[index]) <= line:
        yield nodes[index]
        index += 1


def _strings_around(tree: ast.AST, line: int, utf8: int) -> Iterator[ast.AST]:
    """The outermost string whose extent holds a place, if any."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        first = getattr(node, "lineno", None)
        if first is not None:
            if isinstance(node, (ast.stmt, ast.ExceptHandler)):
                first = _first_line(node)
            end = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]  # it has a line, so it has an end
            if line < first or line > end[0]:
                continue
            is_string = isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
            if is_string or type(node).__name__ in _STRINGS:
                if (node.lineno, node.col_offset) <= (line, utf8) < end:  # type: ignore[attr-defined]  # likewise
                    yield node
                continue
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                in_order = _on_line(value, line) if name in _IN_ORDER else value
                stack.extend(child for child in in_order if isinstance(child, ast.AST))
            elif isinstance(value, ast.AST):
                stack.append(value)
