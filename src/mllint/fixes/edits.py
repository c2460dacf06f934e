r"""How is code changed at the place of a node, so that everything around it stays? Changes of the text of one file.

    around(call, "sorted(", ")")          os.listdir(path)   ->  sorted(os.listdir(path))
    replaced(node, "self.training")       training=True      ->  training=self.training
    before(statement, "model.eval()")     a line of its own with the same indentation, below the comments above
    keyword(call, "training", "True")     an argument more, laid out as the others are (LibCST)
    wrapped(statements, "with x:")        the statements one level deeper, strings of several lines as they are (LibCST)

A statement that shares its line with another one, or stands behind the colon of its block, has no line of its own:
what needs one raises `Unsure`, as everything does that cannot be sure.

A `Change` counts in characters of `Source.text`, where all lines end in `\n`; a file keeps its own ends (`applying`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from mllint.fixes.registry import Unsure
from mllint.semantics.api import Call, Function, ModuleScope, Site, place, walk

__all__ = [
    "Change", "Spot", "after", "ancestor", "around", "around_call", "before", "blocks_around", "imported", "indent_of",
    "keyword", "moved", "named", "parents", "removed", "replaced", "segment", "set_keyword", "spot", "statement",
    "text_of", "view_of", "without_keyword", "wrapped",
]  # fmt: skip

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Change(NamedTuple):
    """Put `text` in the place of the characters from `start` to `end` of a file."""

    module: ModuleScope
    start: int
    end: int
    text: str


class Spot(NamedTuple):
    """Where a statement stands: in which block, as the how-manieth, of which compound statement (or file)."""

    statement: ast.stmt
    block: list[ast.stmt]
    place: int
    parent: Any


# ------------------------------------------------------------------------------------------------------------- places
def spot(site: Site) -> Spot:
    """The innermost statement around a node, and its block.

    Raises:
        Unsure: there is none.
    """
    parent: Any = site.module.whole().tree
    found: Spot | None = None
    while True:
        inner = next((s for s in _spots(parent) if s.statement is site.node or _holds(s.statement, site.node)), None)
        if inner is None:
            break
        found = inner
        if inner.statement is site.node:
            break
        parent = inner.statement
    if found is None:
        raise Unsure
    return found


def _spots(parent: Any) -> Iterator[Spot]:
    """The statements directly inside of a file or a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        for index, statement in enumerate(block if isinstance(block, list) else ()):
            yield Spot(statement, block, index, parent)  # type: ignore[arg-type]  # it is a list here
    for clause in (*getattr(parent, "handlers", ()), *getattr(parent, "cases", ())):
        yield from _spots(clause)


def _holds(outer: Any, inner: Any) -> bool:
    """Does one node lie within another, by lines and columns?"""
    first = min([(d.lineno, d.col_offset) for d in getattr(outer, "decorator_list", ())], default=None)
    start = first or (outer.lineno, outer.col_offset)
    if not hasattr(inner, "lineno"):
        return False
    place = (inner.lineno, inner.col_offset)
    return bool(start <= place and (inner.end_lineno, inner.end_col_offset) <= (outer.end_lineno, outer.end_col_offset))


def parents(site: Site) -> list[Any]:
    """The nodes around a node within its statement, the nearest first; the statement is the last."""
    statement = spot(site).statement
    chain: list[Any] = []
    stack: list[tuple[Any, list[Any]]] = [(statement, [])]
    while stack:
        node, above = stack.pop()
        if node is site.node:
            chain = above
            break
        stack += [(child, [node, *above]) for child in ast.iter_child_nodes(node)]
    return chain


def blocks_around(site: Site) -> Iterator[list[ast.stmt]]:
    """What runs before a statement of the same function, or file, has its turn: the statements before it in its block,
    then those before the compound statement around it, and so on."""
    here = spot(site)
    while True:
        yield here.block[: here.place]
        if not isinstance(here.parent, ast.stmt) or isinstance(here.parent, _SCOPES):
            return
        here = spot(Site(site.module, here.parent))


def _offset(module: ModuleScope, line: int, utf8_column: int) -> int:
    source = module.source
    place = source.position(line, utf8_column)
    lines = source.lines()
    return sum(len(text) + 1 for text in lines[: line - 1]) + int(place.column) - 1


