"""Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Call,
    Class,
    ClassValue,
    Function,
    FunctionScope,
    InstanceValue,
    Node,
    Origin,
    Site,
    Topic,
    Value,
    containers,
    last_name,
    place,
    registration,
    tensor_methods,
    topics,
    walk,
)

__all__: list[str] = []


_PARTS = {
    "nn.ModuleList": "its modules are",
    "nn.ModuleDict": "its modules are",
    "nn.ParameterList": "its parameters are",
    "nn.ParameterDict": "its parameters are",
    "nn.Parameter": "it is",
}
"""What is not registered where a container of modules, or a parameter, belongs."""
_ADVICE = {"nn.Parameter": "wrap it in `nn.Parameter` to train it, or call `register_buffer` to save and move it"}
_PARAMETERS = "parameters in a plain container are not registered: not in `parameters()`, not saved, not moved"
_WHY = {
    "nn.ParameterList": _PARAMETERS,
    "nn.ParameterDict": _PARAMETERS,
    "nn.Parameter": "a plain tensor is not registered: not in `parameters()`, not saved, and not moved with the model",
}
_MODULE = "torch.nn.Module"
_MOVES = tensor_methods.RETURNS_MODULE


@check("unregistered-submodule")
def unregistered_submodule(cls: Class) -> Iterator[Finding]:
    """Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""
    if not cls.scope.node.bases:
        return
    if _builds_in_forward(cls) and cls.inherits(registration.MODULE):
        yield from _made_in_forward(cls, lambda value: registration.has_parameters_or_mode(value, mode=False))
    views = [Function(f, cls.frame_of(f)) for f in cls.scope.methods.values()]
    for view in (view for view in views if view.scope.name == "__init__" and view.scope.loops):
        yield from _overwritten(cls, view)
    for view, put, home, left_out in containers.find_unregistered_modules(cls):
        kind = "tensor" if home == "nn.Parameter" else containers.kind_of(view, put)
        yield Finding(
            Site(view.module, put.node),
            f"`{put.name}` is a plain {kind}, so {_PARTS[home]} not registered in `{cls.scope.name}`",
            "neither in `parameters()` nor in the checkpoint",
            help=_ADVICE.get(home, f"keep them in `{home}`"),
            why=_WHY.get(home, ""),
            evidence=(left_out,),
            about=(cls, put.name, home),
        )


def _overwritten(cls: Class, view: Function) -> Iterator[Finding]:
    """A list of layers is replaced in each iteration of a loop, instead of growing."""
    for loop in view.scope.loops:
        for binding in (b for found in view.scope.bindings.values() for b in found):
            local = "." not in binding.name
            if containers.is_overwritten_in_loop(binding, loop.node) and (
                containers.becomes_container_module(view, binding, loop.node)
                if local
                else containers.ends_as_module(cls, binding.name)
            ):
                yield Finding(
                    Site(cls.module, binding.node),
                    f"each iteration replaces `{binding.name}`: only the layers of the last one stay",
                    "replaces the list",
                    help="append to one `nn.ModuleList` that is built before the loop",
                    why="the layers of the earlier iterations are lost: neither trained nor saved",
                )


def _builds_in_forward(cls: Class) -> bool:
    """A cheap look: does `forward`, or a method that it calls, call something that is called as a class?"""
    return any(last_name(c.func)[:1].isupper() for method in _running(cls) for c in method.calls)


def _running(cls: Class) -> list[FunctionScope]:
    """`forward`, and the methods that it calls by `self.name(...)`, which `__init__` does not call."""
    forward, init = cls.scope.methods.get("forward"), cls.scope.methods.get("__init__")
    if forward is None:
        return []
    building = init.called_names if init is not None else frozenset()
    called = [m for name, m in cls.scope.methods.items() if name in forward.called_names and name not in building]
    return [forward, *(m for m in called if m is not forward and m is not init)]


def _made_in_forward(cls: Class, weighted: Callable[[Value], bool]) -> Iterator[Finding]:
    """The layers with weights that `forward` builds and calls.

    Args:
        cls: a module.
        weighted: has a module that was built parameters?
    """
    if topics.is_about(cls.scope.name, Topic.RANDOMNESS):
        return
    for method in _running(cls):
        for node in method.calls:
            if not last_name(node.func)[:1].isupper() or not _is_applied(node, method):
                continue
            call = Call(node, cls.frame_of(method))
            value = call.value
            if (
                not isinstance(call.callee, ClassValue)
                or not isinstance(value, InstanceValue)
                or not value.instance_of(_MODULE)
            ):
                continue
            if (
                (call.last_name.endswith("PReLU") or "Norm" in call.last_name)
                or call.grad_off is True
                or _is_built_of_modules(call)
            ):
                continue
            if weighted(value):
                yield Finding(
                    call,
                    f"`{call.name}` is created in each call of `{method.name}`: its weights are random every time",
                    "new weights in each call",
                    help="build it in `__init__`, as an attribute, and call it here",
                    why="each call uses a new layer with new random weights, which no optimizer holds",
                )


def _is_built_of_modules(call: Call) -> bool:
    """Is it built of modules that are there already, `nn.Sequential(self.first, *self.middle)`?"""
    given = [*call.node.args, *(k.value for k in call.node.keywords)]
    nodes = [n for a in given for n in walk(a) if getattr(n, "id", "") != "self"]
    if any(isinstance(n, ast.Starred) for n in nodes):
        return True
    values = (Origin(n, call.frame).value for n in nodes if isinstance(n, (ast.Name, ast.Attribute, ast.Subscript)))
    return any(
        isinstance(v, InstanceValue) and v.may_be_instance_of(_MODULE) for value in values for v in value.alternatives
    )


def _is_applied(node: ast.Call, forward: FunctionScope) -> bool:
    """Is what is built called on the spot, or by the one name that it gets, and used for nothing else?"""
    parents = {id(c.func): c for c in forward.calls}
    methods = {id(c.func.value): c for c in forward.calls if isinstance(c.func, ast.Attribute)}
    built = node
    while id(built) in methods and last_name(methods[id(built)].func) in _MOVES:
        built = methods[id(built)]  # `nn.Linear(3, 4).to(x.device)`
    if id(built) in parents:
        return True
    names = [n for n, found in forward.bindings.items() if any(b.value is built and not b.path for b in found)]
    if len(names) != 1 or "." in names[0]:
        return False
    name = names[0]
    if any(b.value is not built and not _moves(b.value, name) for b in forward.bindings[name]):
        return False
    reads = [n for n in forward.nodes_of(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    moved = [n for n in reads if id(n) in methods and last_name(methods[id(n)].func) in _MOVES]
    called = [n for n in reads if id(n) in parents]
    return bool(called) and len(called) + len(moved) == len(reads) and place(node.func) is not None


def _moves(value: Node, name: str) -> bool:
    """Is it `layer.to(device)`, of the name that is bound to it again?"""
    match value:
        case ast.Call(func=ast.Attribute(value=base, attr=word)):
            return word in _MOVES and place(base) == name
    return False
