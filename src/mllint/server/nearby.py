"""Which flows may an edit have changed? By form, so that the others need not be followed again at once.

An edit that stays inside of functions and classes concerns the functions that may enter one of these, one in the
program below them (`if __name__ == "__main__":`) the program; one that touches imports or what the file defines may
concern all. What this leaves out, such as a value that comes by another way than a call, is asked about when nobody
types.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mllint.semantics.syntax.module import FunctionScope, ModuleScope
    from mllint.semantics.values.project import Project
    from mllint.server.kept import File

__all__ = ["entering", "touched"]

_RUN = (ast.If, ast.For, ast.While, ast.With, ast.Expr)


def touched(old: File, new: File) -> frozenset[str] | None:
    """The functions and classes of a file that an edit lies in.

    Args:
        old: the file before, parsed and indexed.
        new: the file now, parsed.

    Returns:
        The names of those that stand by themselves in the file, "" for what runs when it is run or imported; None if
        the edit is not only in such, or in a notebook.
    """
    if old.dropped or old.broken or new.broken:
        return None
    before, after = old.source(), new.source()
    if before.cells is not None or after.cells is not None:
        return None
    was, now = before.tree().body, after.tree().body
    if len(was) != len(now):
        return None
    found: set[str] = set()
    for one, other in zip(was, now, strict=True):
        if _written(one, before.lines()) == _written(other, after.lines()):
            continue
        name = getattr(one, "name", "")
        if one.__class__ is not other.__class__ or getattr(other, "name", "") != name:
            return None
        if not (name or isinstance(one, _RUN)):
            return None
        found.add(name)
    return frozenset(found)


def _written(node: ast.stmt, lines: list[str]) -> list[str]:
    """The lines of a statement and its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return lines[first - 1 : node.end_lineno]


def entering(edited: Mapping[str, frozenset[str]], modules: Iterable[ModuleScope], project: Project) -> frozenset[int]:
    """The ids of the functions that may enter what was edited, and of what was edited.

    Args:
        edited: what `touched` says of each file that was edited.
        modules: those of the project.
        project: whose functions may call each other.
    """
    starts: dict[int, FunctionScope] = {}
    classes: set[str] = set()
    for module in modules:
        names = edited.get(module.source.path)
        if names:
            classes.update(cls.name for cls in module.classes if cls.qualname in names)
            starts.update((id(f), f) for f in module.functions if f.qualname.partition(".")[0] in names)
    if classes:
        starts.update(project.reach.calling(classes))
    return project.reach.reaching(starts.values())
