"""Calls: what is called, how arguments bind, and what comes back.

A class constructs an instance (identified by the call and its context), a function of the user's is entered with its
parameters bound to the argument expressions (`bodies`), a library function answers by its stub, a module instance runs
its `forward`. What is not known returns Unknown, carrying the graph and data of what it was given.
"""

from __future__ import annotations

import ast

from mllint.semantics.libraries.classes import DATASET, ITERABLE_DATASET, MODULE, OPTIMIZER, TENSOR
from mllint.semantics.libraries.stubs import expectations, names_in_annotation
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Constant, Node, last_name
from mllint.semantics.syntax.records import DataPart, Passed
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values import library
from mllint.semantics.values.arguments import (
    Arguments,
    Bound,
    bind,
    bind_arguments,
    join_arguments,
    value_of_bound,
)
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import ancestors
from mllint.semantics.values.bodies import enter, returned_value
from mllint.semantics.values.builtins import EXTERNAL, call_builtin, call_method_of_builtin
from mllint.semantics.values.classes import bound_otherwise, is_stand_in, method, stub_effect
from mllint.semantics.values.containers import module_parts, parts_given_to_super
from mllint.semantics.values.dataset_parts import chosen_part, is_named_validation, part_of_unknown_dataset
from mllint.semantics.values.decorators import decorated_method
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import grad_switch
from mllint.semantics.values.graph_breaks import break_graph
from mllint.semantics.values.heads import output_with_head
from mllint.semantics.values.replaced import runs_otherwise
from mllint.semantics.values.tensors import ENTRY_METHODS, entry_by_method
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    BuiltinValue,
    ClassValue,
    FunctionValue,
    GraphBreak,
    InstanceValue,
    ManyValue,
    MappingValue,
    PartialValue,
    Provenance,
    SequenceValue,
    Site,
    TensorValue,
    Traits,
    UnionValue,
    UnknownValue,
    Value,
    callables,
    merge_facets,
    union,
    unknown,
)

__all__ = [
    "Arguments", "bind", "bind_arguments", "call_method", "call_value", "callee", "entered_function", "invoke",
    "targets", "value_of_bound",
]  # fmt: skip

_VALUE_DEPTH = 3
_BUILDS = frozenset(("__init__",))
_WITH_PARAMETERS = frozenset(
    """Embedding EmbeddingBag LSTM GRU RNN LSTMCell GRUCell RNNCell PReLU MultiheadAttention Transformer Sequential
    ModuleList""".split()
)
_WHOLE = ("torchvision.models", "timm", "keras")
_MODELS = (
    "torchvision.models",
    "torch_geometric.nn",
    "timm",
    "transformers",
    "peft",
    "deepspeed",
)  # whole models, and layers


def callee(call: ast.Call, frame: Frame) -> Value:
    """The value of what is called: a model, where a builder gives that or `None`."""
    value = callables(ask.evaluate(call.func, frame))
    if (
        isinstance(value, UnknownValue)
        and call.args
        and _is_parameters_call(call.args[0])
        and _optimizes(value, call.func)
    ):
        family = frame.project.library(OPTIMIZER)
        return family if isinstance(family, ClassValue) else value
    return value


def _is_parameters_call(node: Node) -> bool:
    """Is it `model.parameters()`?"""
    return node.__class__ is ast.Call and node.func.__class__ is ast.Attribute and node.func.attr == "parameters"


def _optimizes(value: Value, func: Node) -> bool:
    """Is something unknown that is given parameters an optimizer's class, by its name or by that of its library?"""
    name = last_name(func)
    if not name or is_about(name, Topic.BUILDING):
        return False
    external = value.name if isinstance(value, UnknownValue) else None
    return bool(is_about(name, Topic.OPTIMIZERS) or (external is not None and ".optim" in f".{external}"))


def targets(call: ast.Call, frame: Frame) -> list[FunctionScope]:
    """The functions that a call enters: the function, the constructor of a class, the forward of a module."""
    found = []
    for value in callee(call, frame).alternatives:
        function = entered_function(value)
        if function is not None:
            found.append(function)
    return found


