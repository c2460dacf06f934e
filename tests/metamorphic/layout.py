"""The same tree, written differently."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import Any

from tests.metamorphic.program import Program
from tests.metamorphic.syntax import blocks, head

__all__ = ["commented", "exploded", "on_one_line", "unparsed"]

SMALL = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.Return,
    ast.Raise,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Delete,
    ast.Assert,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
)


def unparsed(program: Program) -> bool:
    """As Python itself writes it: one statement a line, no comments."""
    return True


def commented(program: Program) -> bool:
    """A comment and a blank line in front of each statement, another comment behind it."""
    for path, tree in program.trees.items():
        text = ast.unparse(tree)
        starts = {}
        for _, block in blocks(ast.parse(text)):
            for statement in block[head(block) :]:
                if not isinstance(statement, ast.If):  # it may be an `elif`
                    line = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
                    starts[line] = statement.col_offset
        rows = []
        for number, line in enumerate(text.split("\n"), 1):
            if number in starts:
                rows += ["", " " * starts[number] + "# model.eval(); optimizer.zero_grad()"]
            rows.append(line)
        program.layout[path] = "\n".join(rows) + "\n"
    return True


def exploded(program: Program) -> bool:
    """A line for each argument and element, as formatters do it."""
    for path, tree in program.trees.items():
        text = ast.unparse(tree) + "\n"
        lines = text.split("\n")
        breaks: list[tuple[int, int]] = []
        depth = strings = 0
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = tokenize.tok_name[token.type]
            strings += (kind in ("FSTRING_START", "TSTRING_START")) - (kind in ("FSTRING_END", "TSTRING_END"))
            if token.type != tokenize.OP or strings:
                continue
            depth += (token.string in "([{") - (token.string in ")]}")
            if depth > 0 and token.string in ("(", "[", "{", ","):
                breaks.append(token.end)
        for line, column in reversed(breaks):
            row = lines[line - 1]
            lines[line - 1] = f"{row[:column]}\n{row[column:].lstrip()}"
        program.layout[path] = "\n".join(lines)
    return True


def on_one_line(program: Program) -> bool:
    """`for x in y: a(); b()`: a block of small statements on the line of its header."""
    changed = False
    for path, tree in program.trees.items():
        writer = _Lines()
        writer.block(tree.body, 0)
        program.layout[path] = "\n".join(writer.rows) + "\n"
        changed |= writer.joined
    return changed


class _Lines:
    """Writes statements; only headers of compound statements are taken apart."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.joined = False

    def block(self, body: list[ast.stmt], depth: int) -> None:
        for statement in body:
            self.statement(statement, depth)

    def statement(self, node: Any, depth: int) -> None:
        body = getattr(node, "body", None)
        plain = isinstance(node, (ast.For, ast.While, ast.With, ast.FunctionDef, ast.ClassDef, ast.If))
        if not plain or getattr(node, "orelse", None):
            for line in ast.unparse(node).split("\n"):
                self.rows.append("    " * depth + line)
            return
        # A copy whose body is one `pass` gives the header.
        stand_in = type(node)(**{**{f: getattr(node, f, None) for f in node._fields}, "body": [ast.Pass()]})
        ast.copy_location(stand_in, node)
        lines = ast.unparse(ast.fix_missing_locations(stand_in)).split("\n")
        self.rows += ["    " * depth + line for line in lines[:-1] if line]
        small = all(isinstance(s, SMALL) for s in body) and "\n" not in "".join(ast.unparse(s) for s in body)
        if small and not head(body):
            self.rows[-1] += " " + "; ".join(ast.unparse(s) for s in body)
            self.joined = True
        else:
            self.block(body, depth + 1)
