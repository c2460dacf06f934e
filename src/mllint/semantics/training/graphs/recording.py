"""Does running this model record a graph, and does anybody use it?

    model.eval()
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum()     # recorded, and it is never differentiated

A run records a graph if gradients are on where it stands and some parameter asks for gradients. The answer is the run,
its loop, and whether the waste matters; None where no graph is recorded, or where somebody may use it. The events that
matter:

* `no_grad`, `inference_mode`, `set_grad_enabled(False)` around the run, or around all calls of the function;
* `requires_grad_(False)`: of all parameters; a later `requires_grad_(True)` undoes it; also in its own constructor, or
  in the function that loads it;
* a backward, or anything that reads gradients, in the loop.

What makes it unknown: a model without parameters, one that switches gradients off itself, or that takes gradients in a
method of its own (it adapts, or computes forces).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Creates, Forward, Freezes, SetsMode
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import Cache, cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope, Scope
from mllint.semantics.syntax.nodes import Node, is_range_iterable, is_within, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.graphs.learning_parts import runs_learning_part
from mllint.semantics.training.graphs.results import becomes_numbers
from mllint.semantics.training.layers.freezing import freezes_itself, is_frozen_where_loaded
from mllint.semantics.training.modes.state import is_in_eval_mode, is_put_into_eval_mode
from mllint.semantics.training.phases import (
    GRADIENTS,
    hands_on_model,
    innermost,
    is_statement,
    is_trained_elsewhere,
    is_training_loop,
    leaves_after_first_batch,
    name_of_evaluation,
    takes_gradients,
)
from mllint.semantics.training.randomness.seeds import is_test_code
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import attribute, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.gradmode import grad_off
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.reach import imported_names
from mllint.semantics.values.values import InstanceValue, LiteralValue, TensorValue

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = ["has_no_grad_setting", "unused_graphs"]

_HOOKS = ("register_forward_hook", "register_full_backward_hook", "register_forward_pre_hook", "register_hook")
_SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")
_FILLED = frozenset("zeros ones rand randn randint full normal arange linspace".split())
_GRAD = frozenset(("grad",))
_DIFFERENTIATING = ("grad", "backward", "requires_grad", "requires_grad_")
_BY_LOOP: Cache[LoopRun | None, list[Event]] = Cache()


def unused_graphs(flow: Flow) -> Iterator[tuple[Event, LoopRun | None, Answer[bool]]]:
    """The runs of models whose graph is never used.

    Yields:
        The run of the model, the loop over data around it (None where there is none), and how well it is known that
        the graph is a waste.
    """
    if any(e.call is not None and last_name(e.call.func) == "set_grad_enabled" for e in flow.events(Creates)):
        return
    found = list(_wasted(flow))
    if found and not _is_called_without(flow):
        yield from found


def _wasted(flow: Flow) -> Iterator[tuple[Event, LoopRun | None, Answer[bool]]]:
    """The same, wherever the function itself is called."""
    reported: set[int] = set()
    for run in flow.runs:
        forward = _in_loop(run, flow) if _may_waste(run, flow, reported) else None
        if forward is not None:
            reported.update((id(run.node), id(forward.call)))
            yield forward, run, proven_unless(_is_excused(forward), True, forward.site)
    for forward in flow.events(Forward):
        if id(forward.call) in reported or forward.grad_off is not False or is_statement(forward):
            continue
        if _is_without_loop(forward, flow) and is_in_eval_mode(forward, flow) and not _needs_no_switch(forward, flow):
            once = flow.root.is_body and not forward.loops  # at the end of a script it costs little
            doubt = once or _is_single_sample(forward) or _is_excused(forward)
            yield forward, None, proven_unless(doubt, True, forward.site)


def _may_waste(run: LoopRun, flow: Flow, reported: set[int]) -> bool:
    """Is it a loop in which nothing is trained or differentiated, and that is not left after its first batch?"""
    if run.role == "epoch" or isinstance(run.node, ast.While) or leaves_after_first_batch(run):
        return False
    if any(id(outer.node) in reported for outer in run.outer):
        return False
    return not (is_training_loop(run, flow) or takes_gradients(run, flow))


def _in_loop(run: LoopRun, flow: Flow) -> Event | None:
    """The run of a model directly in a loop that records a graph for nothing."""
    recording = [f for f in _directly_in(run, flow) if f.grad_off is False]
    handed_on = bool(recording) and hands_on_model(run, flow)
    for forward in recording:
        if not _is_measuring_loop(forward, run, flow, handed_on=handed_on):
            continue
        if is_statement(forward) and not (run.role == "batch" and _shows_nothing(forward)):
            continue
        if _is_chosen(forward, flow) or _is_run_for_gradients(forward, run):
            continue
        if _only_measures(forward, run, flow) and not _needs_no_switch(forward, flow):
            return forward
    return None


def _is_measuring_loop(forward: Event, run: LoopRun, flow: Flow, *, handed_on: bool) -> bool:
    """Is it a loop over data or over steps of sampling, in which nobody can differentiate what the model gives?

    Args:
        forward: the run of the model.
        run: its loop.
        flow: the flow of both.
        handed_on: does an unknown call in the loop get the model? It may differentiate all but plain numbers.
    """
    if handed_on:
        return run.role == "batch" and becomes_numbers(forward, run)
    return bool(run.role) or _is_in_sampling_function(forward, flow) or becomes_numbers(forward, run)


def _directly_in(run: LoopRun, flow: Flow) -> list[Event]:
    """The runs of models whose innermost loop is this one."""
    table = _BY_LOOP.of(flow.entry)
    if not table:
        for forward in flow.events(Forward):
            table.setdefault(innermost(forward), []).append(forward)
    return table.get(run, [])


def _is_chosen(forward: Event, flow: Flow) -> bool:
    """Does the function run the model without gradients as well, in the same loop or on the other side of an `if`:
    `if wanted: with torch.no_grad(): ...`? So this run is meant to have them."""
    others = (o for o in flow.events(Forward) if o.grad_off and o.frame is forward.frame)
    if any(innermost(o) is innermost(forward) and o.concerns(forward) for o in others):
        return True
    name = place(forward.call.func)
    for choice in _choices(forward.function):
        for mine, other in ((choice.body, choice.orelse), (choice.orelse, choice.body)):
            if any(is_within(forward.call, statement) for statement in mine):
                calls = (n for s in other for n in walk(s) if isinstance(n, ast.Call) and place(n.func) == name)
                return any(grad_off(call, forward.frame) for call in calls)
    return False


@cached_per_scope(local=True)
def _choices(function: FunctionScope) -> list[ast.If]:
    """The tests of a function, those in nested functions included, that say what is done otherwise."""
    return [n for n in function.nodes_of(ast.If) if n.orelse]


def _shows_nothing(forward: Event) -> bool:
    """Is nothing left of a run whose result is discarded: no hook sees it, and no model keeps what it computes?"""
    project = forward.frame.project
    if not isinstance(forward.subject, InstanceValue) or any(project.calls_named(name) for name in _HOOKS):
        return False
    running = (c.methods["forward"] for m in project.modules for c in m.classes if "forward" in c.methods)
    return not any(name.startswith("self.") for f in running for name in f.bindings)


def _only_measures(forward: Event, run: LoopRun, flow: Flow) -> bool:
    """Is the model in eval mode? Or put into it, or trained elsewhere, while all that it gives here becomes numbers?"""
    if is_in_eval_mode(forward, flow):
        return True
    if not becomes_numbers(forward, run):
        return False
    if is_put_into_eval_mode(forward, flow):
        return True
    return run.role == "batch" and is_trained_elsewhere(forward, run, flow)


def _is_in_sampling_function(forward: Event, flow: Flow) -> bool:
    """Is it in a function that sets eval mode itself, and in which nobody asks for gradients: a loop over steps of
    sampling, rather than of an adaptation, or inside a model?"""
    if is_test_code(forward.function.module) or forward.function.name == "forward":
        return False
    if any(e.frame is forward.frame for e in flow.events(AccumulatesGrad, AppliesGrad)) or _asks_for_gradients(forward):
        return False
    return _sets_eval_mode(forward, flow)


def _asks_for_gradients(forward: Event) -> bool:
    return any(getattr(n, "attr", "") in _DIFFERENTIATING for n in walk(forward.function.node))


def _is_run_for_gradients(forward: Event, run: LoopRun) -> bool:
    """Does a function call `autograd.grad` between the loop and the run of the model, as an attack does, or one that is
    called in the loop, as the step of an adaptation?"""
    frame: Frame | None = forward.frame
    while frame is not None and frame is not run.frame:
        if "grad" in frame.function.called_names:
            return True
        frame = frame.caller[0] if frame.caller is not None else None
    asking = run.frame.project.reach.functions(_GRAD, 1)
    calls = (n for s in run.node.body for n in walk(s) if isinstance(n, ast.Call)) if asking else ()
    return any(id(f) in asking for c in calls for f in Call(c, run.frame).callees)


def _sets_eval_mode(forward: Event, flow: Flow, *, or_caller: bool = False) -> bool:
    """Does the function of a run put the model into eval mode itself, or one that called it here?"""
    frames = _frames_around(forward.frame) if or_caller else (forward.frame,)
    keys = [frame.key for frame in frames]  # that of a frame stays the same in each round of `for part in ("a", "b")`
    modes = [m for m in flow.events(SetsMode) if m.option == "eval" and m.frame.key in keys]
    return any(m.concerns(forward) for m in modes)


def _frames_around(frame: Frame) -> list[Frame]:
    """The call of a function, and those from which it was entered."""
    found = [frame]
    while frame.caller is not None:
        frame = frame.caller[0]
        found.append(frame)
    return found


def _is_without_loop(forward: Event, flow: Flow) -> bool:
    """Is it outside of loops in a function that evaluates and does no more?"""
    if any(e.frame is forward.frame for e in flow.events(AccumulatesGrad, AppliesGrad)):
        return False
    run = innermost(forward)
    if name_of_evaluation(forward) is None or (run is not None and run.frame is forward.frame):
        return False
    if is_test_code(forward.function.module) or forward.function.name.endswith("_step"):
        return False  # a test of code, not of a model; or what a framework calls, without gradients
    if _asks_for_gradients(forward):
        return False
    if any(_is_in_loop_over_data(call, frame.function) for call, frame in flow.frame.project.callers(forward.function)):
        return False  # the loop there is asked about
    return _sets_eval_mode(forward, flow, or_caller=True)


def _is_in_loop_over_data(call: ast.Call, function: FunctionScope) -> bool:
    around = [r.node for r in function.loops if isinstance(r.node, ast.For) and any(n is call for n in walk(r.node))]
    return any(not is_range_iterable(n.iter) for n in around)


# ------------------------------------------------------------------------------------------------ no graph is recorded
def _is_called_without(flow: Flow) -> bool:
    """Do all callers of the function call it where no graph is recorded, or all that may be if none is seen?"""
    if _is_called_by_base(flow.root):
        return True
    project = flow.frame.project
    found = project.callers(flow.root) or _called_by_name(flow.root, project)
    off = (grad_off(call, frame) for call, frame in found)  # mostly it is not in the first, and no more are asked
    return bool(next(off, False)) and all(off)


def _called_by_name(method: FunctionScope, project: Project) -> Iterator[tuple[ast.Call, Frame]]:
    """The calls of a method of that name, of objects of which nothing is known; those in files that import the class of
    the method, if there are any."""
    owner = method.owner
    calls = project.calls_named(method.name) if owner is not None else []
    near = [c for c in calls if owner is not None and owner.name in imported_names(c[1].module)]
    is_near = False
    for node, scope in near:
        for found in _of_unknown(node, scope, project):
            is_near = True
            yield found
    if is_near:
        return
    for node, scope in calls:
        yield from _of_unknown(node, scope, project)


def _of_unknown(node: ast.Call, scope: Scope, project: Project) -> Iterator[tuple[ast.Call, Frame]]:
    """The call of an attribute of something of which nothing is known, in its frame."""
    if isinstance(node.func, ast.Attribute) and isinstance(scope, FunctionScope):
        frame = project.frame(scope)
        if evaluate(node.func.value, frame).is_unknown:
            yield node, frame


def _is_called_by_base(function: FunctionScope) -> bool:
    """Does a base class run a method where no graph is recorded: `predict` from a decorated `__call__`?"""
    bases = (
        [c for c in mro(function.owner) if isinstance(c, ClassScope)] if isinstance(function.owner, ClassScope) else []
    )
    methods = [m for c in bases for m in c.methods.values() if m is not function]
    without = {m.name for m in methods if m.decorated("no_grad", "inference_mode")}
    return any(m.name in without and function.name in m.called_names for m in methods)


def _needs_no_switch(forward: Event, flow: Flow) -> bool:
    """May it have no parameters that learn, or does it build no graph by itself, or need one inside?"""
    if not _has_parameters(forward.subject, forward.frame):
        return True
    if _compares_results(forward) or _differentiates_itself(forward):
        return True
    if _calls_freeze(forward) or freezes_itself(forward.subject, forward.frame):
        return True
    if (_switches_off(forward) or _is_frozen(forward, flow)) and not runs_learning_part(forward, flow):
        return True
    if forward.subject.is_unknown and _may_be_built_frozen(forward):
        return True
    thawed = any(e.option is False and e.concerns(forward) is True for e in flow.events(Freezes))
    return (
        isinstance(forward.call, ast.Call) and not thawed and is_frozen_where_loaded(forward.call.func, forward.frame)
    )


def _may_be_built_frozen(forward: Event) -> bool:
    """Does another caller of the function hand in a model that freezes itself?"""
    frame = forward.frame.project.frame(forward.function)
    given = evaluate(forward.call.func, frame).alternatives
    return any(isinstance(v, InstanceValue) and freezes_itself(v, frame) for v in given)


def _is_frozen(forward: Event, flow: Flow) -> bool:
    """May all parameters of the model be frozen where it runs? A later thaw of the same model undoes a freeze, and one
    from which no path leads there, as in another branch, freezes nothing."""
    thaws = [e for e in flow.events(Freezes) if e.option is False and e.concerns(forward) is True]
    return any(
        freeze.option is not False
        and freeze.concerns(forward) is not False
        and not _is_of_norms(freeze)
        and not _is_of_new_tensor(freeze)
        and not _is_of_part_that_trains(freeze, forward, flow)
        and not any(_unfreezes_all_frozen(thaw, freeze, forward, flow) for thaw in thaws)
        and flow.path(freeze, to=forward) is not None
        for freeze in flow.events(Freezes)
    )


def _unfreezes_all_frozen(thaw: Event, freeze: Event, forward: Event, flow: Flow) -> bool:
    """Does every path from a freeze to the run pass a thaw of all that was frozen?"""
    frozen, thawed = (event.abouts()[0].reached.ids for event in (freeze, thaw))
    if not frozen or frozen != thawed or thaw.conditions != freeze.conditions:
        return False
    return flow.path(freeze, to=thaw) is not None and flow.path(freeze, to=forward, avoiding=thaw) is None


def _is_of_part_that_trains(freeze: Event, forward: Event, flow: Flow) -> bool:
    """Does a part freeze itself where it is built, of a model that is trained for all that: a backbone below a head?"""
    owner = freeze.function.owner
    if freeze.function.name != "__init__" or owner is None or owner in forward.subject.classes:
        return False
    return any(b.concerns(forward) is True for b in flow.events(AccumulatesGrad))


def _is_of_new_tensor(freeze: Event) -> bool:
    """Does it freeze a tensor of its own, of no model: `weight = torch.tensor([1.0]); weight.requires_grad = False`?"""
    subject = freeze.subject
    return isinstance(subject, TensorValue) and bool(subject.identity) and not subject.graph and not subject.opaque


def _is_of_norms(freeze: Event) -> bool:
    """Does it freeze normalisation layers only: `if isinstance(m, nn.BatchNorm2d): m.weight.requires_grad = False`?"""
    for test, holds, _ in freeze.conditions:
        if holds and isinstance(test, ast.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2:
            kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
            if all(topics.is_about(last_name(kind), Topic.NORMALIZATION) for kind in kinds):
                return True
    return False


def _calls_freeze(forward: Event) -> bool:
    """Does the function say `model.freeze()`, as Lightning's modules can?"""
    freezing = [c.func for c in forward.function.calls_to(("freeze",)) if isinstance(c.func, ast.Attribute)]
    own = forward.call.func if isinstance(forward.call, ast.Call) else None
    return any(place(f.value) == place(own) for f in freezing)


