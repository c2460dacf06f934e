"""Does the mode matter to a run of a model, by the layers that it meets?

    def encode(self, x):
        return self.encoder(x)        # never meets `self.head`, and its dropout

    def forward(self, x, deterministic=False):
        if not deterministic:         # `net(x, deterministic=True)` does not meet the dropout
            x = self.drop(x)
        return self.head(x)

A call of the model meets whatever there is in it, but for what its `forward` leaves out by the arguments of this call;
so it is with a call of a part, and with a method of the model's own, which meets the parts that it uses. Where a method
uses the object in another way (`modules(self)`, `self.modules()`, `super().forward(x)`), it may meet anything.

Whether a layer is met is unknown where a flag decides that the call, or somebody else than the constructor, sets to
something that nobody knows; and of one that is replaced from outside.
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from mllint.semantics.flow.decided_branches import branch_by_match_constant
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import BLOCKS, FIELDS, Node, last_name, place, walk
from mllint.semantics.training.modes.dependence import depends_on_mode
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.calls import call_method
from mllint.semantics.values.classes import attribute, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.outside_writes import is_written_outside
from mllint.semantics.values.values import InstanceValue, LiteralValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event
    from mllint.semantics.values.frames import Frame

__all__ = ["run_depends_on_mode"]

_WHOLE = ("forward", "__call__")
_DEPTH = 4  # methods and parts that call each other
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class _How(Enum):
    """How something is met in a call."""

    CERTAIN = "certain"
    PERHAPS = "perhaps"
    LEFT_OUT = "left out"


def run_depends_on_mode(run: Event) -> bool | None:
    """Does a run of a model meet a layer that depends on the mode: True, False, or None when that is unknown?"""
    model = run.subject
    called = Call(run.call, run.frame).callees if run.option == "method" and isinstance(run.call, ast.Call) else []
    if len(called) == 1 and called[0].name not in _WHOLE and isinstance(model, InstanceValue):
        names = _parts_met(called[0], model.cls, _DEPTH)
        if names is not None:
            answers = {depends_on_mode(attribute(model, name, run.frame)) for name in names}
            if True not in answers:
                return None if None in answers else False
    depends = depends_on_mode(model)
    if depends is not True or not isinstance(model, InstanceValue) or not isinstance(run.call, ast.Call):
        return depends
    function = called[0] if len(called) == 1 else call_method(model.cls)
    return depends if function is None or function.stubbed else _depends_in_call(function, model, run.call, run.frame)


def _depends_in_call(function: FunctionScope, model: InstanceValue, call: ast.Call, frame: Frame) -> bool | None:
    """Whether a call of a method of a model that depends on the mode meets something that does."""
    met = _Met(model, _DEPTH)
    inner = enter(function, model, Arguments(call, frame), frame, node=call)
    if inner is None:
        return True
    met.block(function.body, inner, _How.CERTAIN)
    if not met.is_less or True in met.certain:
        return True
    return None if met.perhaps or None in met.certain else False


class _Met:
    """What a method, and those that it calls, use of their object.

    Args:
        model: the object, of a class of the project.
        depth: so many calls are entered.

    Attributes:
        certain: whether what is certainly met depends on the mode: True, False, or None where that is unknown.
        perhaps: whether something that may be met may depend on the mode.
        is_less: whether something is left out, or may be.
    """

    def __init__(self, model: InstanceValue, depth: int) -> None:
        self.model, self.depth = model, depth
        self.certain: set[bool | None] = set()
        self.perhaps = self.is_less = False

    def block(self, statements: list[ast.stmt], frame: Frame, how: _How) -> None:
        """Go through statements."""
        for statement in statements:
            if isinstance(statement, ast.Match):
                self._match(statement, frame, how)
                continue
            if not isinstance(statement, ast.If):
                self._statement(statement, frame, how)
                continue
            self.expression(statement.test, frame, how)
            taken, other = self._branches(statement.test, frame, how)
            self.block(statement.body, frame, taken)
            self.block(statement.orelse, frame, other)
            if statement.body and isinstance(statement.body[-1], _LEAVING):
                how = other
            elif statement.orelse and isinstance(statement.orelse[-1], _LEAVING):
                how = taken

    def _branches(self, test: Node, frame: Frame, how: _How) -> tuple[_How, _How]:
        """How what stands behind a test is met where it holds, and where it does not."""
        truth = evaluate(test, frame).truth
        if truth is not None:
            return (how, _How.LEFT_OUT) if truth else (_How.LEFT_OUT, how)
        if how is _How.CERTAIN and any(self._is_flag(operand, frame) for operand in _operands(test)):
            return _How.PERHAPS, _How.PERHAPS
        return how, how

    def _match(self, statement: ast.Match, frame: Frame, how: _How) -> None:
        """Go through the cases of a `match`: what stands below the one that is taken is not met."""
        self.expression(statement.subject, frame, how)
        given = evaluate(statement.subject, frame)
        for case in statement.cases:
            taken = branch_by_match_constant(case, given)
            is_open = taken is None and how is _How.CERTAIN and self._is_flag(statement.subject, frame)
            self.block(case.body, frame, _How.LEFT_OUT if taken is False else _How.PERHAPS if is_open else how)
            if taken:
                how = _How.LEFT_OUT

    def _statement(self, statement: Node, frame: Frame, how: _How) -> None:
        """Go through a statement that is no `if`, or a clause of one."""
        skipped = self._drawn_from(statement, frame) if isinstance(statement, ast.For) else None
        for field in FIELDS.get(statement.__class__, ()):
            child = getattr(statement, field, None)
            if field in BLOCKS and isinstance(child, list):
                self.block([s for s in child if isinstance(s, ast.stmt)], frame, how)
                for clause in child:
                    if not isinstance(clause, ast.stmt):
                        self._statement(clause, frame, how)
            elif child is not skipped:
                for node in child if isinstance(child, list) else [child]:
                    self.expression(node, frame, how)

    def _drawn_from(self, loop: ast.For, frame: Frame) -> Node:
        """What a loop goes through, if its body calls what it draws: these calls are looked at, each by itself."""
        drawn = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
        called = (n.func for s in loop.body for n in walk(s) if isinstance(n, ast.Call))
        known = [evaluate(func, frame) for func in called if isinstance(func, ast.Name) and func.id in drawn]
        return loop.iter if known and not any(v.is_unknown for v in known) else None

    def expression(self, node: Node, frame: Frame, how: _How) -> None:
        """Go through an expression."""
        if node is None:
            return
        if isinstance(node, ast.IfExp):
            self.expression(node.test, frame, how)
            taken, other = self._branches(node.test, frame, how)
            self.expression(node.body, frame, taken)
            self.expression(node.orelse, frame, other)
            return
        own = frame.function.parameters[0].name
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
            self._use(node.attr, frame, how)
            return
        if isinstance(node, ast.Name):
            if node.id in (own, "super"):
                self._note(depends_on_mode(self.model), how)
            return
        if isinstance(node, ast.Call) and self._enters(node, own, frame, how):
            children: list[Node] = [*node.args, *(keyword.value for keyword in node.keywords)]
        else:
            children = [getattr(node, field, None) for field in FIELDS.get(node.__class__, ())]
        for child in children:
            for part in child if isinstance(child, list) else [child]:
                self.expression(part, frame, how)

    def _enters(self, call: ast.Call, own: str, frame: Frame, how: _How) -> bool:
        """Go through what a call enters, if it calls a method of the object, or a part; True if it does."""
        func = call.func
        is_part = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == own
        if not is_part and not isinstance(func, ast.Name):
            return False
        found = method(self.model.cls, last_name(func)) if is_part else None
        if found is not None:
            return self._run(self.model, found, call, frame, how)
        called = evaluate(func, frame).alternatives
        modules = [v for v in called if isinstance(v, InstanceValue) and v.instance_of(MODULE)]
        if not modules or len(modules) < len(called):
            return False
        if is_part and self._is_replaced(last_name(func), frame):
            return False
        for module in modules:
            forward = call_method(module.cls)
            if forward is None or forward.stubbed or not self._run(module, forward, call, frame, how):
                self._note(depends_on_mode(module), how)
        return True

    def _run(
        self, model: InstanceValue, function: FunctionScope | None, call: ast.Call, frame: Frame, how: _How
    ) -> bool:
        """Go through a method of the object, or of a part, as it is called here; False where that is not possible."""
        if function is None or function.stubbed or not self.depth or not function.parameters:
            return False
        inner = enter(function, model, Arguments(call, frame), frame, node=call)
        if inner is None or function.decorated("staticmethod", "classmethod"):
            return False
        whole, self.model = self.model, model
        self.depth -= 1
        self.block(function.body, inner, how)
        self.depth += 1
        self.model = whole
        return True

    def _use(self, name: str, frame: Frame, how: _How) -> None:
        """An attribute of the object is used."""
        if name == "training" or method(self.model.cls, name) is not None:
            self._note(depends_on_mode(self.model), how)
            return
        part = attribute(self.model, name, frame)
        if part.contents or any(v.is_unknown or v.instance_of(MODULE) for v in part.alternatives):
            replaced = how is _How.CERTAIN and self._is_replaced(name, frame)
            self._note(depends_on_mode(part), _How.PERHAPS if replaced else how)

    def _is_replaced(self, name: str, frame: Frame) -> bool:
        """True if a part may be replaced from outside."""
        return is_written_outside(self.model, name, 0, frame.project)

    def _note(self, depends: bool | None, how: _How) -> None:
        """Something is met, or not, of which it is known, or not, whether it depends on the mode."""
        if how is _How.CERTAIN:
            self.certain.add(depends)
        elif depends is not False:
            self.is_less = True
            self.perhaps = self.perhaps or how is _How.PERHAPS

    def _is_flag(self, operand: Node, frame: Frame) -> bool:
        """True if `operand` is a parameter, or a constant that somebody else than the constructor may set."""
        function = frame.function
        own = function.parameters[0].name
        if isinstance(operand, ast.Name):
            bound = function.bindings.get(operand.id, ())
            return len(bound) == 1 and bound[0].kind == "param" and operand.id != own
        if not isinstance(operand, ast.Attribute) or place(operand) != f"{own}.{operand.attr}":
            return False
        values = evaluate(operand, frame).alternatives
        return operand.attr != "training" and any(isinstance(v, LiteralValue) and v.value is not None for v in values)


def _operands(test: Node) -> list[Node]:
    """What a test asks for: `a` and `b` of `not a and b == "train"`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _operands(inner)
        case ast.BoolOp(values=values):
            return [operand for value in values for operand in _operands(value)]
        case ast.Compare(left=left, comparators=[ast.Constant()]):
            return [left]
    return [test]


def _parts_met(function: FunctionScope, cls: ClassScope, depth: int) -> set[str] | None:
    """The attributes of the object that the method `function` of `cls` uses; None where it may use any."""
    if function.owner is None or function.stubbed or not function.parameters or not depth:
        return None
    own, found, named = function.parameters[0].name, set[str](), 0
    for node in walk(function.node):
        if isinstance(node, ast.Name) and node.id == own:
            named += 1
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != own:
            continue
        named -= 1
        inner = method(cls, node.attr)
        parts = {node.attr} if inner is None else _parts_met(inner, cls, depth - 1)
        if parts is None or node.attr == "training":
            return None
        found |= parts
    return found if not named else None
