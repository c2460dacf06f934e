"""What is there to register: has a value anything to train, or to switch?

`nn.Module` registers what is assigned to an attribute and nothing else. The other modules look at what a class puts
where, and ask here of each value whether it matters: an activation or a loss in a list is harmless.

What constructors build is read from them and the methods that they call (`_library_classes_built`,
`_arguments_of_super_init`, `_put_in`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import MODULE, MODULE_CONTAINERS
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import last_name, place
from mllint.semantics.values.bases import mro
from mllint.semantics.values.calls import callee
from mllint.semantics.values.classes import attribute, method, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import (
    BottomValue,
    ClassValue,
    InstanceValue,
    ManyValue,
    MappingValue,
    SequenceValue,
    TensorValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["CONTAINERS", "PARAMETER", "elements", "has_parameters_or_mode", "is_parameter"]

PARAMETER = ("torch.nn.parameter.Parameter", "torch.nn.Parameter")
CONTAINERS = (SequenceValue, ManyValue, MappingValue)
"""What holds values, and registers none of them."""
_SIZED = frozenset(
    """in_features in_channels in1_features out_features out_channels num_embeddings input_size num_features
    num_parameters normalized_shape num_channels embed_dim d_model""".split()
)


def elements(value: Value, depth: int = 3) -> Iterator[Value]:
    """All that is in a container, nested containers opened."""
    for v in value.alternatives:
        if isinstance(v, CONTAINERS) and depth:
            for part in v.contents:
                yield from elements(part, depth - 1)
        elif not isinstance(v, BottomValue):
            yield v


def is_parameter(value: Value, view: FunctionView) -> bool:
    """Is it an `nn.Parameter` built in this place?"""
    node = value.site.node if isinstance(value, TensorValue) and value.site is not None else None
    return isinstance(node, ast.Call) and Call(node, view.frame).callee.is_class(*PARAMETER)


def _starred_layers(value: Value) -> list[Value]:
    """What a layer of a library was given as `*layers`."""
    arguments = value.built_with
    if not isinstance(value, InstanceValue) or not value.cls.module.is_stub or arguments is None:
        return []
    call = arguments.node
    stars = [a for a in call.args if isinstance(a, ast.Starred)] if isinstance(call, ast.Call) else []
    return [evaluate(star.value, arguments.frame) for star in stars]


def has_parameters_or_mode(value: Value, depth: int = 5, *, mode: bool = True) -> bool:
    """Has the module parameters, or a mode if that is asked for? False when nothing shows it."""
    if not isinstance(value, InstanceValue):
        return False
    cls = value.cls
    if mode and stub_effect(cls, "mode_dependent") is not None:
        return True
    modules = [p for v in value.contents for p in elements(v) if isinstance(p, InstanceValue)] if depth else []
    if any(has_parameters_or_mode(module, depth - 1, mode=mode) for module in modules):
        return True
    given: list[Value] = []
    if cls.module.is_stub and value.arguments is not None and depth:
        given += value.arguments.values()
    given = [*given, *_starred_layers(value)] if depth else given
    layers = (p for v in given for p in elements(v) if isinstance(p, InstanceValue) and p.instance_of(MODULE))
    if any(has_parameters_or_mode(layer, depth - 1, mode=mode) for layer in layers):
        return True
    library = next((c for c in mro(cls) if not isinstance(c, str) and c.module.is_stub), None)
    if library is not None and (_is_layer_with_weights(library) or library is cls):
        return _is_layer_with_weights(library)
    project = cls.module.project
    frame = project.frame(cls.module.body)
    own = _constructors_of(cls)
    fields = {n.partition(".")[2] for f in own if not f.stubbed for n in f.bindings if "." in n and "[" not in n}
    inner = [v for name in sorted(fields) if depth for v in attribute(value, name, frame).alternatives]
    inner += [*_arguments_of_super_init(own, project), *_put_in(own, project)] if depth else []
    if any(isinstance(v, TensorValue) and v.identity in v.graph for v in inner):
        return True  # an `nn.Parameter` of its own
    if any(
        isinstance(v, InstanceValue) and v.instance_of(MODULE) and has_parameters_or_mode(v, depth - 1, mode=mode)
        for v in inner
    ):
        return True
    return any(v.instance_of(*MODULE_CONTAINERS) and _is_vague(v) for v in inner) and any(
        map(_is_layer_with_weights, _library_classes_built(own, project))
    )


def _is_vague(container: Value) -> bool:
    """Is no layer known that is in a container?"""
    parts = container.contents
    return not any(isinstance(p, InstanceValue) for part in parts for p in elements(part))


def _is_layer_with_weights(layer: ClassScope) -> bool:
    """Is it a layer of a library that is built for a number of features, and so has weights?"""
    init = method(layer, "__init__")
    return init is not None and bool(_SIZED & {p.name for p in init.parameters}) and MODULE in _names(layer)


def _names(cls: ClassScope) -> list[str]:
    """The dotted names of a class and its ancestors."""
    return [c if isinstance(c, str) else c.fullname for c in mro(cls)]


# ---------------------------------------------------------------------------------------------- what constructors build
def _constructors_of(cls: ClassScope) -> list[FunctionScope]:
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


def _arguments_of_super_init(constructors: list[FunctionScope], project: Project) -> list[Value]:
    """What classes of the user's hand to `super().__init__`, as those derived from `nn.Sequential` do."""
    own = [f for f in constructors if not f.stubbed]
    calls = [(c, f) for f in own for c in f.calls if last_name(c.func) == "__init__"]
    given = [evaluate(a, project.frame(f)) for c, f in calls for a in c.args if not isinstance(a, ast.Starred)]
    return [v for value in given for v in value.alternatives]


def _put_in(constructors: list[FunctionScope], project: Project) -> list[Value]:
    """What constructors of the user's add to their containers: `self.layers.append(Block(8))`."""
    found = []
    for function in (f for f in constructors if not f.stubbed):
        for call in function.calls:
            func = call.func
            if not call.args or not isinstance(func, ast.Attribute) or func.attr not in ("append", "add_module"):
                continue
            if (place(func.value) or "").startswith("self"):
                found.append(evaluate(call.args[-1], project.frame(function)))
    return [v for value in found for v in value.alternatives]


def _library_classes_built(constructors: list[FunctionScope], project: Project) -> Iterator[ClassScope]:
    """The classes of a library of which constructors build something, wherever they put it: `down = nn.Conv2d(3, 8, 3)`
    above `nn.Sequential(OrderedDict([("down", down)]))`."""
    for function in (f for f in constructors if not f.stubbed):
        frame = project.frame(function)
        for call in function.calls:
            for v in callee(call, frame).alternatives:
                if isinstance(v, ClassValue) and v.cls.module.is_stub:
                    yield v.cls
