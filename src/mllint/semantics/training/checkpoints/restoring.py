"""What is saved of a run, and what of it is read back?

    torch.save({"model": net.state_dict(), "epoch": epoch}, "last.pt")     # `lacks(save, OPTIMIZER)`
    optimizer.load_state_dict(state["optimizer"])                          # `is_restored(module, OPTIMIZER, made)`

Asked about optimizers and schedules, which have a state besides the weights: where they are built (`made_here`,
`find_outer_constructions`), whether that state is worth keeping (`has_resumable_state`), whether anything loads it
(`is_restored`), and whether a call of `save` leaves it out (`lacks_state_of_kind`).

A schedule that a loop steps forward to where it stopped misses no state. What makes it unknown, and so restored: a loop
or a helper that loads into whatever it is given, unless all that it is given is known; a call that restores everything
(`accelerator.load_state`); something unknown that is handed the object (`may_be_restored_by_unknown`).
`accelerator.prepare` restores nothing.

Deliberately not done: keys of the saved and the loaded dictionary are not compared.

Averaged weights that follow a model from step to step are part of a run, too (`find_unsaved_averages`): an object that
is built of the model's parameters by a class that says what it is, and updated in the loop. Where it is used for
anything that may store it, handed to something unknown, or part of a model, nothing is said.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ModuleView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.words import last_part, words
from mllint.semantics.training.checkpoints.resuming import OPTIMIZER, ROLES, SCHEDULER, is_progress_key, receiver_name
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.optimizers.constructions import keeps_state
from mllint.semantics.training.roles import Role, name_evidence, speaks_of, unit_by_name
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import bindings_of, origins, statements
from mllint.semantics.values.settings import is_settings_name
from mllint.semantics.values.values import ClassValue, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import Scope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "are_unrelated", "find_outer_constructions", "find_state_never_restored", "find_unread_optimizer",
    "find_unsaved_averages", "has_resumable_state", "is_later_replacement", "is_lost", "is_restored",
    "is_run_by_other_scheduler", "lacks_state_of_kind", "made_here", "may_be_restored_by_unknown", "saves",
]  # fmt: skip


EXPONENTIAL = "torch.optim.lr_scheduler.ExponentialLR"
STEPWISE = "torch.optim.lr_scheduler.StepLR"
_STEPPING = frozenset(("step", "minimize", "prepare"))
_UPDATES = ("update", "update_parameters", "step", "update_average")
_STORES = frozenset("save saved dump checkpoint ckpt state store log pickle".split())


def made_here(module: ModuleView, kind: str) -> Iterator[Call]:
    """The constructions of optimizers, or of schedules, in the file."""
    for call in module.calls():
        name = call.last_name
        if name[:1].islower() and not _may_make(name):
            continue
        if isinstance(call.callee, ClassValue) and call.callee.is_class(kind):
            yield call


def _may_make(name: str) -> bool:
    """May a name in small letters stand for a class of optimizers or schedules: `opt_cls(...)`? Asked for speed."""
    return speaks_of(name, Role.OPTIMIZER, Role.SCHEDULE) or not {"cls", "class"}.isdisjoint(words(name))


def find_outer_constructions(module: ModuleView, kind: str) -> list[Call]:
    """The constructions, in other files, of the one optimizer that is stepped in a file which builds none."""
    found: dict[int, Call] = {}
    for step in module.calls("step"):
        if speaks_of(receiver_name(step.node), ROLES[kind]) and step.receiver is not None:
            for value in step.receiver.alternatives:
                built = value.built_with if value.instance_of(kind) else None
                if built is None or not isinstance(built.node, ast.Call):
                    return []
                found[id(built.node)] = Call(built.node, built.frame)
    return [] if len(found) > 1 or any(map(is_passed_to_unknown, found.values())) else list(found.values())


def is_passed_to_unknown(made: Call) -> bool:
    """Does an unknown call get the object where it is built?"""
    bound = {b.name for b in bindings_of(made.node, made.function)}
    for node in made.function.calls:
        given = (*node.args, *(k.value for k in node.keywords))
        if any(place(a) in bound for a in given) and Call(node, made.frame).callee.is_unknown:
            return True
    return not bound


def is_run_by_other_scheduler(call: Call, kind: str) -> bool:
    """Is a schedule handed to one that runs it, and keeps its state?"""
    if kind != SCHEDULER:
        return False
    names = {b.name for b in bindings_of(call.node, call.function)}
    for node in call.function.calls:
        inside = [n for a in (*node.args, *(k.value for k in node.keywords)) for n in walk(a)]
        if node is not call.node and any(n is call.node or place(n) in names for n in inside):
            if Call(node, call.frame).callee.is_class(SCHEDULER):
                return True
    return False


def has_resumable_state(call: Call, kind: str, module: ModuleView) -> bool:
    """Has it a state that a resumed run needs?"""
    value = call.value
    if kind == OPTIMIZER:
        return keeps_state(value) and _may_step(call)
    if any(name.endswith(".last_epoch") for scope in call.module.functions for name in scope.bindings):
        return False  # it is set by hand
    if value.instance_of(EXPONENTIAL) and is_restored(module, OPTIMIZER, None):
        return False  # goes on from the rate that the state of the optimizer holds
    return (
        constructor_argument(value, "last_epoch") is None
        and not is_rebuilt_with_last_epoch(call)
        and is_stepped_without_epoch(call)
    )


def _may_step(made: Call) -> bool:
    """May anybody take a step with an optimizer: its file, or what it is handed to? Without one it has no state."""
    names = {last_part(n) for n, found in made.function.bindings.items() if any(b.value is made.node for b in found)}
    kept = not names or any("." in n for n in made.function.bindings if last_part(n) in names)
    if kept or not _STEPPING.isdisjoint(made.module.calls_by_name):
        return True  # an attribute may be stepped anywhere
    given = (
        c for c in made.function.calls if any(n in names for a in all_arguments(c) for n in map(last_name, walk(a)))
    )
    calls = [Call(c, made.frame) for c in given if c is not made.node]
    return any(not c.callees or any(not _STEPPING.isdisjoint(f.module.calls_by_name) for f in c.callees) for c in calls)


def is_rebuilt_with_last_epoch(call: Call) -> bool:
    """Is the schedule replaced by one that is given the point to continue from?"""
    found = [bindings for bindings in call.function.bindings.values() if any(b.value is call.node for b in bindings)]
    built = (b.value for bindings in found for b in bindings if isinstance(b.value, ast.Call))
    return any(k.arg == "last_epoch" for other in built for k in other.keywords)


def is_stepped_without_epoch(call: Call) -> bool:
    """Is the schedule advanced without being given the epoch?"""
    ticks = [
        Call(node, call.frame)
        for node, scope in call.module.calls_by_name.get("step", ())
        if not are_unrelated(call.function, scope)
        and (speaks_of(receiver_name(node), Role.SCHEDULE) or _is_on(node, scope, SCHEDULER, call.project))
    ]
    return bool(ticks) and not any(c.arguments or _is_in_catch_up_loop(c) for c in ticks)


def _is_in_catch_up_loop(tick: Call) -> bool:
    """Does a loop do nothing but advance the schedule: `for _ in range(start): schedule.step()`?"""
    loops = (s for s in statements(tick.function) if isinstance(s, (ast.For, ast.While)))
    bodies = ([getattr(s, "value", None) for s in loop.body] for loop in loops)
    return any(b[-1] is tick.node and all(last_name(getattr(n, "func", None)) == "step" for n in b) for b in bodies)


def _is_on(node: ast.Call, scope: Scope, kind: str, project: Project) -> bool:
    """Is a method called on an object of a kind, whatever it is called?"""
    receiver = Call(node, project.frame(scope)).receiver if isinstance(scope, FunctionScope) else None
    return receiver is not None and receiver.instance_of(kind)


def is_later_replacement(made: Call, first: Call) -> bool:
    """Is it built later in the run, in place of another one: an optimizer with a lower rate?"""
    if made.node is first.node or made.function is not first.function or made.node.lineno < first.node.lineno:
        return False
    bindings = made.function.bindings.values()
    return any(
        any(b.value is made.node for b in found) and any(b.value is first.node for b in found) for found in bindings
    )


def are_unrelated(one: FunctionScope, other: Scope) -> bool:
    """Are they methods of two classes that are no ancestors of each other? `self.scheduler` is then another object."""
    first, second = one.owner, other.owner if isinstance(other, FunctionScope) else None
    if first is None or second is None or first is second:
        return False
    return first not in mro(second) and second not in mro(first)


def is_restored(module: ModuleView, kind: str, made: Call | None) -> bool:
    """Is the state of an object, of the only one if it is not given, loaded anywhere, or read from what was loaded?"""
    inside: set[int] = set()
    named = module.project.calls_named("load_state_dict")
    loads = [(node, scope) for node, scope in named if not is_load_state_dict_method(scope)]
    plain = all(speaks_of(receiver_name(node), Role.MODEL) for node, _ in loads)
    for node, scope in loads if plain else named:
        name = place(node.func)
        if name is None:
            return True
        if not speaks_of(receiver_name(node), ROLES[kind]) and not _is_on(node, scope, kind, module.project):
            if may_stand_for_kind(node, scope, kind, module.project):
                return True
            continue
        if made is None or not isinstance(scope, FunctionScope):
            return True
        receiver = Call(node, module.project.frame(scope)).receiver
        owner = name.rpartition(".")[0]
        if receiver is None or made.value.same_as(receiver) is not False or owner in attributes_bound_to(made):
            return True
        if any(v.built_with is not None and v.built_with.node is made.node for v in receiver.alternatives):
            return True  # built by a method of its own, which hands it back
        inside |= {id(n) for n in walk(node)}  # the state of another one
    for word in ("load_state", "load_checkpoint"):
        for node, scope in module.project.calls_named(word):
            callees = Call(node, module.project.frame(scope)).callees if isinstance(scope, FunctionScope) else []
            if not node.args and not node.keywords:
                continue  # told of no file, and of no optimizer
            if (not callees or any(f.stubbed for f in callees)) and not has_loads_in_other_branch(node, scope):
                return True
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and speaks_of(str(node.slice.value), ROLES[kind])
        and not is_configuration(node.value)
        for node in walk(module.module.body.node)
        if isinstance(getattr(node, "ctx", None), ast.Load) and id(node) not in inside
    )


def may_stand_for_kind(node: Node, scope: Scope, kind: str, project: Project) -> bool:
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


def _may_iterate_over(kind: str, source: Node, scope: FunctionScope, project: Project) -> bool:
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


def _may_give(kind: str, node: Node, frame: Frame) -> bool:
    """May an argument be an object of a kind: is it one, or called so?"""
    return evaluate(node, frame).instance_of(kind) or speaks_of(last_name(node), ROLES[kind])


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


def is_load_state_dict_method(scope: Scope) -> bool:
    """Is it the method of a wrapper that hands a state on, which restores nothing until somebody calls it?"""
    return isinstance(scope, FunctionScope) and scope.name == "load_state_dict" and scope.owner is not None


def has_loads_in_other_branch(node: Node, scope: Scope) -> bool:
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


def attributes_bound_to(made: Call) -> list[str]:
    """The attributes that a construction is bound to, among other things perhaps."""
    places = made.function.bindings.items()
    return [name for name, found in places if name.startswith("self.") and any(b.value is made.node for b in found)]


def find_state_never_restored(module: ModuleView, kind: str) -> Call | None:
    """The state of what is called an optimizer, or a schedule, that a dictionary saves, where nothing in the project
    restores one, nor gives a schedule the point to continue from."""
    values = [v for node in walk(module.module.body.node) if isinstance(node, ast.Dict) for v in node.values]
    kept = {id(v.body if isinstance(v, ast.IfExp) else v) for v in values}
    for state in module.calls("state_dict"):
        name = receiver_name(state.node)
        if id(state.node) not in kept or not speaks_of(name, ROLES[kind]):
            continue
        if kind == SCHEDULER and (speaks_of(name, Role.OPTIMIZER) or sets_last_epoch(module)):
            continue
        holders = [c for c in module.calls() if c.last_name and c.callee.is_unknown]
        given = {last_name(a) for c in holders for a in (*c.node.args, *(k.value for k in c.node.keywords))}
        if name not in given and any(module.project.calls_named("save")) and not is_restored(module, kind, None):
            return state
    return None


def sets_last_epoch(module: ModuleView) -> bool:
    """Is a schedule told the epoch: `last_epoch=start`, `schedule.last_epoch = start`, `schedule.step(epoch)`?"""
    if module.module.source is None or module.module.source.holds("last_epoch"):
        return True
    ticks = [c for c in module.calls("step") if speaks_of(receiver_name(c.node), Role.SCHEDULE)]
    plain = [a for c in ticks for a in c.node.args if not isinstance(a, ast.Subscript)]  # no `log_of_epoch["loss"]`
    given = (n for a in plain for n in walk(a) if isinstance(n, (ast.Name, ast.Attribute)))
    return not ticks or any(unit_by_name(last_name(n)) in (Role.EPOCHS, Role.STEPS) for n in given)


def is_lost(module: ModuleView, kind: str, made: Call) -> Answer[bool]:
    """Whether the run goes on otherwise without the state of an object that nothing restores; perhaps not without that
    of a `StepLR`, which is saved nowhere: its rate may be that of the optimizer, which is restored."""
    is_kept = saves_state_of_kind(module, kind) or not is_restored(module, OPTIMIZER, None)
    return proven_unless(not is_kept and made.value.instance_of(STEPWISE), True, made.site)


def saves_state_of_kind(module: ModuleView, kind: str) -> bool:
    """Is the state of such an object put into what is saved?"""
    states = module.calls("state_dict")
    return any(speaks_of(receiver_name(c.node), ROLES[kind]) for c in states)


def is_configuration(node: Node) -> bool:
    """Is it a configuration, also the one that a checkpoint holds: `self.config`, `checkpoint["config"]`?"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value) in ("config", "args", "cfg", "opt", "options")
    return is_settings_name(node)


