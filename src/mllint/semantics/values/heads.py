"""What ends a model of a library: a head that replaced its own, as in `model.fc = nn.Sequential(nn.Linear(4, 2),
nn.Softmax(1))`, or the last layer of it (`vgg16().classifier[6]`), or, of Keras, its last layer (see `keras`).

The model is built in one place and its head is assigned next to it, so the assignments in the same file are read. If
more than one could be meant, nothing is said. Asked only of models of a library, when they are called.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.words import last_part
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.ask import ask
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.keras import output_of_keras_layer
from mllint.semantics.values.values import (
    InstanceValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["output_with_head", "replaced_head"]

_BY_NAME = ("setattr", "add_module", "register_module")
_CHANGING = (*_BY_NAME, "append", "extend", "insert", "pop")
_HEADS = frozenset(("fc", "classifier", "head", "heads", "last_linear"))
_LAST = {
    "vgg": "6]",
    "alexnet": "6]",
    "mobilenet_v2": "1]",
    "mobilenet_v3": "3]",
    "efficientnet": "1]",
    "convnext": "2]",
    "mnasnet": "1]",
}
"""At which index the `classifier` of a model of torchvision ends, by how its constructor is called."""


def output_with_head(model: Value, result: Value, frame: Frame, node: Node) -> Value:
    """What calling a model of a library gives, with what ends it, where `result` is what the library's stub says.

    Args:
        model: the model.
        result: what the library's stub says.
        frame: where the call stands.
        node: the call.
    """
    if isinstance(model, InstanceValue) and model.cls.module.name.startswith("keras"):
        return output_of_keras_layer(model, result, frame, node)
    head = replaced_head(model, frame)
    if head is None and isinstance(model, InstanceValue) and _keeps_head(model, frame):
        return result
    features = result.mapped(lambda v: v.with_(traits={k: s for k, s in v.traits.items() if k != "Raw"}))
    return ask.call_with(head, Arguments(None, frame, (features,)), frame, node) if head is not None else features


def _keeps_head(model: InstanceValue, frame: Frame) -> bool:
    """Does a model certainly end in the layer that the library built: is no head assigned, set or added to in the
    project, but for those of the project's own classes?"""
    project = frame.project
    if not project.reach.assigned().keys().isdisjoint(_HEADS) and _may_be_assigned(model, project):
        return False
    for word in _CHANGING:
        for call, scope in project.calls_named(word):
            at = call.args[0] if word == "setattr" and len(call.args) > 2 else getattr(call.func, "value", None)
            named = call.args[-2:-1] if word in _BY_NAME else []
            keys = [a.value if isinstance(a, ast.Constant) else None for a in named]
            if last_part(place(at)) in _HEADS or any(key is None or key in _HEADS for key in keys):
                if not isinstance(scope, FunctionScope) or _may_be(model, at, project.frame(scope)):
                    return False
    return True


def _may_be_assigned(model: InstanceValue, project: Project) -> bool:
    """Does any function assign a head of what may be the model?"""
    return any(
        not isinstance(node, ast.Attribute) or _may_be(model, node.value, project.frame(function))
        for function, node in _assigned_heads(project)
    )


@cached()
def _assigned_heads(project: Project) -> list[tuple[FunctionScope, Node]]:
    """The functions of a project that assign a head, each with what it assigns to."""
    found = []
    modules = [m for m in project.modules if m.source is None or m.source.mentions(_HEADS)]
    for function in (f for module in modules for f in (module.body, *module.functions)):
        for name, bindings in function.bindings.items():
            if "." in name and last_part(name) in _HEADS:
                for binding in bindings:
                    node = binding.node
                    while isinstance(node, ast.Subscript):
                        node = node.value
                    found.append((function, node))
    return found


def _may_be(model: InstanceValue, node: Node, frame: Frame) -> bool:
    """May an expression stand for the model, or for a part of it? Not where it is an object of another class, or built
    in another place, and not where it is what something unknown gives that was not given the model."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in _HEADS):
        node = node.value
    base = ask.evaluate(node, frame)
    if isinstance(base, InstanceValue):
        return base.cls is model.cls and (base.site is None or model.site is None or base.site.node is model.site.node)
    if model.site is not None and _is_bound_to(node, model.site.node, frame):
        return True
    found = bound_at(node, frame.function) if isinstance(node, ast.Name) else ()
    made = bool(found) and all(isinstance(b.value, ast.Call) and b.kind == "assign" for b in found)
    return not made or model.identity in base.identities | base.all_graph


def _is_bound_to(node: Node, made: Node, frame: Frame) -> bool:
    """Does a name hold what one call makes, and nothing else? Which class that builds is for its callers to say:
    `model = architecture(pretrained=True)`."""
    found = bound_at(node, frame.function) if isinstance(node, ast.Name) else ()
    return bool(found) and all(b.value is made and not b.path for b in found)


def replaced_head(model: Value, frame: Frame) -> Value | None:
    """The module that was assigned as the head of a model, an instance; None if there is none, or more than one."""
    made = model.site
    if made is None:
        return None
    found: list[Value] = []
    for function in made.module.functions:
        for name, bindings in function.bindings.items():
            head, inside, index = name.rpartition(".")[2].partition("[")
            if "." not in name or head not in _HEADS or (inside and not _is_last(index, made.node)):
                continue
            own = frame.project.frame(function)
            for binding in bindings:
                node = binding.node.value if inside and isinstance(binding.node, ast.Subscript) else binding.node
                if binding.kind != "assign" or binding.path or not isinstance(node, ast.Attribute):
                    return None
                base = ask.evaluate(node.value, own)
                built = base.site.node if isinstance(base, InstanceValue) and base.site is not None else None
                if built is not made.node and not _is_bound_to(node.value, made.node, own):
                    continue
                found.append(ask.evaluate(binding.value, own))
    single = found[0] if len(found) == 1 else None
    return single if single is not None and single.instance_of(MODULE) else None


def _is_last(index: str, made: Node) -> bool:
    """Is it the index of the last layer of the classifier that a constructor makes: `vgg16().classifier[6]`?"""
    name = last_name(made.func) if isinstance(made, ast.Call) else ""
    return any(name.startswith(stem) and index == last for stem, last in _LAST.items())
