"""Whose gradients are these? Small questions about events that several rules of the optimizer family ask."""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Callable, Iterator
from mllint.pattern import Pattern
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    ClearsGrad,
    Creates,
    Event,
    Flow,
    Forward,
    LoopRun,
    Path,
    SetsGrad,
    Site,
    text,
)
from mllint.semantics.evaluate import binding_value, evaluate
from mllint.semantics.flow import overlap, reach
from mllint.semantics.frames import Frame
from mllint.semantics.library import flattened
from mllint.semantics.lineage import origins
from mllint.semantics.module import Function, last_name, place, walk, within

__all__ = [
    "alone", "another", "called_loss", "clears_all", "closures", "compared", "computes_loss", "cut_off", "endless",
    "forgets_backward", "given_losses", "gives_loss", "handed_back", "handed_in", "handles_gradients", "is_handed_in",
    "only_computes", "part_of", "reads_gradient", "reworks", "same_call", "shown", "takes_gradients", "touching",
    "uses",
]  # fmt: skip


def uses(flow: Flow, event: Event, step: Event) -> bool:
    """Are gradients of `event` certainly for `step`: its own parameters, or there is no other optimizer? The same
    statement of another call of the function is no other one."""
    concerned = event.concerns(step)
    return concerned or (concerned is None and (alone(flow) or alone_here(flow, event, step)))


def alone(flow: Flow) -> bool:
    """Is there one optimizer only?"""
    subjects = [event.subject for event in flow.events(AppliesGrad)]
    return all(subject.same_as(subjects[0]) for subject in subjects[1:])


def handed_back(frame: Frame, flow: Flow) -> bool:
    """Does whoever called a function differentiate what it gives: `self.measure(model, loader).backward()`?"""
    while frame.caller is not None:
        outer, call = frame.caller
        for backward in flow.events(AccumulatesGrad):
            if backward.frame is outer and isinstance(backward.call, ast.Call):
                names = {n.id for n in walk(backward.call) if isinstance(n, ast.Name)}
                values = [b.value for name in names for b in outer.function.bindings.get(name, ())]
                if any(within(call, node) for node in (backward.call, *values) if node is not None):
                    return True
        frame = outer
    return False


def alone_here(flow: Flow, event: Event, step: Event) -> bool:
    """Is one function called several times, which builds its optimizer and steps it, and nothing else stepped?"""
    if event.frame is not step.frame or step.call is None:
        return False
    made = any(e.frame is step.frame and e.concerns(step) is True for e in flow.events(Creates))
    return made and all(other.call is step.call for other in flow.events(AppliesGrad))


def clears_all(flow: Flow, clear: Event) -> bool:
    """Is all that every backward computes gradients for cleared through the model, whatever the optimizer holds?"""
    held = reach(clear.subject, clear.frame)[0]
    graphs = [b.subject.all_graph for b in flow.events(AccumulatesGrad)]
    return bool(graphs) and all(graph and graph <= held for graph in graphs)


def touching(event: Event) -> tuple[object, ...]:
    """What may clear, replace or use up the gradients of a step's parameters."""
    clears, sets = ClearsGrad.concerning(event), SetsGrad.concerning(event)
    found = (
        lambda other: clears.matches(other) and not gives_loss(other),
        lambda other: sets.matches(other) and not gives_loss(other),
        rebuilt(event),
    )
    if not drawn_by(event, event.loops):
        return found
    return (*found, lambda other: other.kind == "clears_grad" and drawn_by(other, other.loops))


_LOSS = Pattern("loss|elbo|nll|forward|log_?prob|likelihood|objective|energy|training_step")


def gives_loss(event: Event) -> bool:
    """Is it a call of something unknown that is named for a loss, and is what it gives differentiated in the same
    function: `loss = model.sample_elbo(x)`; or is it a term of what is, by no name of an update? It leaves gradients
    alone."""
    call = event.call
    if event.kind != "unknown" or not isinstance(call, ast.Call):
        return False
    named = _LOSS.search(last_name(call.func).lower())
    if not named and _UPDATING.search(last_name(call.func).lower()):
        return False
    bound = event.function.bindings.items()
    names = [
        n
        for n, found in bound
        if any((named and b.value is call and not b.path) or _adds(b.value, call) for b in found)
    ]
    backwards = (
        (c.func for c in event.function.calls if last_name(c.func) == "backward" and not c.args) if names else ()
    )
    return any(isinstance(f, ast.Attribute) and place(f.value) in names for f in backwards)