def may_be_restored_by_unknown(module: ModuleView, kind: str, made: Call) -> bool:
    """Does an unknown call get such an object, and perhaps restore it?"""
    bound = {b.name for b in bindings_of(made.node, made.function)}
    names = {last_part(name) for name in bound}
    for call in module.calls():
        if names and names.isdisjoint(map(last_name, (*call.node.args, *(k.value for k in call.node.keywords)))):
            continue
        if isinstance(call.node.func, ast.Call) and last_name(call.node.func.func) == "getattr":
            continue  # a class that is chosen by its name: a schedule of the optimizer
        if call.callee.is_unknown and any(a.value.instance_of(kind) for a in call.arguments):
            if not is_in_resumed_loop(call):
                return True
    return False


def is_in_resumed_loop(call: Call) -> bool:
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


def saves(module: ModuleView) -> Iterator[Call]:
    """The calls of `save` in a file, and in the functions of other files that it calls by name; where such a function
    saves what it is handed, the calls of it."""
    yield from module.calls("save")
    for node, scope in module.project.calls_named("save"):
        called = isinstance(scope, FunctionScope) and scope.name in module.module.calls_by_name
        if not called or not isinstance(scope, FunctionScope) or scope.module is module.module:
            continue
        if scope.parameters and node.args and place(node.args[0]) == scope.parameters[0].name:
            yield from module.calls(scope.name)
        else:
            yield Call(node, module.project.frame(scope))


