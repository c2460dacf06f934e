"""What is this loop or this forward doing: does it train, or does it measure?

    for x, y in train_loader:                 # trains `net`: a backward of it is in the loop
        criterion(net(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        for x, y in val_loader:               # measures `net`: PROVEN, it runs over batches without a graph
            correct += (net(x).argmax(1) == y).sum()

The lattice has three answers for a run of a model: it is part of training, it measures, or neither can be told. What
says that a model is measured:

* PROVEN: it is fed rows that a split held out.
* USED: it runs over data without a graph, or with a graph that nothing differentiates while the flow trains the same
  model elsewhere.
* USED: it generates, where nothing around it trains: a loop without a graph feeds it what it gave before.
* CONVENTIONAL or NAMED: the function is called `evaluate`, or what the loop draws from is called `val_loader`, and a
  second fact agrees: no graph is recorded, or the model is trained elsewhere.

What changes the answer: a backward or a step in the loop, or of what comes out of it. What makes it unknown: an unknown
call that is given the model and may train it, a result that is handed back to a caller that differentiates it.

Deliberately not here: in which mode the model is (`modes`), which rows are held out (`splits`). Losses that are
collected for one backward below the loop are training, not measuring. Repeated runs on the same rows are samples of a
random model (Monte Carlo dropout), also not measuring.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Forward, Freezes, RestoresState, Unknown
from mllint.semantics.syntax.blocks import parts_on
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import thrown_away
from mllint.semantics.syntax.nodes import (
    Node,
    assigned_pairs,
    is_range_iterable,
    is_within,
    last_name,
    mentions_place,
    place,
    walk,
    without_items,
)
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.graphs.results import becomes_numbers
from mllint.semantics.training.modes.dependence import depends_on_mode
from mllint.semantics.training.randomness.seeds import is_test_code
from mllint.semantics.training.roles import (
    HELD_OUT,
    Activity,
    activity_evidence,
    is_random_on_purpose_name,
    rows_by_name,
)
from mllint.semantics.values.evaluate import evaluate

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.values.frames import Frame

__all__ = [
    "GRADIENTS", "hands_on_model", "innermost", "is_differentiated_by_caller", "is_statement", "is_teacher",
    "is_trained_elsewhere", "is_training_loop", "leaves_after_first_batch", "measures", "name_of_evaluation",
    "takes_gradients", "weights_read",
]  # fmt: skip

GRADIENTS = frozenset(("grad", "jacobian", "hessian", "vjp"))
"""Functions and attributes that give gradients."""

_METERS = frozenset("max_memory_allocated memory_allocated elapsed_time perf_counter time synchronize".split())
_HOPS = 6
_READING = ("load", "load_file")


# ------------------------------------------------------------------------------------------------------------ measuring
def measures(forward: Event, flow: Flow) -> Answer[bool] | None:
    """Whether a run of a model is a measurement.

    Args:
        forward: the run of the model.
        flow: the flow that it is part of.

    Returns:
        The answer with its evidence, None where it trains, or where that is unknown.
    """
    if is_statement(forward) or is_random_on_purpose_name(forward.function.qualname):
        return None
    evidence = _evidence(forward, flow)
    run = innermost(forward)
    if evidence is None or (run is not None and _collects_losses(forward, run, flow)):
        return None
    named = name_of_evaluation(forward)
    here = Site(forward.frame.module, forward.call)
    if run is not None and run.role == "batch":
        in_training = is_training_loop(run, flow) or (named is None and _draws_from_training(forward, run, flow))
        return Answer(True, evidence, (here, run.site)) if not in_training or is_teacher(forward, flow) else None
    if any(outer.role == "batch" and is_training_loop(outer, flow) for outer in forward.loops):
        return None
    if (
        run is not None
        and _feeds_back_outputs(forward, run)
        and not any(is_training_loop(outer, flow) for outer in forward.loops)
    ):
        return Answer(True, evidence, (here, run.site)) if depends_on_mode(forward.subject) is True else None
    if run is not None and not is_training_loop(run, flow):
        return _in_other_loop(forward, run, named, evidence)
    once = _evaluates_all_rows(forward, flow) or (_records_nothing(forward) and _is_loaded(forward, flow))
    if once or _in_comprehension(forward):
        return Answer(True, evidence, (here,))
    return None


def _in_other_loop(forward: Event, run: LoopRun, named: Evidence | None, evidence: Evidence) -> Answer[bool] | None:
    """The answer for a loop of which it is not known that it draws batches: `for step in range(n)`, `for x in rows`."""
    if _repeats_same_rows(forward, run):
        return None
    because = (Site(forward.frame.module, forward.call), run.site)
    if named is not None and _records_nothing(forward) and run.frame is forward.frame:
        return Answer(True, named, because, corroborated=True)  # iterations that draw their data themselves
    over_data = named is not None or _is_held_out(forward) or not _is_counting_loop(run)
    if over_data and isinstance(run.node, ast.For) and depends_on_mode(forward.subject) is True:
        return Answer(True, evidence, because)
    return None


def _evidence(forward: Event, flow: Flow) -> Evidence | None:
    """What says that a model is measured rather than trained, the strongest first; None where nothing does."""
    if _is_held_out(forward):
        return Evidence.PROVEN
    if _records_nothing(forward):
        return Evidence.USED
    run = innermost(forward)
    return _graph_unused(forward, run, flow) if run is not None else None


def _records_nothing(forward: Event) -> bool:
    """Is no graph recorded there, by a context, a decorator, or `torch.set_grad_enabled(False)` above it?"""
    if forward.grad_off is True:
        return True
    if "set_grad_enabled" not in forward.function.called_names:
        return False
    calls = [c for c in forward.function.calls if last_name(c.func) == "set_grad_enabled" and c.args]
    above = max((c for c in calls if c.lineno < forward.site.line), key=_line, default=None)
    return above is not None and isinstance(above.args[0], ast.Constant) and above.args[0].value is False


def _line(call: ast.Call) -> int:
    return call.lineno


def _is_held_out(forward: Event) -> bool:
    """Is it fed rows that a split held out?"""
    given = [evaluate(a, forward.frame) for a in forward.call.args if not isinstance(a, ast.Starred)]
    return any(v.comes_from("heldout", "test") for v in given)


def _graph_unused(forward: Event, run: LoopRun, flow: Flow) -> Evidence | None:
    """Is a graph recorded that nothing differentiates, of a model that is trained elsewhere in the flow?"""
    rows = _has_held_out_name(run)
    if run.role != "batch" and not rows:
        return None
    named, numbers = name_of_evaluation(forward), becomes_numbers(forward, run)
    if not (rows or numbers or named is not None) or not is_trained_elsewhere(forward, run, flow, apart=not numbers):
        return None
    depends = depends_on_mode(forward.subject)  # the dearest question
    if depends is False or (depends is None and not numbers):
        return None
    return None if takes_gradients(run, flow) or hands_on_model(run, flow) else Evidence.USED


def is_trained_elsewhere(forward: Event, run: LoopRun, flow: Flow, *, apart: bool = False) -> bool:
    """Whether the model of a run is certainly trained in the flow, but not in the loop; `apart`: nor in the function,
    if that is named for evaluation."""
    apart = apart and name_of_evaluation(forward) is not None
    backwards = (b for b in flow.events(AccumulatesGrad) if run not in b.loops)
    return any(b.concerns(forward) is True for b in backwards if not (apart and b.function is forward.function))


def _has_held_out_name(run: LoopRun) -> bool:
    """Is what a loop goes over called held-out data: `for x, y in test_dataloader`, `loaders["val"]`?"""
    nodes = list(walk(run.node.iter)) if isinstance(run.node, ast.For) else []
    names = [place(n) or "" for n in nodes if isinstance(n, (ast.Name, ast.Attribute))]
    names += [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    rows = {found for name in names if (found := rows_by_name(name)) is not None}
    return bool(rows) and rows <= HELD_OUT


def name_of_evaluation(forward: Event) -> Evidence | None:
    """How well the name of the function around says that it evaluates; None where it does not."""
    function = forward.function
    return None if function.is_body else activity_evidence(function.name, Activity.MEASURES)


# ------------------------------------------------------------------------------------------- what is no measurement
def is_statement(event: Event) -> bool:
    """Is its result discarded: as a statement or, where neither time nor memory is measured, into `_`?"""
    if id(event.call) in thrown_away(event.function):
        return True
    dropped = any(b.value is event.call and not b.path for b in event.function.bindings.get("_", ()))
    return dropped and event.function.called_names.isdisjoint(_METERS)


def _draws_from_training(forward: Event, run: LoopRun, flow: Flow) -> bool:
    """Does a loop draw from the very loader that is trained on, in the same epoch? It computes the training loss."""
    if run.iterates is None or run.frame is not forward.frame or not run.outer:
        return False
    others = (r for b in flow.events(AccumulatesGrad) if b.frame is forward.frame for r in b.loops[-1:])
    loaders = (r.iterates for r in others if r.outer == run.outer and r.iterates is not None)
    return any(loader.same_as(run.iterates) is True for loader in loaders)


def _collects_losses(forward: Event, run: LoopRun, flow: Flow) -> bool:
    """Does the model run with gradients in the same loop, with a backward of it below, in a loop around: are losses
    collected there?"""
    if not any(f.grad_off is False and f.concerns(forward) is True for f in flow.events(Forward) if run in f.loops):
        return False
    own = (b for b in flow.events(AccumulatesGrad) if b.frame is run.frame and b.loops)
    below = (b for b in own if b.loops == run.outer[: len(b.loops)] and b.site.line > (run.node.end_lineno or 0))
    return any(b.concerns(forward) is not False for b in below)


def _repeats_same_rows(forward: Event, run: LoopRun) -> bool:
    """Does a counted loop run the model on the same rows in each iteration: Monte Carlo dropout?"""
    if run.frame is not forward.frame or not _is_counting_loop(run):
        return False
    return _bound_in(run).isdisjoint(_names_given(forward.call))


def _feeds_back_outputs(forward: Event, run: LoopRun) -> bool:
    """Is a model run without a graph on what it gave one turn of a loop before: `x = torch.cat([x, pick(net(x))])`?"""
    if run.frame is not forward.frame or not _records_nothing(forward):
        return False
    given = {n.id for a in forward.call.args for n in walk(a) if isinstance(n, ast.Name)}
    stored = [pair for s in run.node.body for n in walk(s) for pair in _stored(n)]
    made: set[str] = set()
    for _ in range(_HOPS):
        made |= {
            name
            for name, value in stored
            if any(n is forward.call or (isinstance(n, ast.Name) and n.id in made) for n in walk(value))
        }
    return not given.isdisjoint(made)


def _stored(node: Node) -> list[tuple[str, Node]]:
    """The names that a statement or a call changes, each with what it gets: by an assignment, `+=`, or `append`."""
    pairs = [(node.target, node.value)] if isinstance(node, ast.AugAssign) else assigned_pairs(node)
    if isinstance(node, ast.Call) and last_name(node.func) in ("append", "extend") and node.args:
        pairs = [(getattr(node.func, "value", None), node.args[0])]
    names = [(n, value) for target, value in pairs if target is not None for n in walk(target)]
    return [(n.id, value) for n, value in names if isinstance(n, ast.Name)]


def _is_counting_loop(run: LoopRun) -> bool:
    """Does a loop go through numbers, `range(n)`, rather than data?"""
    return isinstance(run.node, ast.For) and is_range_iterable(run.node.iter)


# ------------------------------------------------------------------------------------------ measurements without a loop
def _in_comprehension(forward: Event, *, of_numbers: bool = False) -> bool:
    """Is it in a comprehension over data (or over whatever, with `of_numbers`), rather than over several models?"""
    function = forward.function
    if isinstance(function.node, ast.Lambda):
        nodes = walk(function.node)
    else:
        nodes = [n for part in parts_on([forward.call.lineno], function.node) for n in walk(part)]
    for node in nodes:
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)) and is_within(forward.call, node.elt):
            last = node.generators[-1]
            if any(place(n) == place(forward.call.func) for n in walk(last.target)):
                return False
            return of_numbers or not is_range_iterable(last.iter)
    return False


def _evaluates_all_rows(forward: Event, flow: Flow) -> bool:
    """Are all rows evaluated at once, of a model that is trained in the same flow?"""
    if depends_on_mode(forward.subject) is not True:
        return False
    backwards = [b for b in flow.events(AccumulatesGrad) if b.concerns(forward) is not False]
    at_once = forward.grad_off is True and not forward.loops and _is_held_out(forward)
    if at_once and not _in_comprehension(forward, of_numbers=True):
        return any(b.concerns(forward) is True and flow.path(b, to=forward) for b in backwards)
    if name_of_evaluation(forward) is None:
        return False
    return any(b.frame is not forward.frame and b.loops == forward.loops for b in backwards)


def _is_loaded(forward: Event, flow: Flow) -> bool:
    """Is it one answer of a model whose weights were read from a file, in a flow that trains nothing?"""
    if depends_on_mode(forward.subject) is not True or is_test_code(forward.function.module):
        return False
    if any(True for _ in flow.events(AccumulatesGrad, AppliesGrad)):
        return False
    return any(e.concerns(forward) is True and not _copies_weights(e) for e in flow.events(RestoresState))


def _copies_weights(restore: Event) -> bool:
    """Are the weights those of another model: `target.load_state_dict(model.state_dict())`?"""
    given = restore.call.args if isinstance(restore.call, ast.Call) else []
    return any(isinstance(n, ast.Call) and last_name(n.func) == "state_dict" for a in given for n in walk(a))


def is_teacher(forward: Event, flow: Flow) -> bool:
    """Is it a model with weights from a file that nobody trains, and that another one learns from? One that starts as a
    copy of what is trained, and follows it, may run in train mode on purpose."""
    if forward.grad_off is not True or depends_on_mode(forward.subject) is not True or _is_copy(forward):
        return False
    frozen = any(e.option is not False and e.concerns(forward) is True for e in flow.events(Freezes))
    return (frozen or _is_left_alone(forward, flow)) and bool(weights_read(forward, flow))


def _is_copy(forward: Event) -> bool:
    """Is the model made as a copy of another one?"""
    return any("Copied" in v.traits for v in forward.subject.alternatives)


def _is_left_alone(forward: Event, flow: Flow) -> bool:
    """Does every step update certainly another model, and nothing else get at the parameters of this one?"""
    steps = list(flow.events(AppliesGrad))
    if not steps or any(step.concerns(forward) is not False for step in steps):
        return False
    if any(e.grad_off is not True for e in flow.events(Forward) if e.concerns(forward) is not False):
        return False
    model = place(forward.call.func)
    return not any(place(c.func) in (f"{model}.parameters", f"{model}.state_dict") for c in forward.function.calls)


def weights_read(forward: Event, flow: Flow) -> list[Event]:
    """Where the weights of a model are read from a file: `model.load_state_dict(torch.load(path)["model"])`."""
    found = [e for e in flow.events(RestoresState) if e.concerns(forward) is True and isinstance(e.call, ast.Call)]
    return [e for e in found if any(_is_read_from_file(a, e.frame) for a in e.call.args)]


def _is_read_from_file(node: Node, frame: Frame) -> bool:
    """Is it what a file holds, or an entry of that, also by a name?"""
    bound = frame.function.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    read = [without_items(value) for value in ([b.value for b in bound] or [node])]
    return all(isinstance(call, ast.Call) and last_name(call.func) in _READING for call in read)


# ---------------------------------------------------------------------------------------------------------------- loops
@cached()
def innermost(event: Event) -> LoopRun | None:
    """The loop directly around an event, other than over models of which each is run: `[net(x) for net in nets]`."""
    return next((run for run in reversed(event.loops) if not _goes_through_models(run, event)), None)


def _goes_through_models(run: LoopRun, event: Event) -> bool:
    """Does a loop bind what is called, in its body only where nothing that it is given is bound by the loop?"""
    called = place(event.call.func) if isinstance(event.call, ast.Call) and run.frame is event.frame else None
    if called is None or mentions_place(getattr(run.node, "target", None), called):
        return called is not None
    bound = _bound_in(run) if isinstance(run.node, ast.For) else set()
    return called in bound and bound.isdisjoint(_names_given(event.call))


def _names_given(call: Node) -> set[str]:
    return {n.id for a in call.args for n in walk(a) if isinstance(n, ast.Name)}


@cached(local=True)
def _bound_in(run: LoopRun) -> set[str]:
    """The names that a `for` loop binds, in its head and its body."""
    names = (n for s in (run.node.target, *run.node.body) for n in walk(s) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store)}


def is_training_loop(run: LoopRun, flow: Flow) -> bool:
    """Is something trained in the loop as it runs here?"""
    return any(run in e.loops for e in flow.events(AccumulatesGrad, AppliesGrad))


def leaves_after_first_batch(run: LoopRun) -> bool:
    """Is a loop left after its first batch?"""
    return isinstance(run.node, ast.For) and isinstance(run.node.body[-1], ast.Break)


def hands_on_model(run: LoopRun, flow: Flow) -> bool:
    """Does an unknown call in the loop get a model that runs there?"""
    models = [f for f in flow.events(Forward) if run in f.loops]
    return any(run in event.loops and any(event.holds(f) for f in models) for event in flow.events(Unknown))


def takes_gradients(run: LoopRun, flow: Flow) -> bool:
    """Does something visible take gradients in the loop, or of what it leaves: of inputs, or by `autograd.grad`?"""
    if any(run in event.loops for event in flow.events(Freezes)):
        return True
    ends = (b for b in flow.events(AccumulatesGrad) if b.frame is run.frame)
    if is_differentiated_by_caller(run.frame, flow) or any(_comes_out_of(b, run) for b in ends):
        return True
    return run.frame.module.source.mentions(GRADIENTS) and any(_reads_gradient(n) for n in walk(run.node))


def is_differentiated_by_caller(frame: Frame, flow: Flow) -> bool:
    """Does whoever called a function differentiate what it gives: `self.measure(model, loader).backward()`?"""
    while frame.caller is not None:
        outer, call = frame.caller
        for backward in flow.events(AccumulatesGrad):
            if backward.frame is outer and isinstance(backward.call, ast.Call):
                names = {n.id for n in walk(backward.call) if isinstance(n, ast.Name)}
                values = [b.value for name in names for b in outer.function.bindings.get(name, ())]
                if any(is_within(call, node) for node in (backward.call, *values) if node is not None):
                    return True
        frame = outer
    return False


def _reads_gradient(node: Node) -> bool:
    """Is it an attribute or a function for gradients: `p.grad`, `autograd.grad(...)`, an imported `grad(...)`?"""
    if isinstance(node, ast.Attribute):
        return node.attr in GRADIENTS
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in GRADIENTS


def _comes_out_of(backward: Event, run: LoopRun) -> bool:
    """Does a backward after a loop start from what the last iteration has left behind?"""
    base = backward.call.func if isinstance(backward.call, ast.Call) else None
    while isinstance(base, (ast.Attribute, ast.Call, ast.Subscript)):
        base = base.func if isinstance(base, ast.Call) else base.value
    bound = run.frame.function.bindings.get(base.id, ()) if isinstance(base, ast.Name) else ()
    first, last = run.node.lineno, run.node.end_lineno or run.node.lineno
    return bool(bound) and all(first <= getattr(b.node, "lineno", 0) <= last < backward.site.line for b in bound)
