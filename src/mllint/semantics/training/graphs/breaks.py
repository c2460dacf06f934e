"""Where does the graph of a loss end, and who hides that?

    scores = net(x)                    # attached to the parameters of `net`
    hard = scores.argmax(1)            # an end: no gradient passes, and nothing attached gets around it
    loss = criterion(hard, y)
    loss.requires_grad_()              # hides it: `backward()` raises no error now, and trains nothing

What a backward starts from is `start_of_backward`; `loss_break` is the first end of it, if nothing that is attached or
unknown contributes to the loss. `break_before_model` asks from the other side: a backward runs, and reaches none of the
parameters that the step after it applies. What is made to require grad by hand starts a graph of its own, so that
nothing before it matters (`has_unfrozen_input`).

What makes it unknown: anything of which the core does not know the graph. What is deliberately not here: what `.grad`
holds (`gradients`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import share_identities
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, Forward, Freezes, SetsGrad
from mllint.semantics.flow.searches import concerning
from mllint.semantics.flow.subjects import reach
from mllint.semantics.libraries.tensor_methods import DETACHES, UNPACKS
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.losses.unused_output import data_for_criterion
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import has_role_name
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.values import (
    BottomValue,
    GraphBreak,
    ManyValue,
    SequenceValue,
    Site,
    TensorValue,
    UnknownValue,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.vocabulary import Trait

__all__ = [
    "HANDED", "break_before_model", "find_detached_operand", "graphs_of",
    "has_gradient_argument", "has_unfrozen_input", "is_backward_with_gradients", "is_call_named", "is_same_tensor",
    "loss_break", "lost_term", "made_leaf", "origin", "reduced_leaf", "start_of_backward",
    "unfreezes_data_loss", "unfreezes_loss", "unfreezes_loss_term", "unscaled_loss", "wraps_computed_value",
]  # fmt: skip

HANDED = (
    DETACHES | UNPACKS | frozenset("detach_ data float tensor scalar_tensor Variable array asarray from_numpy".split())
)
"""What hands on the numbers of a tensor without its graph, on purpose."""

_MANY = 300  # origins: who has so many may come from anywhere
_WRAPPERS = frozenset("tensor as_tensor scalar_tensor Variable FloatTensor new_tensor from_numpy".split())
_REDUCES = ("mean", "sum")


def loss_break(backward: Event, flow: Flow) -> GraphBreak | None:
    """The first graph break of a loss that nothing attached or unknown contributes to; None if it may train at all."""
    loss = backward.subject
    if isinstance(loss, BottomValue) or not loss.is_detached or not loss.all_breaks:
        return _hidden_break(backward, flow) if isinstance(loss, UnknownValue) else None
    if has_unfrozen_input(backward, flow):
        return None
    cut = loss.all_breaks[0]
    return None if _rooted_elsewhere(backward) or _is_array_of_tensors(cut, backward) else cut


def _hidden_break(backward: Event, flow: Flow) -> GraphBreak | None:
    """The graph break of the prediction that an unknown function is given, with nothing else that has gradients, whose
    result is then made to require grad; what has parameters of its own would have needed no such thing. Or that of a
    decision in numbers, `scores.argmax(1).float()`, in what is called a loss: nobody looks numbers up."""
    node = origin(backward).node
    if not isinstance(node, ast.Call) or not node.args or not evaluate(node.func, backward.frame).is_unknown:
        return None
    given = [evaluate(a, backward.frame) for a in node.args]
    if any(v.graph for value in given for v in value.alternatives):
        return None
    loss = unscaled_loss(backward)
    silenced = any(thaw.option is False and unfreezes_loss(thaw, loss) for thaw in flow.events(Freezes))
    for argument, value in zip(node.args, given, strict=True):
        cut = value.all_breaks[0] if value.is_detached and value.all_breaks else None
        if cut is not None and (
            silenced or (cut.how == "argmax" and _is_decision_cast_to_float(argument, backward, node))
        ):
            return cut
    return data_for_criterion(backward, node)


def _is_decision_cast_to_float(argument: Node, backward: Event, call: ast.Call) -> bool:
    """Is a decision made a number, by `.float()`, before a loss is given it?"""
    bound = (name for name, found in backward.function.bindings.items() if any(b.value is call for b in found))
    named = has_role_name(last_name(call.func), Role.LOSS, Role.CRITERION)
    if len(call.args) != 2 or not (named or any(has_role_name(name, Role.LOSS) for name in bound)):
        return False
    calls = (o.node for o in origins(argument, backward.frame) if isinstance(o.node, ast.Call))
    return any(last_name(c.func) == "float" for c in calls)


def lost_term(backward: Event, flow: Flow, word: Trait) -> Site | None:
    """Where a term of what a backward starts from is cut, on each way on which it is computed.

    Args:
        backward: the backward.
        flow: its flow.
        word: how: "PartlyCut" by hand, "PartlyUnrecorded" under `no_grad`, "PartlyHard" by an operation.
    """
    site = backward.subject.because(word)
    if site is None or has_unfrozen_input(backward, flow):
        return None
    certain = all(word in v.traits or v.is_detached for v in backward.subject.alternatives)
    return site if certain else None


def has_unfrozen_input(backward: Event, flow: Flow) -> bool:
    """Is something that a loss is perhaps computed from made to require grad itself: `x.detach().requires_grad_()`?"""
    thaws = (e for e in flow.events(Freezes) if e.option is False)
    return any(not unfreezes_loss(thaw, unscaled_loss(backward)) and _may_feed(thaw, backward) for thaw in thaws)


def _is_array_of_tensors(cut: GraphBreak, backward: Event) -> bool:
    """Is it an array of a list of tensors? That one raises, or holds the tensors themselves."""
    call = cut.site.node
    if cut.how not in ("array", "asarray") or not isinstance(call, ast.Call) or not call.args:
        return False
    if cut.site.module is not backward.function.module:
        return False
    given = evaluate(call.args[0], backward.frame)
    return any(isinstance(v, (ManyValue, SequenceValue)) for v in given.alternatives)


def _rooted_elsewhere(backward: Event) -> bool:
    """Is it computed from what another function makes to require grad, so that nothing before that matters?"""
    others = (
        o for o in origins(start_of_backward(backward), backward.frame) if o.frame.function is not backward.function
    )
    return any(isinstance(o.node, ast.Call) and last_name(o.node.func) == "requires_grad_" for o in others)


def _may_feed(thaw: Event, backward: Event) -> bool:
    """May what is made to require grad be among what a loss was computed from? Parameters do so anyway."""
    subject = thaw.subject
    if not isinstance(subject, BottomValue) and all("Parameters" in v.traits for v in subject.alternatives):
        return False
    name = place(made_leaf(thaw)) or _name_bound_to_leaf(thaw)
    if name is None:
        return True
    names, given = {name}, (thaw.frame.bound or {}).get(name.partition(".")[0])
    if isinstance(given, Passed):
        names |= {place(n) or "" for n in walk(given.node) if isinstance(n, (ast.Name, ast.Attribute))}
    made_of = list(origins(start_of_backward(backward), backward.frame))
    named = (o for o in made_of if place(o.node) in names)
    return len(made_of) > _MANY or any(_may_refer_to_unfrozen(thaw, name, o.frame.function) for o in named)


def _name_bound_to_leaf(thaw: Event) -> str | None:
    """The name that a leaf gets where it is made: `noise = torch.zeros(8).requires_grad_()`."""
    for name, bindings in thaw.function.bindings.items():
        if any(b.kind == "assign" and not b.path and b.value is thaw.site.node for b in bindings):
            return name
    return None


def _may_refer_to_unfrozen(thaw: Event, name: str, function: FunctionScope) -> bool:
    """May a name in a function mean what a thaw is about, and not a variable of the function's own?"""
    head = name.partition(".")[0]
    if function is thaw.function or head == "self" or thaw.function.parameter(head) is not None:
        return True
    return head not in function.bindings and head in thaw.function.bindings


