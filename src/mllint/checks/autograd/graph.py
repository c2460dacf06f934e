"""Does the loss still carry the gradients of what is to be trained when `backward()` starts from it?

Every rule here looks at the value that a backward starts from. If nothing that is attached or unknown contributes to
it, its cuts say what happened: a word that cuts on purpose (`detach`, `item`), a context that builds no graph, or an
operation without a gradient. A value to which something unknown contributes accuses nobody, and neither does a function
that makes a tensor of its own require grad: there the input is what is learned.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._gradients import cut_off, handed_back
from mllint.checks.autograd._collecting import (
    accumulations,
    bound_inside,
    collecting_loop,
    criticised,
    detached_in_place,
    emptied,
    kept_by_callee,
    micro_batches,
    only_loop,
    read_at_once,
)
from mllint.checks.autograd._ends import (
    given_gradient,
    made_leaf,
    origin,
    reduced_leaf,
    same_tensor,
    severed,
    started,
    thawed,
    thaws_data,
    thaws_loss,
    thaws_term,
    unscaled,
    wraps_computed,
    writes_gradient,
)
from mllint.checks.autograd._unread import unread_output
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    Creates,
    Cut,
    Event,
    Flow,
    Forward,
    Freezes,
    HandsLoss,
    LoopRun,
    SetsMode,
    Site,
    Value,
    text,
)
from mllint.semantics.evaluate import evaluate
from mllint.semantics.frames import Frame
from mllint.semantics.gradmode import grad_off, grad_switch
from mllint.semantics.gradmode import switch as effect_on_graph
from mllint.semantics.lineage import origins, statements
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching

__all__: list[str] = []

_HANDED = frozenset(
    "detach detach_ data item numpy tolist float tensor scalar_tensor Variable array asarray from_numpy".split()
)


# --------------------------------------------------------------------------------------------------------- the rules
@check("detached-loss")
def detached_loss(flow: Flow) -> Iterator[Finding]:
    """What `backward()` starts from, or one term of it, was cut from the graph by hand."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        cut = severed(backward, flow) if not writes_gradient(backward) else None
        if cut is not None and cut.how in _HANDED and not of_packed(cut.site, backward):
            yield Finding(
                cut.site,
                f"`{shown(cut.site)}` cuts the loss from the graph: `backward()` trains nothing before it",
                primary="no gradient passes here",
                labels=[Note(backward, "backward starts from this value")],
            )
        model = unread_output(backward, started(backward)) if cut is None and not thawed(backward, flow) else None
        if model is not None:
            yield Finding(
                origin(backward),
                f"nothing reads what `{text(backward.site.module, model)}` gives: this loss is made of the batch alone",
                primary="no parameter is in it",
                labels=[Note(Site(backward.site.module, model), "never read"), Note(backward, "backward starts here")],
            )
        partly = backward.subject.because("PartlyCut")
        if partly is None or thawed(backward, flow):
            continue
        if all("PartlyCut" in v.traits or v.is_detached for v in backward.subject.alternatives):
            yield Finding(
                partly,
                f"`{shown(partly)}` is cut from the graph: this term of the loss trains nothing",
                primary="no gradient passes here",
                labels=[Note(backward, "backward starts from the sum")],
            )

    for step in flow.events(AppliesGrad):
        found = cut_off(flow, step)
        if found is not None:
            site, backward = found
            yield Finding(
                site,
                f"`{shown(site)}` cuts the loss off from what `{shown(step.site)}` is to train",
                primary="no gradient passes here",
                labels=[Note(backward, "backward starts here, and ends before the model")],
            )


def of_packed(site: Site, backward: Event) -> bool:
    """Is it the `data` of a packed sequence, which are its rows: `pack_padded_sequence(scores, lengths).data`?"""
    if not isinstance(site.node, ast.Attribute) or site.node.attr != "data":
        return False
    bound = backward.function.bindings.get(place(site.node.value) or "", ())
    packed = [site.node.value, *(b.value for b in bound)]
    return any(isinstance(n, ast.Call) and last_name(n.func) in _PACKING for n in packed)


_PACKING = ("pack_padded_sequence", "pack_sequence")


