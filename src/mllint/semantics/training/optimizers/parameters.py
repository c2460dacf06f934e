"""Of which models does an optimizer hold the parameters, and does the backward before its step reach them?

    opt_d = Adam(generator.parameters())       # `identities_held_by`: the generator
    loss_d(discriminator(x)).backward()        # `graph_of`: the discriminator

Asked of identities: what an optimizer was given when it was built, and what a loss depends on. Where either may be more
than is seen, the answer is None.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.flow import Event, Flow, Identities, share_identities
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad, Creates, Freezes
from mllint.semantics.flow.searches import sources
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE, OPTIMIZER
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.training.optimizers import constructions
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import attribute, constructor_argument
from mllint.semantics.values.evaluate import bindings_value, evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.values import InstanceValue, TensorValue, Value

__all__ = [
    "Passing", "backwards_applied_by", "find_copy", "find_untrained_module", "graph_of",
    "has_optimizer", "identities_given", "identities_held_by", "is_frozen_temporarily", "may_train", "other_optimizer",
    "parameters_of_optimizers", "transfers_gradients", "twins", "unheld_models",
]  # fmt: skip


_WHOLE = ("torchvision.models", "timm", "transformers")
_LAYERS = tuple(
    f"torch.nn.{name}"
    for name in """Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding LSTM GRU RNN
    TransformerEncoderLayer TransformerEncoder Transformer MultiheadAttention Bilinear LSTMCell GRUCell""".split()
)
_UNHELD: Cache[tuple[Frame, frozenset[int]], list[tuple[str, Value]]] = Cache()


@cached()
def transfers_gradients(module: ModuleScope) -> bool:
    """Does a file give the parameters of one model gradients from elsewhere: `shared._grad = own.grad.clone()`,
    `p.grad.copy_(g)`?"""
    return module.source is not None and module.source.holds(".grad") and _transfers_gradients(module)


def _transfers_gradients(module: ModuleScope) -> bool:
    for statement in every_statement(module.body.node):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=base, attr="grad" | "_grad")], value=value):
                if _is_gradient_from_elsewhere(value, base):
                    return True
    for call, _ in module.calls_by_name.get("copy_", ()):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(value=base, attr="grad"), attr="copy_"), args=[value]):
                if _is_gradient_from_elsewhere(value, base):
                    return True
    return False


def _is_gradient_from_elsewhere(value: Node, base: Node) -> bool:
    """Is it, or is it made of, what is neither the gradient that is there already, nor a constant?"""
    own = place(base)
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and place(n) not in (None, own, f"{own}.grad") for n in walk(value)
    ) and not any(isinstance(n, ast.Attribute) and n.attr == "grad" and place(n.value) == own for n in walk(value))


def identities_given(optimizers: Iterator[list[Event]]) -> set[int]:
    """The identities of what optimizers were given, as it is written."""
    found: set[int] = set()
    for steps in optimizers:
        for value in steps[0].subject.alternatives:
            params = constructor_argument(value, "params")
            found |= reach(params, steps[0].frame)[0] if params is not None else set()
    return found


def parameters_of_optimizers(flow: Flow) -> Iterator[tuple[Event, Value]]:
    """The parameters that optimizers are built with, whether or not it is seen that they take a step."""
    for made in flow.events(Creates):
        params = constructor_argument(made.subject, "params") if made.subject.instance_of(OPTIMIZER) else None
        if params is not None:
            yield made, params


def may_train(step: Event) -> bool:
    """May the optimizer of a step hold parameters of a model? One of inputs does not: `SGD([image])` of an image that
    is a leaf, or that depends on nothing."""
    for value in step.subject.alternatives:
        params = constructor_argument(value, "params")
        held = flattened_alternatives(params) if params is not None else []
        if not held or any(not isinstance(v, TensorValue) or (v.graph and not v.is_("Leaf")) for v in held):
            return True
    return False


def is_frozen_temporarily(thaw: Event, flow: Flow) -> bool:
    """Is what is unfrozen frozen only while a term is computed that is to train something else: by one call that takes
    no step in between, or around one backward?"""
    above = [e for e in flow.events(Freezes) if e.option is True and e.index < thaw.index]
    near = [e for e in above if e.frame is thaw.frame]
    steps = list(flow.events(AppliesGrad))
    return (bool(near) and flow.path(near[-1], to=steps, avoiding=thaw) is None) or any(
        _is_around_one_backward(freeze, thaw, flow)
        for freeze in above
        if share_identities(reach(freeze.subject, flow.frame)[0], reach(thaw.subject, flow.frame)[0], flow.frame)
    )


def _is_around_one_backward(freeze: Event, thaw: Event, flow: Flow) -> bool:
    """Does a backward run once between a freeze and a thaw, and no other one before the thaw?

    requires_grad(critic, False)
    actor_loss(critic(s, actor(s))).backward()
    requires_grad(critic, True)
    """
    backwards = list(flow.events(AccumulatesGrad))
    inside = [b for b in backwards if freeze.index < b.index < thaw.index]
    outside = [b for b in backwards if not freeze.index < b.index < thaw.index]
    around = {id(run.node) for run in freeze.loops}
    if not inside or not outside or any(id(run.node) not in around for b in inside for run in b.loops):
        return False
    return flow.path(freeze, to=outside, avoiding=thaw) is None


def other_optimizer(made: constructions.Built, backward: Event, flow: Flow) -> Event | None:
    """Where another optimizer is built, for what the loss depends on."""
    for other, params in parameters_of_optimizers(flow):
        if other.call is not made.call.node and share_identities(
            reach(params, other.frame)[0], graph_of(backward), flow.frame
        ):
            return other
    return None


class Passing:
    """The backwards that reach a model that is cleared by its own `zero_grad()` and in no optimizer, and not the one
    that an optimizer holds.

    Args:
        flow: the flow.
        held: what all of its optimizers hold.
    """

    def __init__(self, flow: Flow, held: Identities) -> None:
        self._flow, self._held = flow, held
        self._candidates: list[tuple[Event, Identities]] | None = None
        self._known: dict[frozenset[int], set[Event]] = {}

    def of(self, mine: set[int]) -> set[Event]:
        """Those that pass by an optimizer with these identities."""
        key = frozenset(mine)
        if key not in self._known:
            own = Identities(mine, self._flow.frame)
            self._known[key] = {backward for backward, graph in self._others() if not own.meets(graph)}
        return self._known[key]

    def _others(self) -> list[tuple[Event, Identities]]:
        """The backwards that reach a model that is cleared by itself and in no optimizer, with what they reach."""
        if self._candidates is None:
            frame = self._flow.frame
            reached = (Identities(reach(c.subject, c.frame)[0], frame) for c in self._flow.events(ClearsGrad))
            cleared = [ids for ids in reached if not ids.meets(self._held)]
            graphs = ((b, Identities(graph_of(b), frame)) for b in self._flow.events(AccumulatesGrad) if cleared)
            self._candidates = [(b, graph) for b, graph in graphs if any(ids.meets(graph) for ids in cleared)]
        return self._candidates


def twins(built: dict[int, constructions.Stepped], held: dict[int, set[int]]) -> dict[frozenset[int], list[int]]:
    """The optimizers that hold the same, by what they hold, in their order."""
    found: dict[frozenset[int], list[int]] = {}
    for number in built:
        found.setdefault(frozenset(held[number]), []).append(number)
    return found


def identities_held_by(made: constructions.Built, steps: list[Event]) -> set[int] | None:
    """The identities of what an optimizer holds parameters of; None where there may be more."""
    value = next(
        v for v in steps[0].subject.alternatives if v.built_with is not None and v.built_with.node is made.call.node
    )
    found, more = reach(value, steps[0].frame)
    return None if more or len(steps[0].subject.alternatives) > 1 else found - {value.identity}


def backwards_applied_by(flow: Flow, steps: list[Event]) -> list[Event]:
    """The backwards whose gradients the steps of an optimizer apply, if all of them are known."""
    found: set[Event] = set()
    for step in steps:
        found.update(sources(flow, step, AccumulatesGrad, avoiding=ClearsGrad.concerning(step), back=False))
    return sorted(found, key=lambda event: event.index) if all(graph_of(b) for b in found) else []


def graph_of(backward: Event) -> frozenset[int]:
    """The identities of what a loss depends on."""
    return backward.subject.all_graph


def unheld_models(made: constructions.Built, held: Identities, flow: Flow) -> list[tuple[str, Value]]:
    """The modules that are bound next to an optimizer, that no optimizer holds and that have parameters, by name. None
    if it is not written there whose parameters the optimizer is given."""
    call = made.call
    part = constructions.parameters_of(call)
    if not part and not constructions.owners_of_parameters(call):
        return []
    key = call.frame, held.ids
    found = _UNHELD.answer(flow.entry, key, lambda: list(_unheld(call, held, flow)), meanwhile=[])
    return [(name, value) for name, value in found if not part.startswith(f"{name}.")]  # a part is no other model


def _unheld(call: Call, held: Identities, flow: Flow) -> Iterator[tuple[str, Value]]:
    """The same for all optimizers that are built in the frame of a call."""
    for name, bindings in call.function.bindings.items():
        if "." in name.removeprefix("self.") or "[" in name or any(b.kind not in ("assign", "param") for b in bindings):
            continue
        if _is_copied_to(name, call.function):
            continue  # a copy is trained by its original
        value = bindings_value(bindings, call.frame)
        if not value.instance_of(MODULE) or Identities(value.identities, flow.frame).meets(held):
            continue
        if not _is_frozen_anywhere(value, flow) and all(_has_parameters(v, call.frame) for v in value.alternatives):
            yield name, value


def find_untrained_module(
    unheld: list[tuple[str, Value]], backwards: list[Event], flow: Flow
) -> tuple[str, Value, Event] | None:
    """A module that no optimizer holds and that a loss depends on, with its name, and the backward of that loss."""
    for name, value in unheld:
        backward = next((b for b in backwards if share_identities(value.identities, graph_of(b), flow.frame)), None)
        if backward is not None:
            return name, value, backward
    return None


def find_copy(original: Value, owners: list[str], made: constructions.Built) -> tuple[str, Value] | None:
    """The copy of a model, `target = deepcopy(net)`, whose parameters an optimizer was given, by its name.

    Args:
        original: the model.
        owners: the places whose parameters the optimizer was given.
        made: where the optimizer is built.
    """
    call = made.call
    for name in owners:
        held = bindings_value(call.function.bindings.get(name, ()), call.frame)
        copied = held.because("Copied") if held.is_("Copied") else None
        if copied is not None and isinstance(copied.node, ast.Call) and copied.node in call.function.calls:
            if any(evaluate(a, call.frame).same_as(original) is True for a in copied.node.args):
                return name, held
    return None


def _is_copied_to(name: str, function: FunctionScope) -> bool:
    """Are the weights of another model loaded into one, as into a target: `old.load_state_dict(net.state_dict())`?"""
    for call, _ in function.module.calls_by_name.get("load_state_dict", ()):
        into = place(call.func.value) if isinstance(call.func, ast.Attribute) else None
        given = (n for a in call.args for n in walk(a) if isinstance(n, ast.Call))
        if into == name and any(last_name(n.func) == "state_dict" for n in given):
            return True
    return False


def has_optimizer(name: str, made: constructions.Built, flow: Flow) -> bool:
    """Is an optimizer built for a model in the function that binds it, whether or not it is seen to take a step?"""
    function, frame = made.call.function, made.call.frame
    model = bindings_value(function.bindings[name], frame)
    for node in function.calls:
        value = evaluate(node, frame)
        params = constructor_argument(value, "params") if value.instance_of(OPTIMIZER) else None
        if params is not None and share_identities(model.identities, reach(params, frame)[0], flow.frame):
            return True
    return False


def _is_frozen_anywhere(module: Value, flow: Flow) -> bool:
    """Are parameters of a module frozen anywhere, and not only while another model gets its gradients?"""
    about = [
        e
        for e in flow.events(Freezes)
        if share_identities(reach(e.subject, flow.frame)[0], module.identities, flow.frame)
    ]
    thaws = [e for e in about if e.option is False]
    frozen = [e for e in about if e.option is not False]
    return any(not any(_is_around_one_backward(e, t, flow) for t in thaws if t.index > e.index) for e in frozen)


def _has_parameters(module: Value, frame: Frame, depth: int = 0) -> bool:
    """Does a module hold parameters for certain: is it a layer that does, or has it one as an attribute?"""
    if module.instance_of(*_LAYERS) or any(c.module.name.startswith(_WHOLE) for c in module.classes):
        return True
    made = module.site.node if module.site is not None else None
    if isinstance(made, ast.Call) and last_name(made.func) == "create_model" and module.instance_of(MODULE):
        return True  # what timm builds has no class of its own
    if not isinstance(module, InstanceValue) or not module.instance_of(MODULE) or depth > 3:
        return False
    if module.cls.module.is_stub:
        return any(_has_parameters(v, frame, depth + 1) for part in module.contents for v in part.alternatives)
    names = {n for c in mro(module.cls) if isinstance(c, ClassScope) for f in c.methods.values() for n in f.bindings}
    for name in sorted(n for n in names if n.startswith("self.") and n.count(".") == 1 and "[" not in n):
        for value in attribute(module, name.removeprefix("self."), frame).alternatives:
            if isinstance(value, InstanceValue) and value.identity != module.identity:
                if _has_parameters(value, frame, depth + 1):
                    return True
    return False
