"""A value in a few words, as the specifications of the core write it: `reveal(probs)  # Tensor, Probs, Attached`."""

from __future__ import annotations

from mllint.semantics.values.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    ModuleValue,
    SequenceValue,
    TensorValue,
    UnionValue,
    Value,
    fullname,
)

__all__ = ["describe"]


def describe(value: Value) -> str:
    """The value in a few words, for specifications of the core."""
    match value:
        case UnionValue():
            return " | ".join(sorted({describe(v) for v in value.parts}))
        case LiteralValue():
            head = f"Literal[{value.value!r}]"
        case InstanceValue():
            head = value.cls.name
        case ClassValue():
            head = f"type[{value.cls.name}]"
        case FunctionValue():
            head = f"function {fullname(value.target)}"
        case ModuleValue():
            head = f"module {fullname(value.module)}"
        case SequenceValue():
            head = f"({', '.join(describe(v) for v in value.parts)})"
        case ManyValue():
            head = f"[{describe(value.part)}, ...]" if value.part is not None else "[...]"
        case MappingValue():
            head = "{" + ", ".join(f"{k!r}: {describe(v)}" for k, v in value.entries.items()) + "}"
        case TensorValue():
            head = "Tensor"
        case _:
            head = "Unknown"
    facets: list[str] = sorted(value.traits)
    if value.graph:
        facets.append("Attached")
    elif value.is_detached:
        facets.append("Detached")
    facets += sorted({r.part for r in value.provenance})
    return ", ".join([head, *facets])
