"""Is a training step, written as a method that others call for each batch, one that nobody ever clears for?

There is no loop to be seen: `agent.update(batch)` is called from a place where `agent` is not known, or by a framework
(`training_step`). That it runs more than once is taken for granted if the optimizer was built elsewhere, so that it
outlives the call. The caller may clear; so nothing is said if any call in the project may clear this optimizer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.events import handed_in
from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import (
    AccumulatesGrad,
    AppliesGrad,
    ClearsGrad,
    Creates,
    Forward,
    OwnsLoop,
    SetsGrad,
    Unknown,
)
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import BODIES, Node, is_in_block, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.gradients import state as gradients
from mllint.semantics.training.gradients import stepping
from mllint.semantics.training.randomness.seeds import is_test_code
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import (
    InstanceValue,
    UnknownValue,
)

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = ["find_never_cleared_steps", "find_uncleared_next_to_other", "is_left_uncleared", "zeroes_grad_in_forward"]


_OF_TRAINING = frozenset(
    "backward step clip_grad_norm_ clip_grad_value_ train eval extend flush synchronize empty_cache save".split()
)
_OF_MODELS = frozenset("parameters train eval zero_grad state_dict step".split())


def _statements(body: list[Node]) -> list[Node]:
    """What the statements of a block are that only call, in the branches and blocks of it too."""
    found = []
    for statement in body:
        if isinstance(statement, ast.Expr):
            found.append(statement.value)
        for inner in BODIES:
            found += _statements(getattr(statement, inner, []))
    return found


def is_left_uncleared(step: Event, backward: Event, clear: Event | None = None) -> Answer[bool]:
    """Whether nothing clears the gradients that a step has applied, on a path to the backward that adds to them.

    Args:
        step: the step.
        backward: the backward that comes after it.
        clear: what clears them elsewhere, too rarely.

    Returns:
        A proven answer for an optimizer that is known, or that the loop around it leaves no doubt about; a named one
        where only its name says that it is an optimizer; a possible one in a test, which may want just this.
    """
    if is_test_code(step.site.module):
        return Answer(True, Evidence.POSSIBLE, (backward.site,))
    known = step.option != "named" or (clear is not None and gradients.zeroes_same(clear, step))
    known = known or _is_canonical_step(step, backward) or _is_cleared_by_nobody(step, backward)
    return Answer(True, Evidence.PROVEN if known else Evidence.NAMED, (backward.site,))


def zeroes_grad_in_forward(flow: Flow, backward: Event) -> bool:
    """Does the model of a backward zero its gradients in its own `forward`?"""
    for run in flow.events(Forward):
        if run.grad_off is not True and run.concerns(backward) is not False:
            own = [method(cls, "forward") for cls in run.subject.classes]
            if any(f is not None and not f.stubbed and "zero_grad" in f.called_names for f in own):
                return True
    return False


def find_uncleared_next_to_other(flow: Flow) -> Iterator[tuple[Event, Event]]:
    """The steps of a given optimizer that nothing clears, where another one is cleared below, before its own backward:
    what that adds to the parameters of the first stays there, too."""
    clears = list(flow.events(ClearsGrad))
    for step in (s for s in flow.events(AppliesGrad) if s.option == "named" and s.loops and clears):
        around = [b for b in flow.events(AccumulatesGrad) if b.loops == step.loops and b.function is step.function]
        before = [b for b in around if flow.path(b, to=step, avoiding=AppliesGrad, back=False)]
        if len(before) == 1 and _is_canonical_step(step, before[0], ("zero_grad",)):
            if all(_clears_another(flow, clear, step, around) for clear in clears):
                yield step, before[0]


def _clears_another(flow: Flow, clear: Event, step: Event, around: list[Event]) -> bool:
    """Is it another given optimizer that is cleared after a step, and then stepped after its own backward?"""
    name = gradients.name_of_unknown_receiver(clear)
    if (
        clear.loops != step.loops
        or not roles.has_role_name(name, Role.OPTIMIZER)
        or name == gradients.name_of_unknown_receiver(step)
    ):
        return False
    own = [
        s for s in flow.events(AppliesGrad) if gradients.name_of_unknown_receiver(s) == name and s.loops == step.loops
    ]
    filled = [b for b in around if flow.path(clear, to=b, avoiding=AppliesGrad, back=False)]
    after = flow.path(step, to=clear, back=False) is not None
    return after and any(
        flow.path(b, to=s, avoiding=(AppliesGrad, ClearsGrad), back=False) for b in filled for s in own
    )


def _is_canonical_step(step: Event, backward: Event, but: tuple[str, ...] = ()) -> bool:
    """Is a parameter of a function that is never called, or a name that a script never binds, called an optimizer and
    stepped without arguments after each backward of a loss that the same loop computes, itself or in a function that it
    calls? A call whose result nobody uses may clear, unless it logs, is one of those named, or is given nothing that
    holds gradients."""
    call, loss = step.call, backward.call
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        return False
    if not isinstance(loss, ast.Call) or not isinstance(loss.func, ast.Attribute) or loss.args or loss.keywords:
        return False
    function = step.function
    name = gradients.name_of_unknown_receiver(step) or _of_a_factory(step)
    if not roles.has_role_name(name, Role.OPTIMIZER) or function.is_generator:
        return False
    if backward.function is not function or step.loops != backward.loops or not step.loops:
        return False
    run = step.loops[-1]
    if not _have_same_conditions(step, backward, run):
        return False
    levels = _levels(call.func.value, step.frame, run)
    known = (*_OF_TRAINING, *but)
    called = (last_name(n.func) for level in levels for n in level.calls())
    if not all(roles.is_looking_name(name) or name in known for name in called):
        return False
    return _is_computed_each_time(loss.func.value, levels)


class _Level(NamedTuple):
    """A function that runs in each iteration, or the part of one that does."""

    frame: Frame
    block: list[Node]
    optimizer: str
    """What it calls the optimizer."""
    entered: Node
    """The call that leads to the level inside."""

    def calls(self) -> Iterator[ast.Call]:
        """The calls whose result nobody uses, but for those that are kept away from gradients."""
        for node in _statements(self.block):
            if isinstance(node, ast.Call) and node is not self.entered:
                if not _is_kept_away(node, self.optimizer, self.frame.function):
                    yield node


def _levels(optimizer: Node, frame: Frame, run: LoopRun) -> list[_Level]:
    """What runs in each iteration of a loop, from the function in which an optimizer is stepped to the one with the
    loop; none where one between them is not handed the optimizer."""
    found: list[_Level] = []
    entered: Node = None
    while True:
        function = frame.function
        at_loop = function is run.frame.function
        found.append(_Level(frame, run.node.body if at_loop else function.body, place(optimizer) or "", entered))
        if at_loop:
            return found
        given = handed_in(optimizer, frame)
        if frame.caller is None or function.is_generator or given is None:
            return []
        optimizer, (frame, entered) = given[0], frame.caller


def _is_computed_each_time(loss: Node, levels: list[_Level]) -> bool:
    """Is a loss bound at one of the levels, the inner ones first, and by no call that is given the optimizer?"""
    for level in levels:
        bound = level.frame.function.bindings.get(loss.id, ()) if isinstance(loss, ast.Name) else ()
        handed = handed_in(loss, level.frame) if len(bound) == 1 and bound[0].kind == "param" else None
        if handed is None:
            own = [b for b in bound if b.kind == "assign" and is_in_block(b.node, level.block)]
            given = {n.id for b in own if b.path for n in walk(b.value) if isinstance(n, ast.Name)}
            return bool(own) and level.optimizer.partition(".")[0] not in given
        loss = handed[0]
    return False


def _is_kept_away(call: ast.Call, optimizer: str, function: FunctionScope) -> bool:
    """Is a plain function called that gets neither the optimizer nor anything that the function calls, or asks as a
    model is asked: `to_device(batch)`?"""
    if not isinstance(call.func, ast.Name):
        return False
    names = {n.id for a in (*call.args, *(k.value for k in call.keywords)) for n in walk(a) if isinstance(n, ast.Name)}
    held = {optimizer.partition(".")[0], "self"} | {c.func.id for c in function.calls if isinstance(c.func, ast.Name)}
    held |= {c.func.value.id for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr in _OF_MODELS
             and isinstance(c.func.value, ast.Name)}  # fmt: skip
    return names.isdisjoint(held) and call.func.id not in function.bindings


def _have_same_conditions(step: Event, backward: Event, run: LoopRun) -> bool:
    """Do both stand in every iteration, or in the same branch of it: `if torch.isfinite(loss):`?"""
    return [(id(t), so) for t, so, _ in step.conditions_in(run)] == [
        (id(t), so) for t, so, _ in backward.conditions_in(run)
    ]


def _of_a_factory(step: Event) -> str:
    """The name of an optimizer that is handed in, where a caller makes it of `model.parameters()` by a class that it
    has looked up: `cls = getattr(optim, name)` and `optimizer = cls(model.parameters())`; else empty."""
    func, frame = getattr(step.call, "func", None), step.frame
    name = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
    while name and frame.caller is not None and frame.function.parameter(name) is not None:
        given = (frame.bound or {}).get(name)
        node = given.node if isinstance(given, Passed) and len(frame.function.bindings.get(name, ())) == 1 else None
        name, frame = node.id if isinstance(node, ast.Name) else "", frame.caller[0]
    bound = frame.function.bindings.get(name, ())
    made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else None
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
        return ""
    looked_up = evaluate(made.func, frame)
    if not isinstance(looked_up, UnknownValue) or looked_up.name is not None:
        return ""  # a class of somebody else's, which may clear in `step()`, has a name
    given_to = (*made.args, *(k.value for k in made.keywords))
    return name if any(isinstance(a, ast.Call) and last_name(a.func) == "parameters" for a in given_to) else ""


def _is_cleared_by_nobody(step: Event, backward: Event) -> bool:
    """Is an optimizer that a class is given stepped below a backward of the same loop, in a project in which nobody
    builds the class, nor clears any gradient but those of classes and variables that have nothing to do with it?"""
    if step.function is not backward.function or step.loops != backward.loops or step.function.is_generator:
        return False
    func = step.call.func if isinstance(step.call, ast.Call) else None
    name, function = _kept_in(func.value, step.frame) if isinstance(func, ast.Attribute) else ("", step.function)
    if not roles.has_role_name(name, Role.OPTIMIZER) or step.call.args or step.call.keywords or not step.loops:
        return False
    project, owner = step.frame.project, function.owner
    classes = [c for c in mro(owner) if not isinstance(c, str) and not c.module.is_stub] if owner is not None else []
    inits = (c.methods["__init__"] for c in classes if "__init__" in c.methods)
    init = next((f for f in inits if name in f.bindings), None)
    given = init.bindings.get(name, ()) if init is not None else ()
    if owner is None or project.calls_named(owner.name) or init is None or not name.startswith("self."):
        return False
    if not given or not all(isinstance(b.value, ast.Name) and init.parameter(b.value.id) is not None for b in given):
        return False
    if not _have_same_conditions(step, backward, step.loops[-1]):
        return False
    words = ("zero_grad", "zero_grads", "clear_grad", "clear_gradients", "zero_")
    clears = (found for word in words for found in project.calls_named(word))
    for node, scope in clears:
        if not isinstance(scope, FunctionScope) or not stepping.is_on_other_object(node, scope, name, function):
            return False
    functions = (f for module in project.modules for f in (module.body, *module.functions))
    return not any(name.endswith((".grad", "._grad")) for f in functions for name in f.bindings)


def _kept_in(attribute: ast.expr, frame: Frame) -> tuple[str, FunctionScope]:
    """The place of an attribute, and the method that reads it: the one whose object a function is handed as a
    parameter, if it reads it of that."""
    base = attribute.value if isinstance(attribute, ast.Attribute) else None
    while isinstance(base, ast.Name) and frame.function.owner is None and frame.caller is not None:
        given = handed_in(base, frame)
        if given is None or not isinstance(given[0], ast.Name):
            break
        base, frame = given
    if isinstance(attribute, ast.Attribute) and isinstance(base, ast.Name):
        return f"{base.id}.{attribute.attr}", frame.function
    return place(attribute) or "", frame.function


def find_never_cleared_steps(flow: Flow) -> Iterator[tuple[Event, Event]]:
    """The steps of a method, or of a function that an engine is given to run, whose gradients nothing in the project
    clears, each with a backward that fills them."""
    if flow.root.owner is None and not _is_run_by_others(flow):
        return
    if flow.root.name == "__init__":
        return
    for step in flow.events(AppliesGrad):
        if step.loops or not _is_optimizer_built_outside(flow, step):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if _fills_gradients(flow, b, step)), None)
        if backward is not None and not _may_be_touched(flow, step) and not _cleared_elsewhere(flow, step):
            yield step, backward


def _is_run_by_others(flow: Flow) -> bool:
    """Is it a function that is given away by its name, and that has a parameter for what it works on in each call?"""
    root = flow.root
    return not root.is_body and len(root.parameters) > 1 and flow.frame.project.passed_around(root)


def _is_optimizer_built_outside(flow: Flow, step: Event) -> bool:
    """Is it a known optimizer that was built outside of this flow?"""
    known = isinstance(step.subject, InstanceValue) and step.subject.instance_of(OPTIMIZER)
    built = step.subject.built_with
    if not known or built is None or built.node is None or step.subject.class_name == "LBFGS":
        return False
    return not any(e.subject.same_as(step.subject) is not False for e in flow.events(Creates))


def _fills_gradients(flow: Flow, backward: Event, step: Event) -> bool:
    """Does a backward certainly fill the gradients that the step applies?"""
    if backward.loops or backward.concerns(step) is not True:
        return False
    return flow.path(backward, to=step, back=False) is not None


def _may_be_touched(flow: Flow, step: Event) -> bool:
    """May anything in the flow clear or replace the gradients, or get hold of the optimizer?"""
    if any(e.concerns(step) is not False for e in flow.events(ClearsGrad, SetsGrad, OwnsLoop)):
        return True
    return any(e.holds(step) for e in flow.events(Unknown))


def _cleared_elsewhere(flow: Flow, step: Event) -> bool:
    """May any call, or assignment, in the project clear them?"""
    project = flow.frame.project
    for node, scope in project.calls_named("zero_grad"):
        if not isinstance(scope, FunctionScope):
            return True
        receiver = Call(node, project.frame(scope)).receiver
        if receiver is None or not receiver.instance_of(OPTIMIZER):
            return True
        if receiver.same_as(step.subject) is not False:
            return True
    functions = [f for module in project.modules for f in (module.body, *module.functions)]
    if any(name.endswith((".grad", "._grad")) for f in functions for name in f.bindings):
        return True
    zeroed = (c.func for module in project.modules for c, _ in module.calls_by_name.get("zero_", ()))
    return any(isinstance(f, ast.Attribute) and ".grad" in (place(f.value) or ".grad") for f in zeroed)
