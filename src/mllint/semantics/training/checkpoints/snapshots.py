"""Where are the weights of a model kept without a copy, and are they used after more training?

    best = model.state_dict()            # the live tensors: every step of the optimizer changes them
    best = dict(model.state_dict())      # copies the dictionary around them, not the tensors
    best = deepcopy(model.state_dict())  # a copy

What is saved at once, copied for real, or never read again is harmless. So the answer takes three things: a place that
keeps live tensors, a read of that place, and a step between the two on a path on which the model stays the same object.
Models under two names are the question of `module_aliases`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.kinds import AppliesGrad, Creates, ReadsState, RestoresState, Unknown
from mllint.semantics.libraries.classes import GRAD_SCALER, OPTIMIZER, SCHEDULER
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import BODIES, Node, assigned_pairs, last_name, place, walk
from mllint.semantics.training.iterations import is_bound_anew, is_built_in, is_last_iteration
from mllint.semantics.training.roles import Role, has_role_name
from mllint.semantics.values.bodies import reachable_returns
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import statements, targets_of
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Flow, LoopRun

__all__ = [
    "find_kept_live_states", "find_reads", "is_used_after_training", "may_be_trained_after", "state_as_seen_by_caller",
]  # fmt: skip

_DICTS = frozenset("dict OrderedDict copy".split())
_NUMBERS = (
    SCHEDULER,
    GRAD_SCALER,
)  # their state is a new dictionary of numbers
_CALLS = 2
"""How many functions give a state back to the next."""


def find_kept_live_states(state: Event) -> Iterator[tuple[Node, str]]:
    """(expression, place) for each place of the function in which the live state is kept without a copy."""
    of = last_name(getattr(state.call.func, "value", None)) if isinstance(state.call, ast.Call) else ""
    if has_role_name(of, Role.LOADER, Role.SAMPLER, Role.DATASET):
        return
    if any(v.instance_of(*_NUMBERS) for v in state.subject.alternatives):
        return
    for statement in statements(state.function):
        for target, value in assigned_pairs(statement):
            if place(target) is not None and _holds_live_tensors(value, state.call):
                yield value, place(target) or ""
    if not state.loops:
        return
    for call in state.function.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            if call.args and _holds_live_tensors(call.args[0], state.call) and place(call.func.value) is not None:
                yield call, place(call.func.value) or ""


def state_as_seen_by_caller(state: Event) -> Event:
    """A read of a state as whoever calls the function sees it that gives it back, without a copy; else as it is."""
    for _ in range(_CALLS):
        caller = state.frame.caller
        if caller is None or not isinstance(caller[1], ast.Call) or not _is_returned(state):
            return state
        frame, call = caller
        outer = Event(state.kind, Site(frame.module, call), frame, state.subject, call=call, option=state.option)
        outer.loops = tuple(run for run in state.loops if run.frame is not state.frame)
        outer.conditions, outer.assumed, outer.index = state.conditions, state.assumed, state.index
        state = outer
    return state


def _is_returned(state: Event) -> bool:
    """Does a function return the live state, or a name that is bound to it alone, where this call of it gets to?"""
    function = state.function
    for value in (r.value for r in reachable_returns(state.frame)):
        bound = function.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
        if _holds_live_tensors(bound[0].value if len(bound) == 1 and not bound[0].path else value, state.call):
            return True
    return False


def _holds_live_tensors(value: Node, call: ast.Call) -> bool:
    """Does the expression hold the tensors that the call of `state_dict()` gave, and not copies of them?"""
    match value:
        case ast.Call() if value is call:
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[]):
            return _holds_live_tensors(inner, call)
        case ast.Call(args=[inner]) if last_name(value.func) in _DICTS:
            return _holds_live_tensors(inner, call)
        case ast.Dict(values=values):
            return any(_holds_live_tensors(v, call) for v in values)
        case ast.DictComp(generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute(value=inner, attr="items")))]):
            item = value.value
            if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) and item.func.attr == "detach":
                item = item.func.value
            if isinstance(item, ast.Attribute) and item.attr == "data":
                item = item.value
            return isinstance(item, ast.Name) and _holds_live_tensors(inner, call)
    return False


def may_be_trained_after(state: Event, flow: Flow) -> bool:
    """May the weights change after they were read, on a way on which the model stays the same?"""
    if any(is_built_in(state.subject, run) for run in state.loops) or _is_in_block_ending_loop(state):
        return False
    if state.subject.instance_of(OPTIMIZER) and not _is_stepped_before(state, flow):
        return False
    made = [e for e in flow.events(Creates) if e.subject.same_as(state.subject)]

    anew = any(is_bound_anew(state, run) for run in state.loops[-1:])
    back = not (anew or any(is_last_iteration(state, run) for run in state.loops))
    return flow.path(state, to=lambda event: _is_training(event, state), avoiding=tuple(made), back=back) is not None


def _is_stepped_before(state: Event, flow: Flow) -> bool:
    """Has an optimizer anything to remember: what it knows of a parameter is made by its first step?"""
    steps = (e for e in flow.events(AppliesGrad) if e.concerns(state) is True)
    return any(flow.path(step, to=state) is not None for step in steps)


def _is_in_block_ending_loop(state: Event) -> bool:
    """Does the block that reads the weights also set what the loop asks for: `while not done:`, `done = True`?"""
    tested = {place(n) for run in state.loops if isinstance(run.node, ast.While) for n in walk(run.node.test)} - {None}
    if not tested:
        return False
    for node in walk(state.loops[-1].node):
        block = (getattr(node, word, None) for word in ("body", "orelse"))
        for statements_of in (b for b in block if isinstance(b, list)):
            if any(n is state.call for s in statements_of for n in walk(s)):
                plain = (s for s in statements_of if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant))
                if any(place(t) in tested for s in plain for t in s.targets):
                    return True
    return False


def is_used_after_training(kept: str, node: Node, state: Event, flow: Flow) -> bool:
    """Is the place read after training went on: outside of the loop that fills it, or before it was filled again?"""
    function = state.function
    if any(_fills_entries(statement, kept) for statement in statements(function)):
        return False  # its entries are computed anew
    bindings = [b for b in function.bindings.get(kept, ()) if b.kind == "assign" and not _is_none(b.value)]
    inner = [r for r in state.loops if r.frame.function is function and _may_train_in_loop(r, state, flow)]
    if not inner:
        return len(bindings) == 1 and _is_restored_after_step(kept, state, flow)
    loop = inner[0].node
    last = loop.end_lineno or 0
    if any(
        kept in _places_in(b.value) and _is_copy_of_weights(b.value) and loop.lineno <= b.value.lineno <= last
        for b in bindings
    ):
        return False
    reads = [
        n
        for n in find_reads(kept, function)
        if _can_reach_read(node, n, function) and not _is_dropped_by_callers(n, state)
    ]
    if any(n.lineno > (loop.end_lineno or 0) for n in reads):
        gathered = "[" in kept or last_name(getattr(node, "func", None)) == "append"
        return gathered or not _ends_each_iteration(state, inner[0], flow)
    if kept.startswith("self.") and function.owner is not None and not _is_rebound_below_loop(kept, loop, function):
        others = [m for m in function.owner.methods.values() if m is not function]
        return any(True for m in others for _ in find_reads(kept, m))
    inside = [n for n in reads if n.lineno >= loop.lineno and not _is_added_by_entries(n, loop)]
    return any(n.lineno < node.lineno or _are_in_different_branches(n, node, loop) for n in inside)


def _is_dropped_by_callers(read: Node, state: Event) -> bool:
    """Is it a read by which a function gives the weights to callers of the project that all drop them: calls that are
    statements, or that unpack this part into a name that nothing reads?"""
    returned = next((r.value for r in state.function.returns if any(n is read for n in walk(r.value))), None)
    parts = returned.elts if isinstance(returned, ast.Tuple) else [returned]
    if returned is None or not any(part is read for part in parts):
        return False
    at = next(i for i, part in enumerate(parts) if part is read)
    calls = state.frame.project.callers(state.function)
    return bool(calls) and all(_drops_result(call, frame.function, at, len(parts)) for call, frame in calls)


def _drops_result(call: ast.Call, function: FunctionScope, at: int, count: int) -> bool:
    """Does a function leave a part of what a call gives unread?"""
    if any(isinstance(s, ast.Expr) and s.value is call for s in statements(function)):
        return True
    names = targets_of(call, function)
    return len(names) == count and names[at].isidentifier() and not any(find_reads(names[at], function))


def _ends_each_iteration(state: Event, run: LoopRun, flow: Flow) -> bool:
    """Are the weights read behind all training of an iteration, and in each, so that those of the last one are kept?

    A test of what a loop goes through, whose last one it is, holds in each: `for phase in ("train", "val")`.
    """
    last = {r.node.target.id: r.node.iter.elts[-1] for r in state.loops if _is_over_listed(r.node)}
    for test, holds, _ in state.conditions_in(run):
        match test:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=value)]) if holds:
                if value == getattr(last.get(name), "value", None):
                    continue
        return False
    return flow.path(state, to=lambda event: _is_training(event, state), back=False) is None


def _is_over_listed(loop: Node) -> bool:
    """Is it a loop over what is listed in its head: `for phase in ["train", "val"]`?"""
    listed = isinstance(loop, ast.For) and isinstance(loop.iter, (ast.List, ast.Tuple)) and bool(loop.iter.elts)
    return listed and isinstance(loop.target, ast.Name)


def _is_added_by_entries(read: Node, loop: Node) -> bool:
    """Is an entry of it added to one of another place, as an average does: `mean[k] = 0.9 * mean[k] + 0.1 * w[k]`? The
    current weights are as good for it."""
    for statement in (n for n in walk(loop) if isinstance(n, (ast.Assign, ast.AugAssign))):
        entries = [n for n in walk(statement.value) if isinstance(n, ast.Subscript)]
        if not any(n.value is read for n in entries):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        totals = {place(t.value) for t in targets if isinstance(t, ast.Subscript)} - {place(read), None}
        return bool(totals) and (isinstance(statement, ast.AugAssign) or any(place(n.value) in totals for n in entries))
    return False


def _may_train_in_loop(run: LoopRun, state: Event, flow: Flow) -> bool:
    """May the weights change while a loop runs, which may be one over several models?"""
    return any(run in e.loops and _is_training(e, state) for e in flow.events(AppliesGrad, Unknown))


def _is_training(event: Event, state: Event) -> bool:
    """May an event change the weights that were read?"""
    if event.kind == "applies_grad":
        return event.concerns(state) is not False
    if event.kind != "unknown" or not isinstance(event.option, str):
        return False
    return "train" in event.option and event.holds(state)


def _are_in_different_branches(read: Node, node: Node, loop: Node) -> bool:
    """Do a read and what is kept stand in two branches of one `if` of a loop, so that the read sees what an earlier
    iteration has kept?"""
    for choice in (n for n in walk(loop) if isinstance(n, ast.If)):
        if any(n is node for s in choice.body for n in walk(s)):
            if any(n is read for s in choice.orelse for n in walk(s)):
                return True
    return False


def _places_in(value: Node) -> set[str | None]:
    """The places that an expression reads."""
    return {place(n) for n in walk(value)} if isinstance(value, ast.AST) else set()


def _is_rebound_below_loop(kept: str, loop: Node, function: FunctionScope) -> bool:
    """Is a place bound anew right in the block of a loop, below it, so that what the loop left is seen no more?"""
    if any(isinstance(n, ast.Return) for n in walk(loop)):
        return False
    for node in walk(function.node):
        for word in BODIES:
            found = getattr(node, word, None)
            block: list[Node] = found if isinstance(found, list) else []
            if loop in block:
                below = block[block.index(loop) + 1 :]
                return any(place(target) == kept for s in below for target, _ in assigned_pairs(s))
    return False


def _fills_entries(statement: Node, kept: str) -> bool:
    """Does a statement write entries of a place: `state[key] = ...`, `state[key] += ...`, `state.update(...)`?"""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=filled, attr="update"))):
            return place(filled) == kept
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return any(isinstance(t, ast.Subscript) and place(t.value) == kept for t in targets)


def _can_reach_read(node: Node, read: Node, function: FunctionScope) -> bool:
    """Can a read see the value, and not only one that another assignment has put in its place?"""
    found = bindings_at(read, function)
    written = [b for bindings in function.bindings.values() for b in bindings if b.value is not None]
    own = [b for b in written if any(n is node for n in walk(b.value))]
    return found is None or not own or any(b in own for b in found)


def _is_restored_after_step(kept: str, state: Event, flow: Flow) -> bool:
    """Is the place loaded back into the model after a step?"""
    for restore in flow.events(RestoresState):
        if restore.concerns(state) is not True or not isinstance(restore.call, ast.Call) or not restore.call.args:
            continue
        if not _is_same_keeper(restore.call.args[0], restore, kept, state):
            continue
        again = tuple(e for e in flow.events(ReadsState) if e.index == state.index or e.site == state.site)
        for step in flow.events(AppliesGrad):
            if step.concerns(state) is not False and flow.path(state, to=step):
                if flow.path(step, to=restore, avoiding=again):
                    return True
    return False


def _is_same_keeper(given: Node, restore: Event, kept: str, state: Event) -> bool:
    """Is what is loaded the place that was kept, or an entry of it, be it an attribute of an object that is used from
    outside?"""
    places, holder = [place(given)], given
    while isinstance(holder, ast.Subscript):
        holder = holder.value
        places.append(place(holder))
    if restore.function is state.function:
        return kept in places
    base, _, name = kept.partition(".")
    owner = place(holder.value) if isinstance(holder, ast.Attribute) else None
    if base != "self" or owner is None or f"{owner}.{name}" not in places:
        return False
    keeper = state.frame.receiver
    return keeper is not None and evaluate(holder.value, restore.frame).same_as(keeper) is True


def find_reads(kept: str, function: FunctionScope, line: int = 0) -> Iterator[Node]:
    """The expressions of a function that read a place, in statements that end below a line."""
    last = kept.rpartition(".")[2].partition("[")[0]
    for statement in function.body:
        if (statement.end_lineno or 0) <= line:
            continue
        for node in walk(statement):
            kind = node.__class__
            if kind is ast.Name:
                found = node.id == kept
            elif kind is ast.Attribute:
                found = node.attr == last and place(node) == kept
            else:
                found = kind is ast.Subscript and place(node) == kept
            if found and isinstance(node.ctx, ast.Load):
                yield node


def _is_copy_of_weights(value: Node) -> bool:
    """Is it a copy of weights?"""
    return isinstance(value, ast.AST) and any(
        isinstance(n, ast.Call) and last_name(n.func) in ("deepcopy", "clone") for n in walk(value)
    )


def _is_none(value: Node) -> bool:
    """Is it a placeholder: `None`, `{}`, or a number?"""
    return value is None or isinstance(value, ast.Constant) or (isinstance(value, ast.Dict) and not value.keys)
