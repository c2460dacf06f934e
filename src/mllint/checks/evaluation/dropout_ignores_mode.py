"""Is a functional layer active in eval mode too?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Call,
    Class,
    FunctionScope,
    LiteralValue,
    Node,
    Passed,
    Topic,
    bind,
    is_within,
    last_name,
    mode_dependence,
    place,
    roles,
    shares,
    topics,
    walk,
)

__all__: list[str] = []

_MODULE = "torch.nn.Module"
_MODE = "follow the module's mode: `training=self.training`, or use the layer (`nn.{}`)"
_PARAMETER = "give `{0}` a parameter `training`, pass it to `{1}`, and call `{0}` with `self.training`"
_DROPPED = (
    "give `{0}` a parameter `training`, set `dropout_p={1} if training else 0.0`, and call `{0}` with `self.training`"
)
_PROBABILITY = "apply dropout in train mode only: `dropout_p={0} if self.training else 0.0`"
_NORM = "follow the module's mode: `training=self.training`, or use the layer, such as `nn.BatchNorm2d`"
_STATISTICS = "`eval()` has no effect on this call: each prediction depends on the other samples of its batch"


@check("dropout-ignores-mode", calls="dropout dropout1d dropout2d dropout3d scaled_dot_product_attention batch_norm")
def dropout_ignores_mode(call: Call) -> Iterator[Finding]:
    """A functional layer is active in eval mode too, because the module's mode is not passed on."""
    owner = _method_of_module(call.function, call)
    if (
        owner is None
        or call.is_open
        or _mentions_training(call)
        or roles.is_random_on_purpose_name(call.function.qualname)
    ):
        return
    functional = [f"torch.nn.functional.{word}" for word in ("dropout", "dropout1d", "dropout2d", "dropout3d")]
    if call.callee.is_function(*functional):
        given, mode = call.argument("p"), call.argument("training")
        if call.function.decorated("no_grad", "inference_mode"):
            return  # where nothing is ever trained it is there to be active: noise while samples are drawn
        if given is not None and any(_may_be_zero(node, outer) for node, outer in _rates(given.node, call)):
            return
        if mode is not None and (getattr(mode.node, "value", None) is not True or not _has_sibling_with_mode(call)):
            return
        setting = "it is called with" if mode is not None else "its default is"
        message, why = f"`{call.name}` is active in eval mode too: {setting} `training=True`", ""
        help = _MODE.format(call.callee.function.name.capitalize() if call.callee.function is not None else "Dropout")
    elif call.callee.is_function("torch.nn.functional.scaled_dot_product_attention"):
        given = call.argument("dropout_p")
        if given is None or not _drops(given.node, call) or _may_be_zero(given.node, call):
            return
        message, why = f"`{call.name}` applies dropout in eval mode too", ""
        help = _PROBABILITY.format(given.text)
    elif call.callee.is_function("torch.nn.functional.batch_norm"):
        given, mean = call.argument("training"), call.argument("running_mean")
        if given is None or given.value.literal is not True or mean is None or place(mean.node) != "self.running_mean":
            return
        message, help, why = f"`{call.name}` normalises with batch statistics in eval mode too", _NORM, _STATISTICS
    else:
        return
    if call.function.owner is None:
        help = _for_helper(call)
    if not _switched_from_outside(call):
        ignored = (mode_dependence.is_mode_ignored(owner),)
        yield Finding(call, message, "ignores the module's mode", help=help, why=why, evidence=ignored)


def _for_helper(call: Call) -> str:
    """What to do in a function that has no mode of its own."""
    probability = call.argument("dropout_p")
    if probability is not None:
        return _DROPPED.format(call.function.name, probability.text)
    return _PARAMETER.format(call.function.name, call.name)


