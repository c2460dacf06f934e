"""Where the circle of evaluation is closed.

What an expression is rests on its parts, on what a call gives, and so on the body that is entered, whose expressions
are evaluated in turn. The modules of this floor each answer a part of that question and stand in an order, `bases`
first and `evaluate` last. Where one of them needs an answer of a module above it, it asks for it here:

    value = ask.evaluate(node, frame)

`evaluate` and `calls` give their functions to `ask` when they are imported, which importing the package does. Modules
outside the package, and those above `evaluate`, import the functions themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from mllint.semantics.syntax.nodes import Node

if TYPE_CHECKING:
    import ast

    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.arguments import Arguments
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = ["ask"]


class _Element(Protocol):
    def __call__(self, value: Value, frame: Frame, node: Node = None) -> Value: ...


class _Invoke(Protocol):
    def __call__(
        self,
        function: FunctionScope,
        receiver: Value | None,
        arguments: Arguments | None,
        frame: Frame,
        *,
        closure: Frame | None = None,
        node: Node = None,
    ) -> Value: ...


class _Ask:
    """The questions that have an answer further up, each as the function of its name says."""

    __slots__ = (
        "binding_value", "bindings_value", "call_with", "element_of", "evaluate", "invoke", "member_of", "targets",
    )  # fmt: skip

    evaluate: Callable[[Node, Frame], Value]
    binding_value: Callable[[Binding, Frame], Value]
    bindings_value: Callable[[Sequence[Binding], Frame], Value]
    element_of: _Element
    member_of: Callable[[Value, str, Frame, Node], Value]
    invoke: _Invoke
    call_with: Callable[[Value, Arguments, Frame, Node], Value]
    targets: Callable[[ast.Call, Frame], list[FunctionScope]]


ask = _Ask()
"""Asked by the modules of this package."""