def _adds(node: Any, call: ast.Call) -> bool:
    """Is a call a term of a sum, or a factor of one: `loss + rate * model.penalty()`?"""
    if not isinstance(node, ast.BinOp):
        return False
    return any(side is call or _adds(side, call) for side in (node.left, node.right))


_UPDATING = Pattern("step|train|updat|optim|fit|learn|backward|run|call|apply")


def only_computes(event: Event) -> bool:
    """Is it an unknown method, by no name of an update, of which the result is bound: `dist = net.wrap(probs)`?"""
    call = event.call
    if event.kind != "unknown" or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    bound = any(b.value is call for found in event.function.bindings.values() for b in found)
    return bound and not _UPDATING.search(call.func.attr.lower())


def part_of(clear: Event, step: Event) -> bool:
    """Is a part of the model cleared, whose whole the optimizer holds: so that the step moves the other part alone?"""
    func = clear.call.func if isinstance(clear.call, ast.Call) else None
    cleared = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(cleared, ast.Attribute) or evaluate(cleared, clear.frame).same_as(step.subject):
        return False  # a network that keeps its own optimizer, `self.optimizer.zero_grad()`, clears all of it
    whole = evaluate(cleared.value, clear.frame)
    held = reach(step.subject, step.frame)[0] - {0}
    return bool(held.intersection(whole.identities))


def same_call(event: Event) -> Any:
    """A test of events of one call: it has an event for each of the things that its receiver may be."""
    return lambda other: other.kind == event.kind and other.call is event.call and other.frame is event.frame


def drawn_by(event: Event, runs: tuple[LoopRun, ...]) -> bool:
    """Is it about one of several optimizers, drawn (`for one in optimizers`, `optimizers[i]`) by one of some loops?"""
    if not isinstance(event.call, ast.Call) or not isinstance(event.call.func, ast.Attribute):
        return False
    names = {n.id for n in walk(event.call.func.value) if isinstance(n, ast.Name)}
    loops = (r.node for r in runs if isinstance(r.node, ast.For) and r.frame.function is event.function)
    return any(isinstance(n, ast.Name) and n.id in names for loop in loops for n in walk(loop.target))


def another(way: Path, step: Event, flow: Flow) -> bool:
    """Does the way go on to another of several optimizers, where some optimizer is cleared in the same loops?"""
    cleared = any(c.loops and c.loops[0] in step.loops for c in flow.events(ClearsGrad))
    return cleared and drawn_by(step, way.rounds)


def cut_off(flow: Flow, step: Event) -> tuple[Site, Event] | None:
    """What keeps a backward from the model of a step, if none reaches it, and that backward: the last `detach` of what
    the model gave, or the call of the model itself where no graph is built.

    The loss of a generator is attached through the discriminator, so that nothing about the loss itself is wrong.
    """
    backwards = list(flow.events(AccumulatesGrad))
    if not step.loops or any(b.concerns(step) is not False for b in backwards) or any(flow.events(SetsGrad)):
        return None
    spoiled = (AppliesGrad, ClearsGrad.concerning(step))
    near = [b for b in backwards if b.loops == step.loops and flow.path(b, to=step, avoiding=spoiled, back=False)]
    held = reach(step.subject, step.frame)[0]
    for backward in near[-1:]:
        leads = made_of(backward)
        order = sorted(backward.function.calls, key=lambda c: (c.lineno, last_name(c.func) == "detach"))
        for call in reversed(order):
            inside = call.lineno <= backward.site.line and within(call, step.loops[-1].node) and leads(call)
            given = ended(call) if inside else None
            if given is not None and any(overlap(v, held, step.frame) for v in graphs(given, backward.frame)):
                return Site(backward.frame.module, call), backward
        runs = [f for f in flow.events(Forward) if f.loops == step.loops and f.subject.identities & held]
        runs = [f for f in runs if f.function is not backward.function or leads(f.call)]
        others = (reach(s.subject, s.frame)[0] - held for s in flow.events(AppliesGrad))
        through = any(overlap(backward.subject.all_graph, other, step.frame) for other in others)
        if runs and through and all(f.grad_off is True and f.site.line < backward.site.line for f in runs):
            return runs[-1].site, backward
    return None


