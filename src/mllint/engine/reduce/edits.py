"""What may become smaller in a program? Each edit is tried in place, and taken back unless it is accepted.

From the large to the small: whole statements, then blocks that take the place of the statement around them, then lists
inside of statements (arguments, names of an import, bases), then parts that may be absent, then expressions, each of
which may give way to one of its own parts. Later ones go first, since what is used is bound before it is used.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from mllint.engine.reduce.program import Program

__all__ = ["shrink"]

Accepts = Callable[[], bool]
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_LISTS = (
    (ast.Call, "keywords"), (ast.Import, "names"), (ast.ImportFrom, "names"),
    (ast.ClassDef, "bases"), (ast.ClassDef, "keywords"), (ast.ClassDef, "decorator_list"),
    (ast.FunctionDef, "decorator_list"), (ast.AsyncFunctionDef, "decorator_list"), (ast.With, "items"),
    (ast.AsyncWith, "items"), (ast.Tuple, "elts"), (ast.List, "elts"), (ast.Set, "elts"), (ast.BoolOp, "values"),
    (ast.JoinedStr, "values"), (ast.comprehension, "ifs"), (ast.Delete, "targets"), (ast.Assign, "targets"),
    (ast.arguments, "defaults"), (ast.Global, "names"), (ast.Nonlocal, "names"),
)  # fmt: skip
"""Lists of which any part may go; what does not parse then is not accepted. Positional arguments are not among them: a
call stays one that can be made."""
_OPTIONAL = frozenset(("returns", "annotation", "vararg", "kwarg", "cause", "msg", "optional_vars", "asname"))
_VALUES = (ast.Assign, ast.Return, ast.Call, ast.keyword, ast.For, ast.AnnAssign, ast.withitem)
"""Where any value may stand, so that an ellipsis stands for one that does not matter."""


class _Slot(NamedTuple):
    """Where an expression stands: in a field of a node, perhaps at a place of a list there."""

    owner: ast.AST
    field: str
    at: int | None

    def get(self) -> Any:
        value = getattr(self.owner, self.field)
        return value if self.at is None else value[self.at]

    def put(self, value: ast.AST) -> None:
        if self.at is None:
            setattr(self.owner, self.field, value)
        else:
            getattr(self.owner, self.field)[self.at] = value


def shrink(program: Program, accepts: Accepts) -> bool:
    """Try every edit once.

    Args:
        program: the program, which is edited.
        accepts: whether the program as it is now will do.

    Returns:
        Whether an edit was accepted.
    """
    before = dict(program.texts())
    _files(program, accepts)
    for edit in (_statements, _unwrap, _parameters, _lists, _pairs, _absent, _expressions):
        for path, tree in program.trees.items():
            program.edit(path)
            edit(tree, program, accepts)
        program.edit("")
    return program.texts() != before


def _files(program: Program, accepts: Accepts) -> None:
    """Whole files go: halves of them, then quarters."""
    paths = list(program.trees)
    size = len(paths)
    while size and len(program.trees) > 1:
        for begin in range(0, len(paths), size):
            trees = program.trees
            gone = set(paths[begin : begin + size])
            program.trees = {path: tree for path, tree in trees.items() if path not in gone}
            if not (program.trees and accepts()):
                program.trees = trees
        size = min(size, len(program.trees)) // 2
        paths = list(program.trees)


def _thin(owner: ast.AST, field: str, accepts: Accepts, fewest: int = 0) -> None:
    """Take away as much of a list as will do: halves, then quarters, from the end; `fewest` stay."""
    items = list(getattr(owner, field))
    size = len(items)
    while size and len(items) > fewest:
        end = len(items)
        while end > 0:
            begin = max(0, end - size)
            rest = items[:begin] + items[end:]
            if len(rest) >= fewest and _tried(owner, field, _filled(owner, field, rest), accepts):
                items = rest
            end = begin
        size //= 2


def _tried(owner: ast.AST, field: str, value: Any, accepts: Accepts) -> bool:
    """Give a field another value; take it back unless it is accepted."""
    before = getattr(owner, field)
    setattr(owner, field, value)
    if accepts():
        return True
    setattr(owner, field, before)
    return False


def _filled(owner: ast.AST, field: str, rest: list[Any]) -> list[Any]:
    """A block that has to have a statement has one."""
    return rest or ([ast.Pass()] if field == "body" and not isinstance(owner, ast.Module) else [])


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The blocks of a tree, the outer ones first."""
    todo = [tree]
    for node in todo:
        for field in _BLOCKS:
            if isinstance(getattr(node, field, None), list):
                yield node, field
                todo += getattr(node, field)  # what is left of it by now


