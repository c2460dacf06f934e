"""Is the state of an optimizer or a schedule read back from what an earlier run saved?

    optimizer.load_state_dict(state["optimizer"])     # `is_restored`
    accelerator.load_state(path)                      # restores everything; `accelerator.prepare` restores nothing

What makes it unknown, and so restored: a loop or a helper that loads into whatever it is given, unless all that it is
given is known; something unknown that is handed the object (`may_be_restored_by_unknown`). A branch of a helper that
none of its calls takes restores nothing: `if optimizer is not None:` of `load(path, net)`. Whether there is a state to
restore is asked of `stateful`, what is saved of `saving`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ModuleView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.words import last_part
from mllint.semantics.training.checkpoints.resuming import Stateful, receiver_name
from mllint.semantics.training.checkpoints.saving import saves_state_of_kind
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.roles import Role, name_evidence, speaks_of, unit_by_name
from mllint.semantics.values.decided import is_reached
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import bindings_of
from mllint.semantics.values.settings import is_settings_name

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Scope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "find_state_never_restored", "find_unread_optimizer", "is_called_on", "is_lost", "is_passed_over",
    "is_restored", "may_be_restored_by_unknown",
]  # fmt: skip


_STEPWISE = "torch.optim.lr_scheduler.StepLR"


def is_called_on(node: ast.Call, scope: Scope, kind: Stateful, project: Project) -> bool:
    """Is a method called on an object of a kind, whatever it is called?"""
    receiver = Call(node, project.frame(scope)).receiver if isinstance(scope, FunctionScope) else None
    return receiver is not None and receiver.instance_of(kind.value)


def is_restored(module: ModuleView, kind: Stateful, made: Call | None) -> bool:
    """True if the state of what `made` constructs is loaded anywhere, or read from what was loaded.

    Args:
        module: the file in which the run goes on.
        kind: what it is.
        made: its construction; None for the only one.
    """
    own = _find_own_loads(module, kind, made)
    return own is None or _is_loaded_by_framework(module) or _is_read_from_loaded(module, kind, own)


def _find_own_loads(module: ModuleView, kind: Stateful, made: Call | None) -> list[Call] | None:
    """The calls of `load_state_dict` that restore another object of `kind` than `made`; None if one may restore it."""
    others = []
    named = module.project.calls_named("load_state_dict")
    loads = [(node, scope) for node, scope in named if not _is_load_state_dict_method(scope)]
    plain = all(speaks_of(receiver_name(node), Role.MODEL) for node, _ in loads)
    for node, scope in loads if plain else named:
        if isinstance(scope, FunctionScope) and is_passed_over(load := Call(node, module.project.frame(scope))):
            others.append(load)
            continue
        name = place(node.func)
        if name is None:
            return None
        if not speaks_of(receiver_name(node), kind.role) and not is_called_on(node, scope, kind, module.project):
            if _may_stand_for_kind(node, scope, kind, module.project):
                return None
            continue
        if made is None or not isinstance(scope, FunctionScope):
            return None
        load = Call(node, module.project.frame(scope))
        if _may_be_receiver(load, made, name.rpartition(".")[0]):
            return None
        others.append(load)
    return others


def is_passed_over(load: Call) -> bool:
    """Does a call stand in a branch of a helper that none of its calls takes, by what they give it? A setting that is
    off by default, and that the helper is not given, may be switched on."""
    helper, project = load.function, load.project
    if helper.is_body or project.passed_around(helper) or not _is_decided_by_parameter(load):
        return False
    callers = project.callers(helper)
    if not callers or project.has_more_callers(helper) or _may_be_called_elsewhere(helper, project):
        return False
    entered = [[f for f in inner_frames(call, outer) if f.function is helper] for call, outer in callers]
    return all(frames and all(is_reached(load.node, f) is False for f in frames) for frames in entered)


def _is_decided_by_parameter(load: Call) -> bool:
    """Does a test around a call ask a parameter of its function itself: `if optimizer is not None:`?"""
    own = {p.name for p in load.function.parameters} - {"self"}
    tests = (s.test for s in load.function.nodes_of(ast.If) if is_within(load.node, s))
    return any(isinstance(n, ast.Name) and n.id in own for test in tests for n in walk(test))


def _may_be_called_elsewhere(helper: FunctionScope, project: Project) -> bool:
    """May a call of something unknown reach a helper: `trainer.load(path, optimizer)`?"""
    named = [(n, s) for n, s in project.calls_named(helper.name) if isinstance(n.func, ast.Attribute)]
    return any(isinstance(s, FunctionScope) and Call(n, project.frame(s)).callee.is_unknown for n, s in named)


def _may_be_receiver(load: Call, made: Call, owner: str) -> bool:
    """True if `load` may be called on what `made` constructs, by its value or by its name, `owner`."""
    receiver = load.receiver
    if receiver is None or made.value.same_as(receiver) is not False or owner in _attributes_bound_to(made):
        return True
    built = (v.built_with for v in receiver.alternatives)
    return any(b is not None and b.node is made.node for b in built)  # by a method of its own, which hands it back


def _is_loaded_by_framework(module: ModuleView) -> bool:
    """True if a call restores everything: `accelerator.load_state(path)`."""
    for word in ("load_state", "load_checkpoint"):
        for node, scope in module.project.calls_named(word):
            callees = Call(node, module.project.frame(scope)).callees if isinstance(scope, FunctionScope) else []
            if not node.args and not node.keywords:
                continue  # told of no file, and of no optimizer
            if (not callees or any(f.stubbed for f in callees)) and not _has_loads_in_other_branch(node, scope):
                return True
    return False


def _is_read_from_loaded(module: ModuleView, kind: Stateful, others: list[Call]) -> bool:
    """True if an entry for such an object is read, `state["optimizer"]`, other than for `others` of its kind."""
    inside = {id(n) for load in others for n in walk(load.node)}
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and speaks_of(str(node.slice.value), kind.role)
        and not _is_configuration(node.value)
        for node in walk(module.module.body.node)
        if isinstance(getattr(node, "ctx", None), ast.Load) and id(node) not in inside
    )


def _may_stand_for_kind(node: Node, scope: Scope, kind: Stateful, project: Project) -> bool:
    """May a name stand for an object of a kind, as one of several of a loop, or as what a helper is given?

    `thing` in `for name, thing in things.items(): thing.load_state_dict(state[name])` stands for what `things` holds.
    Where that is known (a literal, the keywords of all callers), only what it holds counts.
    """
    base = getattr(node.func, "value", None)  # `load_state_dict(path)` is a function of somebody's
    if not isinstance(base, ast.Name) or not isinstance(scope, FunctionScope) or speaks_of(base.id, Role.MODEL):
        return False
    for binding in scope.bindings.get(base.id, ()):
        if binding.kind in ("for", "comp") and _may_iterate_over(kind, binding.value, scope, project):
            return True
        callers = project.callers(scope) if binding.kind == "param" else ()
        for call, frame in callers:
            if any(_may_give(kind, a, frame) for a in (*call.args, *(k.value for k in call.keywords))):
                return True
    return False


def _may_iterate_over(kind: Stateful, source: Node, scope: FunctionScope, project: Project) -> bool:
    """May a loop go over an object of a kind? One over the keywords of a function goes over what its callers give."""
    if any(_may_give(kind, n, project.frame(scope)) for n in walk(source) if isinstance(n, (ast.Name, ast.Attribute))):
        return True  # `for thing, key in ((net, "net"), (optimizer, "optimizer")):`
    if any(speaks_of(place(n), Role.MODEL) for n in walk(source)):
        return False
    names = {n.id for n in walk(source) if isinstance(n, ast.Name)}
    spread = next((p for p in scope.parameters if p.kind == "kwargs"), None)
    callers = project.callers(scope) if spread is not None and names == {spread.name} else []
    if not callers or any(k.arg is None for call, _ in callers for k in call.keywords):
        return True
    given = [k.arg for call, frame in callers for k in call.keywords if _may_give(kind, k.value, frame)]
    return any(_may_be_saved(key, scope, project) for key in given if key is not None)


def _may_be_saved(key: str, restoring: FunctionScope, project: Project) -> bool:
    """May a checkpoint have an entry of that key: is nothing saved here, or any dictionary made that may have it?"""
    if not any(project.calls_named("save")):
        return True
    for node in (n for module in project.modules for n in walk(module.body.node)):
        match node:
            case ast.Dict(keys=keys) if any(k is None or getattr(k, "value", key) == key for k in keys):
                return True
            case ast.Subscript(slice=ast.Constant(value=stored)) if stored == key:
                return True
            case ast.DictComp():
                return True
            case ast.Call(func=func, keywords=given) if last_name(func) != restoring.name:
                if any(k.arg == key for k in given):
                    return True
    return False


def _may_give(kind: Stateful, node: Node, frame: Frame) -> bool:
    """May an argument be an object of a kind: is it one, or called so?"""
    return evaluate(node, frame).instance_of(kind.value) or speaks_of(last_name(node), kind.role)


def find_unread_optimizer(load: Call) -> Answer[str] | None:
    """The optimizer that a function which restores a model is handed as well, and never reads.

    Returns:
        The name of the parameter; corroborated where a schedule that it is handed next to it is restored.
    """
    names = [p.name for p in load.function.parameters]
    read = {n.id for s in load.function.body for n in walk(s) if isinstance(n, ast.Name)}
    unread = [n for n in names if n not in read and name_evidence(n, Role.OPTIMIZER) is Evidence.CONVENTIONAL]
    if len(unread) != 1 or load.function.is_body:
        return None
    restored = [receiver_name(c) for c in load.function.calls if last_name(c.func) == "load_state_dict"]
    schedules = any(n in names and speaks_of(n, Role.SCHEDULE) for n in restored)
    return Answer(unread[0], Evidence.CONVENTIONAL, (load.site,), corroborated=schedules)


def _is_load_state_dict_method(scope: Scope) -> bool:
    """Is it the method of a wrapper that hands a state on, which restores nothing until somebody calls it?"""
    return isinstance(scope, FunctionScope) and scope.name == "load_state_dict" and scope.owner is not None


def _has_loads_in_other_branch(node: Node, scope: Scope) -> bool:
    """Does a call that restores everything stand on another branch than the states that are restored one by one?"""
    if not isinstance(scope, FunctionScope):
        return False
    for test in walk(scope.node):
        if isinstance(test, ast.If) and test.orelse:
            for own, other in ((test.body, test.orelse), (test.orelse, test.body)):
                if any(n is node for s in own for n in walk(s)):
                    loads = (n for s in other for n in walk(s) if isinstance(n, ast.Call))
                    return any(last_name(n.func) == "load_state_dict" for n in loads)
    return False


def _attributes_bound_to(made: Call) -> list[str]:
    """The attributes that a construction is bound to, among other things perhaps."""
    places = made.function.bindings.items()
    return [name for name, found in places if name.startswith("self.") and any(b.value is made.node for b in found)]


def find_state_never_restored(module: ModuleView, kind: Stateful) -> Call | None:
    """The state of what is called an optimizer, or a schedule, that a dictionary saves, where nothing in the project
    restores one, nor gives a schedule the point to continue from."""
    values = [v for node in module.module.body.nodes_of(ast.Dict) for v in node.values]
    kept = {id(v.body if isinstance(v, ast.IfExp) else v) for v in values}
    for state in module.calls("state_dict"):
        name = receiver_name(state.node)
        if id(state.node) not in kept or not speaks_of(name, kind.role):
            continue
        if kind is Stateful.SCHEDULE and (speaks_of(name, Role.OPTIMIZER) or _sets_last_epoch(module)):
            continue
        holders = [c for c in module.calls() if c.last_name and c.callee.is_unknown]
        given = {last_name(a) for c in holders for a in (*c.node.args, *(k.value for k in c.node.keywords))}
        if name not in given and any(module.project.calls_named("save")) and not is_restored(module, kind, None):
            return state
    return None


def _sets_last_epoch(module: ModuleView) -> bool:
    """Is a schedule told the epoch: `last_epoch=start`, `schedule.last_epoch = start`, `schedule.step(epoch)`?"""
    if module.module.source is None or module.module.source.holds("last_epoch"):
        return True
    ticks = [c for c in module.calls("step") if speaks_of(receiver_name(c.node), Role.SCHEDULE)]
    plain = [a for c in ticks for a in c.node.args if not isinstance(a, ast.Subscript)]  # no `log_of_epoch["loss"]`
    given = (n for a in plain for n in walk(a) if isinstance(n, (ast.Name, ast.Attribute)))
    return not ticks or any(unit_by_name(last_name(n)) in (Role.EPOCHS, Role.STEPS) for n in given)


def is_lost(module: ModuleView, kind: Stateful, made: Call) -> Answer[bool]:
    """Whether the run goes on otherwise without the state of an object that nothing restores; perhaps not without that
    of a `StepLR`, which is saved nowhere: its rate may be that of the optimizer, which is restored."""
    is_kept = saves_state_of_kind(module, kind) or not is_restored(module, Stateful.OPTIMIZER, None)
    return proven_unless(not is_kept and made.value.instance_of(_STEPWISE), True, made.site)


def _is_configuration(node: Node) -> bool:
    """Is it a configuration, also the one that a checkpoint holds: `self.config`, `checkpoint["config"]`?"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value) in ("config", "args", "cfg", "opt", "options")
    return is_settings_name(node)


