"""Does a module behave differently in train and in eval mode?

`depends_on_mode(value)` is True when some layer inside says so (dropout, batch norm, a functional call with
`training=`), False when everything inside is known and nothing does, None when a part cannot be seen. A library layer
answers by its stub and its arguments (`Dropout(0.0)` and `LSTM(..., dropout=0)` do not count); a class of the user's by
the layers that its methods build, in other files too.

Not asked here: which mode the module is in. That is a question of order, for `flow`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import MODULE, MODULE_CONTAINERS
from mllint.semantics.libraries.stubs import effects, hint
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.blocks import nodes_naming
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.modes.shares import is_off_by_default
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument, method, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.outside_writes import values_set_outside
from mllint.semantics.values.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    SequenceValue,
    UnknownValue,
    Value,
    inherits,
    literal,
)

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = [
    "depends_on_mode", "first_layer", "is_built_in_eval_mode", "is_shown",
    "wants_train_mode",
]  # fmt: skip

_DEPTH = 6
_PROBABILITIES = ("p", "dropout")
_STACKED = ("encoder_layer", "decoder_layer")  # of a transformer, whose norm has but one mode
_DETECTION = "torchvision.models.detection"
_EXTERNAL = ("torchvision.models.", "timm.create_model", "segmentation_models_pytorch.")
_CLASSES: Cache[ClassScope, bool | None] = Cache()
_AS_BUILT: Cache[tuple[ClassScope, int], bool | None] = Cache()
_TRAINING = frozenset(("training",))
_IN_CALLS: Cache[FunctionScope, bool | None] = Cache()


def depends_on_mode(value: Value, depth: int = 0) -> bool | None:
    """Does a module (or any module in a container) depend on the mode: True, False, or None when it is unknown?"""
    modules = [v for v in value.alternatives if not isinstance(v, LiteralValue)]  # `self.net = None`, until it is built
    return _combine(_value_depends(v, depth) for v in modules or value.alternatives)


def first_layer(value: Value) -> Value | None:
    """The first layer of a library inside a module that behaves differently in the two modes; one that is loaded in
    eval mode only if there is no other.

    Args:
        value: the module, or a container of modules.

    Returns:
        The layer (`cls` is its class, `site` where it is built), or None where no single layer can be named.
    """
    first = next(_layers(value, 0), None)
    if first is None or not _comes_in_eval_mode(first):
        return first
    return next((layer for layer in _layers(value, 0) if not _comes_in_eval_mode(layer)), first)


def _layers(value: Value, depth: int) -> Iterator[InstanceValue]:
    """The layers of a library inside a module that depend on the mode, inside so many classes."""
    for v in value.alternatives:
        if isinstance(v, InstanceValue) and _is_layer(v) and _layer_depends(v, depth):
            yield v
        else:
            yield from (layer for part in _parts_of(v, depth) for layer in _layers(part, depth + 1))


def is_shown(model: Value) -> Answer[bool]:
    """Whether one can point at what depends on the mode: a layer, a model of a library, a functional call that is given
    the mode. Perhaps nothing does where only a helper builds it, `if rate > 0: layers.append(nn.Dropout(rate))`. There
    is no doubt about a model of which nothing is seen, or no more than an annotation, `model: nn.Module`: whoever sets
    its mode believes that it matters."""
    seen = any(isinstance(v, InstanceValue) and not _is_any_module(v) for v in model.alternatives)
    return proven_unless(seen and first_layer(model) is None and not _is_given_mode(model, 0), True)


def _is_given_mode(value: Value, depth: int) -> bool:
    """Is it a library's, or does a method in it hand the mode to a function: `F.dropout(x, training=self.training)`?"""
    for v in value.alternatives:
        if isinstance(v, UnknownValue):
            if isinstance(v.name, str) and v.name.startswith(_EXTERNAL):
                return True
            continue
        classes = [c for c in mro(v.cls) if isinstance(c, ClassScope)] if isinstance(v, InstanceValue) else []
        if classes and classes[0].module.is_stub and not v.contents and depends_on_mode(v) and _is_seen(v):
            return True
        methods = [f for c in classes if not c.module.is_stub for f in c.methods.values()]
        if any(k.arg == "training" for f in methods for c in f.calls for k in c.keywords):
            return True
        if depth < _DEPTH and any(_is_given_mode(part, depth + 1) for part in _parts_of(v, depth)):
            return True
    return False