def lacks_state_of_kind(save: Call, kind: str, *, averages: bool = False) -> bool:
    """Does it save a dict of a model's state and the progress, without the state of such an object?"""
    saved = save.arguments[0] if save.arguments else None
    if saved is None:
        return False
    found = list(origins(saved.node, saved.frame))
    states = [
        place(o.node.func.value) or ""
        for o in found
        if isinstance(o.node, ast.Call) and isinstance(o.node.func, ast.Attribute) and o.node.func.attr == "state_dict"
    ]
    keys: list[Node] = [k for o in found if isinstance(o.node, ast.Dict) for k in o.node.keys]
    made = (o.node for o in found if isinstance(o.node, ast.Call) and last_name(o.node.func) == "dict")
    keys += [ast.Constant(value=k.arg) if k.arg else None for c in made for k in c.keywords]
    plain = all(isinstance(k, ast.Constant) for k in keys) and not any(isinstance(o.node, ast.DictComp) for o in found)
    held = not averages and (
        any(speaks_of(s, ROLES[kind]) for s in states) or any(o.value.instance_of(kind) for o in found)
    )
    return plain and bool(states) and any(is_progress_key(k) for k in keys) and not held


# ----------------------------------------------------------------------------------------------------- averaged weights
def find_unsaved_averages(module: ModuleView) -> Iterator[Call]:
    """The constructions of averages in a file that are updated in a loop, and that nothing stores."""
    for call in module.calls():
        if not _is_average_name(call.last_name) or not (call.node.args or call.node.keywords):
            continue
        bound = [b.name for b in bindings_of(call.node, call.function)]
        if len(bound) != 1 or not _is_average(call):
            continue
        name = bound[0]
        owner = call.function.owner
        if name.startswith("self.") and (owner is None or _is_module(call)):
            continue
        if _is_updated(name, module) and not _may_be_stored(name.rpartition(".")[2], module):
            yield call


