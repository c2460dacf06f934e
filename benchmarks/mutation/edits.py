"""Source files that can be edited in place: what the mutation benchmark knows about the code it changes.

A `File` finds statements and calls by their names and gives edits that keep the rest of the text; a `Unit` is a script
with the files that it imports, and what its names are built from. All of it is read from the syntax alone, so that
nothing of mllint decides what is mutated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

__all__ = ["REGISTERED", "Edit", "File", "Mark", "Mutant", "Operator", "Unit", "keyword", "last", "operator"]


class Edit(NamedTuple):
    """Replace a stretch of one file."""

    path: str
    start: int
    end: int
    text: str


class Mark(NamedTuple):
    """A place of the unmutated text where a finding is right: a statement that consumes the fault."""

    path: str
    start: int


class Mutant(NamedTuple):
    """One bug: the edits that put it in, and the statements beside the edited ones that may be reported for it."""

    edits: list[Edit]
    marks: list[Mark]


class File:
    """One file: its tree, the parent of each node, and edits that keep the rest of the text."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.tree = path, text, ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.nodes = sorted(
            (n for n in ast.walk(self.tree) if hasattr(n, "lineno")), key=lambda n: (n.lineno, n.col_offset)
        )
        self.called: dict[str, list[ast.Call]] = {}
        self.targets: dict[str, list[ast.Assign]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                self.called.setdefault(last(node.func), []).append(node)
            elif isinstance(node, ast.Assign):
                for target in dict.fromkeys(self.source(t) for t in node.targets):
                    self.targets.setdefault(target, []).append(node)
        self.imports = [n for n in self.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        self.imported = {
            (alias.asname or alias.name).partition(".")[0]
            for node in self.nodes
            if isinstance(node, (ast.Import, ast.ImportFrom)) and self.owner(node) is self.tree
            for alias in node.names
        }  # what only a function imports, the others do not have

    # ------------------------------------------------------------------------------------------------------- positions
    def offset(self, line: int, column: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return self.starts[line - 1] + len(text.encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        if isinstance(node, ast.Module):
            return 0, len(self.text)
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def mark(self, node: ast.AST) -> Mark:
        return Mark(self.path, self.span(node)[0])

    # ----------------------------------------------------------------------------------------------------------- edits
    def replace(self, node: ast.AST, text: str) -> Edit:
        return Edit(self.path, *self.span(node), text)

    def delete(self, statement: ast.stmt) -> Edit:
        return self.replace(statement, "pass")

    def comment(self, statement: ast.stmt) -> Edit:
        """Comment a statement out, as people do."""
        text = self.source(statement)
        return self.replace(statement, "pass" if "\n" in text else f"pass  # {text}")

    def before(self, statement: ast.stmt, text: str) -> Edit:
        line = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        at = self.starts[line - 1]
        return Edit(self.path, at, at, self.indented(statement, text))

    def after(self, statement: ast.stmt, text: str) -> Edit:
        at = self.starts[min(statement.end_lineno, len(self.lines))]
        lead = "" if self.text[at - 1 : at] == "\n" else "\n"
        return Edit(self.path, at, at, lead + self.indented(statement, text))

    def indented(self, statement: ast.stmt, text: str) -> str:
        return "".join(" " * statement.col_offset + line + "\n" for line in text.split("\n"))

    def whole(self, first: ast.stmt, final: ast.stmt) -> tuple[int, int]:
        """The lines of some statements of one block."""
        return self.starts[first.lineno - 1], self.starts[min(final.end_lineno, len(self.lines))]

    def wrap(self, first: ast.stmt, final: ast.stmt, head: str, tail: str = "") -> Edit:
        """Put statements of one block under a header (`with ...:`), and perhaps something after them."""
        pad = " " * first.col_offset
        start, end = self.whole(first, final)
        lines = self.text[start:end].rstrip("\n").split("\n")
        body = "\n".join("    " + line if line.strip() else line for line in lines)
        tail = "".join(f"{pad}{line}\n" for line in tail.split("\n")) if tail else ""
        return Edit(self.path, start, end, f"{pad}{head}\n{body}\n{tail}")

    def decorate(self, function: ast.FunctionDef, decorator: str) -> Edit:
        return self.before(function, decorator)

    # ------------------------------------------------------------------------------------------------------- structure
    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def owner(self, node: ast.AST) -> ast.AST:
        """The function around a node, or the module."""
        return next((n for n in self.up(node) if isinstance(n, (ast.FunctionDef, ast.Module))), self.tree)

    def cls(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a node."""
        return next((n for n in self.up(node) if isinstance(n, ast.ClassDef)), None)

    def loops(self, node: ast.AST) -> list[ast.For | ast.While]:
        """The loops of the same function around a node, innermost first."""
        found = []
        for above in self.up(node):
            if isinstance(above, ast.FunctionDef):
                break
            if isinstance(above, (ast.For, ast.While)):
                found.append(above)
        return found

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements that a statement stands among."""
        for _, value in ast.iter_fields(self.parents[statement]):
            if isinstance(value, list) and statement in value:
                return value
        return [statement]

    def statement(self, node: ast.AST) -> ast.stmt:
        return node if isinstance(node, ast.stmt) else next(n for n in self.up(node) if isinstance(n, ast.stmt))

    def inside(self, node: ast.AST, above: ast.AST) -> bool:
        return any(n is above for n in self.up(node))

    def next(self, statement: ast.stmt) -> ast.stmt | None:
        block = self.block(statement)
        place = block.index(statement) + 1
        return block[place] if place < len(block) else None

    # ------------------------------------------------------------------------------------------------------- searching
    def calls(self, *names: str) -> Iterator[ast.Call]:
        found = [call for name in dict.fromkeys(names) for call in self.called.get(name, ())]
        yield from found if len(names) == 1 else sorted(found, key=lambda n: (n.lineno, n.col_offset))

    def actions(self, name: str, receiver: str = "") -> Iterator[tuple[ast.Expr, ast.Call, str]]:
        """Statements `receiver.name(...)`, with the receiver's text."""
        for call in self.calls(name):
            above = self.parents[call]
            if isinstance(above, ast.Expr) and isinstance(call.func, ast.Attribute):
                text = self.source(call.func.value)
                if re.search(receiver, text, re.IGNORECASE):
                    yield above, call, text

    def assigned(self, text: str) -> list[ast.Assign]:
        """The plain assignments to a name or attribute, as written."""
        return self.targets.get(text, [])

    def classes(self) -> list[ast.ClassDef]:
        return [n for n in self.nodes if isinstance(n, ast.ClassDef)]

    def functions(self, *names: str) -> list[ast.FunctionDef]:
        return [n for n in self.nodes if isinstance(n, ast.FunctionDef) and (not names or n.name in names)]

    def uses(self, function: ast.AST) -> list[ast.Call]:
        """The calls of a function, in the same file."""
        name = getattr(function, "name", "")
        return list(self.calls(name)) if name else []

    def spelled(self, function: str, given: str, *rest: str) -> list[str]:
        """A tensor function in the ways that the file's imports allow: method, `torch.`, `F.`."""
        more = ", ".join(rest)
        tail = f", {more}" if more else ""
        found = [f"({given}).{function}({more})"]
        if "torch" in self.imported:
            found.append(f"torch.{function}({given}{tail})")
        if self.has_f:
            found.append(f"F.{function}({given}{tail})")
        elif "nn" in self.imported:
            found.append(f"nn.functional.{function}({given}{tail})")
        return found

    @property
    def has_f(self) -> bool:
        """Does `F` stand for `torch.nn.functional`, and not for that of torchvision?"""
        return (
            re.search(r"torch\.nn\.functional as F\b|torch\.nn import [^\n]*\bfunctional as F\b", self.text) is not None
        )

    @property
    def nn(self) -> str:
        """How the file writes `torch.nn`, empty if it cannot."""
        return "nn" if "nn" in self.imported else "torch.nn" if "torch" in self.imported else ""


def last(node: ast.AST | None) -> str:
    """The last identifier of `a.b.c`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((k for k in call.keywords if k.arg == name), None)


class Unit:
    """A project: a script and what it imports."""

    def __init__(self, name: str, files: dict[str, str], parsed: dict[str, File]) -> None:
        self.name = name
        self.texts = dict(sorted(files.items()))
        self.files = [parsed[path] for path in self.texts]
        self.all = "\n".join(self.texts.values())
        self.built: dict[str, set[str]] = {}
        self.built_in: dict[tuple[str, str], set[str]] = {}
        self.losses: dict[tuple[str, str], list[ast.Call]] = {}  # asked again and again: by file and class of criterion
        self.scored: dict[str, set[str]] = {}
        self.defined: dict[str, bool] = {}
        self.chosen: set[str] = set()
        for file in self.files:
            for node in file.nodes:
                if isinstance(node, ast.Assign):
                    if self.is_chosen(node):
                        self.chosen.add(last(node.targets[0]))
                    for call in (n for n in ast.walk(node.value) if isinstance(n, ast.Call)):
                        self.built.setdefault(last(node.targets[0]), set()).add(last(call.func))
                        self.built_in.setdefault((file.path, last(node.targets[0])), set()).add(last(call.func))

    def is_chosen(self, node: ast.Assign) -> bool:
        """Is it bound to what is read off something else: `self.loss = config.loss`, `loss = LOSSES[name]`?"""
        value = node.value
        own = isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "self"
        return isinstance(value, (ast.Attribute, ast.Subscript)) and not own

    def made_by(self, name: str, classes: Iterable[str]) -> bool:
        """A name that is only ever built by these classes (and moved to a device)."""
        made = self.built.get(name, set()) - {"to", "cuda", "get_device", "prepare", "type", "device"}
        return bool(made) and made <= set(classes) and name not in self.chosen

    def defines(self, name: str) -> bool:
        """Is there a function of the unit's own with a name?"""
        if name not in self.defined:
            found = re.search(rf"^\s*def {re.escape(name)}\(", self.all, re.MULTILINE)
            self.defined[name] = found is not None
        return self.defined[name]

    def imports(self, module: str) -> bool:
        """Does some file of it import a library?"""
        return re.search(rf"^\s*(import|from)\s+{re.escape(module)}\b", self.all, re.MULTILINE) is not None


Function = Callable[[Unit, File], Iterator[Mutant]]


class Operator(NamedTuple):
    """A way to put one bug into clean code; the rules are those that are right about it."""

    name: str
    rules: tuple[str, ...]
    function: Function


REGISTERED: list[Operator] = []


def operator(*rules: str) -> Callable[[Function], Function]:
    """Register an operator; its first rule is the one that it is counted for."""

    def register(function: Function) -> Function:
        REGISTERED.append(Operator(function.__name__.replace("_", "-"), rules, function))
        return function

    return register
