"""Is a graph built where an expression stands? By the blocks, the decorators and the calls around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import constructor_argument, stub_effect
from mllint.semantics.values.values import (
    ClassValue,
    InstanceValue,
    Site,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding
    from mllint.semantics.values.frames import Frame

__all__ = ["enters_grad_mode_by_hand", "grad_mode_of_context", "grad_off", "grad_switch", "switch"]

_SWITCHES = frozenset("no_grad inference_mode set_grad_enabled".split())
_NESTED = 3
"""How many context managers of the project's own are followed, each written by means of the next."""


def grad_off(node: Node, frame: Frame) -> bool | None:
    """Is no graph built where a call stands, by a `with`, a decorator, or the caller? None: unknown."""
    return grad_switch(node, frame)[0]


def grad_switch(node: Node, frame: Frame) -> tuple[bool | None, Site | None]:
    """Whether no graph is built where a call stands, as `grad_off`, and the context or decorator that says so."""
    state, site = _by_blocks(node, frame, _NESTED)
    if state not in ("same", "unread"):
        return None if state is None else not state, site
    if enters_grad_mode_by_hand(frame):
        return None, None
    found = _around(frame)
    return (None, site) if state == "unread" and found[0] is False else found


def _by_blocks(node: Node, frame: Frame, depth: int) -> tuple[bool | str | None, Site | None]:
    """What the `with` blocks around an expression do to gradients, as `grad_mode_of_context`, and the context that does
    it."""
    module = frame.module
    block = module.block_around(node)
    unread: Site | None = None
    while block is not None:
        for item in reversed(block.items):
            state = _entered(item.context_expr, frame, depth)
            if state == "unread":
                unread = Site(module, item.context_expr)
            elif state != "same":
                return state, Site(module, item.context_expr)
        block = module.outer.get(id(block))
    return ("same", None) if unread is None else ("unread", unread)


def enters_grad_mode_by_hand(frame: Frame) -> bool:
    """Is a switch entered in a function without a `with`: `guard.__enter__()`? Up to where it holds is not followed."""
    if "__enter__" in frame.function.called_names:
        for call in frame.function.calls:
            if last_name(call.func) == "__enter__" and isinstance(call.func, ast.Attribute):
                if grad_mode_of_context(call.func.value, frame) != "same":
                    return True
    return False


def _around(frame: Frame) -> tuple[bool | None, Site | None]:
    """The same by what is around the function: its decorators, and whoever calls it."""
    for decorator in frame.function.decorators:
        state = switch(decorator, frame.outer())
        if state != "same":
            return None if state is None else not state, Site(frame.module, decorator)
    if frame.caller is not None:
        return grad_switch(frame.caller[1], frame.caller[0])
    if frame.parent is not None and isinstance(frame.function.node, ast.Lambda):
        return grad_switch(frame.function.node, frame.parent)
    return False, None


def grad_mode_of_context(node: Node, frame: Frame) -> bool | str | None:
    """What the context of a `with` does to gradients, as `switch`.

    A context manager of the project's own that is written as a generator does what holds where it yields. One of which
    nothing is known may switch them off, unless its name says that it is about something else: "unread".
    """
    return _entered(node, frame, _NESTED)


def _entered(node: Node, frame: Frame, depth: int) -> bool | str | None:
    managers = ask.targets(node, frame) if isinstance(node, ast.Call) else []
    if depth and managers and all(f.is_generator and not f.stubbed for f in managers):
        states = {_where_it_yields(f, frame, depth - 1) for f in managers}
        return states.pop() if len(states) == 1 else None
    state = switch(node, frame)
    if state == "same" and ask.evaluate(node, frame).is_unknown:
        return state if all(is_about(name, Topic.OTHER_CONTEXTS) for name in _called(node, frame)) else "unread"
    return state


