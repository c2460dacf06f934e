"""Can an expression be a container of modules that was filled here? A cheap look, by form alone.

What is certainly no such container, a parameter, a constant, an object of another kind, need not be evaluated at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.blocks import nodes_naming
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.lineage import may_enter, resolve_name
from mllint.semantics.values.plain import quiet_names
from mllint.semantics.values.settings import is_settings_name

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope

__all__ = [
    "displays", "is_input_not_weight", "is_kept", "is_leaf_with_gradient", "is_read_from_settings", "may_contain",
    "may_make_layer", "trains_itself",
]  # fmt: skip

_OPENED = (".items", ".values", ".append", ".extend", ".keys")
_COLLECTING = frozenset("list tuple dict set OrderedDict zip reversed sorted deque defaultdict".split())


def may_contain(node: Node, view: FunctionView, depth: int = 4, *, enters: bool = True) -> bool:
    """Can an expression be a container that was filled here, by its form and that of what it is computed from?

    Args:
        node: the expression.
        view: the function that it stands in.
        depth: through how many names and calls to look.
        enters: look into the functions that it calls; without, anything may come from them.
    """
    match node:
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Mult()):
            return may_contain(left, view, depth, enters=enters) or may_contain(right, view, depth, enters=enters)
        case ast.BoolOp(values=values):
            return any(may_contain(v, view, depth, enters=enters) for v in values)
        case ast.IfExp(body=body, orelse=orelse):
            return may_contain(body, view, depth, enters=enters) or may_contain(orelse, view, depth, enters=enters)
        case ast.NamedExpr(value=value) | ast.Starred(value=value):
            return may_contain(value, view, depth, enters=enters)
        case ast.Name() | ast.Attribute() if depth:
            found = view.scope.bindings.get(place(node) or "", ())
            return any(b.kind == "assign" and may_contain(b.value, view, depth - 1, enters=enters) for b in found)
        case ast.Call(func=func, args=arguments) if depth:
            if last_name(func) in ("list", "tuple") and any(any(displays(a, view, named=True)) for a in arguments):
                return True
            if last_name(func) in _COLLECTING and node.keywords and not arguments:
                return any(_may_be_layer(k.value, view, depth, enters=enters) for k in node.keywords)  # `dict(stage=4)`
            if last_name(func) in _COLLECTING:
                return not arguments or any(may_contain(a, view, depth, enters=enters) for a in arguments)
            if is_leaf_with_gradient(node):
                return True
            if last_name(func)[:1].isupper() or not may_enter(node, view.frame):
                return False
            if not enters:
                return True
            own = [f for f in Call(node, view.frame).callees if not f.stubbed]
            inner = [(r.value, FunctionView(f, view.project.frame(f))) for f in own for r in f.returns]
            return any(f.is_generator for f in own) or any(may_contain(v, w, depth - 1) for v, w in inner)
    parts = _parts_of(node)
    return parts is not None and (not parts or any(_may_be_layer(p, view, depth, enters=enters) for p in parts))


def displays(node: Node, view: FunctionView, *, named: bool = False) -> Iterator[tuple[Node, Node]]:
    """The displays that callers give a parameter, each with its frame: `Encoder([Layer(d) for _ in range(6)])`.

    Args:
        node: the parameter, as the function names it.
        view: the function.
        named: also those that callers have a name for, and may know otherwise?
    """
    if isinstance(node, ast.Name) and all(b.kind == "param" for b in view.scope.bindings.get(node.id, ())):
        if view.scope.parameter(node.id) is not None:
            for call, frame in view.project.callers(view.scope):
                given = bind(view.scope, call, frame)[0].get(node.id)
                if isinstance(given, Passed):
                    shown = resolve_name(given.node, frame.function) if named and given.frame is frame else given.node
                    if isinstance(shown, (ast.List, ast.Tuple, ast.ListComp)):
                        yield shown, given.frame


def _parts_of(node: Node) -> list[Node] | None:
    """The expressions that a display or a comprehension collects; None for anything else."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
            return parts
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part) | ast.DictComp(value=part):
            return [part]
    return None


