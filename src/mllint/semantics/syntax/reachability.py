"""Can a statement run at all, by what is written around it?

    if False:
        loss = criterion(softmax(x), y)    # never
    raise NotImplementedError
    loss = criterion(softmax(x), y)        # never

A constant test decides a branch; what stands behind `return`, `raise`, `break`, `continue` or `sys.exit()` in the same
block never runs. Nothing is evaluated: a setting that is False everywhere is for `values` to know.

In a notebook a cell that raises ends no program, since the next one is run by hand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.nodes import BODIES, Node, place

__all__ = ["is_unreachable"]

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_EXITS = ("sys.exit", "os._exit", "exit", "quit")


def is_unreachable(module: ModuleScope, node: Node) -> bool:
    """Whether a node of a file stands where nothing ever runs."""
    line = getattr(node, "lineno", 0)
    return any(first <= line <= last for first, last in _dead_lines(module))


@cached(local=True)
def _dead_lines(module: ModuleScope) -> list[tuple[int, int]]:
    """The first and the last lines of the statements that never run."""
    in_cells = getattr(module.source, "cells", None) is not None
    return [(s.lineno, s.end_lineno or s.lineno) for s in _dead(module.body.node, ends=not in_cells)]


def _dead(parent: Node, *, ends: bool = True) -> Iterator[ast.stmt]:
    """The statements below another one that never run.

    Args:
        parent: a statement, or the file.
        ends: may a statement end its block?
    """
    never = _decided(parent)
    clauses = (*getattr(parent, "handlers", ()), *getattr(parent, "cases", ()))
    for block in [*(getattr(parent, name, ()) for name in BODIES), *(clause.body for clause in clauses)]:
        left = block is never
        if not isinstance(block, list):
            continue
        for statement in block:
            if left:
                yield statement
            else:
                yield from _dead(statement)
            left = left or (ends and _leaves(statement))


def _decided(statement: Node) -> Node:
    """The block of an `if` or a `while` that a constant test rules out; None if there is none."""
    if not isinstance(statement, (ast.If, ast.While)):
        return None
    truth = _truth(statement.test)
    if truth is False:
        return statement.body
    return statement.orelse if truth is True and isinstance(statement, ast.If) else None


def _truth(test: Node) -> bool | None:
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.BoolOp(op=ast.And(), values=values):
            return False if any(_truth(value) is False for value in values) else None
    return None


def _leaves(statement: ast.stmt) -> bool:
    """Does what stands behind a statement, in the same block, never run?"""
    if isinstance(statement, _LEAVES):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and place(call.func) in _EXITS
