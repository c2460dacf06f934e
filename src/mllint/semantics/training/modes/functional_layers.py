"""Does a functional layer ignore the mode of the module that calls it?

    def forward(self, x):
        return F.dropout(x)                              # active in eval mode too
        return F.dropout(x, training=self.training)      # follows the mode

A functional layer has no mode of its own: `training`, the share that it drops or an `if` around the call is how it
learns of that of the module. So the mode counts as asked where a test that decides about the call, or an argument,
speaks of training, also through a property or a method of the module: `self.rate`, which is `self.p * self.training`.

What drops nothing ignores nothing: a share that is zero by default, or wherever the call is made. What makes it
unknown: a switch around the call that somebody else sets, or that is handed in with the data; a function that the
module does not certainly run. A method that drops by design, or is only ever run to train, ignores the mode on purpose
(`Ignored.is_mistake`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.modes import shares
from mllint.semantics.training.roles import is_dropout_by_design_name, is_random_on_purpose_name
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import mro
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import InstanceValue, LiteralValue

if TYPE_CHECKING:
    from mllint.semantics.flow.views import Argument
    from mllint.semantics.syntax.module import ClassScope, FunctionScope
    from mllint.semantics.values.values import Value

__all__ = ["Ignored", "find_ignored_mode"]

_FUNCTIONAL = "torch.nn.functional."
_DROPOUTS = tuple(_FUNCTIONAL + word for word in ("dropout", "dropout1d", "dropout2d", "dropout3d"))
_KEEPING = "save state_dict save_pretrained save_checkpoint save_weights dump eval no_grad inference_mode".split()
"""What keeps a model, or measures it: where neither is called, it is only ever trained."""


class Ignored(NamedTuple):
    """A functional layer that is active in both modes."""

    kind: Literal["dropout", "attention", "normalisation"]
    by: Argument | None
    """The argument that makes it active; None if that is the default."""
    is_mistake: Answer[bool]
    """Whether the mode is ignored by mistake, not by design."""
    module: str
    """The name of the module where the call is written: `self`; empty in a function, a static or a class method."""


def find_ignored_mode(call: Call) -> Ignored | None:
    """What of a functional layer is active whatever the mode of the module; None if it follows the mode, drops nothing,
    or is not certainly run by a module.

    Args:
        call: the call of a function, of `torch.nn.functional` if there is an answer.
    """
    method = _method_of_module(call.function, call)
    if method is None or call.is_open or _asks_mode(call) or is_random_on_purpose_name(call.function.qualname):
        return None
    kind: Literal["dropout", "attention", "normalisation"]
    if call.callee.is_function(*_DROPOUTS):
        kind, ignored, by = "dropout", _is_active_dropout(call), call.argument("training")
    elif call.callee.is_function(_FUNCTIONAL + "scaled_dot_product_attention"):
        kind, ignored, by = "attention", _is_active_attention(call), call.argument("dropout_p")
    elif call.callee.is_function(_FUNCTIONAL + "batch_norm"):
        kind, ignored, by = "normalisation", _is_active_normalisation(call), call.argument("training")
    else:
        return None
    if not ignored or _is_switched_from_outside(call):
        return None
    return Ignored(kind, by, _is_mistake(method), _name_of_module(call.function))


def _name_of_module(function: FunctionScope) -> str:
    """What a method calls its object, which has the mode; empty where there is none."""
    if function.owner is None or not function.positional or function.decorated("staticmethod", "classmethod"):
        return ""
    return function.positional[0]


# ----------------------------------------------------------------------------------------------- what is always active
def _is_active_dropout(call: Call) -> bool:
    """Does a dropout always drop? Not where nothing is ever trained: there it is to be active, as noise of samples."""
    share, mode = call.argument("p"), call.argument("training")
    if call.function.decorated("no_grad", "inference_mode"):
        return False
    if share is not None and any(_may_be_zero(node, outer) for node, outer in _shares(share.node, call)):
        return False
    return mode is None or (getattr(mode.node, "value", None) is True and _has_sibling_with_mode(call))


def _is_active_attention(call: Call) -> bool:
    """Is attention told to drop, by a probability that does not know the mode?"""
    share = call.argument("dropout_p")
    return share is not None and _drops(share.node, call) and not _may_be_zero(share.node, call)


def _is_active_normalisation(call: Call) -> bool:
    """Does it normalise by the batch, although the module keeps statistics for eval mode?"""
    mode, mean = call.argument("training"), call.argument("running_mean")
    return (
        mode is not None and mode.value.literal is True and mean is not None and place(mean.node) == "self.running_mean"
    )


def _has_sibling_with_mode(call: Call) -> bool:
    """Does the same function hand the module's mode to another dropout, so that a constant here is no intention?"""
    branches = call.function.nodes_of(ast.If)
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
        owner = ClassView(function.owner, project.frame(function.module.body))
        return function if owner.inherits(MODULE) else None
    if not steps or project.passed_around(function) or project.has_more_callers(function):
        return None
    found = [
        None if _asks_mode(outer) else _method_of_module(outer.function, outer, steps - 1)
        for outer in (Call(*caller) for caller in project.callers(function))
    ]
    return found[0] if all(found) and found else None


