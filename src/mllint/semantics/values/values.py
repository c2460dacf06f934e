"""What an expression is: an immutable Value of one of a closed family of classes, with its facets.

    UnknownValue                nothing is known but perhaps its identity, or the dotted name of something external
    LiteralValue                a Python constant
    InstanceValue, ClassValue   an object of a class, or the class itself
    FunctionValue               a function, bound or not; of Python's own only the name is known
    BuiltinValue, PartialValue  a built-in by its name; what `functools.partial` gives
    ModuleValue                 a module
    TensorValue                 a tensor, an array, or other data of one piece
    SequenceValue, ManyValue    a tuple or list of known parts; any number of one part
    MappingValue                a dictionary of known keys
    UnionValue                  one of several alternatives
    BottomValue                 what is not known yet, while a cycle is being evaluated

Ask with `isinstance` or `match`: what a class is about has a field of its own there (`InstanceValue.cls`,
`SequenceValue.parts`). What every value has is in the base class.

A Value never claims more than every path agrees on: a union of alternatives `is_(Probs)` only if each of them is, and
Unknown is nothing for certain. Four facets ride along:

* **traits**: words of the vocabulary (`Probs`, `Raw`, `Loss`, `Scaled`, `Divided` ...), each with the Site that gave
  it;
* **graph**: the identities of the modules and parameters whose gradients this value carries, and **breaks**, the sites
  where the graph ends; `opaque` says that something unknown contributed and might carry more;
* **provenance**: the data this value was computed from, each with the part it is (whole, train, held out, test);
* **identity**: which object this is (an allocation site in its calling context), so that two expressions can be
  recognised as the same optimizer or the same dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from mllint.semantics.syntax.records import Provenance
from mllint.semantics.syntax.sites import GraphBreak, Site
from mllint.semantics.values.bases import fullname, inherits, mro
from mllint.semantics.values.value import EMPTY, NOTHING, Traits, Value, merge_into

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.values.arguments import Arguments
    from mllint.semantics.values.frames import Frame

__all__ = [
    "NUMBER", "TEXT", "UNKNOWN", "BottomValue", "BuiltinValue", "ClassValue", "FunctionValue", "GraphBreak",
    "InstanceValue", "LiteralValue", "ManyValue", "MappingValue", "ModuleValue", "PartialValue", "Provenance",
    "SequenceValue", "Site", "TensorValue", "Traits", "UnionValue", "UnknownValue", "Value", "callables", "fullname",
    "inherits", "literal", "merge_facets", "merge_tensors", "union", "unknown",
]  # fmt: skip

_WRAPPED = frozenset(("Wrapped",))


class UnknownValue(Value):
    """Something of which nothing is known, but perhaps these.

    Attributes:
        name: the dotted name of something external, or "number", "str" or "bool" of plain data.
        receiver: what it was looked up on, as a method.
    """

    __slots__ = ("name", "receiver")

    def __init__(
        self,
        name: str | None = None,
        *,
        receiver: Value | None = None,
        identity: int = 0,
        traits: Traits = NOTHING,
        graph: frozenset[int] = EMPTY,
        provenance: frozenset[Provenance] = EMPTY,
        opaque: bool = False,
    ) -> None:
        super().__init__(identity=identity, traits=traits, graph=graph, provenance=provenance, opaque=opaque)
        self.name, self.receiver = name, receiver

    @property
    def is_number(self) -> bool:
        return self.name == "number"

    @property
    def as_base(self) -> ClassScope | str:
        return self.name or "?"

    @property
    def _is_vague(self) -> bool:
        return True

    def _copied(self) -> UnknownValue:
        return UnknownValue(self.name, receiver=self.receiver)

    def _agrees(self, other: UnknownValue) -> bool:
        return self.name is other.name and self.receiver is other.receiver


class LiteralValue(Value):
    """A Python constant, `value`."""

    __slots__ = ("value",)

    def __init__(self, value: Constant) -> None:
        super().__init__()
        self.value = value

    @property
    def literal(self) -> Constant:
        return self.value

    @property
    def _truth(self) -> bool:
        return bool(self.value)

    def _copied(self) -> LiteralValue:
        return LiteralValue(self.value)

    def _agrees(self, other: LiteralValue) -> bool:
        return self.value is other.value or (type(self.value) is type(other.value) and bool(self.value == other.value))


class InstanceValue(Value):
    """An object of a class.

    Attributes:
        cls: the class.
        arguments: what its constructor was given; None if that is not known.
        parts: what it is built of: the modules of a container, in order or by key; what it wraps.
    """

    __slots__ = ("arguments", "cls", "parts")

    def __init__(
        self,
        cls: ClassScope,
        *,
        arguments: Arguments | None = None,
        parts: tuple[Value, ...] | dict[Constant, Value] = (),
        identity: int = 0,
        provenance: frozenset[Provenance] = EMPTY,
        site: Site | None = None,
    ) -> None:
        super().__init__(identity=identity, provenance=provenance, site=site)
        self.cls, self.arguments, self.parts = cls, arguments, parts

    @property
    def class_name(self) -> str:
        return self.cls.name

    @property
    def built_with(self) -> Arguments | None:
        return self.arguments

    @property
    def contents(self) -> tuple[Value, ...]:
        return tuple(self.parts.values()) if isinstance(self.parts, dict) else self.parts

    def of_class(self, cls: ClassScope) -> InstanceValue:
        """The same object, of a class that derives from its own."""
        made = InstanceValue(cls, arguments=self.arguments, parts=self.parts)
        made._take_facets(self)
        return made

    @property
    def _instance_class(self) -> ClassScope:
        return self.cls

    @property
    def _truth(self) -> bool:
        return True

    def _copied(self) -> InstanceValue:
        return InstanceValue(self.cls, arguments=self.arguments, parts=self.parts)

    def _agrees(self, other: InstanceValue) -> bool:
        return self.cls is other.cls and self.arguments is other.arguments and self.parts == other.parts


class ClassValue(Value):
    """A class itself, `cls`."""

    __slots__ = ("cls",)

    def __init__(self, cls: ClassScope) -> None:
        super().__init__()
        self.cls = cls

    @property
    def class_name(self) -> str:
        return self.cls.name

    @property
    def as_base(self) -> ClassScope | str:
        return self.cls

    @property
    def _own_class(self) -> ClassScope:
        return self.cls

    @property
    def _truth(self) -> bool:
        return True

    def _copied(self) -> ClassValue:
        return ClassValue(self.cls)

    def _agrees(self, other: ClassValue) -> bool:
        return self.cls is other.cls


class FunctionValue(Value):
    """A function.

    Attributes:
        target: the function; the dotted name of a method of Python's own (`dict.get`).
        receiver: what it is bound to.
        closure: the frame that it was defined in.
    """

    __slots__ = ("closure", "receiver", "target")

    def __init__(
        self, target: FunctionScope | str, *, receiver: Value | None = None, closure: Frame | None = None
    ) -> None:
        super().__init__()
        self.target, self.receiver, self.closure = target, receiver, closure

    @property
    def function(self) -> FunctionScope | None:
        return None if isinstance(self.target, str) else self.target

    def bound_to(self, receiver: Value) -> FunctionValue:
        """The same function, bound to something."""
        return FunctionValue(self.target, receiver=receiver, closure=self.closure)

    @property
    def _function_name(self) -> str:
        return fullname(self.target)

    @property
    def _truth(self) -> bool:
        return True

    def _copied(self) -> FunctionValue:
        return FunctionValue(self.target, receiver=self.receiver, closure=self.closure)

    def _agrees(self, other: FunctionValue) -> bool:
        same = self.target is other.target and self.receiver is other.receiver
        return same and self.closure is other.closure


class BuiltinValue(Value):
    """A built-in function or class, by its `name`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    @property
    def as_base(self) -> ClassScope | str:
        return ""

    def _copied(self) -> BuiltinValue:
        return BuiltinValue(self.name)

    def _agrees(self, other: BuiltinValue) -> bool:
        return self.name is other.name