def _extent(module: ModuleScope, node: Any) -> tuple[int, int]:
    """The characters of a node, with the parentheses that belong to it alone left outside."""
    start = _offset(module, node.lineno, node.col_offset)
    return start, _offset(module, node.end_lineno, node.end_col_offset)


def segment(site: Site) -> str:
    """The text of a node, as it is written."""
    start, end = _extent(site.module, site.node)
    return text_of(site.module)[start:end]


def text_of(module: ModuleScope) -> str:
    """The text of a file."""
    text: str = module.source.text
    return text


def _line_bounds(module: ModuleScope, node: Any) -> tuple[int, int]:
    """From the beginning of the first line of a statement to the end of its last one, its line end included.

    Raises:
        Unsure: something else stands on these lines.
    """
    text = text_of(module)
    first = next(iter(getattr(node, "decorator_list", ())), node)
    start = _offset(module, first.lineno, first.col_offset)
    end = _extent(module, node)[1]
    begin = text.rfind("\n", 0, start) + 1
    finish = text.find("\n", end)
    finish = len(text) if finish < 0 else finish + 1
    if text[begin:start].strip(" \t") not in ("", "@"):
        raise Unsure
    behind = text[end:finish].strip()
    if behind and not behind.startswith("#"):
        raise Unsure
    if text[:begin].endswith("\\\n"):
        raise Unsure
    return begin, finish


def indent_of(module: ModuleScope, node: Any) -> str:
    """The indentation of a statement that begins its line."""
    begin, _ = _line_bounds(module, node)
    text = text_of(module)
    stop = begin
    while stop < len(text) and text[stop] in " \t":
        stop += 1
    return text[begin:stop]


# ------------------------------------------------------------------------------------------------------------- changes
def replaced(site: Site, text: str) -> list[Change]:
    """Another text in the place of a node."""
    return [Change(site.module, *_extent(site.module, site.node), text)]


def around(site: Site, head: str, tail: str) -> list[Change]:
    """Text before and behind a node.

    Args:
        site: the node.
        head: the text before it.
        tail: the text behind it.
    """
    start, end = _extent(site.module, site.node)
    return [Change(site.module, start, start, head), Change(site.module, end, end, tail)]


def before(site: Site, *lines: str) -> list[Change]:
    """Lines before a statement, with its indentation."""
    begin, _ = _line_bounds(site.module, site.node)
    indent = indent_of(site.module, site.node)
    return [Change(site.module, begin, begin, "".join(f"{indent}{line}\n" for line in lines))]


def after(site: Site, *lines: str) -> list[Change]:
    """Lines behind a statement, with its indentation."""
    _, finish = _line_bounds(site.module, site.node)
    indent = indent_of(site.module, site.node)
    return [_lines_at(site.module, finish, [indent + line for line in lines])]


def removed(site: Site) -> list[Change]:
    """Without a statement.

    Raises:
        Unsure: its block would be empty, or a comment would be lost.
    """
    begin, finish = _line_bounds(site.module, site.node)
    if len(spot(site).block) == 1 or "#" in _behind(site):
        raise Unsure
    return [Change(site.module, begin, finish, "")]


def _behind(site: Site) -> str:
    """What stands behind a statement on its last line."""
    _, finish = _line_bounds(site.module, site.node)
    return text_of(site.module)[_extent(site.module, site.node)[1] : finish]


def moved(
    site: Site, *, ahead_of: Site | None = None, behind: Site | None = None, become: Sequence[str] = ()
) -> list[Change]:
    """A statement in another place of the file, with its comments and the indentation of the statement there.

    Args:
        site: the statement.
        ahead_of: the statement that it is to stand before, or
        behind: the one that it is to follow.
        become: the lines that it is there, without indentation, if it is not what it was.

    Raises:
        Unsure: its block would be empty, or it has several lines and would change its depth.
    """
    target = ahead_of or behind
    if target is None or len(spot(site).block) == 1 or target.module is not site.module:
        raise Unsure
    text = text_of(site.module)
    begin, finish = _line_bounds(site.module, site.node)
    begin = _with_comments(text, begin, indent_of(site.module, site.node))
    own, there = indent_of(site.module, site.node), indent_of(site.module, target.node)
    if site.node.lineno != site.node.end_lineno and own != there and not become:
        raise Unsure
    lines = text[begin:finish].removesuffix("\n").split("\n")
    if become:
        above = text.count("\n", begin, _line_bounds(site.module, site.node)[0])
        lines = [*lines[:above], own + become[0] + _behind(site).rstrip(), *(own + line for line in become[1:])]
    shifted = [there + line.removeprefix(own) if line.strip() else line for line in lines]
    start, end = _line_bounds(site.module, target.node)
    at = _with_comments(text, start, there) if ahead_of is not None else end
    if begin <= at <= finish:  # in the same place, at another depth
        if own == there or begin < at < finish:
            raise Unsure
        ending = "\n" if text[begin:finish].endswith("\n") else ""
        return [Change(site.module, begin, finish, "\n".join(shifted) + ending)]
    if not text[begin:finish].endswith("\n"):  # the last line of a file without a line end
        begin -= 1
    return [Change(site.module, begin, finish, ""), _lines_at(site.module, at, shifted)]


