"""What taking a branch assumes: the test of an `if` as assumptions over unchanged names.

`(i + 1) % k == 0` and its `!=`, `not flag` and `flag`, `scaler is None` and `scaler is not None` get the same key with
opposite polarity. A name stands in the key with the bindings that reach it, so that a re-bound name makes another key;
an argument with those of what was passed. A name that holds the answer of a test assumes what the test does. An
attribute of an object is the same in all its methods. A test with a call in it has no key (it may answer differently
the next time), and so assumes nothing; but for a predicate by its name (`requires_closure(optimizer)`), `len` and
`type`, which answer alike for the same arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from mllint.semantics.flow.flags import flag_assumption
from mllint.semantics.flow.flow import PathCondition
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.correlated import find_held_test
from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, last_name, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import may_set_by_setattr
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import (
    BuiltinValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    UnknownValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope

__all__ = ["Key", "assumptions", "both", "choices", "first_round"]

Key: TypeAlias = tuple[Hashable, ...]
"""What a test asks, so that tests are equal that ask the same of the same bindings."""

_PREDICATES = tuple(f"{word}_" for word in "is has need needs require requires should support supports".split())
_NEGATIVE = {ast.NotEq: "Eq", ast.IsNot: "Is", ast.NotIn: "In", ast.GtE: "Lt", ast.LtE: "Gt"}
_FIRST_ROUNDS: Cache[ast.AST, list[tuple[ast.expr, bool]]] = Cache()


def assumptions(test: Node, polarity: bool, frame: Frame) -> tuple[PathCondition, ...]:
    """The assumptions behind taking the branch where `test` is `polarity`; none where nothing can be concluded.

    Args:
        test: the test of an `if`.
        polarity: its answer.
        frame: where it is asked.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return assumptions(test.operand, not polarity, frame)
    constant = _compared_constant(test)
    if constant is not None:
        return assumptions(test.left, polarity == constant, frame)
    if isinstance(test, ast.BoolOp):
        each = test.values if isinstance(test.op, ast.And) == polarity else _undecided(test, frame)
        found = tuple(assumption for value in each for assumption in assumptions(value, polarity, frame))
        return (*_whole(test, polarity, frame), *found)
    passed = _passed(test, frame)
    if passed is not None:
        return assumptions(passed[0], polarity, passed[1])
    bindings: list[tuple[int, int]] = []
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        word = test.ops[0].__class__
        name = _NEGATIVE.get(word, word.__name__)
        left, right = _key(test.left, frame, bindings), _key(test.comparators[0], frame, bindings)
        if left is None or right is None:
            return ()
        if name == "Gt" and _is_least_count(test.comparators[0]):
            return (_assumption(("Eq", left, right), polarity == (word in _NEGATIVE), bindings, frame),)
        return (_assumption((name, left, right), polarity != (word in _NEGATIVE), bindings, frame),)
    key = _key(test, frame, bindings)
    found = (_assumption((key,), polarity, bindings, frame),) if key is not None else ()
    if not isinstance(test, ast.Name):
        return found
    held = find_held_test(test, frame.function)
    behind = assumptions(held, polarity, frame) if held is not None else ()
    return (*found, *flag_assumption(test, polarity, frame), *behind)


def both(test: Node, frame: Frame) -> tuple[tuple[PathCondition, ...], tuple[PathCondition, ...]]:
    """The assumptions behind either branch: where `test` holds, and where it does not."""
    holds = assumptions(test, True, frame)
    core = test
    while isinstance(core, ast.UnaryOp) and isinstance(core.op, ast.Not):
        core = core.operand
    if _compared_constant(core) is not None:
        core = core.left
    if isinstance(core, ast.BoolOp) or (isinstance(core, ast.Name) and (frame.bound or len(holds) > 1)):
        return holds, assumptions(test, False, frame)
    return holds, tuple(assumption._replace(polarity=not assumption.polarity) for assumption in holds)


def _is_least_count(bound: Node) -> bool:
    """Is it the number that a count has at least, 0 or 1? `k > 1` and `k == 1` leave nothing out."""
    return isinstance(bound, ast.Constant) and bound.value.__class__ is int and bound.value in (0, 1)