class PartialValue(Value):
    """What `functools.partial` gives: what is `called`, and the `arguments` of the call, the function first."""

    __slots__ = ("arguments", "called")

    def __init__(self, called: Value, arguments: Arguments) -> None:
        super().__init__()
        self.called, self.arguments = called, arguments

    def _copied(self) -> PartialValue:
        return PartialValue(self.called, self.arguments)

    def _agrees(self, other: PartialValue) -> bool:
        return self.called is other.called and self.arguments is other.arguments


class ModuleValue(Value):
    """A `module`."""

    __slots__ = ("module",)

    def __init__(self, module: ModuleScope) -> None:
        super().__init__()
        self.module = module

    @property
    def _truth(self) -> bool:
        return True

    def _copied(self) -> ModuleValue:
        return ModuleValue(self.module)

    def _agrees(self, other: ModuleValue) -> bool:
        return self.module is other.module


class TensorValue(Value):
    """A tensor, an array, a frame, or what was computed of one."""

    __slots__ = ("_is_number",)

    def __init__(
        self,
        *,
        identity: int = 0,
        traits: Traits = NOTHING,
        graph: frozenset[int] = EMPTY,
        breaks: tuple[GraphBreak, ...] = (),
        provenance: frozenset[Provenance] = EMPTY,
        opaque: bool = False,
        site: Site | None = None,
    ) -> None:
        super().__init__(
            identity=identity, traits=traits, graph=graph, breaks=breaks,
            provenance=provenance, opaque=opaque, site=site,
        )  # fmt: skip
        self._is_number = False

    @property
    def is_number(self) -> bool:
        return self._is_number

    def as_number(self) -> TensorValue:
        """The same, once it is a plain number: `float(loss)`."""
        made = TensorValue()
        made._take_facets(self)
        made._is_number = True
        return made

    def _copied(self) -> TensorValue:
        made = TensorValue()
        made._is_number = self._is_number
        return made

    def _agrees(self, other: TensorValue) -> bool:
        return self._is_number == other._is_number


