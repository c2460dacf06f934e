"""Which optimizer is cleared, whose is a backward, and can a step be where the flow does not see it?

    optimizer.zero_grad()                 # `find_cleared_optimizer`: the optimizer itself, or the only one of the model
    loss.backward()
    engine(optimizer)                     # `may_be_stepped_elsewhere`: something unknown has it, so nothing is claimed

A step may hide in an unknown call, or in a method of a related class that nothing in the flow calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow, is_inside
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, Creates, Unknown
from mllint.semantics.flow.views import Call, shown
from mllint.semantics.libraries.classes import MODULE, OPTIMIZER, SCHEDULER
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import has_unknown_ancestor, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import bindings_of
from mllint.semantics.values.values import (
    ModuleValue,
    Value,
    union,
)

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "calls_of_step", "find_cleared_optimizer", "find_forgotten_optimizer", "find_never_stepped_backward",
    "find_only_cleared_optimizers", "find_unread_optimizers", "is_in_custom_optimizer", "is_in_error_handler",
    "is_of_its_class", "is_on_other_object", "may_be", "may_be_stepped_elsewhere", "may_step_optimizer",
    "receives_optimizer", "serves_other_optimizer",
]  # fmt: skip

_ASIDE = frozenset(("param_groups", "state_dict", "load_state_dict"))
_NONE: frozenset[ClassScope] = frozenset()


def find_cleared_optimizer(flow: Flow, clear: Event) -> Value | None:
    """The optimizer whose gradients are cleared: directly, or the only one for the model that is cleared."""
    if clear.subject.instance_of(OPTIMIZER):
        return clear.subject
    if not clear.subject.instance_of(MODULE):
        return None
    made = [e for e in flow.events(Creates) if e.subject.instance_of(OPTIMIZER)]
    made = [e for e in made if e.concerns(clear) is not False]
    if not made or not all(e.concerns(clear) for e in made):
        return None
    return union([e.subject for e in made]) if len({_binding_of_construction(e) for e in made}) == 1 else None


def is_of_its_class(clear: Event, optimizer: Value | None) -> bool:
    """Is it an optimizer that the class of a method has built for its objects, and clears before a backward of the same
    method: one update of it, however often somebody calls the method?"""
    owner = _owning_class(clear)
    if owner is None or optimizer is None or clear.function.name == "__init__":
        return False
    if clear.function.called_names.isdisjoint(("backward", "manual_backward")):
        return False
    sites = [v.site for v in optimizer.alternatives]
    return bool(sites) and all(
        s is not None and s.module is owner.module and is_within(s.node, owner.node) for s in sites
    )


def _owning_class(event: Event) -> ClassScope | None:
    """The class of the method that an event happens in, or in a function that it calls, as where it hands its object
    to one."""
    frame: Frame | None = event.frame
    while frame is not None and frame.function.owner is None:
        frame = frame.caller[0] if frame.caller is not None else None
    return frame.function.owner if frame is not None else None


def find_unread_optimizers(flow: Flow) -> Iterator[tuple[Event, str]]:
    """The optimizers that are built for a variable of a function that nothing reads, but for their state or rate."""
    for made, name, uses in _of_variables(flow):
        if not uses - _ASIDE:
            yield made, name


def find_only_cleared_optimizers(flow: Flow) -> Iterator[tuple[Event, str]]:
    """Those that a function builds for a variable and then only clears, next to another one that it steps."""
    for made, name, uses in _of_variables(flow):
        if "zero_grad" in uses and not uses - _ASIDE - {"zero_grad"}:
            if "step" in made.function.called_names and not made.loops:
                yield made, name


def _of_variables(flow: Flow) -> Iterator[tuple[Event, str, set[str]]]:
    """The optimizers that are bound once, to a variable of a function that runs no text as code, which may ask for
    anything, and what is asked of them; "" is anything."""
    for made in flow.events(Creates):
        function = made.function
        if not made.subject.instance_of(OPTIMIZER) or "exec" in function.called_names:
            continue
        name = next((b.name for b in bindings_of(made.call, function)), "") if not function.is_body else ""
        if name.isidentifier() and len(function.bindings[name]) == 1:
            yield made, name, _asked_of(function).get(name, set())


@cached_per_scope(local=True)
def _asked_of(function: FunctionScope) -> dict[str, set[str]]:
    """What a function reads of each name, `step` of `optimizer.step()`; "" is the name itself, and "param_groups" what
    a schedule that is built on it sets."""
    attributes = {id(n.value): n.attr for n in function.nodes_of(ast.Attribute)}
    scheduled = (c for c in function.calls if roles.has_role_name(last_name(c.func), Role.SCHEDULE))
    attributes |= {id(a): "param_groups" for c in scheduled for a in all_arguments(c) if isinstance(a, ast.Name)}
    found: dict[str, set[str]] = {}
    for node in function.nodes_of(ast.Name):
        if isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, set()).add(attributes.get(id(node), ""))
    return found


def _binding_of_construction(made: Event) -> tuple[int, str]:
    """The function and the place that a new object is bound to; the object itself where it is bound to none."""
    for binding in bindings_of(made.call, made.function):
        return id(made.function), binding.name
    return made.index, ""


def may_step_optimizer(call: Call) -> bool:
    """May a call of `step` be about an optimizer: is it not on a schedule, an environment, a profiler?"""
    receiver = call.receiver
    schedule = receiver is not None and receiver.instance_of(SCHEDULER)
    return not schedule and not roles.has_other_step(call.text)


def may_be_stepped_elsewhere(flow: Flow, clear: Event) -> bool:
    """Can a step happen where the flow does not see it: in an unknown call, or in a method of a related class?"""
    for event in flow.events(Unknown):
        if receives_optimizer(event, clear.subject) or (
            event.option == "step" and not roles.has_other_step(shown(event))
        ):
            return True
    if any(_is_getattr_on_object(call, clear) for call in clear.function.calls):
        return True
    place = shown(clear).partition(".zero_grad")[0]
    return any(may_be(Call(*found), place, clear) for found in calls_of_step(flow, place.rpartition(".")[2]))


def receives_optimizer(event: Event, optimizer: Value) -> bool:
    """Does something unknown get hold of an optimizer itself, or of what keeps it? A model does not."""
    given = (v.identities | v.all_graph if v.has("Holds") else v.identities for v in (event.subject, *event.others))
    return any(optimizer.identities & ids for ids in given)


def serves_other_optimizer(flow: Flow, backward: Event, step: Event) -> bool:
    """Is the backward that comes before a step applied by another optimizer, as a generator's is?"""
    others = (s for s in flow.events(AppliesGrad) if s.concerns(backward) is not False)
    apart = (s for s in others if s.subject.same_as(step.subject) is False)
    return any(flow.path(backward, to=s, avoiding=ClearsGrad.concerning(s), back=False) for s in apart)


