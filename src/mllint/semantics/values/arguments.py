"""How the arguments of a call bind to parameters: unevaluated, `*args` and `**kwargs` opened where that can be done.

An argument is an expression in the caller's frame until somebody asks for its value, so that binding costs nothing but
the names. What cannot be opened leaves the binding incomplete, and an absent argument is then not known to be absent.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Constant, Node, last_name
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.ask import ask
from mllint.semantics.values.values import (
    ClassValue,
    InstanceValue,
    MappingValue,
    PartialValue,
    SequenceValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = [
    "Arguments",
    "Bound",
    "Given",
    "bind",
    "bind_arguments",
    "handed_receiver",
    "join_arguments",
    "value_of_bound",
]

Given: TypeAlias = "Node | Value"
"""An argument: its expression, or its value where that has no expression."""
Bound: TypeAlias = "Passed | Value"
"""What a parameter is bound to: an expression of the caller's, or a value where it has none (`*args`)."""


class Arguments:
    """The arguments of one call in its frame, unevaluated: `positional` and `keywords` hold expressions or Values.

    `open` says that a `*args` or `**kwargs` that could not be opened may give more; `spread` is what these are.
    """

    __slots__ = ("frame", "keywords", "node", "open", "positional", "spread")

    def __init__(self, node: Node, frame: Frame, first: tuple[Given, ...] = ()) -> None:
        self.node, self.frame, self.open = node, frame, False
        self.positional: list[Given] = list(first)
        self.keywords: dict[str, Given] = {}
        self.spread: tuple[Value, ...] = ()
        if node is None:
            return
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self._spread(ask.evaluate(argument.value, frame))
            else:
                self.positional.append(argument)
        for keyword in node.keywords:
            if keyword.arg is None:
                self._spread_keywords(ask.evaluate(keyword.value, frame))
            else:
                self.keywords[keyword.arg] = keyword.value

    def behind(self, first: Value) -> Arguments:
        """The same arguments behind another one, as a function that is bound to an object is given them."""
        whole = Arguments(None, self.frame, (first, *self.positional))
        whole.node, whole.keywords, whole.open, whole.spread = self.node, self.keywords, self.open, self.spread
        return whole

    def _spread(self, value: Value) -> None:
        if isinstance(value, SequenceValue) and not self.open:
            self.positional += value.parts
        else:
            self.open, self.spread = True, (*self.spread, value)

    def _spread_keywords(self, value: Value) -> None:
        if isinstance(value, MappingValue):
            named = {k: v for k, v in value.entries.items() if isinstance(k, str)}
            if len(named) == len(value.entries):
                self.keywords.update(named)
                return
        self.open, self.spread = True, (*self.spread, value)

    def get(self, thing: Given) -> Value:
        """The Value of one argument."""
        return thing if isinstance(thing, Value) else ask.evaluate(thing, self.frame)

    def values(self) -> list[Value]:
        """The Values of all arguments, those that are spread included."""
        return [*(self.get(a) for a in (*self.positional, *self.keywords.values())), *self.spread]


def bind_arguments(function: FunctionScope, arguments: Arguments, skip: int = 0) -> tuple[dict[str, Bound], bool]:
    """Bind arguments to parameters.

    Args:
        function: whose parameters.
        arguments: the call's.
        skip: how many leading parameters (`self`) are bound elsewhere.

    Returns:
        parameter name -> what is passed, and whether that is certainly all.
    """
    bound: dict[str, Bound] = {}
    frame = arguments.frame
    given, names = arguments.positional, function.positional[skip:]
    for name, expression in zip(names, given, strict=False):
        bound[name] = expression if isinstance(expression, Value) else Passed(expression, frame)
    extra: dict[Constant, Bound] = {}
    for name, expression in arguments.keywords.items():
        thing = expression if isinstance(expression, Value) else Passed(expression, frame)
        if function.parameter(name) is not None:
            bound[name] = thing
        else:
            extra[name] = thing
    if not arguments.open:
        for parameter in function.gathering:
            if parameter.kind == "args":
                bound[parameter.name] = SequenceValue(tuple([arguments.get(a) for a in given[len(names) :]]))
            else:
                bound[parameter.name] = MappingValue({k: value_of_bound(v) for k, v in extra.items()})
    return bound, not arguments.open


def value_of_bound(thing: Bound) -> Value:
    """The Value of a bound argument."""
    return thing if isinstance(thing, Value) else ask.evaluate(thing.node, thing.frame)


def handed_receiver(function: FunctionScope, bound: dict[str, Bound]) -> Value | None:
    """The object for which a method is called through its class or by a wrapper: `Fit.step(self, x)`, `fn(self, x)`."""
    thing = bound.get(function.positional[0]) if function.positional and function.name != "__init__" else None
    if thing is None or function.decorated("staticmethod", "classmethod"):
        return None
    value = value_of_bound(thing)
    return value if isinstance(value, InstanceValue) and value.identity else None


def bind(function: FunctionScope, call: ast.Call, frame: Frame) -> tuple[dict[str, Bound], bool]:
    """Bind a call's arguments to a function that the call reaches; `self` is left out for methods and constructors.

    Args:
        function: the function.
        call: the call.
        frame: where the call stands.
    """
    skip = 1 if function.owner is not None and not function.decorated("staticmethod") else 0
    func = call.func
    if (
        skip
        and isinstance(func, ast.Attribute)
        and isinstance(ask.evaluate(func.value, frame), ClassValue)
        and function.name != "__init__"
    ):
        skip = 0 if not function.decorated("classmethod") else 1
    early = ask.evaluate(func, frame) if last_name(func) != function.name and function.owner is None else None
    return bind_arguments(function, join_arguments(early, call, frame), skip)


def join_arguments(called: Value | None, call: ast.Call, frame: Frame) -> Arguments:
    """The arguments of a call, behind those that a partial has bound beforehand.

    Args:
        called: what is called.
        call: the call.
        frame: where the call stands.
    """
    if not isinstance(called, PartialValue):
        return Arguments(call, frame)
    first = called.arguments
    given = first.get if first.frame is not frame else _as_it_is
    both = Arguments(call, frame, tuple(given(a) for a in first.positional[1:]))
    both.keywords = {**{k: given(v) for k, v in first.keywords.items()}, **both.keywords}
    return both


def _as_it_is(argument: Node) -> Node:
    return argument
