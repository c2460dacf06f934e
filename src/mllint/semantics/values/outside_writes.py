"""Does the code around a class write into its objects: `net.head = nn.Linear(8, 2)`?

A class says what its own methods write. Whoever has an object may replace a layer of it all the same, in another
function or another file, by name or by `setattr`, and most people who fine-tune do. Whether that comes first is not
asked. What is written into an object of another class is no write; one into an object that is not known is one if it is
a module.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import mro
from mllint.semantics.values.self_helpers import helpers_acting_on
from mllint.semantics.values.values import InstanceValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["is_written_outside"]


def is_written_outside(instance: InstanceValue, name: str, own: int, project: Project) -> bool:
    """True if somebody else than the class may write to an attribute that holds a module.

    Args:
        instance: the object.
        name: the attribute.
        own: how many writes to an attribute of that name the class has itself.
        project: where the writes are looked for.
    """
    if len(project.reach.assigned().get(name, ())) > own:
        helpers = _helpers(instance)
        for function, binding in _writes(project).get(name, ()):
            if id(function) not in helpers and _writes_into(binding, name, instance, function):
                return True
    for call, scope in project.calls_named("setattr"):
        if isinstance(scope, FunctionScope) and len(call.args) == 3 and not _is_self(call.args[0], scope):
            key = call.args[1]
            if not isinstance(key, ast.Constant) or key.value == name:
                if _may_be(ask.evaluate(call.args[0], project.frame(scope)), instance):
                    return True
    return False


def _helpers(instance: InstanceValue) -> set[int]:
    """The ids of the functions to which the class of `instance` hands its objects itself."""
    own = [cls for cls in mro(instance.cls) if not isinstance(cls, str) and not cls.module.is_stub]
    return {id(part.function) for cls in own for part in helpers_acting_on(cls)}


@cached()
def _writes(project: Project) -> dict[str, list[tuple[FunctionScope, Binding]]]:
    """The writes to attributes, and to items of them, of any object but `self`: by the attribute, each with its
    function."""
    found: dict[str, list[tuple[FunctionScope, Binding]]] = {}
    for module in project.modules:
        for function in (module.body, *module.functions):
            own = function.parameters[0].name if function.owner is not None and function.parameters else ""
            for written, bindings in function.bindings.items():
                if "." in written:
                    owner, _, last = written.rpartition(".")
                    if owner and owner != own:
                        found.setdefault(last.partition("[")[0], []).extend((function, b) for b in bindings)
    return found


def _is_self(node: Node, function: FunctionScope) -> bool:
    """True if `node` is the object of the method `function`."""
    return function.owner is not None and bool(function.parameters) and place(node) == function.parameters[0].name


def _writes_into(binding: Binding, name: str, instance: InstanceValue, function: FunctionScope) -> bool:
    """True if `binding`, a write to an attribute `name` in `function`, may be one of `instance`."""
    node = binding.node
    while isinstance(node, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Attribute) or node.attr != name or function.module.project is None:
        return False
    frame = function.module.project.frame(function)
    receiver = ask.evaluate(node.value, frame)
    if _may_be(receiver, instance):
        return True
    return receiver.is_unknown and ask.bindings_value((binding,), frame).instance_of("torch.nn.Module")


def _may_be(receiver: Value, instance: InstanceValue) -> bool:
    """True if `receiver` may be an object of the class of `instance`, or of one that it derives from."""
    classes = [v.cls for v in receiver.alternatives if isinstance(v, InstanceValue)]
    return any(cls in mro(instance.cls) or instance.cls in mro(cls) for cls in classes)