def _is_getattr_on_object(call: ast.Call, clear: Event) -> bool:
    """Is it `getattr(optimizer, word)`, and not `getattr(torch.optim, word)`?"""
    return (
        last_name(call.func) == "getattr"
        and bool(call.args)
        and not isinstance(evaluate(call.args[0], clear.frame), ModuleValue)
    )


def calls_of_step(flow: Flow, last: str) -> Iterator[tuple[Node, Node]]:
    """The calls of `step` in the project on a place with this last name, with their frames."""
    project = flow.frame.project
    for node, scope in project.calls_named("step"):
        if isinstance(scope, FunctionScope) and (not last or last in text(scope.module, node.func, 200).split(".")):
            yield node, project.frame(scope)


def may_be(call: Call, place: str, clear: Event, optimizer: Value | None = None) -> bool:
    """Can a call of `step` be about the optimizer that is cleared?"""
    receiver = call.receiver
    if receiver is None or "." not in place:
        same = receiver.same_as(optimizer or clear.subject) if receiver is not None else None
        return same is True or (same is None and call.module is clear.site.module)
    if _are_built_apart(receiver, optimizer or clear.subject):
        return False
    mine, owner = _class_of_object(place.partition(".")[0], clear.frame), call.function.owner
    if mine is None or owner is None or call.name != f"{place}.step":
        return True  # also that of another object: `self.model.optimizer.step()`
    return not _is_overridden(call.function, mine) and (owner in mro(mine) or mine in mro(owner))