def _is_seen(value: Value) -> bool:
    """Is it no container whose layers are put in where nobody sees it?"""
    return not value.instance_of(*MODULE_CONTAINERS)


def _is_layer(value: Value) -> bool:
    """Is it a layer of a library, built at a known place, whose stub says that it depends on the mode?"""
    if not isinstance(value, InstanceValue) or value.site is None:
        return False
    return value.cls.module.is_stub and stub_effect(value.cls, "mode_dependent") is not None


def _parts_of(value: Value, depth: int) -> Iterator[Value]:
    """The modules in a container, or those that the methods of a class of the user's build, or that it is given."""
    yield from value.contents
    if not isinstance(value, InstanceValue) or value.cls.module.is_stub or depth > _DEPTH:
        return
    given = value.arguments.values() if value.arguments is not None else ()
    yield from (v for v in given if v.instance_of(MODULE))
    for cls in (c for c in mro(value.cls) if isinstance(c, ClassScope) and not c.module.is_stub):
        for function in cls.methods.values():
            frame = function.module.project.frame(function)
            for call in function.calls:
                made = evaluate(call, frame)
                if isinstance(made, InstanceValue) and made.cls is not value.cls and inherits(made.cls, MODULE):
                    yield made


def wants_train_mode(model: Value, call: Node) -> bool:
    """Does a call ask for what there is in train mode only: the losses of a detector of torchvision, which are computed
    where it is given targets, be they those of validation?"""
    if not isinstance(call, ast.Call) or not (len(call.args) > 1 or any(k.arg == "targets" for k in call.keywords)):
        return False
    return any(c.module.name.startswith(_DETECTION) for c in model.classes)


def is_built_in_eval_mode(value: Value, depth: int = 0) -> bool:
    """Is all that depends on the mode, in a module that was just built, loaded in eval mode: `from_pretrained`?"""
    return all(_is_built_in_eval_mode(v, depth) for v in value.alternatives)


def _is_built_in_eval_mode(value: Value, depth: int) -> bool:
    if not isinstance(value, InstanceValue) or depth > _DEPTH:
        return depends_on_mode(value) is False
    if _comes_in_eval_mode(value):
        return True
    if value.cls.module.is_stub:
        return depends_on_mode(value) is False
    classes = [c for c in mro(value.cls) if isinstance(c, str) or not c.module.is_stub]
    return all(
        isinstance(c, ClassScope) and all(_builds_nothing_in_train_mode(f, depth) for f in c.methods.values())
        for c in classes
    )


def _comes_in_eval_mode(value: InstanceValue) -> bool:
    """Does a library load it, and give it in eval mode?"""
    made = value.site.node if value.site is not None else None
    loads = method(value.cls, last_name(made.func)) if isinstance(made, ast.Call) else None
    effect = effects(loads).get("sets_mode") if loads is not None else None
    return effect is not None and effect.options.get("of") == "return" and "eval" in effect.values


def _builds_nothing_in_train_mode(function: FunctionScope, depth: int) -> bool:
    """Does a method build and call nothing that is in train mode once it is built?"""
    frame = function.module.project.frame(function)
    for call in function.calls:
        for v in evaluate(call.func, frame).alternatives:
            made = _built_by(v, call, frame)
            part = v if made is None else made
            if isinstance(part, InstanceValue) and inherits(part.cls, MODULE):
                if part.cls is not function.owner and not is_built_in_eval_mode(
                    part, depth + 1
                ):  # `self(x)` is asked about already
                    return False
            elif not _is_own(v, function) and _call_depends(call, v, frame, depth) is True:
                return False
    return True


def _is_own(called: Value, function: FunctionScope) -> bool:
    """Is it another method of the same class, which is asked about by itself?"""
    owner = function.owner
    return owner is not None and any(m is called.function for m in owner.methods.values())


def _combine(answers: Iterable[bool | None]) -> bool | None:
    """True if one of some parts depends on the mode, False if none does; None if a part cannot be seen."""
    found = list(answers)
    return True if True in found else None if None in found or not found else False


def _combine_alternatives(answers: list[bool | None]) -> bool | None:
    """Whether one of several layers depends on the mode, of which nobody knows which it is: None where they differ."""
    return None if True in answers and False in answers else _combine(answers)


def _part_depends(value: Value, depth: int) -> bool | None:
    """Whether `value`, a module in a container, depends on the mode."""
    return _combine_alternatives(
        [_value_depends(v, depth) for v in value.alternatives if not isinstance(v, LiteralValue)] or [None]
    )