@check("no-grad-training")
def no_grad_training(flow: Flow) -> Iterator[Finding]:
    """The forward pass of a training step runs where no graph is built."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        if any(getattr(n, "attr", "") == "training" for test, _, _ in backward.conditions for n in walk(test)):
            continue  # `if self.training: loss.backward()`: an evaluation comes by here as well
        cut = severed(backward, flow)
        site = cut.site if cut is not None and cut.how == "no_grad" else added_up(backward) if cut is None else None
        if site is not None and not told_apart(backward, flow):
            yield Finding(
                site,
                f"the loss is computed under `{switch_name(site)}`, and `backward()` finds no graph",
                primary="no graph is built here",
                labels=[Note(backward, "backward starts from this loss")],
            )
    yield from switched_off(flow)


def told_apart(backward: Event, flow: Flow) -> bool:
    """Does the same backward run with gradients as well, below something that decides whether it runs at all?"""
    if not backward.grad_off:
        return False
    decided, frame, node = False, backward.frame, backward.site.node
    recorded = any(b.site == backward.site and b.grad_off is False for b in flow.events(backward.kind))
    while frame.caller is not None:
        if grad_off(node, frame.project.frame(frame.function)):
            return False  # whoever calls
        decided = decided or any(f is frame for _, _, f in backward.conditions) or leaves_before(frame.function, node)
        if decided and not recorded:
            callers = frame.project.callers(frame.function)
            recorded = any(grad_off(call, where) is False for call, where in callers)
        if decided and recorded:
            return True
        frame, node = frame.caller
    return False


def leaves_before(function: Function, node: Any) -> bool:
    """Does a test make a function, or a turn of its loop, end before some place in it?"""
    tests = (s for s in statements(function) if isinstance(s, ast.If) and (s.end_lineno or 0) < node.lineno)
    return any(isinstance(test.body[-1], (ast.Return, ast.Continue)) for test in tests)


def added_up(backward: Event) -> Site | None:
    """What switches gradients off where the terms of the loss are added, or it is read off what a model gives, of which
    nothing is known, or where a function of the project computes it."""
    func = getattr(backward.call, "func", None)
    loss = func.value if isinstance(func, ast.Attribute) and not backward.call.args else None
    found = reaching(backward.function).at.get(id(loss), ()) if backward.grad_off and isinstance(loss, ast.Name) else ()
    added = any(b.kind == "aug" for b in found)
    terms = [b for b in found if not (added and isinstance(b.value, ast.Constant))]  # `loss = 0` before a loop
    sums = [b for b in terms if b.kind == "aug" or (b.kind == "assign" and not b.path and computed(b.value, backward))]
    nodes = [b.value.value if b.kind == "aug" else b.value for b in sums]
    sites = [grad_switch(node, backward.frame) for node in nodes]
    return sites[0][1] if sites and len(sums) == len(terms) and all(off for off, _ in sites) else None


def computed(node: Any, backward: Event) -> bool:
    """Is it a sum, `model(batch).loss`, `model(batch)[0]`, or what a method of the project makes of what it is given,
    where nothing in the project switches gradients on?"""
    if isinstance(node, ast.BinOp):
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.value, ast.Call)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    callees = Call(node, backward.frame).callees
    project = backward.frame.project
    on = any(project.calls_named(word) for word in ("enable_grad", "set_grad_enabled", "inference_mode"))
    return bool(callees) and not on and not any(f.stubbed or f.is_generator for f in callees)


def switched_off(flow: Flow) -> Iterator[Finding]:
    """`set_grad_enabled(False)` as a statement, and a backward after it."""
    switches = [e for e in flow.events(Creates) if e.call is not None and calls(e, "set_grad_enabled", "enable_grad")]
    for switch in switches:
        if not calls(switch, "set_grad_enabled") or not switch.call.args:
            continue
        off = evaluate(switch.call.args[0], switch.frame).truth is False
        if off and any(e is switch.call for e in switch.function.expressions):
            way = flow.path(switch, to=AccumulatesGrad, avoiding=tuple(e for e in switches if e is not switch))
            if way is not None:
                yield Finding(
                    switch,
                    f"gradients are switched off by `{shown(switch.site)}` and still off when `backward()` runs",
                    primary="no graph is built from here on",
                    labels=[Note(way.end, "backward finds no graph")],
                )


def calls(event: Event, *names: str) -> bool:
    """Is it a call of something of one of these names?"""
    func = event.call.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in names


@check("non-differentiable-loss")
def non_differentiable_loss(flow: Flow) -> Iterator[Finding]:
    """Between the model and `backward()` stands an operation that no gradient passes."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        cut = severed(backward, flow)
        if cut is not None and cut.how not in _HANDED and cut.how != "no_grad":
            yield Finding(
                origin(backward),
                f"`{operation(cut)}` has no gradient, so this loss trains nothing",
                primary="computed without a gradient",
                labels=[Note(cut.site, "no gradient passes here"), Note(backward, "backward starts here")],
            )


