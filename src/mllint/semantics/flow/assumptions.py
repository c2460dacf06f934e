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

from mllint.semantics.flow.flow import PathCondition
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.correlated import find_held_test
from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import may_set_by_setattr
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import (
    BuiltinValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    UnknownValue,
    Value,
    inherits,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope

__all__ = [
    "assumptions", "both", "branch_by_callback_presence", "branch_by_gradient_guard", "branch_by_inline_restore",
    "branch_by_mode_restore", "branch_by_module_guard", "choices", "first_round", "is_requires_grad_guard",
]  # fmt: skip

Key: TypeAlias = tuple[Hashable, ...]
"""What a test asks, so that tests are equal that ask the same of the same bindings."""

_PREDICATES = tuple(f"{word}_" for word in "is has need needs require requires should support supports".split())
_NEGATIVE = {ast.NotEq: "Eq", ast.IsNot: "Is", ast.NotIn: "In", ast.GtE: "Lt", ast.LtE: "Gt"}
_MODES = ("train", "eval")
_FIRST_ROUNDS: Cache[ast.AST, list[tuple[ast.expr, bool]]] = Cache()


def assumptions(test: Node, polarity: bool, frame: Frame) -> tuple[PathCondition, ...]:
    """The assumptions behind taking the branch where `test` is `polarity`; none where nothing can be concluded."""
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
    held = find_held_test(test, frame.function) if test.__class__ is ast.Name else None
    return (*found, *assumptions(held, polarity, frame)) if held is not None else found


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
    from mllint.semantics.values.evaluate import evaluate

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
    name of a function, which may stand for several, is that one."""
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


def branch_by_mode_restore(node: ast.If, frame: Frame) -> bool | None:
    """The branch to follow where a mode is saved and put back, None at any other `if`.

    `if was_training: model.train()` is followed: what was saved is taken for train mode, for in eval mode there was
    nothing to put back. `if model.training: model.eval()` leaves the model in eval mode whatever it was in before, as
    `if model.training != mode: model.train(mode)` leaves it in the mode that is wanted.
    """
    test, polarity = _bare(node.test)
    switched = [name for s in node.body if (name := _switched(s)) is not None]
    test = _mode_in(test)
    if _is_training_attribute(test):
        for branch, other, followed in ((node.body, node.orelse, True), (node.orelse, node.body, False)):
            if _owner(test) in map(_switched, branch) and not _is_named_in(_owner(test), other):
                return followed
        return None
    if not switched or not isinstance(test, (ast.Name, ast.Attribute)):
        return None
    saved: bool | None = _saved_mode(test, frame)
    if saved is None:
        return None
    return saved if polarity else not saved


def _bare(test: Node) -> tuple[Node, bool]:
    """What is asked by `not x`, `x is True` or `(was := x)`, and which answer is wanted."""
    polarity = True
    while True:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, polarity = test.operand, not polarity
        elif isinstance(test, ast.NamedExpr):
            test = test.value
        elif isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.Eq)):
            constant = getattr(test.comparators[0], "value", None)
            if len(test.ops) > 1 or not isinstance(constant, bool):
                return test, polarity
            test, polarity = test.left, polarity is constant
        else:
            return test, polarity


def branch_by_match_constant(case: Node, given: Value) -> bool | None:
    """Is a case of a `match` taken, unless one above it is: `case _:`, or `case "eval":` of that constant? None where
    it is unknown."""
    pattern = case.pattern
    if case.guard is None and _takes_all(pattern):
        return True
    if (
        not isinstance(given, LiteralValue)
        or not isinstance(pattern, ast.MatchValue)
        or not isinstance(pattern.value, ast.Constant)
    ):
        return None
    return (True if case.guard is None else None) if pattern.value.value == given.literal else False


def _takes_all(pattern: ast.pattern) -> bool:
    """Whether a pattern fits anything: `_`, a name, `_ as other`, `0 | _`."""
    if isinstance(pattern, ast.MatchOr):
        return any(map(_takes_all, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _takes_all(pattern.pattern))


def _switched(statement: Node) -> str | None:
    """The model of `model.train()` and `model.eval()`, None for any other statement."""
    func = statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in _MODES:
        return None
    above = isinstance(func.value, ast.Call) and last_name(func.value.func) == "super"
    return "self" if above else place(func.value)


def branch_by_inline_restore(node: ast.IfExp) -> bool | None:
    """The same for `model.eval() if model.training else model`."""
    switch = node.body.func if isinstance(node.body, ast.Call) else None
    if not isinstance(switch, ast.Attribute) or switch.attr != "eval" or not _is_training_attribute(node.test):
        return None
    other = node.orelse
    nothing = isinstance(other, ast.Constant) or place(other) == _owner(node.test)
    return True if nothing and place(switch.value) == _owner(node.test) else None


def _is_named_in(owner: str, statements: list[Node]) -> bool:
    """Is an object named in some statements?"""
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and place(n) == owner
        for statement in statements
        for n in walk(statement)
    )


def _owner(attribute: Node) -> str:
    return place(attribute.value) or ""


def _mode_in(test: Node) -> Node:
    """`model.training` of `model.training != mode`; any other test as it is."""
    match test:
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.IsNot()], comparators=[right]):
            return next((side for side in (left, right) if _is_training_attribute(side)), test)
    return test


def _is_training_attribute(node: Node) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "training"


def _saved_mode(node: Node, frame: Frame) -> bool | None:
    """What a name holds where a model was in train mode: True, or False for `not model.training`; None where it holds
    no mode. A flag counts that is set where the mode was asked for: `if model.training: was_training = True`."""
    answers: set[bool] = set()
    for binding in bound_at(node, frame.function):
        value = binding.value
        if _is_training_attribute(value):
            answers.add(True)
        elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not) and _is_training_attribute(value.operand):
            answers.add(False)
        elif not isinstance(value, ast.Constant) or binding.kind != "assign":
            return None
        elif value.value is True and _is_below_training_test(binding.node, frame):
            answers.add(True)
        elif value.value:
            return None
    return answers.pop() if len(answers) == 1 else None


def _is_below_training_test(statement: Node, frame: Frame) -> bool:
    """Does a statement stand below `if model.training:`?"""
    line = getattr(statement, "lineno", 0)
    tests = (
        n for s in frame.function.body for n in walk(s) if isinstance(n, ast.If) and _is_training_attribute(n.test)
    )
    return any(n.body[0].lineno <= line <= (n.body[-1].end_lineno or 0) for n in tests)


def branch_by_gradient_guard(test: Node) -> bool | None:
    """`if p.grad is not None` guards what is done to gradients, `hasattr(model, "eval")` what is done to modules."""
    if isinstance(test, ast.Call) and getattr(test.func, "id", "") == "hasattr" and len(test.args) == 2:
        return True if getattr(test.args[1], "value", "") in ("eval", "train", "zero_grad", "set_epoch") else None
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.left, ast.Attribute)
        and test.left.attr == "grad"
    ):
        if isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None:
            return isinstance(test.ops[0], ast.IsNot)
    return True if isinstance(test, ast.Attribute) and test.attr == "grad" else None


def branch_by_callback_presence(node: ast.If) -> bool | None:
    """`if when in self.hooks: self.hooks[when](self)` asks whether there is a callback, which may do anything, and
    `if grads: torch._foreach_zero_(grads)` for anything to clear: True; None for any other `if`."""
    call = node.body[0].value if len(node.body) == 1 and isinstance(node.body[0], ast.Expr) else None
    if node.orelse or not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Name):
        return None
    test: Node = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(test.ops[0], ast.In):
            test = right
        elif isinstance(test.ops[0], ast.IsNot) and getattr(right, "value", "") is None:
            test = test.left
    elif isinstance(test, ast.Call) and getattr(test.func, "id", "") == "callable" and len(test.args) == 1:
        test = test.args[0]
    tested = place(test)
    if tested is None:
        return None
    if last_name(call.func) == "_foreach_zero_":
        return True if tested == call.args[0].id else None
    called = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    return True if call.args[0].id == "self" and tested in (place(called), place(call.func)) else None


def branch_by_module_guard(node: ast.If, frame: Frame) -> bool | None:
    """`if isinstance(net, nn.Module): net.eval()` and `if hasattr(net, "eval"): net.eval()` guard what only modules
    have: True, where nothing else is known of what is asked about; None for any other `if`."""
    parts = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
    switched = [found for found in map(_switched, node.body) if found is not None]
    return True if switched and all(_tests_for_module(part, switched, frame) for part in parts) else None


def _tests_for_module(test: Node, switched: list[str], frame: Frame) -> bool:
    """`isinstance(net, nn.Module)`, `hasattr(net, "eval")` or `callable(net.eval)`."""
    from mllint.semantics.values.evaluate import evaluate

    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or not test.args:
        return False
    tested, name = test.args[0], test.func.id
    if name == "callable":
        return isinstance(tested, ast.Attribute) and tested.attr in _MODES and place(tested.value) in switched
    if len(test.args) != 2 or place(tested) not in switched:
        return False
    if name == "hasattr":
        return isinstance(test.args[1], ast.Constant) and test.args[1].value in _MODES
    wanted = evaluate(test.args[1], frame) if name == "isinstance" else None
    return isinstance(wanted, ClassValue) and inherits(wanted.cls, "torch.nn.Module")


def is_requires_grad_guard(node: ast.If) -> bool:
    """`if loss.requires_grad: loss.backward()`: where gradients are recorded, and only there."""
    tested = (
        place(node.test.value) if isinstance(node.test, ast.Attribute) and node.test.attr == "requires_grad" else None
    )
    calls = (n for s in node.body for n in walk(s) if isinstance(n, ast.Call)) if tested else ()
    return any(last_name(c.func) == "backward" and any(place(n) == tested for n in walk(c)) for c in calls)


def first_round(loop: Node, frame: Frame) -> tuple[PathCondition, ...]:
    """What the tests of a loop's counter answer in its first iteration: `i == 0` of `for i, x in enumerate(xs)`."""
    known = _FIRST_ROUNDS.of(frame.project)
    if loop not in known:
        known[loop] = list(_first_tests(loop))
    return tuple(assumption for test, holds in known[loop] for assumption in assumptions(test, holds, frame))


def _first_tests(loop: Node) -> Iterator[tuple[Node, bool]]:
    """The tests in a loop that ask whether its counter is at the start, and their answers there."""
    name = _counter(loop)
    for test in (n.test for s in loop.body for n in walk(s) if isinstance(n, ast.If)) if name else ():
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


def _passed(node: Node, frame: Frame) -> tuple[Node, Frame] | None:
    """The caller's expression behind a name that is a parameter here and nothing else."""
    if not isinstance(node, ast.Name) or not frame.bound:
        return None
    found = bound_at(node, frame.function)
    thing = frame.bound.get(node.id)
    return (
        thing if len(found) == 1 and found[0].kind == "param" and isinstance(thing, tuple) and len(thing) == 2 else None
    )


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