def _lines_at(module: ModuleScope, at: int, lines: Sequence[str]) -> Change:
    """Lines at the beginning of a line, or at the end of a file."""
    text = text_of(module)
    added = "".join(f"{line}\n" for line in lines)
    if at == len(text) and not text.endswith("\n"):
        return Change(module, at, at, "\n" + added.removesuffix("\n"))
    return Change(module, at, at, added)


def _with_comments(text: str, begin: int, indent: str) -> int:
    """Where the comment lines directly above a line, with the same indentation, begin."""
    while begin:
        above = text.rfind("\n", 0, begin - 1) + 1
        line = text[above:begin]
        if not line.startswith(f"{indent}#"):
            break
        begin = above
    return begin


def keyword(site: Site, name: str, value: str) -> list[Change]:
    """A call with a keyword argument more.

    Args:
        site: the call.
        name: the name of the argument.
        value: the text of its value.
    """
    from mllint.fixes.concrete import with_keyword

    return [_narrowed(site, with_keyword(segment(site), name, value))]


def wrapped(module: ModuleScope, block: Sequence[ast.stmt], header: str) -> list[Change]:
    """Some statements of a block that follow each other, as the body of a compound statement.

    Args:
        module: the file.
        block: the statements.
        header: the first line of the compound statement, with its colon.
    """
    from mllint.fixes.concrete import nested

    text = text_of(module)
    begin, _ = _line_bounds(module, block[0])
    _, finish = _line_bounds(module, block[-1])
    for statement in block:
        _line_bounds(module, statement)
    lines = text[begin:finish]
    if lines != module.source.written[begin:finish]:
        raise Unsure
    indent, step = indent_of(module, block[0]), _step(text)
    if lines.endswith("\n"):
        return [Change(module, begin, finish, nested(lines, indent, header, step))]
    deeper = nested(f"{lines}\n", indent, header, step)
    return [Change(module, begin, finish, deeper.removesuffix("\n"))]


def _step(text: str) -> str:
    """By how much a file indents one level, by its first block."""
    for head, body in pairwise(line for line in text.split("\n") if line.strip()):
        outer, inner = (line[: len(line) - len(line.lstrip(" \t"))] for line in (head, body))
        if head.rstrip().endswith(":") and inner.startswith(outer) and inner != outer:
            return inner.removeprefix(outer)
    return "    "


def _narrowed(site: Site, text: str) -> Change:
    """A change of a node that leaves alone what stays the same at both ends."""
    start, end = _extent(site.module, site.node)
    old = text_of(site.module)[start:end]
    head = 0
    while head < min(len(old), len(text)) and old[head] == text[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(text)) - head and old[-1 - tail] == text[-1 - tail]:
        tail += 1
    return Change(site.module, start + head, end - tail, text[head : len(text) - tail])


# ------------------------------------------------------------------------------------------------------------- imports
def named(module: ModuleScope, fullname: str) -> str:
    """How a file names something of a library: `nn.ModuleList` for "torch.nn.ModuleList" below `import torch.nn as nn`.

    Raises:
        Unsure: it imports none of the packages around it at its top level.
    """
    parts = fullname.split(".")
    for cut in range(len(parts), 0, -1):
        wanted, rest = ".".join(parts[:cut]), parts[cut:]
        for statement in module.whole().tree.body:
            name = _import_of(statement, wanted)
            if name and _is_bound_once(module, name.partition(".")[0]):
                return ".".join([name, *rest])
    raise Unsure


