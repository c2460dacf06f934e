"""Is a loss of a graph taken over the nodes that a mask holds out?

    out = net(data.x, data.edge_index)
    loss = criterion(out[data.test_mask], data.y[data.test_mask])      # `find_losses_on_held_out_nodes`
    loss = criterion(out, data.y)                                      # `find_losses_on_all_nodes`: no mask at all

All nodes of a graph are one batch, and masks say which of them are for training. That all of them are taken counts
where the file has a mask that holds some out, and the function, which is no loop over sampled subgraphs, uses none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.kinds import AccumulatesGrad
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.values.lineage import origins

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["find_losses_on_all_nodes", "find_losses_on_held_out_nodes"]

_HOLDING = (".test_mask", ".val_mask")
"""What holds nodes out in the graphs of PyTorch Geometric."""


def find_losses_on_held_out_nodes(flow: Flow) -> Iterator[tuple[Event, str]]:
    """The backwards of losses that are taken over nodes which masks hold out, and the first of these masks."""
    for backward in _backwards(flow):
        masks = _masks_behind(backward)
        if masks and all(map(roles.is_held_out_name, masks)):
            yield backward, masks[0]


def find_losses_on_all_nodes(flow: Flow) -> Iterator[tuple[Event, Node, str]]:
    """The backwards of losses that are taken over all nodes of a graph, with the call of the loss, and the graph."""
    for backward in _backwards(flow):
        whole = _loss_of_whole_graph(backward) if not _masks_behind(backward) else None
        if whole is not None:
            yield backward, *whole


def _backwards(flow: Flow) -> Iterator[Event]:
    """The backwards of a flow, if its file speaks of masks at all."""
    source = flow.root.module.source
    return flow.events(AccumulatesGrad) if source is not None and source.holds("_mask") else iter(())


# ---------------------------------------------------------------------------------------------------------------- masks
@cached()
def _masks_behind(backward: Event) -> list[str]:
    """The masks that choose what a backward starts from."""
    base = backward.call.func.value if isinstance(backward.call.func, ast.Attribute) else None
    found = (_mask(o.node) for o in origins(base, backward.frame)) if base else ()
    return [mask for mask in found if mask is not None]


def _mask(node: Node) -> str | None:
    """The mask for a part in `out[data.test_mask]`; a `valid_mask`, a `valid_pair_mask` says what is there at all."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    name = place(index) if isinstance(index, (ast.Name, ast.Attribute)) else None
    return name if name is not None and _is_of_part(name) else None


def _is_of_part(mask: str) -> bool:
    """Is a mask one for training or for held-out nodes, by its name?"""
    if not mask.endswith("_mask") or topics.is_about(mask, Topic.PRESENT):
        return False
    return roles.is_held_out_name(mask) or roles.is_training_name(mask)


# ------------------------------------------------------------------------------------------------------------ all nodes
def _loss_of_whole_graph(backward: Event) -> tuple[Node, str] | None:
    """The call of a loss before a backward that gets all labels of a graph, and the place of the graph."""
    function = backward.function
    source = function.module.source
    if source is None or not any(source.holds(mask) for mask in _HOLDING) or function.is_body:
        return None
    if any(isinstance(n, ast.Attribute) and n.attr.endswith("_mask") for n in walk(function.node)):
        return None
    for node in function.calls:
        if len(node.args) < 2 or node.lineno > backward.site.line:
            continue
        scores, labels = node.args[:2]
        graph = place(labels.value) if isinstance(labels, ast.Attribute) and labels.attr == "y" else None
        if graph is None or not any(source.holds(f"{graph}{mask}") for mask in _HOLDING):
            continue
        if any(b.kind == "for" for b in function.bindings.get(graph.partition(".")[0], ())):
            continue  # one batch of many, with the nodes that its loader was given
        if _is_of_graph(scores, graph, function) and Call(node, backward.frame).value.is_("Loss"):
            return node, graph
    return None


def _is_of_graph(scores: Node, graph: str, function: FunctionScope) -> bool:
    """Is it what a model gives for the whole graph: `out` of `out, _ = model(data.x, data.edge_index)`?"""
    if isinstance(scores, ast.Name):
        found = bound_at(scores, function)
        scores = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    if not isinstance(scores, ast.Call):
        return False
    return any(place(a) in (graph, f"{graph}.x") for a in scores.args)
