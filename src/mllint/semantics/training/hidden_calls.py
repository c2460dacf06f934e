"""May a call that is not written as one run something for this object?

    net.register_forward_pre_hook(lambda module, args: opt.zero_grad())    # whoever runs the net runs the lambda
    events.on("batch", opt.zero_grad)                                      # whoever fires runs the method

A flow enters what is called by a call. What is handed on by its name, what the language or a library calls (`__str__`,
a property, a collate function) and what a decorator keeps may run anywhere in between. Whether something is missing
there is unknown, if it stands in such a function, for the very object, or for one that may be it. A function that is
named nowhere runs nowhere, and one that the flow has entered has said what it does.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.build import build
from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.roots import writes_gradients
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.reads import names_read, reads
from mllint.semantics.training.iterations import allocations
from mllint.semantics.values.decorators import has_own_decorators
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import Flow
    from mllint.semantics.syntax.records import Kind
    from mllint.semantics.values.project import Project

__all__ = ["may_run_hidden"]

_WORDS = {"clears_grad": frozenset(("zero_grad",)), "sets_mode": frozenset(("eval", "train"))}
"""The methods by which an event of a kind happens."""
_FLOW_FUEL = 10_000  # evaluations for what happens in one function
_DEPTH = 2  # calls between a function that is handed on and the one in which it happens
_CONSTRUCTION = frozenset(("__init__", "__new__", "__init_subclass__", "__class_getitem__"))
_READ = ("property", "cached_property")
_HIDDEN: Cache[str, list[FunctionScope]] = Cache()
_EVENTS: Cache[FunctionScope, list[Event]] = Cache()


def may_run_hidden(flow: Flow, about: Event, kind: Kind, option: str | None = None) -> bool:
    """Whether something of a kind may happen to what an event is about, in a call that the flow does not show.

    Args:
        flow: the flow.
        about: the event.
        kind: what may happen.
        option: what the other event says, where that matters: the mode that is set.
    """
    for event in _hidden_events(flow, kind):
        if (option is None or event.option in (option, None)) and _may_concern(event, about, flow.frame.project):
            return True
    return False


def _hidden_events(flow: Flow, kind: Kind) -> Iterator[Event]:
    """The events of a kind in the functions that may run without a call in the flow, and those of methods handed on."""
    project = flow.frame.project
    frames = {id(e.function): e.frame for e in flow.events()}
    modules = {id(frame.module): frame.module for frame in frames.values()}
    near = project.reach.around(list(modules.values()))
    for function in _hidden_functions(project, kind.name):
        if id(function.module) in near and id(function) not in flow.entered and function is not flow.root:
            yield from (e for e in _events_of(function) if e.kind == kind.name)
    for module in modules.values():
        for node, function in reads(module, _WORDS[kind.name]):
            if isinstance(node, ast.Attribute) and not _is_bound_to_name(node, function):
                frame = frames.get(id(function)) or project.frame(function)
                yield Event(kind.name, Site(module, node), frame, evaluate(node.value, frame), option=node.attr)


def _is_bound_to_name(method: ast.Attribute, function: FunctionScope) -> bool:
    """True if `method` is bound to a variable: who calls that calls the method, and the flow shows it."""
    return any(b.value is method and b.name.isidentifier() for bound in function.bindings.values() for b in bound)


def _may_concern(event: Event, about: Event, project: Project) -> bool:
    """True if `event` may be about the same object as `about`: it is known to be, or nothing is known of one of them
    and both are written in one file."""
    if event.concerns(about):
        return True
    built, others = allocations(event.subject, project), allocations(about.subject, project)
    return bool(built & others) or ((not built or not others) and event.site.module is about.site.module)


def _events_of(function: FunctionScope) -> list[Event]:
    """What happens in `function`, whoever calls it; found once, with a fuel of its own."""
    project, known = function.module.project, _EVENTS.of(function.module)
    if function not in known and project.fuel >= 0:
        left = project.allow(_FLOW_FUEL)
        known[function] = list(build(function, project.frame(function)).events())
        project.allow(left)
    return known.get(function, [])


# ------------------------------------------------------------------------------------------------------- who may run
def _hidden_functions(project: Project, kind: str) -> list[FunctionScope]:
    """The functions that others may run without a call by their name, and in which something of a kind may happen."""

    def found() -> list[FunctionScope]:
        starts = list(project.reach.calling(_WORDS[kind]).values())
        if kind == "clears_grad":
            starts += [f for module in project.modules for f in module.functions if writes_gradients(f)]
        chosen = project.reach.reaching(starts, _DEPTH)
        functions = (f for m in project.modules for f in (*m.functions, *m.lambdas.values()) if id(f) in chosen)
        return [f for f in functions if not f.is_body and _may_be_run_by_others(f, project)]

    return _HIDDEN.answer(project, kind, found, meanwhile=[])


def _may_be_run_by_others(function: FunctionScope, project: Project) -> bool:
    """True if somebody may run `function` otherwise than by a call of its name."""
    name, owner = function.name, function.owner
    if isinstance(function.node, ast.Lambda) or has_own_decorators(function):
        return True
    called = bool(project.calls_named(name))
    if called and (function.is_generator or function.decorated(*_READ)):
        return True
    if owner is not None and name.startswith("__") and name not in _CONSTRUCTION:
        return bool(project.calls_named(owner.name)) or _is_named(owner.name, project)
    return _is_named(name, project)


def _is_named(name: str, project: Project) -> bool:
    """True if a function, a class or a method of that name is used otherwise than by a call of it."""
    return any(m.source is None or (m.source.holds(name) and name in names_read(m)) for m in project.modules)