def _has_sibling_with_mode(call: Call) -> bool:
    """Does the same function hand the module's mode to another dropout, so that a constant here is no intention?"""
    branches = [n for n in _walk_function(call.function) if isinstance(n, ast.If)]
    sides = [{id(n) for s in side for n in walk(s)} for b in branches for side in (b.body, b.orelse)]
    mine = [id(call.node) in side for side in sides]
    calls = (n for n in call.function.calls if last_name(n.func) == call.last_name)
    others = (Call(n, call.frame) for n in calls if mine == [id(n) in side for side in sides])
    modes = [a.node for other in others if (a := other.argument("training")) is not None]
    return any(place(n) == "self.training" for n in modes)


def _method_of_module(function: FunctionScope, call: Call, steps: int = 2) -> FunctionScope | None:
    """The method of a module that runs a call: the function itself, the one that it is written in, or the one that
    calls it, where nobody else does.

    Args:
        function: the function that the call is written in.
        call: the call of a functional layer, or of a function that makes it.
        steps: through how many functions to look.
    """
    project = call.project
    if function.owner is not None:
        owner = Class(function.owner, project.frame(function.module.body))
        return function if owner.inherits(_MODULE) else None
    if not steps or project.passed_around(function) or project.has_more_callers(function):
        return None
    found = [
        None if _mentions_training(outer) else _method_of_module(outer.function, outer, steps - 1)
        for outer in (Call(*caller) for caller in project.callers(function))
    ]
    return found[0] if all(found) and found else None


def _rates(node: Node, call: Call, steps: int = 2) -> Iterator[tuple[Node, Call]]:
    """What a call gives as its rate, and what the callers of its function give for it, each with the call."""
    yield node, call
    function = call.function
    if function.owner is not None or not isinstance(node, ast.Name) or function.parameter(node.id) is None:
        return
    for outer in (Call(*caller) for caller in call.project.callers(function) if steps):
        given = bind(function, outer.node, outer.frame)[0].get(node.id)
        if isinstance(given, Passed):
            yield from _rates(given.node, outer, steps - 1)


def _may_be_zero(node: Node, call: Call) -> bool:
    """May a rate be zero: is it so by default, or where the call is not made?"""
    return (
        call.value_of(node).literal in (0, 0.0)
        or _zero_around(node, call)
        or shares.is_off(node, call.frame, for_all=True)
    )


def _drops(node: Node, call: Call) -> bool:
    """Is it certainly a probability that does not know the mode: a literal, or a plain attribute of the module?"""
    value = call.value_of(node)
    if isinstance(value, LiteralValue):
        return value.value not in (0, 0.0, None)
    owner = call.function.owner
    plain = (
        isinstance(node, ast.Attribute)
        and place(node.value) == "self"
        and owner is not None
        and node.attr not in owner.methods
    )
    return (plain and not value.classes) or value.is_number


# --------------------------------------------------------------------------------------------- who else switches it
def _mentions_training(call: Call) -> bool:
    """Does the method ask for the mode before or around the call: a test of `training`, or an early return?"""
    line, source = call.node.lineno, call.module.source
    if source is None or source.holds("training"):
        for node in _walk_function(call.function):
            if (
                isinstance(node, (ast.If, ast.IfExp, ast.While))
                and node.lineno <= line
                and _decides_on(call.node, node)
            ):
                if any(_names_training(n) for n in walk(node.test)):
                    return True
    return any(_names_training(n) or _is_computed_of_mode(n, call.function) for n in _walk_arguments(call.node))


def _is_computed_of_mode(node: Node, function: FunctionScope) -> bool:
    """Does a property or a method of the module ask for the mode: `self.rate`, which is `self.p * self.training`?"""
    if not isinstance(node, ast.Attribute) or place(node.value) != "self" or function.owner is None:
        return False
    asked = function.owner.methods.get(node.attr)
    return asked is not None and any(map(_names_training, asked.nodes_of(ast.Attribute)))


def _names_training(node: ast.AST) -> bool:
    """Is it a name or an attribute that speaks of training: `self.training`, `is_train`?"""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return topics.is_about(name, Topic.ABOUT_TRAINING)