def _switches_off(forward: Event) -> bool:
    """May the model's own `forward` switch gradients off, or a method that it runs in one mode: `if self.training:`?"""
    model = forward.subject
    if not isinstance(model, InstanceValue):
        return False
    for cls in model.classes:
        own = method(cls, "forward")
        if own is None or own.stubbed:
            continue
        asks = any(isinstance(n, ast.Attribute) and n.attr == "training" for s in own.body for n in walk(s))
        calls = [c for c in own.calls if asks and (place(c.func) or "").startswith("self.")]
        inner = [method(cls, last_name(c.func)) for c in calls]
        runs = [own, *(f for f in inner if f is not None and not f.stubbed)]
        if any(not f.called_names.isdisjoint(_SWITCHES) or f.decorated(*_SWITCHES) for f in runs):
            return True
    return False


def _differentiates_itself(forward: Event) -> bool:
    """Does the model take gradients in one of its own methods, as one that adapts to a task does?"""
    model = forward.subject
    classes = [c for cls in model.classes for c in mro(cls)] if isinstance(model, InstanceValue) else []
    own = [f for c in classes if isinstance(c, ClassScope) and not c.module.is_stub for f in c.methods.values()]
    return any(not f.called_names.isdisjoint((*GRADIENTS, "backward")) for f in own)