def _import_of(statement: Any, wanted: str) -> str:
    """The name by which a statement imports a module, or something from one; empty if it does not."""
    if isinstance(statement, ast.Import):
        return next((a.asname or a.name for a in statement.names if a.name == wanted), "")
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        found = (a.asname or a.name for a in statement.names if f"{statement.module}.{a.name}" == wanted)
        return next(found, "")
    return ""


def _is_bound_once(module: ModuleScope, name: str) -> bool:
    """Does a name mean what was imported, everywhere in a file?"""
    kinds = {b.kind for scope in module.whole().scopes for b in scope.bindings.get(name, ())}
    return kinds <= {"import", "from"}


def imported(module: ModuleScope, name: str, near: Any) -> list[Change]:
    """An `import` of a module of the standard library, if the file has none: below the other imports.

    Args:
        module: the file.
        name: the module.
        near: where it is used; in a notebook the import goes to the top of its cell.
    """
    tree = module.whole().tree
    if any(_import_of(s, name) == name for s in tree.body):
        return []
    if not _is_bound_once(module, name):
        raise Unsure
    statements = tree.body
    if module.source.cells is not None:
        cell = module.source.cells.locate(near.lineno)[0]
        statements = [s for s in tree.body if module.source.cells.locate(s.lineno)[0] == cell]
        return before(Site(module, statements[0]), f"import {name}")
    imports = [s for s in statements if isinstance(s, (ast.Import, ast.ImportFrom))]
    first = next((s for s in imports if getattr(s, "module", "") != "__future__"), None)
    if first is None:
        raise Unsure
    group = [first]
    for one in statements[statements.index(first) + 1 :]:
        if not isinstance(one, ast.Import) or one.lineno != (group[-1].end_lineno or 0) + 1:
            break
        group.append(one)
    following = next((s for s in group if isinstance(s, ast.ImportFrom) or s.names[0].name > name), None)
    if following is not None:
        return before(Site(module, following), f"import {name}")
    return after(Site(module, group[-1]), f"import {name}")


# -------------------------------------------------------------------------------------------------------------- finding
def statement(site: Site) -> Site:
    """The statement around a node."""
    return Site(site.module, spot(site).statement)


def around_call(site: Site) -> str:
    """The text of what a method is called of: `self.optimizer` of `self.optimizer.step()`.

    Raises:
        Unsure: it is no call of a method of a plain place.
    """
    func = getattr(site.node, "func", None)
    if not isinstance(func, ast.Attribute) or place(func.value) is None:
        raise Unsure
    return segment(Site(site.module, func.value))


def view_of(site: Site) -> Function:
    """The function around a node."""
    project = site.module.project
    inside = [f for f in site.module.functions if not f.is_body and any(n is site.node for n in walk(f.node))]
    found = max(inside, key=lambda f: f.node.lineno, default=site.module.body)
    return Function(found, project.frame(found))


def ancestor(site: Site, block: Sequence[ast.stmt]) -> Site:
    """The statement of a block that a node is in.

    Raises:
        Unsure: it is in none of them.
    """
    found = next((s for s in block if s is site.node or _holds(s, site.node)), None)
    if found is None:
        raise Unsure
    return Site(site.module, found)


def set_keyword(call: Call, name: str, value: str) -> list[Change]:
    """A call in which an argument has a value, whether it is written or not.

    Args:
        call: the call.
        name: the name of the argument.
        value: the text of its value.
    """
    given = call.argument(name)
    written = given is not None and any(given.node is n for n in walk(call.node))
    if call.may_give(name) and not written:
        raise Unsure  # also of a dictionary, which other calls may get
    return replaced(given.site, value) if given is not None else keyword(call.site, name, value)


def without_keyword(site: Site, name: str) -> list[Change]:
    """A call without a keyword argument that is not the only argument.

    Raises:
        Unsure: there is none, or a comment stands beside it.
    """
    arguments = [*site.node.args, *site.node.keywords]
    index = next((i for i, a in enumerate(arguments) if getattr(a, "arg", None) == name), 0)
    if not index:
        raise Unsure
    start, end = _extent(site.module, arguments[index - 1])[1], _extent(site.module, arguments[index])[1]
    if "#" in text_of(site.module)[start:end]:
        raise Unsure
    return [Change(site.module, start, end, "")]
