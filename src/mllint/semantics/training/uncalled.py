"""Is a method named where it is meant to be called?

    model.eval                                     # a statement that does nothing
    torch.save({"net": net.state_dict}, path)      # the method is saved, not the state

`find_uncalled_methods` looks at statements that are nothing but a name, and at what is saved, copied or loaded. A
property may switch something when it is read, and an attribute may be called `state_dict` and hold one. Of something
unknown the file tells which it is where it calls the method of the same thing, and the project where a class keeps
something by that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import ClassView, ModuleView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name
from mllint.semantics.training import roles
from mllint.semantics.training.roles import Role
from mllint.semantics.values.classes import heirs
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, Scope

__all__ = ["find_uncalled_methods"]

_SWITCHES = frozenset("train eval zero_grad step backward".split())
_TAKERS = ("save", "dump", "deepcopy", "load_state_dict")


def find_uncalled_methods(module: ModuleView) -> Iterator[ast.Attribute]:
    """The attributes in a file that name a method of a model or an optimizer where it is meant to be called."""
    for scope in module.module.scopes:
        for node in (n for expression in scope.expressions for n in _results(expression)):
            if isinstance(node, ast.Attribute) and node.attr in _SWITCHES and _is_about_torch(scope, module):
                if not _is_own_property(node, scope, module, alone=True):
                    yield node
    for taker in _TAKERS:
        for call, scope in module.module.calls_by_name.get(taker, ()):
            if not _is_about_torch(scope, module):
                continue
            for argument in all_arguments(call):
                for node in _uncalled_states(argument, scope):
                    if scope is module.module.body or not _is_own_property(node, scope, module):
                        yield node


def _results(statement: Node) -> Iterator[Node]:
    """What a statement may come to and does nothing with: both sides of `model.train() if train else model.eval`."""
    match statement:
        case ast.IfExp(body=first, orelse=second):
            yield from _results(first)
            yield from _results(second)
        case ast.BoolOp(values=values):
            yield from _results(values[-1])
        case ast.Tuple(elts=elements):
            for element in elements:
                yield from _results(element)
        case _:
            yield statement


def _is_about_torch(scope: Scope, module: ModuleView) -> bool:
    """Does a file import torch, or one that calls the function?"""
    return uses_torch(module.frame) or (isinstance(scope, FunctionScope) and uses_torch(module.project.frame(scope)))


def _uncalled_states(node: Node, scope: Scope) -> Iterator[ast.Attribute]:
    """`state_dict` without a call in something that is saved or copied, directly, in a display, or by a name."""
    match node:
        case ast.Attribute(attr="state_dict"):
            yield node
        case ast.Dict(values=values):
            for value in values:
                yield from _uncalled_states(value, scope)
        case ast.IfExp(body=first, orelse=second):
            yield from _uncalled_states(first, scope)
            yield from _uncalled_states(second, scope)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for element in elements:
                yield from _uncalled_states(element, scope)
        case ast.Name(id=name):
            bindings = scope.bindings.get(name, ())
            called = any(isinstance(c.func, ast.Name) and c.func.id == name for c in scope.calls)
            if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path and not called:
                if not isinstance(bindings[0].value, ast.Name):
                    yield from _uncalled_states(bindings[0].value, scope)


def _is_own_property(node: ast.Attribute, scope: Scope, module: ModuleView, *, alone: bool = False) -> bool:
    """Is it an attribute of a class of the user's that is no method: a property, or something stored, which to read
    `alone`, as a statement, would do nothing either?"""
    function = scope if isinstance(scope, FunctionScope) else None
    if function is None:
        return True
    frame = module.project.frame(function)
    value = evaluate(node.value, frame)
    own = [v for v in value.alternatives if isinstance(v, InstanceValue) and not v.cls.module.is_stub]
    found = [ClassView(v.cls, frame) for v in own]
    if own and all(
        c.has_unknown_base and c.method(node.attr) is None and not _stores(c.scope, node.attr) for c in found
    ):
        runs = all(c.method("forward") for c in found)  # what has one is a module, wherever its base class is from
        return not runs and not _is_called_elsewhere(node, module)  # nothing is known of it, but that its file calls it
    methods = [c.method(node.attr) for c in found]
    if own and not any(methods):
        found += [ClassView(heir, frame) for v in own for heir in heirs(v.cls, module.project)]
        methods = [c.method(node.attr) for c in found]  # a base class asks of itself what its heirs define
    if any(m is not None and m.decorated("property", "cached_property") for m in methods):
        return True
    if any(_stores(c.scope, node.attr) for c in found) or (own and not any(methods)):
        return True  # one of several kinds may have no such method
    if own or not value.is_unknown or _is_called_elsewhere(node, module):
        return False
    classes = [c for m in module.project.modules for c in m.classes]
    if alone:
        return any(node.attr in c.methods and c.methods[node.attr].decorated("property") for c in classes)
    if roles.has_role_name(last_name(node.value), Role.MODEL):
        classes = [c for c in classes if {"forward", "load_state_dict"} & c.methods.keys()]  # another keeps that of one
    return any(_stores(c, node.attr) for c in classes)


def _is_called_elsewhere(node: ast.Attribute, module: ModuleView) -> bool:
    """Does the file call the method of something of the same name: `model.state_dict()` next to `model.state_dict`?"""
    calls = (call.func for call, _ in module.module.calls_by_name.get(node.attr, ()))
    return any(isinstance(f, ast.Attribute) and last_name(f.value) == last_name(node.value) for f in calls)


def _stores(cls: ClassScope, name: str) -> bool:
    """Does a class keep something by this name: is it declared as a field, or assigned by a method?"""
    declared = any(b.kind == "assign" for b in cls.bindings.get(name, ()))
    return declared or any(f"self.{name}" in f.bindings for f in cls.methods.values())