def has_gradient_argument(backward: Event) -> bool:
    """Is it `y.backward(g)`, which asks for a product with a gradient of one's own, and not for that of a loss?"""
    call = backward.call
    if not isinstance(call, ast.Call) or not call.args or not isinstance(call.func, ast.Attribute):
        return False
    given, receiver = last_name(call.args[0]), last_name(call.func.value)
    if topics.is_about(given, Topic.LOSSES) and not topics.is_about(receiver, Topic.LOSSES):
        return False  # an engine that is handed in: `accelerator.backward(loss)`
    return all(
        isinstance(v, (TensorValue, UnknownValue)) for v in evaluate(call.func.value, backward.frame).alternatives
    )


def is_backward_with_gradients(backward: Event) -> bool:
    """Is it `autograd.backward(x, gradients)`, which puts gradients of an earlier computation in place?"""
    call = backward.call
    if not isinstance(call, ast.Call) or place(call.func) not in ("autograd.backward", "torch.autograd.backward"):
        return False
    return len(call.args) > 1 or any(keyword.arg == "grad_tensors" for keyword in call.keywords)


def unfreezes_loss(thaw: Event, loss: Value) -> bool:
    """Is it the loss itself that is made to require grad: something computed, from which backward starts?"""
    if all(v.graph and not (v.breaks or v.opaque) for v in loss.alternatives):
        return False  # it has its graph, so that nothing is switched
    computed = any(v.graph or v.breaks or v.opaque for v in loss.alternatives)
    computed = computed or all(v.site is not None and wraps_computed_value(v.site.node) for v in loss.alternatives)
    return computed and is_same_tensor(thaw.subject, loss)


