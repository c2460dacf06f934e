"""Which object stands for a parameter without an argument: `criterion=None`, and `CrossEntropyLoss()` where it is that?

A default that is an object stands for its parameter where the project has no caller (`Frame.parameter`). Most defaults
are written in two steps: the signature says `None`, and the body builds the object for it. What is built there is the
default all the same.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, walk
from mllint.semantics.syntax.records import Passed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mllint.semantics.values.frames import Frame

__all__ = ["built_by_default", "is_always_default_none", "says_none"]


def is_always_default_none(node: Node, frame: Frame) -> bool:
    """Is it a parameter that is `None` unless somebody gives it, which nothing in the project does?"""
    if not isinstance(node, ast.Name) or not _nobody_gives(node.id, frame):
        return False
    found = bound_at(node, frame.function)
    return len(found) == 1 and found[0].kind == "param" and _is_default_none_uncalled(node.id, frame)


def _nobody_gives(name: str, frame: Frame) -> bool:
    """Is no call known that gives a parameter? The constructor of a derived class may hand up to its base what nobody
    gives it."""
    if frame.bound is None:
        return True
    if frame.function.name != "__init__" or frame.receiver is None or frame.receiver.built_with is not None:
        return False
    given = frame.bound.get(name)
    return given is None or (isinstance(given, Passed) and is_always_default_none(*given))


def _is_default_none_uncalled(name: str, frame: Frame) -> bool:
    function = frame.function
    parameter = function.parameter(name)
    default = parameter.default if parameter is not None else None
    if not isinstance(default, ast.Constant) or default.value is not None:
        return False
    return not frame.project.callers(function) and not frame.project.passed_around(function)


def says_none(test: Node, name: str) -> bool | None:
    """Is a name `None` where a test holds (True), or where it does not (False): `x is None`, `not x`, `x`?"""
    match test:
        case ast.Name(id=word) if word == name:
            return False
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=word)) if word == name:
            return True
        case ast.Compare(left=ast.Name(id=word), ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]):
            return True if word == name else None
        case ast.Compare(
            left=ast.Name(id=word), ops=[ast.IsNot() | ast.NotEq()], comparators=[ast.Constant(value=None)]
        ):
            return False if word == name else None
    return None


def built_by_default(bindings: Sequence[Binding], frame: Frame) -> Binding | None:
    """Of two bindings the one that builds what the other, a parameter without an argument, is when it is given:
    `if loss is None: loss = nn.MSELoss()`, or `self.loss = nn.MSELoss()` and `else: self.loss = loss`."""
    first, second = bindings
    for built, given in ((second, first), (first, second)):
        if built.kind != "assign" or built.path or not isinstance(built.value, ast.Call):
            continue
        if given.kind == "param":
            name = (
                given.name if _nobody_gives(given.name, frame) and _is_default_none_uncalled(given.name, frame) else ""
            )
        else:
            kept = given.value if given.kind == "assign" and not given.path else None
            name = kept.id if isinstance(kept, ast.Name) and is_always_default_none(kept, frame) else ""
        if name and _built_for_none(built, name, frame):
            return built
    return None


def _built_for_none(built: Binding, name: str, frame: Frame) -> bool:
    """Does a binding stand in the branch in which a parameter is `None`?"""
    for node in every_statement(frame.function.node):
        if isinstance(node, ast.If):
            none = says_none(node.test, name)
            branch = node.body if none else node.orelse if none is False else []
            if any(n is built.node for s in branch for n in walk(s)):
                return True
    return False
