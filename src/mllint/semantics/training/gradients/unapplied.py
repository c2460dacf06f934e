"""Are gradients zeroed in each iteration, or an optimizer built, and no step ever taken?

An optimizer that is handed in may be stepped by the caller; but the caller sees only what the last iteration has left.
The form of one loop tells it (`find_unapplied_backwards`): it zeroes and fills the gradients in each iteration, and
between the backward and the next clear stands nothing that has the optimizer or the model in hand, or is called a step.

The class of a training loop may also build an optimizer that is never read (`find_unread_class_optimizers`):
`self.optimizer = Adam(...)` in the constructor, a `backward()` in the loop of a method, and no `step` before gradients
are cleared again, even if another optimizer takes steps. That the attribute is read nowhere in the project, other than
to clear it, for its state or its rate, or by a schedule, makes it sure; a base class that cannot be read may well read
it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, OwnsLoop
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER, SCHEDULER
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.names import is_argless_imported_call
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.gradients import stepping
from mllint.semantics.training.gradients.branches import are_in_different_branches, in_other_branches
from mllint.semantics.training.role_names import Activity, Role
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import has_unknown_ancestor, is_abstract_method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "find_steps_in_other_branch", "find_unapplied_backwards", "find_unread_class_optimizers", "is_update",
    "step_function",
]  # fmt: skip

_ASKING = frozenset("hasattr isinstance type id repr print".split())
_STEP = frozenset(("step",))
_BOTH = frozenset(("backward", "train"))
_ASIDE = frozenset("param_groups state_dict load_state_dict zero_grad add_param_group".split())
_DYNAMIC = frozenset("getattr vars setattr".split())


def find_unapplied_backwards(flow: Flow) -> Iterator[tuple[Event, Event, str]]:
    """(backward, clear, name of the optimizer) of such loops."""
    for clear in flow.events(ClearsGrad):
        func = clear.call.func if isinstance(clear.call, ast.Call) else None
        name = place(func.value) if isinstance(func, ast.Attribute) and func.attr == "zero_grad" else None
        run = clear.loops[-1] if clear.loops else None
        if name is None or run is None:
            continue
        names = _names_down_to(run, clear, name)
        if not any(roles.has_role_name(n, Role.OPTIMIZER) for n in names):
            continue
        if not _is_own_optimizer(names[0], run.frame.function):
            continue
        if any(
            s.function in (clear.function, run.frame.function) or _applies_cleared_gradients(s, clear, run)
            for s in flow.events(AppliesGrad)
        ):
            continue  # outside of the loop: another rule says so
        backward = _backward_of_iteration(flow, clear, run)
        if (
            backward is not None
            and not gradients.is_read_elsewhere(clear.function)
            and not _may_be_stepped_on_the_way(names, clear, backward, run)
            and (len(names) == 1 or not _may_object_step(names[0], clear, flow))
        ):
            yield backward, clear, name


def _may_object_step(name: str, clear: Event, flow: Flow) -> bool:
    """May another method of the object that has the optimizer step it, called by whoever the loop calls?"""
    found = stepping.calls_of_step(flow, name.rpartition(".")[2]) if name.startswith("self.") else ()
    return any(stepping.may_be(Call(*call), name, clear) for call in found)


def _names_down_to(run: LoopRun, clear: Event, name: str) -> list[str]:
    """What the optimizer is called in the function with the loop, and in each that it calls, down to the one that
    clears; empty where it is not known."""
    names, frame = [name], clear.frame
    while frame is not run.frame:
        if frame.caller is None or not isinstance(frame.caller[1], ast.Call):
            return []
        outer, call = frame.caller
        root, dot, rest = names[0].partition(".")
        given = bind(frame.function, call, outer)[0].get(root)
        if isinstance(given, Passed):
            root = place(given.node) or ""
        elif root != "self" or frame.function.owner is None or not _is_method_of_self(call):
            return []
        names.insert(0, root + dot + rest)
        frame = outer
    return names if all(names) else []


def _is_method_of_self(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and place(call.func.value) == "self"


def _may_be_stepped_on_the_way(names: list[str], clear: Event, backward: Event, run: LoopRun) -> bool:
    """May something take a step in a loop, or in the functions that it calls, down to the one that clears?"""
    if len(names) == 1:
        return _may_be_stepped_in_loop(names[0], clear, backward, run)
    frame, own = clear.frame, (clear.call, backward.call)
    lines: tuple[int, int] | None = (clear.site.line, backward.site.line)
    for name in reversed(names[1:]):
        nodes = _nodes_of_pass(backward, frame.function.node.body)
        if frame.caller is None or _may_be_stepped_among(nodes, name, own, lines, frame):
            return True
        frame, call = frame.caller
        own, lines = (call, call), None
    nodes = _nodes_of_pass(backward, run.node.body)
    return _leaves(run, nodes) or _may_be_stepped_among(nodes, names[0], own, lines, frame)


def find_steps_in_other_branch(flow: Flow) -> Iterator[tuple[Event, Event, Event, str]]:
    """(backward, clear, step, name of the optimizer) where a loop takes its steps in one branch, and has another
    backward in the other: `if amp: scaler.scale(loss).backward(); scaler.step(optimizer)`, `else: loss.backward()`."""
    steps = list(flow.events(AppliesGrad))
    under_test = [b for b in flow.events(AccumulatesGrad) if b.conditions] if steps else []
    if not under_test:
        return
    for clear in flow.events(ClearsGrad):
        func = clear.call.func if isinstance(clear.call, ast.Call) else None
        name = place(func.value) if isinstance(func, ast.Attribute) and func.attr == "zero_grad" else None
        run = clear.loops[-1] if clear.loops else None
        if name is None or run is None or run.frame is not clear.frame or clear.function.is_generator:
            continue
        backwards = [b for b in under_test if run in b.loops and b.frame is clear.frame]
        inside = [e for e in flow.events(AppliesGrad, ClearsGrad) if run in e.loops] if backwards else []
        for backward in backwards:
            others = [e for e in inside if e.kind == "applies_grad"]
            if not others or not all(are_in_different_branches(s, backward) for s in others):
                continue
            together = [e for e in inside if e.kind == "clears_grad" and not are_in_different_branches(e, backward)]
            if together == [clear] and all(s.concerns(clear) for s in others) and backward.concerns(clear) is not False:
                if _is_lost(flow, clear, backward, name):
                    yield backward, clear, others[0], name


def _is_lost(flow: Flow, clear: Event, backward: Event, name: str) -> bool:
    """Does the next pass zero what a backward has filled, and can nothing step before that?"""
    if _tests(clear, clear.loops[-1]) not in ([], _tests(backward, clear.loops[-1])) or backward.loops != clear.loops:
        return False
    if flow.path(backward, to=AppliesGrad, avoiding=clear) or gradients.is_read_elsewhere(clear.function):
        return False
    return flow.path(backward, to=clear) is not None and not _may_be_stepped_in_loop(
        name, clear, backward, clear.loops[-1]
    )


def _applies_cleared_gradients(step: Event, clear: Event, run: LoopRun) -> bool:
    """Does a step in the loop, which a function takes that is called there, apply the gradients that are zeroed?"""
    return run in step.loops and step.concerns(clear) is not False


def _is_own_optimizer(name: str, function: FunctionScope) -> bool:
    """Is the optimizer a variable of the function, or an attribute of its object, and no global?"""
    if function.is_generator or function.is_body or roles.activity_by_name(function.name) is Activity.MEASURES:
        return False
    return name.startswith("self.") or (name.isidentifier() and name in function.bindings)


def _backward_of_iteration(flow: Flow, clear: Event, run: LoopRun) -> Event | None:
    """The one backward of the same loop, in each iteration in which it clears: `if torch.isfinite(loss):`."""
    inside = [b for b in flow.events(AccumulatesGrad) if run in b.loops]
    plain = [b for b in inside if b.frame is clear.frame and b.loops == clear.loops]
    together = [b for b in plain if _tests(b, run) == _tests(clear, run)]
    return together[0] if len(inside) == len(together) == 1 else None


def _tests(event: Event, run: LoopRun) -> list[tuple[int, bool]]:
    """The tests of a loop under which something happens."""
    return [(id(test), polarity) for test, polarity, _ in event.conditions_in(run)]


def _may_be_stepped_in_loop(name: str, clear: Event, backward: Event, run: LoopRun) -> bool:
    """May something in the loop take a step: by its name, or because it gets the optimizer or the model?"""
    nodes = _nodes_of_pass(backward, run.node.body)
    lines = clear.site.line, backward.site.line
    return _leaves(run, nodes) or _may_be_stepped_among(nodes, name, (clear.call, backward.call), lines, run.frame)


def _nodes_of_pass(backward: Event, body: list[ast.stmt]) -> list[Node]:
    """The nodes of some statements that a pass which comes by a backward may run."""
    skipped = in_other_branches(backward, body)
    return [n for s in body for n in walk(s) if id(n) not in skipped]


def _leaves(run: LoopRun, nodes: list[Node]) -> bool:
    """May a loop end before the next clear?"""
    return isinstance(run.node.body[-1], ast.Break) or any(isinstance(n, ast.Return) for n in nodes)


def _may_be_stepped_among(
    nodes: list[Node], name: str, own: tuple[Node, Node], lines: tuple[int, int] | None, frame: Frame
) -> bool:
    """May one of some nodes take a step?

    Args:
        nodes: what a function runs in each iteration.
        name: what the optimizer is called there.
        own: the calls that clear and run backward, or the call that leads to both.
        lines: where these are, if the function has both.
        frame: the function.
    """
    if any(isinstance(n, (ast.Lambda, ast.FunctionDef, ast.Yield, ast.Await)) for n in nodes):
        return True
    if any(map(_may_step_optimizer, nodes)):
        return True
    first, second = lines or (0, 0)
    for call in (n for n in nodes if isinstance(n, ast.Call) and n not in own):
        if last_name(call.func) == "step" or _clips_gradients(call) or _only_asks(call):
            continue  # of a schedule
        inside = first < call.lineno < second if first < second else not second < call.lineno < first
        between = lines is not None and inside
        holds = any(_is_optimizer_or_owner(a, name) for a in all_arguments(call))
        holds = holds or (not between and roles.is_updating_name(last_name(call.func)))
        if not between and (_is_method_of_owner(call, name) or any(_is_model(a) for a in all_arguments(call))):
            holds = True
        if holds and not _takes_no_step(call, frame):
            return True
    return False


def _only_asks(call: ast.Call) -> bool:
    """Does it only ask about an object, or set the next scale: `hasattr(x, "y")`, `scaler.update()`?"""
    if isinstance(call.func, ast.Name):
        return call.func.id in _ASKING
    base = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "update" else None
    return base is not None and roles.has_role_name(last_name(base), Role.SCALER)


def _takes_no_step(call: ast.Call, frame: Frame) -> bool:
    """Is all seen of what a call enters, and no `step` in it, nor in what that may call? Or is it a method of a library
    that is no part of training: `progress.update()`?"""
    reach, seen = frame.project.reach, Call(call, frame)
    if seen.receiver is not None and seen.receiver.instance_of("tqdm.tqdm"):
        return True
    if seen.last_name not in reach.own_names() or reach.may_enter(call, frame.function, reach.functions(_STEP)):
        return False
    return bool(seen.callees) and not any(f.stubbed or is_abstract_method(f) for f in seen.callees)


def _may_step_optimizer(node: Node) -> bool:
    """Is it the `step` of what may be an optimizer, and is no schedule by its name?"""
    if not isinstance(node, ast.Attribute) or node.attr != "step":
        return False
    return not roles.has_other_step(last_name(node.value))


def _is_optimizer_or_owner(argument: Node, name: str) -> bool:
    """Is it the optimizer, or the object that has it?"""
    return place(argument) in (name, "self") or (
        isinstance(argument, (ast.List, ast.Tuple)) and any(place(n) == name for n in argument.elts)
    )


def _is_method_of_owner(call: ast.Call, name: str) -> bool:
    """Is it a method of the object that has the optimizer?"""
    func = call.func
    base = func.value if isinstance(func, ast.Attribute) else None
    above = isinstance(base, ast.Call) and last_name(base.func) == "super"
    return name.startswith("self.") and (above or (isinstance(base, ast.Name) and base.id == "self"))


def _clips_gradients(call: ast.Call) -> bool:
    """Does it only limit, or look at, gradients?"""
    return last_name(call.func).startswith(("clip_grad", "unscale"))


def _is_model(argument: Node) -> bool:
    """Is it a model, or its parameters, by its name, and not what the model gives: `net(x)`?"""
    run = {id(n.func) for n in walk(argument) if isinstance(n, ast.Call)}
    named = (n for n in walk(argument) if isinstance(n, (ast.Name, ast.Attribute)))
    names = [last_name(n) for n in named if id(n) not in run or last_name(n) == "parameters"]
    return any(roles.has_role_name(name, Role.MODEL) or name == "parameters" for name in names)


# ------------------------------------------------------------------------------------------------------------- updates
def is_update(clear: Event, flow: Flow) -> bool:
    """Is it the method of an agent or a trainer that computes a loss, or a function that one hands its part to, and
    that somebody calls again and again?"""
    function, method = _step_frame(clear).function, _method_frame(clear).function
    losses = (b for b in flow.events(AccumulatesGrad) if b.function is function and not b.loops)
    own = {*function.calls, *method.calls}
    others = {last_name(c.func) for c in own if not _is_of_scaler(c) and not is_argless_imported_call(c, method)}
    named = roles.is_updating_name(method.name) and not any(map(roles.is_updating_name, others - _BOTH))
    steps = named or "step" in flow.root.module.calls_by_name
    return method.owner is not None and steps and any(True for _ in losses)


def _is_of_scaler(call: ast.Call) -> bool:
    """Does it set the next scale, `scaler.update()`, and no weights?"""
    return isinstance(call.func, ast.Attribute) and roles.has_role_name(last_name(call.func.value), Role.SCALER)


def step_function(clear: Event) -> FunctionScope:
    """The function of a step: the one that clears, or the one that calls it for that: `with cleared(optimizer):`."""
    return _step_frame(clear).function


def _step_frame(clear: Event) -> Frame:
    """The frame of that function."""
    frame = clear.frame
    while frame.caller is not None and not frame.function.called_names & {"backward"}:
        frame = frame.caller[0]
    return frame


def _method_frame(clear: Event) -> Frame:
    """The frame of the method that calls that function, or is it: `update(self, loss)` of a method of `self`."""
    frame = first = _step_frame(clear)
    while frame.function.owner is None and frame.caller is not None:
        frame = frame.caller[0]
    return frame if frame.function.owner is not None else first


# ------------------------------------------------------------------------------------------------ optimizers of classes
def find_unread_class_optimizers(flow: Flow) -> Iterator[tuple[Event, Site, str]]:
    """(backward, construction, name) for the optimizers of classes that train, that are never read."""
    seen: set[int] = set()
    if any(True for _ in flow.events(OwnsLoop)):
        return
    for backward in flow.events(AccumulatesGrad):
        owner = backward.function.owner
        if owner is None or not backward.loops or id(owner) in seen or not _has_known_bases(owner):
            continue
        if flow.path(backward, to=AppliesGrad, avoiding=ClearsGrad, back=False):
            continue  # some step uses it
        if gradients.is_read_elsewhere(backward.function) or _has_generic_step_function(flow.frame.project):
            continue
        seen.add(id(owner))
        for name, site in _optimizers(owner, flow.frame.project):
            if not _may_attribute_be_read(name, owner, flow.frame.project):
                yield backward, site, name


def _has_generic_step_function(project: Project) -> bool:
    """Does some function take a step with what it is given, which may be any optimizer?"""
    for node, scope in project.calls_named("step"):
        if isinstance(scope, FunctionScope) and not (place(node.func) or "").startswith("self."):
            call = Call(node, project.frame(scope))
            known = call.receiver is not None and not call.receiver.is_unknown
            if not known and stepping.may_step_optimizer(call):
                return True
    return False


def _has_known_bases(owner: ClassScope) -> bool:
    """Is all seen that a class is made from, besides modules of PyTorch and estimators of scikit-learn: no framework
    takes the steps?"""
    known = (cls.fullname for cls in mro(owner) if isinstance(cls, ClassScope) and cls.module.is_stub)
    return not has_unknown_ancestor(owner) and all(name.startswith(("torch.nn.", "sklearn.")) for name in known)


def _optimizers(owner: ClassScope, project: Project) -> Iterator[tuple[str, Site]]:
    """The attributes that a class, or one that it is made from, builds an optimizer for, each with where it does."""
    for cls in (c for c in mro(owner) if isinstance(c, ClassScope) and not c.module.is_stub):
        for method in cls.methods.values():
            for name, bindings in method.bindings.items():
                if not name.startswith("self.") or name.count(".") > 1 or len(bindings) != 1:
                    continue
                built = bindings[0].value if bindings[0].kind == "assign" else None
                call = built.values[-1] if isinstance(built, ast.BoolOp) else built
                if isinstance(call, ast.Call) and evaluate(call, project.frame(method)).instance_of(OPTIMIZER):
                    yield name[5:], Site(cls.module, call)


def _may_attribute_be_read(name: str, owner: ClassScope, project: Project) -> bool:
    """May anything in the project read an attribute of objects of a class, and use it to take a step?"""
    for module in project.modules:
        if module.source is None or not (module.source.holds(f".{name}") or "getattr" in module.calls_by_name):
            continue
        aside = {id(n.value) for n in module.body.nodes_of(ast.Attribute) if n.attr in _ASIDE}
        for function in module.functions:
            if not _DYNAMIC.isdisjoint(function.called_names) and any(
                _may_access_by_name(c, name, mine=_are_related_by_inheritance(function.owner, owner))
                for c in function.calls
            ):
                return True
            for call in function.calls:
                given = [n for n in (*call.args, *(k.value for k in call.keywords)) if last_name(n) == name]
                if given and (
                    roles.has_role_name(last_name(call.func), Role.SCHEDULE)
                    or Call(call, project.frame(function)).callee.is_class(SCHEDULER)
                ):
                    aside.update(map(id, given))
        for node in walk(module.body.node):
            loaded = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
            if loaded and id(node) not in aside and not _is_in_unrelated_class(node, owner, module):
                return True
    return False


def _are_related_by_inheritance(one: ClassScope | None, other: ClassScope) -> bool:
    """Is one of two classes made from the other?"""
    return one is not None and (one in mro(other) or other in mro(one))


def _may_access_by_name(call: ast.Call, name: str, *, mine: bool) -> bool:
    """Is it `getattr(x, "name")`, or, in a class of `mine`, an attribute of `self` that may be of that name?"""
    given = call.args if last_name(call.func) in _DYNAMIC else []
    match given[1] if len(given) > 1 else None:
        case ast.Constant(value=said):
            return bool(said == name)
        case ast.JoinedStr(values=[ast.Constant(value=str(head)), *_]) if not name.startswith(head):
            return False
    return mine and bool(given) and place(given[0]) == "self"


def _is_in_unrelated_class(node: ast.Attribute, owner: ClassScope, module: ModuleScope) -> bool:
    """Is it `self.optimizer` in a class that has nothing to do with this one?"""
    if place(node.value) != "self":
        return False
    for function in module.functions:
        if function.owner is not None and any(n is node for n in walk(function.node)):
            return not _are_related_by_inheritance(function.owner, owner)
    return False