def graphs(node: Any, frame: Frame) -> Iterator[frozenset[int]]:
    """What the tensors of an expression lead to; for numbers that were read off tensors, what these led to."""
    for value in flattened(evaluate(node, frame)):
        yield value.all_graph
        for end in value.all_cuts:
            func = end.site.node.func if isinstance(end.site.node, ast.Call) else None
            if isinstance(func, ast.Attribute) and end.site.module is frame.module:
                yield evaluate(func.value, frame).all_graph


def ended(call: ast.Call) -> Any:
    """What a call ends the graph of: `x` of `x.detach()`, or of `torch.tensor(x, requires_grad=True)`; None if it does
    not."""
    name = last_name(call.func)
    if name == "detach":
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    anew = name in ("tensor", "Variable") and any(k.arg == "requires_grad" for k in call.keywords)
    return call.args[0] if anew and call.args else None


def made_of(backward: Event) -> Callable[[Any], bool]:
    """Whether the loss of a backward may be computed from what a call gives: not from all that stands before it."""
    func = backward.call.func if isinstance(backward.call, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "backward" or backward.call.args:
        return lambda call: True
    behind = {id(o.node) for o in origins(func.value, backward.frame)}
    return lambda call: len(behind) >= _MANY or id(call) in behind


_MANY = 200


def handed_in(event: Event) -> str:
    """The name of what a method is called on, if it is a parameter of a function that nobody is seen to call, or a name
    that a script never binds; else empty."""
    func = event.call.func if isinstance(event.call, ast.Call) else None
    node = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(node, ast.Name):
        return ""
    return node.id if is_handed_in(node.id, event) else ""


def is_handed_in(name: str, event: Event) -> bool:
    """Is a name a parameter of a function that nobody is seen to call, or one that a script never binds? A caller that
    hands its own parameter on counts as nobody."""
    frame = event.frame
    if frame.function.is_body:
        return not frame.function.bindings.get(name, ()) and not event.site.module.stars
    while frame.function.parameter(name) is not None and len(frame.function.bindings.get(name, ())) == 1:
        if frame.caller is None:
            return True
        given = (frame.bound or {}).get(name)
        node = given[0] if isinstance(given, tuple) else None
        if not isinstance(node, ast.Name):
            return False
        name, frame = node.id, frame.caller[0]
    return False


def rebuilt(step: Event) -> object:
    """The construction of the optimizer that a step belongs to."""
    return lambda event: event.kind == "creates" and event.subject.same_as(step.subject) is True


def shown(event: Event) -> str:
    """The source text of an event; of a long call what is called."""
    module, node = event.site.module, event.site.node
    line = text(module, node)
    return f"{text(module, node.func)}(...)" if line.endswith("...") and isinstance(node, ast.Call) else line


def given_losses(step: Event) -> bool:
    """Is an optimizer of the user's given something that it may run a backward of?"""
    if step.call is None:
        return False  # a step by hand, `p -= lr * p.grad`
    receiver = Call(step.call, step.frame).receiver
    own = receiver is not None and any(not cls.module.is_stub for cls in receiver.classes)
    return own and closures(step)


def closures(step: Event) -> bool:
    """Is something else than an optimizer handed to the step?"""
    given = Call(step.call, step.frame).arguments if step.call is not None else ()
    return any(not argument.value.instance_of("torch.optim.Optimizer") for argument in given)


_LOOKS = Pattern("^log|print|add_scalar|^info$|^debug$|^item$|append|^update$|detach|float")


def forgets_backward(clear: Event, step: Event) -> bool:
    """Does a function without a loop clear, then step, in one block, and only look at the loss that it has?"""
    function = step.function
    if clear.frame is not step.frame or clear.conditions != step.conditions or function.is_body:
        return False
    if clear.site.line >= step.site.line or isinstance(function.node, ast.Lambda):
        return False
    losses = {n for n in function.bindings if "loss" in n.lower() and "." not in n}
    for binding in (b for name in losses for b in function.bindings[name]):
        late = getattr(binding.node, "lineno", 0) > clear.site.line and binding.kind != "param"
        if isinstance(binding.value, ast.Call) and not binding.path and called_loss(Call(binding.value, step.frame)):
            continue
        value = evaluate(binding.value, step.frame) if late and binding.value is not None else None
        if late and (value is None or value.kind != "tensor" or not value.is_attached):
            return False  # whatever gave it may have run a backward
    used = [c for c in function.calls if not _LOOKS.search(last_name(c.func)) and losses & _given(c)]
    return bool(losses) and not any(c.lineno > clear.site.line or "backward" in last_name(c.func) for c in used)


def _given(call: ast.Call) -> set[str]:
    """The names in the arguments of a call, and what its method belongs to."""
    above = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    given = (*call.args, *(k.value for k in call.keywords), *above)
    return {n.id for g in given for n in walk(g) if isinstance(n, ast.Name)}


_LOGS = Pattern(
    "^_?log|print|add_scalar|^info$|^debug$|set_postfix|set_description|track|metric|accurac|^eval_|^_?score$"
)


def made_of_model(binding: Any, step: Event) -> bool:
    """Does a binding give a tensor that carries gradients?"""
    value = binding_value(binding, step.frame)
    return value.kind == "tensor" and value.is_attached


def computes_loss(step: Event, inside: list[Event]) -> bool:
    """Is a loss computed in the loop of a step, and given to nothing that could run a backward?"""
    first, last = step.loops[-1].node.lineno, step.loops[-1].node.end_lineno
    calls = [Call(node, step.frame) for node in step.function.calls if first <= node.lineno <= last]
    unknown = [c for c in calls if c.callee.is_unknown and not _LOGS.search(c.last_name) and not criterion(c)]
    runs = [e.call for e in inside if e.kind == "forward"]
    unknown = [c for c in unknown if c.node not in runs and not compared(c, calls)]
    if any(a.value.all_graph for call in unknown for a in call.arguments):
        return False
    named = any(call.last_name == "item" and "loss" in call.text for call in calls) or any(
        "loss" in name.lower() and first <= getattr(b.node, "lineno", 0) <= last and made_of_model(b, step)
        for name, bindings in step.function.bindings.items()
        for b in bindings
    )
    return named or any(e.kind == "forward" or (e.kind == "unknown" and e.option != "step") for e in inside)


def criterion(call: Call) -> bool:
    """Is it a loss of a library in one branch, of which something is made?"""
    known = (v for v in call.callee.alternatives if v.kind == "instance")
    return not call.is_statement and (any(v.of.module.is_stub for v in known) or called_loss(call))


def compared(call: Call, calls: list[Call]) -> bool:
    """Is all that a call gives, by no name of an update, given to what is called a loss: `z = project(h)`, where
    `criterion(z, y)` follows; or to a loss of a library at once? It is no loss that has been differentiated."""
    if _UPDATING.search(call.last_name.lower()):
        return False
    names = [n for n, found in call.function.bindings.items() if any(_binds(b, call.node) for b in found)]
    if not names and any(a is call.node for c in calls for a in c.node.args):
        return any(a is call.node for c in calls if c.value.is_("Loss") for a in c.node.args)
    losses = (c for c in calls if called_loss(c) or c.value.is_("Loss"))
    given = {place(a) for loss in losses for a in loss.node.args}
    return bool(names) and given.issuperset(names)


def _binds(binding: Any, call: ast.Call) -> bool:
    """Does a name get what a call gives, alone or as one of several: `z1, z2 = project(h1), project(h2)`?"""
    value = binding.value
    if isinstance(value, ast.Tuple) and len(binding.path) == 1 and binding.path[0] is not None:
        value = value.elts[binding.path[0]] if binding.path[0] < len(value.elts) else value
        return value is call
    while isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        value = value.value  # `noise = model(x, t)[0]`
    return value is call and not binding.path


def called_loss(call: Call) -> bool:
    """Is something called a loss given two things, no optimizer, and is what comes back bound as a loss?"""
    if not _CRITERION.search(call.last_name.lower()) or len(call.node.args) < 2 or call.node.keywords:
        return False
    bound = [n for n, found in call.function.bindings.items() if any(b.value is call.node for b in found)]
    given = [place(a) or "" for a in call.node.args]
    return any("loss" in name.lower() for name in bound) and not any("opt" in g or "scal" in g for g in given)


_CRITERION = Pattern(r"(^|_)(criterion|criteria|crit|loss_?fn|loss_?func|loss_?function|loss_?fct|objective)$|^loss$")


def reads_gradient(node: Any) -> bool:
    """Is it `x.grad`, and not `torch.autograd.grad`?"""
    return (
        isinstance(node, ast.Attribute) and node.attr == "grad" and last_name(node.value) not in ("autograd", "torch")
    )


def takes_gradients(function: Function) -> bool:
    """Does a function read gradients for something else than to write them back, `p.grad = scaled(p.grad)`, to limit
    them in place, or to see whether there are any?"""
    nodes = list(walk(function.node))
    back = {id(n) for s in nodes if reworks(s) or limits(s) for n in walk(s)}
    return any(reads_gradient(n) and id(n) not in back for n in nodes)


def limits(node: Any) -> bool:
    """Is it `p.grad.data.clamp_(-1, 1)`, or the test for `None` that stands before it?"""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name, value=value))):
            return name.endswith("_") and (place(value) or "").endswith((".grad", ".grad.data"))
        case ast.Compare(left=ast.Attribute(attr="grad"), comparators=[ast.Constant(value=None)]):
            return True
    return False