def entered_function(value: Value) -> FunctionScope | None:
    """The function that calling a value enters, if it is one that can be read."""
    match value:
        case FunctionValue() if isinstance(value.target, FunctionScope):
            return value.target
        case ClassValue():
            return method(value.cls, "__init__")
        case InstanceValue():
            return call_method(value.cls)
        case PartialValue():
            return entered_function(value.called)
    return None


def call_method(cls: ClassScope) -> FunctionScope | None:
    """What `instance(...)` runs: a module's forward, `call` of Keras, else `__call__`."""
    own = method(cls, "__call__")
    forward = method(cls, "forward") or (method(cls, "call") if own is not None and own.stubbed else None)
    return forward if forward is not None and (own is None or own.stubbed) else own


# ---------------------------------------------------------------------------------------------------------- the call
def call_value(node: ast.Call, frame: Frame) -> Value:
    """The value of a call expression."""
    target = callee(node, frame)
    value = _of_each(target, node, frame) if isinstance(target, UnionValue) else _apply(target, node, frame)
    if node.keywords and _has_requires_grad(node, frame):
        return value.mapped(lambda v: _leaf(v, node, frame))
    if (value.graph or value.traits or value.__class__ is UnionValue) and _may_lose_graph(value, target):
        off, origin = grad_switch(node, frame)
        if off:
            return value.mapped(lambda v: _ungraphed(v, frame, origin))
    return value


def _may_lose_graph(value: Value, target: Value) -> bool:
    """May what a call gives have been computed where no graph is built?"""
    return any(v.graph or "Loss" in v.traits for v in value.alternatives) and not _is_own_function(target)


def _of_each(target: UnionValue, node: ast.Call, frame: Frame) -> Value:
    """What a call gives that may be of one of several things: not of a stand-in for what cannot be imported."""
    values = [_apply(v, node, frame) for v in target.parts if not is_stand_in(v)] or [UNKNOWN]
    solid = [v for v in values if not isinstance(v, BottomValue)]
    return union(solid) if solid else values[0]


def _is_own_function(target: Value) -> bool:
    """Is it a function of the user's? What it computes was looked at inside; it may switch gradients on again."""
    return all(
        isinstance(v, FunctionValue) and isinstance(v.target, FunctionScope) and not v.target.stubbed
        for v in target.alternatives
    )


def _leaf(value: Value, node: ast.Call, frame: Frame) -> Value:
    """A tensor that requires grad itself: gradients end here."""
    site = Site(frame.module, node)
    graph = frozenset({_new(node, frame)})
    return TensorValue(
        identity=value.identity, graph=graph, provenance=value.provenance, traits={"Leaf": site}, site=site
    )


def _ungraphed(value: Value, frame: Frame, origin: Site | None) -> Value:
    """A result computed where no graph is built; the cut is the context or decorator that switched it off."""
    computed = (value.graph or "Loss" in value.traits) and "Parameters" not in value.traits
    if not computed or not isinstance(value, (TensorValue, UnknownValue)) or origin is None:
        return value
    end = GraphBreak(origin, "no_grad")
    if isinstance(value, UnknownValue):  # what is read or built there is no tensor for that
        return value.with_(graph=frozenset(), breaks=(end,), opaque=False)
    return break_graph(value, "no_grad", frame, origin.node, keep=True).mapped(
        lambda v: v.with_(breaks=(*v.breaks[:-1], end))
    )


def _has_requires_grad(node: ast.Call, frame: Frame) -> bool:
    return any(k.arg == "requires_grad" and ask.evaluate(k.value, frame).literal is True for k in node.keywords)


def _apply(value: Value, node: ast.Call, frame: Frame) -> Value:
    match value:
        case ClassValue():
            return _construct(value.cls, Arguments(node, frame), frame, node)
        case FunctionValue():
            return _call_function(value, node, frame)
        case InstanceValue():
            return _call_instance(value, Arguments(node, frame), frame, node)
        case PartialValue():
            return _call_with(value.called, join_arguments(value, node, frame), frame, node)
        case BuiltinValue():
            return call_builtin(value.name, node, frame)
        case BottomValue():
            return value
    return _call_unknown(value, node, frame)


