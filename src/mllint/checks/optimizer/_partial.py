"""Is a part of one model left out of its optimizer, although nothing says that it is to stay as it was built?

`Adam(model.decoder.parameters())` is what somebody writes who has loaded the rest, and freezes it. Where the rest is
made of fresh layers, gets gradients, is frozen nowhere, and nothing in the project loads weights, it stays at random
numbers. The same is told where parameters are collected in two lists, of which only one is ever read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding, Note
from mllint.semantics.api import (
    AccumulatesGrad,
    Argument,
    ClassScope,
    Event,
    Flow,
    Frame,
    Freezes,
    FunctionScope,
    Site,
    Value,
    attribute,
    bindings_value,
    evaluate,
    last_name,
    mro,
    origins,
    overlap,
    place,
    records,
    statements,
    text,
    walk,
)

__all__ = ["left_beside", "left_out", "unread_groups"]

_MODULE = "torch.nn.Module"
_LOADS = (
    "from_pretrained load load_model load_checkpoint load_weights load_from_checkpoint load_state_dict_from_url "
    "load_url restore restore_checkpoint resume requires_grad_ freeze unfreeze"
).split()
_OPTIMIZERS = "Adam AdamW SGD RMSprop Adagrad Adadelta NAdam RAdam Adamax Rprop ASGD LBFGS Adafactor LARS Lion".split()
_PARAMETERS = ("parameters", "named_parameters")


def left_out(flow: Flow, built: dict[int, tuple[records.Built, list[Event]]], held: set[int]) -> Iterator[Finding]:
    """The fresh parts of a model that a loss depends on and no optimizer holds, though one holds another part of it.

    Args:
        flow: a flow of which all events are known.
        built: the optimizers that are built in it, with their steps.
        held: the identities of what all of them hold.
    """
    if not starts_fresh(flow, built):
        return
    for made, _ in built.values():
        for node, model in _owners_of_parts(made):
            for name, part in _parts(model, made.call.frame):
                backward = _reached(part, held, flow) if _is_fresh(part, made.call.frame) else None
                if backward is not None:
                    owner = text(made.call.frame.module, node)
                    message = f"the optimizer holds a part of `{owner}`, and nothing trains `{owner}.{name}`"
                    yield Finding(
                        made, message, "a part is left out", [Note(backward, f"computes gradients for `{name}`")]
                    )
                    break


def starts_fresh(flow: Flow, built: dict[int, tuple[records.Built, list[Event]]]) -> bool:
    """Is nothing frozen, nothing loaded, and are all optimizers of the project those of the flow?"""
    project = flow.frame.project
    if any(True for _ in flow.events(Freezes)) or any(project.calls_named(name) for name in _LOADS):
        return False
    made_here = {id(made.call.node) for made, _ in built.values()}
    return all(id(node) in made_here for name in _OPTIMIZERS for node, _ in project.calls_named(name))


def left_beside(flow: Flow, built: dict[int, tuple[records.Built, list[Event]]], held: set[int]) -> Iterator[Finding]:
    """A fresh model beside the one that an optimizer holds: a loss depends on it, and no optimizer holds it.

    Args: as for `left_out`.
    """
    for made, _ in built.values() if starts_fresh(flow, built) else ():
        for name, bindings in made.call.function.bindings.items():
            if len(bindings) != 1 or bindings[0].kind != "assign" or "[" in name or name.count(".") > 1:
                continue
            if _is_asked(name, made.call.argument("params")):
                continue
            model = bindings_value(bindings, made.call.frame)
            own = model.kind == "instance" and isinstance(model.of, ClassScope) and not model.of.module.is_stub
            fresh = own and (_is_fresh(model, made.call.frame) or _has_weights(model))
            backward = _reached(model, held, flow) if fresh else None
            if backward is not None and not _follows(name, made) and _runs_layers(model, backward, made.call.frame):
                message = f"the loss is computed with `{name}`, whose parameters no optimizer holds"
                yield Finding(made, message, "another model", [Note(backward, f"computes gradients for `{name}`")])
                return


def _is_asked(name: str, given: Argument | None) -> bool:
    """Is an optimizer handed something of a model, by a method of its own: `model.trainable_parameters()`?"""
    return given is not None and any(place(n) == name for n in walk(given.node))


def _follows(name: str, made: records.Built) -> bool:
    """Is a model given the weights of another one, by `load_state_dict` or parameter by parameter: a target network?"""
    calls = made.call.function.calls
    loaded = (c.func.value for c in calls if last_name(c.func) == "load_state_dict" and hasattr(c.func, "value"))
    beside = (a for c in calls if last_name(c.func) == "zip" for a in c.args)
    return name in map(place, loaded) or any(place(n) == name for a in beside for n in walk(a))


def _runs_layers(model: Value, backward: Event, frame: Frame) -> bool:
    """Does a gradient reach one of the layers of a model, and not only something else that the model computes?"""
    parts = [value for _, value in _parts(model, frame)]
    return not parts or any(part.identities & backward.subject.all_graph for part in parts)


def _owners_of_parts(made: records.Built) -> Iterator[tuple[Any, Value]]:
    """The models of which `model.part.parameters()` is handed over, once each."""
    seen, given = set(), made.call.argument("params")
    if given is None:
        return
    found = origins(given.node, given.frame, through=lambda o: isinstance(o.node, ast.Name))
    for node in (n for o in found if o.frame is made.call.frame for n in walk(o.node)):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr, value=ast.Attribute(value=inner))) if attr in _PARAMETERS:
                model = evaluate(inner, made.call.frame)
                own = model.kind == "instance" and isinstance(model.of, ClassScope) and not model.of.module.is_stub
                if own and model.instance_of(_MODULE) and model.identity not in seen:
                    seen.add(model.identity)
                    yield inner, model


def _parts(model: Value, frame: Frame) -> Iterator[tuple[str, Value]]:
    """The modules that a model keeps as attributes."""
    names = {n for c in mro(model.of) if isinstance(c, ClassScope) for f in c.methods.values() for n in f.bindings}
    for name in sorted(n.removeprefix("self.") for n in names if n.startswith("self.")):
        if "." not in name and "[" not in name:
            value = attribute(model, name, frame)
            if value.instance_of(_MODULE) and len(value.alternatives) == 1:
                yield name, value


def _reached(part: Value, held: set[int], flow: Flow) -> Event | None:
    """A backward that computes gradients for a part which no optimizer holds."""
    if overlap(part.identities, held, flow.frame):
        return None
    return next((b for b in flow.events(AccumulatesGrad) if part.identities & b.subject.all_graph), None)


def _is_fresh(part: Value, frame: Frame, depth: int = 0) -> bool:
    """Is it certainly made of layers of PyTorch, with parameters of their own that nothing has trained?"""
    if part.kind != "instance" or not isinstance(part.of, ClassScope) or depth > 3:
        return False
    if part.of.module.is_stub:
        if part.instance_of("torch.nn.Sequential", "torch.nn.ModuleList"):
            inner = part.parts if isinstance(part.parts, tuple) else ()
            return any(_is_fresh(v, frame, depth + 1) for v in inner)
        library, name = part.of.module.name, part.of.name
        convolves = library.startswith("torch_geometric.nn") and name.endswith("Conv")
        return convolves or (library.startswith("torch.nn") and name in _LAYERS)
    return any(_is_fresh(value, frame, depth + 1) for _, value in _parts(part, frame))


def _has_weights(model: Value) -> bool:
    """Has a model weights of its own that it draws: `self.weight = nn.Parameter(torch.randn(n, d))`?"""
    bound = (
        b.value
        for c in mro(model.of)
        if isinstance(c, ClassScope) and not c.module.is_stub and (init := c.methods.get("__init__")) is not None
        for name, bindings in init.bindings.items()
        for b in bindings
        if name.startswith("self.")
    )
    return model.instance_of(_MODULE) and any(
        isinstance(v, ast.Call) and last_name(v.func) == "Parameter" and len(v.args) == 1 and not v.keywords
        for v in bound
    )


_LAYERS = (
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding LSTM GRU RNN "
    "TransformerEncoderLayer TransformerEncoder Transformer MultiheadAttention Bilinear LSTMCell GRUCell"
).split()


# ------------------------------------------------------------------------------------------------------ two lists
def unread_groups(function: FunctionScope) -> Iterator[Finding]:
    """Parameters of a model are sorted into two lists, and one of them is never read."""
    if function.called_names.isdisjoint(_PARAMETERS):
        return
    loops = [r.node for r in function.loops if isinstance(r.node, ast.For)]
    sorted_by = [_filled(loop, item) for loop in loops if (item := _parameter_of(loop)) and not _freezes(loop)]
    for filled in (*sorted_by, _listed(function)):
        unread = [name for name in filled if not _is_read(name, function)] if len(filled) > 1 else []
        if len(unread) == 1:
            other = next(name for name in filled if name != unread[0])
            message = f"the parameters in `{unread[0]}` are handed to no optimizer: only those in `{other}` are trained"
            yield Finding(Site(function.module, filled[unread[0]]), message, "collected, and never read")
    yield from _without_rest(function)


def _listed(function: FunctionScope) -> dict[str, Any]:
    """The lists that are written as comprehensions over the parameters of a model under some condition."""
    found: dict[str, Any] = {}
    for statement in statements(function):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.ListComp):
            name = place(statement.targets[0])
            if name is not None and _chooses(statement.value) is not None:
                found[name] = statement.value
    return found


def _chooses(node: Any) -> Any:
    """The condition of `[p for name, p in model.named_parameters() if condition]`; None for anything else."""
    generator = node.generators[0]
    if not isinstance(generator.iter, ast.Call) or last_name(generator.iter.func) != "named_parameters":
        return None
    target = generator.target.elts[-1] if isinstance(generator.target, ast.Tuple) else generator.target
    return generator.ifs[0] if len(generator.ifs) == 1 and place(target) == place(node.elt) else None


def _without_rest(function: FunctionScope) -> Iterator[Finding]:
    """The group of the parameters that are to decay is written out, and none of those that are not to."""
    if "any" not in function.called_names or ast.ListComp not in function.module.comprehended:
        return
    chosen = [n for s in function.body for n in walk(s) if isinstance(n, ast.ListComp) and _chooses(n) is not None]
    if len(chosen) != 1:
        return
    match _chooses(chosen[0]):
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() as names])):
            among = names.generators[0].iter
            for group in (n for s in function.body for n in walk(s) if isinstance(n, ast.Dict)):
                keys = [k.value for k in group.keys if isinstance(k, ast.Constant)]
                inside = any(v is chosen[0] for v in group.values)
                if inside and "weight_decay" in keys and "decay" in (place(among) or ""):
                    message = f"the parameters that `{place(among)}` names are in no group: nothing trains them"
                    yield Finding(Site(function.module, chosen[0]), message, "leaves them out")


def _freezes(loop: ast.For) -> bool:
    """Does a loop set `requires_grad`?"""
    stored = [n.attr for n in walk(loop) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    return "requires_grad" in stored


def _parameter_of(loop: ast.For) -> str | None:
    """The variable that stands for a parameter in a loop over the parameters of a model."""
    if not isinstance(loop.iter, ast.Call) or loop.iter.args:
        return None
    called, target = last_name(loop.iter.func), loop.target
    if called == "named_parameters" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        return place(target.elts[1])
    return place(target) if called == "parameters" else None


def _filled(loop: ast.For, item: str) -> dict[str, ast.Call]:
    """The lists that a loop appends a variable to, with the calls."""
    found: dict[str, ast.Call] = {}
    for node in walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(attr="append", value=target), args=[ast.Name(id=given)]) if given == item:
                for each in (target.body, target.orelse) if isinstance(target, ast.IfExp) else (target,):
                    if isinstance(each, ast.Name):
                        found[each.id] = node
    return found


def _is_read(name: str, function: FunctionScope) -> bool:
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
