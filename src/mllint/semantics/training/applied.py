"""Which module of Flax does a call run, whose parameters are handed in?

    model.apply({"params": params}, x)                              # `find_applied`: `model`, and `x`
    state = TrainState.create(apply_fn=model.apply, params=params, tx=tx)
    state.apply_fn({"params": params}, x)                           # the module whose `apply` every state is built with

What a state runs is known where all states of a program are built with modules of one class.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue

__all__ = ["Applied", "find_applied"]

_MODULE, _APPLY, _OF_STATE = "flax.linen.Module", "apply", "apply_fn"


class Applied(NamedTuple):
    """A run of a module of Flax.

    Attributes:
        module: the module.
        given: the first argument of its method, None if it is not written out.
    """

    module: InstanceValue
    given: Node


def find_applied(call: Call) -> Applied | None:
    """The module of the user's that a call runs with parameters that it is handed, and its input."""
    if len(call.node.args) < 2:
        return None
    module = _receiver(call.node.func, call)
    return Applied(module, call.node.args[1]) if module is not None else None


def _receiver(called: Node, call: Call) -> InstanceValue | None:
    for origin in origins(called, call.frame, through=lambda o: isinstance(o.node, ast.Name)):
        match origin.node:
            case ast.Attribute(attr="apply", value=owner):
                value = evaluate(owner, origin.frame)
                return value if isinstance(value, InstanceValue) and value.instance_of(_MODULE) else None
            case ast.Attribute(attr="apply_fn"):
                return _module_of_states(call.project)
    return None


@cached()
def _module_of_states(project: Project) -> InstanceValue | None:
    """The module whose `apply` the states of a program are built with, if those are of one class."""
    own = [m for m in project.modules if not m.is_stub]
    built = [item for m in own for item in m.calls_by_keyword.get(_OF_STATE, ())]
    modules = []
    for node, scope in built:
        function = function_of(scope)
        given = next(k.value for k in node.keywords if k.arg == _OF_STATE)
        if function is None or not isinstance(given, ast.Attribute) or last_name(given) != _APPLY:
            return None
        modules.append(evaluate(given.value, project.frame(function)))
    found = [m for m in modules if isinstance(m, InstanceValue) and m.instance_of(_MODULE)]
    return found[0] if len(found) == len(built) and len({id(m.cls) for m in found}) == 1 else None