def _call_with(value: Value, arguments: Arguments, frame: Frame, node: Node) -> Value:
    """The result of calling a value with given arguments."""
    results = []
    for v in value.alternatives:
        match v:
            case ClassValue():
                results.append(_construct(v.cls, arguments, frame, node))
            case InstanceValue():
                results.append(_call_instance(v, arguments, frame, node))
            case FunctionValue() if isinstance(v.target, FunctionScope):
                results.append(invoke(v.target, v.receiver, arguments, frame, closure=v.closure, node=node))
            case _:
                results.append(_new_unknown(v, arguments.values(), frame, node))
    return union(results)


def _call_function(value: FunctionValue, node: ast.Call, frame: Frame) -> Value:
    if isinstance(value.target, str):
        return call_method_of_builtin(value.target, value.receiver or UNKNOWN, node, frame)
    return invoke(value.target, value.receiver, Arguments(node, frame), frame, closure=value.closure, node=node)


def _call_unknown(value: Value, node: ast.Call, frame: Frame) -> Value:
    if isinstance(value, UnknownValue) and value.name in EXTERNAL:
        return EXTERNAL[value.name](node, frame)
    looks_up = node.func.__class__ is ast.Attribute and node.func.attr in ENTRY_METHODS
    found = entry_by_method(value, node, frame) if looks_up else None
    return found if found is not None else _new_unknown(value, Arguments(node, frame).values(), frame, node)


def _new_unknown(value: Value, arguments: list[Value], frame: Frame, node: Node) -> Value:
    """The result of something unknown: a new object that may carry whatever went in."""
    everything = [w for v in arguments for w in library.flattened_alternatives(v)]
    receiver = [value.receiver] if isinstance(value, UnknownValue) and value.receiver is not None else []
    merged = merge_facets([*everything, *receiver])
    graph = merged.graph | ({value.identity} if value.identity and isinstance(node, ast.Call) else frozenset())
    held = [v for v in everything if (isinstance(v, InstanceValue) and _leads_on(v)) or "Holds" in v.traits]
    traits: Traits = {"Holds": Site(frame.module, node)} if held else {}
    graph |= {i for v in held for i in ((v.identity,) if isinstance(v, InstanceValue) else v.graph)}
    rows = merged.provenance | (value.provenance if merged.provenance else frozenset())  # `train.align(test)`: both
    provenance, identity = library._some(rows), _new(node, frame)
    part = "" if provenance else part_of_unknown_dataset(node)
    if part:
        provenance = frozenset({Provenance(identity, part, Site(frame.module, node))})
    return unknown(identity, graph=graph, provenance=provenance, traits=traits)


def _leads_on(value: InstanceValue) -> bool:
    """Can something else be reached through an object? Not through one of a library that has no methods: a device."""
    cls = value.cls
    return bool(value.identity) and not (cls.module.is_stub and not cls.node.bases and cls.methods.keys() <= _BUILDS)


def _new(node: Node, frame: Frame) -> int:
    return frame.project.intern(("new", frame.key, id(node)))


# -------------------------------------------------------------------------------------------------------- constructors
def _construct(cls: ClassScope, arguments: Arguments, frame: Frame, node: Node) -> Value:
    """An instance of a class."""
    identity = _new(node, frame)
    site = Site(frame.module, node)
    wraps = stub_effect(cls, "wraps")
    init = method(cls, "__init__")
    bound, _ = bind_arguments(init, arguments, 1) if init is not None else ({}, True)
    if wraps is not None and wraps.of in bound:
        inner = value_of_bound(bound[wraps.of])
        if MODULE in ancestors(cls):
            return inner.mapped(lambda v: v.with_(traits={**v.traits, "Wrapped": site}))
        provenance = inner.all_provenance
        return InstanceValue(
            cls, identity=identity, parts=(inner,), arguments=arguments, site=site, provenance=provenance
        )
    if TENSOR in ancestors(cls) or "torch._tensor.Tensor" in ancestors(cls):
        given = merge_facets([arguments.get(a) for a in arguments.positional[:1]])
        graph = (
            frozenset({identity})
            if "torch.nn.parameter.Parameter" in ancestors(cls) or cls.name == "Parameter"
            else given.graph
        )
        return TensorValue(
            identity=identity, graph=graph, breaks=given.breaks,
            provenance=given.provenance, opaque=given.opaque, site=site,
        )  # fmt: skip
    parts: tuple[Value, ...] | dict[Constant, Value] = ()
    if cls.module.is_stub and MODULE in ancestors(cls):
        parts = module_parts(cls, arguments)
    provenance = _data_provenance(cls, init, bound, identity, site)
    return InstanceValue(cls, identity=identity, arguments=arguments, site=site, parts=parts, provenance=provenance)