def reworks(statement: Any) -> bool:
    """Is it `p.grad = scaled(p.grad)`: a gradient made of itself, so that there has to be one?"""
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr="grad") as target], value=value):
            return any(isinstance(n, ast.Attribute) and place(n) == place(target) for n in walk(value))
    return False


def handles_gradients(event: Event) -> bool:
    """Does a function of the project that is called beside it read gradients, where something sets them: so that it
    perhaps keeps them? What nobody sets again is shown. The `step` of an optimizer of the project uses them up."""
    around = event.loops[-1].node if event.loops and event.loops[-1].frame is event.frame else event.function.node
    first, last = getattr(around, "lineno", 0), getattr(around, "end_lineno", 0) or 1 << 30
    names = {last_name(c.func) for c in event.function.calls if first <= c.lineno <= last} - {"", "step", "zero_grad"}
    modules = event.frame.project.modules
    own = [f for m in modules for f in m.functions if f.name in names and f is not event.function]
    setting = _setters(event.frame.project)
    if setting and any(reads_gradient(node) for f in own for node in walk(f.node)):
        return True
    called = {name for f in own for name in f.called_names if "grad" in name}
    return any(f.name in called for f in setting) or any(map(_MAKING.search, called))


def _setters(project: Any) -> list[Function]:
    """The functions of a project that set gradients."""
    memo = project.reach.memo
    if "gradient setters" not in memo:
        said = [m for m in project.modules if m.source is None or m.source.mentions(_SETTING)]
        memo["gradient setters"] = [f for m in said for f in m.functions if any(map(sets_gradient, walk(f.node)))]
    found: list[Function] = memo["gradient setters"]
    return found