def _value_depends(value: Value, depth: int) -> bool | None:
    """Whether one alternative of a value depends on the mode."""
    if isinstance(value, UnknownValue):
        return True if isinstance(value.name, str) and value.name.startswith(_EXTERNAL) else None
    if isinstance(value, (SequenceValue, ManyValue)):
        return _combine([False, *(_part_depends(part, depth) for part in value.contents)])
    if isinstance(value, MappingValue):
        return _combine([False, *(_part_depends(part, depth) for part in value.entries.values())])
    if not isinstance(value, InstanceValue):
        return None
    if value.cls.module.is_stub:
        return _layer_depends(value, depth)
    depends = _class_depends(value.cls, depth)
    if not depends or value.arguments is None or not value.identity or depth > _DEPTH:
        return depends
    return _object_depends(value, depth)


def _layer_depends(value: InstanceValue, depth: int) -> bool | None:
    """Whether a library layer, a container of layers, or a model that a builder gives, depends on the mode."""
    if _is_any_module(value):
        node = value.site.node if value.site is not None else None
        return True if isinstance(node, ast.Call) and last_name(node.func) == "create_model" else None
    spread = value.built_with.spread if value.built_with is not None else ()  # only the last of them is among its parts
    inner = [*(_part_depends(part, depth) for part in value.contents), *(depends_on_mode(v, depth) for v in spread)]
    if stub_effect(value.cls, "mode_dependent") is None:
        contains = value.instance_of(*MODULE_CONTAINERS)
        return _combine([False, *inner]) if inner or not contains or _is_built_empty(value) else None
    for name in _STACKED:
        repeated = constructor_argument(value, name)
        if isinstance(repeated, InstanceValue):
            return depends_on_mode(repeated, depth + 1)
    for name in _PROBABILITIES:
        given = _argument_or_default(value, name)
        if given is not None:
            on = bool(given.literal) if isinstance(given, LiteralValue) else not is_off_by_default(value, name)
            return None if on and _may_be_turned_off(value, name) else on
    tracks = _argument_or_default(value, "track_running_stats")
    return tracks is None or tracks.truth is not False


def _may_be_turned_off(layer: InstanceValue, name: str) -> bool:
    """True if somebody may set the share of a layer to zero, or to what nobody knows: `layer.p = 0.0`."""
    project = layer.cls.module.project
    return any(v.truth is not True for v in values_set_outside(layer, name, project))


def _is_any_module(value: InstanceValue) -> bool:
    """Is no more known of it than that it is a module?"""
    return value.cls.module.is_stub and value.cls.name == "Module"


def _is_built_empty(container: InstanceValue) -> bool:
    """Is it `nn.ModuleList([])`? The layers that are put into it are built by calls that are looked at themselves."""
    built = container.built_with.node if container.built_with is not None else None
    if not isinstance(built, ast.Call) or built.keywords:
        return False
    return all(isinstance(a, (ast.List, ast.Tuple)) and not a.elts for a in built.args)


def _argument_or_default(value: InstanceValue, name: str) -> Value | None:
    """What the constructor was given for a parameter, else its default; None when there is no such parameter."""
    given = constructor_argument(value, name)
    if given is not None:
        return given
    init = method(value.cls, "__init__")
    parameter = init.parameter(name) if init is not None else None
    default = parameter.default if parameter is not None else None
    return literal(default.value) if isinstance(default, ast.Constant) else None


def _class_depends(cls: ClassScope, depth: int) -> bool | None:
    """Whether a class of the user's depends on the mode, by what its methods, and those of its bases, build and
    call."""
    return _CLASSES.answer(
        cls.module, cls, lambda: _combine([False, *(_base_depends(c, depth) for c in mro(cls))]), meanwhile=False
    )


def _object_depends(value: InstanceValue, depth: int) -> bool | None:
    """Whether an object of a known constructor depends on the mode: layers below `if normalize:` count if asked for."""
    init = method(value.cls, "__init__")
    if init is None or init.stubbed:
        return True
    # what builds one of its own class, as `clone` does, adds nothing
    key = (value.cls, value.identity)
    return _AS_BUILT.answer(
        value.cls.module, key, lambda: _object_depends_by_calls(value, init, depth), meanwhile=False
    )