def _data_provenance(
    cls: ClassScope, init: FunctionScope | None, bound: dict[str, Bound], identity: int, site: Site
) -> frozenset[Provenance]:
    """Where the data of a dataset comes from, and which part of it its arguments choose."""
    if init is None or not ({DATASET, ITERABLE_DATASET} & ancestors(cls)):
        if init is not None and init.stubbed:
            rows = [value_of_bound(v) for k, v in bound.items() if "Rows" in expectations(init, k)]
            return frozenset().union(*(r.all_provenance for r in rows)) if rows else frozenset()
        return frozenset()
    inherited: set[Provenance] = set()
    part: DataPart = "whole"
    for name, thing in bound.items():
        value = value_of_bound(thing)
        inherited |= {r for v in library.flattened_alternatives(value) for r in v.provenance}
        chosen = chosen_part(name, value, init)
        part = chosen or part
    if (
        part == "test"
        and not init.stubbed
        and any(is_named_validation(thing.node) for thing in bound.values() if isinstance(thing, Passed))
    ):
        part = "heldout"  # `Rows(valid_df, phase="test")`: the word says how to read them
    for parameter in init.parameters:
        if parameter.name not in bound and "Flag" in names_in_annotation(parameter.annotation):
            default = parameter.default
            part = "train" if isinstance(default, ast.Constant) and default.value is True else part
    if inherited:
        if part != "whole":
            return frozenset(Provenance(r.identity, part, site) for r in inherited)
        return frozenset(inherited)
    return frozenset({Provenance(identity, part, site)})


# -------------------------------------------------------------------------------------------------------- invocation
def _call_instance(value: InstanceValue, arguments: Arguments, frame: Frame, node: Node) -> Value:
    """The result of calling an instance: a module runs forward and its parameters join the graph."""
    cls = value.cls
    names = ancestors(cls)
    function = call_method(cls)
    chains = cls.module.is_stub and cls.name == "Sequential"
    if runs_otherwise(value, frame.project):
        return _new_unknown(value, arguments.values(), frame, node)
    parts = value.contents if chains else parts_given_to_super(value, function, frame)
    if parts:
        result: Value = UNKNOWN
        inputs = arguments
        for part in parts:
            result = _call_with(part, inputs, frame, node)
            inputs = Arguments(None, frame, (result,))
    elif function is None:
        return _new_unknown(value, arguments.values(), frame, node)
    else:
        made = bound_otherwise(function, value, frame) if not cls.module.is_stub else None
        if made is None and function.decorators:
            made = decorated_method(function, value, frame.project)
        if made is not None:
            result = _call_with(made, arguments, frame, node)
        else:
            result = invoke(function, value, arguments, frame, node=node)
        if cls.module.is_stub and cls.module.name.startswith(_WHOLE):
            result = output_with_head(value, result, frame, node)
    if MODULE not in names or _has_no_parameters(cls):
        return result
    identity = value.identity
    layer = cls.module.is_stub or (function is not None and _is_layer(function))
    return result.mapped(lambda v: _joined_graph(v, identity, layer=layer))


