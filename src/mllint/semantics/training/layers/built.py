"""What do the constructors of a class of modules build, also in methods that they call, and hand on?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.syntax.module import last_name, place
from mllint.semantics.values.bases import mro
from mllint.semantics.values.calls import callee
from mllint.semantics.values.classes import method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import Value

__all__ = ["built_in", "constructors", "handed_up", "put_in"]


def constructors(cls: Any) -> list[Any]:
    """The constructors of a class and its ancestors, and the methods in which these build: `self._init_layers(...)`."""
    found = [c.methods["__init__"] for c in mro(cls) if not isinstance(c, str) and "__init__" in c.methods]
    for function in [f for f in found if not f.stubbed]:
        for call in function.calls:
            func = call.func
            if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
                inner = method(cls, func.attr)
                if inner is not None and not inner.stubbed and inner not in found:
                    found.append(inner)
    return found


def handed_up(constructors: list[Any]) -> list[Value]:
    """What classes of the user's hand to `super().__init__`, as those derived from `nn.Sequential` do."""
    own = [f for f in constructors if not f.stubbed]
    calls = [(c, f) for f in own for c in f.calls if last_name(c.func) == "__init__"]
    given = [evaluate(a, f.module.project.frame(f)) for c, f in calls for a in c.args if not isinstance(a, ast.Starred)]
    return [v for value in given for v in value.alternatives]


def put_in(constructors: list[Any]) -> list[Value]:
    """What constructors of the user's add to their containers: `self.layers.append(Block(8))`."""
    found = []
    for function in (f for f in constructors if not f.stubbed):
        for call in function.calls:
            func = call.func
            if not call.args or not isinstance(func, ast.Attribute) or func.attr not in ("append", "add_module"):
                continue
            if (place(func.value) or "").startswith("self"):
                found.append(evaluate(call.args[-1], function.module.project.frame(function)))
    return [v for value in found for v in value.alternatives]


def built_in(constructors: list[Any]) -> Iterator[Any]:
    """The classes of a library of which constructors build something, wherever they put it: `down = nn.Conv2d(3, 8, 3)`
    above `nn.Sequential(OrderedDict([("down", down)]))`."""
    for function in (f for f in constructors if not f.stubbed):
        frame = function.module.project.frame(function)
        for call in function.calls:
            for v in callee(call, frame).alternatives:
                if v.kind == "class" and v.of.module.is_stub:
                    yield v.of
