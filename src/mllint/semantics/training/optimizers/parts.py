"""Which parts of a model does an optimizer hold, and are the others fresh?

    optimizer = Adam(model.decoder.parameters())       # a part; is `model.encoder` loaded, frozen, or random?

A part that is made of fresh layers, gets gradients, is frozen nowhere, and for which nothing in the project loads
weights, stays at random numbers. Anything else may be meant: the rest was loaded, and stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.flow import Event, Flow, Identities
from mllint.semantics.flow.kinds import AccumulatesGrad, Freezes
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE, MODULE_LIST, SEQUENTIAL
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS
from mllint.semantics.syntax.module import ClassScope, FunctionScope, Scope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.training.optimizers import constructions
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import attribute
from mllint.semantics.values.evaluate import bindings_value, evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins, statements
from mllint.semantics.values.values import InstanceValue, Value

__all__ = [
    "find_backward_of_part", "find_conditional_lists", "find_parameter_condition", "has_gradient_in_layers",
    "has_nothing_frozen_or_loaded", "has_weights", "is_fresh", "is_read", "owners_of_parts", "parts_of",
    "receives_other_weights", "siblings",
]  # fmt: skip

_LOADS = (
    "from_pretrained load load_model load_checkpoint load_weights load_from_checkpoint load_state_dict_from_url "
    "load_url restore restore_checkpoint resume requires_grad_ freeze unfreeze"
).split()
_OPTIMIZERS = "Adam AdamW SGD RMSprop Adagrad Adadelta NAdam RAdam Adamax Rprop ASGD LBFGS Adafactor LARS Lion".split()
_COPYING = ("load_state_dict", "zip")
_LAYERS = (
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding LSTM GRU RNN "
    "TransformerEncoderLayer TransformerEncoder Transformer MultiheadAttention Bilinear LSTMCell GRUCell"
).split()


def has_nothing_frozen_or_loaded(flow: Flow, built: dict[int, constructions.Stepped]) -> bool:
    """Is nothing frozen, nothing loaded, and are all optimizers of the project those of the flow?"""
    project = flow.frame.project
    loads = (scope for name in _LOADS for _, scope in project.calls_named(name))
    if any(True for _ in flow.events(Freezes)) or not all(map(_reads_samples, loads)):
        return False
    made_here = {id(made.call.node) for made, _ in built.values()}
    return all(id(node) in made_here for name in _OPTIMIZERS for node, _ in project.calls_named(name))


def _reads_samples(scope: Scope | None) -> bool:
    """Is it a method of a dataset, so that what it loads are samples?"""
    owner = scope.owner if isinstance(scope, FunctionScope) else None
    return owner is not None and "__getitem__" in owner.methods


def siblings(made: constructions.Built) -> Iterator[tuple[str, Value, Frame]]:
    """What is bound once, next to the model that an optimizer is built for, to a name that it is not given: in the
    function that builds it, and in the one that calls a factory, `optimizer = build_optimizer(model, rate)`."""
    given = made.call.argument("params")
    used = {place(n) for n in walk(given.node)} if given is not None else set()
    frames, caller = [made.call.frame], made.call.frame.caller
    if caller is not None and isinstance(caller[1], ast.Call) and made.call.function.owner is None:
        frames.append(caller[0])
        used |= {place(n) for n in walk(caller[1])}
    for frame in frames:
        for name, bindings in frame.function.bindings.items():
            if len(bindings) == 1 and bindings[0].kind == "assign" and "[" not in name and name.count(".") < 2:
                if name not in used:
                    yield name, bindings_value(bindings, frame), frame


def receives_other_weights(name: str, made: constructions.Built) -> bool:
    """Is a model given the weights of another one, by `load_state_dict` or parameter by parameter: a target network?
    By the function that builds the optimizer, by one that is handed the model there, or by one of the same object."""
    function, project = made.call.function, made.call.frame.project
    family = mro(function.owner) if function.owner is not None and name.startswith("self.") else []
    for scope in project.reach.calling(_COPYING).values():
        copied, around = _copied_into(scope), scope.owner in family
        if name in copied and (scope is function or around):
            return True
        if copied.isdisjoint(p.name for p in scope.parameters):
            continue
        for call, frame in project.callers(scope):
            given = (a for a in Call(call, frame).arguments if place(a.node) == name and a.parameter in copied)
            if (frame.function is function or frame.function.owner in family) and any(given):
                return True
    return False


def _copied_into(function: FunctionScope) -> set[str]:
    """The places that a function loads weights into, or whose parameters it goes through beside those of others."""
    loaded = (c.func.value for c in function.calls_to(_COPYING[:1]) if isinstance(c.func, ast.Attribute))
    beside = (n for c in function.calls_to(_COPYING[1:]) for a in c.args for n in walk(a))
    return {name for n in (*loaded, *beside) if (name := place(n)) is not None}


def has_gradient_in_layers(model: Value, backward: Event, frame: Frame) -> bool:
    """Does a gradient reach one of the layers of a model, and not only something else that the model computes?"""
    parts = [value for _, value in parts_of(model, frame)] if isinstance(model, InstanceValue) else []
    return not parts or any(part.identities & backward.subject.all_graph for part in parts)


def owners_of_parts(made: constructions.Built) -> Iterator[tuple[Node, InstanceValue]]:
    """The models of which `model.part.parameters()` is handed over, once each."""
    seen, given = set(), made.call.argument("params")
    if given is None:
        return
    found = origins(given.node, given.frame, through=lambda o: isinstance(o.node, ast.Name))
    for node in (n for o in found if o.frame is made.call.frame for n in walk(o.node)):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr, value=ast.Attribute(value=inner))) if attr in LISTS_PARAMETERS:
                model = evaluate(inner, made.call.frame)
                if not isinstance(model, InstanceValue) or model.cls.module.is_stub or model.identity in seen:
                    continue
                if model.instance_of(MODULE):
                    seen.add(model.identity)
                    yield inner, model


def parts_of(model: InstanceValue, frame: Frame) -> Iterator[tuple[str, Value]]:
    """The modules that a model keeps as attributes."""
    names = {n for c in mro(model.cls) if isinstance(c, ClassScope) for f in c.methods.values() for n in f.bindings}
    for name in sorted(n.removeprefix("self.") for n in names if n.startswith("self.")):
        if "." not in name and "[" not in name:
            value = attribute(model, name, frame)
            if value.instance_of(MODULE) and len(value.alternatives) == 1:
                yield name, value


def find_backward_of_part(part: Value, held: Identities, flow: Flow) -> Event | None:
    """A backward that computes gradients for a part which no optimizer holds, nor anything that it was built with."""
    if held.meets(Identities(reach(part, flow.frame)[0], flow.frame)):
        return None
    return next((b for b in flow.events(AccumulatesGrad) if part.identities & b.subject.all_graph), None)


def is_fresh(part: Value, frame: Frame, depth: int = 0) -> bool:
    """Is it certainly made of layers of PyTorch, with parameters of their own that nothing has trained?"""
    if not isinstance(part, InstanceValue) or depth > 3:
        return False
    if part.cls.module.is_stub:
        if part.instance_of(SEQUENTIAL, MODULE_LIST):
            return any(is_fresh(v, frame, depth + 1) for v in part.contents)
        library, name = part.cls.module.name, part.cls.name
        convolves = library.startswith("torch_geometric.nn") and name.endswith("Conv")
        return convolves or (library.startswith("torch.nn") and name in _LAYERS)
    return any(is_fresh(value, frame, depth + 1) for _, value in parts_of(part, frame))


def has_weights(model: InstanceValue, frame: Frame, depth: int = 0) -> bool:
    """Has a model, or a part of it, weights that it draws: `self.weight = nn.Parameter(torch.randn(n, d))`?"""
    bound = (
        b.value
        for c in mro(model.cls)
        if isinstance(c, ClassScope) and not c.module.is_stub and (init := c.methods.get("__init__")) is not None
        for name, bindings in init.bindings.items()
        for b in bindings
        if name.startswith("self.")
    )
    if not model.instance_of(MODULE):
        return False
    if any(
        isinstance(v, ast.Call) and last_name(v.func) == "Parameter" and len(v.args) == 1 and not v.keywords
        for v in bound
    ):
        return True
    own = [part for _, part in parts_of(model, frame) if isinstance(part, InstanceValue) and depth < 2]
    return any(not part.cls.module.is_stub and has_weights(part, frame, depth + 1) for part in own)


def find_conditional_lists(function: FunctionScope) -> dict[str, Node]:
    """The lists that are written as comprehensions over the parameters of a model under some condition."""
    found: dict[str, Node] = {}
    for statement in statements(function):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.ListComp):
            name = place(statement.targets[0])
            if name is not None and find_parameter_condition(statement.value) is not None:
                found[name] = statement.value
    return found


def find_parameter_condition(node: Node) -> Node:
    """The condition of `[p for name, p in model.named_parameters() if condition]`; None for anything else."""
    generator = node.generators[0]
    if not isinstance(generator.iter, ast.Call) or last_name(generator.iter.func) != "named_parameters":
        return None
    target = generator.target.elts[-1] if isinstance(generator.target, ast.Tuple) else generator.target
    return generator.ifs[0] if len(generator.ifs) == 1 and place(target) == place(node.elt) else None


def is_read(name: str, function: FunctionScope) -> bool:
    """Is a list used for anything but to append to it, or bound somewhere else than by an empty list?"""
    if any(b.kind != "assign" for b in function.bindings.get(name, ())) or name not in function.bindings:
        return True
    appended = set()
    for call in function.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            appended |= {id(n) for n in walk(call.func.value)}
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in appended
        for statement in statements(function)
        for n in walk(statement)
    )
