"""Which bindings reach a use under a test that was asked before: the same question has the same answer.

    criterion = make()
    if args.soft:
        criterion = BCEWithLogitsLoss()
    ...
    if args.soft:
        loss = criterion(scores, y)      # the second binding alone

`names` finds what reaches a use over every path of a function. Here the paths are left out on which a test has two
answers: a binding in the other branch of an equal test, and one that an equal branch above has replaced. The test is of
names, attributes and constants, its names are bound alike at both places, and what it asks of `self` is written by
`__init__` alone. Two tests are compared as they are written, `not` aside; nothing is computed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import place, walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, Function

__all__ = ["possible"]

_ASKING = (
    ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.expr_context, ast.cmpop,
    ast.boolop, ast.unaryop,
)  # fmt: skip


_BLOCKS = ("body", "orelse", "finalbody")


class _Asked(NamedTuple):
    """A test: how it is written, its statement, whether it is without a `not`, and the block that it stands in."""

    key: tuple[Any, ...]
    test: ast.If
    plain: bool
    block: list[Any]


def possible(node: Any, bindings: tuple[Binding, ...], function: Function) -> tuple[Binding, ...]:
    """The bindings that can reach a use.

    Args:
        node: the use, a name.
        bindings: those that reach it over any path, more than one.
        function: where it is written.
    """
    asked = _repeated_tests(function)
    if not asked:
        return bindings
    out = {
        id(b)
        for use, side in _around(node.lineno, asked)
        for b in _excluded_bindings(use, side, asked, bindings, function)
    }
    return tuple(b for b in bindings if id(b) not in out) or bindings


def _excluded_bindings(
    use: ast.If, side: bool, asked: list[_Asked], bindings: tuple[Binding, ...], function: Function
) -> Iterator[Binding]:
    """The bindings that an equal test above the one around a use leaves out."""
    question = next(one.key for one in asked if one.test is use)
    for key, above, plain, block in asked:
        if key != question or above is use or not _precedes(above, use, block) or not _is_same(above, use, function):
            continue
        own, other = (above.body, above.orelse) if side is plain else (above.orelse, above.body)
        replaced = any(_is_in(b, own, directly=True) for b in bindings)
        for binding in bindings:
            line = getattr(binding.node, "lineno", 0)
            if _is_in(binding, other) or (replaced and (binding.kind == "param" or line < above.lineno)):
                yield binding


def _around(line: int, asked: list[_Asked]) -> Iterator[tuple[ast.If, bool]]:
    """The tests around a line that are asked elsewhere as well, each with its answer there."""
    for _, test, plain, _ in asked:
        for branch, side in ((test.body, plain), (test.orelse, not plain)):
            if branch and branch[0].lineno <= line <= (branch[-1].end_lineno or 0):
                yield test, side


@cached_per_scope(local=True)
def _repeated_tests(function: Function) -> list[_Asked]:
    """The tests of a function that are asked more than once."""
    if isinstance(function.node, ast.Lambda):
        return []
    tests = [(s, block) for block in _blocks(function.body) for s in block if isinstance(s, ast.If)]
    found: list[_Asked] = []
    for test, block in tests if len(tests) > 1 else ():
        asked, plain = test.test, True
        while isinstance(asked, ast.UnaryOp) and isinstance(asked.op, ast.Not):
            asked, plain = asked.operand, not plain
        if not isinstance(asked, ast.Constant) and all(isinstance(n, _ASKING) for n in walk(asked)):
            found.append(_Asked(_written(asked), test, plain, block))
    keys = [one.key for one in found]
    return [one for one in found if keys.count(one.key) > 1]


def _written(test: Any) -> tuple[Any, ...]:
    """How a test is written: equal for two tests that are, whatever space is in them."""
    found: list[Any] = []
    for node in walk(test):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.append(name)
            case ast.Constant(value=value):
                found.append((value.__class__, repr(value)))
            case ast.Compare(ops=ops):
                found += (op.__class__ for op in ops)
            case ast.BoolOp(op=op, values=values):
                found += (op.__class__, len(values))
            case ast.UnaryOp(op=op):
                found.append(op.__class__)
        found.append(node.__class__)
    return tuple(found)


def _blocks(body: list[Any]) -> Iterator[list[Any]]:
    """A block and all blocks in it, those of nested functions and classes included."""
    stack = [body]
    while stack:
        block = stack.pop()
        yield block
        for statement in block:
            for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                for field in _BLOCKS:
                    inner = getattr(part, field, None)
                    if inner:
                        stack.append(inner)


def _precedes(above: ast.If, use: ast.If, block: list[Any]) -> bool:
    """Does a statement of a block stand above one that lies in it too, so that each way to that passes it?"""
    if above.lineno >= use.lineno:
        return False
    return any(s.lineno > above.lineno and s.lineno <= use.lineno <= (s.end_lineno or 0) for s in block)


def _is_same(above: ast.If, use: ast.If, function: Function) -> bool:
    """Have two tests that are written alike the same answer: are their names bound alike?"""
    at = reaching(function).at
    for one, other in zip(_tested_places(above.test), _tested_places(use.test), strict=True):
        if at.get(id(one)) != at.get(id(other)) or not _is_settled(one, function):
            return False
    return True


def _tested_places(test: Any) -> list[Any]:
    """The names and attributes in a test, without any `not` around it."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return [n for n in walk(test) if isinstance(n, (ast.Name, ast.Attribute))]


def _is_settled(node: Any, function: Function) -> bool:
    """Is what a test asks of `self` written by `__init__` alone, where it is an attribute of `self`?"""
    name = place(node) or ""
    if not name.startswith("self."):
        return True
    methods = function.owner.methods.values() if function.owner is not None else ()
    return name != "self.training" and all(m.name == "__init__" for m in methods if name in m.bindings)


def _is_in(binding: Binding, block: list[Any], *, directly: bool = False) -> bool:
    """Is a binding written in a block, and, if that is asked, in no loop or branch of it?"""
    line = getattr(binding.node, "lineno", 0)
    around = [s for s in block if s.lineno <= line <= (s.end_lineno or 0)]
    return bool(around) and (not directly or isinstance(around[0], (ast.Assign, ast.AnnAssign)))
