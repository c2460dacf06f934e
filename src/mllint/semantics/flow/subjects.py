"""Which objects does this speak of? The identities behind a value: parameters, models, optimizers."""

from __future__ import annotations

import ast

from mllint.semantics.libraries.classes import MODULE, OPTIMIZER, SCHEDULER
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import flattened_alternatives, parameter_owners
from mllint.semantics.values.values import (
    InstanceValue,
    ManyValue,
    MappingValue,
    PartialValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
)

__all__ = ["objects", "reach"]

_LISTS = (ManyValue, SequenceValue)
_OPTIMIZERS = (OPTIMIZER, SCHEDULER)


def objects(given: list[Node], frame: Frame) -> list[Value]:
    """What is known as an object of what some expressions give."""
    values = [
        w for argument in given for v in flattened_alternatives(evaluate(argument, frame)) for w in _with_bound(v)
    ]
    return [_object(v) for v in values if v.identity and not isinstance(v, TensorValue)]


def _with_bound(value: Value) -> list[Value]:
    """A value, and what is bound in it: a partial hands over its arguments, too."""
    if not isinstance(value, PartialValue):
        return [value]
    return [w for v in value.arguments.values() for w in flattened_alternatives(v)]


def _object(value: Value) -> Value:
    """What was merely computed with a model does not give access to it; what was built around one does."""
    return value if isinstance(value, InstanceValue) or "Holds" in value.traits else value.with_(graph=frozenset())


def reach(value: Value, frame: Frame) -> tuple[set[int], bool]:
    """The identities of the parameters that a subject is about, and whether there may be more."""
    found: set[int] = set()
    more = False
    for v in flattened_alternatives(value):
        params = constructor_argument(v, "params") or constructor_argument(v, "optimizer")
        if params is not None and isinstance(v, InstanceValue) and v.identity:
            for given in _without_settings(params):
                inner, opened = reach(given, frame)
                found |= inner
                more |= opened
            found |= {v.identity} | _put_into(v)
        elif isinstance(v, InstanceValue):
            found |= parameter_owners(v, frame)
            if v.instance_of(*_OPTIMIZERS):
                inner, opened = _constructor_subjects(v, frame)
                found |= inner
                more |= opened
        else:
            found |= v.graph
            if isinstance(v, UnknownValue):
                found |= {v.identity} - {0}
            more |= v.opaque
    return found, more


def _without_settings(params: Value) -> list[Value]:
    """The parameters of each group, `p` of `{"params": p, "lr": rate}`, if all groups are known; else what is given."""
    groups = [v for part in params.contents for v in part.alternatives] if isinstance(params, _LISTS) else []
    found = [g.entries["params"] for g in groups if isinstance(g, MappingValue) and "params" in g.entries]
    return found if found and len(found) == len(groups) else [params]


def _constructor_subjects(optimizer: InstanceValue, frame: Frame) -> tuple[set[int], bool]:
    """What an optimizer of the project's own is about: whatever it was given, under whatever name."""
    arguments = optimizer.built_with
    if arguments is None:
        return set(), True  # handed in: an annotation tells no parameters
    reached = [reach(value, frame) for value in arguments.values()]
    found = {i for inner, _ in reached for i in inner}
    return found, not found or arguments.open or any(opened for _, opened in reached)


def _put_into(optimizer: Value) -> set[int]:
    """The identities of a model of which a part was replaced from outside, and given to an optimizer: `model.fc = ...`,
    `SGD(model.fc.parameters())`."""
    arguments = optimizer.built_with
    node = next(iter(arguments.positional), None) if arguments is not None else None
    part = getattr(getattr(node, "func", None), "value", None)
    if arguments is None or not isinstance(part, ast.Attribute):
        return set()
    if not bindings_at(part, arguments.frame.function):
        return set()
    if part.value.__class__ is not ast.Name or part.value.id == "self":
        return set()
    model = evaluate(part.value, arguments.frame)
    return set(model.identities) - {0} if model.instance_of(MODULE) else set()
