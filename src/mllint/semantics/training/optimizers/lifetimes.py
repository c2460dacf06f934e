"""Is an optimizer, or a schedule, built again, and its state lost, while the model that it is for lives on?

    for epoch in range(9):
        optimizer = Adam(net.parameters())     # `lost_state`: the loop over epochs
        for x, y in loader: ...

Loops over folds, tasks, stages or trials begin something new; loops over epochs and batches do not. What a loop does
with its own number tells, whatever that is called: where it chooses the rows, the parameters, the rate, or changes the
model, each iteration begins anew; where it only counts, none does. What is new in each iteration, or reset, has no
state to lose; nor has plain SGD, or a schedule that multiplies the current rate by the same factor at each step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import Creates, RestoresState
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER, SCHEDULER
from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.errors.handlers import is_epoch_loop
from mllint.semantics.training.layers.registration import PARAMETER
from mllint.semantics.training.optimizers.constructions import counts_steps, keeps_state, parameters_of
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import bindings_of, origins, resolve_name, results_of
from mllint.semantics.values.values import TensorValue, Value

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["lost_state", "steps_in_inner_loop"]


def lost_state(flow: Flow, made: Event, uses: list[Event]) -> LoopRun | None:
    """The loop that builds an object again on each iteration although what it is for stays; None if there is none.

    Args:
        flow: the flow.
        made: the construction.
        uses: the steps (or ticks) of what was built.
    """
    if not made.loops or _is_conditional(made) or not _forgets(made.subject):
        return None
    run = made.loops[-1]
    if not _counts_epochs_or_steps(run) and not _is_batch_loop(run):
        return None
    for use in uses:
        inner = use.loops[len(made.loops) :]
        if use.loops[: len(made.loops)] != made.loops or len(inner) > 1:
            continue
        direct = (made.frame is run.frame and is_epoch_loop(run.node)) or _replaces_parameter(made)
        within = not inner or (_counts_epochs_or_steps(run) and (direct or _is_batch_loop(inner[0])))
        if within and not _is_fresh_each_iteration(flow, made, run) and not _starts_new_training(made, run, inner):
            return run
    return None


def steps_in_inner_loop(made: Event, uses: list[Event]) -> bool:
    """Is what a loop builds again stepped in a loop inside that one, such as a schedule of the epoch for each batch?"""
    return any(len(use.loops) > len(made.loops) for use in uses)


def _forgets(built: Value) -> bool:
    """Has it anything to lose: an optimizer its averages, a schedule the number of its steps?"""
    if built.instance_of(SCHEDULER):
        return counts_steps(built) and not _multiplies_current_rate(built)
    return keeps_state(built)


def _multiplies_current_rate(schedule: Value) -> bool:
    """Does each step of a schedule multiply the current learning rate by the same factor, as far as is known? Built
    again, it goes on where the last one ended."""
    if schedule.instance_of("torch.optim.lr_scheduler.ExponentialLR"):
        return True
    if schedule.instance_of("torch.optim.lr_scheduler.StepLR"):
        size = constructor_argument(schedule, "step_size")
        return size is not None and size.literal == 1
    if not schedule.instance_of("torch.optim.lr_scheduler.MultiplicativeLR"):
        return False
    given = constructor_argument(schedule, "lr_lambda")
    function = given.function if given is not None else None
    return function is None or all(_is_unread(p.name, function) for p in function.parameters)


def _is_unread(name: str, function: FunctionScope) -> bool:
    return all(node.id != name for node in walk(function.node) if isinstance(node, ast.Name))


def _replaces_parameter(made: Event) -> bool:
    """Is it bound to a parameter of its function, or of the one around it, that the caller hands an optimizer which
    lives on?"""
    frame, names = made.frame, [b.name for b in bindings_of(made.call, made.function)]
    while frame.caller is not None and frame.caller[0].function is frame.function.parent and frame.caller[0].caller:
        frame = frame.caller[0]
    if not names or frame.caller is None or not isinstance(frame.caller[1], ast.Call):
        return False
    given = bind(frame.function, frame.caller[1], frame.caller[0])[0].get(names[0])
    return isinstance(given, Passed) and evaluate(given.node, given.frame).instance_of(OPTIMIZER)


def _is_conditional(made: Event) -> bool:
    """Does a branch inside the loop, or of an expression, decide about it, or does it stand in a constructor?"""
    return bool(made.conditions_in(made.loops[-1])) or made.function.name == "__init__" or _is_chosen(made)


def _is_chosen(made: Event) -> bool:
    """True if the construction is one side of a choice, `LinearLR(optimizer) if epoch == 0 else None`, or of an `and`
    or `or`."""
    function = made.function
    sides = [side for choice in function.nodes_of(ast.IfExp) for side in (choice.body, choice.orelse)]
    sides += [side for either in function.nodes_of(ast.BoolOp) for side in either.values[1:]]
    return any(node is made.call for side in sides if is_within(made.call, side) for node in walk(side))


def _counts_epochs_or_steps(run: LoopRun) -> bool:
    """Does it count epochs or steps: by a range, by hand, or by what something gives that is called an epoch?"""
    if run.role == "epoch":
        return True
    if isinstance(run.node, ast.While):
        return bool(_counter(run.node))
    if is_epoch_loop(run.node):
        return True
    iterates = iterable_of(resolve_name(run.node.iter, run.frame.function))
    return isinstance(iterates, ast.Call) and (place(iterates.func) or "").rpartition(".")[2] in (
        "range",
        "trange",
        "tqdm",
    )


def _counter(loop: ast.While) -> str:
    """The name that `while step < n:` counts with, by `step += 1` in it; empty if it counts none."""
    match loop.test:
        case ast.Compare(left=ast.Name(id=counter), ops=[ast.Lt() | ast.LtE()]):
            added = (s for s in loop.body if isinstance(s, ast.AugAssign) and isinstance(s.op, ast.Add))
            return counter if any(place(s.target) == counter for s in added) else ""
    return ""


def _starts_new_training(made: Event, run: LoopRun, inner: Iterable[LoopRun]) -> bool:
    """Does the number of the iteration choose what is trained: the rows, the parameters, the rate, or the model?

    Rows that each iteration makes for itself are others, too. A loop over epochs, conventionally named, is one whatever
    its number does, as where the rate decays with it. A call that stores the model under the number changes neither.
    """
    if is_epoch_loop(run.node) or not _counts_epochs_or_steps(run):
        return False
    own = set(_bound_places(run.node.target)) if isinstance(run.node, ast.For) else {_counter(run.node)}
    nodes = [n for s in run.node.body for n in walk(s)]
    for node in nodes:  # in the order of the source
        if isinstance(node, ast.Assign) and _speaks(own, node.value):
            own |= {name for t in node.targets for name in _bound_places(t)}
    steps = {id(run.node) for run in inner}
    rows = [n.iter for n in nodes if isinstance(n, ast.For) and (id(n) in steps or _runs_backward(n))]
    built = {t.id for n in nodes if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    call = made.call if isinstance(made.call, ast.Call) else None
    given = [part for a in all_arguments(call) for part in _seen_from(run, a, made.frame)] if call is not None else []
    if any(_speaks(own, part) or _speaks(built, part) for part in (*rows, *given)):
        return True
    owners = _owners_seen_from(run, made)
    calls = [n for n in nodes if isinstance(n, ast.Call) and n is not made.call] if owners else []
    changing = (n for n in calls if not roles.is_keeping_name(last_name(n.func)))
    naming = (n for n in changing if any(_speaks(own, part) for part in all_arguments(n)))
    return any((place(n) or "").partition(".")[0] in owners for c in naming for n in (c.func, *all_arguments(c)))


def _runs_backward(loop: ast.For) -> bool:
    """Does a loop go through rows that are learned from?"""
    return any(isinstance(n, ast.Call) and last_name(n.func) == "backward" for n in walk(loop))


def _bound_places(target: Node) -> Iterator[str]:
    """The names and attributes that a target binds, or puts items into: `step`, `self.step`, `history` of
    `history[step]`."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _bound_places(part)
        case ast.Starred(value=inner) | ast.Subscript(value=inner):
            yield from _bound_places(inner)
        case ast.Name() | ast.Attribute():
            yield place(target) or ""


