"""May keys of a state be missing in a model, unseen?

    model.load_state_dict(torch.load(path), strict=False)      # which keys matched?

A backbone takes what fits from a file, and its author knows what does not; so does who measures a part of what was
trained. Who restores an optimizer or a step from the same file wants the model as it was. By form, in the function that
loads, or in one that hands it the state.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.lineage import origins

__all__ = ["is_not_strict", "wants_all_keys"]


def wants_all_keys(load: Call) -> Answer[bool]:
    """Whether a load that is not strict should have found all keys: the state is read from a file of one's own from
    which the run goes on, and nothing shows that the author knows of keys that differ."""
    given = load.node.args
    wanted = bool(given) and any(_is_from_file(f, s) and _resumes(f, s) for f, s in _seen(load, given[0]))
    return proven_unless(not wanted or _knows_of_differences(load), True, load.site)


def _seen(load: Call, state: Node) -> Iterator[tuple[FunctionScope, Node]]:
    """The functions that may say where a state comes from, with the state as each of them sees it: the one that loads
    it, and those that hand it the state, or what the state is a part of, as an argument, to a closure or to an object
    that keeps it."""
    yield load.function, state
    while isinstance(state, ast.Subscript):
        state = state.value
    home = load.function
    while isinstance(state, ast.Name) and state.id not in home.bindings and isinstance(home.parent, FunctionScope):
        home = home.parent  # a closure sees what the function around it reads
    seen = {load.function, home}
    if home is not load.function:
        yield home, state
    for origin in origins(state, load.frame, through=lambda o: not isinstance(o.node, ast.Call)):
        if origin.frame.function not in seen:
            seen.add(origin.frame.function)
            yield origin.frame.function, origin.node


def _resumes(function: FunctionScope, state: Node) -> bool:
    """Does the function read from the same checkpoint how far the run had come?"""
    names = {n.id for n in _sources(state, function) if isinstance(n, ast.Name)}
    for node in walk(function.node):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(word))) if name in names:
                if _says_how_far(word):
                    return True
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[ast.Constant(value=str(word)), *_]
            ):
                if name in names and _says_how_far(word):
                    return True
    return False


def _says_how_far(word: str) -> bool:
    """Is it what a run goes on from: an epoch, the state of an optimizer?"""
    return topics.is_about(word, Topic.PROGRESS) or roles.speaks_of(
        word.lower(), Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER
    )


def _sources(state: Node, function: FunctionScope, depth: int = 2) -> Iterator[Node]:
    """The nodes of an expression, and of what its names were assigned."""
    for node in walk(state):
        yield node
        if isinstance(node, ast.Name) and depth:
            for binding in function.bindings.get(node.id, ()):
                if binding.kind == "assign" and binding.value is not None:
                    yield from _sources(binding.value, function, depth - 1)


def _knows_of_differences(call: Call) -> bool:
    """Did the author see that keys may differ: is it tried after a failure, or are other states that stand in a file
    loaded strictly?"""
    if any(n is call.node for _, handler in call.function.handlers for s in handler.body for n in walk(s)):
        return True
    mine, state = place(getattr(call.node.func, "value", None)), ast.dump(call.node.args[0])
    for node in call.function.calls:
        base = getattr(node.func, "value", None)
        if last_name(node.func) == "load_state_dict" and base is not None and place(base) != mine:
            if roles.speaks_of(last_name(base), Role.MODEL) and not is_not_strict(Call(node, call.frame)):
                other = bool(node.args) and ast.dump(node.args[0]) != state  # else the same model, as `model.module`
                if other and any(_is_from_file(f, s) for f, s in _seen(Call(node, call.frame), node.args[0])):
                    return True
    return False


def _is_from_file(function: FunctionScope, node: Node, depth: int = 4) -> bool:
    """Does the state come from a file that this function reads, so that nobody has seen its keys?"""
    for inner in walk(node):
        if isinstance(inner, ast.Call) and topics.is_about(last_name(inner.func), Topic.WEIGHTS_FILE):
            return not topics.is_about(
                last_name(inner.func), Topic.PUBLISHED
            )  # what is published under an address, the author has seen
        if isinstance(inner, ast.Name) and depth:
            values = [
                b.value for b in function.bindings.get(inner.id, ()) if b.kind == "assign" and b.value is not None
            ]
            if any(_is_from_file(function, value, depth - 1) for value in values):
                return True
    return False


def is_not_strict(call: Call) -> bool:
    """Is the constant False given for `strict`?"""
    given = [k.value for k in call.node.keywords if k.arg == "strict"] or call.node.args[1:2]
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is False
