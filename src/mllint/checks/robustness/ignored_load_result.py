"""What `load_state_dict` says about the keys is dropped, or taken for the model."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call, Node, Role, Topic, last_name, place, roles, state_keys, topics, walk

__all__: list[str] = []

_MODULE = "torch.nn.Module"
_PASSING_ON = frozenset(("save", "deepcopy", "load_state_dict"))
"""What takes a state as a whole, whatever its keys."""
_LEAVING_OUT = (ast.If, ast.Try, ast.Continue, ast.Break)
"""What leaves out some keys of a loop over them."""


@check("ignored-load-result", calls="load_state_dict")
def ignored_load_result(call: Call) -> Iterator[Finding]:
    """What `load_state_dict` says about the keys is dropped, or taken for the model."""
    if call.receiver is None:
        return  # somebody's function, which says for itself what did not match
    module = call.receiver.instance_of(_MODULE)
    if not module and roles.speaks_of(
        last_name(getattr(call.node.func, "value", None)), Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER
    ):
        return
    if topics.is_about(call.function.name, Topic.STATE_DICTS) or any(not f.stubbed for f in call.callees):
        return
    target = next((b for found in call.function.bindings.values() for b in found if b.value is call.node), None)
    replaced = target is not None and not target.path and _replaces_model(call, target.name)
    read = call.receiver.is_unknown and _is_read_here(call)
    module = module or any(v.instance_of(_MODULE) for v in call.receiver.alternatives)  # what it became is no module
    if target is not None and replaced and (module or read):
        yield Finding(
            call,
            f"`load_state_dict` loads in place: `{target.name}` becomes the report on mismatched keys, not the model",
            "returns the keys that did not match",
            help=f"call it as a statement: `{call.name}(...)`"
            if place(call.node.func)
            else f"assign the model first, then call `{target.name}.load_state_dict(...)` as a statement",
            why="the weights are loaded into the module itself; the return value lists the keys that did not match",
        )
    elif not state_keys.is_not_strict(call) or _compared(call) or _picked(call):
        return
    elif (call.is_statement or _unread(call)) and state_keys.wants_all_keys(call).is_certain:
        message = "`strict=False` skips keys that do not match, and nothing checks which ones were skipped"
        yield Finding(call, message, "result ignored")


def _is_read_here(call: Call) -> bool:
    """Is the state read by `torch.load` in the call, and does it go back to the name that it is loaded into?"""
    state = call.node.args[0] if len(call.node.args) == 1 else None
    while isinstance(state, ast.Subscript):
        state = state.value
    target = place(call.node.func.value) or ""
    back = any(b.value is call.node for b in call.function.bindings.get(target, ()))
    return back and isinstance(state, ast.Call) and call.value_of(state.func).is_function("torch.load")


def _replaces_model(call: Call, name: str) -> bool:
    """Does the result go where the model was, or is the model a new one that nothing else holds?"""
    receiver = call.node.func.value
    return place(receiver) == name or isinstance(receiver, ast.Call)


def _unread(call: Call) -> bool:
    """Is the result bound to names that the function never reads?"""
    names = [n for n, found in call.function.bindings.items() for b in found if b.value is call.node]
    read = {n.id for n in call.function.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load)}
    return bool(names) and all("." not in n and n not in read for n in names)


def _picked(call: Call) -> bool:
    """Were the keys chosen in the same function: a display, `{k: v for ... if ...}`, or a dict filled one by one?"""
    state = call.node.args[0] if call.node.args else None
    if isinstance(state, (ast.DictComp, ast.Dict)):
        return isinstance(state, ast.Dict) or any(g.ifs for g in state.generators)
    name, renamed = place(state) or "?", _in_plain_loops(call)
    for node in walk(call.function.node):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Subscript) and place(target.value) == name and id(node) not in renamed:
            return True
        if target is not None and place(target) == name:
            value = node.value
            if isinstance(value, ast.Dict) and value.keys:
                return True
            if isinstance(value, ast.DictComp) and any(g.ifs for g in value.generators):
                return True
    return False


def _in_plain_loops(call: Call) -> set[int]:
    """The statements of loops over all keys that do the same with each of them: they rename, and leave nothing out."""
    loops = [run.node for run in call.function.loops if isinstance(run.node, ast.For)]
    whole = (n for n in loops if any(last_name(c.func) in ("items", "keys") for c in _calls_in(n.iter)))
    plain = (n for n in whole if not any(isinstance(inner, _LEAVING_OUT) for inner in walk(n)))
    return {id(statement) for loop in plain for statement in loop.body}


def _calls_in(node: Node) -> Iterator[ast.Call]:
    """A call, and that of which it is a list: `list(state.keys())`."""
    while isinstance(node, ast.Call):
        yield node
        node = node.args[0] if last_name(node.func) == "list" and node.args else None


def _compared(call: Call) -> bool:
    """Does the function ask the same model for its keys, and not only to save them, or name their differences?"""
    receiver = place(call.node.func.value)
    read = (n.id for n in call.function.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load))
    if any(topics.is_about(name, Topic.DIFFERENCES) for name in read):
        return True  # `missing_keys = expected - found`
    kept = {id(n) for n in call.function.nodes_of(ast.Dict) for v in n.values for n in walk(v)}
    kept |= {id(n) for c in call.function.calls if last_name(c.func) in _PASSING_ON for a in c.args for n in walk(a)}
    return any(
        last_name(c.func) == "state_dict"
        and isinstance(c.func, ast.Attribute)
        and place(c.func.value) == receiver
        and id(c) not in kept
        for c in call.function.calls
    )
