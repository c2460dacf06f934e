"""Classes across files: ancestors, methods, and what `self.x` can be.

`class Net(Base)` in the user's code, `Adam` in a stub and `lightning.LightningModule` are answered by the same walk
over the bases. An attribute without a binding at hand is the union of what the methods of the class and its bases write
to it; what `__init__` leaves at its end stands for all writes of `__init__`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import DATA_FRAME, MODULE
from mllint.semantics.libraries.stubs import effects
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.lazystub import LazyMethods
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.values.annotations import annotated
from mllint.semantics.values.arguments import Arguments, Bound, bind_arguments, value_of_bound
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import by_base, function_of, is_record, mro
from mllint.semantics.values.copies import part_of_copy
from mllint.semantics.values.decided import is_reached
from mllint.semantics.values.decorators import decorated_method
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.outside_writes import is_constant_set_outside, is_written_outside
from mllint.semantics.values.self_helpers import helpers_acting_on
from mllint.semantics.values.settings import is_plain
from mllint.semantics.values.value import NOTHING
from mllint.semantics.values.values import (
    BottomValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    Site,
    TensorValue,
    Traits,
    UnknownValue,
    Value,
    union,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.records import Effect
    from mllint.semantics.values.project import Project

__all__ = [
    "attribute", "bound_otherwise", "constructor_argument", "has_unknown_ancestor", "heirs", "init_frame",
    "is_abstract_method", "is_stand_in", "may_set_by_setattr", "method", "stub_effect", "was_built_with",
    "without_none",
]  # fmt: skip

_HEIRS = 60  # so many derived classes are looked at
_CONSTRUCTIONS = 8  # so many calls say what the fields of a dataclass are
_PLAIN = frozenset((ast.FunctionDef, ast.Expr, ast.AsyncFunctionDef, ast.Pass, ast.AnnAssign, ast.ClassDef))
_KINDS = 4  # so many different things an attribute may be in them


def has_unknown_ancestor(cls: ClassScope) -> bool:
    """Has it an ancestor of which nothing is known (an in-house library)?"""
    return any(isinstance(c, str) for c in mro(cls))


def method(cls: ClassScope, name: str) -> FunctionScope | None:
    """The method that `instance.name` finds, by the order of ancestors."""
    for c in mro(cls):
        if not isinstance(c, str):
            methods = c.methods
            found: FunctionScope | None
            if isinstance(methods, LazyMethods):  # compiled, that is a plain call
                found = methods.find(name)
            else:
                found = methods.get(name)
            if found is not None:
                return found
    return None


def stub_effect(cls: ClassScope, name: str) -> Effect | None:
    """An effect declared on the class or one of its ancestors."""
    for c in mro(cls):
        if not isinstance(c, str) and c.module.is_stub:
            found = effects(c).get(name)
            if found is not None:
                return found
    return None


def attribute(instance: InstanceValue, name: str, frame: Frame) -> Value:
    """The value of `instance.name`, for one alternative of kind "instance".

    Args:
        instance: the object.
        name: the attribute.
        frame: where it is read.
    """
    cls: ClassScope = instance.cls
    found = method(cls, name)
    if found is not None:
        if not found.stubbed and is_abstract_method(found):
            written = _of_heirs(instance, name, frame, found)
            if written is not None:
                return written
        return _bound_method(found, instance, frame)
    running = _running(instance, name, frame) if frame.caller is not None else None
    key = ("attribute", instance.identity, id(instance.arguments), name, id(cls), running.key if running else 0)
    project = frame.project
    memo = project.frame(cls.module.body).memo
    known: Value | None = project.recall(memo, key)
    if known is not None:
        return known
    if key in project.active:
        project.meet(key)
        return BottomValue()
    project.active.add(key)
    before = project.touched
    try:
        value = _written(instance, name, frame, running)
        value = part_of_copy(instance, value, frame) if "Copied" in instance.traits else value
    finally:
        project.settle(key)
    if isinstance(value, BottomValue) and not project.pending:
        # `self.model = self.model.to(device)` is all that is written here: a base that is not seen sets it first
        value = unknown(project.intern(("attr", instance.identity, name)) if instance.identity else 0)
    project.remember(memo, key, value, before)
    return value


def bound_otherwise(found: FunctionScope, instance: InstanceValue, frame: Frame) -> Value | None:
    """What the class binds to the name of a method besides the last `def`: `forward = raw`, a `def` below an `if`.

    Args:
        found: the method.
        instance: the object that it is looked up on.
        frame: where it is read.

    Returns:
        What the name may be on the object; None where the method is all.
    """
    bound = _bound_in_bodies(instance.cls).get(found.name)
    if not bound:
        return None
    if bound[-1].kind == "assign":
        return _of_body(bound[-1], instance, frame)
    return union([FunctionValue(b.extra, receiver=instance) for b in bound if b.kind == "def"])


@cached_per_scope()
def _bound_in_bodies(cls: ClassScope) -> dict[str, list[Binding]]:
    """The names that a class, or one of the project that it derives from, binds last by an assignment or by a `def`
    below an `if`; nothing for those that it binds by a plain `def`."""
    found: dict[str, list[Binding]] = {}
    own = [c for c in mro(cls) if not isinstance(c, str) and not c.module.is_stub]
    if all(s.__class__ in _PLAIN for c in own for s in c.node.body):
        return found
    for c in own:
        for name, bound in c.bindings.items():
            plain = bound[-1].kind != "assign" and (len(bound) == 1 or bound[-1].node in c.node.body)
            found.setdefault(name, [] if plain else bound)
    return found


def _of_body(binding: Binding, instance: InstanceValue, frame: Frame) -> Value:
    """What `forward = raw` in the body of a class makes of the name, on an object."""
    node = binding.value
    static = isinstance(node, ast.Call) and last_name(node.func) == "staticmethod" and len(node.args) == 1
    node = node.args[0] if static else node
    own = method(instance.cls, node.id) if isinstance(node, ast.Name) else None
    value = (
        FunctionValue(own) if own is not None else ask.evaluate(node, frame.project.frame(binding.scope.module.body))
    )
    return value if static else value.mapped(lambda v: v.bound_to(instance) if isinstance(v, FunctionValue) else v)


def _bound_method(found: FunctionScope, instance: InstanceValue, frame: Frame) -> Value:
    """What a method is on an instance: bound to it or to its class, or what a property gives."""
    other = bound_otherwise(found, instance, frame) if not instance.cls.module.is_stub else None
    if other is not None:
        return other
    if not found.decorators:
        return FunctionValue(found, receiver=instance)
    receiver: Value | None = ClassValue(instance.cls) if found.decorated("classmethod") else instance
    receiver = None if found.decorated("staticmethod") else receiver
    made = decorated_method(found, receiver, frame.project)
    if found.decorated("property", "cached_property"):
        return ask.invoke(found, instance, None, frame) if made is None else unknown()
    return FunctionValue(found, receiver=receiver) if made is None else made


def _running(instance: InstanceValue, name: str, frame: Frame) -> Frame | None:
    """The method that runs around a place on the same object, and writes an attribute: what it made is there."""
    while frame.caller is not None:
        frame = frame.caller[0]
        function = frame.function
        if function.owner is not None and function.name != "__init__" and function.parameters:
            if f"{function.parameters[0].name}.{name}" in function.bindings:
                if instance.identity and frame.self_value().identity == instance.identity:
                    return frame
    return None


def _written(instance: InstanceValue, name: str, frame: Frame, running: Frame | None) -> Value:
    values: list[Value] = []
    project = frame.project
    shadowed, own = False, 0
    for c in mro(instance.cls):
        if isinstance(c, str):
            continue
        if not c.module.is_stub:
            for function, place in _writers(c).get(name, ()):
                writes = function.bindings[place]
                own += len(writes)
                around = running is not None and running.function is function
                inner = running if running is not None and around else init_frame(instance, function, frame)
                if function.name == "__init__" and len(writes) > 1:
                    writes = _left(place, writes, inner)
                values.append(ask.bindings_value(tuple(b for b in writes if b.kind != "del"), inner))
        values += _by_others(c, name, project)
        if not shadowed:
            values += _in_the_body(c, name, instance, project)
            shadowed = any(b.value is not None for b in c.bindings.get(name, ()))
        if values and c is not instance.cls:
            break
    if any(v.instance_of(MODULE) for v in values) and is_written_outside(instance, name, own, project):
        values.append(unknown())  # no setting chooses between the two: the other write came first, or not
    if len(values) > 1:
        values = [v for v in values if not isinstance(v, LiteralValue) or v.value is not None] or values
        values = [v for v in (without_none(v) for v in values) if v is not None] or values
    identity = project.intern(("attr", instance.identity, name)) if instance.identity else 0
    if not values:
        of_table = instance.provenance if instance.instance_of(DATA_FRAME, "pandas.Series") else frozenset()
        column = unknown(identity, provenance=of_table)  # or `.str`, `.dt`
        return _of_heirs(instance, name, frame, None) or column
    if any(isinstance(v, LiteralValue) for v in values) and _may_be_another_setting(instance, name, project):
        values.append(unknown(identity))
    value = _placed(union(values), identity)
    if any(isinstance(v, TensorValue) for v in value.alternatives) and _unfreezes_attribute(instance.cls, name):
        return value.mapped(lambda v: v.with_(opaque=True))
    return value


def _may_be_another_setting(instance: InstanceValue, name: str, project: Project) -> bool:
    """May what is written as a constant be another one: by `setattr`, by somebody else, or in a class that derives from
    this one?"""
    if may_set_by_setattr(instance.cls, name) or is_constant_set_outside(instance.cls, name, project, of_object=True):
        return True
    return instance.arguments is None and _may_be_overridden(instance.cls, name, project)


def _left(place: str, writes: list[Binding], constructor: Frame) -> list[Binding]:
    """What a constructor leaves of its writes to a place, where it knows its arguments by what they decide."""
    left = list(reaching(constructor.function).exit.get(place, tuple(writes)))
    if len(left) > 1 and constructor.bound is not None:
        return [b for b in left if is_reached(b.node, constructor) is not False] or left
    return left


@cached_per_scope(local=True)
def _writers(cls: ClassScope) -> dict[str, list[tuple[FunctionScope, str]]]:
    """The methods of a class that bind each attribute of its object, with the places: `self.x`, or `this.x`."""
    found: dict[str, list[tuple[FunctionScope, str]]] = {}
    for function in cls.methods.values():
        own = f"{function.parameters[0].name}." if function.parameters else "?"
        for place in function.bindings:
            if place.startswith(own):
                found.setdefault(place[len(own) :], []).append((function, place))
    return found


def _by_others(cls: ClassScope, name: str, project: Project) -> Iterator[Value]:
    """What functions write to an attribute to which methods of a class hand the object."""
    if cls.module.is_stub:
        return
    for part in helpers_acting_on(cls):
        given = tuple(b for b in part.function.bindings.get(f"{part.own}.{name}", ()) if b.kind != "del")
        if given:
            yield ask.bindings_value(given, project.frame(part.function))


def may_set_by_setattr(cls: ClassScope, name: str) -> bool:
    """Whether a method may write an attribute by `setattr(self, key, value)`.

    Args:
        cls: the class of the object.
        name: the attribute.
    """
    own = [c for c in mro(cls) if not isinstance(c, str) and not c.module.is_stub]
    methods = (f for c in own for f in c.methods.values() if "setattr" in f.called_names and f.parameters)
    for function in methods:
        for call in function.calls:
            match call:
                case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=first), key, _]):
                    named = key.value if isinstance(key, ast.Constant) else name
                    if first == function.parameters[0].name and named == name:
                        return True
    return False


def _unfreezes_attribute(cls: ClassScope, name: str) -> bool:
    """Does a method write `self.name.requires_grad = True`?"""
    for c in mro(cls):
        if isinstance(c, str) or c.module.is_stub:
            continue
        for function in c.methods.values():
            first = function.parameters[0].name if function.parameters else ""
            for binding in function.bindings.get(f"{first}.{name}.requires_grad", ()):
                if isinstance(binding.value, ast.Constant) and binding.value.value is True:
                    return True
    return False


def _in_the_body(cls: ClassScope, name: str, instance: InstanceValue, project: Project) -> Iterator[Value]:
    """What a class body itself binds to a name: assigned, or promised by an annotation."""
    outer = project.frame(cls.module.body)
    for b in cls.bindings.get(name, ()):
        if b.kind == "class":
            yield ClassValue(b.extra)
        if b.kind != "assign":
            continue
        place = instance.identity and project.intern(("attr", instance.identity, name))
        given = _constructor_argument(instance, name) if b.extra is not None else None
        if given is not None:
            yield given
            return
        built = _by_constructions(cls, b, project) if instance.arguments is None and is_record(cls) else None
        if built is not None:
            yield built
            return
        if b.value is not None:
            yield _default_of_field(b.value, place, outer) or ask.evaluate(b.value, outer)
        elif b.extra is not None:
            yield annotated(b.extra, outer, place) or unknown(traits=_setting(b))
        if b.extra is not None and (_may_be_given(instance) or _is_read_elsewhere(b, instance)):
            yield unknown(place, traits=_setting(b))


def _default_of_field(node: Node, identity: int, outer: Frame) -> Value | None:
    """What a field of a record is by itself: `field(default=3)`, `field(default_factory=Settings)`; None of any other
    expression."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "field":
        return None
    given = {k.arg: k.value for k in node.keywords}
    if "default" in given:
        return ask.evaluate(given["default"], outer)
    factory = ask.evaluate(given["default_factory"], outer) if "default_factory" in given else None
    if not isinstance(factory, ClassValue):
        return None
    made = ask.call_with(factory, Arguments(None, outer), outer, node)
    return made.with_(identity=identity) if identity else made


