"""What counts as measuring a model, and what happens to its mode on the way there: for the rules of evaluation.

A measurement is read from what happens: a forward over data, without a graph or on held-out rows, in a loop in which
nothing is trained. An unknown call that gets hold of the model may set its mode; so may a `train()` or `eval()` of
something that cannot be told apart from it.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.checks._gradients import handed_back
from mllint.checks.evaluation._switches import by_option
from mllint.pattern import Pattern
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Creates,
    Event,
    Flow,
    Forward,
    Freezes,
    LoopRun,
    RestoresState,
    SetsMode,
    Unknown,
    Value,
    text,
)
from mllint.semantics.classes import stub_effect
from mllint.semantics.evaluate import evaluate
from mllint.semantics.modes import mode_dependent
from mllint.semantics.module import Class, Function, last_name, place, ranged, walk
from mllint.semantics.parts import held
from mllint.semantics.parts import trained as of_training_rows
from mllint.semantics.seeding import is_test_code

__all__ = [
    "GRADIENTS", "differentiates", "evaluates", "evaluates_by_name", "in_eval_mode", "innermost", "is_local",
    "is_statement", "made_inside", "measures", "mode_changes", "moves_another", "name", "named", "on_purpose", "once",
    "receiver", "samples", "train_mode", "trains", "trains_only", "trains_somewhere", "unlooped",
]  # fmt: skip

_ON_PURPOSE = Pattern(
    "mcdrop|mc_drop|monte|bayes|uncertain|_mc$|^mc_|stochastic|update_bn|bn_update|recalibrat|calibrate"
)


def on_purpose(function: Function) -> bool:
    """Does the name of a function, or of what it is in, say that its randomness is wanted in evaluation?"""
    return any(_ON_PURPOSE.search(name) for name in function.qualname.split("."))


_TRAINS_ONLY = Pattern("prenet|discriminator|critic")  # drops out in inference by design; has no inference


def trains_only(name: str) -> bool:
    """Is a network called as one whose dropout is wanted whenever it runs?"""
    return _TRAINS_ONLY.search(name.lower())


def once(run: LoopRun, told: set[int]) -> bool:
    """Is it left after its first batch, or inside a loop, by the ids of their nodes, that was reported already?"""
    if isinstance(run.node, ast.For) and isinstance(run.node.body[-1], ast.Break):
        return True
    return any(id(outer.node) in told for outer in run.outer)


def measures(forward: Event, flow: Flow) -> bool:
    """Is the forward a measurement: over data, in a loop in which nothing is trained, without a graph or held out?"""
    if is_statement(forward) or on_purpose(forward.function):
        return False
    run = innermost(forward)
    off = forward.grad_off is True or switched_off(forward)
    if not (off or held_out(forward) or (run is not None and told(forward, run, flow))):
        return False
    if run is not None and collects(forward, run, flow):
        return False
    if run is not None and run.role == "batch":
        return not (trains(run, flow) or of_training(forward, run, flow)) or teaches(forward, flow)
    if any(outer.role == "batch" and trains(outer, flow) for outer in forward.loops):
        return False
    if run is not None and not trains(run, flow):
        if again(forward, run):
            return False
        if evaluation(forward) and off and not looped_outside(forward, run):
            return True  # rounds that draw their data themselves
        told_so = (
            evaluation(forward) or held_out(forward) or not counts(run)
        )  # else it may be for what is trained on next
        return told_so and isinstance(run.node, ast.For) and mode_dependent(forward.subject) is True
    return comprehended(forward) or whole(forward, flow) or (off and inferred(forward, flow))


def of_training(forward: Event, run: LoopRun, flow: Flow) -> bool:
    """Does a loop draw from the very loader that is trained on, in the same epoch? What it finds there is the loss of
    training, with all that training does."""
    if evaluation(forward) or run.iterates is None or run.frame is not forward.frame or not run.outer:
        return False
    others = (r for b in flow.events(AccumulatesGrad) if b.frame is forward.frame for r in b.loops[-1:])
    beside = (r.iterates for r in others if r.outer == run.outer and r.iterates is not None)
    return any(loader.same_as(run.iterates) is True for loader in beside)


def collects(forward: Event, run: LoopRun, flow: Flow) -> bool:
    """Does the model run with gradients in the same loop, and does a backward of it follow below, in the same round of
    the loop around: are its losses collected there?"""
    if not any(f.grad_off is False and f.concerns(forward) is True for f in flow.events(Forward) if run in f.loops):
        return False
    below = (b for b in flow.events(AccumulatesGrad) if b.frame is run.frame and b.loops and b.loops == run.outer)
    return any(b.site.line > (run.node.end_lineno or 0) and b.concerns(forward) is not False for b in below)


def inferred(forward: Event, flow: Flow) -> bool:
    """Is it one answer of a model whose weights were read from a file, in a flow that trains nothing?"""
    if mode_dependent(forward.subject) is not True or is_test_code(forward.function.module):
        return False
    if any(True for _ in flow.events(AccumulatesGrad, AppliesGrad)):
        return False
    return any(e.concerns(forward) is True and not copies(e) for e in flow.events(RestoresState))


def copies(restore: Event) -> bool:
    """Are the weights those of another model: `target.load_state_dict(model.state_dict())`?"""
    given = restore.call.args if isinstance(restore.call, ast.Call) else []
    return any(isinstance(n, ast.Call) and last_name(n.func) == "state_dict" for a in given for n in walk(a))


def switched_off(forward: Event) -> bool:
    """Is `torch.set_grad_enabled(False)` the last that the function says of gradients before a forward?"""
    if "set_grad_enabled" not in forward.function.called_names:
        return False
    calls = [c for c in forward.function.calls if last_name(c.func) == "set_grad_enabled" and c.args]
    above = max((c for c in calls if c.lineno < forward.site.line), key=lambda c: c.lineno, default=None)
    return above is not None and isinstance(above.args[0], ast.Constant) and above.args[0].value is False


def looped_outside(forward: Event, run: LoopRun) -> bool:
    """Does the loop stand in another function than the forward?"""
    return run.frame is not forward.frame


def teaches(forward: Event, flow: Flow) -> bool:
    """Is it a model whose weights were read from a file and frozen, and that another one learns from: a teacher? One
    that starts as a copy of what is trained, and follows it, may run in train mode on purpose."""
    if forward.grad_off is not True or mode_dependent(forward.subject) is not True:
        return False
    frozen_before = any(e.option is not False and e.concerns(forward) is True for e in flow.events(Freezes))
    return frozen_before and bool(weights_read(forward, flow))


def weights_read(forward: Event, flow: Flow) -> list[Event]:
    """Where the weights of a model are read from a file: `model.load_state_dict(torch.load(path))`."""
    found = [e for e in flow.events(RestoresState) if e.concerns(forward) is True and isinstance(e.call, ast.Call)]
    return [e for e in found if any(isinstance(a, ast.Call) and last_name(a.func) == "load" for a in e.call.args)]


def told(forward: Event, run: LoopRun, flow: Flow) -> bool:
    """Is it a loop over batches that differentiates nothing, in a function named for evaluation, that turns what the
    model gives into decisions, or over what is called held-out data, of a model that is trained elsewhere in the flow
    and surely depends on its mode?"""
    called = called_held_out(run)
    if (run.role != "batch" and not called) or mode_dependent(forward.subject) is not True:
        return False
    if evaluation(forward):
        trained = [b for b in flow.events(AccumulatesGrad) if b.function is not forward.function]
    else:
        told_so = called or decided(forward, run)
        trained = [b for b in flow.events(AccumulatesGrad) if run not in b.loops] if told_so else []
    return any(b.concerns(forward) is True for b in trained) and not differentiates(run, flow)


def called_held_out(run: LoopRun) -> bool:
    """Is what a loop goes over called held-out data: `for x, y in test_dataloader`, `loaders["val"]`?"""
    nodes = list(walk(run.node.iter)) if isinstance(run.node, ast.For) else []
    names = [place(n) or "" for n in nodes if isinstance(n, (ast.Name, ast.Attribute))]
    names += [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return any(map(held, names)) and not any(map(of_training_rows, names))


def decided(forward: Event, run: LoopRun) -> bool:
    """Is what a model gives turned into numbers or classes in the loop, and used for nothing else but that?"""
    given = [n for n, found in forward.function.bindings.items() if any(b.value is forward.call for b in found)]
    if len(given) != 1 or run.frame is not forward.frame:
        return False
    uses = [c for c in forward.function.calls if run.node.lineno < c.lineno <= run.node.end_lineno]
    turned = [c for c in uses if any(place(n) == given[0] for n in _taken(c))]
    return bool(turned) and all(last_name(c.func) in _DECISIONS for c in turned)


def _taken(call: ast.Call) -> list[Any]:
    """What a call is given, and what its method is of."""
    return [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]


_DECISIONS = frozenset("argmax max topk softmax sigmoid round numpy tolist detach cpu".split())


def whole(forward: Event, flow: Flow) -> bool:
    """Is all the data evaluated at once, in a function that is named for it, of a model that is trained so as well?"""
    if mode_dependent(forward.subject) is not True:
        return False
    if forward.grad_off is True and not forward.loops and held_out(forward) and not comprehended(forward, ranges=True):
        trained = (b for b in flow.events(AccumulatesGrad) if b.concerns(forward) is True)
        return any(flow.path(b, to=forward) for b in trained)  # in a script or a notebook, below the training
    return evaluation(forward) and any(
        b.frame is not forward.frame and b.loops == forward.loops and b.concerns(forward) is not False
        for b in flow.events(AccumulatesGrad)
    )


_EVALUATION = Pattern(
    "^test|^eval|^valid|^predict|^infer|^accuracy|^score|^get_acc|^compute_acc|^measure|^_test|^_eval|^_valid|^_predict"
    "|^estimate_loss|^get_score|^decision_function|^forecast|^classify"
)


def evaluation(event: Event) -> bool:
    """Is it in a function that is named for evaluation?"""
    return evaluates_by_name(event.function)


def evaluates_by_name(function: Function) -> bool:
    """Is a function named for evaluation?"""
    return not function.is_body and _EVALUATION.search(function.name)


_DIFFERENTIATING = ("grad", "backward", "requires_grad", "requires_grad_")


def unlooped(forward: Event, flow: Flow) -> bool:
    """Is it a forward in a comprehension over data, or outside of loops in a function that evaluates and no more?"""
    if any(e.frame is forward.frame for e in flow.events(AccumulatesGrad, AppliesGrad)):
        return False
    run = innermost(forward)
    if not evaluation(forward) or (run is not None and run.frame is forward.frame):
        return False
    if is_test_code(forward.function.module):
        return False  # a test of code, not of a model
    if forward.function.name.endswith("_step"):
        return False  # a framework calls it, and switches gradients off around it
    if any(getattr(n, "attr", "") in _DIFFERENTIATING for n in walk(forward.function.node)):
        return False  # the graph may be wanted, if only on demand
    if any(over_data(call, frame.function) for call, frame in flow.frame.project.callers(forward.function)):
        return False  # the loop there is asked about
    modes = [m for m in flow.events(SetsMode) if m.option == "eval" and m.frame is forward.frame]
    return any(m.concerns(forward) for m in modes)


def over_data(call: ast.Call, function: Function) -> bool:
    """Is a call written in a loop over something but numbers?"""
    around = [r.node for r in function.loops if isinstance(r.node, ast.For) and any(n is call for n in walk(r.node))]
    return any(not ranged(n.iter) for n in around)


def samples(forward: Event, flow: Flow) -> bool:
    """Is it in a function that sets eval mode itself, and in which nobody asks for gradients: a loop over steps of
    sampling, and not one of an adaptation, or inside of a model?"""
    if is_test_code(forward.function.module):
        return False
    if any(e.frame is forward.frame for e in flow.events(AccumulatesGrad, AppliesGrad)):
        return False
    if any(getattr(n, "attr", "") in _DIFFERENTIATING for n in walk(forward.function.node)):
        return False
    modes = [m for m in flow.events(SetsMode) if m.option == "eval" and m.frame is forward.frame]
    return forward.function.name != "forward" and any(m.concerns(forward) for m in modes)


def train_mode(forward: Event, flow: Flow, *, built: bool) -> Event | None:
    """Since when the model is in train mode: its construction, if `built`, or a `train()` after which it is trained."""
    changes, options = mode_changes(forward, flow), by_option(forward, flow)
    built, seen = built and not options, False
    optional = any(o.frame is forward.frame for o in options) and not chosen(forward, flow)
    for made in flow.events(Creates):
        if not wraps(made) and made.subject.same_as(forward.subject):
            seen = True  # before that it is no model, whatever the ways around say
            if built and flow.path(made, to=forward, avoiding=changes):
                return made
    known = forward.subject.kind == "instance" and not seen and built_here(forward.subject)
    if built and flow.root.is_body and known and flow.path(flow.entry, to=forward, avoiding=changes):
        return flow.entry
    for read in weights_read(forward, flow) if not seen and teaches(forward, flow) else ():
        if flow.path(flow.entry, to=read, avoiding=changes) and flow.path(read, to=forward, avoiding=changes):
            return read
    modes = [m for m in flow.events(SetsMode) if m.option == "train" and m.concerns(forward)]
    if optional or not modes:
        return None
    trained = [b for b in flow.events(AccumulatesGrad) if b.concerns(forward) is not False]
    losses = any(_TRUTH.search(place(a) or "") for a in forward.call.args[1:])  # a detector gives losses
    both = losses or chosen(forward, flow)
    until = [b for b in trained if flow.path(b, to=forward, avoiding=changes if both else changes_but_train(changes))]
    for mode in modes:
        wanted = set_for(forward, mode) and not for_a_while(forward, flow)
        if wanted and flow.path(mode, to=forward, avoiding=changes):
            return mode
        if any(flow.path(mode, to=backward, avoiding=changes) for backward in until):
            return mode
    return None


def changes_but_train(changes: Any) -> Any:
    """The same test without `train()` once more: what is measured after it is in train mode as before."""
    return lambda event: changes(event) and not (event.kind == "sets_mode" and event.option == "train")


def built_here(model: Value) -> bool:
    """Is the call seen that builds a model: of its class, or of a builder that gives one in train mode?"""
    builders = model.of.module.name if isinstance(model.of, Class) and model.of.module.is_stub else ""
    return model.arguments is not None or (builders.startswith("torchvision.models") and not model.has("Copied"))


def chosen(forward: Event, flow: Flow) -> bool:
    """Does the function of a forward set one mode or the other, as a flag says: `if train: model.train()`?"""
    modes = [m for m in flow.events(SetsMode) if m.frame is forward.frame and m.concerns(forward)]
    return {m.option for m in modes if len(m.conditions) > len(forward.conditions)} == {"train", "eval"}


def set_for(forward: Event, mode: Event) -> bool:
    """Is train mode set in the evaluation itself, before its loop, and not for the losses that a detector gives?"""
    if (
        mode.frame is not forward.frame
        or not evaluation(forward)
        or mode.conditions != forward.conditions[: len(mode.conditions)]
        or mode.loops != forward.loops[:-1]
    ):
        return False
    return mode.site.line < forward.site.line and not any(_TRUTH.search(place(a) or "") for a in forward.call.args[1:])


def for_a_while(forward: Event, flow: Flow) -> bool:
    """Are samples of one input drawn in train mode, `for _ in range(n)`, and is eval mode set again below: wanted
    dropout?"""
    run = innermost(forward)
    if run is None or not counts(run):
        return False
    modes = [m for m in flow.events(SetsMode) if m.option == "eval" and m.frame is forward.frame]
    return any(m.site.line > run.node.lineno and m.concerns(forward) for m in modes)


_TRUTH = Pattern("target|label|truth|^gt|_gt|boxes|annot")


def wraps(made: Event) -> bool:
    """Is what is built a wrapper (`DataParallel(model)`)? What is inside keeps its mode."""
    return isinstance(made.option, Class) and stub_effect(made.option, "wraps") is not None


def mode_changes(event: Event, flow: Flow) -> Any:
    """A test of events that may set the mode of an event's model: mode calls, unknown calls that get hold of it."""
    concerned = SetsMode.concerning(event)
    known: dict[int, bool] = {}

    def changes(other: Event) -> bool:
        answer = known.get(other.index)
        if answer is None:
            if other.kind == "creates":
                answer = not wraps(other) and other is not event and other.subject.same_as(event.subject) is True
            else:
                answer = other is not event and (concerned.matches(other) or made_in_eval_mode(event.subject, other))
            known[other.index] = answer
        return answer

    return changes


