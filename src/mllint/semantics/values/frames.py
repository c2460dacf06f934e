"""A frame: one function in one calling context, in which expressions have values.

A *root* frame is a function of which the caller is not known: a parameter is then the union of what the project's calls
pass, else what its annotation says, else Unknown with an identity. A *call* frame binds the parameters to the argument
expressions in the caller's frame, lazily. All memory of evaluation lives here, so that dropping a frame forgets it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, last_name, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.annotations import annotated
from mllint.semantics.values.arguments import Bound, bind
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import by_base
from mllint.semantics.values.builtin_names import BUILTINS
from mllint.semantics.values.decorators import keeps_arguments
from mllint.semantics.values.partial_arguments import find_early_bindings
from mllint.semantics.values.settings import is_setting_parameter
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    BuiltinValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    Site,
    UnknownValue,
    Value,
    literal,
    union,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mllint.semantics.values.project import Project

__all__ = ["Frame"]

_CALLER_DEPTH = 3
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Frame:
    """See the module's essay.

    Args:
        project: where modules and identities come from.
        function: whose body is evaluated.
        parent: the frame of the enclosing function, for closures.
        key: the interned number that stands for this context in identities.
        bound: what is passed for each parameter; None for a root.
        receiver: the value of `self`, for methods.
        complete: False when `*args` or `**kwargs` of the call may bind more parameters.
        overrides: values of single bindings that differ in this context (the variable of an unrolled loop).
        caller: the frame and the call node from which this one was entered.
        around: of a round of a comprehension, the frame in which the comprehension stands.
    """

    __slots__ = (
        "around", "bound", "caller", "complete", "depth", "entered", "function", "key", "memo", "module", "overrides",
        "parent", "project", "receiver", "value_depth",
    )  # fmt: skip

    def __init__(
        self,
        project: Project,
        function: FunctionScope,
        parent: Frame | None,
        *,
        key: int,
        bound: dict[str, Bound] | None = None,
        receiver: Value | None = None,
        complete: bool = True,
        overrides: dict[int, Value] | None = None,
        caller: tuple[Frame, Node] | None = None,
        around: Frame | None = None,
    ) -> None:
        self.project, self.function, self.parent, self.key = project, function, parent, key
        self.module = function.module
        self.bound, self.receiver, self.complete = bound, receiver, complete
        self.overrides = overrides or {}
        self.caller = caller
        self.around = around
        self.depth: int = caller[0].depth + 1 if caller is not None else 0
        self.memo: dict[Hashable, Value] = {}
        self.entered: dict[Hashable, Frame] = {}
        project.frames.append(self)
        self.value_depth: int = caller[0].value_depth + 1 if caller is not None else 0

    def close(self) -> None:
        """Let go of everything that is known."""
        self.memo.clear()
        self.entered.clear()
        self.caller = self.parent = self.around = self.bound = self.receiver = None

    def overriding(self, values: dict[int, Value]) -> Frame:
        """This frame with some bindings fixed to values (one iteration of an unrolled loop)."""
        return self._fixing(values, self.key, self.around)

    def round(self, values: dict[int, Value], key: int) -> Frame:
        """One round of a comprehension of this frame, with its variables fixed to values.

        Args:
            values: what its variables are, by the ids of their bindings.
            key: the number that stands for the round in identities.
        """
        return self._fixing(values, key, self)

    def _fixing(self, values: dict[int, Value], key: int, around: Frame | None) -> Frame:
        return Frame(
            self.project,
            self.function,
            self.parent,
            key=key,
            bound=self.bound,
            receiver=self.receiver,
            complete=self.complete,
            overrides={**self.overrides, **values},
            caller=self.caller,
            around=around,
        )

    # ------------------------------------------------------------------------------------------------- parameters
    def parameter(self, name: str) -> Value:
        """The value of a parameter in this context."""
        function = self.function
        parameter = function.parameter(name)
        if function.owner is not None and function.parameters and function.parameters[0].name == name:
            if not function.decorated("staticmethod"):
                return self.self_value()
        if self.bound is not None:
            found = self.bound.get(name)
            if isinstance(found, Value):
                return self._promised(name, found)
            if found is not None:
                return self._promised(name, ask.evaluate(found.node, found.frame))
            if self.complete and parameter is not None and parameter.default is not None:
                return ask.evaluate(parameter.default, self.outer())
            return self._unbound(name)
        return self._from_callers(name)

    def self_value(self) -> Value:
        """The receiver: what the method was called on, or some instance of the owner."""
        if self.receiver is not None:
            return self.receiver
        owner = self.function.owner
        if owner is None:
            return UNKNOWN
        if self.function.decorated("classmethod"):
            return ClassValue(owner)
        return InstanceValue(owner, identity=self.project.intern(("self", id(owner))))

    def _from_callers(self, name: str) -> Value:
        project, function = self.project, self.function
        parameter = function.parameter(name)
        key = ("callers", id(function), name)
        if function.is_body:
            return self._unbound(name)
        if key in project.active or project.caller_depth > _CALLER_DEPTH:
            project.meet("callers")
            return self._unbound(name)
        if function.decorators and not keeps_arguments(function, self.outer()):
            return self._unbound(name)
        project.active.add(key)
        project.caller_depth += 1
        try:
            values = []
            for call, frame in project.callers(function):
                bound, complete = bind(function, call, frame)
                found = bound.get(name)
                if found is None and complete and parameter is not None and parameter.default is not None:
                    found = Passed(parameter.default, self.outer())
                if found is None:
                    return self._unbound(name)
                values.append(found if isinstance(found, Value) else ask.evaluate(found.node, found.frame))
            if not values:
                values = [ask.evaluate(node, frame) for node, frame in find_early_bindings(name, function, project)]
                if values:
                    return self._promised(name, union(values))
        finally:
            project.caller_depth -= 1
            project.active.discard(key)
            if not project.caller_depth:
                project.settle("callers")
        if not values:
            return self._defaulted(name)
        if all(isinstance(v, BottomValue) for v in values):  # it only hands on to itself: `super().forward(x)`
            return self._unbound(name)
        if project.passed_around(function) or project.has_more_callers(function):
            return union([*values, self._unbound(name)])
        return self._promised(name, union(values))

    def _promised(self, name: str, given: Value) -> Value:
        """What a caller passes; the object that the annotation promises, where nothing is known of what is passed."""
        if not isinstance(given, UnknownValue) or given.name is not None or given.breaks or given.provenance:
            return given
        parameter = self.function.parameter(name)
        if parameter is None or parameter.annotation is None:
            return given
        identity = given.identity or self.project.intern(("param", self.key, name))
        promised = annotated(parameter.annotation, self, identity)
        return promised if isinstance(promised, InstanceValue) else given

    def _is_derived_from(self) -> bool:
        """Is it the constructor of a class from which another one derives, by name, and may hand something else up?"""
        owner = self.function.owner if self.function.name == "__init__" else None
        if owner is None:
            return False
        return any(c is not owner for c in by_base(self.project).get(owner.name, ()))

    def _defaulted(self, name: str) -> Value:
        """Without any caller, a default that is an object (`criterion=nn.CrossEntropyLoss()`) stands for the
        parameter."""
        parameter = self.function.parameter(name)
        if parameter is not None and parameter.default is not None:
            value = ask.evaluate(parameter.default, self.outer())
            if isinstance(value, (InstanceValue, ClassValue, FunctionValue)):
                return value if not self._is_derived_from() else self._unbound(name)
        return self._unbound(name)

    def _unbound(self, name: str) -> Value:
        """A parameter of which no caller tells: its annotation, its default as a hint of the type, or Unknown."""
        identity = self.project.intern(("param", self.key, name))
        parameter = self.function.parameter(name)
        if parameter is not None and parameter.annotation is not None:
            value = annotated(parameter.annotation, self, identity)
            if value is not None:
                return value
        if parameter is not None and is_setting_parameter(self.function, parameter):
            return unknown(identity, traits={"Given": Site(self.module, parameter.default)})
        return unknown(identity)

    def outer(self) -> Frame:
        """The frame in which defaults and decorators are evaluated: the enclosing function's, or the module's."""
        return self.parent or self.project.frame(self.module.body)

    # ------------------------------------------------------------------------------------------------------ names
    def named(self, name: str) -> Value:
        """The value that a name of this scope has at the end of the scope, as nested functions see it."""
        if self.module.is_stub:
            return ask.bindings_value(tuple(self.function.bindings.get(name, ())[-1:]), self)
        found = reaching(self.function).exit.get(name)
        if found is None:
            found = tuple(self.function.bindings.get(name, ()))
        if self.function.is_body and any(_is_loaded(b) for b in found):
            bound = self.function.bindings[name]
            built = (
                b for b in bound if b.kind == "assign" and not _is_loaded(b) and self._may_be_read_before(b, bound)
            )
            found = tuple(b for b in found if not _is_loaded(b)) or tuple(built) or found
        return ask.bindings_value(found, self)

    def lookup(self, name: str) -> Value:
        """A name that has no binding reaching it here: scope by scope outwards, then built-ins."""
        function: FunctionScope = self.function
        if name in function.bindings and not function.is_body:
            local = ask.bindings_value(tuple(function.bindings[name]), self)
            if name not in function.globals:
                return local
            return union([local, self.project.frame(self.module.body).global_(name)])
        if self.parent is not None:
            if name in self.parent.function.bindings:
                return self.parent.named(name)
            return self.parent.lookup(name)
        body = self.project.frame(self.module.body)
        section = _of_section(name, function)
        return body.global_(name) if section is None else ask.bindings_value((section,), body)

    def global_(self, name: str) -> Value:
        """A name of the module, or a built-in."""
        if name in self.module.body.bindings or self.module.stars:
            value = self.project.member(self.module, name)
            if not isinstance(value, UnknownValue) or value.name is not None or name in self.module.body.bindings:
                before = self._before(name)
                if before and self._is_last_tried(name):
                    return union(before)
                return union([value, *before]) if before else value
        if name in BUILTINS:
            return BuiltinValue(name)
        if name in ("__name__",):
            return literal("__main__")
        return self.project.member(self.module, name)

    def _before(self, name: str) -> list[Value]:
        """What a module's name was bound to before it was built anew: a function that reads it may have run then."""
        bindings = self.module.body.bindings.get(name, ())
        if len(bindings) < 2 or self.module.is_stub:
            return []
        last = reaching(self.module.body).exit.get(name, ())
        found: list[Binding] = []
        for binding in bindings:
            if binding.kind != "assign" or not isinstance(binding.value, ast.Call) or _is_loaded(binding):
                continue
            if any(isinstance(n, ast.Name) and n.id == name for n in walk(binding.value)):
                found.clear()  # `model = wrap(model)`
            elif binding not in last and self._may_be_read_before(binding, bindings):
                found.append(binding)
        return [ask.binding_value(binding, self) for binding in found]

    def _is_last_tried(self, name: str) -> bool:
        """Is what a notebook binds to a name last for the cells below alone, which name none of its functions?"""
        source, last = self.module.source, reaching(self.module.body).exit.get(name, ())
        if source is None or source.cells is None or len(last) != 1:
            return False
        own = {n for n, found in self.module.body.bindings.items() if any(b.kind in ("def", "class") for b in found)}
        line = getattr(last[0].node, "lineno", 0)
        below = (s for s in self.module.body.body if s.lineno > line and not isinstance(s, _DEFINITIONS))
        read = (n for s in below for n in walk(s) if isinstance(n, ast.Name))
        return not any(n.id in own for n in read)

    def _may_be_read_before(self, binding: Binding, bindings: Sequence[Binding]) -> bool:
        """May a function of the project run between a statement of the file and the next one that binds the name?"""
        body, own = self.module.body.body, self.project.reach.own_names()
        plain = {n: s.lineno for s in body if isinstance(s, ast.Assign) for t in s.targets for n in walk(t)}
        start = plain.get(binding.node, 0)
        ends = [line for b in bindings if (line := plain.get(b.node, 0)) > start]
        if not start or not ends:
            return True
        run = (s for s in body if start < s.lineno < min(ends) and not isinstance(s, _DEFINITIONS))
        read = (n for s in run for n in walk(s) if isinstance(n, (ast.Name, ast.Attribute)))
        return any(last_name(n) in own for n in read)

    def binding(self, binding: Binding) -> Value | None:
        """An override of a binding, if this context has one."""
        return self.overrides.get(id(binding))


def _of_section(name: str, function: FunctionScope) -> Binding | None:
    """The one that a function of a notebook means, of a name that several cells define: `train_step` of each chapter.
    What stands above is what was run before it, whatever follows further down. None where there is one only."""
    source = function.module.source
    if source is None or source.cells is None or function.is_body:
        return None
    found = function.module.body.bindings.get(name, ())
    if len(found) < 2 or any(b.kind not in ("def", "class") for b in found):
        return None
    above = [b for b in found if b.node.lineno <= function.node.lineno]
    return above[-1] if above else found[0]


def _is_loaded(binding: Binding) -> bool:
    """Is it read back (`model = torch.load("best.pt")`)? Functions that ran before have seen what was built."""
    value = binding.value if binding.kind == "assign" else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "load"
