"""Is a loss of one graph taken over all its nodes, although masks hold some of them out?

`F.cross_entropy(out, data.y)` learns the labels on which `out[data.test_mask]` is measured. The masks are attributes of
the same object, read somewhere in the file, and the function that trains reads none of them.
"""

from __future__ import annotations

import _ast as ast

from mllint._typing import Any
from mllint.semantics import Call, Event
from mllint.semantics.module import place, walk
from mllint.semantics.names import reaching

__all__ = ["over_all_nodes"]


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