def _statements(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    for owner, field in _blocks(tree):
        if not all(isinstance(one, ast.Pass) for one in getattr(owner, field)):
            _thin(owner, field, accepts)


def _unwrap(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    """Let a block take the place of the statement that it is in, and a value that of its assignment."""
    for owner, field in list(_blocks(tree)):
        for statement in list(getattr(owner, field)):
            if statement in program.kept or not isinstance(statement, ast.stmt) or isinstance(statement, ast.ClassDef):
                continue
            for inside in _insides(statement):
                block = getattr(owner, field)
                if inside and statement in block:
                    at = block.index(statement)
                    _tried(owner, field, [*block[:at], *inside, *block[at + 1 :]], accepts)


def _insides(statement: ast.stmt) -> list[list[ast.stmt]]:
    """What may take the place of a statement."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return [[ast.Expr(statement.value)]] if isinstance(statement.value, ast.Call) else []
    return [getattr(statement, field, []) for field in _BLOCKS[:3]]


def _nodes(tree: ast.Module, program: Program) -> list[ast.AST]:
    """The nodes of a tree that may be edited, the outer ones first."""
    todo: list[ast.AST] = [tree]
    for node in todo:
        for name, value in ast.iter_fields(node):
            if node in program.kept and name not in _BLOCKS:
                continue
            todo += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]
    return todo


def _parameters(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    """Functions that nobody calls lose parameters, but for the first one of a method."""
    called = {getattr(n.func, "id", getattr(n.func, "attr", "")) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in _nodes(tree, program):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name not in called:
            first = [one.arg for one in node.args.args[:1]]
            _thin(node.args, "args", accepts, int(first in (["self"], ["cls"])))


def _lists(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    for node in _nodes(tree, program):
        for kind, field in _LISTS:
            if isinstance(node, kind) and node not in program.kept and not _is_target(node):
                _thin(node, field, accepts, 0 if kind in (ast.Call, ast.ClassDef, ast.arguments) else 1)


def _pairs(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    """Dictionaries lose keys with their values."""
    for node in _nodes(tree, program):
        if not isinstance(node, ast.Dict):
            continue
        for index in reversed(range(len(node.keys))):
            keys, values = list(node.keys), list(node.values)
            del node.keys[index], node.values[index]
            if not accepts():
                node.keys, node.values = keys, values


def _absent(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    for node in _nodes(tree, program):
        for field in _OPTIONAL.intersection(node._fields):
            if getattr(node, field) is not None and node not in program.kept:
                _tried(node, field, None, accepts)
        if isinstance(node, ast.Return) and node.value is not None:
            _tried(node, "value", None, accepts)


def _expressions(tree: ast.Module, program: Program, accepts: Accepts) -> None:
    """Let a part of an expression take its place, until none of its parts will do."""
    given = {name for node in ast.walk(tree) for name in _removable_names(node)}
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    imported = {name for node in imports for name in _removable_names(node)}
    for slot in _slots(tree, program):
        while any(_put(slot, part, accepts) for part in _parts(slot, given, imported)):
            pass


def _removable_names(node: ast.AST) -> list[str]:
    """The names that a statement gives which may go when nobody reads them."""
    match node:
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [(alias.asname or alias.name).partition(".")[0] for alias in names]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
    return []


def _slots(tree: ast.Module, program: Program) -> Iterator[_Slot]:
    """Where expressions are read, the outer ones first."""
    todo: list[ast.AST] = [tree]
    for node in todo:  # what is put into a slot in the meantime is looked at in its turn
        for field, value in ast.iter_fields(node):
            if node in program.kept and field not in _BLOCKS:
                continue
            several = isinstance(value, list)
            for index, one in enumerate(value if several else [value]):
                slot = _Slot(node, field, index if several else None)
                if isinstance(one, ast.expr) and not _is_target(one):
                    yield slot
                if isinstance(one, ast.AST):
                    todo.append(slot.get())


def _is_target(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _parts(slot: _Slot, given: Collection[str], imported: Collection[str]) -> list[ast.expr]:
    """What may take the place of an expression. A name that is given elsewhere may go, so that this may go, too; what
    is imported is only called."""
    whole = slot.get()
    anything: list[ast.expr] = [ast.Constant(...)] if isinstance(slot.owner, _VALUES) and slot.field != "func" else []
    match whole:
        case ast.Constant():
            return []
        case ast.Name(id=name):
            return anything if name in given else []
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(slot.owner, ast.Assign):
                return anything  # what has a name of its own is not called after one of its parts
            receiver = [func.value] if isinstance(func, ast.Attribute) and _first(func) not in imported else []
            return [*receiver, *args, *(one.value for one in keywords), *anything]
        case _ if isinstance(slot.owner, ast.JoinedStr):
            return []
    return [*(one for one in ast.iter_child_nodes(whole) if isinstance(one, ast.expr)), *anything]


def _first(node: ast.expr) -> str:
    """The name that a chain of attributes begins with, empty for what is no chain."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _put(slot: _Slot, part: ast.expr, accepts: Accepts) -> bool:
    before = slot.get()
    slot.put(part)
    if accepts():
        return True
    slot.put(before)
    return False
