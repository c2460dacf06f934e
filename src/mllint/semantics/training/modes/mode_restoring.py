"""Which mode does an evaluation, or a method, leave behind for what comes next?

    for epoch in range(9):
        for x, y in train_loader: ...        # from the second epoch on: in eval mode
        model.eval()
        with torch.no_grad():
            validate(model)                  # nothing sets train mode on the way from here to the next backward

`find_training_in_eval_mode` is the backward that meets the model in eval mode. It takes three things: a path from the
`eval()` to a backward of the same model on which nothing may set the mode; a run of the model between the two that
measures; and that the backward trains, that is, a step follows. Not a fault, and so not answered: a teacher that is
only asked without gradients; `model.eval()` right above the loop that trains, which fine-tunes with fixed statistics; a
part for which an own `train()` sets eval mode, since that is what train mode means there; a backward that attacks or
explains, so that no step follows.

    was = model.training                     # `find_mode_restored_only`: the mode is kept and put back, and nothing
    with torch.no_grad():                    # in between has changed it
        out = model(x)
    model.train(was)

`fit` and `predict` of an estimator are called from outside, one after the other, and no flow goes from one to the
other. Where a method of the class puts the model into train mode and trains it, and nothing in the project ever puts
it into eval mode, neither a method of the class nor a call from outside, `predict` runs it in train mode
(`find_train_mode_predictions`).

What makes it unknown: each event that may set the mode (`modes.changes_mode`), and a call that is given the model in
between. Where a backward only perhaps trains the model, a `train()` in the function of that backward, or of whatever
that trains, perhaps restores it. A class that is a module itself, or whose base cannot be read, may be switched from
outside.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, Forward, SetsMode
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import LISTS_PARTS
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.iterations import is_bound_anew, is_last_iteration
from mllint.semantics.training.modes.dependence import depends_on_mode
from mllint.semantics.training.modes.state import changes_mode
from mllint.semantics.training.modes.switches import is_flag_written, is_put_back_in_function
from mllint.semantics.training.phases import innermost, is_training_loop
from mllint.semantics.training.roles import Activity, activity_evidence, is_random_on_purpose_name
from mllint.semantics.values.bases import ancestors, mro
from mllint.semantics.values.classes import constructor_argument, has_unknown_ancestor
from mllint.semantics.values.lineage import statements
from mllint.semantics.values.values import InstanceValue, SequenceValue, TensorValue, UnknownValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = ["find_mode_restored_only", "find_train_mode_predictions", "find_training_in_eval_mode"]

_HARMLESS = frozenset("len print isinstance deepcopy summary save clip_grad_norm_ hasattr type".split())
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module, ast.For, ast.While, ast.If, ast.With, ast.Try)
_LINEAGE = 3
"""How many assignments a loss is followed through."""
_MEANT: Cache[None, bool] = Cache()


def find_mode_restored_only(flow: Flow) -> Iterator[tuple[Event, Site]]:
    """The forwards of models whose mode is put back only, each with where that is done."""
    for forward in flow.events(Forward):
        function = forward.function
        name = place(forward.call.func) if isinstance(forward.call, ast.Call) else None
        called = function.called_names
        if forward.grad_off is not True or not (name or "").isidentifier() or "eval" in called or "train" not in called:
            continue
        own = [c for c in function.calls if place(c.func) == f"{name}.train"]
        if len(own) != 1 or own[0].lineno < forward.site.line or not _restores_saved_mode(own[0], name or "", function):
            continue
        if name and not any(_may_set_mode(c, name) for c in function.calls if c is not forward.call):
            yield forward, Site(forward.frame.module, own[0])


def _restores_saved_mode(restore: ast.Call, name: str, function: FunctionScope) -> bool:
    """Is it given a variable that is only ever bound to the mode of the same model?"""
    given = restore.args[0] if len(restore.args) == 1 else None
    found = function.bindings.get(given.id, ()) if isinstance(given, ast.Name) else ()
    return bool(found) and all(b.kind == "assign" and place(b.value) == f"{name}.training" for b in found)


def _may_set_mode(call: ast.Call, name: str) -> bool:
    """May a call set the mode: is it given the model, or is it one of its parts that is asked for?"""
    given: list[Node] = [*call.args, *(k.value for k in call.keywords)]
    return any(place(a) == name for a in given) or (last_name(call.func) in LISTS_PARTS | {"apply"})


def find_train_mode_predictions(flow: Flow) -> Iterator[tuple[Event, Call]]:
    """Where a model is put into train mode, and a prediction in another method of the class, if nobody ever puts it
    into eval mode."""
    seen: set[tuple[int, str]] = set()
    for mode in flow.events(SetsMode):
        owner, name = mode.function.owner, _switched(mode)
        if mode.option != "train" or owner is None or name is None or (id(owner), name) in seen:
            continue
        seen.add((id(owner), name))
        if has_unknown_ancestor(owner) or MODULE in ancestors(owner) or depends_on_mode(mode.subject) is False:
            continue
        if not any(b.concerns(mode) is not False for b in flow.events(AccumulatesGrad)):
            continue
        methods = [m for cls in mro(owner) if isinstance(cls, ClassScope) for m in cls.methods.values()]
        if not _is_switched_otherwise(name, methods, flow):
            for method in methods:
                yield from ((mode, call) for call in _find_predictions(name, method, flow))


def _switched(mode: Event) -> str | None:
    """The attribute whose mode is set: `self.model` of `self.model.train()`."""
    func = mode.call.func if isinstance(mode.call, ast.Call) and not mode.call.args + mode.call.keywords else None
    name = place(func.value) if isinstance(func, ast.Attribute) else None
    return name if name is not None and name.startswith("self.") else None


def _find_predictions(name: str, method: FunctionScope, flow: Flow) -> Iterator[Call]:
    """A call of the model without gradients in a method that is named for evaluation, and does not build the model."""
    if activity_evidence(method.name, Activity.MEASURES) is None or is_random_on_purpose_name(method.qualname):
        return
    if name in method.bindings:
        return
    if not method.called_names.isdisjoint(("backward", "train")):
        return
    frame = flow.frame.project.frame(method)
    for node in method.calls:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "forward":
            func = func.value
        if place(func) == name and (call := Call(node, frame)).grad_off is True:
            yield call
            return


def _is_switched_otherwise(name: str, methods: list[FunctionScope], flow: Flow) -> bool:
    """Does anything in a class, or outside on an attribute of that name, set eval mode, or get hold of the model?"""
    for method in methods:
        if "eval" in method.called_names or any(_calls_given_model(name, method)):
            return True
        if any(place(c.func) == f"{name}.train" and (c.args or c.keywords) for c in method.calls):
            return True
    last = name.rpartition(".")[2]
    for node, scope in flow.frame.project.calls_named("eval"):
        receiver: Node = node.func.value if isinstance(node.func, ast.Attribute) else None
        inside = (
            isinstance(scope, FunctionScope) and scope.owner is not None and (place(receiver) or "").startswith("self.")
        )
        if last_name(receiver) == last and not inside:
            return True
    return False


def _calls_given_model(name: str, method: FunctionScope) -> Iterator[ast.Call]:
    """The calls that get the model itself, and may set its mode."""
    for call in method.calls:
        given = (*call.args, *(k.value for k in call.keywords))
        if any(place(n) == name for n in given) and last_name(call.func) not in _HARMLESS:
            yield call


# -------------------------------------------------------------------------------------------------- after an evaluation
def find_training_in_eval_mode(mode: Event, flow: Flow) -> Answer[Event] | None:
    """The backward that trains a model in the eval mode of an evaluation.

    Args:
        mode: the event that sets eval mode.
        flow: the flow that it is part of.

    Returns:
        The first such backward, None where train mode may be restored or nothing is trained. It is only possible for
        an own `eval()` that calls `super().eval()`: its callers set the mode back.
    """
    backward = _next_backward(mode, flow)
    if backward is None:
        return None
    own = isinstance(mode.call, ast.Call) and _is_of_super(mode.call)
    return proven_unless(own or backward.concerns(mode) is not True, backward, mode.site, backward.site)


def _next_backward(mode: Event, flow: Flow) -> Event | None:
    """The first backward that trains the model in the mode that is set."""
    if mode.option != "eval" or not mode.loops or depends_on_mode(mode.subject) is False or _is_teacher(mode, flow):
        return None
    if _is_of_train_mode(mode) or _epochs_begin_in_train_mode(mode, flow) or is_flag_written(mode.frame, "train"):
        return None
    if is_put_back_in_function(mode):
        return None  # what is trained before that is meant to be, as a ratio of two policies without dropout
    for backward in flow.events(AccumulatesGrad):
        if not _trains_model(backward, mode, flow) or _is_meant(backward, flow) or not flow.path(backward, to=mode):
            continue
        changes = _changes_before(backward, mode)
        way = flow.path(mode, to=backward, avoiding=changes)
        if way is None or any(is_bound_anew(mode, run) for run in way.rounds):
            continue
        if _is_run_before(backward, mode, flow, changes):
            continue
        if any(e.kind == "forward" and _is_measurement_run(e, mode, backward, flow) for e in way.events):
            return backward
        if _measures_on_another_path(mode, backward, flow, changes):
            return backward
    return None


def _is_run_before(backward: Event, mode: Event, flow: Flow, changes: Callable[[Event], bool]) -> bool:
    """Is the model run in train mode, and evaluated before the backward of what that gave? The mode matters where the
    model runs, and not where it is differentiated."""
    runs = [f for f in flow.events(Forward) if f.grad_off is not True and f.concerns(mode)]
    own = [f for f in runs if flow.path(f, to=backward, back=False)]
    return bool(own) and not any(flow.path(mode, to=f, avoiding=changes) for f in own)


def _measures_on_another_path(mode: Event, backward: Event, flow: Flow, changes: Callable[[Event], bool]) -> bool:
    """Is the model evaluated where the shortest path does not go: behind a test, in a loop that a `break` ends?"""
    return any(
        _is_measurement_run(f, mode, backward, flow)
        and flow.path(mode, to=f, avoiding=changes)
        and flow.path(f, to=backward, avoiding=changes)
        for f in flow.events(Forward)
        if f.frame is mode.frame and len(f.loops) > len(mode.loops)
    )


# ---------------------------------------------------------------------------------------------------- what is evaluated
def _is_measurement_run(forward: Event, mode: Event, backward: Event, flow: Flow) -> bool:
    """Is it a run of the model in a place where nothing is trained, between a mode and a backward?"""
    run = innermost(forward)
    if forward.concerns(mode) is not True:
        return False
    if forward.index > mode.index > backward.index:
        return True  # after the mode was set, and before the iteration that trains again
    if forward.grad_off is True or (run is not None and run.role == "batch" and not is_training_loop(run, flow)):
        return True
    return _is_phase_of_loop(forward, mode, backward, flow)


def _is_phase_of_loop(forward: Event, mode: Event, backward: Event, flow: Flow) -> bool:
    """Is the model run in an iteration that sets the mode and trains nothing, of `for phase in ("train", "val")`?"""
    around = mode.loops[-1] if mode.loops else None
    if around is None or not mode.conditions or around not in forward.loops[:-1] or around not in backward.loops[:-1]:
        return False
    if flow.path(mode, to=backward, within=around, back=False):
        return False
    return bool(flow.path(mode, to=forward, within=around, back=False))


def _is_teacher(mode: Event, flow: Flow) -> bool:
    """Is it only run without gradients, in a function that runs another model with gradients?"""
    model = place(getattr(mode.call.func, "value", None)) if isinstance(mode.call, ast.Call) else None
    runs = [(place(f.call.func) == model, f.grad_off) for f in flow.events(Forward) if f.function is mode.function]
    own = [off for same, off in runs if same]
    return bool(own) and all(own) and any(not same and off is False for same, off in runs)


def _is_of_train_mode(mode: Event) -> bool:
    """Does a module's own `train()` set it, after that of its base: for a part that stays as it is while the rest
    trains?"""
    function = mode.function
    if function.name != "train" or function.owner is None:
        return False
    return any(last_name(c.func) == "train" and _is_of_super(c) for c in function.calls)


def _is_of_super(call: ast.Call) -> bool:
    """Is the method of a base called: `super().train(mode)`?"""
    receiver = getattr(call.func, "value", None)
    return isinstance(receiver, ast.Call) and last_name(receiver.func) == "super"


# ------------------------------------------------------------------------------------------------------ what is trained
def _trains_model(backward: Event, mode: Event, flow: Flow) -> bool:
    """Does a backward train the model of a mode: certainly; or possibly, if the mode is known to matter?"""
    concerned = backward.concerns(mode)
    if concerned is None and (_is_local(mode, backward) or _steps_other_model(backward, mode, flow)):
        return False
    if mode.subject.has("Copied") and mode.subject.identity not in backward.subject.all_graph:
        return False  # an average of the model: what it is made of goes by the names of the original's parts
    if concerned is None and depends_on_mode(mode.subject) is None:
        return any(e.option == "train" and e.subject.same_as(mode.subject) for e in flow.events(SetsMode))
    return concerned is not False


def _steps_other_model(backward: Event, mode: Event, flow: Flow) -> bool:
    """Do all steps in the call of a backward move what is certainly another model: a probe of features?"""
    steps = [s for s in flow.events(AppliesGrad) if s.frame is backward.frame]
    return bool(steps) and all(isinstance(s.subject, InstanceValue) and s.concerns(mode) is False for s in steps)


def _is_local(mode: Event, backward: Event) -> bool:
    """Does the model live in a call that the backward is not part of: built in `test()`, which `train()` calls?

    It lives in the innermost call that holds both its construction and the setting of its mode.
    """
    project = mode.frame.project
    keys = [project.keys[i] for i in mode.subject.identities]
    around, outside = _contexts_of_flow(mode.frame.key, project), _contexts_of_flow(backward.frame.key, project)
    for key in keys:
        if not isinstance(key, tuple) or key[0] != "new":
            return False
        home = next((k for k in _contexts_of_flow(key[1], project) if k in around), None)
        if home is None or home in outside:
            return False
    return bool(keys)


def _contexts_of_flow(key: int, project: Project) -> list[int]:
    """The number of a call's context, and those of the calls around it, innermost first."""
    found = [key]
    while isinstance(entry := project.keys[found[-1]], tuple) and entry[0] == "call":
        found.append(entry[1])
    return found


