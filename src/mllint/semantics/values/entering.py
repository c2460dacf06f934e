"""In which frames do the project's functions run that a call enters?

Whoever reads on in a function that is called needs its frame: the parameters bound to what this call gives, or to what
a `partial` has bound before, the object whose method it is, and the call of the function around it that made it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.values.arguments import join_arguments
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.calls import callee, entered_function
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import ClassValue, FunctionValue, InstanceValue, PartialValue, Value

__all__ = ["inner_frames"]


def inner_frames(call: ast.Call, frame: Frame) -> Iterator[Frame]:
    """The frames of the project's functions that a call enters, with its arguments, those that a `partial` has bound
    before, its receiver and its closure. Constructors are no part of it."""
    for value in callee(call, frame).alternatives:
        made = value.called if isinstance(value, PartialValue) else value
        function = entered_function(made)
        if function is None or function.stubbed or isinstance(made, ClassValue):
            continue
        receiver: Value | None = made if isinstance(made, InstanceValue) else None
        closure: Frame | None = None
        if isinstance(made, FunctionValue):
            receiver, closure = made.receiver, made.closure
        inner = enter(function, receiver, join_arguments(value, call, frame), frame, closure=closure, node=call)
        if inner is not None:
            yield inner