def moves_another(backward: Event, mode: Event, flow: Flow) -> bool:
    """Do all steps in the call of a backward move what is certainly another model: a probe of features?"""
    steps = [s for s in flow.events(AppliesGrad) if s.frame is backward.frame]
    return bool(steps) and all(s.subject.kind == "instance" and s.concerns(mode) is False for s in steps)


def made_in_eval_mode(value: Value, mode: Event) -> bool:
    """Does the function that builds the object put into eval mode what it builds: `average = deepcopy(model).eval()`?

    What is built in one place is not always seen to be one object, when it is reached by two ways.
    """
    if mode.kind != "sets_mode" or mode.option != "eval" or mode.function.is_body:
        return False
    shared = places(mode.subject, mode.frame.project) & places(value, mode.frame.project)
    return bool(shared) and any(id(c) in shared for c in mode.function.calls)


def places(value: Value, project: Any) -> set[int]:
    """The expressions that build an object, by their ids."""
    keys = [project.keys[i] for i in value.identities]
    return {key[2] for key in keys if isinstance(key, tuple) and key[0] == "new"}


def is_local(value: Value, mode: Event, backward: Event) -> bool:
    """Does the object live in a call that the backward is not part of: built in `test()`, which `train()` calls?

    It lives in the innermost call that holds both its construction and the setting of its mode.
    """
    project = mode.frame.project
    keys = [project.keys[i] for i in value.identities]
    around = contexts(mode.frame.key, project)
    outside = contexts(backward.frame.key, project)
    for key in keys:
        if not isinstance(key, tuple) or key[0] != "new":
            return False
        home = next((k for k in contexts(key[1], project) if k in around), None)
        if home is None or home in outside:
            return False
    return bool(keys)