def _compared_constant(test: Node) -> bool | None:
    """The constant that a flag is compared with: `train == False`, `train is False` say no more than `not train`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Eq, ast.Is)):
        return None
    given = test.comparators[0]
    constant = given.value if isinstance(given, ast.Constant) else None
    return constant if constant is True or constant is False else None


def _undecided(test: ast.BoolOp, frame: Frame) -> list[Node]:
    """The one operand that decides, where this context knows all others: `f(x)` of `key == "train" and f(x)`."""
    neutral = isinstance(test.op, ast.And)
    left = [value for value in test.values if evaluate(value, frame).truth is not neutral]
    return left if len(left) == 1 else []


def _whole(test: ast.BoolOp, polarity: bool, frame: Frame) -> tuple[PathCondition, ...]:
    """A conjunction or disjunction as one assumption."""
    bindings: list[tuple[int, int]] = []
    keys = tuple(_key(value, frame, bindings) for value in test.values)
    return () if None in keys else (_assumption((test.op.__class__.__name__, *keys), polarity, bindings, frame),)


def _assumption(key: Key, polarity: bool, bindings: list[tuple[int, int]], frame: Frame) -> PathCondition:
    """An assumption that belongs to the functions whose bindings it rests on; to none if it rests on none."""
    scopes = tuple(sorted({scope for scope, _ in bindings}))
    return PathCondition((scopes, *key), polarity, tuple(bindings), frame.key)


def choices(call: ast.Call, alternatives: list[Value], frame: Frame) -> list[tuple[PathCondition, ...]]:
    """What taking each alternative of a call assumes: that the receiver is of its kind, and of no other's; or that the
    name of a function, which may stand for several, is that one.

    Args:
        call: the call.
        alternatives: what it may call.
        frame: where the call stands.
    """
    bindings: list[tuple[int, int]] = []
    named = isinstance(call.func, ast.Name)
    kinds: list[list[Hashable]] = [[_identity_of(v)] if named else _receivers(v) for v in alternatives]
    if named:
        base = _key(call.func, frame, bindings)
    else:
        base = _key(call.func.value, frame, bindings) if isinstance(call.func, ast.Attribute) else None
    if base is None:
        return [()] * len(alternatives)
    every = [kind for group in kinds for kind in group]
    return [tuple(_assumption(("is", base, kind), kind in own, bindings, frame) for kind in every) for own in kinds]


def first_round(loop: Node, frame: Frame) -> tuple[PathCondition, ...]:
    """What the tests of a loop's counter answer in its first iteration: `i == 0` of `for i, x in enumerate(xs)`."""
    known = _FIRST_ROUNDS.of(frame.project)
    if loop not in known:
        known[loop] = list(_first_tests(loop))
    return tuple(assumption for test, holds in known[loop] for assumption in assumptions(test, holds, frame))


def _first_tests(loop: Node) -> Iterator[tuple[Node, bool]]:
    """The tests in a loop that ask whether its counter is at the start, and their answers there."""
    name = _counter(loop)
    if not name:
        return
    for test in (n.test for s in loop.body for n in walk(s) if isinstance(n, ast.If)):
        for part in walk(test):
            match part:
                case ast.Compare(left=ast.Name(id=left), ops=[op], comparators=[ast.Constant(value=0)]) if left == name:
                    if isinstance(op, (ast.Eq, ast.LtE, ast.NotEq, ast.Gt)):
                        yield part, isinstance(op, (ast.Eq, ast.LtE))
        core = test.operand if isinstance(test, ast.UnaryOp) else test
        if isinstance(core, ast.Name) and core.id == name:
            yield core, False


def _counter(loop: Node) -> str:
    """The name that counts the iterations of a loop from zero; empty if none does."""
    iterates = loop.iter
    while isinstance(iterates, ast.Call) and last_name(iterates.func) == "tqdm" and iterates.args:
        iterates = iterates.args[0]
    if isinstance(iterates, ast.Call) and len(iterates.args) == 1 and not iterates.keywords:
        match last_name(iterates.func), loop.target:
            case "enumerate", ast.Tuple(elts=[ast.Name(id=name), *_]):
                return name
            case "range" | "trange", ast.Name(id=name):
                return name
    return ""


def _identity_of(value: Value) -> FunctionScope | ClassScope | str | None:
    """What a value is about: a function, a class, or a name."""
    match value:
        case FunctionValue():
            return value.target
        case InstanceValue() | ClassValue():
            return value.cls
        case UnknownValue() | BuiltinValue():
            return value.name
    return None


def _receivers(method: Value) -> list[Hashable]:
    """The classes (or objects, where no class is known) of what a bound method is bound to."""
    if not isinstance(method, FunctionValue) or method.receiver is None:
        return ["something else"]
    return [
        id(v.cls) if isinstance(v, InstanceValue) else (v.__class__, v.identity) for v in method.receiver.alternatives
    ]


