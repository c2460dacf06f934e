"""Does a recurrent state go from one batch to the next, so that the order of the batches is meant?

    for x, y in loader:
        out, state = model(x, detach(state))    # in the loop, or in the model: `out, self.h = self.lstm(x, self.h)`

What a run of a model gives back goes into its next run: directly, within an expression, or by another name. Of another
call only the name of what it gives back and is given tells. A state that each batch begins anew is none.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from mllint.semantics.flow.flow import Flow, LoopRun
from mllint.semantics.flow.kinds import Forward
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import ClassScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.classes import method

__all__ = ["carries_recurrent_state", "has_model_carrying_state"]


def carries_recurrent_state(run: LoopRun, flow: Flow) -> bool:
    """True if the body of `run` gives a call, in any expression, what the same call gave back in the iteration before:
    a run of a model anything, another call what is named like a recurrent state."""
    runs = {id(f.call) for f in flow.events(Forward) if run in f.loops}
    assignments = [n for s in run.node.body for n in walk(s) if isinstance(n, ast.Assign)]
    anew, values = _begun_anew(run), dict[str, list[Node]]()
    bound = [_bound(node.targets) for node in assignments]
    for node, names in zip(assignments, bound, strict=True):
        for name in names:
            values.setdefault(name, []).append(node.value)
    for node, names in zip(assignments, bound, strict=True):
        call: Node = node.value
        if isinstance(call, ast.Call) and not names <= anew:
            carried = names & _fed(all_arguments(call), values) - anew
            if carried and (id(call) in runs or any(topics.is_about(n, Topic.STATE) for n in carried)):
                return True
    return False


def _begun_anew(run: LoopRun) -> set[str]:
    """What each iteration binds to something else than what it was: the targets of the loop, and what a statement that
    no condition guards assigns a value that does not contain it."""
    anew = _bound([run.node.target]) if isinstance(run.node, ast.For) else set()
    for statement in run.node.body:
        if isinstance(statement, ast.Assign):
            bound = _bound(statement.targets)
            if not isinstance(statement.value, ast.Call) or len(bound) == 1:
                anew |= bound - _places([statement.value])
    return anew


def _fed(arguments: Sequence[Node], values: Mapping[str, Sequence[Node]]) -> set[str]:
    """The places that arguments read, by name or through an assignment in the loop.

    Args:
        arguments: the arguments.
        values: what the loop assigns to each place.
    """
    fed, pending = set[str](), _places(arguments)
    while pending:
        fed |= pending
        pending = _places([value for name in pending for value in values.get(name, ())]) - fed
    return fed


def _bound(targets: Sequence[Node]) -> set[str]:
    """The names and attributes that an assignment to some targets binds."""
    return {name for t in targets for n in walk(t) if _is_stored(n) and (name := place(n))}


def _is_stored(node: Node) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)


def _places(nodes: Sequence[Node]) -> set[str]:
    """The names and attributes that are in some nodes."""
    return {name for node in nodes for n in walk(node) if (name := place(n))}


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
