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

A name may hold the answer of a test, `trains = phase == "train"` (`find_held_test`): to ask it is to ask the test, as
long as nothing that the test names is bound anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import BODIES, Node, place, walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope

__all__ = ["find_held_test", "possible_bindings"]

_ASKING = (
    ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.expr_context, ast.cmpop,
    ast.boolop, ast.unaryop,
)  # fmt: skip
_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)


class _Asked(NamedTuple):
    """A test: how it is written, its statement, whether it is without a `not`, the block that it stands in, and what it
    asks: for a name that holds an answer, the test that was answered."""

    key: tuple[object, ...]
    test: ast.If
    plain: bool
    block: list[Node]
    question: Node


def possible_bindings(node: Node, bindings: tuple[Binding, ...], function: FunctionScope) -> tuple[Binding, ...]:
    """The bindings that can reach a use.

    Args:
        node: the use, a name.
        bindings: those that reach it over any path, more than one.
        function: where it is written.
    """
    tests = _repeated_tests(function)
    if not tests:
        return bindings
    out = {
        id(b)
        for use, side in _around(node.lineno, tests)
        for b in _excluded_bindings(use, side, tests, bindings, function)
    }
    return tuple(b for b in bindings if id(b) not in out) or bindings


def find_held_test(node: Node, function: FunctionScope) -> Node:
    """The test that a name holds the answer of, where to ask the name is to ask the test; None where there is none.

    Args:
        node: the name, where it is asked.
        function: where it is written.
    """
    found = bound_at(node, function) if node.__class__ is ast.Name else ()
    if len(found) != 1 or found[0].kind != "assign" or not isinstance(found[0].value, _TESTS) or found[0].path:
        return None
    held, first = found[0].value, found[0].value.lineno
    block = _block_around(first, function)
    inside = (s for s in block if first < s.lineno <= node.lineno <= (s.end_lineno or 0))
    last = next((s.end_lineno or 0 for s in inside), 0)
    tested = {place(n) for n in walk(held) if isinstance(n, (ast.Name, ast.Attribute))}
    bound = (b for name in tested for b in function.bindings.get(name or "", ()))
    changed = any(first < getattr(b.node, "lineno", 0) <= last for b in bound)
    return None if last == 0 or changed else held


def _block_around(line: int, function: FunctionScope) -> list[Node]:
    """The innermost block of a function that a line stands in."""
    found, block = function.body, function.body
    while block:
        found = block
        around = [s for s in block if s.lineno <= line <= (s.end_lineno or 0)]
        parts = [p for s in around for p in (s, *getattr(s, "handlers", ()), *getattr(s, "cases", ()))]
        inner = [b for p in parts for b in (getattr(p, field, None) or [] for field in BODIES) if b]
        block = next((b for b in inner if b[0].lineno <= line <= (b[-1].end_lineno or 0)), [])
    return found


def _excluded_bindings(
    use: ast.If, side: bool, tests: list[_Asked], bindings: tuple[Binding, ...], function: FunctionScope
) -> Iterator[Binding]:
    """The bindings that an equal test above the one around a use leaves out."""
    own_key, own_question = next((one.key, one.question) for one in tests if one.test is use)
    for key, above, plain, block, question in tests:
        if key != own_key or above is use or not _precedes(above, use, block):
            continue
        if not _is_same(question, own_question, function):
            continue
        own, other = (above.body, above.orelse) if side is plain else (above.orelse, above.body)
        replaced = any(_is_in(b, own, directly=True) for b in bindings)
        for binding in bindings:
            line = getattr(binding.node, "lineno", 0)
            if _is_in(binding, other) or (replaced and (binding.kind == "param" or line < above.lineno)):
                yield binding


def _around(line: int, tests: list[_Asked]) -> Iterator[tuple[ast.If, bool]]:
    """The tests around a line that are asked elsewhere as well, each with its answer there."""
    for _, test, plain, _, _ in tests:
        for branch, side in ((test.body, plain), (test.orelse, not plain)):
            if branch and branch[0].lineno <= line <= (branch[-1].end_lineno or 0):
                yield test, side


@cached_per_scope(local=True)
def _repeated_tests(function: FunctionScope) -> list[_Asked]:
    """The tests of a function that are asked more than once."""
    if isinstance(function.node, ast.Lambda):
        return []
    tests = [(s, block) for block in _blocks(function.body) for s in block if isinstance(s, ast.If)]
    found: list[_Asked] = []
    if len(tests) > 1:
        for test, block in tests:
            condition, plain = test.test, True
            while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
                condition, plain = condition.operand, not plain
            condition = (find_held_test(condition, function) if condition.__class__ is ast.Name else None) or condition
            if not isinstance(condition, ast.Constant) and all(isinstance(n, _ASKING) for n in walk(condition)):
                found.append(_Asked(_written(condition), test, plain, block, condition))
    keys = [one.key for one in found]
    return [one for one in found if keys.count(one.key) > 1]


def _written(test: Node) -> tuple[object, ...]:
    """How a test is written: equal for two tests that are, whatever space is in them."""
    found: list[object] = []
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


def _blocks(body: list[Node]) -> Iterator[list[Node]]:
    """A block and all blocks in it, those of nested functions and classes included."""
    stack = [body]
    while stack:
        block = stack.pop()
        yield block
        for statement in block:
            for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                for field in BODIES:
                    inner = getattr(part, field, None)
                    if inner:
                        stack.append(inner)


def _precedes(above: ast.If, use: ast.If, block: list[Node]) -> bool:
    """Does a statement of a block stand above one that lies in it too, so that each way to that passes it?"""
    if above.lineno >= use.lineno:
        return False
    return any(s.lineno > above.lineno and s.lineno <= use.lineno <= (s.end_lineno or 0) for s in block)


def _is_same(above: Node, use: Node, function: FunctionScope) -> bool:
    """Have two tests that are written alike the same answer: are their names bound alike?"""
    at = reaching(function).at
    for one, other in zip(_tested_places(above), _tested_places(use), strict=True):
        if at.get(id(one)) != at.get(id(other)) or not _is_settled(one, function):
            return False
    return True


def _tested_places(test: Node) -> list[Node]:
    """The names and attributes in a test."""
    return [n for n in walk(test) if isinstance(n, (ast.Name, ast.Attribute))]


def _is_settled(node: Node, function: FunctionScope) -> bool:
    """Is what a test asks of `self` written by `__init__` alone, where it is an attribute of `self`?"""
    name = place(node) or ""
    if not name.startswith("self."):
        return True
    methods = function.owner.methods.values() if function.owner is not None else ()
    return name != "self.training" and all(m.name == "__init__" for m in methods if name in m.bindings)


def _is_in(binding: Binding, block: list[Node], *, directly: bool = False) -> bool:
    """Is a binding written in a block, and, if that is asked, in no loop or branch of it?"""
    line = getattr(binding.node, "lineno", 0)
    around = [s for s in block if s.lineno <= line <= (s.end_lineno or 0)]
    return bool(around) and (not directly or isinstance(around[0], (ast.Assign, ast.AnnAssign)))