def _speaks(names: set[str], node: Node) -> bool:
    """Is one of some names, or attributes, in an expression?"""
    return any(isinstance(n, (ast.Name, ast.Attribute)) and place(n) in names for n in walk(node))


def _seen_from(run: LoopRun, node: Node, frame: Frame) -> Iterator[Node]:
    """What an expression of a function that a loop calls is made of, as the function with the loop writes it."""
    if frame is run.frame:
        yield node
    elif frame.caller is not None:
        outer, call = frame.caller
        bound = bind(frame.function, call, outer)[0] if isinstance(call, ast.Call) else {}
        for name in (n for n in walk(node) if isinstance(n, ast.Name)):
            given = bound.get(name.id)
            if isinstance(given, Passed):
                yield from _seen_from(run, given.node, given.frame)
            elif name.id not in frame.function.bindings:
                yield name  # of the scope around it


def _owners_seen_from(run: LoopRun, made: Event) -> set[str]:
    """What has the parameters that something is built for, by the names of the function with the loop."""
    owner = parameters_of(Call(made.call, made.frame)).partition(".")[0]
    if not owner or owner == "self" or made.frame is run.frame:
        return {owner} - {""}
    seen = _seen_from(run, ast.Name(id=owner, ctx=ast.Load()), made.frame)
    return {(place(n) or "").partition(".")[0] for n in seen} - {""}


def _is_batch_loop(run: LoopRun) -> bool:
    """Does it iterate over batches: over something that is no range of numbers?"""
    if isinstance(run.node, ast.While) or run.role:
        return run.role == "batch"
    return not isinstance(run.node.iter, (ast.List, ast.Tuple)) and not any(
        isinstance(node, ast.Call)
        and last_name(node.func) in ("range", "trange", "count", "items", "parameters", "values")
        for node in walk(run.node.iter)
    )