def _passed(node: Node, frame: Frame) -> Passed | None:
    """The caller's expression behind a name that is a parameter here and nothing else."""
    if not isinstance(node, ast.Name) or not frame.bound:
        return None
    found = bound_at(node, frame.function)
    thing = frame.bound.get(node.id)
    return thing if len(found) == 1 and found[0].kind == "param" and isinstance(thing, Passed) else None


def _key(node: Node, frame: Frame, bindings: list[tuple[int, int]]) -> Key | None:
    match node:
        case ast.Constant(value=value):
            return ("constant", repr(value))
        case ast.Name(id=name):
            return _name(node, name, frame, bindings)
        case ast.Attribute(value=inner, attr=attr):
            return _attribute(inner, attr, frame, bindings)
        case ast.Subscript(value=inner, slice=index):
            parts = (_key(inner, frame, bindings), _key(index, frame, bindings))
            return None if None in parts else ("item", *parts)
        case ast.BinOp(left=left, op=op, right=right):
            parts = (_key(left, frame, bindings), _key(right, frame, bindings))
            return None if None in parts else (op.__class__.__name__, *parts)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            parts = (_key(left, frame, bindings), _key(right, frame, bindings))
            return None if None in parts else (op.__class__.__name__, *parts)
        case ast.Call(func=ast.Name(id="len" | "type" as name), args=[inner], keywords=[]):
            asked = _key(inner, frame, bindings)
            return None if asked is None else (name, asked)
        case ast.Call(func=ast.Name(id=name), args=[_, *_], keywords=[]) if _is_predicate_name(name):
            given = tuple(_key(argument, frame, bindings) for argument in node.args)
            return None if None in given else ("call", name, *given)
        case ast.Call(func=ast.Attribute(value=ast.Attribute() as base, attr="is_enabled"), args=[], keywords=[]):
            state = _attribute(base, "is_enabled", frame, bindings)  # of a scaler, which is told when it is made
            return None if state is None else ("call", state)
        case ast.Call(func=ast.Attribute(value=ast.Name() as base, attr=name), keywords=[]) if _is_predicate_name(name):
            state = _attribute(base, name, frame, bindings)
            given = (state, *(_key(argument, frame, bindings) for argument in node.args))
            return None if None in given else ("call", *given)
    return None


def _is_predicate_name(name: str) -> bool:
    """Is it the name of a predicate, which answers alike for the same arguments?"""
    return name.lstrip("_").startswith(_PREDICATES) or name in ("isinstance", "hasattr", "callable")


def _attribute(inner: Node, attr: str, frame: Frame, bindings: list[tuple[int, int]]) -> Key | None:
    """The key of an attribute; one of `self` is the same in all methods, and in all iterations if it is settled."""
    owner = frame.function.owner
    own = frame.function.parameters[0].name if owner is not None and frame.function.parameters else ""
    if owner is not None and own and isinstance(inner, ast.Name) and inner.id == own:
        return ("self" if _is_settled(owner, attr) else "object", frame.self_value().identity, attr)
    base = _key(inner, frame, bindings)
    return None if base is None else ("attribute", base, attr)


def _is_settled(owner: ClassScope, attr: str) -> bool:
    """Is an attribute set by `__init__`, and by no other method of the class and its bases?"""
    own = [cls for cls in mro(owner) if not isinstance(cls, str) and not cls.module.is_stub]  # a stub assigns nothing
    methods = [m for cls in own for m in cls.methods.values() if m.parameters]
    setting = [m for m in methods if f"{m.parameters[0].name}.{attr}" in m.bindings]
    return bool(setting) and all(m.name == "__init__" for m in setting) and not may_set_by_setattr(owner, attr)


def _name(node: ast.Name, name: str, frame: Frame, bindings: list[tuple[int, int]]) -> Key | None:
    passed = _passed(node, frame)
    if passed is not None:
        before = len(bindings)
        key = _key(passed[0], passed[1], bindings)
        if key is not None:
            return key
        del bindings[before:]  # whatever it is, it stays the same while this function runs
    found = bindings_at(node, frame.function)
    if found is None:
        return ("global", id(frame.module), name)
    for binding in found:
        line = getattr(binding.node, "lineno", 0)
        bindings.append((frame.key, line))
    if any(b.kind == "del" for b in found):
        return None
    return ("name", name, tuple(sorted(id(b) for b in found)))