def _class_of_object(name: str, frame: Frame) -> ClassScope | None:
    """The class of the object that a name of a function stands for: of its method, or of the one that hands itself
    over."""
    while frame.function.owner is None:
        if frame.caller is None or not isinstance(frame.caller[1], ast.Call):
            return None
        given = bind(frame.function, frame.caller[1], frame.caller[0])[0].get(name)
        if not isinstance(given, Passed) or not isinstance(given.node, ast.Name):
            return None
        name, frame = given.node.id, given.frame
    return frame.function.owner if name == "self" else None


def _are_built_apart(one: Value, other: Value) -> bool:
    """Are both optimizers whose constructions are seen, each in another place?"""
    built = [[v.site for v in value.alternatives if v.instance_of(OPTIMIZER)] for value in (one, other)]
    if any(len(sites) < len(v.alternatives) or None in sites for sites, v in zip(built, (one, other), strict=True)):
        return False
    nodes = [{id(site.node) for site in sites if site is not None} for sites in built]
    return nodes[0].isdisjoint(nodes[1])


def find_never_stepped_backward(flow: Flow, clear: Event) -> Event | None:
    """The backward after a clear of an optimizer that is known by its name alone, if no `step` in the project may be
    about it: not one on a place of that name, on one that may be any optimizer, nor in what it is handed to."""
    func = clear.call.func if isinstance(clear.call, ast.Call) else None
    receiver = func.value if isinstance(func, ast.Attribute) else None
    name = last_name(receiver) if isinstance(receiver, (ast.Name, ast.Attribute)) else ""
    if not roles.has_role_name(name, Role.OPTIMIZER) or _is_passed_on(name, clear):
        return None
    project = flow.frame.project
    for node, scope in project.calls_named("step"):
        if isinstance(scope, FunctionScope) and is_on_other_object(
            node, scope, _place_of_receiver(clear), clear.function
        ):
            continue
        base = node.func.value if isinstance(node.func, ast.Attribute) else None
        other = last_name(base) if isinstance(base, (ast.Name, ast.Attribute)) else ""
        about = roles.has_role_name(other, Role.OPTIMIZER) and other != name and not _is_conventional(other)
        if not (about or (other and roles.has_other_step(other))):
            return None
    backwards = [b for b in flow.events(AccumulatesGrad) if b.loops == clear.loops and b.concerns(clear) is not False]
    near = (b for b in backwards if is_inside(b.frame, clear.frame) or _cleared_by_helper(b, clear))
    return next((b for b in near if flow.path(clear, to=b, back=False)), None)


def _cleared_by_helper(backward: Event, clear: Event) -> bool:
    """Does the function of a backward call one that clears, and give an optimizer, or its object, to nothing else?"""
    frame: Frame | None = clear.frame
    while frame is not None and frame.caller is not None and frame.caller[0] is not backward.frame:
        frame = frame.caller[0]
    if frame is None or frame.caller is None:
        return False
    calls = (c for c in backward.function.calls if c is not frame.caller[1])
    given = (a for c in calls if not roles.is_keeping_name(last_name(c.func)) for a in all_arguments(c))
    return not any(place(a) == "self" or roles.has_role_name(place(a) or "", Role.OPTIMIZER) for a in given)


def _is_conventional(name: str) -> bool:
    """May a place of this name be any optimizer: is it called `optimizer`, and nothing more?"""
    return roles.name_evidence(name, Role.OPTIMIZER) is Evidence.CONVENTIONAL


def _place_of_receiver(event: Event) -> str:
    """The place of what the call of an event is made on."""
    func = event.call.func if isinstance(event.call, ast.Call) else None
    return place(func.value) or "" if isinstance(func, ast.Attribute) else ""