def _is_meant(backward: Event, flow: Flow) -> bool:
    """Is a backward in eval mode no fault: of a tensor, in train mode only, headed by `eval()`, without a step? Asked
    once, of however many modes."""

    def is_meant() -> bool:
        return (
            _steps_on_tensors(backward, flow)
            or _is_in_train_mode_only(backward)
            or _is_headed_by_eval(backward, flow)
            or not _reaches_step(backward, flow)
            or is_flag_written(backward.frame, "train")
        )

    return _MEANT.answer(backward, None, is_meant, meanwhile=False)


def _reaches_step(backward: Event, flow: Flow) -> bool:
    """Whether a step, or what may be one, follows before the gradients of `backward` are cleared."""
    return flow.path(backward, to=(AppliesGrad, _may_step), avoiding=ClearsGrad.concerning(backward)) is not None


def _may_step(event: Event) -> bool:
    """May an unknown call be the step of an optimizer?"""
    return event.kind == "unknown" and event.option == "step"


def _steps_on_tensors(backward: Event, flow: Flow) -> bool:
    """Are all optimizers near a backward built for a list of tensors, `SGD([patch])`, `SGD([self.edges])`, so that no
    model is trained? What is written in such a list, and is no group of parameters, is a tensor."""
    steps = list(flow.events(AppliesGrad))
    near = [s for s in steps if s.frame is backward.frame]
    near = near or [s for s in steps if s.loops and s.loops[-1:] == backward.loops[-1:]]
    steps = near or steps
    given = [constructor_argument(value, "params") for step in steps for value in step.subject.alternatives]
    lists: list[Value] = [v for v in given if isinstance(v, SequenceValue)]
    kinds = {value.__class__ for parts in lists for part in parts.contents for value in part.alternatives}
    return bool(kinds) and len(lists) == len(given) and kinds <= {TensorValue, UnknownValue}


