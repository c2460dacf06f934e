"""What does an annotation promise of a parameter or an attribute?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import TENSOR
from mllint.semantics.libraries.stubs import hint
from mllint.semantics.syntax.fragments import expression_in
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.values.ask import ask
from mllint.semantics.values.values import (
    ClassValue,
    InstanceValue,
    TensorValue,
    Value,
    fullname,
)

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = ["annotated"]


def annotated(annotation: Node, frame: Frame, identity: int) -> Value | None:
    """What an annotation promises: an instance of a known class, or a function; None when it says nothing usable.

    Args:
        annotation: the annotation.
        frame: where it stands.
        identity: the identity of what it annotates.
    """
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return _annotated_name(expression_in(annotation.value), frame, identity)
    if isinstance(annotation, ast.Subscript) and hint(annotation).name == "Optional":
        annotation = annotation.slice
    if isinstance(annotation, ast.BinOp):
        sides = [annotation.left, annotation.right]
        known = [s for s in sides if not (isinstance(s, ast.Constant) and s.value is None)]
        if len(known) != 1:
            return None
        annotation = known[0]
    value = ask.evaluate(annotation, frame.outer() if not frame.function.is_body else frame)
    return _instance(value, identity)


def _annotated_name(annotation: Node, frame: Frame, identity: int) -> Value | None:
    if isinstance(annotation, ast.Name):
        return _instance(frame.outer().lookup(annotation.id), identity)
    if isinstance(annotation, ast.Attribute) and isinstance(annotation.value, ast.Name):
        return _instance(
            ask.member_of(frame.outer().lookup(annotation.value.id), annotation.attr, frame, annotation), identity
        )
    return None


def _instance(value: Value, identity: int) -> Value | None:
    if not isinstance(value, ClassValue):
        return None
    name = fullname(value.cls)
    if name in (TENSOR, "torch._tensor.Tensor"):
        return TensorValue(identity=identity, opaque=True)
    if value.cls.module.is_stub and name.startswith(("typing.", "builtins.")):
        return None
    return InstanceValue(value.cls, identity=identity)
