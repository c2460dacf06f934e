"""A container is built from one layer, many times."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, InstanceValue, Node, repeated, text

__all__: list[str] = []


@check("shared-layer-instances", calls="Sequential ModuleList ModuleDict extend")
def shared_layer_instances(call: Call) -> Iterator[Finding]:
    """A container is built from one layer, many times."""
    for shared in repeated.find_shared_layers(call):
        yield Finding(
            call.at(shared.node),
            f"`{text(call.module, shared.layer)}` is one layer used several times: all positions share its weights",
            "one instance, repeated",
            [] if shared.is_argument else [Note(call, "the container")],
            help=_each(call, shared.layer),
        )


def _each(call: Call, element: Node) -> str:
    """How to build one layer for each position, in the words of what builds the one; empty if that is not known."""
    value = call.value_of(element)
    built = value.built_with if isinstance(value, InstanceValue) else None
    if built is None or not isinstance(built.node, ast.Call):
        return ""
    return f"build one layer for each position: `[{text(built.frame.module, built.node.func)}(...) for _ in range(n)]`"