@check("silenced-autograd-error")
def silenced_autograd_error(flow: Flow) -> Iterator[Finding]:
    """The loss itself is made to require grad, just before `backward()`."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        if given_gradient(backward) or writes_gradient(backward):
            continue
        loss = unscaled(backward)
        leaf = loss.because("Leaf") if loss.is_("Leaf") else reduced_leaf(backward)
        if leaf is not None and wraps_computed(leaf.node):
            yield Finding(
                leaf,
                f"`{shown(leaf)}` makes a new leaf of the loss: `backward()` stops here and reaches no parameter",
                primary="the graph of the loss ends here",
                labels=[Note(backward, "backward starts from the leaf")],
            )
        for thaw in flow.events(Freezes):
            if thaw.option is False and thaws_term(thaw, backward):
                yield Finding(
                    thaw,
                    f"`{receiver(thaw)}` is switched to require grad where it has no graph: it then trains nothing",
                    primary="silences the error of a loss without a graph",
                    labels=[Note(backward, "backward starts here")],
                )
                continue
            at_once = origin(backward).node is thaw.site.node and wraps_computed(made_leaf(thaw))
            if thaw.option is False and (at_once or thaws_loss(thaw, loss) or thaws_data(thaw, backward)):
                seen = loss.is_detached and loss.all_cuts
                what = "nothing else is trained" if seen else "that hides that nothing is trained, or does nothing"
                yield Finding(
                    thaw,
                    f"`{receiver(thaw)}` is switched to require grad just before `backward()`: {what}",
                    primary="silences the error of a loss without a graph",
                    labels=[Note(backward, "backward starts here")],
                )


@check("loss-keeps-graph")
def loss_keeps_graph(flow: Flow) -> Iterator[Finding]:
    """A running value collects the loss with its graph in every iteration."""
    for backward in flow.events(AccumulatesGrad):
        run = collecting_loop(backward.loops) or only_loop(backward, flow)
        if run is None or retains(backward.call) or micro_batches(run, flow):
            continue
        frame = backward.frame
        found = [(run.frame, *c) for c in accumulations(run) if _stays(c, run)]
        found += [(frame, *c) for c in kept_by_callee(frame, run)] if frame is not run.frame else []
        for where, statement, target, added in found:
            value = evaluate(added, where)
            if (
                not added_without_graph(statement, run)
                and (same_tensor(value, unscaled(backward)) or part_of_loss(value) or same_name(added, backward, where))
                and not is_backwarded(flow, target)
                and not feeds(target, backward)
                and not detached_in_place(added, where.function)
            ):
                notes = [Note(backward, "gradients are already computed here")]
                yield _keeps(Site(where.module, statement), target, added, notes)
    yield from kept_in_evaluation(flow)


def _stays(collected: Any, run: LoopRun) -> bool:
    """Does what is collected in a loop outlive its turns, and is more than a short sum?"""
    statement, target, _ = collected
    return not (bound_inside(run, statement, target) or emptied(run, target) or read_at_once(run, statement, target))


def _keeps(site: Site, target: str, added: Any, notes: list[Note]) -> Finding:
    return Finding(
        site,
        f"`{target}` keeps the graph of every batch alive: `{text(site.module, added)}` is not detached",
        primary="the loss is added with its graph",
        labels=notes,
    )


def same_name(added: Any, backward: Event, where: Frame) -> bool:
    """Is it the name that the backward before it started from, not bound again? It has a graph, or that would fail."""
    loss = started(backward)
    if not isinstance(added, ast.Name) or not isinstance(loss, ast.Name) or backward.function is not where.function:
        return False
    at = reaching(backward.function).at
    bound = at.get(id(added), ())
    return bool(bound) and added.id == loss.id and bound == at.get(id(loss), ()) and loss.lineno < added.lineno


def part_of_loss(value: Value) -> bool:
    """Is it certainly an attached loss, or a dictionary with one: a term of what the backward starts from?"""
    if value.kind == "mapping":
        return any(part_of_loss(part) for part in value.parts.values())
    return value.is_("Loss") and all(v.kind == "tensor" and v.graph and not v.cuts for v in value.alternatives)


def added_without_graph(statement: Any, run: LoopRun) -> bool:
    """Is it a sum that is computed where no graph is built? A list keeps the tensor that it is given, as it is."""
    if isinstance(statement, ast.Call):
        return False
    around = (n for s in run.node.body for n in walk(s) if isinstance(n, ast.With))
    inner = (w for w in around if any(n is statement for n in walk(w)))
    return any(effect_on_graph(item.context_expr, run.frame) in (False, None) for w in inner for item in w.items)


def feeds(target: str, backward: Event) -> bool:
    """Is what a backward starts from computed from what is collected, in whatever function?"""
    return any(place(o.node) == target for o in origins(started(backward), backward.frame))


def kept_in_evaluation(flow: Flow) -> Iterator[Finding]:
    """The same while nothing is trained: the whole graph of the evaluation data stays alive."""
    modes = [e for e in flow.events(SetsMode) if e.option == "eval"]
    if not modes or any(calls(e, "set_grad_enabled") for e in flow.events(Creates) if e.call is not None):
        return
    for run in flow.runs:
        if run.role == "epoch" or any(r.node is run.node for e in flow.events(AccumulatesGrad) for r in e.loops):
            continue
        if run.role != "batch" and not any(mode.frame is run.frame for mode in modes):
            continue
        frozen = [e for e in flow.events(Freezes) if e.option is not False]
        forwards = [f for f in flow.events(Forward) if f.loops and f.loops[-1] is run and f.grad_off is False]
        forwards = [f for f in forwards if not any(e.concerns(f) is not False for e in frozen)]
        train = [e for e in flow.events(SetsMode) if e.option != "eval"]
        if not any(
            flow.path(mode, to=f, avoiding=tuple(train)) for f in forwards for mode in modes if f.concerns(mode)
        ):
            continue
        for statement, target, added in accumulations(run):
            value = evaluate(added, run.frame)
            kept = not bound_inside(run, statement, target) and not is_backwarded(flow, target)
            kept = kept and not (added_without_graph(statement, run) or handed_back(run.frame, flow))
            kept = kept and not detached_in_place(added, run.frame.function)
            if kept and ((value.is_attached and value.is_("Loss")) or criticised(added, forwards, run)):
                yield _keeps(Site(run.frame.module, statement), target, added, [])


# ------------------------------------------------------------------------------------------------------------- loops
def is_backwarded(flow: Flow, target: str) -> bool:
    """Does some backward start from this place?"""
    return any(
        place(node) == target
        for event in flow.events(AccumulatesGrad)
        for node in walk(event.call)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    )


def retains(call: Any) -> bool:
    """Does the backward keep its graph for another one?"""
    return any(k.arg in ("retain_graph", "create_graph") for k in getattr(call, "keywords", ()))


# ------------------------------------------------------------------------------------------------------------- words
def shown(site: Site) -> str:
    """The source text of a site."""
    return text(site.module, site.node)


def operation(cut: Cut) -> str:
    """The operation of a cut in the user's words."""
    return shown(cut.site) if cut.how in ("compare", "bool", "float") else cut.how.strip("_")


def switch_name(site: Site) -> str:
    """The name of the context or decorator that switches gradients off."""
    node = site.node.func if isinstance(site.node, ast.Call) else site.node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "no_grad")


def receiver(thaw: Event) -> str:
    """What a `requires_grad_()` or `requires_grad = True` is about, as written."""
    inner = made_leaf(thaw)
    return text(thaw.site.module, inner) if inner is not None else "loss"
