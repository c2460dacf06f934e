"""Does a script define what nobody names, so that nothing ever runs it?

    def show(model, images): ...           # its only call is commented out: nobody runs it

    if __name__ == "__main__":
        train(build())

A function, or a class that inherits nothing, or a method of one, is named by nobody if its name stands nowhere outside
of it: in no call, no attribute, no text, and in no file that belongs to the script. What is decorated is known to who
decorates it, and what inherits to what it inherits from, which may build it by a name in a configuration.

Scripts run as they stand; whoever imports a library calls what its own files do not, except what is private by its
name, `_embedded`, and what is inside of another function: these are for the library alone. Unknown is a file that looks
names up, `globals()[name]`, `fire.Fire()`: everything in it may run.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, walk
from mllint.semantics.syntax.reachability import is_unreachable
from mllint.semantics.values.failing import Unreached, find_unreached

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["Definition", "runs_for_nobody"]

_LOOKING_UP = frozenset("Fire globals getattr vars import_module __dict__ attrgetter".split())
_REACHING_IN = frozenset("locals vars exec global".split())
_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_NAME_LENGTH = 100  # a text that is no name

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def runs_for_nobody(module: ModuleScope, node: Node, project: Project) -> bool:
    """Whether a node stands where nothing ever runs, in a function inside of another one that does not name it, or in a
    function or a class that is private, or of a script, and that nobody names.

    Args:
        module: the file.
        node: a node of it.
        project: the files that belong to it.
    """
    if is_unreachable(module, node):
        return True
    line = getattr(node, "lineno", 0)
    never = [*_unnamed_inside(module), *(find_unreached(module).lines if _is_script(module) else [])]
    if any(first <= line <= last for first, last in never):
        return True
    spots = _unnamed_here(module)
    if not any(first <= line <= last for first, last, _ in spots):
        return False
    others = [m for m in project.modules if m is not module and not m.is_stub]
    names = [name for first, last, name in spots if first <= line <= last]
    return not all(any(name in m.source.names() and name in _lines_by_name(m) for m in others) for name in names)


@cached(local=True)
def _unnamed_here(module: ModuleScope) -> list[tuple[int, int, str]]:
    """The first and the last line, and the name, of what a file defines for its own program and does not name outside
    of it."""
    if module.source.mentions(_LOOKING_UP):
        return []
    in_script = _is_script(module)
    used = _lines_by_name(module)
    found = []
    for defined in _definitions(module.body.node.body):
        first, last = defined.lineno, defined.end_lineno or defined.lineno
        own = in_script or defined.name.startswith("_")
        plain = own and not defined.decorator_list and not defined.name.startswith("__")
        if plain and all(first <= line <= last for line in used.get(defined.name, ())):
            found.append((first, last, defined.name))
    return found


@cached(local=True)
def _unnamed_inside(module: ModuleScope) -> list[tuple[int, int]]:
    """The first and the last line of each function that is defined inside of another one and not named there."""
    if module.source.mentions(_REACHING_IN):
        return []
    found = []
    for function in module.functions:
        inner, around = function.node, function.parent
        if not isinstance(around, FunctionScope) or around.is_body or isinstance(inner, ast.Lambda):
            continue
        lines = (n for n in _lines_by_name(module).get(inner.name, ()) if not inner.lineno <= n <= inner.end_lineno)
        if not inner.decorator_list and not any(around.node.lineno <= n <= around.node.end_lineno for n in lines):
            found.append((inner.lineno, inner.end_lineno))
    return found


def _is_script(module: ModuleScope) -> bool:
    """Does a file ask whether it is run itself: `if __name__ == "__main__":`?"""
    tests = (s.test for s in module.body.node.body if isinstance(s, ast.If))
    names = (n.id for test in tests for n in walk(test) if isinstance(n, ast.Name))
    return module.source.cells is None and "__name__" in names


def _definitions(block: list[Node]) -> list[Definition]:
    """The functions of a file, its classes that inherit nothing, and their methods."""
    found: list[Definition] = []
    for statement in block:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(statement)
        elif isinstance(statement, ast.ClassDef) and not statement.bases and not statement.keywords:
            found += [statement, *_definitions(statement.body)]
    return found


@cached(local=True)
def _lines_by_name(module: ModuleScope) -> dict[str, list[int]]:
    """The lines on which each name stands, where it is not defined: also imported, as an attribute, or in a text; not
    those that a script never reaches."""
    found: dict[str, list[int]] = {}
    unreached = find_unreached(module) if _is_script(module) else Unreached([], frozenset())
    for name in module.body.nodes_of(ast.Name):
        if id(name) not in unreached.nodes and not unreached.holds(name):
            found.setdefault(name.id, []).append(name.lineno)
    for attribute in module.body.nodes_of(ast.Attribute):
        found.setdefault(attribute.attr, []).append(attribute.lineno)
    for alias in module.body.nodes_of(ast.alias):
        found.setdefault(alias.name.rpartition(".")[2], []).append(alias.lineno)
    for text in module.body.nodes_of(ast.Constant):
        if isinstance(text.value, str) and len(text.value) < _MAX_NAME_LENGTH:
            for word in _WORD.findall(text.value):
                found.setdefault(word, []).append(text.lineno)
    return found
