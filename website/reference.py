"""The tables in documents that people write: the kinds of events, and the effects of stubs, as the code says them.

A table stands between two comments; the text around it is left as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

__all__ = ["pages"]

ROOT = Path(__file__).parent.parent
_CORE = ROOT / "src" / "mllint" / "semantics"


def pages() -> dict[str, str]:
    """The text of each page with such a table, by its name in `docs/`."""
    return {
        "writing-a-rule.md": _with_table("writing-a-rule.md", "kinds", _kinds()),
        "writing-a-stub.md": _with_table("writing-a-stub.md", "effects", _effects()),
    }


def _with_table(page: str, name: str, rows: Iterator[str]) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    before, start, rest = text.partition(f"<!-- {name}: ")
    comment, newline, _ = rest.partition("\n")
    end = f"<!-- end of {name} -->"
    return f"{before}{start}{comment}{newline}\n{''.join(rows)}\n{end}{text.partition(end)[2]}"


def _kinds() -> Iterator[str]:
    """A row for each kind of event: its name, and the line below it."""
    yield "| kind | when there is one |\n|---|---|\n"
    body = _body("flow/kinds.py")
    for statement, below in pairwise(body):
        match statement, below:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(means))):
                yield f"| `{name}` | {means} |\n"


def _effects() -> Iterator[str]:
    """A row for each function of the vocabulary: how it is written, and its docstring."""
    yield "| effect | means |\n|---|---|\n"
    for node in _body("vocabulary.py"):
        if isinstance(node, ast.FunctionDef):
            means = " ".join((ast.get_docstring(node) or "").split())
            yield f"| `@{node.name}{_told(node.args)}` | {means} |\n"


def _told(args: ast.arguments) -> str:
    """What stands in the parentheses of an effect; nothing if it is written without them."""
    if [one.arg for one in args.args] in (["function"], ["cls"]):
        return ""
    keywords = [f"{one.arg}=" for one in args.kwonlyargs]
    return (
        f"({', '.join([one.arg for one in args.args] + ([f'*{args.vararg.arg}'] if args.vararg else []) + keywords)})"
    )


def _body(path: str) -> list[ast.stmt]:
    return ast.parse((_CORE / path).read_text(encoding="utf-8")).body