def _has_parameters(model: Value, frame: Frame) -> bool:
    """Can a module have parameters? A loss of PyTorch has none, nor a module that keeps nothing but plain values and
    such losses."""
    if not isinstance(model, InstanceValue):
        return True
    for cls in model.classes:
        classes = [c for c in mro(cls) if isinstance(c, ClassScope)]
        if any(c.module.is_stub and c.qualname == "_Loss" for c in classes if c is not cls):
            return not cls.module.is_stub
        own = [c for c in classes if not c.module.is_stub]
        plain = any(c.module.is_stub and c.qualname == "Module" for c in classes)
        assigned = {name.removeprefix("self.") for f in cls.methods.values() for name in f.bindings if "." in name}
        if plain and len(own) == 1 and all(_is_plain(attribute(model, name, frame), frame) for name in assigned):
            return any(last_name(c.func) in ("setattr", "add_module") for f in cls.methods.values() for c in f.calls)
    return True


def _is_plain(value: Value, frame: Frame) -> bool:
    """Is it a plain value, or a module without parameters?"""
    return all(isinstance(v, LiteralValue) or not _has_parameters(v, frame) for v in value.alternatives)


def _compares_results(forward: Event) -> bool:
    """Is it something unknown, perhaps a loss without parameters, that is given what a model computed without a
    graph?"""
    call = forward.call
    if not _may_be_any_model(forward.subject) or not isinstance(call, ast.Call) or len(call.args) < 2:
        return False
    found = [o for a in call.args for o in origins(a, forward.frame)]
    return any(isinstance(o.node, ast.Call) and grad_off(o.node, o.frame) for o in found)


