"""What taking a branch assumes: the test of an `if` as literals over unchanged names.

`(i + 1) % k == 0` and its `!=`, `not flag` and `flag`, `scaler is None` and `scaler is not None` get the same key with
opposite polarity. A name stands in the key with the bindings that reach it, so that a re-bound name makes another key.
A
test with a call in it has no key (it may answer differently the next time), and so assumes nothing; but for a predicate
by its name (`requires_closure(optimizer)`), which answers alike for the same arguments.
"""

from __future__ import annotations

import _ast as ast

from mllint._typing import Any
from mllint.semantics.flow import Literal
from mllint.semantics.frames import Frame
from mllint.semantics.names import reaching
from mllint.semantics.values import Value

__all__ = ["literals"]

_PREDICATES = tuple(f"{word}_" for word in "is has need needs require requires support supports".split())
_NEGATIVE = {ast.NotEq: "Eq", ast.IsNot: "Is", ast.NotIn: "In", ast.GtE: "Lt", ast.LtE: "Gt"}


def literals(test: Any, polarity: bool, frame: Frame) -> tuple[Literal, ...]:
    """The assumptions behind taking the branch where `test` is `polarity`; none where nothing can be concluded."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return literals(test.operand, not polarity, frame)
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) == polarity:
            return tuple(found for value in test.values for found in literals(value, polarity, frame))
        return ()
    passed = _passed(test, frame)
    if passed is not None:
        return literals(passed[0], polarity, passed[1])
    bindings: list[tuple[int, int]] = []
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        word = test.ops[0].__class__
        name = _NEGATIVE.get(word, word.__name__)
        left, right = _key(test.left, frame, bindings), _key(test.comparators[0], frame, bindings)
        if left is None or right is None:
            return ()
        return (Literal((frame.key, name, left, right), polarity != (word in _NEGATIVE), tuple(bindings), frame.key),)
    key = _key(test, frame, bindings)
    return (Literal((frame.key, key), polarity, tuple(bindings), frame.key),) if key is not None else ()


def choices(call: ast.Call, alternatives: list[Value], frame: Frame) -> list[tuple[Literal, ...]]:
    """What taking each alternative of a method call assumes: that the receiver is of its kind, and of no other's."""
    bindings: list[tuple[int, int]] = []
    base = _key(call.func.value, frame, bindings) if isinstance(call.func, ast.Attribute) else None
    kinds = [_receivers(v) for v in alternatives]
    if base is None:
        return [()] * len(alternatives)
    rests, every = tuple(bindings), [kind for group in kinds for kind in group]
    return [
        tuple(Literal((frame.key, "is", base, kind), kind in own, rests, frame.key) for kind in every) for own in kinds
    ]


def _receivers(method: Value) -> list[Any]:
    """The classes (or objects, where no class is known) of what a bound method is bound to."""
    if method.kind != "function" or method.receiver is None:
        return ["something else"]
    return [id(v.of) if v.kind == "instance" else (v.kind, v.identity) for v in method.receiver.alternatives]


def _passed(node: Any, frame: Frame) -> tuple[Any, Frame] | None:
    """The caller's expression behind a name that is a parameter here and nothing else."""
    if not isinstance(node, ast.Name) or not frame.bound:
        return None
    found = reaching(frame.function).at.get(id(node), ())
    thing = frame.bound.get(node.id)
    return (
        thing if len(found) == 1 and found[0].kind == "param" and isinstance(thing, tuple) and len(thing) == 2 else None
    )


def _key(node: Any, frame: Frame, bindings: list[tuple[int, int]]) -> Any:
    match node:
        case ast.Constant(value=value):
            return ("constant", repr(value))
        case ast.Name(id=name):
            return _name(node, name, frame, bindings)
        case ast.Attribute(value=inner, attr=attr):
            base = _key(inner, frame, bindings)
            return None if base is None else ("attribute", base, attr)
        case ast.Subscript(value=inner, slice=index):
            parts = (_key(inner, frame, bindings), _key(index, frame, bindings))
            return None if None in parts else ("item", *parts)
        case ast.BinOp(left=left, op=op, right=right):
            parts = (_key(left, frame, bindings), _key(right, frame, bindings))
            return None if None in parts else (op.__class__.__name__, *parts)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            parts = (_key(left, frame, bindings), _key(right, frame, bindings))
            return None if None in parts else (op.__class__.__name__, *parts)
        case ast.Call(func=ast.Name(id="len"), args=[inner], keywords=[]):
            base = _key(inner, frame, bindings)
            return None if base is None else ("len", base)
        case ast.Call(func=ast.Name(id=name), args=[_, *_], keywords=[]) if name.lstrip("_").startswith(_PREDICATES):
            given = tuple(_key(argument, frame, bindings) for argument in node.args)
            return None if None in given else ("call", name, *given)
    return None


def _name(node: ast.Name, name: str, frame: Frame, bindings: list[tuple[int, int]]) -> Any:
    passed = _passed(node, frame)
    if passed is not None:
        return _key(passed[0], passed[1], bindings)
    found = reaching(frame.function).at.get(id(node))
    if found is None:
        return ("global", name)
    for binding in found:
        line = getattr(binding.node, "lineno", 0)
        bindings.append((frame.key, line))
    if any(b.kind == "del" for b in found):
        return None
    return ("name", name, tuple(sorted(id(b) for b in found)))
