"""What a node of a syntax tree is, without its surroundings: its children, its place, its name, what it assigns.

A **place** is a name with attributes and constant items, as it is written: `self.opt`, `batch["x"]`. All of it is
answered from one node; who binds a name, and what it is, is asked of `module` and `names`.
"""

from __future__ import annotations

import ast
from types import EllipsisType
from typing import Any, TypeAlias

from mllint.semantics.syntax.deadline import DEADLINE

__all__ = [
    "BLOCKS", "BODIES", "FIELDS", "LEAVES", "PLACE_PARTS", "REVERSED", "Constant", "Node", "all_arguments",
    "assigned_pairs", "called_name", "chosen_from", "find_range_len_operand", "is_builtin_eval", "is_in_block",
    "is_range_iterable", "is_true", "is_within", "iterable_of", "last_name", "mentions_place", "names_in", "place",
    "places", "tests_path_exists", "walk", "without_items", "written_integer",
]  # fmt: skip

Node: TypeAlias = Any
"""A node of a syntax tree. It is untyped: most questions are asked of any kind of node, and `ast` gives the fields of a
node by its kind."""
Constant: TypeAlias = str | bytes | int | float | complex | EllipsisType | None
"""What a constant of a program is, as Python has it; a truth is an int."""

_SKIP = frozenset(
    """ctx op ops id attr arg name names kind type_comment n s lineno module level conversion rest simple is_async
    kwd_attrs""".split()
)
_LEAVES = (ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom)
_CLASSES = [cls for cls in vars(ast).values() if isinstance(cls, type) and issubclass(cls, ast.AST)]
FIELDS: dict[type, tuple[str, ...]] = {
    cls: tuple(field for field in cls._fields if field not in _SKIP) for cls in _CLASSES if cls not in _LEAVES
}
FIELDS[ast.keyword] = ("value",)
FIELDS[ast.Constant] = FIELDS[ast.Name] = ()
PLACE_PARTS = 100
"""A chain of more attributes and items is no place: the longest in 4 million lines of published code has 11."""
BODIES = ("body", "orelse", "finalbody")
"""The fields of a statement that hold statements."""
BLOCKS = (*BODIES, "handlers", "cases")
"""The fields of a statement that hold statements, or clauses with statements."""
REVERSED = {cls: fields[::-1] for cls, fields in FIELDS.items()}
LEAVES = frozenset(cls for cls in _CLASSES if not FIELDS.get(cls))
"""The classes of nodes below which there are none."""


_LARGE = 400  # nodes of a tree that is not gone through often without a look at the clock
_ASKING = frozenset("exists isfile is_file isdir is_dir".split())


def place(node: Node) -> str | None:
    """The place an expression names: `x`, `self.x`, `x.y.z`, `x["k"]`, `x[0]`; None for anything else, and for a chain
    of more than `PLACE_PARTS`."""
    kind = node.__class__
    if kind is ast.Name:
        return node.id  # type: ignore[no-any-return]  # a node is untyped
    if kind is ast.Attribute and node.value.__class__ is ast.Name:
        return f"{node.value.id}.{node.attr}"
    parts: list[str] = []
    while kind is not ast.Name:
        if kind is ast.Attribute:
            parts.append(f".{node.attr}")
        elif kind is ast.Subscript and node.slice.__class__ is ast.Constant:
            parts.append(f"[{node.slice.value!r}]")
        elif kind is not ast.Starred:
            return None
        if len(parts) > PLACE_PARTS:
            return None
        node = node.value
        kind = node.__class__
    parts.append(node.id)
    parts.reverse()
    return "".join(parts)


def chosen_from(node: Node) -> list[Node]:
    """What the expression `node` may be: both branches of `a if test else b`, itself of anything else."""
    if node.__class__ is ast.IfExp:
        return [*chosen_from(node.body), *chosen_from(node.orelse)]
    return [node]


def places(node: Node) -> list[str]:
    """The places that an expression may name, those of both branches of `a if test else b`; empty for anything else."""
    return [name for part in chosen_from(node) if (name := place(part)) is not None]


