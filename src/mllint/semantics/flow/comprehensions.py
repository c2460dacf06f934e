"""A comprehension is a loop: which one?

    losses = [step(x, y) for x, y in loader if len(x)]

    for x, y in loader:                        # what the walk over statements goes through in its place
        if len(x):
            step(x, y)

The parts of the loop are those of the comprehension, so that an event in it is where it was written. A comprehension
stands for the same loop in each flow. That a generator expression begins when somebody reads it is left out: nearly all
are read where they stand.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.nodes import Node

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["COMPREHENSIONS", "as_loops"]

COMPREHENSIONS = frozenset((ast.DictComp, ast.ListComp, ast.SetComp, ast.GeneratorExp))
_LOOPS: Cache[int, ast.For] = Cache()
"""The loops that comprehensions stand for, by their ids."""


def as_loops(node: Node, project: Project) -> ast.For:
    """The loop that a comprehension stands for, with those inside of it.

    Args:
        node: the comprehension.
        project: what it lies in.
    """
    known = _LOOPS.of(project)
    if id(node) not in known:
        known[id(node)] = _spelled_out(node)
    return known[id(node)]


def _spelled_out(node: Node) -> ast.For:
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(part), part) for part in parts]
    first, *others = node.generators
    for each in reversed(others):
        body = [ast.copy_location(ast.For(each.target, each.iter, _behind_conditions(each, body), []), node)]
    return ast.copy_location(ast.For(first.target, first.iter, _behind_conditions(first, body), []), node)


def _behind_conditions(each: ast.comprehension, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements behind the conditions of a part of a comprehension."""
    for test in reversed(each.ifs):
        body = [ast.copy_location(ast.If(test, body, []), test)]
    return body