def heirs(cls: ClassScope, project: Project) -> list[ClassScope]:
    """The classes of the project that derive from it, over any number of steps."""
    known = by_base(project)
    found: list[ClassScope] = []
    names = [cls.name]
    while names and len(found) < _HEIRS:
        for heir in known.get(names.pop(), ()):
            if heir not in found and heir is not cls and cls in mro(heir):
                found.append(heir)
                names.append(heir.name)
    return found


def is_abstract_method(function: FunctionScope) -> bool:
    """Is it a method for subclasses to write: abstract, `pass`, a docstring, `raise NotImplementedError`?"""
    if function.owner is None or function.decorated("abstractmethod"):
        return function.owner is not None
    return all(
        isinstance(s, (ast.Pass, ast.Raise)) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in function.body
    )


def is_stand_in(value: Value) -> bool:
    """Is it a class or a function for want of another one, calling which does nothing but raise: that the library is
    missing?"""
    match value:
        case ClassValue():
            called = method(value.cls, "__init__")
        case FunctionValue(target=FunctionScope() as called, receiver=None):
            pass
        case _:
            return False
    if called is None or called.stubbed or isinstance(called.node, ast.Lambda):
        return False
    own = (s for s in called.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)))
    return isinstance(next(own, None), ast.Raise)


def _of_heirs(instance: InstanceValue, name: str, frame: Frame, promised: FunctionScope | None) -> Value | None:
    """What `self.name` is by the classes that derive from its own, which only promises it, or is a mixin and takes it
    for granted; None where no derived class says it, or many do."""
    if instance.arguments is not None or instance.cls.module.is_stub or not _is_self(instance, frame):
        return None
    chosen: dict[int, Value] = {}
    for derived in heirs(instance.cls, frame.project):
        own = instance.of_class(derived)
        found = method(derived, name)
        if found is not None and (found.stubbed or found is promised or is_abstract_method(found)):
            continue
        if _narrows(derived, instance.cls):
            return None
        value = attribute(own, name, frame) if found is not None or _writes(derived, name) else unknown()
        if not isinstance(value, (UnknownValue, BottomValue)):
            chosen[id(found or value)] = value
        if len(chosen) > _KINDS:
            return None
    return union(list(chosen.values())) if chosen else None


