"""What is a `def` below decorators bound to?

A decorator of a library is the identity: `no_grad` and its like are read where they matter. A decorator of the project
is called with the function. What it gives is what calls run: the function itself, if that comes back or if what is put
around it merely hands on (a timer, a log), else the wrapper, of which the function is a free variable. What cannot be
followed makes the value unknown.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, walk
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import mro
from mllint.semantics.values.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    UnknownValue,
    Value,
    union,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "decorated", "decorated_method", "has_own_decorators", "is_wrapper", "keeps_arguments", "wrapped_functions",
]  # fmt: skip

_LANGUAGE = frozenset("property cached_property classmethod staticmethod abstractmethod overload wraps".split())
_TOUCHING = frozenset("zero_grad step backward eval train zero_ enable_grad no_grad set_grad_enabled".split())


def has_own_decorators(function: FunctionScope) -> bool:
    """Has it decorators that may be of the project?"""
    return not function.stubbed and any(last_name(d) not in _LANGUAGE for d in function.decorators)


def decorated(function: FunctionScope, closure: Frame | None, outer: Frame) -> Value | None:
    """What the decorators of a function make of it; None where it stays what it is.

    Args:
        function: the function.
        closure: the frame around its definition, if that is a call of a function.
        outer: where the decorators are evaluated.
    """
    if not has_own_decorators(function):
        return None
    project, key = outer.project, ("decorated", id(function))
    known: Value | None = project.recall(outer.memo, key)
    if known is None:
        if key in project.active:
            project.meet(key)
            return None
        project.active.add(key)
        before = project.touched
        try:
            known = _folded(FunctionValue(function, closure=closure), function, outer)
        finally:
            project.settle(key)
        project.remember(outer.memo, key, known, before)
    return None if known.function is function else known


def decorated_method(function: FunctionScope, receiver: Value | None, project: Project) -> Value | None:
    """What a method is bound to that has decorators, looked up on an object; None where it stays what it is.

    Args:
        function: the method.
        receiver: the object, or None for one that is static or looked up on the class.
        project: where both are.
    """
    value = decorated(function, None, project.frame(function).outer()) if has_own_decorators(function) else None
    if value is None:
        return None
    return value if receiver is None else value.mapped(lambda v: _bound(v, receiver))


def _bound(value: Value, receiver: Value) -> Value:
    match value:
        case FunctionValue():
            return value.bound_to(receiver)
        case InstanceValue() if any(not isinstance(c, str) and "__get__" in c.methods for c in mro(value.cls)):
            return unknown(receiver=receiver)
        case UnknownValue():
            return unknown(value.identity, receiver=receiver)
    return value


def wrapped_functions(value: Value) -> list[FunctionScope]:
    """The functions that a wrapper may run which a decorator made: those that the decorator was called with."""
    closure = value.closure if isinstance(value, FunctionValue) else None
    given = closure.bound.values() if closure is not None and closure.bound else ()
    return [v.target for v in given if isinstance(v, FunctionValue) and isinstance(v.target, FunctionScope)]


def is_wrapper(closure: Frame | None) -> bool:
    """Is a function that is defined in a frame one that a decorator puts around another?"""
    given = closure.bound.values() if closure is not None and closure.bound else ()
    return any(isinstance(v, FunctionValue) for v in given)


def keeps_arguments(function: FunctionScope, outer: Frame) -> bool:
    """Is a function given what its callers write, whatever is around it?

    Args:
        function: the function.
        outer: where its decorators are evaluated.
    """
    value = decorated(function, None, outer)
    return value is None or all(
        isinstance(v, FunctionValue) and bool(calls := _calls_of(function, v)) and all(_hands_on(c, v) for c in calls)
        for v in value.alternatives
    )


def _folded(value: Value, function: FunctionScope, outer: Frame) -> Value:
    """What the decorators make of a function, from the innermost to the outermost."""
    for decorator in reversed(function.decorators):
        maker = ask.evaluate(decorator.func, outer) if isinstance(decorator, ast.Call) else None
        if maker is not None and not any(_is_own(v) for v in maker.alternatives):
            continue  # what a library makes: nothing is read of what it is given
        if _enters_context(decorator, outer):
            value = unknown(outer.project.intern(("decorated", outer.key, id(function))))
            continue
        wrapper = ask.evaluate(decorator, outer)
        if not any(_is_own(v) for v in wrapper.alternatives):
            continue
        made = ask.call_with(wrapper, Arguments(None, outer, (value,)), outer, decorator)
        called = [v for v in made.alternatives if isinstance(v, (FunctionValue, InstanceValue, ClassValue))]
        around = [v for v in called if v.function is not function and not _is_idle_around(function, v)]
        if len(around) < len(called):
            value = union([value, *around])
        elif any(isinstance(v, UnknownValue) for v in made.alternatives):
            value = unknown(outer.project.intern(("decorated", outer.key, id(function))))
        elif around:
            value = made
    return value


def _is_own(wrapper: Value) -> bool:
    """Is a decorator a function, a class or an object of the project, by which anything may happen?"""
    match wrapper:
        case FunctionValue(target=FunctionScope() as function):
            return not function.stubbed
        case ClassValue():
            return not wrapper.cls.module.is_stub
        case InstanceValue():
            return not wrapper.cls.module.is_stub and any(_may_have_call(c) for c in mro(wrapper.cls))
    return False


def _may_have_call(cls: ClassScope | str) -> bool:
    return isinstance(cls, str) or (not cls.module.is_stub and "__call__" in cls.methods)


def _enters_context(decorator: Node, outer: Frame) -> bool:
    """Is a decorator a context manager of the project's own in which something is touched: `@frozen(model)`?"""
    entered = ask.targets(decorator, outer) if isinstance(decorator, ast.Call) else []
    managers = (f for f in entered if not f.stubbed and f.decorated("contextmanager"))
    return any(not f.called_names.isdisjoint(_TOUCHING) for f in managers)