def _joined_graph(value: Value, identity: int, *, layer: bool) -> Value:
    """What a module gives carries its parameters; a user's forward that detaches its own result gives none."""
    if isinstance(value, SequenceValue):
        return SequenceValue(tuple(_graph_in(p, identity, layer=layer) for p in value.parts))
    if isinstance(value, MappingValue):
        return MappingValue({k: _graph_in(p, identity, layer=layer) for k, p in value.entries.items()})
    if not identity or not isinstance(value, (TensorValue, UnknownValue, BottomValue, ManyValue)):
        return value
    if value.breaks and not value.graph and not value.opaque and not layer:
        return value
    if isinstance(value, ManyValue) and value.part is not None:
        value = value.of_part(_graph_in(value.part, identity, layer=layer))
    traits: Traits = {word: site for word, site in value.traits.items() if word != "Given"}
    return value.with_(graph=value.graph | {identity}, traits=traits)


def _graph_in(part: Value, identity: int, *, layer: bool) -> Value:
    return part.mapped(lambda v: _joined_graph(v, identity, layer=layer))


def _has_no_parameters(cls: ClassScope) -> bool:
    """A stub layer without parameters (a loss, an activation) adds nothing to the graph."""
    return cls.module.is_stub and _is_described_without(cls)


@cached_per_scope()
def _is_described_without(cls: ClassScope) -> bool:
    forward = call_method(cls)
    words = names_in_annotation(forward.node.returns) if forward is not None else frozenset()
    known = cls.name in _WITH_PARAMETERS or cls.module.name.startswith(_MODELS)
    return "Loss" in words or not ("Raw" in words or known)


def _is_layer(forward: FunctionScope) -> bool:
    """Is it the `forward` of a library's layer with parameters, inherited by a class of the user's?"""
    return forward.stubbed and isinstance(forward.owner, ClassScope) and not _has_no_parameters(forward.owner)


def invoke(
    function: FunctionScope, receiver: Value | None, arguments: Arguments | None, frame: Frame, *,
    closure: Frame | None = None, node: Node = None,
) -> Value:  # fmt: skip
    """The result of a call of one function with its parameters bound.

    Args:
        function: the function.
        receiver: what it is called on, as a method.
        arguments: what it is given; None if nothing is known of that.
        frame: where the call stands.
        closure: the frame around the function's definition.
        node: the call, if there is one.
    """
    skip = (
        1
        if receiver is not None
        or (function.owner is not None and not function.decorated("staticmethod") and arguments is None)
        else 0
    )
    if function.stubbed:
        if arguments is not None and function.decorated("overload") and not arguments.open:
            function = library.by_arity(function, len(arguments.positional) + skip, arguments.keywords)
        bound, _ = bind_arguments(function, arguments, skip) if arguments is not None else ({}, True)
        given = {k: value_of_bound(v) for k, v in bound.items()}
        result = library.stands_for(function, given, receiver, frame) or library.apply(
            function, given, frame, node or function.node, receiver
        )
        if function.name == "forward" and receiver is not None and _is_layer(function):
            owner = receiver.identity  # `layer.forward(x)`, as a wrapper of a layer calls it
            result = result.mapped(lambda v: _joined_graph(v, owner, layer=True))
        return result if arguments is None or not arguments.open else _spread_over(result, arguments)
    inner = None
    if frame.value_depth < _VALUE_DEPTH:
        inner = enter(function, receiver, arguments, frame, closure=closure, node=node)
    if inner is None:
        values = arguments.values() if arguments is not None else []
        return _new_unknown(UNKNOWN, values, frame, node or function.node)
    return returned_value(inner)


def _spread_over(result: Value, arguments: Arguments) -> Value:
    """`torch.minimum(*pair)`: the result also carries what is spread, and that is not known in full."""
    stars = [a for a in arguments.node.args if isinstance(a, ast.Starred)] if arguments.node is not None else []
    if not stars:
        return result
    graph = frozenset().union(*(ask.evaluate(a.value, arguments.frame).all_graph for a in stars))
    return result.mapped(lambda v: v.with_(graph=v.graph | graph, opaque=True) if isinstance(v, TensorValue) else v)


ask.invoke, ask.call_with, ask.targets = invoke, _call_with, targets
