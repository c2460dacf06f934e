"""What is a copy of a value?

    target = copy.deepcopy(net)     # an object of its own, and so are the layers that it is built of
    rows = copy.copy(table)         # an object of its own, with the parts of the other one

A copy keeps all facets of its original. Only what it is, its identity, is new. One that shares nothing with its
original says so (`Copied`); its attributes are copies, too (`part_of_copy`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.semantics.values.values import InstanceValue, ManyValue, MappingValue, SequenceValue, Site, Value

if TYPE_CHECKING:
    from mllint.semantics.syntax.nodes import Node
    from mllint.semantics.values.frames import Frame

__all__ = ["copied_value", "part_of_copy"]

_DEPTH = 6
"""How many containers are opened around the parts of a copy; deeper than that they are those of the original."""


def copied_value(value: Value, frame: Frame, node: Node, *, shallow: bool = False) -> Value:
    """What a call gives that copies a value: an object of its own, of each that the value may be.

    Args:
        value: the value.
        frame: where the call stands.
        node: the call.
        shallow: does the copy share its parts with the original, as that of `copy.copy` does?
    """
    several = len(value.alternatives) > 1
    site = Site(frame.module, node)

    def copy(original: Value) -> Value:
        key = ("new", frame.key, id(node), original.identity) if several else ("new", frame.key, id(node))
        identity = frame.project.intern(key)
        if shallow:
            return original.with_(identity=identity)
        whole = _with_copied_parts(original, frame, node, _DEPTH)
        return whole.with_(identity=identity, traits={**original.traits, "Copied": site})

    return value.mapped(copy)


def part_of_copy(whole: Value, part: Value, frame: Frame) -> Value:
    """What an attribute of a copy is, by what it is of the original: an object of its own.

    Args:
        whole: the copy.
        part: the attribute of the original.
        frame: where it is read.
    """

    def copy(original: Value) -> Value:
        if not original.identity or not isinstance(original, InstanceValue):
            return original
        return original.with_(identity=frame.project.intern(("copied", whole.identity, original.identity)))

    return part.mapped(copy)


def _with_copied_parts(value: Value, frame: Frame, node: Node, depth: int) -> Value:
    """The same value, built of copies of its parts, each of them an object of its own."""

    def copy(part: Value) -> Value:
        whole = _with_copied_parts(part, frame, node, depth - 1)
        key = ("new", frame.key, id(node), part.identity)
        return whole.with_(identity=frame.project.intern(key)) if part.identity else whole

    if not depth or not value.contents:
        return value
    match value:
        case InstanceValue(parts=dict() as named):
            entries = {key: part.mapped(copy) for key, part in named.items()}
            return _with_facets_of(value, InstanceValue(value.cls, arguments=value.arguments, parts=entries))
        case InstanceValue():
            parts = tuple(part.mapped(copy) for part in value.contents)
            return _with_facets_of(value, InstanceValue(value.cls, arguments=value.arguments, parts=parts))
        case SequenceValue():
            return _with_facets_of(value, SequenceValue(tuple(part.mapped(copy) for part in value.parts)))
        case ManyValue(part=Value() as each):
            return value.of_part(each.mapped(copy))
        case MappingValue():
            return _with_facets_of(value, MappingValue({key: v.mapped(copy) for key, v in value.entries.items()}))
    return value


def _with_facets_of(original: Value, made: Value) -> Value:
    """A new value that is the same object as another one, and all that it is said to be."""
    return made.with_(
        identity=original.identity,
        traits=original.traits,
        graph=original.graph,
        breaks=original.breaks,
        provenance=original.provenance,
        opaque=original.opaque,
        site=original.site,
    )