def _object_depends_by_calls(value: InstanceValue, init: FunctionScope, depth: int) -> bool | None:
    """Whether `value` depends on the mode, by the calls that its constructor `init` makes with its arguments."""
    from mllint.semantics.values.bodies import enter

    tests, chances = _tests_of_parameters(init), _dropout_parameters(init)
    inner = None
    if value.arguments is None:
        return True
    if tests or chances:
        inner = enter(init, value, value.arguments, value.arguments.frame, node=value.arguments.node)
    if inner is None:
        return True
    skipped = {id(c) for test, body, other in tests for c in _calls_not_run(evaluate(test, inner).truth, body, other)}
    none = any(evaluate(chance, inner).literal in (0, 0.0) for chance in chances)
    if not skipped and not none:
        return True
    frame = inner if none else init.module.project.frame(init)
    classes = mro(value.cls)
    # before the class with the constructor come those that inherit it
    own = [c is init.owner for c in classes].index(True) + 1
    found = [_base_depends(c, depth) for c in classes[own:]]
    others = [f for c in classes[:own] if isinstance(c, ClassScope) for f in c.methods.values() if f is not init]
    if none or not _calls_unknown_argument(inner, init, others):
        # what the methods call of their own object is what the constructor has built, or was given
        found += [_method_depends_by_other_calls(f, depth) for f in others]
        found += [depends_on_mode(v, depth) for v in value.arguments.values() if v.instance_of(MODULE)]
    else:
        found += [_function_depends(f, depth) for f in others]
    found += [_call_depends(c, evaluate(c.func, frame), frame, depth + 1) for c in init.calls if id(c) not in skipped]
    return _combine([False, *found])


def _calls_unknown_argument(inner: Frame, init: FunctionScope, others: list[FunctionScope]) -> bool:
    """Do methods call something that the constructor was given, of which nothing is known: `self.encoder(x)`?"""
    kept = (b.value for f in others for c in f.calls for b in init.bindings.get(place(c.func) or "", ()))
    given = [v.id for v in kept if isinstance(v, ast.Name) and init.parameter(v.id) is not None]
    return any(isinstance(v, UnknownValue) for name in given for v in inner.parameter(name).alternatives)


def _method_depends_by_other_calls(function: FunctionScope, depth: int) -> bool | None:
    """Whether `function` depends on the mode by what it calls that is no part of its object, and no other of its
    class."""
    frame = function.module.project.frame(function)
    calls = [c for c in function.calls if (place(c.func) or "").partition(".")[0] != "self"]
    called = [(c, evaluate(c.func, frame)) for c in calls]
    others = [(c, v) for c, v in called if not isinstance(v, ClassValue) or v.cls is not function.owner]
    return _combine([False, *(_call_depends(c, v, frame, depth + 1) for c, v in others)])


def _tests_of_parameters(init: FunctionScope) -> list[tuple[Node, list[Node], list[Node]]]:
    """The tests in a constructor that ask for one of its parameters, by itself or as it was kept, each with its two
    branches."""
    own = {p.name for p in init.parameters[1:]}
    kept = {at for at, bound in init.bindings.items() if "." in at for b in bound if getattr(b.value, "id", "") in own}
    found = []
    for node in (n for s in init.body for n in walk(s)):
        if isinstance(node, ast.If) and any(
            _place_of_name(n) in own or _place_of_name(n) in kept for n in walk(node.test)
        ):
            found.append((node.test, node.body, node.orelse))
    return found


def _place_of_name(node: Node) -> str | None:
    """Where a name or an attribute stands."""
    return place(node) if isinstance(node, (ast.Name, ast.Attribute)) else None


def _dropout_parameters(init: FunctionScope) -> list[ast.Name]:
    """The parameters of a constructor that it builds dropout with, by themselves or as they are kept: of
    `nn.Dropout(p)`, `nn.LSTM(n, n, dropout=self.p)`."""
    own = {p.name for p in init.parameters[1:]}
    built = [c for c in init.calls if topics.is_about(last_name(c.func), Topic.DROPOUT)]
    given = [a for c in built for a in (*c.args[:1], *(k.value for k in c.keywords if k.arg == "p"))]
    given += [k.value for c in init.calls for k in c.keywords if k.arg == "dropout"]
    kept = {at: bound[0].value for at, bound in init.bindings.items() if "." in at and len(bound) == 1}
    given = [kept.get(_place_of_name(a) or "", a) for a in given]
    return [a for a in given if isinstance(a, ast.Name) and a.id in own]


def _calls_not_run(truth: bool | None, body: list[Node], other: list[Node]) -> list[Node]:
    """The calls in the branch that is not taken."""
    branch = [] if truth is None else other if truth else body
    return [n for s in branch for n in walk(s) if isinstance(n, ast.Call)]