def _called(node: Node, frame: Frame, depth: int = 4) -> list[str]:
    """The name of what is called for a context: `nullcontext` of `with ctx:`, where that is one of several calls, also
    what a caller hands over, and what the object keeps: `with self.ctx:`."""
    if isinstance(node, ast.IfExp):
        return [name for branch in (node.body, node.orelse) for name in _called(branch, frame, depth)]
    given = frame.bound.get(node.id) if isinstance(node, ast.Name) and frame.bound is not None else None
    if isinstance(given, Passed) and depth:
        return _called(given.node, given.frame, depth - 1)
    if isinstance(node, (ast.Name, ast.Attribute)) and depth:
        bound = _bound_to(node, frame)
        if bound and all(isinstance(b.value, (ast.Call, ast.IfExp)) and not b.path for b in bound):
            return [name for b in bound for name in _called(b.value, frame, depth - 1)]
    return [last_name(getattr(node, "func", node))]


def _bound_to(node: ast.Name | ast.Attribute, frame: Frame) -> list[Binding]:
    """All that a name is bound to in its function, else in its file; an attribute of the object, in all methods."""
    function, name = frame.function, place(node) or ""
    if isinstance(node, ast.Name):
        return function.bindings.get(name) or frame.module.body.bindings.get(name) or []
    methods = function.owner.methods.values() if function.owner is not None else ()
    return [b for m in methods for b in m.bindings.get(name, ())]


def _where_it_yields(manager: FunctionScope, frame: Frame, depth: int) -> bool | str | None:
    """What a context manager does to gradients: `with torch.no_grad(): yield`. None where a statement may do it."""
    own = frame.project.frame(manager)
    states = {_by_blocks(node, own, depth)[0] for node in manager.yields}
    if len(states) > 1 or (states == {"same"} and _switches_by_statement(manager)):
        return None
    return states.pop()


@cached_per_scope(local=True)
def _switches_by_statement(manager: FunctionScope) -> bool:
    """Is a switch named elsewhere than at the head of a `with`: `torch.set_grad_enabled(False)`, `stack.enter(...)`?"""
    heads = [i.context_expr for n in walk(manager.node) if isinstance(n, (ast.With, ast.AsyncWith)) for i in n.items]
    within = {id(n) for head in heads for n in walk(head)}
    return any(last_name(n) in _SWITCHES for n in walk(manager.node) if _is_name(n) and id(n) not in within)


def _is_name(node: Node) -> bool:
    return isinstance(node, (ast.Attribute, ast.Name))


def switch(node: Node, frame: Frame) -> bool | str | None:
    """What a context manager or decorator does to gradients: True on, False off, None unknown, "same" nothing."""
    value = ask.evaluate(node, frame)
    states = {_switches(v) for v in value.alternatives}
    unread = value.is_unknown and last_name(getattr(node, "func", node)) in _SWITCHES
    return states.pop() if len(states) == 1 and not unread else None


def _switches(value: Value) -> bool | str | None:
    if not isinstance(value, (InstanceValue, ClassValue)):
        function = value.function
        return None if function is not None and not function.stubbed and _speaks_of_switching(function) else "same"
    cls = value.cls
    if stub_effect(cls, "disables_grad") is not None:
        chosen = constructor_argument(value, "mode")
        return False if chosen is None else None if chosen.truth is None else not chosen.truth
    if stub_effect(cls, "enables_grad") is not None:
        return True
    if (effect := stub_effect(cls, "gradient_switch")) is None:
        own = [] if cls.module.is_stub else list(cls.methods.values())
        return None if any(_speaks_of_switching(f) for f in own) else "same"
    mode = constructor_argument(value, str(effect.options.get("by", "mode")))
    return mode.truth if mode is not None else None


@cached_per_scope()
def _speaks_of_switching(function: FunctionScope) -> bool:
    """Does a decorator of the project's own name what switches gradients: `return torch.no_grad()(fn)`?"""
    return any(last_name(n) in _SWITCHES for n in walk(function.node) if _is_name(n))
