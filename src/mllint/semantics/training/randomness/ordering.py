"""In which order do elements come, is that order the same in each run, and what depends on it?

    files = os.listdir(folder)                 # unordered: the order is the file system's
    files = sorted(os.listdir(folder))         # ordered
    labels = {name: i for i, name in enumerate(set(names))}    # the numbers of classes depend on the order of a set

What hands on the order of what it is given (a list, a filter, a slice) is looked through. An order that a draw without
a seed changes in each run anyway is not asked about.

The hash of a text differs in each process, and with it the order of a set: `textual` says whether elements are text.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.names import bindings_at, bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.training.randomness import parting
from mllint.semantics.training.randomness.textual import LISTINGS, holds_strings, is_listing
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, may_enter, origins, owner_bindings

__all__ = ["is_unordered", "keeps_order", "listing_of", "unordered_origins"]


_PASSING = frozenset("list tuple filter map reversed array asarray enumerate zip tqdm concatenate".split())
_SAME = frozenset("sorted list tuple reversed enumerate tqdm iter".split())


def unordered_origins(sequence: Node, function: FunctionView) -> list[Origin]:
    """The listings and sets whose order a sequence has."""
    if _is_element(sequence, function):
        return []
    through = origins(
        sequence, function.frame, through=lambda o: keeps_order(o) and (o.node is sequence or not _is_table(o))
    )
    steps = list(through)
    gathered = any(isinstance(o.node, ast.Call) and last_name(o.node.func) == "set" and not o.node.args for o in steps)
    found = [
        o
        for o in steps
        if is_unordered(o)
        and not (gathered and is_listing(o))  # in a set, a listing's order is lost
        and not _is_sorted_in_place(o, sequence, steps, function)
    ]
    return [] if found and _is_shuffled_unseeded(sequence, steps, function) else found


def listing_of(origin: Origin) -> tuple[int, tuple[str, ...]]:
    """Which listing an origin is: the expression, and what each call on the way to it passes. A helper that is called
    for two folders lists twice, `files("images")` and `files("masks")`; called twice for one, it lists the same."""
    passed, frame = list[str](), origin.frame
    while frame.caller is not None:
        frame, call = frame.caller
        given = (*call.args, *(k.value for k in call.keywords)) if isinstance(call, ast.Call) else ()
        passed.append(", ".join(ast.unparse(a) for a in given))
    return id(origin.node), tuple(passed)


def _is_table(origin: Origin) -> bool:
    """Is it a dictionary, so that a list of such has another order than what is in one of them?"""
    node = origin.node
    if not isinstance(node, ast.Name):
        return isinstance(node, (ast.Dict, ast.DictComp))
    bound = [b.value for b in origin.frame.function.bindings.get(node.id, ()) if b.kind == "assign"]
    return bool(bound) and all(isinstance(v, (ast.Dict, ast.DictComp)) for v in bound)


# ----------------------------------------------------------------------------------------------------------- the order
def keeps_order(origin: Origin) -> bool:
    """Does what lies behind an origin hand on its order: a copy, a filter, a slice, the user's own helper?"""
    node = origin.node
    if is_unordered(origin):
        return False
    if isinstance(node, ast.Call):
        if last_name(node.func) in _PASSING or last_name(node.func) == "join":
            return True
        return may_enter(node, origin.frame) and any(not f.stubbed for f in Call(node, origin.frame).callees)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.ListComp) and is_unordered(Origin(node.elt, origin.frame)):
        return False  # a list of listings has the order of what they were asked for
    return not isinstance(node, (ast.BinOp, ast.Compare, ast.IfExp, ast.BoolOp))


def is_unordered(origin: Origin) -> bool:
    """A listing of files, or a set of strings."""
    node = origin.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "set":
        if not node.args:
            added = _added(origin)
            return bool(added) and all(holds_strings(each) and not _is_unpacked(each) for each in added)
        return origin.value.has("Unordered") and holds_strings(Origin(node.args[0], origin.frame))
    if isinstance(node, ast.SetComp):
        return holds_strings(Origin(node.elt, origin.frame))
    if not isinstance(node, ast.Call) or last_name(node.func) not in LISTINGS:
        return False
    callees = Call(node, origin.frame).callees
    return bool(callees) and all(effect_of(f, "unordered") for f in callees)