def unfreezes_data_loss(thaw: Event, backward: Event) -> bool:
    """Is it a loss of the batch alone that is made to require grad: `loss = -(ratio * advantage).mean()`?"""
    loss, node = unscaled_loss(backward), origin(backward).node
    if not isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp)) or not is_same_tensor(thaw.subject, loss):
        return False
    at = reaching(backward.function).at
    names = (n for n in walk(node) if isinstance(n, ast.Name))
    return any(b.kind in ("for", "param") for n in names for b in at.get(id(n), ()))


def unfreezes_loss_term(thaw: Event, backward: Event) -> bool:
    """`if not score.requires_grad: score.requires_grad_(True)`, where the loss is made of the mean or sum `score`?"""
    subject = made_leaf(thaw)
    name = subject.id if isinstance(subject, ast.Name) and thaw.function is backward.function else None
    found = thaw.function.bindings.get(name or "", ())
    if not found or thaw.site.line > backward.site.line:
        return False
    computed = (b.value.func for b in found if isinstance(b.value, ast.Call))
    if (
        sum(isinstance(f, ast.Attribute) and isinstance(f.value, ast.Call) and f.attr in _REDUCES for f in computed)
        == 0
    ):
        return False
    negated = (n for test, held, _ in thaw.conditions for n in walk(test) if isinstance(test, ast.UnaryOp) and held)
    if not any(isinstance(n, ast.Attribute) and n.attr == "requires_grad" and place(n.value) == name for n in negated):
        return False
    started_from = start_of_backward(backward)
    if place(started_from) == name:
        return False  # the loss itself
    return any(place(n) == name for o in origins(started_from, backward.frame) for n in walk(o.node))


def reduced_leaf(backward: Event) -> Site | None:
    """The leaf of `torch.tensor(losses, requires_grad=True).mean()`."""
    node = origin(backward).node
    match node:
        case ast.Call(func=ast.Attribute(attr=word, value=ast.Call() as inner)) if word in _REDUCES:
            value = evaluate(inner, backward.frame)
            return value.because("Leaf") if value.is_("Leaf") else None
    return None


def is_same_tensor(a: Value, b: Value) -> bool:
    """Are two values certainly the same computed tensor?"""
    first = {(v.identity or id(v.site and v.site.node), v.breaks) for v in a.alternatives}
    known = all(v.identity or v.site is not None for v in (*a.alternatives, *b.alternatives))
    return known and first == {(v.identity or id(v.site and v.site.node), v.breaks) for v in b.alternatives}


def wraps_computed_value(node: Node) -> bool:
    """Does the call wrap something that was computed, and not a constant or a shape?"""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _WRAPPERS and any(isinstance(n, (ast.Name, ast.Call)) for n in walk(node.args[0]))


def start_of_backward(backward: Event) -> Node:
    """The expression that a backward starts from, without its scale: `loss` of `scaler.scale(loss / k).backward()`."""
    node = backward.call
    if backward.kind != "hands_loss":
        func = node.func
        node = (
            func.value
            if isinstance(func, ast.Attribute) and func.attr == "backward" and not node.args
            else (*node.args, node)[0]
        )
    for _ in range(3):
        match node:
            case ast.BinOp(left=(ast.Name() | ast.Attribute()) as inner, op=ast.Div() | ast.Mult()):
                node = inner
            case ast.Call(func=ast.Attribute(attr="scale"), args=[inner]):
                node = inner
    return node


def unscaled_loss(backward: Event) -> Value:
    """The value that a backward starts from, before it was scaled."""
    return backward.subject if backward.kind == "hands_loss" else evaluate(start_of_backward(backward), backward.frame)


def origin(backward: Event) -> Site:
    """The expression that computed what a backward starts from: the right side of `loss = ...`."""
    node = start_of_backward(backward)
    found = reaching(backward.function).at
    for _ in range(4):
        bindings = found.get(id(node), ())
        if len(bindings) == 1 and bindings[0].kind == "assign" and bindings[0].value is not None:
            node = bindings[0].value
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.left, ast.Name)
            and isinstance(node.right, (ast.Name, ast.Constant))
        ):
            node = node.left
        else:
            break
    return Site(backward.frame.module, node)


def made_leaf(thaw: Event) -> Node:
    """The expression that a `requires_grad_()` or `requires_grad = True` is about."""
    match thaw.site.node:
        case ast.Call(func=ast.Attribute(value=inner)):
            return inner
        case ast.Assign(targets=targets):
            switched = (t for t in targets if isinstance(t, ast.Attribute) and t.attr == "requires_grad")
            return next((t.value for t in switched), None)
    return None