# ------------------------------------------------------------------------------------------------- reasons to let it be
def _is_single_sample(forward: Event) -> bool:
    """Is it run once, for one sample that is made a batch: `model(image.unsqueeze(0))`? Its graph is small."""
    given = forward.call.args[:1] if isinstance(forward.call, ast.Call) and not forward.loops else []
    found = [o.node for node in given for o in origins(node, forward.frame)]
    calls = (n for n in found if isinstance(n, ast.Call) and last_name(n.func) in ("unsqueeze", "expand_dims"))
    return any(isinstance(a, ast.Constant) and a.value == 0 for n in calls for a in n.args)


def _is_excused(forward: Event) -> bool:
    """Is there a reason to let it be: made-up data, forces, a switch of the author's own, PyTorch before 0.4?"""
    return (
        has_no_grad_setting(forward)
        or _reads_forces(forward.function)
        or _may_derive(forward)
        or _is_of_made_up(forward)
    )


def _is_of_made_up(forward: Event) -> bool:
    """Is the model only tried, on numbers that are drawn or filled in: `model(torch.randn(2, 3))`?"""
    call = forward.call
    given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    return bool(given) and all(_is_made_up(node, forward) for node in given)


def _is_made_up(node: Node, forward: Event) -> bool:
    found = [o.node for o in origins(node, forward.frame, through=lambda o: isinstance(o.node, ast.Name))]
    made = [n for n in found if not isinstance(n, (ast.Name, ast.Constant))]
    return bool(made) and all(isinstance(n, ast.Call) and last_name(n.func) in _FILLED for n in made)


