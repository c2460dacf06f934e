"""Is one layer used for several places of a container?

    layer = nn.Linear(8, 8)
    nn.Sequential(*[layer] * 4)                       # `find_shared_layers`: all four are one
    nn.Sequential(*[nn.Linear(8, 8) for _ in "1234"]) # four layers

The element has to be one module with parameters, built once and outside of the loop; an activation may be shared.
Whether it is meant is read from the names around it, and from the other branch of a test, which builds a layer for each
place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE, MODULE_CONTAINERS
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, is_in_block, is_within, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.layers.registration import has_parameters_or_mode
from mllint.semantics.values.lineage import resolve_name, targets_of
from mllint.semantics.values.values import ClassValue, InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["Shared", "find_shared_layers"]


class Shared(NamedTuple):
    """One layer in several places of a container."""

    node: Node
    """The expression that repeats it."""
    layer: Node
    is_argument: bool
    """Whether the expression is what the container is given, or the container itself."""


def find_shared_layers(call: Call) -> Iterator[Shared]:
    """The layers that stand in several places of a container although nothing says that they are to be shared.

    Args:
        call: the call that builds the container, or extends it.
    """
    found = [(argument, *pair) for argument in call.node.args[:1] for pair in _repeated(call, argument)]
    if not call.node.args and call.last_name == "ModuleList":
        found = [(call.node, *pair) for name in targets_of(call.node, call.function) for pair in _appended(call, name)]
    func = call.node.func
    grows = func.value if isinstance(func, ast.Attribute) and func.attr == "extend" else None
    if not found or isinstance(resolve_name(grows, call.function), ast.List):
        return  # `parts = []`: no container, whatever is in it
    container = call.receiver if call.last_name == "extend" else call.value
    if container is not None and container.instance_of(*MODULE_CONTAINERS):
        for argument, node, element in found:
            if _is_one_layer(call, element) and not _is_intentional(call, node, element):
                yield Shared(node, element, node is argument or call.node is node)


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


def _is_one_layer(call: Call, element: Node) -> bool:
    """Is it one module with state, built here: a constructor call, or a local name bound to one outside any loop?"""
    value = call.value_of(element)
    known = all(isinstance(v, InstanceValue) for v in value.alternatives) and value.instance_of(MODULE)
    if not known or not all(has_parameters_or_mode(v, mode=False) for v in value.alternatives):
        return not known and value.is_unknown and _is_copied(call, element)
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


def _is_copied(call: Call, element: Node) -> bool:
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


def _is_intentional(call: Call, node: Node, element: Node) -> bool:
    """Does the name, or a test around the call or the repetition, speak of sharing or tying; or is it one way of two,
    and the other builds a layer for each place?"""
    words = [getattr(element, "id", "")]
    for statement in walk(call.function.node):
        if isinstance(statement, ast.If) and (is_within(call.node, statement) or is_within(node, statement)):
            words += [getattr(n, "attr", "") or getattr(n, "id", "") for n in walk(statement.test)]
            if _calls_in_comprehension(statement.orelse if is_in_block(node, statement.body) else statement.body):
                return True
    return any(topics.is_about(name, Topic.SHARING) for name in words)


def _calls_in_comprehension(block: list[Node]) -> bool:
    """Do some statements call something for each place: `[layer(i) for i in range(n)]`?"""
    found = (n for statement in block for n in walk(statement))
    return any(isinstance(n, (ast.ListComp, ast.GeneratorExp)) and isinstance(n.elt, ast.Call) for n in found)