def _is_in_train_mode_only(backward: Event) -> bool:
    """Does `if model.training:` stand around it?"""
    return any(holds and isinstance(t, ast.Attribute) and t.attr == "training" for t, holds, _ in backward.conditions)


def _is_headed_by_eval(backward: Event, flow: Flow) -> bool:
    """Does `model.eval()` stand right above a loop that trains the model? Then it is trained so on purpose."""
    loops = [run.node for run in backward.loops if run.frame.function is backward.function]
    modes = [e.call for e in flow.events(SetsMode) if e.option == "eval" and e.concerns(backward)]
    if not loops or not modes:
        return False
    for node in (backward.function.node, *statements(backward.function)):
        block: list[Node] = node.body if isinstance(node, _BLOCKS) else []
        for i, statement in enumerate(block):
            if i and statement in loops and isinstance(block[i - 1], ast.Expr) and block[i - 1].value in modes:
                return True
    return False


# ----------------------------------------------------------------------------------------------- what restores the mode
def _epochs_begin_in_train_mode(mode: Event, flow: Flow) -> bool:
    """Is the mode set in the last iteration of a loop only, around which each epoch begins in train mode?"""
    for run in (run for run in mode.loops if run.outer and is_last_iteration(mode, run)):
        for other in flow.events(SetsMode):
            if other.option == "train" and other.loops == run.outer and other.concerns(mode) is not False:
                if len(other.conditions) <= len(mode.conditions) and other.site.line < run.node.lineno:
                    return True
    return False


