"""Is a loss of one graph taken over nodes that are held out: those of a mask, or all, although masks hold some out?

`F.cross_entropy(out, data.y)` learns the labels on which `out[data.test_mask]` is measured. The masks are attributes of
the same object, read somewhere in the file, and the function that trains reads none of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding
from mllint.semantics.api import AccumulatesGrad, Call, Event, Flow, Site, origins, place, reaching, roles, text, walk

__all__ = ["masked"]


_HOLDING = (".test_mask", ".val_mask")


def over_all_nodes(backward: Event) -> tuple[Any, str] | None:
    """The call of a loss before a backward that gets all labels of a graph, and the place of the graph."""
    function = backward.function
    source = function.module.source
    if source is None or not any(mask in source.text for mask in _HOLDING) or function.is_body:
        return None
    if any(isinstance(n, ast.Attribute) and n.attr.endswith("_mask") for n in walk(function.node)):
        return None
    for node in function.calls:
        if len(node.args) < 2 or node.lineno > backward.site.line:
            continue
        scores, labels = node.args[:2]
        graph = place(labels.value) if isinstance(labels, ast.Attribute) and labels.attr == "y" else None
        if graph is None or not any(f"{graph}{mask}" in source.text for mask in _HOLDING):
            continue
        if any(b.kind == "for" for b in function.bindings.get(graph.partition(".")[0], ())):
            continue  # one batch of many, with the nodes that its loader was given
        if not _of_graph(scores, graph, function):
            continue
        if Call(node, backward.frame).value.is_("Loss"):
            return node, graph
    return None


def _of_graph(scores: Any, graph: str, function: Any) -> bool:
    """Is it what a model gives for the whole graph: `out` of `out, _ = model(data.x, data.edge_index)`?"""
    if isinstance(scores, ast.Name):
        found = reaching(function).at.get(id(scores), ())
        scores = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    if not isinstance(scores, ast.Call):
        return False
    return any(place(a) in (graph, f"{graph}.x") for a in scores.args)


def masked(flow: Flow) -> Iterator[Finding]:
    """The loss of one graph is taken over the nodes that a mask holds out: `out[data.test_mask]`, or all of `out`."""
    source = flow.root.module.source
    if source is None or "_mask" not in source.text:
        return
    for backward in flow.events(AccumulatesGrad):
        base = backward.call.func.value if isinstance(backward.call.func, ast.Attribute) else None
        found = [m for o in origins(base, backward.frame) if (m := _mask(o.node)) is not None] if base else []
        if found and all(roles.is_held_out_name(m) for m in found):
            message = f"`{text(backward.site.module, backward.site.node)}` learns from what `{found[0]}` holds out"
            yield Finding(backward, message, "learns from held-out data")
        elif not found and (whole := over_all_nodes(backward)) is not None:
            message = f"the loss is taken over all nodes of `{whole[1]}`, also those that its masks hold out"
            yield Finding(Site(backward.site.module, whole[0]), message, "learns from held-out data")


def _mask(node: Any) -> str | None:
    """The mask for a part in `out[data.test_mask]`; a `valid_mask`, a `valid_pair_mask` says what is there at all."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    name = place(index) if isinstance(index, (ast.Name, ast.Attribute)) else None
    return name if name is not None and _part_mask(name) else None


def _part_mask(name: str) -> bool:
    there = "valid" in name.replace("validation", "")
    return name.endswith("_mask") and not there and (roles.is_held_out_name(name) or roles.is_training_name(name))
