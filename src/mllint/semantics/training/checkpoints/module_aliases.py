"""Are two names for a model one module, though they are used as two?

best_model = model                                    # `find_aliases`: kept, while the loop trains on
target = net                                          # `find_module_aliases`: an average of itself
for t, s in zip(target.parameters(), net.parameters()): ...       # `find_averages_with_itself`
target.load_state_dict(net.state_dict())              # `find_loads_onto_itself`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.kinds import Forward, ReadsState, RestoresState, Unknown
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, assigned_pairs, place, walk
from mllint.semantics.training.checkpoints.snapshots import find_reads
from mllint.semantics.training.iterations import is_built_in
from mllint.semantics.training.phases import is_training_loop
from mllint.semantics.training.randomness.seeds import is_unit_test
from mllint.semantics.training.roles import Activity, Role, activity_evidence, has_role_name
from mllint.semantics.values.classes import attribute
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import part_at, statements
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Flow, LoopRun
    from mllint.semantics.syntax.module import Binding, ClassScope, ModuleScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = ["find_aliases", "find_averages_with_itself", "find_loads_onto_itself", "find_module_aliases"]


def find_aliases(run: LoopRun, flow: Flow) -> Iterator[tuple[Node, str]]:
    """(expression, place) of `best_model = model` under a comparison in the training loop, used after the loop."""
    training_calls = [e for e in flow.events(Unknown) if run in e.loops and _is_called_training(e)]
    if run.outer or not (training_calls or is_training_loop(run, flow)):
        return
    within = range(run.node.lineno, (run.node.end_lineno or 0) + 1)
    tests = [
        s
        for s in statements(run.frame.function)
        if isinstance(s, ast.If) and s.lineno in within and any(isinstance(c, ast.Compare) for c in walk(s.test))
    ]
    for node in (n for test in tests for n in test.body):
        for target, source in assigned_pairs(node):
            kept = place(target)
            if kept is None or not isinstance(source, (ast.Name, ast.Attribute)):
                continue
            if _is_read_below_loop(kept, run) and _is_trained(source, run, flow, training_calls):
                yield source, kept


def _is_called_training(event: Event) -> bool:
    """Is it an unknown call that is named for training?"""
    return activity_evidence(str(event.option), Activity.TRAINS) is not None


def _is_read_below_loop(kept: str, run: LoopRun) -> bool:
    """Is a place read below the loop?"""
    end = run.node.end_lineno or 0
    return any(n.lineno > end for n in find_reads(kept, run.frame.function, end))


def _is_trained(source: Node, run: LoopRun, flow: Flow, training_calls: list[Event]) -> bool:
    """Is it a model that runs in the loop, or is handed to what trains there, and is bound outside of it?"""
    value = evaluate(source, run.frame)
    if is_built_in(value, run) or any(place(n) == place(source) for n in _find_stored_values(run)):
        return False
    if any(v.same_as(value) for e in training_calls for v in (e.subject, *e.others)):
        return True
    return any(f.subject.same_as(value) and run in f.loops for f in flow.events(Forward))


def _find_stored_values(run: LoopRun) -> Iterator[Node]:
    """The targets that the loop binds."""
    for node in walk(run.node):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node


def find_loads_onto_itself(flow: Flow) -> Iterator[tuple[Event, Event]]:
    """`target.load_state_dict(model.state_dict())` where both are one module: what loads, and what is read.

    Where the two are written alike, as in a round trip to test it, the author knows; so does a unit test that builds
    one module for two places.
    """
    read = {id(e.call): e for e in flow.events(ReadsState) if isinstance(e.call, ast.Call)}
    for restore in flow.events(RestoresState):
        given = restore.call.args[0] if isinstance(restore.call, ast.Call) and restore.call.args else None
        source = read.get(id(given))
        if source is None or not isinstance(source.call.func, ast.Attribute):
            continue
        if not isinstance(restore.call.func, ast.Attribute):
            continue
        target, origin = restore.call.func.value, source.call.func.value
        if place(target) is None or place(origin) is None or place(target) == place(origin):
            continue
        if _is_from_previous_iteration(target, origin, restore) or _is_of_unit_test(restore):
            continue
        if isinstance(restore.subject, InstanceValue) and restore.subject.same_as(source.subject) is True:
            yield restore, source


def _is_of_unit_test(event: Event) -> bool:
    """Is what it is about built in a unit test?"""
    built = event.subject.site
    return built is not None and is_unit_test(built.module)


def _is_from_previous_iteration(target: Node, source: Node, restore: Event) -> bool:
    """Is one what the other was an iteration ago: `previous = model` below, in the loop that builds the next one?"""
    new, old = _root(target), _root(source)
    bound = restore.function.bindings
    kept = [b for b in bound.get(old, ()) if isinstance(b.value, ast.Name) and b.value.id == new]
    below = any(getattr(b.node, "lineno", 0) > restore.site.line for b in kept)
    built = [getattr(b.node, "lineno", 0) for b in bound.get(new, ())]
    around = [r.node.lineno for r in restore.loops]
    return below and any(start <= line < restore.site.line for start in around for line in built)


def _root(node: Node) -> str:
    """The name that a place begins with."""
    return (place(node) or "").partition(".")[0]


def find_averages_with_itself(module: ModuleScope) -> Iterator[tuple[Node, str, str]]:
    """`zip(target.parameters(), model.parameters())` where both are one module: the call, and how both are written."""
    project = module.project
    for call, scope in module.calls_by_name.get("zip", ()):
        owners = [_owner_of_place(a) for a in call.args]
        if not isinstance(scope, FunctionScope) or len(owners) != 2 or any(place(o) is None for o in owners):
            continue
        frame = project.frame(scope)
        for one, other in _corresponding_places(owners[0], owners[1], scope):
            if place(one) != place(other) and _is_one_module(one, other, frame):
                yield call, place(one) or "", place(other) or ""
                break


def _corresponding_places(one: Node, other: Node, function: FunctionScope) -> Iterator[tuple[Node, Node]]:
    """Two owners of parameters; where both are names of a loop over pairs that are written out, all of these."""
    found = [bound_at(node, function) for node in (one, other)]
    bound = [bindings[0] for bindings in found if len(bindings) == 1 and bindings[0].kind == "for"]
    pairs = bound[0].value if len(bound) == 2 and bound[0].value is bound[1].value else None
    if not isinstance(pairs, (ast.Tuple, ast.List)):
        yield one, other
        return
    for pair in pairs.elts:
        parts = [part_at(pair, binding.path) for binding in bound]
        if all(place(part) for part in parts):
            yield parts[0], parts[1]


def _is_one_module(one: Node, other: Node, frame: Frame) -> bool:
    first, second = evaluate(one, frame), evaluate(other, frame)
    return isinstance(first, InstanceValue) and first.instance_of(MODULE) and first.same_as(second) is True


def find_module_aliases(module: ModuleScope) -> Iterator[tuple[Node, str, str]]:
    """`target_net = net`, or `self.target_net = self.net`, which can be nothing but the same module: the value, the
    name, how the module is written."""
    project = module.project
    for function in module.functions:
        if isinstance(function.node, ast.Lambda):
            continue
        for statement in function.body:
            for target, value in assigned_pairs(statement):
                name = place(target) or ""
                if not isinstance(value, (ast.Name, ast.Attribute)) or not has_role_name(name, Role.AVERAGED_MODEL):
                    continue
                if "." in name or len(function.bindings.get(name, ())) != 1:
                    continue
                if has_role_name(place(value), Role.AVERAGED_MODEL):
                    continue
                found = evaluate(value, project.frame(function))
                if isinstance(found, InstanceValue) and found.identity and found.instance_of(MODULE):
                    yield value, name, place(value) or ""
    for cls in module.classes:
        yield from _aliases_of_attributes(cls, project)


def _aliases_of_attributes(cls: ClassScope, project: Project) -> Iterator[tuple[Node, str, str]]:
    """The attributes of a class that are called those of another network and are the module of another attribute,
    however often they are bound: the value that is bound, and both names."""
    bound: dict[str, list[tuple[Binding, FunctionScope]]] = {}
    for function in cls.methods.values():
        for name, bindings in function.bindings.items():
            if name.startswith("self.") and name.count(".") == 1:
                bound.setdefault(name, []).extend((b, function) for b in bindings)
    for name in [n for n in bound if has_role_name(n, Role.AVERAGED_MODEL)]:
        binding, function = bound[name][0]
        frame, last = project.frame(function), name.removeprefix("self.")
        owner = frame.self_value()
        if len(project.reach.assigned().get(last, ())) > len(bound[name]) or not isinstance(owner, InstanceValue):
            continue  # somebody else may bind it, too
        held = attribute(owner, last, frame)
        if binding.path or not isinstance(held, InstanceValue) or not held.instance_of(MODULE):
            continue
        others = (n for n in bound if not has_role_name(n, Role.AVERAGED_MODEL))
        same = (n for n in others if attribute(owner, n.removeprefix("self."), frame).same_as(held) is True)
        other = next(same, None)
        if other is not None:
            yield binding.value, name, other


def _owner_of_place(node: Node) -> Node:
    """The module whose parameters are asked for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parameters":
        return node.func.value
    return None