def _base_depends(cls: ClassScope | str, depth: int) -> bool | None:
    if isinstance(cls, str):
        return None
    if cls.module.is_stub:  # the base of all models of transformers holds no layers: those of a subclass speak
        return "mode_dependent" in effects(cls) and cls.name != "PreTrainedModel"
    return _combine([False, *(_function_depends(f, depth) for f in cls.methods.values())])


def _function_depends(function: FunctionScope, depth: int) -> bool | None:
    if depth > _DEPTH:
        return None
    found: list[bool | None] = [False]
    for scope in function.nested():
        if isinstance(scope, FunctionScope):
            frame = scope.module.project.frame(scope)
            found += [_call_depends(call, evaluate(call.func, frame), frame, depth + 1) for call in scope.calls]
            if True in found:
                return True
    if not any(found) and _reads_mode(function):
        return None
    return _combine(found)


def _reads_mode(function: FunctionScope) -> bool:
    """Does it ask for `self.training`? What it then does differently is not looked at."""
    source = function.module.source
    if function.owner is None or (source is not None and not source.mentions(_TRAINING)):
        return False
    return any(
        isinstance(node, ast.Attribute) and node.attr == "training" and isinstance(node.value, ast.Name)
        for node in nodes_naming("training", function)
    )


def _call_depends(node: ast.Call, target: Value, frame: Frame, depth: int) -> bool | None:
    answers: list[bool | None] = []
    for v in target.alternatives:
        if (made := _built_by(v, node, frame)) is not None:
            answers.append(_part_depends(made, depth))
        elif isinstance(v, FunctionValue) and isinstance(v.target, FunctionScope):
            answers.append(False if _is_apart(v, node, frame) else _depends_by_call(v.target, node, frame, depth))
        elif isinstance(v, InstanceValue) and inherits(v.cls, MODULE):
            answers.append(depends_on_mode(v, depth))  # a part that was handed in: `self.encoder(x)`
        elif isinstance(v, UnknownValue):
            answers.append(_unknown_depends(v, node))
    return _combine_alternatives(answers or [False])


def _built_by(called: Value, node: ast.Call, frame: Frame) -> Value | None:
    """The module that a call of a class builds, or of a library's function, `resnet50()`; None if it builds none."""
    if isinstance(called, ClassValue):
        return evaluate(node, frame) if inherits(called.cls, MODULE) else None
    if isinstance(called, FunctionValue) and isinstance(called.target, FunctionScope) and called.target.stubbed:
        given = hint(called.target.node.returns).name
        if given == "Self" or any(b.kind == "class" for b in called.target.module.body.bindings.get(given, ())):
            made = evaluate(node, frame)
            return made if made.instance_of(MODULE) else None
    return None


def _is_apart(target: FunctionValue, node: ast.Call, frame: Frame) -> bool:
    """Is it a method of an object that is no module, and gives none? What is in there has a mode of its own."""
    receiver = target.receiver
    if not isinstance(receiver, InstanceValue):
        return False
    if receiver.cls.module.is_stub or any(isinstance(c, str) or c.module.is_stub for c in mro(receiver.cls)):
        return False
    return not evaluate(node, frame).may_be_instance_of(MODULE)


def _depends_by_call(function: FunctionScope, node: ast.Call, frame: Frame, depth: int) -> bool | None:
    if function.stubbed:
        given = {k.arg: k.value for k in node.keywords}.get("training")
        if isinstance(given, ast.Name) and frame.function.name == "forward" and frame.function.parameter(given.id):
            return False  # whoever calls the module says so, not its mode
        return given is not None and not isinstance(given, ast.Constant)
    return _IN_CALLS.answer(function.module, function, lambda: _function_depends(function, depth), meanwhile=False)


def _unknown_depends(value: UnknownValue, node: ast.Call) -> bool | None:
    """A call of something unknown can hide a layer only if it is stored on the module: `self.body(x)`."""
    if value.name is not None:
        return value.name.startswith(_EXTERNAL)
    func = node.func
    if isinstance(func, ast.Name) and hasattr(builtins, func.id):
        return False  # `raise ValueError(...)`
    own = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self"
    if own and topics.is_about(last_name(func), Topic.ACTIVATION):
        return False  # a function that was handed in: none of them has two modes
    return None if own or isinstance(func, ast.Name) else False