def may_be_restored_by_unknown(module: ModuleView, kind: Stateful, made: Call) -> bool:
    """Does an unknown call get such an object, and perhaps restore it?"""
    bound = {b.name for b in bindings_of(made.node, made.function)}
    names = {last_part(name) for name in bound}
    for call in module.calls():
        if names and names.isdisjoint(map(last_name, (*call.node.args, *(k.value for k in call.node.keywords)))):
            continue
        if isinstance(call.node.func, ast.Call) and last_name(call.node.func.func) == "getattr":
            continue  # a class that is chosen by its name: a schedule of the optimizer
        if call.callee.is_unknown and any(a.value.instance_of(kind.value) for a in call.arguments):
            if not _is_in_resumed_loop(call):
                return True
    return False


def _is_in_resumed_loop(call: Call) -> bool:
    """Does a call stand in the loop that goes on, where no state is read back: `for epoch in range(start, 90):`?"""
    for run in call.function.loops:
        last = run.node.end_lineno or 0
        if isinstance(run.node, (ast.For, ast.While)) and run.node.body[0].lineno <= call.node.lineno <= last:
            head = run.node.iter if isinstance(run.node, ast.For) else run.node.test
            if isinstance(run.node, ast.While) or any(
                isinstance(n, ast.Call) and last_name(n.func) in ("range", "trange") and len(n.args) > 1
                for n in walk(head)
            ):
                return True
    return False


# ----------------------------------------------------------------------------------------------------- averaged weights
