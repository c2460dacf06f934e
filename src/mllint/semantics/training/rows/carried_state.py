"""Does a recurrent state go from one batch to the next, so that the order of the batches is meant?

    for x, y in loader:
        out, state = model(x, state)        # in the loop, or in the model: `out, self.h = self.lstm(x, self.h)`

A state that each batch begins anew is none.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.flow import Flow, LoopRun
from mllint.semantics.flow.kinds import Forward
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import ClassScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.classes import method

__all__ = ["carries_recurrent_state", "has_model_carrying_state"]


def carries_recurrent_state(run: LoopRun) -> bool:
    """True if the body of `run` gives a call a state that it binds to what the call returns."""
    for node in (n for s in run.node.body for n in walk(s)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            given = {place(a) for a in node.value.args}
            names = {place(n) for t in node.targets for n in walk(t)}
            if any(n and topics.is_about(n, Topic.STATE) for n in given & names):
                return True
    return False


def has_model_carrying_state(run: LoopRun, flow: Flow) -> bool:
    """True if a model that runs in `run` hands a state of its own from one batch to the next: `out, self.h =
    self.lstm(x, self.h)`, where nothing begins it anew in each batch."""
    called = {last_name(n.func) for s in run.node.body for n in walk(s) if isinstance(n, ast.Call)}
    models = {cls for f in flow.events(Forward) if run in f.loops for cls in f.subject.classes}
    return any(_carries_state_in_attribute(cls, called) for cls in models if not cls.module.is_stub)


def _carries_state_in_attribute(cls: ClassScope, called: set[str]) -> bool:
    """Does `forward` give an attribute to a call whose result it binds the attribute to? Another value that it gets
    there, or in a method that is called with each batch, begins it anew."""
    forward = method(cls, "forward")
    if forward is None or not forward.parameters:
        return False
    own = f"{forward.parameters[0].name}."
    others = [m for m in cls.methods.values() if m is not forward and m.name in called]
    for node in forward.nodes_of(ast.Assign):
        call: Node = node.value
        if not isinstance(call, ast.Call):
            continue
        bound = {place(n) or "" for t in node.targets for n in walk(t)}
        given = {place(n) or "" for a in all_arguments(call) for n in walk(a)}
        for name in (n for n in bound & given if n.startswith(own)):
            values = [b.value for b in forward.bindings.get(name, ()) if b.value is not None]
            anew = any(all(place(n) != name for n in walk(value)) for value in values)
            if not anew and not any(name in m.bindings for m in others):
                return True
    return False