def _narrows(derived: ClassScope, base: ClassScope) -> bool:
    """Does a class promise more of an attribute than its base does: `policy: TwinPolicy` below `policy: Policy`? What
    the base does with it, and what this class does, are then seen as two things."""
    promised = [
        name
        for name, found in derived.bindings.items()
        if any(b.kind == "assign" and b.extra is not None for b in found)
    ]
    return any(_writes(base, name) for name in promised)


def _is_self(instance: InstanceValue, frame: Frame) -> bool:
    """Is it what a method calls `self`? Of what is handed in nobody says that the project has all classes."""
    key = frame.project.keys[instance.identity]
    return isinstance(key, tuple) and key[0] == "self"


def _writes(cls: ClassScope, name: str) -> bool:
    """Does a class, or one that it derives from, bind an attribute?"""
    return any(not isinstance(c, str) and not c.module.is_stub and _binds(c, name) for c in mro(cls))


def _binds(cls: ClassScope, name: str) -> bool:
    """Does the class itself bind an attribute, in its body or in a method?"""
    firsts = ((f, f.parameters[0].name) for f in cls.methods.values() if f.parameters)
    if name in cls.bindings or any(f"{first}.{name}" in f.bindings for f, first in firsts):
        return True
    return any(f"{part.own}.{name}" in part.function.bindings for part in helpers_acting_on(cls))