def _is_fresh_each_iteration(flow: Flow, made: Event, run: LoopRun) -> bool:
    """Is what it is for new in each iteration, or reset?"""
    held, _ = reach(made.subject, made.frame)
    inside = [e for e in flow.events(Creates, RestoresState) if run in e.loops and e is not made]
    if not held or any(e.subject.identities & held for e in inside):
        return True
    given = Call(made.call, made.frame).arguments
    built_of = list(origins(given[0].node, made.frame)) if given else []
    named = (call for call in _calls_in_loop(run) if roles.is_weight_resetting_name(call.last_name))
    resets = (call for call in named if not roles.is_clearing_name(call.last_name))
    if any(not _is_copy_kept_aside(call, {place(o.node) for o in built_of}) for call in resets):
        return True
    owner = parameters_of(Call(made.call, made.frame))
    if any(_changes_parameters(call, owner) for call in _calls_in_loop(run)):
        return True
    if owner and next(_layers_rebound_in_loop(run, owner), None) is not None:
        return True
    return not given or any(_is_bound_by_loop(origin.node, origin.frame, run) for origin in built_of)


def _changes_parameters(call: Call, owner: str) -> bool:
    """Does a call change which parameters there are: of the model, where that is known? `bar.add_task()` does not, nor
    does `mask.expand(1, n)` of a tensor."""
    if (
        not call.last_name
        or not roles.is_layer_changing_name(call.last_name)
        or (call.last_name == "expand" and len(call.node.args) > 1)
    ):
        return False
    base = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    near = (place(n) or "" for n in (base, *call.node.args, *(k.value for k in call.node.keywords)))
    heads = {owner, owner.partition(".")[0], "self"}
    return not owner or base is None or any(n in heads or n.startswith((f"{owner}.", f"{owner}[")) for n in near)


def _layers_rebound_in_loop(run: LoopRun, owner: str) -> Iterator[Binding]:
    """The layers that a loop gives a model anew: `model.head = nn.Linear(8, n)`."""
    last = run.node.end_lineno or 0
    for name, found in run.frame.function.bindings.items():
        if name.startswith((f"{owner}.", f"{owner}[")):
            inside = (b for b in found if isinstance(b.value, ast.Call) and run.node.lineno <= b.node.lineno <= last)
            yield from (b for b in inside if not _is_plain_tensor(b.value, run.frame))


def _is_plain_tensor(node: Node, frame: Frame) -> bool:
    """Is it a tensor that is no parameter, `torch.zeros(3)`: no layer, whoever keeps it?"""
    return isinstance(evaluate(node, frame), TensorValue) and not Call(node, frame).callee.is_class(*PARAMETER)


def _is_copy_kept_aside(call: Call, names: set[str | None]) -> bool:
    """Is it a copy for later, `best = deepcopy(model)`, or of a state, and not what is trained from here on?"""
    if call.last_name != "deepcopy":
        return False
    bound = {b.name for b in bindings_of(call.node, call.function)}
    return "state_dict(" in call.text or (bool(bound) and bound.isdisjoint(names))


def _calls_in_loop(run: LoopRun) -> Iterator[Call]:
    """The calls that are written in a loop."""
    first, last = run.node.lineno, run.node.end_lineno
    for node in run.frame.function.calls:
        if first <= node.lineno <= last:
            yield Call(node, run.frame)


def _is_bound_by_loop(node: Node, frame: Frame, run: LoopRun) -> bool:
    """Is it a name that the loop binds, and not one that only an expression outside of the loop knows?"""
    if frame.function is not run.frame.function or not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    first, last = run.node.lineno, run.node.end_lineno or 0
    known = bindings_at(node, frame.function)
    bindings = frame.function.bindings.get(place(node) or "", ()) if known is None else known
    inside = (b for b in bindings if first <= getattr(b.node, "lineno", 0) <= last)
    return any(not _rebinds_same_object(b, frame) for b in inside)


def _rebinds_same_object(binding: Binding, frame: Frame) -> bool:
    """Is it `model = model.train()`, the same object again, `params = model.parameters()`, a part of it, or what a
    function gives back of what it was given: `loss, model = run_epoch(model)`?"""
    match binding.value:
        case ast.Call(func=ast.Attribute(attr="parameters")):
            return True
        case ast.Call(func=ast.Attribute(value=base, attr="train" | "eval" | "to" | "cuda" | "cpu" | "requires_grad_")):
            return bool(binding.kind == "assign" and place(base) == binding.name)
        case ast.Call() as call if binding.kind == "assign":
            results = list(results_of(call, frame))
            return bool(results) and all(_gives_back(binding, call, frame, *result) for result in results)
    return False


def _gives_back(binding: Binding, call: ast.Call, frame: Frame, result: Node, inner: Frame) -> bool:
    """Is what is bound of the result of a call the parameter that the same name was handed over for?"""
    for step in binding.path:
        result = result.elts[step] if isinstance(result, ast.Tuple) and step is not None else None
    if not isinstance(result, ast.Name) or [b.kind for b in bound_at(result, inner.function)] != ["param"]:
        return False
    given = bind(inner.function, call, frame)[0].get(result.id)
    return isinstance(given, Passed) and place(given.node) == binding.name