def contexts(key: int, project: Any) -> list[int]:
    """The number of a call's context, and those of the calls around it, innermost first."""
    found = [key]
    while isinstance(entry := project.keys[found[-1]], tuple) and entry[0] == "call":
        found.append(entry[1])
    return found


def made_inside(value: Value, run: LoopRun) -> bool:
    """Is the object built anew in each turn of the loop?"""
    made = places(value, run.frame.project)
    return any(id(n) in made for n in walk(run.node))


def in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Has the model certainly been put into eval mode on a way to the forward?"""
    changes = mode_changes(forward, flow)
    for mode in flow.events(SetsMode):
        if mode.option == "eval" and mode.concerns(forward) and flow.path(mode, to=forward, avoiding=changes):
            return True
    return False


def evaluates(forward: Event, mode: Event, backward: Event, flow: Flow) -> bool:
    """Is it a forward of the model in a place where nothing is trained, on the way from a mode to a backward?"""
    run = innermost(forward)
    if forward.concerns(mode) is not True:
        return False
    if forward.index > mode.index > backward.index:
        return True  # after the mode was set, and before the round that trains again
    if forward.grad_off is True or (run is not None and run.role == "batch" and not trains(run, flow)):
        return True
    return apart(forward, mode, backward, flow)


def apart(forward: Event, mode: Event, backward: Event, flow: Flow) -> bool:
    """Is the model run in a round that sets the mode and trains nothing, as one of `for phase in ("train", "val")`?"""
    around = mode.loops[-1] if mode.loops else None
    if around is None or not mode.conditions or around not in forward.loops[:-1] or around not in backward.loops[:-1]:
        return False
    if flow.path(mode, to=backward, within=around, back=False):
        return False
    return bool(flow.path(mode, to=forward, within=around, back=False))


def innermost(event: Event) -> LoopRun | None:
    """The loop directly around an event."""
    return event.loops[-1] if event.loops else None


def trains(run: LoopRun, flow: Flow) -> bool:
    """Is something trained in the loop?"""
    return any(run in e.loops for e in flow.events(AccumulatesGrad, AppliesGrad))


def trains_somewhere(run: LoopRun, flow: Flow) -> bool:
    """Is something trained in the loop as it is written, be it in another call of the same function?"""
    return any(r.node is run.node for e in flow.events(AccumulatesGrad, AppliesGrad) for r in e.loops)


GRADIENTS = ("grad", "jacobian", "hessian", "vjp")


def differentiates(run: LoopRun, flow: Flow) -> bool:
    """May gradients be taken in the loop: of inputs, by `autograd.grad`, or in an unknown call that gets a model?"""
    models = [f for f in flow.events(Forward) if run in f.loops]
    for event in flow.events(Freezes, Unknown):
        if run in event.loops and (event.kind == "freezes" or any(event.holds(f) for f in models)):
            return True
    ends = (b for b in flow.events(AccumulatesGrad) if b.frame is run.frame)
    if handed_back(run.frame, flow) or any(comes_out_of(b, run) for b in ends):
        return True
    return any(reads_gradient(n) for n in walk(run.node))


def reads_gradient(node: Any) -> bool:
    """Is it an attribute or a function for gradients: `p.grad`, `autograd.grad(...)`, an imported `grad(...)`?"""
    if isinstance(node, ast.Attribute):
        return node.attr in GRADIENTS
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in GRADIENTS


def comes_out_of(backward: Event, run: LoopRun) -> bool:
    """Does a backward after a loop start from what the last turn has left behind?"""
    base = backward.call.func if isinstance(backward.call, ast.Call) else None
    while isinstance(base, (ast.Attribute, ast.Call, ast.Subscript)):
        base = base.func if isinstance(base, ast.Call) else base.value
    bound = run.frame.function.bindings.get(base.id, ()) if isinstance(base, ast.Name) else ()
    first, last = run.node.lineno, run.node.end_lineno or run.node.lineno
    return bool(bound) and all(first <= getattr(b.node, "lineno", 0) <= last < backward.site.line for b in bound)


def held_out(forward: Event) -> bool:
    """Is it fed with held-out data?"""
    arguments = [evaluate(a, forward.frame) for a in forward.call.args if not isinstance(a, ast.Starred)]
    return any(v.comes_from("heldout", "test") for v in arguments)


def is_statement(event: Event) -> bool:
    """Is its result thrown away, as a statement or, where neither time nor memory is measured, into `_`?"""
    if any(e is event.call for e in event.function.expressions):
        return True
    dropped = any(b.value is event.call and not b.path for b in event.function.bindings.get("_", ()))
    return dropped and event.function.called_names.isdisjoint(_METERS)


_METERS = frozenset("max_memory_allocated memory_allocated elapsed_time perf_counter time synchronize".split())


def comprehended(forward: Event, *, ranges: bool = False) -> bool:
    """Is it called in a comprehension that iterates over something but a range, or over whatever, if that is asked?"""
    for node in walk(forward.function.node):
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)) and any(
            n is forward.call for n in walk(node.elt)
        ):
            source = node.generators[-1].iter
            if any(place(n) == place(forward.call.func) for n in walk(node.generators[-1].target)):
                return False  # over models: `[net(x) for net in nets]`
            return ranges or not ranged(source)
    return False


def again(forward: Event, run: LoopRun) -> bool:
    """Does a counted loop run the model on the same rows in each round: Monte-Carlo dropout?"""
    loop = run.node
    if run.frame is not forward.frame or not isinstance(loop, ast.For):
        return False
    given = {n.id for a in forward.call.args for n in walk(a) if isinstance(n, ast.Name)}
    bound = {n.id for s in (loop.target, *loop.body) for n in walk(s) if isinstance(n, ast.Name) and is_stored(n)}
    return counts(run) and given.isdisjoint(bound)


def counts(run: LoopRun) -> bool:
    """Does a loop go through numbers, `range(n)`, and no batches?"""
    return isinstance(run.node, ast.For) and ranged(run.node.iter)


def is_stored(name: ast.Name) -> bool:
    """Is a name bound, and not read?"""
    return isinstance(name.ctx, ast.Store)


def named(event: Event, word: str) -> bool:
    """Is it a call of something of that name?"""
    return event.call is not None and last_name(event.call.func) == word


def name(forward: Event) -> str:
    """The model of a forward, as written."""
    return text(forward.site.module, forward.call.func)


def receiver(event: Event) -> str:
    """What a method call is about, as written."""
    func = event.call.func
    return text(event.site.module, func.value if isinstance(func, ast.Attribute) else func)