def _may_be_overridden(cls: ClassScope, name: str, project: Project) -> bool:
    """May an attribute of some instance of a class be another one, because a derived class says so?"""
    return any(_binds(derived, name) for derived in heirs(cls, project))


def _setting(field: Binding) -> Traits:
    """The traits of the unknown value of a field: is it a setting, as `weight: float` is?"""
    return {"Given": Site(field.scope.module, field.node)} if is_plain(field.extra) else NOTHING


def _constructor_argument(instance: InstanceValue, name: str) -> Value | None:
    """What a record (a dataclass, a named tuple) was built with for a field; None when the call gives it nothing."""
    arguments, cls = instance.arguments, instance.cls
    if arguments is None or method(cls, "__init__") is not None:
        return None
    if name in arguments.keywords:
        return arguments.get(arguments.keywords[name])
    classes = [c for c in reversed(mro(cls)) if not isinstance(c, str)]
    fields = dict.fromkeys(n for c in classes for n, found in c.bindings.items() if found[0].extra is not None)
    return next((arguments.get(a) for n, a in zip(fields, arguments.positional, strict=False) if n == name), None)


def _may_be_given(instance: InstanceValue) -> bool:
    """Can the field of a record be another than its default: are the arguments of its constructor not known?"""
    if instance.arguments is not None:
        return bool(instance.arguments.open)
    return is_record(instance.cls)


