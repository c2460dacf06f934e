"""Is a method named where it is meant to be called: `model.eval`, `torch.save({"net": net.state_dict}, path)`?

A property may switch something when it is read, and an attribute may be called `state_dict` and hold one. Of something
unknown the file tells which it is where it calls the method of the same thing, and the project where a class keeps
something by that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Class,
    ClassScope,
    FunctionScope,
    InstanceValue,
    Module,
    Node,
    Role,
    Scope,
    evaluate,
    heirs,
    last_name,
    roles,
    text,
    uses_torch,
)

__all__: list[str] = []

_SWITCHES = frozenset("train eval zero_grad step backward".split())
_MISSED = {
    "train": "the mode does not change",
    "eval": "the mode does not change",
    "zero_grad": "no gradient is zeroed",
    "step": "no step is taken",
    "backward": "no gradient is computed",
    "state_dict": "the method is passed on, not the state",
}
_TAKERS = frozenset("save dump deepcopy load_state_dict".split())


@check("mode-call-missing")
def mode_call_missing(module: Module) -> Iterator[Finding]:
    """A method is named where it is meant to be called."""
    for scope in module.module.scopes:
        for node in scope.expressions:
            if (
                isinstance(node, ast.Attribute)
                and node.attr in _SWITCHES
                and (uses_torch(module.frame) or _is_called_with_torch(scope, module))
            ):
                if not _own_property(node, scope, module, alone=True):
                    yield _missing_call(node, module)
    for taker in module.module.calls_by_name.keys() & _TAKERS:
        for call, scope in module.module.calls_by_name[taker]:
            if not (uses_torch(module.frame) or _is_called_with_torch(scope, module)):
                continue
            for argument in (*call.args, *(k.value for k in call.keywords)):
                for node in _uncalled(argument, scope):
                    if scope is module.module.body or not _own_property(node, scope, module):
                        yield _missing_call(node, module)


def _is_called_with_torch(scope: Scope, module: Module) -> bool:
    """Is it a function that a file which imports torch calls?"""
    return isinstance(scope, FunctionScope) and uses_torch(module.project.frame(scope))


def _missing_call(node: ast.Attribute, module: Module) -> Finding:
    """The finding for one attribute."""
    named = text(module.module, node)
    message = f"`{named}` without parentheses does not call the method: {_MISSED[node.attr]}"
    return Finding(module.at(node), message, primary="no parentheses", help=f"add the parentheses: `{named}()`")


def _uncalled(node: Node, scope: Scope) -> Iterator[ast.Attribute]:
    """`state_dict` without a call in something that is saved or copied, directly, in a display, or by a name."""
    match node:
        case ast.Attribute(attr="state_dict"):
            yield node
        case ast.Dict(values=values):
            for value in values:
                yield from _uncalled(value, scope)
        case ast.IfExp(body=first, orelse=second):
            yield from _uncalled(first, scope)
            yield from _uncalled(second, scope)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for element in elements:
                yield from _uncalled(element, scope)
        case ast.Name(id=name):
            bindings = scope.bindings.get(name, ())
            called = any(isinstance(c.func, ast.Name) and c.func.id == name for c in scope.calls)
            if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path and not called:
                if not isinstance(bindings[0].value, ast.Name):
                    yield from _uncalled(bindings[0].value, scope)


def _own_property(node: ast.Attribute, scope: Scope, module: Module, *, alone: bool = False) -> bool:
    """Is it an attribute of a class of the user's that is no method: a property, or something stored, which to read
    `alone`, as a statement, would do nothing either?"""
    function = scope if isinstance(scope, FunctionScope) else None
    if function is None:
        return True
    frame = module.project.frame(function)
    value = evaluate(node.value, frame)
    own = [v for v in value.alternatives if isinstance(v, InstanceValue) and not v.cls.module.is_stub]
    found = [Class(v.cls, frame) for v in own]
    if own and all(
        c.has_unknown_base and c.method(node.attr) is None and not _stores(c.scope, node.attr) for c in found
    ):
        runs = all(c.method("forward") for c in found)  # what has one is a module, wherever its base class is from
        return not runs and not _is_called_elsewhere(node, module)  # nothing is known of it, but that its file calls it
    methods = [c.method(node.attr) for c in found]
    if own and not any(methods):
        found += [Class(heir, frame) for v in own for heir in heirs(v.cls, module.project)]
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


def _is_called_elsewhere(node: ast.Attribute, module: Module) -> bool:
    """Does the file call the method of something of the same name: `model.state_dict()` next to `model.state_dict`?"""
    calls = (call.func for call, _ in module.module.calls_by_name.get(node.attr, ()))
    return any(isinstance(f, ast.Attribute) and last_name(f.value) == last_name(node.value) for f in calls)


def _stores(cls: ClassScope, name: str) -> bool:
    """Does a class keep something by this name: is it declared as a field, or assigned by a method?"""
    declared = any(b.kind == "assign" for b in cls.bindings.get(name, ()))
    return declared or any(f"self.{name}" in f.bindings for f in cls.methods.values())