class SequenceValue(Value):
    """A tuple or list of known `parts`."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Value, ...] = (), *, traits: Traits = NOTHING, site: Site | None = None) -> None:
        super().__init__(traits=traits, site=site)
        self.parts = parts

    @property
    def contents(self) -> tuple[Value, ...]:
        return self.parts

    @property
    def _truth(self) -> bool:
        return bool(self.parts)

    def _copied(self) -> SequenceValue:
        return SequenceValue(self.parts)

    def _agrees(self, other: SequenceValue) -> bool:
        return self.parts == other.parts


class ManyValue(Value):
    """A list, set or other iterable of any number of one part.

    Attributes:
        part: what each of them is; None of an empty one.
        last: the last one, if that is known.
    """

    __slots__ = ("last", "part")

    def __init__(
        self, part: Value | None, *, last: Value | None = None, traits: Traits = NOTHING, site: Site | None = None
    ) -> None:
        super().__init__(traits=traits, site=site)
        self.part, self.last = part, last

    @property
    def contents(self) -> tuple[Value, ...]:
        return (self.part,) if self.part is not None else ()

    def of_part(self, part: Value) -> ManyValue:
        """As many of another part."""
        made = ManyValue(part, last=self.last)
        made._take_facets(self)
        return made

    def _copied(self) -> ManyValue:
        return ManyValue(self.part, last=self.last)

    def _agrees(self, other: ManyValue) -> bool:
        return self.part is other.part and self.last is other.last


class MappingValue(Value):
    """A dictionary of known keys: `entries`."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Constant, Value], *, site: Site | None = None) -> None:
        super().__init__(site=site)
        self.entries = entries

    @property
    def contents(self) -> tuple[Value, ...]:
        return tuple(self.entries.values())

    @property
    def _truth(self) -> bool:
        return bool(self.entries)

    def _copied(self) -> MappingValue:
        return MappingValue(self.entries)

    def _agrees(self, other: MappingValue) -> bool:
        return self.entries == other.entries


class BottomValue(Value):
    """What is not known yet, while a cycle is being evaluated."""

    __slots__ = ()

    def _copied(self) -> BottomValue:
        return BottomValue()


