"""What is put into a container, by the form of the code?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.syntax.module import place

__all__ = ["made_for", "unturned"]


def made_for(container: Any, scope: Any) -> Iterator[ast.Call]:
    """The calls whose results are put into a variable: `block(3)` of `layers.append(block(3))`."""
    name = container.id if isinstance(container, ast.Name) else ""
    for call in scope.calls if name else ():
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "insert", "extend"):
            if place(call.func.value) == name:
                yield from (a for a in call.args if isinstance(a, ast.Call))


def unturned(value: Any) -> Any:
    """`[a, b]` of `[a, b][::-1]`, which holds the same."""
    match value:
        case ast.Subscript(value=ast.List() | ast.ListComp() as inner, slice=ast.Slice(lower=None, upper=None)):
            return inner
    return value