def _added(origin: Origin) -> list[Origin]:
    """What `add` and `update` put into a set that begins empty."""
    scope = origin.frame.function
    names = {name for name, found in scope.bindings.items() if any(bound_expression(b) is origin.node for b in found)}
    owned = scope.owner is not None and any(name.startswith("self.") for name in names)
    added = []
    for function in scope.owner.methods.values() if owned and scope.owner is not None else (scope,):
        for call in function.calls:
            if last_name(call.func) in ("add", "update") and isinstance(call.func, ast.Attribute) and call.args:
                if place(call.func.value) in names:
                    frame = origin.frame if function is scope else origin.frame.project.frame(function)
                    added.append(Origin(call.args[0], frame))
    return added


def _is_unpacked(origin: Origin) -> bool:
    """Is it one part of what a loop or an assignment takes apart, so that what made the whole may not have made it?"""
    found = bound_at(origin.node, origin.frame.function)  # of a name; anything else has no bindings
    return any(isinstance(part, int) for binding in found for part in binding.path)


def _is_sorted_in_place(origin: Origin, sequence: Node, steps: list[Origin], function: FunctionView) -> bool:
    """Whether what has the order of an origin is sorted by `.sort()`, under one of the names that it has on its way."""
    scopes = ((function.module, function.scope), (origin.frame.module, origin.frame.function))
    sorted_places = {
        place(call.func.value)
        for module, scope in scopes
        for call, owner in module.calls_by_name.get("sort", ())
        if owner is scope and isinstance(call.func, ast.Attribute)
    }
    if not sorted_places:
        return False
    nodes = (sequence, *(step.node for step in steps))
    bound = ((name, bound_expression(b)) for _, scope in scopes for name, kept in scope.bindings.items() for b in kept)
    named = {name for name, expression in bound if any(expression is node for node in nodes)}
    return not sorted_places.isdisjoint(named.union(filter(None, map(place, nodes))))


def _is_shuffled_unseeded(sequence: Node, steps: list[Origin], function: FunctionView) -> bool:
    """Is the list, or what it is made of, shuffled before it is used, and by nothing that is known to repeat? The first
    order is lost then."""
    if "shuffle" not in function.scope.called_names:
        return False
    names = {place(o.node) for o in steps if o.frame.function is function.scope} | {place(sequence)}
    for call in function.scope.calls:
        if last_name(call.func) == "shuffle" and call.args and (place(call.args[0]) or "") in names:
            callees = Call(call, function.frame).callees
            drawn = [effect_of(f, "draws") for f in callees]
            streams = [str(d.values[0]) for d in drawn if d is not None and d.values]
            return not callees or (bool(streams) and not parting.is_repeatable(streams[0], function))
    return False


def _is_element(node: Node, function: FunctionView) -> bool:
    """Is it one element of a listing or a set, `for name in os.listdir(folder)`: a text, whose order is defined?"""
    if not isinstance(node, ast.Name):
        return False
    found = bindings_at(node, function.scope)
    bound = list(found) if found is not None else [b for b, _ in owner_bindings(node.id, function.frame)]
    return bool(bound) and all(b.kind in ("for", "comp") and _is_listing_or_set(b.value, function) for b in bound)


def _is_listing_or_set(iterated: Node, function: FunctionView) -> bool:
    """Is it a listing of files or a set, copied or sorted perhaps, and nothing that was gathered of such?"""
    steps = origins(iterated, function.frame, through=_keeps_elements)
    ends = [o.node for o in steps if not _keeps_elements(o)]
    made = [last_name(n.func) if isinstance(n, ast.Call) else "set" if isinstance(n, ast.SetComp) else "" for n in ends]
    return bool(made) and all(name == "set" or name in LISTINGS for name in made)


def _keeps_elements(origin: Origin) -> bool:
    """A name, or a call that gives the same elements."""
    node = origin.node
    if isinstance(node, ast.Call):
        return last_name(node.func) in _SAME
    return isinstance(node, (ast.Name, ast.Attribute))
