"""Does an optimizer hold the parameters that the backward before its step computes gradients for?

Two models side by side (a generator and a discriminator, a student and a teacher, a network and its target) are easily
mistaken for each other where their optimizers are built. It shows in the flow: the backward of a step reaches a module
that was built here and that no optimizer holds, while the optimizer holds a module that the loss does not depend on, or
that another optimizer holds already. Leaving a part of a model out is often meant: that is for `_partial`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.checks.optimizer._partial import left_beside, left_out, unread_groups
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    ClassScope,
    ClearsGrad,
    Creates,
    Event,
    Flow,
    Frame,
    Freezes,
    ModuleScope,
    OwnsLoop,
    Value,
    attribute,
    bindings_value,
    constructor_argument,
    lifetimes,
    mro,
    overlap,
    place,
    reach,
    records,
    text,
    walk,
)

__all__: list[str] = []

_MODULE, _OPTIMIZER = "torch.nn.Module", "torch.optim.Optimizer"
_WHOLE = ("torchvision.models", "timm", "transformers")
_LAYERS = tuple(
    f"torch.nn.{name}"
    for name in """Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding LSTM GRU RNN
    TransformerEncoderLayer TransformerEncoder Transformer MultiheadAttention Bilinear LSTMCell GRUCell""".split()
)


@check("wrong-parameters")
def wrong_parameters(flow: Flow) -> Iterator[Finding]:
    """The optimizer holds the parameters of another model than the one that is trained."""
    yield from collected(flow)
    if not flow.complete or any(True for _ in flow.events(OwnsLoop)):
        return
    built = lifetimes.constructions(flow)
    held = {number: held_by(made, steps) for number, (made, steps) in built.items()}
    if not held or None in held.values():
        return  # an optimizer of which it is not known what it holds
    ids = {i for found in held.values() for i in found or ()}
    yield from left_out(flow, built, ids)
    yield from thawed(flow, handed_over(steps for _, steps in built.values()))
    if any(map(hands_gradients, flow.frame.project.modules)):
        return
    confused = list(mistaken(flow, built, held))
    yield from confused or left_beside(flow, built, ids)


def mistaken(
    flow: Flow, built: dict[int, tuple[records.Built, list[Event]]], held: dict[int, set[int] | None]
) -> Iterator[Finding]:
    """The optimizers that hold another model than the one that the backwards before their steps train."""
    for number, (made, steps) in built.items():
        mine = held[number] or set()
        backwards = filled_for(flow, steps)
        name = lifetimes.parameters_of(made.call)
        twin = next((m for n, (m, _) in built.items() if n != number and held[n] == mine), None)
        if not name or not backwards:
            continue
        forgotten = untrained(made, backwards, held, flow) if not any(b.subject.is_unknown for b in backwards) else None
        if forgotten is None:
            others = {i for found in held.values() for i in found or ()}
            if twin is not None and all(passes_by(flow, b, mine, others) for b in backwards):
                yield missed(made, name, twin, backwards[-1])
            continue
        trained, backward = forgotten
        reached = any(overlap(mine, graph_of(b), flow.frame) for b in backwards)
        if not reached:
            note, idle = Note(backward, f"computes gradients for `{trained}`"), beside(made, backward, flow)
            if idle is None:
                yield finding(made, name, trained, note)
            elif not any(c.concerns(idle) for c in flow.events(ClearsGrad)):  # else `backward-without-step` says so
                yield unstepped(made, name, trained, note, idle)
        elif twin is not None and len(built) > 1:
            yield finding(made, name, trained, Note(twin, f"`{name}` is held here already"))


def hands_gradients(module: ModuleScope) -> bool:
    """Does a file give the parameters of one model gradients from elsewhere: `shared._grad = own.grad.clone()`,
    `p.grad.copy_(g)`?"""
    known: bool | None = module.effects.get("hands gradients")
    if known is None:
        mentioned = module.source is not None and ".grad" in module.source.text
        known = module.effects["hands gradients"] = mentioned and _hands_gradients(module)
    return known


def _hands_gradients(module: ModuleScope) -> bool:
    for node in walk(module.body.node):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=base, attr="grad" | "_grad")], value=value):
                if comes_from_elsewhere(value, base):
                    return True
            case ast.Call(func=ast.Attribute(value=ast.Attribute(value=base, attr="grad"), attr="copy_"), args=[value]):
                if comes_from_elsewhere(value, base):
                    return True
    return False


def comes_from_elsewhere(value: Any, base: Any) -> bool:
    """Is it, or is it made of, what is neither the gradient that is there already, nor a constant?"""
    own = place(base)
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and place(n) not in (None, own, f"{own}.grad") for n in walk(value)
    ) and not any(isinstance(n, ast.Attribute) and n.attr == "grad" and place(n.value) == own for n in walk(value))


def handed_over(optimizers: Iterator[list[Event]]) -> set[int]:
    """The identities of what optimizers were given, as it is written."""
    found: set[int] = set()
    for steps in optimizers:
        for value in steps[0].subject.alternatives:
            params = constructor_argument(value, "params")
            found |= reach(params, steps[0].frame)[0] if params is not None else set()
    return found


def thawed(flow: Flow, held: set[int]) -> Iterator[Finding]:
    """What was frozen is to be trained again, but it is in none of the optimizers that take a step after that."""
    if flow.frame.project.calls_named("add_param_group"):
        return
    switches = list(flow.events(Freezes))
    for thaw in (e for e in switches if e.option is False):
        ids, more = reach(thaw.subject, thaw.frame)
        if more or not ids or overlap(ids, held, flow.frame) or frozen_for_a_moment(thaw, flow):
            continue
        if any(overlap(ids, reach(given, made.frame)[0], flow.frame) for made, given in given_to_optimizers(flow)):
            continue  # whoever that optimizer is handed to takes its steps
        frozen_before = any(
            e.option is True and overlap(reach(e.subject, e.frame)[0], ids, flow.frame) and flow.path(e, to=thaw)
            for e in switches
        )
        step = flow.path(thaw, to=AppliesGrad) if frozen_before else None
        if step is not None:
            what = text(thaw.site.module, thaw.site.node, 50)
            message = f"`{what}` is for parameters that no optimizer holds: they stay as they are"
            yield Finding(thaw, message, "to be trained again", [Note(step.end, "updates other parameters")])


def given_to_optimizers(flow: Flow) -> Iterator[tuple[Event, Value]]:
    """The parameters that optimizers are built with, whether or not it is seen that they take a step."""
    for made in flow.events(Creates):
        params = constructor_argument(made.subject, "params") if made.subject.instance_of(_OPTIMIZER) else None
        if params is not None:
            yield made, params


def frozen_for_a_moment(thaw: Event, flow: Flow) -> bool:
    """Does one call freeze and thaw, and take no step: while it computes a term that is to train something else?"""
    above = [e.index for e in flow.events(Freezes) if e.frame is thaw.frame and e.option is True]
    above = [index for index in above if index < thaw.index]
    return bool(above) and not any(max(above) < s.index < thaw.index for s in flow.events(AppliesGrad))


def collected(flow: Flow) -> Iterator[Finding]:
    """What the lists of parameters say that a function fills: asked once, whatever flows there are."""
    project = flow.frame.project
    if project.reach.memo.setdefault("collected parameters", id(flow.root)) == id(flow.root):
        for module in project.modules:
            if not {"parameters", "named_parameters"}.isdisjoint(module.calls_by_name):
                for function in module.functions:
                    if not isinstance(function.node, ast.Lambda):
                        yield from unread_groups(function)


def finding(made: records.Built, name: str, trained: str, note: Note) -> Finding:
    """The finding at the construction of an optimizer."""
    message = f"the optimizer holds the parameters of `{name}`, and no optimizer those of `{trained}`"
    return Finding(made, message, "another model", [note])


def unstepped(made: records.Built, name: str, trained: str, note: Note, idle: Event) -> Finding:
    """The finding where there is an optimizer for what is trained, and the step of another one is called."""
    message = (
        f"the optimizer holds the parameters of `{name}`, and the one of `{trained}`, which is trained, takes no step"
    )
    steps = "call the step() of the optimizer that holds the parameters which the loss is computed with"
    return Finding(made, message, "another model", [note, Note(idle, "takes no step")], help=steps)


def beside(made: records.Built, backward: Event, flow: Flow) -> Event | None:
    """Where another optimizer is built, for what the loss depends on."""
    for other, params in given_to_optimizers(flow):
        if other.call is not made.call.node and overlap(reach(params, other.frame)[0], graph_of(backward), flow.frame):
            return other
    return None


def passes_by(flow: Flow, backward: Event, mine: set[int], held: set[int]) -> bool:
    """Does a backward reach a model that is cleared by its own `zero_grad()` and in no optimizer, and not this one?"""
    if overlap(mine, graph_of(backward), flow.frame):
        return False
    cleared = (reach(c.subject, c.frame)[0] for c in flow.events(ClearsGrad))
    return any(overlap(i, graph_of(backward), flow.frame) and not overlap(i, held, flow.frame) for i in cleared)


def missed(made: records.Built, name: str, twin: records.Built, backward: Event) -> Finding:
    """The finding for the second of two optimizers of one model, before whose step no backward reaches that model."""
    what = text(backward.site.module, backward.site.node, 50)
    message = (
        f"two optimizers hold the parameters of `{name}`: before the step of this one `{what}` reaches none of them"
    )
    return Finding(made, message, "another model", [Note(twin, "held here already"), Note(backward, "reaches others")])


def held_by(made: records.Built, steps: list[Event]) -> set[int] | None:
    """The identities of what an optimizer holds parameters of; None where there may be more."""
    value = next(
        v for v in steps[0].subject.alternatives if v.arguments is not None and v.arguments.node is made.call.node
    )
    found, more = reach(value, steps[0].frame)
    return None if more or len(steps[0].subject.alternatives) > 1 else found - {value.identity}


def filled_for(flow: Flow, steps: list[Event]) -> list[Event]:
    """The backwards whose gradients the steps of an optimizer apply, if all of them are known."""
    found = [
        b
        for b in flow.events(AccumulatesGrad)
        if any(flow.path(b, to=step, avoiding=ClearsGrad.concerning(step), back=False) for step in steps)
    ]
    return found if all(graph_of(b) for b in found) else []


def graph_of(backward: Event) -> frozenset[int]:
    """The identities of what a loss depends on."""
    return backward.subject.all_graph


def untrained(
    made: records.Built, backwards: list[Event], held: dict[int, Any], flow: Flow
) -> tuple[str, Event] | None:
    """A module that is bound beside the optimizer, that a loss depends on, and that no optimizer holds."""
    ids = {i for found in held.values() for i in found}
    call = made.call
    part = lifetimes.parameters_of(call)
    for name, bindings in call.function.bindings.items():
        if "." in name.removeprefix("self.") or "[" in name or any(b.kind not in ("assign", "param") for b in bindings):
            continue
        if part.startswith(f"{name}."):
            continue  # what it is a part of is no other model
        value = bindings_value(bindings, call.frame)
        if not value.instance_of(_MODULE) or overlap(value.identities, ids, flow.frame) or frozen(value, flow):
            continue
        if not all(has_parameters(v, call.frame) for v in value.alternatives):
            continue
        backward = next((b for b in backwards if overlap(value.identities, graph_of(b), flow.frame)), None)
        if backward is not None:
            return name, backward
    return None


def frozen(module: Value, flow: Flow) -> bool:
    """Are parameters of a module frozen anywhere?"""
    return any(
        e.option is not False and overlap(reach(e.subject, flow.frame)[0], module.identities, flow.frame)
        for e in flow.events(Freezes)
    )


def has_parameters(module: Value, frame: Frame, depth: int = 0) -> bool:
    """Does a module hold parameters for certain: is it a layer that does, or has it one as an attribute?"""
    if module.instance_of(*_LAYERS) or any(c.module.name.startswith(_WHOLE) for c in module.classes):
        return True
    if not module.instance_of(_MODULE) or depth > 3:
        return False
    if module.of.module.is_stub:
        parts = module.parts.values() if isinstance(module.parts, dict) else module.parts
        return any(has_parameters(v, frame, depth + 1) for part in parts for v in part.alternatives)
    names = {n for c in mro(module.of) if isinstance(c, ClassScope) for f in c.methods.values() for n in f.bindings}
    for name in sorted(n for n in names if n.startswith("self.") and n.count(".") == 1 and "[" not in n):
        for value in attribute(module, name.removeprefix("self."), frame).alternatives:
            if value.kind == "instance" and value.identity != module.identity:
                if has_parameters(value, frame, depth + 1):
                    return True
    return False