def is_on_other_object(call: ast.Call, scope: FunctionScope, mine: str, function: FunctionScope) -> bool:
    """Is it a method of something that is certainly not at a place of a function, by where both are kept: a variable
    that its function builds, or trains with, or an attribute of an object of a class that has nothing to do with the
    other one?"""
    other = place(call.func.value) or "" if isinstance(call.func, ast.Attribute) else ""
    if _is_built(mine, function):
        return function not in _enclosing_functions(scope)
    if mine.isidentifier() and _is_training_optimizer(other, scope):
        return function not in _enclosing_functions(scope) and not _calls(scope, function)
    if not _is_self_attribute(mine) or function.owner is None:
        return False
    if _is_self_attribute(other) and _is_overridden(scope, function.owner):
        return True
    if _is_built(other, scope) or _is_training_optimizer(other, scope):
        return not _may_share_instance(scope.owner, function.owner, scope)
    return (
        _is_self_attribute(other)
        and scope.owner is not None
        and not _may_share_instance(scope.owner, function.owner, scope)
    )


def _calls(function: FunctionScope, other: FunctionScope) -> bool:
    """May one function call the other?"""
    return other.name in function.called_names


def _is_training_optimizer(name: str, function: FunctionScope) -> bool:
    """Is it a variable of a function that clears it, runs backward, and steps it?"""
    if not name.isidentifier() or "backward" not in function.called_names:
        return False
    called = {place(c.func) for c in function.calls}
    return f"{name}.zero_grad" in called and f"{name}.step" in called


def _enclosing_functions(function: FunctionScope) -> list[FunctionScope]:
    """A function and those that it is written in."""
    found: list[FunctionScope] = [function]
    while isinstance(found[-1].parent, FunctionScope) and not found[-1].parent.is_body:
        found.append(found[-1].parent)
    return found


def _is_built(name: str, function: FunctionScope) -> bool:
    """Is it a variable of a function that is only ever made there for parameters: `opt = factory(net.parameters())`?"""
    found = function.bindings.get(name, ()) if name.isidentifier() and not function.is_body else ()
    calls = [b.value for b in found if b.kind == "assign" and isinstance(b.value, ast.Call) and not b.path]
    return bool(found) and len(calls) == len(found) and all(_receives_parameters(call) for call in calls)


def _receives_parameters(call: ast.Call) -> bool:
    """Is something made for the parameters of a model?"""
    given = (*call.args, *(k.value for k in call.keywords))
    return any(isinstance(n, ast.Attribute) and n.attr in LISTS_PARAMETERS for a in given for n in walk(a))


def _is_self_attribute(name: str) -> bool:
    """Is it `self.optimizer`, or an attribute by another name?"""
    return name.startswith("self.") and name.count(".") == 1


def _may_share_instance(one: ClassScope | None, other: ClassScope, function: FunctionScope) -> bool:
    """May an object be of both classes: is one made from the other, or a third one of both?"""
    if one is None:
        return False
    if one in mro(other) or other in mro(one):
        return True
    derived = _derived(function.module.project)
    return not derived.get(one, _NONE).isdisjoint(derived.get(other, _NONE))


def _is_overridden(function: FunctionScope, owner: ClassScope) -> bool:
    """True if `function` is a method of a base of `owner`, whose objects run another one in its place, and never it."""
    replacement = method(owner, function.name)
    if function.owner is owner or function.owner not in mro(owner) or replacement in (None, function):
        return False
    related = (m for c in mro(owner) if isinstance(c, ClassScope) for m in c.methods.values())
    calls = (c.func for m in related for c in m.calls_to((function.name,)) if isinstance(c.func, ast.Attribute))
    return all(place(func.value) == "self" for func in calls)


@cached()
def _derived(project: Project) -> dict[ClassScope | str, set[ClassScope]]:
    """The classes of a project that have a class among those that they derive from, themselves included."""
    found: dict[ClassScope | str, set[ClassScope]] = {}
    for cls in (c for module in project.modules for c in module.classes):
        for base in mro(cls):
            found.setdefault(base, set()).add(cls)
    return found


