"""Does the mode matter to a run of a model, by the layers that it meets?

    def encode(self, x):
        return self.encoder(x)        # never meets `self.head`, and its dropout

A call of the model meets whatever there is in it. A method of the model's own meets the parts that it names, and those
that the methods name which it calls; where it uses the object in another way (`self(x)`, `self.modules()`,
`self.training`), it may meet anything.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import walk
from mllint.semantics.training.modes.dependence import depends_on_mode
from mllint.semantics.values.classes import attribute, method
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event

__all__ = ["run_depends_on_mode"]

_WHOLE = ("forward", "__call__")
_DEPTH = 4  # methods that call each other


def run_depends_on_mode(run: Event) -> bool | None:
    """Does a run of a model meet a layer that depends on the mode: True, False, or None when that is unknown?"""
    model = run.subject
    called = Call(run.call, run.frame).callees if run.option == "method" and isinstance(run.call, ast.Call) else []
    if len(called) != 1 or called[0].name in _WHOLE or not isinstance(model, InstanceValue):
        return depends_on_mode(model)
    names = _parts_met(called[0], model.cls, _DEPTH)
    if names is None:
        return depends_on_mode(model)
    answers = {depends_on_mode(attribute(model, name, run.frame)) for name in names}
    return True if True in answers else None if None in answers else False


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