class UnionValue(Value):
    """One of several `parts`, none of which is a union; built by `union` alone."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Value, ...]) -> None:
        super().__init__()
        self.parts = parts

    @property
    def alternatives(self) -> tuple[Value, ...]:
        return self.parts

    def with_(
        self,
        *,
        identity: int | None = None,
        traits: Traits | None = None,
        graph: frozenset[int] | None = None,
        breaks: tuple[GraphBreak, ...] | None = None,
        provenance: frozenset[Provenance] | None = None,
        opaque: bool | None = None,
        site: Site | None = None,
    ) -> Value:
        return union([
            v.with_(
                identity=identity, traits=traits, graph=graph, breaks=breaks,
                provenance=provenance, opaque=opaque, site=site,
            )
            for v in self.parts
        ])  # fmt: skip

    def mapped(self, change: Callable[[Value], Value]) -> Value:
        return union([change(v) for v in self.parts])


UNKNOWN = UnknownValue(opaque=True)
NUMBER = UnknownValue("number")
TEXT = UnknownValue("str")


def unknown(
    identity: int = 0,
    of: str | None = None,
    *,
    traits: Traits = NOTHING,
    graph: frozenset[int] = EMPTY,
    provenance: frozenset[Provenance] = EMPTY,
    opaque: bool = True,
    receiver: Value | None = None,
) -> UnknownValue:
    """A value of which nothing is known but its identity, or its external name, and perhaps some facets.

    Args:
        identity: its identity; 0 for none.
        of: its external name, if it has one.
        traits: as of a `Value`.
        graph: as of a `Value`.
        provenance: as of a `Value`.
        opaque: whether it may be of any type.
        receiver: what it was looked up on.
    """
    return UnknownValue(
        of, receiver=receiver, identity=identity, traits=traits, graph=graph, provenance=provenance, opaque=opaque
    )


def literal(value: Constant) -> LiteralValue:
    """A Python constant."""
    return LiteralValue(value)


def union(values: Iterable[Value]) -> Value:
    """The union of alternatives: flattened, without repeats, at most six: more are Unknown, or the class that more
    classes have in common (an optimizer chosen from a table is an Optimizer)."""
    if isinstance(values, list) and len(values) == 1:
        only: Value = values[0]
        return only
    flat: list[Value] = []
    for value in values:
        for alternative in value.alternatives:
            for known in flat:
                if alternative is known or _is_same_value(alternative, known):
                    break
            else:
                flat.append(alternative)
    if not flat:
        return UNKNOWN
    if len(flat) == 1:
        return flat[0]
    if len(flat) > 6:
        flat = _gathered(flat)
    if len(flat) > 6:
        return _common(flat) or merge_facets(flat)
    if len(flat) == 1:
        return flat[0]
    return UnionValue(tuple(flat))


def callables(value: Value) -> Value:
    """The alternatives of what is called without the literals: who calls has no `None` there."""
    if not isinstance(value, UnionValue):
        return value
    kept = [v for v in value.parts if not isinstance(v, LiteralValue)]
    return union(kept) if 0 < len(kept) < len(value.parts) else value


def _gathered(values: list[Value]) -> list[Value]:
    """Tensors of which the same is known as one alternative that carries what each of them may carry; else one object,
    in a wrapper and without it, as one alternative."""
    of_tensors = all(isinstance(v, TensorValue) for v in values)
    groups: dict[Hashable, list[Value]] = {}
    for v in values:
        groups.setdefault(_known_of_tensor(v) if of_tensors else _known_of_object(v), []).append(v)
    found = []
    for alike in groups.values():
        first = alike[0]
        merged = merge_tensors(alike) if of_tensors and len(alike) > 1 else first
        given = "Given" in first.traits or len(alike) == 1
        found.append(first if given else merged.with_(traits=first.traits, site=first.site))
    return found


def _known_of_tensor(v: Value) -> Hashable:
    return frozenset(v.traits), bool(v.graph), bool(v.breaks), bool(v.provenance), v.opaque


def _known_of_object(v: Value) -> Hashable:
    return (v.identity, v._instance_class, v.graph, frozenset(v.traits) - _WRAPPED) if v.identity else id(v)


def _common(values: list[Value]) -> Value | None:
    """The nearest class that is an ancestor of many classes; None if there is none, or one is no class."""
    classes = [v for v in values if isinstance(v, ClassValue)]
    if len(classes) < len(values):
        return None
    lines = [mro(v.cls) for v in classes]
    return next((ClassValue(c) for c in lines[0] if all(c in line for line in lines) and not isinstance(c, str)), None)


def merge_facets(values: Iterable[Value]) -> UnknownValue:
    """Something unknown with the graph, breaks and provenance of all, no traits; what is given has no gradients."""
    made = UnknownValue()
    merge_into(made, values)
    return made


def merge_tensors(values: Iterable[Value]) -> TensorValue:
    """As `merge_facets`: a tensor that was computed of all of them."""
    made = TensorValue()
    merge_into(made, values)
    return made


def _is_same_value(a: Value, b: Value) -> bool:
    if a.__class__ is not b.__class__ or a.identity != b.identity or not a._agrees(b):
        return False
    same_facets = a.traits.keys() == b.traits.keys() and a.graph == b.graph and a.provenance == b.provenance
    return same_facets and a.opaque == b.opaque and bool(a.breaks) == bool(b.breaks)