def _decides_on(call: ast.Call, test: Node) -> bool:
    """Does a test decide whether a call is reached, or about what is given to it?"""
    if not isinstance(test, ast.If) or is_within(call, test):
        return True
    given = {place(n) for n in _walk_arguments(call)} - {None}
    inside = [n for s in (*test.body, *test.orelse) for n in walk(s)]
    if any(isinstance(n, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for n in inside):
        return True
    return any(place(n) in given for n in inside if isinstance(getattr(n, "ctx", None), ast.Store))


def _switched_from_outside(call: Call) -> bool:
    """Does an `if` around the call read a switch of the module that others set: `self.model.use_dropout = False`?"""
    tests = [n.test for n in _walk_function(call.function) if isinstance(n, ast.If) and is_within(call.node, n)]
    given = {n.id for n in _walk_arguments(call.node) if isinstance(n, ast.Name)}
    read = {n.id for test in tests for n in walk(test) if isinstance(n, ast.Name)} - given
    if any(_unpacked_from_parameter(name, call.function) for name in read):
        return True  # handed in with the data: `x, dropout_switch = inputs`
    if any(call.function.parameter(name) is not None and name not in given for t in tests for name in _tested_modes(t)):
        return True  # handed in by whoever calls: `def forward(self, x, use_dropout)`
    flags = frozenset([n.attr for test in tests for n in walk(test) if isinstance(n, ast.Attribute)])
    if not flags:
        return False
    modules = [m for m in call.project.modules if m.source.mentions(flags)]
    functions = (f for module in modules for f in module.functions)
    written = (name.rpartition(".") for f in functions for name in f.bindings)
    return any(last in flags and owner and owner != "self" for owner, _, last in written)


def _unpacked_from_parameter(name: str, function: FunctionScope) -> bool:
    """Is it one of several things that a parameter holds?"""
    bound = (b for b in function.bindings.get(name, ()) if b.kind == "assign" and b.path)
    return any(isinstance(b.value, ast.Name) and function.parameter(b.value.id) is not None for b in bound)


def _zero_around(given: Node, call: Call) -> bool:
    """Is it asked around a call whether what it is given is zero, there or in the flag that is asked: `if self.flash`
    of `self.flash = self.dropout == 0`?"""
    wanted = place(given)
    if not wanted:
        return False
    for branch in (n for n in _walk_function(call.function) if isinstance(n, ast.If)):
        if not any(is_within(call.node, s) for s in branch.body):
            continue
        for part in _conjuncts(branch.test):
            flag = place(part) or ""
            owner = call.function.owner if flag.startswith("self.") else None
            functions = list(owner.methods.values()) if owner is not None else []
            bound = [b.value for f in functions for b in f.bindings.get(flag, ())]
            values = bound or [part]
            if all(any(_is_zero(p, wanted) for p in _conjuncts(v)) for v in values):
                return True
    return False


def _conjuncts(test: Node) -> list[Node]:
    """The parts of a condition that all hold where it holds."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _is_zero(test: Node, wanted: str | None) -> bool:
    """Is it the comparison of a place with zero, `self.dropout == 0.0`, or the place itself denied?"""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return place(operand) == wanted
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return place(left) == wanted
    return False


def _tested_modes(test: Node) -> Iterator[str]:
    """The names whose truth a test asks for: `flag`, `flag and self.rate > 0`, `not flag`."""
    if isinstance(test, ast.Name):
        yield test.id
    for part in (
        test.values if isinstance(test, ast.BoolOp) else [test.operand] if isinstance(test, ast.UnaryOp) else []
    ):
        yield from _tested_modes(part)


def _walk_function(function: FunctionScope) -> Iterator[Node]:
    """The nodes of a function's body."""
    for statement in function.body:
        yield from walk(statement)


def _walk_arguments(node: ast.Call) -> Iterator[Node]:
    """The nodes of a call's arguments."""
    for argument in (*node.args, *(k.value for k in node.keywords)):
        yield from walk(argument)