def _is_passed_on(name: str, clear: Event) -> bool:
    """Is a place of that name given to anything in the function, or in another method of its class, or given back? If
    a loop walks through it in each iteration, only what is called in the loop counts."""
    owner = clear.function.owner
    leaving = [r.value for r in clear.function.returns if r.value is not None]
    managed = clear.function.decorated("contextmanager")
    if any(scope.yields for scope in clear.function.nested() if not (managed and scope is clear.function)):
        return True  # whoever draws from it steps
    if any(last_name(n) == name for r in leaving for n in walk(r) if isinstance(n, (ast.Name, ast.Attribute))):
        return True
    whole = owner is not None and not _is_built(name, clear.function)
    scopes = _methods_and_inherited(owner) if owner is not None and whole else clear.function.nested()
    seen = owner is None or not has_unknown_ancestor(owner)
    for call in (c for scope in scopes if isinstance(scope, FunctionScope) for c in scope.calls):
        given, called = (*call.args, *(k.value for k in call.keywords)), last_name(call.func)
        if not given or roles.is_keeping_name(called) or called == clear.function.name:
            continue  # for its state; or to the very function that clears it
        if seen and called == "__init__" and _is_of_base(call):
            continue  # to another constructor of the same object, whose methods are seen as well
        if any(last_name(n) == name for a in given for n in walk(a) if isinstance(n, (ast.Name, ast.Attribute))):
            if not (roles.has_role_name(called, Role.SCHEDULE) or _only_rescales(call)):
                return True  # neither sets its rate nor takes a scale out of its gradients
    return False


def _only_rescales(call: ast.Call) -> bool:
    """Is it `scaler.unscale_(optimizer)`?"""
    base = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "unscale_" else None
    return base is not None and roles.has_role_name(last_name(base), Role.SCALER)


def _methods_and_inherited(owner: ClassScope) -> Iterator[FunctionScope]:
    """The methods of a class of the project, and of those that it derives from."""
    for cls in mro(owner):
        if not isinstance(cls, str) and not cls.module.is_stub:
            yield from cls.methods.values()


def _is_of_base(call: ast.Call) -> bool:
    """Is it `super().__init__(...)`?"""
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def find_forgotten_optimizer(flow: Flow, clear: Event) -> tuple[Event | None, str]:
    """The backward after a model clears itself, and the name of the optimizer that the function, or the one around it,
    is given and reads nowhere, but for its state, where nothing else in the function, or next to a call of it, takes a
    step."""
    function = clear.function
    home = function.parent if isinstance(function.parent, FunctionScope) and not function.parent.is_body else function
    given = [p for p in home.parameters if roles.has_role_name(p.name, Role.OPTIMIZER) and p.default is None]
    if len(given) != 1 or not _asked_of(home).get(given[0].name, set()) <= _ASIDE:
        return None, ""
    around = [function, *(s for _, s in flow.frame.project.calls_named(function.name) if isinstance(s, FunctionScope))]
    if home is not function:  # a step that is handed on: nobody calls it by its name
        around = [function, home]
    if any(_optimizes(f) for f in around) or any(is_inside(a.frame, clear.frame) for a in flow.events(AppliesGrad)):
        return None, ""
    near = (b for b in flow.events(AccumulatesGrad) if b.loops == clear.loops)
    backwards = (b for b in near if is_inside(b.frame, clear.frame))
    return next((b for b in backwards if flow.path(clear, to=b, back=False)), None), given[0].name


def _optimizes(function: FunctionScope) -> bool:
    """Is anything stepped in a function that may be an optimizer?"""
    calls = (c.func.value for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "step")
    return any(not roles.has_other_step(last_name(n)) for n in calls)


def is_in_custom_optimizer(step: Event) -> bool:
    """Is it a step in a method of what is an optimizer by its methods, so that it puts the gradients there itself?"""
    owner = step.function.owner
    if owner is None or step.function.name == "train" or not {"step", "zero_grad"} <= owner.methods.keys():
        return False
    return any(_may_access_gradients(n) for f in owner.methods.values() for n in walk(f.node))


def is_in_error_handler(step: Event) -> bool:
    """Is it a step in the handler of an error, which brings a scaler or an optimizer back to where it was?"""
    handlers = (node for _, node in step.function.handlers)
    return any(is_within(step.call, s) for node in handlers for s in node.body)


def _may_access_gradients(node: Node) -> bool:
    """May gradients be read, or put, where something is written: `p.grad`, `self.backward(loss)`?"""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("grad", "_grad", "setattr") or topics.is_about(name, Topic.DIFFERENTIATING)