def written_integer(node: Node) -> int | None:
    """The whole number that `node` writes out, `3` or `-1`; None if it is anything else, a truth among it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = written_integer(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def tests_path_exists(test: Node) -> bool:
    """Does an expression ask whether a file or a folder is there: `os.path.exists(path)`, `not path.is_file()`?"""
    return any(isinstance(n, ast.Call) and last_name(n.func) in _ASKING for n in walk(test))


def assigned_pairs(statement: Node) -> list[tuple[Node, Node]]:
    """Target and value of what a statement assigns: two pairs for `a = b = v` and `a, b = v, w`, one for `a: T = v`."""
    kind = statement.__class__
    if kind is ast.Assign:
        value = statement.value
        several = isinstance(value, (ast.Tuple, ast.List))
        pairs: list[tuple[Node, Node]] = []
        for target in statement.targets:
            if several and isinstance(target, (ast.Tuple, ast.List)):
                pairs += zip(target.elts, value.elts, strict=False)
            else:
                pairs.append((target, value))
        return pairs
    if kind is ast.AnnAssign and statement.value is not None:
        return [(statement.target, statement.value)]
    return []


def iterable_of(node: Node) -> Node:
    """What a loop goes through, without what only counts or shows it: `x` of `enumerate(tqdm(x))`."""
    while node.__class__ is ast.Call and last_name(node.func) in ("enumerate", "tqdm", "track", "zip") and node.args:
        node = node.args[0]
    return node


def is_range_iterable(node: Node) -> bool:
    """Does a loop go through numbers: `range(n)`, `trange(n)`, also `enumerate(tqdm(range(n)))`?"""
    node = iterable_of(node)
    return isinstance(node, ast.Call) and last_name(node.func) in ("range", "trange")


def find_range_len_operand(node: Node) -> Node:
    """`x` of `range(len(x))`; None for anything else."""
    node = iterable_of(node)
    for name in ("range", "len"):
        if not isinstance(node, ast.Call) or last_name(node.func) != name or len(node.args) != 1:
            return None
        node = node.args[0]
    return node


def last_name(node: Node) -> str:
    """`step` of `self.optimizer.step`; empty when the expression has no name."""
    kind = node.__class__
    return node.attr if kind is ast.Attribute else node.id if kind is ast.Name else ""


def called_name(node: Node) -> str:
    """The last name of what is called, or of an expression that is no call: of the decorators `@cache` and `@cache(8)`
    it is `cache`."""
    return last_name(node.func if node.__class__ is ast.Call else node)


def names_in(node: Node) -> set[str]:
    """The names in an expression: `x` and `y` of `x.shape[y]`."""
    return {n.id for n in walk(node) if n.__class__ is ast.Name}


def mentions_place(node: Node, name: str | None) -> bool:
    """Does an expression contain a place, as `self.loss` is in `x + self.loss.item()`?"""
    return any(place(n) == name for n in walk(node))


def without_items(node: Node) -> Node:
    """`x.y` of `x.y["k"][0]`."""
    while node.__class__ is ast.Subscript:
        node = node.value
    return node


def is_true(node: Node) -> bool:
    """Is it `True`?"""
    return node.__class__ is ast.Constant and node.value is True


def all_arguments(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call, by position and by keyword, as they are written."""
    return [*call.args, *(k.value for k in call.keywords)]


def is_builtin_eval(call: ast.Call) -> bool:
    """Is it `eval("text")`, and no model's `eval()`?"""
    return isinstance(call.func, ast.Name) and call.func.id == "eval"


def is_within(node: Node, outer: Node) -> bool:
    """Does one node lie inside another, by lines? What has none, as the parameter of a lambda, lies nowhere."""
    line: int = getattr(node, "lineno", 0)
    return line > 0 and bool(outer.lineno <= line <= (outer.end_lineno or 0))


def is_in_block(node: Node, block: list[Node]) -> bool:
    """Is a node written in one of the statements of a block?"""
    return bool(block) and block[0].lineno <= node.lineno <= (block[-1].end_lineno or 0)


def walk(node: Node) -> list[Node]:
    """All nodes below and including `node`, in source order of fields; nested functions and classes included."""
    if node is None:
        return []
    found = [node]
    if node.__class__ not in LEAVES:
        _walk_below(node, found)
        if len(found) > _LARGE:
            DEADLINE.check()
    return found


def _walk_below(node: Node, found: list[Node]) -> None:
    """Add all nodes below one; a leaf, of which half of a tree is made, costs no call."""
    for field in FIELDS.get(node.__class__, ()):
        child = getattr(node, field)
        kind = child.__class__
        if kind is list:
            for item in child:
                if item is not None:  # a key of `{**more}`, a keyword-only parameter without a default
                    found.append(item)
                    if item.__class__ not in LEAVES:
                        _walk_below(item, found)
        elif child is not None:
            found.append(child)
            if kind not in LEAVES:
                _walk_below(child, found)