def _may_be_layer(node: Node, view: FunctionView, depth: int, *, enters: bool) -> bool:
    """Can an expression be a module that is built here, by its form? A constant, an attribute, a parameter is none."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made)) if _may_be_layer(made, view, depth, enters=enters):
            return True  # `block(8).to(device)` may be the layer itself
        case ast.Call(func=func):
            return may_make_layer(last_name(func), view) or may_contain(node, view, depth, enters=enters)
        case ast.IfExp(body=body, orelse=orelse):
            return _may_be_layer(body, view, depth, enters=enters) or _may_be_layer(orelse, view, depth, enters=enters)
        case ast.Starred(value=value):
            return may_contain(value, view, depth, enters=enters)
        case ast.Name(id=name) if depth:
            found = view.scope.bindings.get(name, ())
            if any(b.kind in ("for", "comp") for b in found):
                return True
            return any(b.kind == "assign" and _may_be_layer(b.value, view, depth - 1, enters=enters) for b in found)
    return may_contain(node, view, depth, enters=enters)


def may_make_layer(name: str, view: FunctionView) -> bool:
    """Can what is called by a name give a module? Not what is built in, or makes tensors."""
    return name not in quiet_names(view.project.stubs) or name in view.project.reach.own_names()


def is_kept(view: FunctionView, name: str) -> bool:
    """Does some method of the class treat the attribute as a container: iterate, index, count or open it?"""
    owner = view.owner
    if owner is None:
        return True
    source = owner.module.source
    if source is not None and not _may_be_container(name, source.text):
        return False
    return any(place(n) == name for f in owner.methods.values() for n in _container_uses(f, name))


def _may_be_container(name: str, text: str) -> bool:
    """Is an attribute more than called, bound, or asked for an attribute of its own, by the text of a file alone?"""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        follows = text[end : end + 1]
        if not (follows.isalnum() or follows in "_("):
            rest = text[end : end + 40].lstrip()
            if rest.startswith("."):
                if rest.startswith(_OPENED):
                    return True
            elif rest[:1] not in ("(", "=") and not rest.startswith("is "):
                return True
        at = text.find(name, end)
    return False


def _container_uses(function: FunctionScope, name: str) -> Iterator[Node]:
    """The expressions that a method iterates over, indexes, stars, or calls a container's method or function on, where
    it names an attribute."""
    for loop in (loop.node for scope in function.nested() for loop in scope.loops):
        if isinstance(loop, ast.For):
            yield from _summands(loop.iter)
    for node in nodes_naming(name.rpartition(".")[2], function):
        kind = node.__class__
        if kind is ast.Call:
            if node.func.__class__ is ast.Name:
                yield from node.args
            elif node.func.__class__ is ast.Attribute and "." + node.func.attr in _OPENED:
                yield node.func.value
        elif kind is ast.Subscript or kind is ast.Starred:
            yield node.value
        elif kind is ast.comprehension:
            yield from _summands(node.iter)


def _summands(node: Node) -> Iterator[Node]:
    """`a`, `b` of `a + b`; anything else as it is."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield node.right
        node = node.left
    yield node


def is_leaf_with_gradient(node: Node) -> bool:
    """Is it a tensor built with `requires_grad=True`, where a Parameter was meant?"""
    return isinstance(node, ast.Call) and any(
        k.arg == "requires_grad" and isinstance(k.value, ast.Constant) and k.value.value is True for k in node.keywords
    )


def is_read_from_settings(node: Node, view: FunctionView) -> bool:
    """Is it read off settings: `config[key]`, or the value of `for key, value in kwargs.items()`?"""
    if isinstance(node, ast.Subscript):
        return is_settings_name(node.value)
    found = view.scope.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    drawn = [b.value.func for b in found if b.kind == "for" and isinstance(b.value, ast.Call)]
    bases = [f.value for f in drawn if isinstance(f, ast.Attribute) and f.attr == "items"]
    return len(bases) == len(found) > 0 and all(is_settings_name(base) for base in bases)


def trains_itself(cls: ClassScope) -> bool:
    """Does a layer of the user's hand its own parameters to an optimizer: `Adam(self.parameters())`? Who has built it
    need not know them. Going through them (`for w in self.parameters(): init.normal_(w)`) trains nothing."""
    for f in () if cls.module.is_stub else cls.methods.values():
        own = [c for c in f.calls if isinstance(c.func, ast.Attribute) and place(c.func) == "self.parameters"]
        passed = [n.iter for n in f.nodes_of(ast.For)] if own else []
        if any(not any(c is n for n in passed) for c in own):
            return True
    return False


def is_input_not_weight(view: FunctionView, name: str) -> bool:
    """Is it an input, no weight: does another method put there what it is given, or does `checkpoint` alone read it?"""
    if view.owner is not None:
        for other in view.owner.methods.values():
            given = {p.name for p in other.parameters[1:]}
            if other.name != "__init__" and any(place(b.value) in given for b in other.bindings.get(name, ())):
                return True
    return _only_kept(view, name)


def _only_kept(view: FunctionView, name: str) -> bool:
    """Is it read by `checkpoint(block, x, self.dummy)` alone, which wants something that requires grad?"""
    methods = view.owner.methods.values() if view.owner is not None else ()
    read = [n for f in methods for n in f.nodes_of(ast.Attribute) if place(n) == name]
    read = [n for n in read if isinstance(n.ctx, ast.Load)]
    given = [a for f in methods for c in f.calls if last_name(c.func) == "checkpoint" for a in c.args]
    return bool(read) and all(any(n is a for a in given) for n in read)