def has_no_grad_setting(forward: Event) -> bool:
    """Does the author decide: by `volatile=True`, as before PyTorch 0.4, or by a setting that is called `no_grad`?"""
    if _names_no_grad(forward.function):
        return True
    return any("volatile" in module.calls_by_keyword for module in forward.frame.project.modules)


@cached_per_scope(local=True)
def _names_no_grad(function: FunctionScope) -> bool:
    """Does a function name the text `"no_grad"`, as the setting of the author's own is called?"""
    return "no_grad" in [getattr(n, "value", None) for n in walk(function.node)]


@cached_per_scope(local=True)
def _reads_forces(function: FunctionScope) -> bool:
    """Does a function read forces or stress of a result? A model often has them as gradients of its energy."""
    keys = (n.slice for n in function.nodes_of(ast.Subscript))
    return any(isinstance(key, ast.Constant) and key.value in ("forces", "stress", "virial") for key in keys)


def _may_derive(forward: Event) -> bool:
    """May it be the model of the project that takes the gradients of its inputs while it runs?"""
    if not _may_be_any_model(forward.subject):
        return False
    derivatives = ((c, f) for c, f in forward.frame.project.calls_named("grad") if isinstance(f, FunctionScope))
    inside = ((c, f) for c, f in derivatives if f.name == "forward" and not is_test_code(f.module))
    return any(isinstance(f.owner, ClassScope) and not _is_penalty(call, f) for call, f in inside)


def _may_be_any_model(model: Value) -> bool:
    """Is nothing known of a model, or no more than an annotation says: `model: nn.Module`?"""
    return model.is_unknown or any(c.module.is_stub and c.qualname == "Module" for c in model.classes)


def _is_penalty(call: ast.Call, function: FunctionScope) -> bool:
    """Is the length of a gradient taken in the function that asks for it, as a gradient penalty does? A force is given
    away as it is."""
    given: set[str] = set()
    for _ in range(4):
        bound = [(name, b.value) for name, found in function.bindings.items() for b in found if b.value is not None]
        given |= {
            n for n, value in bound for i in walk(value) if i is call or (isinstance(i, ast.Name) and i.id in given)
        }
    lengths = (c for c in function.calls if last_name(c.func) in ("norm", "vector_norm", "square", "pow"))
    return any(isinstance(n, ast.Name) and n.id in given for c in lengths for n in walk(c))