def _is_idle_around(function: FunctionScope, wrapper: Value) -> bool:
    """Does a wrapper only hand on what it is given, and give back what comes, without touching either?"""
    inner = wrapper.function
    if inner is None or inner.is_generator or isinstance(inner.node, ast.Lambda):
        return False
    calls = _calls_of(function, wrapper)
    if not calls or not all(_hands_on(c, wrapper) for c in calls):
        return False
    project = inner.module.project
    called = {last_name(c.func) for c in inner.calls if c not in calls}
    if not called.isdisjoint(_TOUCHING) or not called.isdisjoint(project.reach.own_names()):
        return False
    given, handed = {p.name for p in inner.parameters}, {id(n) for c in calls for n in walk(c)}
    read = (n for s in inner.body for n in walk(s) if isinstance(n, ast.Name) and id(n) not in handed)
    return all(n.id not in given for n in read) and _gives_back(inner, calls)


def _calls_of(function: FunctionScope, wrapper: Value) -> list[ast.Call]:
    """The calls of a function in a wrapper around it."""
    inner, closure = wrapper.function, wrapper.closure if isinstance(wrapper, FunctionValue) else None
    if inner is None or closure is None or not closure.bound:
        return []
    names = [n for n, v in closure.bound.items() if isinstance(v, FunctionValue) and v.target is function]
    return [c for c in inner.calls if isinstance(c.func, ast.Name) and c.func.id in names]


def _hands_on(call: ast.Call, wrapper: Value) -> bool:
    """Does a call in a wrapper hand on what the wrapper is given, in the same order and nothing else?"""
    inner = wrapper.function
    given = [last_name(a.value if isinstance(a, ast.Starred) else a) for a in call.args]
    given += [last_name(k.value) for k in call.keywords if k.arg is None or k.arg == last_name(k.value)]
    return inner is not None and given == [p.name for p in inner.parameters] and _has_only_names(call)


def _has_only_names(call: ast.Call) -> bool:
    handed = (*call.args, *(k.value for k in call.keywords))
    return all(isinstance(a.value if isinstance(a, ast.Starred) else a, ast.Name) for a in handed)


def _gives_back(inner: FunctionScope, calls: list[ast.Call]) -> bool:
    """Does a function give back what some calls in it give, or nothing where it fails?"""
    given = [r.value.value if isinstance(r.value, ast.Await) else r.value for r in inner.returns]
    given = [v for v in given if v is not None and not (isinstance(v, ast.Constant) and v.value is None)]
    return bool(given) and all(_is_given(v, inner, calls) for v in given)


def _is_given(node: Node, inner: FunctionScope, calls: list[ast.Call]) -> bool:
    if isinstance(node, ast.Name):
        bound = inner.bindings.get(node.id, ())
        return bool(bound) and all(_is_given(b.value, inner, calls) for b in bound if not isinstance(b.value, ast.Name))
    return (node.value if isinstance(node, ast.Await) else node) in calls