def _is_average_name(name: str) -> bool:
    """Does a class say that it averages (`EMAHelper`, `ModelEmaV2`)? `Schema` and `Semantics` do not."""
    return speaks_of(name, Role.AVERAGED_MODEL) or words(name) == ("exponential", "moving", "average")


def _is_average(call: Call) -> bool:
    """Is it built of a class, and not by a function whose name says so?"""
    callee = call.callee
    return isinstance(callee, ClassValue) or (isinstance(callee, UnknownValue) and call.last_name[:1].isupper())


def _is_module(call: Call) -> bool:
    """Is it an attribute of a model, which saves it with its own weights?"""
    return call.function.owner is not None and any(
        last_name(b) not in ("object", "ABC") for b in call.function.owner.node.bases
    )


def _is_updated(name: str, module: ModuleView) -> bool:
    calls = (c for word in _UPDATES for c in module.calls(word))
    return any(isinstance(c.node.func, ast.Attribute) and place(c.node.func.value) == name for c in calls)


def _may_be_stored(name: str, module: ModuleView) -> bool:
    """May an average be stored, by what is done with its name in any file of the project?"""
    for other in module.project.modules:
        if other.source.holds(name) and any(_may_store(n, name) for n in walk(other.body.node)):
            return True
    return False


def _may_store(node: Node, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr=word)) if not _STORES.isdisjoint(
            words(word)
        ) and _mentions_name(base, name):
            return True
        case ast.Call(func=func):
            given = (*node.args, *(k.value for k in node.keywords))
            handed = any(last_name(a) == name for a in given)
            return handed or (
                bool(not _STORES.isdisjoint(words(last_name(func)))) and any(_mentions_name(a, name) for a in given)
            )
        case ast.Dict():
            return any(_mentions_name(v, name) for v in node.values)
        case ast.List() | ast.Tuple():
            return isinstance(node.ctx, ast.Load) and any(last_name(e) == name for e in node.elts)
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return speaks_of(key, Role.AVERAGED_MODEL) or _mentions_name(getattr(node, "value", None), name)
        case ast.Assign(value=value):
            return last_name(value) == name if isinstance(value, (ast.Name, ast.Attribute)) else False
        case ast.Return(value=value):
            return value is not None and last_name(value) == name
    return False


def _mentions_name(node: Node, name: str) -> bool:
    names = (n for n in walk(node) if isinstance(n, (ast.Name, ast.Attribute)))
    return any((n.id if isinstance(n, ast.Name) else n.attr) == name for n in names)