def _calls_behind_loss(backward: Event) -> set[int]:
    """The calls of methods whose results the loss of a backward is computed from, by identity: `model.penalty()` of
    `loss = error(out, y) + model.penalty()`."""
    found, todo = set[int](), list[tuple[Node, int]]()
    if isinstance(backward.call, ast.Call) and isinstance(backward.call.func, ast.Attribute):
        todo = [(backward.call.func.value, _LINEAGE)]
    while todo:
        node, depth = todo.pop()
        found.update(id(n) for n in walk(node) if isinstance(n, ast.Call) and _is_method(n))
        names = [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)] if depth else []
        bound = (b for n in names for b in bound_at(n, backward.function))
        todo += [(b.value, depth - 1) for b in bound if b.kind in ("assign", "aug") and b.value is not None]
    return found


def _is_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute)


def _changes_before(backward: Event, mode: Event) -> Callable[[Event], bool]:
    """A test of events that may set the mode of a model before a backward. Where that only perhaps trains it, a
    `train()` in the same function is perhaps of that model, and so is one of whatever it trains; the `train()` of an
    engine, whose backward it is, is that of the model inside."""
    certain, sure = changes_mode(mode), backward.concerns(mode)
    computing = _calls_behind_loss(backward)
    engine = Call(backward.call, backward.frame).receiver if isinstance(backward.call, ast.Call) else None

    def changes(other: Event) -> bool:
        if other.kind == "unknown" and id(other.call) in computing:
            return False  # a method of the model that computes a part of the loss, as a call of the model does
        if other.kind != "sets_mode" or other.option != "train":
            return bool(certain(other))
        if engine is not None and engine.same_as(other.subject):
            return True
        if sure:
            return bool(certain(other))
        perhaps = other.concerns(mode) is not False or other.function is backward.function
        return perhaps or other.concerns(backward) is not False

    return changes
