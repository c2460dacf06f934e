"""What does iterating over a value, or unpacking it, give?"""

from __future__ import annotations

from mllint.semantics.libraries.classes import MODULE_LIST
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import method, stub_effect
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import (
    TEXT,
    UNKNOWN,
    BottomValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    SequenceValue,
    Site,
    TensorValue,
    Traits,
    UnionValue,
    UnknownValue,
    Value,
    literal,
    union,
    unknown,
)

__all__ = ["element_of", "one_of_many", "unpack"]


def unpack(value: Value, path: tuple[int | None, ...], frame: Frame) -> Value:
    """The part of a value that an unpacking target receives; `path` as in Binding.

    Args:
        value: the value.
        path: the way into it, as of a Binding.
        frame: where it is unpacked.
    """
    for index in path:
        value = union([_part(v, index, frame) for v in value.alternatives])
    return value


def _part(value: Value, index: int | None, frame: Frame) -> Value:
    if index is None:
        return ManyValue(union(value.parts)) if isinstance(value, SequenceValue) and value.parts else unknown()
    match value:
        case SequenceValue():
            return value.parts[index] if index < len(value.parts) else UNKNOWN
        case ManyValue():
            part = UNKNOWN if value.part is None else one_of_many(value.part)
            return union([part, UNKNOWN]) if isinstance(part, UnionValue) else part  # which one stands here is fixed
        case BottomValue():
            return value
        case TensorValue() if "Batch" in value.traits:
            traits: Traits = (
                {"Labels": value.traits["Batch"]}
                if index == 1
                else {"Inputs": value.traits["Batch"]}
                if index == 0
                else {}
            )
            return value.with_(traits=traits, identity=0)
        case TensorValue() | UnknownValue():
            identity = frame.project.intern(("part", value.identity, index)) if value.identity else 0
            given: Traits = {word: site for word, site in value.traits.items() if word == "Given"}
            return _unnamed(value).with_(identity=identity, traits=given)
    return UNKNOWN


def one_of_many(part: Value) -> Value:
    """What stands at a place of any number of objects: it is like the others, and which of them it is, is not known."""
    return part.mapped(lambda v: v.with_(identity=0) if isinstance(v, InstanceValue) and v.identity else v)


def _unnamed(value: Value) -> Value:
    """A part of what has an external name, or is plain data, has none itself."""
    if not isinstance(value, UnknownValue) or value.name is None:
        return value
    made = UnknownValue(receiver=value.receiver, graph=value.graph, provenance=value.provenance, opaque=value.opaque)
    return made.with_(breaks=value.breaks, site=value.site)


def element_of(value: Value, frame: Frame, node: Node = None) -> Value:
    """What iterating over a value gives.

    Args:
        value: the value.
        frame: where it is iterated over.
        node: the expression that it is the value of, if there is one.
    """
    return union([_element(v, frame, node) for v in value.alternatives])


def _element(value: Value, frame: Frame, node: Node) -> Value:
    match value:
        case SequenceValue():
            return union(value.parts) if value.parts else UNKNOWN
        case ManyValue():
            return UNKNOWN if value.part is None else value.part
        case MappingValue():
            return union([literal(k) for k in value.entries]) if value.entries else UNKNOWN
        case LiteralValue() if isinstance(value.value, (str, bytes, tuple)):
            return TEXT
        case TensorValue():
            return value.with_(identity=0)
        case InstanceValue():
            if (
                value.parts
                and value.cls.module.is_stub
                and (stub_effect(value.cls, "wraps") or stub_effect(value.cls, "chains"))
            ):
                if stub_effect(value.cls, "batches"):
                    return _batch(value, frame, node)
                return element_of(union(value.contents), frame, node)
            if stub_effect(value.cls, "batches") or stub_effect(value.cls, "samples"):
                return _batch(value, frame, node)
            if value.parts and isinstance(value.parts, tuple) and value.instance_of(MODULE_LIST):
                return union(value.parts)
            own = method(value.cls, "__iter__")
            if own is not None and not own.stubbed and own.is_generator:
                return element_of(ask.invoke(own, value, None, frame), frame, node)
            return unknown(provenance=value.provenance)
    return unknown(graph=value.graph, provenance=value.provenance, opaque=value.opaque)


def _batch(value: Value, frame: Frame, node: Node) -> Value:
    site = Site(frame.module, node) if node is not None else None
    return TensorValue(traits={"Batch": site}, provenance=value.provenance)