_SETTING = frozenset({"grad", "_grad", "setattr", "all_reduce"})
_MAKING = Pattern(
    "(comput|calc|set|normali|estimat|fill|assign|accumulat)[a-z]*_?grad"
)  # `machine.compute_gradient(x)`


def sets_gradient(node: Any) -> bool:
    """Is a gradient assigned, changed in place, or handed to something that may change it?"""
    if isinstance(node, ast.Attribute):
        return node.attr in ("grad", "_grad") and not isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return False
    if last_name(node.func).endswith("_") and isinstance(node.func, ast.Attribute):
        return node.func.attr not in _SCALING and any(reads_gradient(n) for n in walk(node.func.value))
    name = last_name(node.func)
    plain = isinstance(node.func, ast.Name) and name not in _SHOWING
    return name in ("setattr", "all_reduce") or (plain and any(reads_gradient(a) for a in node.args))


_SCALING = frozenset(  # what is nought stays so
    "clamp_ clamp_min_ clamp_max_ clip_ mul_ multiply_ div_ divide_ zero_ detach_ requires_grad_ nan_to_num_".split()
)
_SHOWING = frozenset("print len float str repr isinstance type abs max min sum norm".split())


def endless(clip: Event) -> bool:
    """Is the bound of a clip infinite, so that the norm is only measured?"""
    given = (o for a in Call(clip.call, clip.frame).arguments for o in origins(a.node, a.frame))
    return any(_infinite(n) for o in given for n in walk(o.node))


def _infinite(node: Any) -> bool:
    said = node.value if isinstance(node, ast.Constant) else node.attr if isinstance(node, ast.Attribute) else ""
    return said == float("inf") or (isinstance(said, str) and said.lower().lstrip("+") in ("inf", "infty", "infinity"))