# -------------------------------------------------------------------------------------------------------- whose graph
def break_before_model(flow: Flow, step: Event) -> tuple[Site, Event] | None:
    """What keeps a backward from the model of a step, if none reaches it, and that backward: the last `detach` of what
    the model gave, or the call of the model itself where no graph is built.

    The loss of a generator is attached through the discriminator, so that nothing about the loss itself is wrong.
    """
    if not step.loops or any(flow.events(SetsGrad)) or next(concerning(flow, step, AccumulatesGrad), None) is not None:
        return None
    backwards = list(flow.events(AccumulatesGrad))
    if not all(_reaches_no_stepped_weights(b, step, flow) for b in backwards):
        return None
    spoiled = (AppliesGrad, ClearsGrad.concerning(step))
    near = [b for b in backwards if b.loops == step.loops and flow.path(b, to=step, avoiding=spoiled, back=False)]
    held = reach(step.subject, step.frame)[0]
    for backward in near[-1:]:
        leads = _leads_into(backward)
        order = sorted(backward.function.calls, key=lambda c: (c.lineno, last_name(c.func) == "detach"))
        for call in reversed(order):
            inside = call.lineno <= backward.site.line and is_within(call, step.loops[-1].node) and leads(call)
            given = find_detached_operand(call) if inside else None
            if given is not None and any(
                share_identities(v, held, step.frame) for v in graphs_of(given, backward.frame)
            ):
                return Site(backward.frame.module, call), backward
        for call, frame in _ended_in_helpers(backward):
            if any(share_identities(v, held, step.frame) for v in graphs_of(find_detached_operand(call), frame)):
                return Site(frame.module, call), backward
        runs = [f for f in flow.events(Forward) if f.loops == step.loops and f.subject.identities & held]
        runs = [f for f in runs if f.function is not backward.function or leads(f.call)]
        others = (reach(s.subject, s.frame)[0] - held for s in flow.events(AppliesGrad))
        through = any(share_identities(backward.subject.all_graph, other, step.frame) for other in others)
        if runs and through and all(f.grad_off is True and f.site.line < backward.site.line for f in runs):
            return runs[-1].site, backward
    return None


def _ended_in_helpers(backward: Event) -> Iterator[tuple[ast.Call, Frame]]:
    """The calls that end a graph in the functions which compute a loss, and do not give that end itself: a criterion,
    `training_loss()`."""
    func = backward.call.func if isinstance(backward.call, ast.Call) and not backward.subject.is_("Leaf") else None
    if isinstance(func, ast.Attribute) and func.attr == "backward" and not backward.call.args:
        for origin in origins(func.value, backward.frame):
            elsewhere = origin.frame.function is not backward.function
            if elsewhere and isinstance(origin.node, ast.Call) and find_detached_operand(origin.node) is not None:
                yield origin.node, origin.frame


def _reaches_no_stepped_weights(backward: Event, step: Event, flow: Flow) -> bool:
    """Does a backward reach nothing that a step updates? Where neither model is known, it reaches another one if that
    is what another optimizer holds: nobody builds two for one model."""
    if backward.concerns(step) is not None:
        return backward.concerns(step) is False
    reached, held = backward.subject.all_graph, reach(step.subject, step.frame)[0]
    others = (reach(s.subject, s.frame)[0] for s in flow.events(AppliesGrad) if s.concerns(step) is not True)
    return bool(reached) and held.isdisjoint(reached) and any(reached <= other for other in others)


def graphs_of(node: Node, frame: Frame) -> Iterator[frozenset[int]]:
    """What the tensors of an expression lead to; for numbers that were read off tensors, what these led to."""
    for value in flattened_alternatives(evaluate(node, frame)):
        yield value.all_graph
        for end in value.all_breaks:
            func = end.site.node.func if isinstance(end.site.node, ast.Call) else None
            if isinstance(func, ast.Attribute) and end.site.module is frame.module:
                yield evaluate(func.value, frame).all_graph


def find_detached_operand(call: ast.Call) -> Node:
    """What a call ends the graph of: `x` of `x.detach()`, or of `torch.tensor(x, requires_grad=True)`; None if it does
    not."""
    name = last_name(call.func)
    if name == "detach":
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    anew = name in ("tensor", "Variable") and any(k.arg == "requires_grad" for k in call.keywords)
    return call.args[0] if anew and call.args else None


def _leads_into(backward: Event) -> Callable[[Node], bool]:
    """Whether the loss of a backward may be computed from what a call gives: not from all that stands before it."""
    func = backward.call.func if isinstance(backward.call, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "backward" or backward.call.args:
        return lambda call: True
    behind = {id(o.node) for o in origins(func.value, backward.frame)}
    return lambda call: len(behind) >= _MANY or id(call) in behind


def is_call_named(event: Event, *names: str) -> bool:
    """Is it a call of something of one of these names?"""
    func = event.call.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in names
