"""A container is built from one layer, many times."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    ClassValue,
    Frame,
    FunctionScope,
    InstanceValue,
    Node,
    is_within,
    last_name,
    place,
    registration,
    targets_of,
    text,
)

__all__: list[str] = []


@check("shared-layer-instances", calls="Sequential ModuleList ModuleDict extend")
def shared_layer_instances(call: Call) -> Iterator[Finding]:
    """A container is built from one layer, many times."""
    found = [(argument, *pair) for argument in call.node.args[:1] for pair in _repeated(call, argument)]
    if not call.node.args and call.last_name == "ModuleList":
        found = [(call.node, *pair) for name in targets_of(call.node, call.function) for pair in _appended(call, name)]
    receiver = (call.receiver if call.last_name == "extend" else call.value) if found else None
    if receiver is not None and receiver.instance_of(
        "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"
    ):
        for argument, node, element in found:
            if _one_layer(call, element) and not registration.is_intentional(call, node, element):
                yield Finding(
                    call.at(node),
                    f"`{text(call.module, element)}` is one layer used several times: all positions share its weights",
                    "one instance, repeated",
                    [Note(call, "the container")] if node is not argument and call.node is not node else [],
                    help=_each(call, element),
                )


def _each(call: Call, element: Node) -> str:
    """How to build one layer for each position, in the words of what builds the one; empty if that is not known."""
    value = call.value_of(element)
    built = value.built_with if isinstance(value, InstanceValue) else None
    if built is None or not isinstance(built.node, ast.Call):
        return ""
    return f"build one layer for each position: `[{text(built.frame.module, built.node.func)}(...) for _ in range(n)]`"


def _repeated(call: Call, node: Node, names: set[str] | None = None) -> Iterator[tuple[Node, Node]]:
    """The expressions that repeat an element, each with the element: `[x] * n`, `[x for _ in y]`, `repeat(x, n)`.

    Args:
        call: what is handed the container.
        node: what it is handed.
        names: the names that were followed already.
    """
    names = set() if names is None else names
    if isinstance(node, ast.Starred):
        node = node.value
    match node:
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=elements) | ast.Tuple(elts=elements), right=times):
            yield from ((node, e) for e in elements if getattr(times, "value", 2) != 1)
        case ast.BinOp(op=ast.Mult(), right=ast.List(elts=elements) | ast.Tuple(elts=elements), left=times):
            yield from ((node, e) for e in elements if getattr(times, "value", 2) != 1)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            yield from _repeated(call, left, names)
            yield from _repeated(call, right, names)
        case ast.ListComp(elt=ast.Name() as element) | ast.GeneratorExp(elt=ast.Name() as element):
            yield node, element
        case ast.Call(args=[element, _]) if last_name(node.func) == "repeat":
            yield node, element
        case ast.Name(id=name) if name not in names:
            names.add(name)
            for binding in call.function.bindings.get(name, ()):
                if binding.kind == "assign" and not binding.path:
                    yield from _repeated(call, binding.value, names)
                elif binding.kind == "aug":
                    yield from _repeated(call, binding.value.value, names)
            yield from _appended(call, name)


def _appended(call: Call, name: str) -> Iterator[tuple[Node, Node]]:
    """What a loop appends to a list although it was built before the loop."""
    for other in call.function.calls:
        func = other.func
        if isinstance(func, ast.Attribute) and func.attr == "append" and place(func.value) == name and other.args:
            element = other.args[0]
            bindings = call.function.bindings.get(element.id, []) if isinstance(element, ast.Name) else []
            for loop in call.function.loops:
                if is_within(other, loop.node) and bindings and not any(is_within(b.node, loop.node) for b in bindings):
                    yield other, element


def _one_layer(call: Call, element: Node) -> bool:
    """Is it one module with state, built here: a constructor call, or a local name bound to one outside any loop?"""
    value = call.value_of(element)
    known = all(isinstance(v, InstanceValue) for v in value.alternatives) and value.instance_of(registration.MODULE)
    if not known or not all(registration.has_parameters_or_mode(v, mode=False) for v in value.alternatives):
        return not known and value.is_unknown and _copied(call, element)
    if isinstance(element, ast.Name):
        bindings = call.function.bindings.get(element.id, [])
        if len(bindings) == 1 and bindings[0].kind == "param":
            return call.function.owner is None  # a helper: `stack(nn.Linear(8, 8), n)`
        again = [b for b in bindings if any(is_within(b.node, loop.node) for loop in call.function.loops)]
        built = all(b.kind == "assign" and isinstance(b.value, ast.Call) for b in bindings)
        return bool(bindings) and built and len(again) < 2
    if not isinstance(element, ast.Call):
        return False
    if last_name(element.func) == "deepcopy" or (value.site is not None and value.site.node is element):
        return True
    return bool(made := Call(element, call.frame).callees) and all(_builds(f, call.project.frame(f)) for f in made)


def _copied(call: Call, element: Node) -> bool:
    """Is it `deepcopy(layer)`, or a name that is bound to that outside of any loop? Who copies wants more than one."""
    if isinstance(element, ast.Name):
        bindings = call.function.bindings.get(element.id, [])
        inside = any(is_within(b.node, loop.node) for b in bindings for loop in call.function.loops)
        element = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" and not inside else None
    return isinstance(element, ast.Call) and last_name(element.func) == "deepcopy"


def _builds(function: FunctionScope, frame: Frame) -> bool:
    """Does a function give nothing but what it builds in its `return`, anew each time?"""
    given = [r.value for r in function.returns]
    return bool(given) and all(isinstance(n, ast.Call) and isinstance(Call(n, frame).callee, ClassValue) for n in given)