def _is_read_elsewhere(field: Binding, instance: InstanceValue) -> bool:
    """True if a base of which nothing is known may set a setting, as those of classes of settings do, which read the
    environment: `class Options(BaseSettings)` with `verbose: bool = False`."""
    return is_plain(field.extra) and has_unknown_ancestor(instance.cls)


def _by_constructions(cls: ClassScope, field: Binding, project: Project) -> Value | None:
    """What the project's constructions of a dataclass give one of its fields, as callers give a parameter of
    `__init__`; None for a setting, and where one of them, or their number, leaves it open."""
    calls, key = project.calls_named(cls.name), ("field", id(cls), field.name)
    if field.extra is None or is_plain(field.extra) or not 0 < len(calls) <= _CONSTRUCTIONS:
        return None
    if key in project.active:
        project.meet(key)
        return None
    project.active.add(key)
    try:
        values = [_given(field, call, project.frame(f)) for call, scope in calls if (f := function_of(scope))]
    finally:
        project.settle(key)
    known = [v for v in values if v is not None]
    return union(known) if known and len(known) == len(calls) else None


def _given(field: Binding, call: ast.Call, frame: Frame) -> Value | None:
    """What a field is in what a call builds, where the call says so."""
    made = ask.evaluate(call, frame)
    if not isinstance(made, InstanceValue) or field.scope not in mro(made.cls) or _may_be_given(made):
        return None
    return _constructor_argument(made, field.name)


