"""What becomes of what `load_state_dict` says about the keys?

    model = model.load_state_dict(torch.load(path))            # the report takes the place of the model
    model.load_state_dict(torch.load(path), strict=False)      # nobody reads which keys were skipped

`load_state_dict` loads in place, and gives the keys that did not match. Where it is not strict, these are all that
shows what was skipped, unless the author has chosen or compared the keys in the same function. Whether all keys were
wanted at all is asked in `state_keys`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.checkpoints.state_keys import is_not_strict
from mllint.semantics.training.role_names import Role

if TYPE_CHECKING:
    from mllint.semantics.flow.views import Call

__all__ = ["find_replaced_model", "is_report_ignored", "may_load_model"]

_PASSING_ON = frozenset(("save", "deepcopy", "load_state_dict"))
"""What takes a state as a whole, whatever its keys."""
_LEAVING_OUT = (ast.If, ast.Try, ast.Continue, ast.Break)
"""What leaves out some keys of a loop over them."""


def may_load_model(load: Call) -> bool:
    """Whether a call of `load_state_dict` may load a model by a method of the library: not an optimizer by its name,
    not by a method of the project's own, and not in a function that others call to load states."""
    if load.receiver is None:
        return False  # somebody's function, which says for itself what did not match
    name = last_name(getattr(load.node.func, "value", None))
    if not load.receiver.instance_of(MODULE) and roles.speaks_of(name, Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER):
        return False
    return not topics.is_about(load.function.name, Topic.STATE_DICTS) and all(f.stubbed for f in load.callees)


# ------------------------------------------------------------------------------------- the report in place of the model
def find_replaced_model(load: Call) -> str | None:
    """The name that the report on the keys is bound to, if it is that of the model, or the only one of a new model."""
    target = next((b for found in load.function.bindings.values() for b in found if b.value is load.node), None)
    if target is None or target.path or load.receiver is None:
        return None
    loaded_into = load.node.func.value
    if place(loaded_into) != target.name and not isinstance(loaded_into, ast.Call):
        return None
    # what the name has become is no module, but one of the others is
    is_module = any(v.instance_of(MODULE) for v in (load.receiver, *load.receiver.alternatives))
    return target.name if is_module or (load.receiver.is_unknown and _loads_what_is_read_here(load)) else None


def _loads_what_is_read_here(load: Call) -> bool:
    """Is the state read by `torch.load` in the call, and does it go back to the name that it is loaded into?"""
    state = load.node.args[0] if len(load.node.args) == 1 else None
    while isinstance(state, ast.Subscript):
        state = state.value
    target = place(load.node.func.value) or ""
    back = any(b.value is load.node for b in load.function.bindings.get(target, ()))
    return back and isinstance(state, ast.Call) and load.value_of(state.func).is_function("torch.load")


# ------------------------------------------------------------------------------------------------ keys that are skipped
def is_report_ignored(load: Call) -> bool:
    """Whether a load that is not strict skips keys of which nobody learns: the report is read nowhere, and the keys
    were neither compared nor chosen in the same function."""
    if not is_not_strict(load) or _are_keys_compared(load) or _are_keys_chosen(load):
        return False
    return load.is_statement or _is_unread(load)


def _is_unread(load: Call) -> bool:
    """Is the report bound to names that the function never reads?"""
    names = [n for n, found in load.function.bindings.items() for b in found if b.value is load.node]
    read = {n.id for n in load.function.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load)}
    return bool(names) and all("." not in n and n not in read for n in names)


def _are_keys_chosen(load: Call) -> bool:
    """Were the keys chosen in the same function: a display, `{k: v for ... if ...}`, or a dict filled one by one?"""
    state = load.node.args[0] if load.node.args else None
    if isinstance(state, (ast.DictComp, ast.Dict)):
        return isinstance(state, ast.Dict) or any(g.ifs for g in state.generators)
    name, renamed = place(state) or "?", _statements_of_plain_loops(load)
    for node in walk(load.function.node):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Subscript) and place(target.value) == name and id(node) not in renamed:
            return True
        if target is not None and place(target) == name and _chooses_keys(node.value):
            return True
    return False


def _chooses_keys(value: Node) -> bool:
    """Is it a dict that is written out, or a comprehension that leaves something out?"""
    if isinstance(value, ast.DictComp):
        return any(g.ifs for g in value.generators)
    return isinstance(value, ast.Dict) and bool(value.keys)


def _statements_of_plain_loops(load: Call) -> set[int]:
    """The statements of loops over all keys that do the same with each of them: they rename, and leave nothing out."""
    loops = [run.node for run in load.function.loops if isinstance(run.node, ast.For)]
    whole = (n for n in loops if any(last_name(c.func) in ("items", "keys") for c in _calls_in(n.iter)))
    plain = (n for n in whole if not any(isinstance(inner, _LEAVING_OUT) for inner in walk(n)))
    return {id(statement) for loop in plain for statement in loop.body}


def _calls_in(node: Node) -> Iterator[ast.Call]:
    """A call, and that of which it is a list: `list(state.keys())`."""
    while isinstance(node, ast.Call):
        yield node
        node = node.args[0] if last_name(node.func) == "list" and node.args else None


def _are_keys_compared(load: Call) -> bool:
    """Does the function ask the same model for its keys, and not only to save them, or name their differences?"""
    receiver = place(load.node.func.value)
    read = (n.id for n in load.function.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load))
    if any(topics.is_about(name, Topic.DIFFERENCES) for name in read):
        return True  # `missing_keys = expected - found`
    kept = {id(n) for n in load.function.nodes_of(ast.Dict) for v in n.values for n in walk(v)}
    kept |= {id(n) for c in load.function.calls if last_name(c.func) in _PASSING_ON for a in c.args for n in walk(a)}
    return any(
        last_name(c.func) == "state_dict"
        and isinstance(c.func, ast.Attribute)
        and place(c.func.value) == receiver
        and id(c) not in kept
        for c in load.function.calls
    )
