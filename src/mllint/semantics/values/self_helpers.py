"""Which functions act on an object of a class as its methods do?

A method hands its object to a function (`build_layers(self, config)`, `partial(build_layers, self)`), or has a function
inside of it that knows it. What these write to the object is written as if it stood in the method, so that whoever asks
what an attribute is, or what is done while a method runs, asks them too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.values.ask import ask
from mllint.semantics.values.values import FunctionValue

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["Part", "helpers_acting_on", "helpers_given_self"]

_STEPS = 2
"""How many functions hand an object on to the next."""


class Part(NamedTuple):
    """A function that acts on the object of a method."""

    function: FunctionScope
    own: str
    """What the object is called there."""
    call: Node
    """The call in the method that hands it over; of a function inside of the method, its definition."""


@cached_per_scope()
def helpers_acting_on(cls: ClassScope) -> tuple[Part, ...]:
    """The functions that act on objects of a class, without its methods."""
    found = {id(p.function): p for method in cls.methods.values() for p in helpers_given_self(method)}
    return tuple(found.values())


@cached_per_scope()
def helpers_given_self(method: FunctionScope) -> tuple[Part, ...]:
    """The functions to which a method hands its object, and those inside of it."""
    project = method.module.project
    if method.owner is None or not method.parameters or method.stubbed:
        return ()
    if method.decorated("staticmethod", "classmethod"):
        return ()
    first = Part(method, method.parameters[0].name, None)
    found: dict[int, Part] = {id(method): first}
    fresh = [first]
    for _ in range(_STEPS):
        if not fresh:
            break
        fresh = [p for part in fresh for p in _next(part, project) if id(p.function) not in found]
        found.update((id(p.function), p) for p in fresh)
    return tuple(p for p in found.values() if p is not first)


def _next(part: Part, project: Project) -> Iterator[Part]:
    """The functions that one hands the object on to, and those inside of it that know it by its name."""
    function, own = part.function, part.own
    for inner in function.functions:
        if inner.parameter(own) is None and not isinstance(inner.node, ast.Lambda):
            yield Part(inner, own, part.call or inner.node)
    given_in = function.module._references.get(own, ())  # that of a function is there, however much else is parsed
    if not any(scope is function for scope in given_in):
        return
    for call in function.calls:
        place = next((i for i, a in enumerate(call.args) if a.__class__ is ast.Name and a.id == own), None)
        if place is None:
            continue
        func = call.func
        if place and last_name(func) == "partial":
            func, place = call.args[0], place - 1
        given = _function(func, function, project)
        if given is not None and place < len(given.parameters):
            yield Part(given, given.parameters[place].name, part.call or call)


def _function(func: Node, around: FunctionScope, project: Project) -> FunctionScope | None:
    """The function of the project, and no method, that is called."""
    if last_name(func) not in project.reach.own_names():
        return None
    value = ask.evaluate(func, project.frame(around))
    target = value.target if isinstance(value, FunctionValue) else None
    return target if isinstance(target, FunctionScope) and not target.stubbed and target.owner is None else None