def without_none(value: Value) -> Value | None:
    """What a value is where it is not None; None where it is nothing else."""
    kept = [v for v in value.alternatives if not (isinstance(v, LiteralValue) and v.value is None)]
    return union(kept) if kept else None


def _placed(value: Value, identity: int) -> Value:
    """An unknown attribute is still the same object each time it is read."""
    return value.with_(identity=identity) if isinstance(value, UnknownValue) and not value.identity else value


def init_frame(instance: InstanceValue, function: FunctionScope, frame: Frame) -> Frame:
    """The frame in which a method of the instance wrote its attributes; `__init__` knows the constructor's
    arguments, and that of a base what the class hands up, be the arguments known or not.

    Args:
        instance: the object.
        function: the method.
        frame: where it is asked.
    """
    project = frame.project
    if not instance.identity:
        return project.frame(function)
    key = project.intern(("init", instance.identity, id(function)))
    cache = project._frames
    known = cache.get(-key)
    if known is not None:
        return known
    bound, complete = None, True
    if function.name == "__init__" and (instance.arguments is not None or function.owner is not instance.cls):
        bound, complete = _constructed_with(instance, function, frame)
    parent = project.frame(function).parent
    inner = Frame(project, function, parent, key=key, bound=bound, complete=complete, receiver=instance)
    inner.depth = frame.depth + 1
    cache[-key] = inner
    return inner


def _constructed_with(
    instance: InstanceValue, init: FunctionScope, frame: Frame
) -> tuple[dict[str, Bound] | None, bool]:
    """What an `__init__` is given where an instance is built: what the constructor is, or, where a class that derives
    from its owner has an `__init__` as well, what that one hands up; None if neither is known, and callers may tell."""
    classes = [
        c for c in mro(instance.cls) if isinstance(c, ClassScope) and not c.module.is_stub and "__init__" in c.methods
    ]
    place_of = next((n for n, c in enumerate(classes) if c.methods["__init__"] is init), 0)
    if place_of == 0:
        return bind_arguments(init, instance.arguments, skip=1) if instance.arguments is not None else (None, True)
    for derived in reversed(classes[:place_of]):
        above = derived.methods["__init__"]
        own = init_frame(instance, above, frame)
        for call in above.calls:
            match call.func:
                case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
                    if derived is classes[place_of - 1]:
                        return bind_arguments(init, Arguments(call, own), skip=1)
                case ast.Attribute(value=base, attr="__init__") if last_name(base) == classes[place_of].name:
                    return bind_arguments(init, Arguments(call, own))
    return ({}, False) if instance.arguments is not None else (None, True)


def constructor_argument(value: Value, name: str) -> Value | None:
    """The value that an instance's constructor was given for a parameter, or by that name where it gathers what has no
    parameter; None when it was not given."""
    given = value.built_with
    init = method(value.cls, "__init__") if isinstance(value, InstanceValue) and given is not None else None
    if init is None or given is None:
        return None
    bound = bind_arguments(init, given, 1)[0]
    if name in bound:
        return value_of_bound(bound[name])
    gathers = any(parameter.kind != "args" for parameter in init.gathering)
    return given.get(given.keywords[name]) if gathers and name in given.keywords else None


def was_built_with(value: Value, identities: Set[int]) -> bool:
    """Whether an instance's constructor was given one of some objects, or may have been: its arguments are open.

    Args:
        value: the instance.
        identities: the identities of the objects.
    """
    given = value.built_with
    return given is not None and (given.open or any(v.identities & identities for v in given.values()))
