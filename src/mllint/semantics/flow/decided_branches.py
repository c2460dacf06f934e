"""Which branch of an `if` is taken by construction, in whatever mode or state the program is?

A guard such as `if p.grad is not None` or `if hasattr(net, "eval")` protects what is written below it and says nothing
about the program: its branch is taken. Each decider answers True for the body, False for the `else`, and None for an
`if` that it knows nothing about.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, mentions_place, place, walk
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import ClassValue, LiteralValue, Value, inherits

__all__ = [
    "DECIDERS", "Decider", "branch_by_inline_restore", "branch_by_match_constant", "is_requires_grad_guard",
    "is_training_attribute",
]  # fmt: skip

Decider: TypeAlias = Callable[[ast.If, Frame], "bool | None"]
"""Says which branch of an `if` is taken: True for its body, False for its `else`, None where it does not know."""

_MODES = ("train", "eval")
_TEST_FUEL = 500


def _branch_by_value(node: ast.If, frame: Frame) -> bool | None:
    """The branch that the value of the test decides in this context.

    Where no torch is near, a test that takes long to work out hardly ever is decided, and is left open.
    """
    if uses_torch(frame):
        return evaluate(node.test, frame).truth
    project, fuel = frame.project, frame.project.fuel
    project.fuel = allowed = min(fuel, _TEST_FUEL)
    truth = evaluate(node.test, frame).truth
    project.allow(project.fuel + fuel - allowed)
    return truth


def _branch_by_gradient_guard(node: ast.If, frame: Frame) -> bool | None:
    """`if p.grad is not None` guards what is done to gradients, `hasattr(model, "eval")` what is done to modules."""
    test: Node = node.test
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


def is_requires_grad_guard(node: ast.If) -> bool:
    """`if loss.requires_grad: loss.backward()`: where gradients are recorded, and only there."""
    tested = (
        place(node.test.value) if isinstance(node.test, ast.Attribute) and node.test.attr == "requires_grad" else None
    )
    calls = (n for s in node.body for n in walk(s) if isinstance(n, ast.Call)) if tested else ()
    return any(last_name(c.func) == "backward" and mentions_place(c, tested) for c in calls)


def _branch_by_mode_restore(node: ast.If, frame: Frame) -> bool | None:
    """The branch to follow where a mode is saved and put back, None at any other `if`.

    `if was_training: model.train()` is followed: what was saved is taken for train mode, for in eval mode there was
    nothing to put back. `if model.training: model.eval()` leaves the model in eval mode whatever it was in before, as
    `if model.training != mode: model.train(mode)` leaves it in the mode that is wanted.
    """
    test, polarity = _bare(node.test)
    switched = [name for s in node.body if (name := _switched(s)) is not None]
    test = _mode_in(test)
    if is_training_attribute(test):
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


def _mode_in(test: Node) -> Node:
    """`model.training` of `model.training != mode`; any other test as it is."""
    match test:
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.IsNot()], comparators=[right]):
            return next((side for side in (left, right) if is_training_attribute(side)), test)
    return test


def is_training_attribute(node: Node) -> bool:
    """Is it `net.training`?"""
    return isinstance(node, ast.Attribute) and node.attr == "training"


def _owner(attribute: Node) -> str:
    return place(attribute.value) or ""


def _switched(statement: Node) -> str | None:
    """The model of `model.train()` and `model.eval()`, None for any other statement."""
    func = statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in _MODES:
        return None
    above = isinstance(func.value, ast.Call) and last_name(func.value.func) == "super"
    return "self" if above else place(func.value)


def _is_named_in(owner: str, statements: list[Node]) -> bool:
    """Is an object named in some statements?"""
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and place(n) == owner
        for statement in statements
        for n in walk(statement)
    )


def _saved_mode(node: Node, frame: Frame) -> bool | None:
    """What a name holds where a model was in train mode: True, or False for `not model.training`; None where it holds
    no mode. A flag counts that is set where the mode was asked for: `if model.training: was_training = True`."""
    answers: set[bool] = set()
    for binding in bound_at(node, frame.function):
        value = binding.value
        if is_training_attribute(value):
            answers.add(True)
        elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not) and is_training_attribute(value.operand):
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
    tests = (n for s in frame.function.body for n in walk(s) if isinstance(n, ast.If) and is_training_attribute(n.test))
    return any(n.body[0].lineno <= line <= (n.body[-1].end_lineno or 0) for n in tests)


def _branch_by_callback_presence(node: ast.If, frame: Frame) -> bool | None:
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


def _branch_by_module_guard(node: ast.If, frame: Frame) -> bool | None:
    """`if isinstance(net, nn.Module): net.eval()` and `if hasattr(net, "eval"): net.eval()` guard what only modules
    have: True, where nothing else is known of what is asked about; None for any other `if`."""
    parts = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
    switched = [found for found in map(_switched, node.body) if found is not None]
    return True if switched and all(_tests_for_module(part, switched, frame) for part in parts) else None


def _tests_for_module(test: Node, switched: list[str], frame: Frame) -> bool:
    """True if `test` is `isinstance(net, nn.Module)`, `hasattr(net, "eval")` or `callable(net.eval)` of one of the
    models `switched`."""
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
    return isinstance(wanted, ClassValue) and inherits(wanted.cls, MODULE)


def branch_by_inline_restore(node: ast.IfExp) -> bool | None:
    """True where `model.eval() if model.training else model` puts a model into eval mode; None for any other choice."""
    switch = node.body.func if isinstance(node.body, ast.Call) else None
    if not isinstance(switch, ast.Attribute) or switch.attr != "eval" or not is_training_attribute(node.test):
        return None
    other = node.orelse
    nothing = isinstance(other, ast.Constant) or place(other) == _owner(node.test)
    return True if nothing and place(switch.value) == _owner(node.test) else None


def branch_by_match_constant(case: ast.match_case, given: Value) -> bool | None:
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


DECIDERS: tuple[Decider, ...] = (
    _branch_by_gradient_guard,
    _branch_by_value,
    _branch_by_mode_restore,
    _branch_by_callback_presence,
    _branch_by_module_guard,
)
"""In the order in which they are asked; the first that knows decides."""