# ------------------------------------------------------------------------------------------------- the share it drops
def _shares(node: Node, call: Call, steps: int = 2) -> Iterator[tuple[Node, Call]]:
    """What a call gives as its share, and what the callers of its function give for it, each with the call."""
    yield node, call
    function = call.function
    if function.owner is not None or not isinstance(node, ast.Name) or function.parameter(node.id) is None:
        return
    for outer in (Call(*caller) for caller in call.project.callers(function) if steps):
        given = bind(function, outer.node, outer.frame)[0].get(node.id)
        if isinstance(given, Passed):
            yield from _shares(given.node, outer, steps - 1)


def _may_be_zero(node: Node, call: Call) -> bool:
    """May a share be zero: is it so by default, or where the call is not made?"""
    return (
        call.value_of(node).literal in (0, 0.0)
        or _is_zero_unless_called(node, call)
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


def _is_zero_unless_called(given: Node, call: Call) -> bool:
    """Is it asked around a call whether what it is given is zero, there or in the flag that is asked: `if self.flash`
    of `self.flash = self.dropout == 0`?"""
    wanted = place(given)
    if not wanted:
        return False
    for branch in call.function.nodes_of(ast.If):
        if not any(is_within(call.node, s) for s in branch.body):
            continue
        for part in _conjuncts(branch.test):
            flag = place(part) or ""
            owner = call.function.owner if flag.startswith("self.") else None
            functions = list(owner.methods.values()) if owner is not None else []
            bound = [b.value for f in functions for b in f.bindings.get(flag, ())]
            values = bound or [part]
            if all(any(_is_zero_test(p, wanted) for p in _conjuncts(v)) for v in values):
                return True
    return False


def _conjuncts(test: Node) -> list[Node]:
    """The parts of a condition that all hold where it holds."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _is_zero_test(test: Node, wanted: str) -> bool:
    """Is it the comparison of a place with zero, `self.dropout == 0.0`, or the place itself denied?"""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return place(operand) == wanted
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return place(left) == wanted
    return False


# ----------------------------------------------------------------------------------------------- who asks for the mode
def _asks_mode(call: Call) -> bool:
    """Does the method ask for the mode before or around the call, by a test or an early return, or in its arguments?"""
    function, line, source = call.function, call.node.lineno, call.module.source
    if source is None or source.holds("training"):
        branches: list[Node] = [n for kind in (ast.If, ast.IfExp, ast.While) for n in function.nodes_of(kind)]
        deciding = (n.test for n in branches if n.lineno <= line and _decides_on(call.node, n))
        if any(_names_mode(part) for test in deciding for part in walk(test)):
            return True
    return any(_names_mode(n) or _is_computed_of_mode(n, function) for n in _walk_arguments(call.node))


def _is_computed_of_mode(node: Node, function: FunctionScope) -> bool:
    """Does a property or a method of the module ask for the mode: `self.rate`, which is `self.p * self.training`?"""
    if not isinstance(node, ast.Attribute) or place(node.value) != "self" or function.owner is None:
        return False
    asked = function.owner.methods.get(node.attr)
    return asked is not None and any(map(_names_mode, asked.nodes_of(ast.Attribute)))


def _names_mode(node: Node) -> bool:
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


def _walk_arguments(node: ast.Call) -> Iterator[Node]:
    """The nodes of a call's arguments."""
    return (n for argument in all_arguments(node) for n in walk(argument))


# --------------------------------------------------------------------------------------------- who else switches it
def _is_switched_from_outside(call: Call) -> bool:
    """Does an `if` around the call read a switch of the module that others set: `self.model.use_dropout = False`?"""
    tests = [n.test for n in call.function.nodes_of(ast.If) if is_within(call.node, n)]
    given = {n.id for n in _walk_arguments(call.node) if isinstance(n, ast.Name)}
    read = {n.id for test in tests for n in walk(test) if isinstance(n, ast.Name)} - given
    if any(_is_unpacked_from_parameter(name, call.function) for name in read):
        return True  # handed in with the data: `x, dropout_switch = inputs`
    if any(call.function.parameter(name) is not None and name not in given for t in tests for name in _flags_of(t)):
        return True  # handed in by whoever calls: `def forward(self, x, use_dropout)`
    flags = frozenset([n.attr for test in tests for n in walk(test) if isinstance(n, ast.Attribute)])
    if not flags:
        return False
    modules = [m for m in call.project.modules if m.source.mentions(flags)]
    functions = (f for module in modules for f in module.functions)
    written = (name.rpartition(".") for f in functions for name in f.bindings)
    return any(last in flags and owner and owner != "self" for owner, _, last in written)


def _is_unpacked_from_parameter(name: str, function: FunctionScope) -> bool:
    """Is it one of several things that a parameter holds?"""
    bound = (b for b in function.bindings.get(name, ()) if b.kind == "assign" and b.path)
    return any(isinstance(b.value, ast.Name) and function.parameter(b.value.id) is not None for b in bound)


def _flags_of(test: Node) -> Iterator[str]:
    """The names whose truth a test asks for: `flag`, `flag and self.rate > 0`, `not flag`."""
    if isinstance(test, ast.Name):
        yield test.id
    for part in (
        test.values if isinstance(test, ast.BoolOp) else [test.operand] if isinstance(test, ast.UnaryOp) else []
    ):
        yield from _flags_of(part)


# ------------------------------------------------------------------------------------------------- whether it is meant
def _is_mistake(function: FunctionScope) -> Answer[bool]:
    """Whether a method that is active in both modes ignores the mode by mistake; perhaps not one whose name says that
    it drops by design, the `forward` of a batch norm of one's own, written anew only to say so, or one that nobody runs
    but to train, in a program that keeps no model."""
    names = (c if isinstance(c, str) else c.qualname for c in mro(function.owner)) if function.owner else ()
    norm = any(name.rpartition(".")[2] in ("_BatchNorm", "_NormBase") for name in names)
    return proven_unless(norm or is_dropout_by_design_name(function.qualname) or _is_only_trained(function), True)


def _is_only_trained(function: FunctionScope) -> bool:
    """Are the models of a class run only where they are trained, and is nothing kept that somebody could measure?"""
    owner, project = function.owner, function.module.project
    if owner is None or any(project.calls_named(word) for word in _KEEPING):
        return False
    scopes = [f for m in project.modules for f in m.functions if f.owner is not owner]
    runs = [(c, f) for f in scopes for c in f.calls if _is_one_of(owner, evaluate(c.func, project.frame(f)))]
    return bool(runs) and all(_is_trained_around(call, scope) for call, scope in runs)


def _is_one_of(owner: ClassScope, called: Value) -> bool:
    return any(isinstance(v, InstanceValue) and owner in mro(v.cls) for v in called.alternatives)


def _is_trained_around(call: ast.Call, scope: FunctionScope) -> bool:
    """Does a backward stand in the loop around a call, or, of a function that has none there, in its body?"""
    loops = [r.node for r in scope.loops if is_within(call, r.node)]
    backward = scope.calls_to(("backward",))
    return any(is_within(b, loops[-1]) for b in backward) if loops else bool(backward) and not scope.is_body
